"""A table through a fisheye lens: bases are found and located at its edges as in its middle.

The renderer's camera is a pinhole. Whatever stands on the table, a fisheye at the same place sees it along the same
rays, so its picture is made of a wider one.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_scene
from calibration.spaces import Lens, LensModel, unproject
from hardware.frame import Frame
from hardware.simulation.optics import CameraModel, look_at
from hardware.simulation.virtual_table import VirtualTable
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.types import PoseState

SIZE = (1920, 1080)
EYE_MM = np.array([780.0, 530.0, 700.0])
"""So low over a table of 1524 by 1118 mm that its corners are seen under 57 degrees."""
FOCAL_PX, AROUND = 738.0, 1.45
"""Pixels a radian; and how far a pinhole camera has to see that sees as much, as a share of the fisheye's."""
LENS = Lens(
    image_size=SIZE,
    parameters=np.array([FOCAL_PX, FOCAL_PX + 0.5, 960.5, 537.5, -0.03, 0.001, 3e-4, -2e-4, 0.0]),
    covariance=np.diag([0.3, 0.3, 0.3, 0.3, 1e-4, 1e-4, 1e-5, 1e-5, 1e-4]) ** 2,
    model=LensModel.FISHEYE,
)
PICTURES = 8
"""In the second looks for bases begin all over the picture; the last ones are found in the sixth."""


def build_pinhole() -> CameraModel:
    """Return a camera at the same place without a lens that bends, as fine as the fisheye is in its middle."""
    turn = look_at(EYE_MM, np.array([762.0, 559.0, 0.0]), math.radians(0.8))
    width, height = (round(AROUND * side) for side in SIZE)
    return CameraModel(
        image_size=(width, height),
        matrix=np.array([[FOCAL_PX, 0, (width - 1) / 2], [0, FOCAL_PX, (height - 1) / 2], [0, 0, 1.0]]),
        distortion=np.zeros(5),
        rotation=turn,
        translation=-turn @ EYE_MM,
    )


def show_through_fisheye(picture: NDArray[np.uint8], pinhole: CameraModel) -> NDArray[np.uint8]:
    """Return what the fisheye shows of what the pinhole camera does; black where that does not see so far aside."""

    def find_in_pinhole(pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        rays = unproject(pixels, LENS.parameters, LENS.model)
        flat = rays[:, :2] / np.maximum(rays[:, 2:], 0.05)
        return np.asarray(flat * FOCAL_PX + pinhole.matrix[:2, 2])

    like_ours = CameraModel(
        image_size=SIZE,
        matrix=pinhole.matrix,
        distortion=pinhole.distortion,
        rotation=pinhole.rotation,
        translation=pinhole.translation,
    )
    places = like_ours.interpolate_map(find_in_pinhole)
    return np.asarray(cv2.remap(picture, places[..., 0], places[..., 1], cv2.INTER_LINEAR), dtype=np.uint8)


def test_bases_are_found_under_a_fisheye_where_they_stand() -> None:
    game, pinhole = read_demo("warhammer-40k-10e"), build_pinhole()
    table = VirtualTable(build_scene(game.setup, game.state), pinhole, noise=0.0, colour=False)
    shown = show_through_fisheye(table.render(), pinhole)
    pipeline = Pipeline(markers=Markers(anchors=game.setup.anchor_tags, bases=game.setup.enrolled_bases, lens=LENS))
    rng = np.random.default_rng(0)
    for number in range(PICTURES):
        noisy = np.clip(shown + rng.normal(0, 2, shown.shape), 0, 255).astype(np.uint8)
        captured_ns = number * 33_000_000
        snapshot = pipeline.step(Frame(camera="", sequence=number, captured_ns=captured_ns, image=noisy))
    truth = table.get_placements()
    assert snapshot.anchors_seen == len(game.setup.anchor_tags)
    seen = {pose.marker: pose for pose in snapshot.poses if pose.state is PoseState.SEEN}
    assert seen.keys() == truth.keys()
    off_mm = [math.hypot(seen[m].x_mm - at.x_mm, seen[m].y_mm - at.y_mm) for m, at in truth.items()]
    assert max(off_mm) < 0.4
