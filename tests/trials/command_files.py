"""Files that commands take: those of the pages of the formats, and of what these have none."""

from functools import cache
from typing import Any

import cv2
import numpy as np

from assistant.features.demo.catalogue import SETUP
from assistant.setup.file import read_setup
from tests.docs.test_formats import EXAMPLE, read_page


@cache
def read_example(page: str) -> str:
    """Return the first example on a page of a format."""
    return str(EXAMPLE.findall(read_page(page))[0][1])


ROSTER = """# Green
5 Scouts 32mm, move 6", infantry
Captain 40mm, move 6", character
3x Riders 60x35 oval, move 12", cavalry

# Blue
- 2 Walkers (100x60), move 8", vehicle
    a spare wheel
"""


PICTURE = "picture.png"


@cache
def draw_picture() -> bytes:
    """Return a picture of the demo's table from straight above, a pixel a millimetre, with its anchors."""
    setup = read_setup(SETUP)
    height, width = round(setup.table.depth_mm), round(setup.table.width_mm)
    grey = np.full((height, width), 200, dtype=np.uint8)
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    for anchor in setup.anchors:
        assert anchor.x_mm is not None
        assert anchor.y_mm is not None
        size = round(anchor.size_mm)
        tag = np.rot90(cv2.aruco.generateImageMarker(family, anchor.tag, size), 2)
        left, top = round(anchor.x_mm - size / 2), round(height - anchor.y_mm - size / 2)
        grey[top : top + size, left : left + size] = tag
    done, coded = cv2.imencode(".png", grey)
    assert done
    return coded.tobytes()


def _build_anchor(tag: int, x_mm: float, y_mm: float) -> dict[str, Any]:
    place = {"x_mm": x_mm, "y_mm": y_mm, "facing_deg": 0.0}
    said = {"size_mm": 40.0, "z_mm": 0.0, "corner": None, "sigma_mm": 0.0, "sigma_deg": 0.0, **place}
    found = {"sigma_mm": [0.1, 0.1], "sigma_deg": 0.1, "residual_mm": 0.1, "held_out_mm": 0.1, "held_out_sigma_mm": 0.1}
    return {"tag": tag, **place, **found, "said": said}


def _build_diagonal(count: int) -> list[list[float]]:
    return [[0.01 * (row == column) for column in range(count)] for row in range(count)]


TABLE: dict[str, Any] = {
    "format": "overtable.table/1",
    "table": {
        "width_mm": 1524.0, "depth_mm": 1118.0, "sigma_mm": 1.0,
        "solved_mm": [1524.0, 1118.0], "solved_sigma_mm": [0.5, 0.5],
    },
    "anchors": [_build_anchor(580 + at, x, y) for at, (x, y) in enumerate(
        ((60.0, 60.0), (1464.0, 60.0), (1464.0, 1058.0), (60.0, 1058.0))
    )],
    "covariance": _build_diagonal(12),
    "residual_mm": 0.1,
    "held_out_mm": 0.1,
    "sigma_px": 0.1,
    "cameras": [{
        "picture": "picture.pgm", "eye_mm": [762.0, 559.0, 1500.0], "height_sigma_mm": 1.0,
        "rotation": [3.14, 0.0, 0.0], "translation_mm": [-762.0, 559.0, 1500.0], "image_size": [1920, 1080],
        "matrix": [[1500.0, 0.0, 960.0], [0.0, 1500.0, 540.0], [0.0, 0.0, 1.0]],
        "distortion": [0.1, -0.1, 0.0, 0.0, 0.0], "covariance": _build_diagonal(15),
        "sigma_map_mm": [[762.0, 559.0, 0.1]],
    }],
}  # fmt: skip
"""A table file of the anchors of the demo's set-up."""
LENS: dict[str, Any] = {
    "format": "overtable.lens/1",
    "image_size": [1524, 1118],
    "matrix": [[1500.0, 0.0, 761.5], [0.0, 1500.0, 558.5], [0.0, 0.0, 1.0]],
    "distortion": [0.001, 0.0, 0.0, 0.0, 0.0],
    "rms_px": 0.21,
    "held_out_px": 0.24,
}
"""A lens file of a camera that takes pictures like `draw_picture`."""
PROJECTOR: dict[str, Any] = {
    "format": "overtable.projector/1",
    "image_size": [1920, 1080],
    "table": {"width_mm": 1524.0, "depth_mm": 1118.0},
    "projector_from_table": [[1.2, 0.01, 30.0], [0.02, -0.9, 1000.0], [1e-6, 1e-6, 1.0]],
    "centre_px": [960.0, 540.0],
    "distortion": [0.01, 0.0, 0.0, 0.0],
    "lens": "two",
    "covariance": _build_diagonal(14),
    "nudge": {"x_mm": 1.0, "y_mm": 0.0, "turn_deg": 0.1, "scale": 1.0},
}
"""A projector file of the demo's table."""
