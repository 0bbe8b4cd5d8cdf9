"""Enrolment on the virtual table: models on their sheet, and turned on the spot, read from rendered pictures."""

import math
from functools import cache

import numpy as np
import pytest

from assistant.features.demo.virtual_table import build_leaf
from calibration.spaces import CameraOverTable
from calibration.table.camera_pose import guess_lens
from hardware.printing.sheets import build_enrolment_tags
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import Figure, Outline, Placement, VirtualBase, VirtualScene, VirtualTagInBase
from hardware.simulation.scene import VirtualAnchor as Fixed
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline
from vision.enrolment.enrolment_sheet import (
    Enrolment,
    HeightPrior,
    SheetPlacement,
    find_placement,
    find_sheet,
    solve_sheet,
)
from vision.enrolment.spin import solve_spin
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import ImageRegion, detect_tags, select_around
from vision.tags.pose_estimation import Anchor, solve_camera_over_table

ANCHORS = tuple(
    Anchor(tag=580 + at, x_mm=x, y_mm=y, facing_rad=0.0, size_mm=40.0, z_mm=0.0)
    for at, (x, y) in enumerate([(60, 60), (1464, 60), (1464, 1058), (60, 1058), (762, 45), (762, 1073)])
)
IDS = [anchor.tag for anchor in ANCHORS]
SIZES = {"1080p": (1920, 1080), "4k": (3840, 2160)}
BASES = (
    VirtualBase(
        marker=1,
        outline_mm=build_oval_outline(length_mm=32, width_mm=32),
        size_mm=16,
        height_mm=4,
        tag_in_base=VirtualTagInBase(x_mm=5, y_mm=-2, facing_rad=0.5),
    ),
    VirtualBase(
        marker=2,
        outline_mm=build_oval_outline(length_mm=60, width_mm=35),
        size_mm=16,
        height_mm=3,
        tag_in_base=VirtualTagInBase(x_mm=-12, y_mm=3, facing_rad=2.5),
        figure=Figure(x_mm=15, y_mm=0, radius_mm=10, height_mm=30),
    ),
    VirtualBase(
        marker=3,
        outline_mm=build_rect_outline(length_mm=50, width_mm=25),
        size_mm=16,
        height_mm=10,
        tag_in_base=VirtualTagInBase(x_mm=10, y_mm=0, facing_rad=-math.pi / 2),
    ),
)
ASIDE = Placement(x_mm=330, y_mm=820, facing_rad=2.0)
HALF_ROUND = Placement(x_mm=330, y_mm=820, facing_rad=2.0 + math.pi)


@cache
def build_table(size: str) -> tuple[VirtualTable, CameraOverTable]:
    """A table with nothing on it, and where its anchors say that the camera is."""
    fixed = tuple(Fixed(tag=a.tag, x_mm=a.x_mm, y_mm=a.y_mm, size_mm=a.size_mm) for a in ANCHORS)
    shown = VirtualTable(
        VirtualScene(bases=BASES, anchors=fixed), build_overhead_camera(image_size=SIZES[size]), colour=False
    )
    picture = shown.render()
    corners = shown.camera.project(np.array([[a.x_mm, a.y_mm, 0.0] for a in ANCHORS])).reshape(-1, 1, 2)
    regions = [select_around(corner, picture.shape[1] / 40, picture) for corner in corners]
    seen = {tag.tag: tag.corners_px for tag in detect_tags(picture, regions, frozenset(IDS))}
    return shown, solve_camera_over_table(guess_lens(SIZES[size]), ANCHORS, seen)


def find_region(shown: VirtualTable, at: Placement, picture: np.ndarray) -> ImageRegion:
    centre = shown.camera.project(np.array([[at.x_mm, at.y_mm, 0.0]]))
    return select_around(centre, 110 * picture.shape[1] / 1600, picture)


def check(result: Enrolment, base: VirtualBase) -> None:
    tag = base.tag_in_base
    off = np.array([result.x_mm - tag.x_mm, result.y_mm - tag.y_mm])
    turn = math.remainder(result.facing_rad - tag.facing_rad, math.tau)
    assert np.hypot(*off) < 0.3
    assert abs(math.degrees(turn)) < 1.0
    errors = np.array([*off, turn, result.height_mm - base.height_mm])
    assert np.abs(errors / np.sqrt(np.diag(result.covariance))).max() < 3


@pytest.mark.parametrize("base", BASES, ids=["round", "oval", "rect"])
@pytest.mark.parametrize("size", SIZES)
def test_a_model_in_the_ring_is_measured(size: str, base: VirtualBase) -> None:
    (shown, camera), tags = build_table(size), build_enrolment_tags(base.outline_mm)
    places: list[SheetPlacement] = []
    for at in (ASIDE, HALF_ROUND):
        shown.lay_sheet(build_leaf(base.outline_mm), at)
        shown.move(base.marker, at)
        picture = shown.render()
        found = refine_corners(picture, detect_tags(picture, [find_region(shown, at, picture)]))
        places.append(find_placement(camera, tags, find_sheet(camera, tags, found), found, IDS))
    shown.move(base.marker, None)
    result = solve_sheet(places, tags, base.size_mm)
    check(result, base)
    # Without a lens file the camera may be taken for a longer one that hangs higher; all heights go with it.
    hangs_mm = -float(shown.camera.rotation[:, 2] @ shown.camera.translation)
    assert abs(result.height_mm * hangs_mm / camera.height_mm - base.height_mm) < 0.5
    assert result.advice == ""


@pytest.mark.parametrize("size", SIZES)
def test_a_model_is_turned_on_the_spot(size: str) -> None:
    base = BASES[0]
    shown, camera = build_table(size)
    corners = []
    for turn in (0.0, 0.0, *np.linspace(0.2, 6.1, 14)):
        at = Placement(x_mm=500, y_mm=300, facing_rad=math.pi / 2 + turn)
        shown.move(base.marker, at)
        picture = shown.render()
        corners += [tag.corners_px for tag in detect_tags(picture, [find_region(shown, at, picture)])]
    shown.move(base.marker, None)
    assert len(corners) == 16
    check(solve_spin(camera, base.marker, corners, base.size_mm, HeightPrior(mm=4.0, sigma_mm=0.3)), base)


def test_a_sheet_lies_under_what_stands_on_it_and_is_taken_away() -> None:
    base = BASES[0]
    shown, _ = build_table("1080p")
    shown.lay_sheet(None)
    bare = shown.render().astype(int)
    shown.move(base.marker, ASIDE)
    shown.lay_sheet(build_leaf(base.outline_mm), ASIDE)
    laid = shown.render()
    assert {tag.tag for tag in detect_tags(laid, [find_region(shown, ASIDE, laid)])} == {1, *range(560, 568)}
    shown.lay_sheet(None)
    shown.move(base.marker, None)
    assert np.abs(shown.render() - bare).mean() < 4  # nothing but noise
    square: Outline = ((0, 0), (1, 0), (1, 1))
    assert build_leaf(square).lines_mm == (square,)
