"""How long the virtual table takes to render."""

import math
import time
from collections.abc import Callable

import cv2
import numpy as np

from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import (
    Figure,
    Placement,
    VirtualAnchor,
    VirtualBase,
    VirtualScene,
    VirtualTagInBase,
    VirtualTerrain,
)
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.simulation.base_outlines import build_oval_outline

SIZES = {"1080p": (1920, 1080), "4K": (3840, 2160)}
FRAMES = 30


def run() -> list[str]:
    """Render a table of 40 bases in colour and return one line of figures for each case."""
    lines = []
    for name, image_size in SIZES.items():
        began_s = time.perf_counter()
        table = VirtualTable(make_scene(), build_overhead_camera(image_size=image_size))
        table.render()
        lines.append(f"render {name} first frame       {1000 * (time.perf_counter() - began_s):7.1f} ms")
        lines += [f"render {name} {case:27}{_time_rendering(table, change)}" for case, change in CASES.items()]
    return lines


def make_scene() -> VirtualScene:
    """Lay out forty bases with figures, four anchors and a hill."""
    figure = Figure(x_mm=12, y_mm=0, radius_mm=12, height_mm=35)
    bases = tuple(
        VirtualBase(
            marker=tag,
            outline_mm=build_oval_outline(length_mm=60, width_mm=40),
            size_mm=20,
            height_mm=4,
            tag_in_base=VirtualTagInBase(x_mm=-14),
            figure=figure,
        )
        for tag in range(40)
    )
    placements = {
        tag: Placement(x_mm=140 + tag % 8 * 175, y_mm=150 + tag // 8 * 200, facing_rad=tag * 0.7) for tag in range(40)
    }
    anchors = tuple(
        VirtualAnchor(tag=580 + k, x_mm=x, y_mm=y, size_mm=40)
        for k, (x, y) in enumerate([(60, 60), (1464, 60), (1464, 1058), (60, 1058)])
    )
    hill = VirtualTerrain(outline_mm=((900, 500), (1150, 480), (1200, 700), (950, 720)), height_mm=50, raised=True)
    return VirtualScene(bases=bases, anchors=anchors, terrain=(hill,), placements=placements)


def _move_base(table: VirtualTable, k: int) -> None:
    table.move(11, Placement(x_mm=300 + 8 * k, y_mm=450 + 60 * math.sin(k / 5), facing_rad=k / 10))


def _change_light(table: VirtualTable, k: int) -> None:
    image = np.zeros((1080, 1920, 3), dtype=np.uint8)
    cv2.circle(image, (500 + 10 * k, 500), 150, (0, 220, 255), 10, cv2.LINE_AA)
    table.project_picture(image)


CASES: dict[str, Callable[[VirtualTable, int], None]] = {
    "at rest": lambda _table, _k: None,
    "one base moving": _move_base,
    "one circle of light moving": _change_light,
}


def _time_rendering(table: VirtualTable, change: Callable[[VirtualTable, int], None]) -> str:
    wall_s, processor_s = time.perf_counter(), time.process_time()
    for k in range(FRAMES):
        change(table, k)
        table.render()
    wall_s, processor_s = time.perf_counter() - wall_s, time.process_time() - processor_s
    return (
        f"{1000 * wall_s / FRAMES:7.1f} ms  {FRAMES / wall_s:6.0f} fps  {1000 * processor_s / FRAMES:6.1f} ms processor"
    )
