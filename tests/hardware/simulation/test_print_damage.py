"""Damage to prints: each kind shows, and only where it belongs."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulation.glare import GlareBlob, render_glare
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import Placement, PrintDamage, VirtualBase, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.simulation.base_outlines import build_oval_outline

CAMERA = build_overhead_camera(image_size=(960, 720))
BASE = VirtualBase(marker=7, outline_mm=build_oval_outline(length_mm=120, width_mm=120), size_mm=64, height_mm=4)
AT = Placement(x_mm=300, y_mm=800)


def render(damage: PrintDamage | None) -> NDArray[np.int_]:
    scene = VirtualScene(bases=(replace(BASE, damage=damage),), placements={7: AT})
    return VirtualTable(scene, CAMERA, noise=0, blur_px=0, colour=False).render().astype(int)


def list_changed(damage: PrintDamage) -> NDArray[np.float64]:
    """Where the picture of the print is another, (n, 2) mm from its middle."""
    ys, xs = np.nonzero(np.abs(render(damage) - render(None)) > 8)
    pixels = np.column_stack([xs, ys]).astype(np.float64)
    return CAMERA.table_from_image(pixels, z_mm=BASE.height_mm) - [AT.x_mm, AT.y_mm]


@pytest.mark.parametrize("kind", ["paint", "smudge", "crease"])
def test_damage_shows_on_the_print_and_nowhere_else(kind: str) -> None:
    changed = list_changed(PrintDamage(seed=3, **{kind: 1.0}))
    assert len(changed) > 40
    assert np.abs(changed).max() < (42 if kind == "crease" else 52)  # the print reaches 40 mm


def test_paint_lies_on_the_rim_and_leaves_the_middle() -> None:
    inside = list_changed(PrintDamage(seed=3, paint=1.0))
    assert np.abs(inside).max(axis=1).min() > 20


def test_damage_differs_by_seed() -> None:
    assert (render(PrintDamage(seed=3, smudge=1.0)) != render(PrintDamage(seed=4, smudge=1.0))).any()


def test_one_corner_of_a_tag_curls_away_from_the_camera_and_the_others_stay() -> None:
    for seed, toward in ((0, (-1, -1)), (1, (1, -1)), (2, (1, 1)), (3, (-1, 1))):
        changed = list_changed(PrintDamage(seed=seed, curl_mm=8.0))
        assert len(changed) > 20
        assert (changed @ toward).min() > -8


def test_glare_is_as_bright_as_is_said_where_it_lies_and_fades_around() -> None:
    glare = render_glare([GlareBlob(x_mm=500, y_mm=500, length_mm=12, width_mm=4, level=90)], CAMERA)
    across = CAMERA.project(np.array([[500, 500, 0.0], [512, 500, 0], [500, 504, 0], [500, 560, 0]]))
    levels = [int(glare[round(y), round(x)]) for x, y in across]
    assert levels[0] == pytest.approx(90, abs=3)
    assert levels[1:3] == pytest.approx([90 * np.exp(-0.5)] * 2, abs=12)
    assert levels[3] == 0
