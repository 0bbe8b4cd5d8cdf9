"""Files that commands take: those of the pages of the formats, and of what these have none."""

from functools import cache
from typing import Any

import numpy as np

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


@cache
def draw_picture() -> str:
    """Return a grey picture with a dark square in it, and no tag."""
    grey = np.full((90, 120), 128, dtype=np.uint8)
    grey[20:40, 20:40] = 0
    return "P2 120 90 255\n" + "\n".join(" ".join(map(str, row)) for row in grey.tolist()) + "\n"


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
    "image_size": [120, 90],
    "matrix": [[90.0, 0.0, 59.5], [0.0, 90.0, 44.5], [0.0, 0.0, 1.0]],
    "distortion": [-0.05, 0.01, 0.0, 0.0, 0.0],
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
