"""The virtual table's accuracy: what a detector sees of it is where it ought to be."""

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulation.drawing import BODY
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import Placement, VirtualBase
from hardware.simulation.sprite import PixelRect, SpriteCanvas
from hardware.simulation.tag_print import INK, PAPER, lay_tag
from hardware.simulation.virtual_table import VirtualTable
from hardware.tag36h11 import INNER, find_white_modules
from tests.hardware.simulation.sample_scene import SCENE
from vision.tags.detection import detect_tags, select_whole

CAMERA = build_overhead_camera(image_size=(1920, 1080))


def detect_corners(image: NDArray[np.uint8]) -> dict[int, NDArray[np.float64]]:
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return {found.tag: found.corners_px for found in detect_tags(grey, [select_whole(grey)])}


def project_true_corners(base: VirtualBase, at: Placement) -> NDArray[np.float64]:
    """Written out on its own, to hold the renderer to the contract's words."""
    corners = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        tag = complex(x, y) * base.size_mm / 2
        turned = tag * np.exp(1j * base.tag_in_base.facing_rad) + complex(base.tag_in_base.x_mm, base.tag_in_base.y_mm)
        world = turned * np.exp(1j * at.facing_rad) + complex(at.x_mm, at.y_mm)
        corners.append((world.real, world.imag, at.z_mm + base.height_mm))
    turn, _ = cv2.Rodrigues(CAMERA.rotation)
    pixels, _ = cv2.projectPoints(np.array(corners), turn, CAMERA.translation, CAMERA.matrix, CAMERA.distortion)
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)


def test_tags_are_seen_where_the_contract_puts_them() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=1.0)
    errors: list[NDArray[np.float64]] = []
    turns = np.linspace(0, 2 * math.pi, 5, endpoint=False)
    for turn in turns:
        for base in SCENE.bases:
            at = SCENE.placements[base.marker]
            table.move(
                base.marker,
                Placement(x_mm=at.x_mm + 7 * turn, y_mm=at.y_mm, facing_rad=at.facing_rad + turn, z_mm=at.z_mm),
            )
        seen = detect_corners(table.render())
        placed = table.get_placements()
        errors.extend(seen[base.marker] - project_true_corners(base, placed[base.marker]) for base in SCENE.bases)
    all_px = np.array(errors)
    assert np.abs(all_px.mean(axis=(0, 1))).max() < 0.05, "no shift of all corners"
    assert np.abs(all_px.mean(axis=0)).max() < 0.15, "no turn or change of size"
    assert np.abs(all_px).max() < 0.6


@pytest.mark.parametrize(("tag", "facing_rad"), [(580, 0.0), (581, math.pi / 2)])
def test_anchors_face_where_they_are_told(tag: int, facing_rad: float) -> None:
    seen = detect_corners(VirtualTable(SCENE, CAMERA, noise=0.0).render())[tag]
    places = CAMERA.table_from_image(seen, z_mm=0.0)
    along = places[1] - places[0]
    assert math.atan2(along[1], along[0]) == pytest.approx(facing_rad, abs=0.01)
    anchor = next(anchor for anchor in SCENE.anchors if anchor.tag == tag)
    assert places.mean(axis=0) == pytest.approx([anchor.x_mm, anchor.y_mm], abs=0.2)
    assert np.linalg.norm(along) == pytest.approx(anchor.size_mm, abs=0.3)


def test_a_lifted_base_is_seen_farther_out() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=0.0)
    base, at = SCENE.bases[0], SCENE.placements[0]
    lifted = Placement(x_mm=at.x_mm, y_mm=at.y_mm, facing_rad=at.facing_rad, z_mm=80)
    low = detect_corners(table.render())[0].mean(axis=0)
    table.move(0, lifted)
    high = detect_corners(table.render())[0]
    assert high == pytest.approx(project_true_corners(base, lifted), abs=0.4)
    assert np.linalg.norm(high.mean(axis=0) - low) > 20, "parallax"


def test_a_hand_hides_what_is_below() -> None:
    table = VirtualTable(SCENE, CAMERA)
    table.hold_hand(((250, 250), (350, 250), (350, 350), (250, 350)))
    assert set(detect_corners(table.render())) == {1, 2, 3, 580, 581, 582, 583}
    table.hold_hand(None)
    assert 0 in detect_corners(table.render())


def test_a_hand_above_the_table_shades_what_lies_beside_it() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=0.0)
    hand = ((250.0, 250.0), (350.0, 250.0), (350.0, 350.0), (250.0, 350.0))
    table.hold_hand(hand)
    flat = table.render().astype(float)
    table.hold_hand(hand, above_mm=90.0)
    dimmer = table.render() / np.maximum(flat, 1)
    shaded, clear = np.rint(CAMERA.project(np.array([(368.0, 240.0, 0.0), (200.0, 300.0, 0.0)]))).astype(int)
    assert dimmer[shaded[1], shaded[0]].mean() < 0.75
    assert dimmer[clear[1], clear[0]].mean() == 1.0


@pytest.mark.parametrize(("left", "top"), [(10.1, 9.9), (10.52, 9.22)])
def test_a_tag_along_the_pixels_covers_of_each_pixel_as_much_as_it_should(left: float, top: float) -> None:
    side_px, fine = 21.3, 32
    corners = np.array([(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]) * side_px + (left, top)
    frame = PixelRect(0, 0, 44, 44)
    patch = SpriteCanvas(frame)
    lay_tag(patch, 7, corners)
    drawn = patch.build_sprite(z_mm=0.0, level=(0.0, BODY), frame=frame).surface[:, :, 0].astype(float)
    at = (np.arange(44 * fine) + 0.5) / fine - 0.5
    columns, rows = (np.floor((at - first) / (side_px / INNER)).astype(int) for first in (left, top))
    modules = np.pad(find_white_modules(7), 1, constant_values=True)
    exact = np.where(modules[np.ix_(rows.clip(-1, INNER) + 1, columns.clip(-1, INNER) + 1)], PAPER, INK)
    exact = exact.reshape(44, fine, 44, fine).mean(axis=(1, 3))
    off = (drawn - exact)[9:32, 9:32]  # edges drawn an eighth of a pixel off would leave three grey levels
    assert math.sqrt((off**2).mean()) < 1.6
