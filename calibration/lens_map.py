"""What a lens's uncertainty means on a table: millimetres, place by place.

The camera's place over a table is found through the same lens, from the anchors.  So part of an error of the lens does
no harm: the place takes it up.  What is left is what is told here.
"""

from dataclasses import dataclass

import numpy as np

from calibration.spaces import CameraOverTable, Floats, Lens, project

TABLE_MM = (1524.0, 1118.0)
"""Sixty by forty-four inches."""
ANCHOR_MM, INSET_MM = 40.0, 60.0
ROOM = 0.98
"""A table that fills the picture takes up this part of it."""
LINES = (7, 5)
"""Of the map: across and away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """A table under a camera."""

    table_mm: tuple[float, float]
    """Width and depth."""
    anchors_mm: Floats
    """(n, 3) the corners of the anchors."""
    pose: Floats
    """(6,) turn and shift of camera_from_table."""
    height_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LensMap:
    """The error to expect of a lens on a table."""

    stand: Stand
    places_mm: Floats
    """(rows, columns, 2): rows from the near edge, each from the left."""
    errors_mm: Floats
    """(rows, columns) root mean square distance from where things are."""

    @property
    def worst_mm(self) -> float:
        """The greatest of the errors."""
        return float(self.errors_mm.max())

    @property
    def typical_mm(self) -> float:
        """The root mean square of the errors."""
        return float(np.sqrt((self.errors_mm**2).mean()))


def corner_anchors(table_mm: tuple[float, float]) -> Floats:
    """(16, 3) corners of four anchors near the table's corners."""
    width, depth = table_mm
    half = ANCHOR_MM / 2
    inset_mm = min(INSET_MM, width / 4, depth / 4)
    return np.array(
        [
            (x + dx, y + dy, 0.0)
            for x in (inset_mm, width - inset_mm)
            for y in (inset_mm, depth - inset_mm)
            for dx, dy in ((-half, -half), (half, -half), (half, half), (-half, half))
        ]
    )


def stand_over(
    lens: Lens,
    *,
    table_mm: tuple[float, float] = TABLE_MM,
    anchors_mm: Floats | None = None,
    height_mm: float | None = None,
) -> Stand:
    """Return a camera that looks straight down on the middle of a table, the picture's long side along the table's.

    Args:
        lens: the lens.
        table_mm: width and depth.
        anchors_mm: (n, 3) corners of the anchors; without them there are four near the table's corners.
        height_mm: of the lens above the table; without it the table just fills the picture.

    """
    width, depth = table_mm
    along = (width >= depth) == (lens.image_size[0] >= lens.image_size[1])
    # x right and y up in the picture, or the table lying on its side
    turn = np.array([np.pi, 0.0, 0.0]) if along else np.pi * np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
    matrix = (
        np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]]) if along else np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]])
    )
    ring = np.array([(x, y, 0.0) for x in np.linspace(0, width, 9) for y in np.linspace(0, depth, 9)])

    def pose(height: float) -> Floats:
        return np.concatenate([turn, -matrix @ (width / 2, depth / 2, height)])

    def fits(height: float) -> bool:
        pixels, _ = project(ring, np.concatenate([pose(height), lens.parameters]))
        inside = np.abs(pixels / (np.array(lens.image_size) - 1) - 0.5)
        return bool((inside <= ROOM / 2).all())

    if height_mm is None:
        near, far = 0.0, max(table_mm)
        while not fits(far) and far < 100 * max(table_mm):
            near, far = far, far * 1.5
        near = max(near, far / 8)  # far closer the model may fold the picture over
        for _ in range(40):
            middle_mm = (near + far) / 2
            near, far = (near, middle_mm) if fits(middle_mm) else (middle_mm, far)
        height_mm = far
    return Stand(
        table_mm=table_mm,
        anchors_mm=corner_anchors(table_mm) if anchors_mm is None else anchors_mm,
        pose=pose(height_mm),
        height_mm=height_mm,
    )


def grid_mm(table_mm: tuple[float, float]) -> Floats:
    """(rows, columns, 2) places all over a table, its edges included."""
    across, away = (np.linspace(0.0, length, count) for length, count in zip(table_mm, LINES, strict=True))
    return np.stack(np.meshgrid(across, away), axis=-1)


def lens_map(lens: Lens, stand: Stand, *, misfit_px: float = 0.0) -> LensMap:
    """Return the error to expect at places all over a table.

    Args:
        lens: the lens with its covariance.
        stand: the table and the camera.
        misfit_px: what the lens leaves unexplained beyond the noise of single corners, root mean square length.

    """
    places_mm = grid_mm(stand.table_mm)
    points_mm = np.column_stack([places_mm.reshape(-1, 2), np.zeros(places_mm.size // 2)])
    answer, steps_mm = response(lens, stand, points_mm)
    variances = np.einsum("nip,pq,niq->n", answer, lens.covariance, answer)
    variances += misfit_px**2 / 2 * (steps_mm**2).sum(axis=(1, 2))
    return LensMap(stand=stand, places_mm=places_mm, errors_mm=np.sqrt(variances).reshape(places_mm.shape[:2]))


def response(lens: Lens, stand: Stand, points_mm: Floats) -> tuple[Floats, Floats]:
    """(n, 2, 9) how far places are missed by each parameter that is wrong, and (n, 2, 2) millimetres by pixels."""
    parameters = np.concatenate([stand.pose, lens.parameters])
    at_anchors = project(stand.anchors_mm, parameters)[1].reshape(-1, 15)
    pose_follows = -np.linalg.lstsq(at_anchors[:, :6], at_anchors[:, 6:], rcond=None)[0]
    here = project(points_mm, parameters)[1]
    steps_mm = np.linalg.inv(_camera(lens, stand.pose).scale_px_per_mm(points_mm))
    return np.asarray(-steps_mm @ (here[:, :, 6:] + here[:, :, :6] @ pose_follows)), np.asarray(steps_mm)


def displacement_mm(true: Lens, taken: Lens, stand: Stand, points_mm: Floats) -> Floats:
    """(n, 2) by how much places on the table are missed when one lens is true and another is taken for it."""
    seen_px, _ = project(stand.anchors_mm, np.concatenate([stand.pose, true.parameters]))
    pose = stand.pose.copy()
    for _ in range(20):
        pixels, slope = project(stand.anchors_mm, np.concatenate([pose, taken.parameters]))
        step = np.linalg.lstsq(slope.reshape(-1, 15)[:, :6], (seen_px - pixels).ravel(), rcond=None)[0]
        pose = pose + step
        if np.abs(step).max() < 1e-9:
            break
    points_px, _ = project(points_mm, np.concatenate([stand.pose, true.parameters]))
    return np.asarray(_camera(taken, pose).table_from_image(points_px, points_mm[:, 2]) - points_mm[:, :2])


def _camera(lens: Lens, pose: Floats) -> CameraOverTable:
    return CameraOverTable(
        lens=lens,
        rotation=pose[:3],
        translation_mm=pose[3:],
        covariance=np.zeros((15, 15)),
        bleed_px=0.0,
        sigma_px=0.0,
    )
