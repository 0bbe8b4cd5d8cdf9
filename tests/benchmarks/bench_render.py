"""How long the virtual table takes to render."""

import math
import time
from collections.abc import Callable

import cv2
import numpy as np

from hardware.virtual.optics import overhead
from hardware.virtual.scene import Anchor, Figure, Placement, Scene, TagInBase, Terrain, VirtualBase, oval_outline
from hardware.virtual.table import VirtualTable

SIZES = {"1080p": (1920, 1080), "4K": (3840, 2160)}
FRAMES = 30


def run() -> list[str]:
    """Render a table of 40 bases in colour and return one line of figures for each case."""
    lines = []
    for name, image_size in SIZES.items():
        began_s = time.perf_counter()
        table = VirtualTable(forty_bases(), overhead(image_size=image_size))
        table.render()
        lines.append(f"render {name} first frame       {1000 * (time.perf_counter() - began_s):7.1f} ms")
        lines += [f"render {name} {case:27}{_timed(table, change)}" for case, change in CASES.items()]
    return lines


def forty_bases() -> Scene:
    """Lay out forty bases with figures, four anchors and a hill."""
    figure = Figure(x_mm=12, y_mm=0, radius_mm=12, height_mm=35)
    bases = tuple(
        VirtualBase(
            tag=tag,
            outline_mm=oval_outline(length_mm=60, width_mm=40),
            size_mm=20,
            height_mm=4,
            tag_in_base=TagInBase(x_mm=-14),
            figure=figure,
        )
        for tag in range(40)
    )
    placements = {
        tag: Placement(x_mm=140 + tag % 8 * 175, y_mm=150 + tag // 8 * 200, facing_rad=tag * 0.7) for tag in range(40)
    }
    anchors = tuple(
        Anchor(tag=580 + k, x_mm=x, y_mm=y, size_mm=40)
        for k, (x, y) in enumerate([(60, 60), (1464, 60), (1464, 1058), (60, 1058)])
    )
    hill = Terrain(outline_mm=((900, 500), (1150, 480), (1200, 700), (950, 720)), height_mm=50, raised=True)
    return Scene(bases=bases, anchors=anchors, terrain=(hill,), placements=placements)


def _move(table: VirtualTable, k: int) -> None:
    table.move(11, Placement(x_mm=300 + 8 * k, y_mm=450 + 60 * math.sin(k / 5), facing_rad=k / 10))


def _light(table: VirtualTable, k: int) -> None:
    image = np.zeros((1080, 1920, 3), dtype=np.uint8)
    cv2.circle(image, (500 + 10 * k, 500), 150, (0, 220, 255), 10, cv2.LINE_AA)
    table.light(image)


CASES: dict[str, Callable[[VirtualTable, int], None]] = {
    "at rest": lambda _table, _k: None,
    "one base moving": _move,
    "one circle of light moving": _light,
}


def _timed(table: VirtualTable, change: Callable[[VirtualTable, int], None]) -> str:
    wall_s, processor_s = time.perf_counter(), time.process_time()
    for k in range(FRAMES):
        change(table, k)
        table.render()
    wall_s, processor_s = time.perf_counter() - wall_s, time.process_time() - processor_s
    return (
        f"{1000 * wall_s / FRAMES:7.1f} ms  {FRAMES / wall_s:6.0f} fps  {1000 * processor_s / FRAMES:6.1f} ms processor"
    )
