"""Design prediction: how good a set-up is in millimetres, and what would improve it most, reckoned without a picture.

What a solve of the camera's place leaves open follows from where the anchors lie, how surely their corners are seen
and what is known of the lens.  So each change that a person could make is tried in numbers: the covariance that
`solve_table` would then leave is carried to places all over the table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from calibration.spaces import CameraOverTable, Floats, Lens, project
from calibration.table.camera_pose import BLEED_SIGMA_PX, inform_lens, remove_bleed

COLUMNS, ROWS = 7, 5
"""The table is judged at so many places each way, from edge to edge."""
CANDIDATE_GRID = (13, 9)
"""Another anchor is tried at so many places each way."""
SPACING_SIZES = 1.5
"""Another anchor lies at least so many of its sizes from those that are there."""
RULE_SIGMA_MM = 0.2
"""How well places can be measured with a good steel rule, one standard deviation."""
SIZE_FACTOR = 1.5
"""Larger anchors are so much larger."""
FINE_PX = (3840, 2160)
"""The size of pictures that a finer camera has."""
SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
"""The corners of a tag that is not turned, as shares of its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDesign:
    """A camera over a table with its anchors, as it is or as it might be."""

    camera: CameraOverTable
    """Where it is; its covariance is not used."""
    lens: Lens
    """What is known of the lens before any anchor is seen."""
    squares_mm: Floats
    """(n, 4, 3) corners of the anchors on the table."""
    sigma_px: float
    """One standard deviation of a corner's coordinate."""
    placement_mm: float = 0.0
    """One standard deviation of where an anchor lies, along each axis; the same for each, and independent."""
    width_mm: float
    depth_mm: float
    """The table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorMap:
    """The expected error all over the table: one standard deviation along the worst direction, by the calibration."""

    places_mm: Floats
    """(ROWS, COLUMNS, 2), the near edge first."""
    sigma_mm: Floats
    """(ROWS, COLUMNS)."""

    @property
    def centre_mm(self) -> float:
        """The error in the middle of the table."""
        return float(self.sigma_mm[ROWS // 2, COLUMNS // 2])

    @property
    def worst_mm(self) -> float:
        """The largest error anywhere."""
        return float(self.sigma_mm.max())

    @property
    def worst_at_mm(self) -> tuple[float, float]:
        """Where it is largest."""
        x_mm, y_mm = self.places_mm.reshape(-1, 2)[int(self.sigma_mm.argmax())]
        return float(x_mm), float(y_mm)


class DesignChange(StrEnum):
    """What a person could do."""

    MEND = "mend"
    """Put one anchor right that is not where it is said to be."""
    PLACES = "places"
    """Measure the anchors' places better."""
    LENS = "lens"
    """Calibrate the lens."""
    UNCOVER = "uncover"
    """Bring the anchors into view that are not seen now."""
    ANCHOR = "anchor"
    """Lay down one more anchor."""
    LARGER_ANCHORS = "larger-anchors"
    FINER_CAMERA = "finer-camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A change, and what it would bring."""

    change: DesignChange
    map: ErrorMap
    gain: float
    """The largest error then as a share of what it is now."""
    at_mm: tuple[float, float] | None = None
    """Where another anchor is best."""


def map_error(camera: CameraOverTable, *, width_mm: float, depth_mm: float) -> ErrorMap:
    """Return the error that a calibration leaves all over a table, by its own covariance."""
    across, along = np.meshgrid(np.linspace(0, width_mm, COLUMNS), np.linspace(0, depth_mm, ROWS))
    places = np.stack([across, along], axis=-1)
    flat = np.column_stack([places.reshape(-1, 2), np.zeros(ROWS * COLUMNS)])
    largest = np.linalg.eigvalsh(camera.covariance_mm2(flat))[:, -1]
    return ErrorMap(places_mm=places, sigma_mm=np.sqrt(largest).reshape(ROWS, COLUMNS))


def predict_camera(setting: TableDesign) -> CameraOverTable:
    """Return the camera with the covariance that a solve from these anchors would leave."""
    return _camera_from_information(setting, _compute_information(setting, setting.squares_mm) + _build_prior(setting))


def measure_lens_share_mm(setting: TableDesign, exactly: float = 1e-4) -> float:
    """Return how much of the largest error is the lens file's: what would be gone if the lens were known exactly."""
    sure = replace(setting, lens=replace(setting.lens, covariance=exactly**2 * setting.lens.covariance, is_guess=False))
    return float(np.sqrt(max(0.0, _predict_error(setting).worst_mm ** 2 - _predict_error(sure).worst_mm ** 2)))


def find_remedies(
    setting: TableDesign,
    *,
    known_lens: Lens | None = None,
    covered_mm: Floats | None = None,
    wrong_mm: Floats | None = None,
) -> list[Remedy]:
    """Return what would improve a set-up, the most helpful change first; those that help by nothing are left out.

    Args:
        setting: the set-up as it is.
        known_lens: what a calibration of the lens would tell of it; None where there is one already.
        covered_mm: (n, 4, 3) corners of anchors that lie on the table but are not seen.
        wrong_mm: (n, 4, 3) corners of anchors that are left out, since they are not where they are said to be.

    """
    before = _predict_error(setting)
    lacking = {DesignChange.UNCOVER: covered_mm, DesignChange.MEND: wrong_mm}
    tried = [*_try_changes(setting, known_lens, lacking), *_try_another_anchor(setting)]
    remedies = [
        Remedy(change=change, map=after, gain=after.worst_mm / before.worst_mm, at_mm=at_mm)
        for change, after, at_mm in tried
    ]
    return sorted((remedy for remedy in remedies if remedy.gain < 1), key=lambda remedy: remedy.gain)


def assume_calibrated(lens: Lens) -> Lens:
    """Return a lens as surely known as some twenty pictures of a printed board make it."""
    fx, fy = lens.parameters[:2]
    spread = np.array([5e-4 * fx, 5e-4 * fy, 6e-4 * fx, 6e-4 * fy, 2e-3, 8e-3, 1e-4, 1e-4, 8e-3])
    return replace(lens, covariance=np.diag(spread**2), is_guess=False)


def scale_lens(lens: Lens, times: float) -> Lens:
    """Return a lens as it is with pictures of the same view that have so many times the pixels each way."""
    by = np.array([times] * 4 + [1.0] * 5)
    parameters = lens.parameters * by
    parameters[2:4] += (times - 1) / 2  # the centre of a pixel is not its corner
    width, height = lens.image_size
    return Lens(
        image_size=(round(width * times), round(height * times)),
        parameters=parameters,
        covariance=lens.covariance * np.outer(by, by),
        is_guess=lens.is_guess,
        model=lens.model,
    )


def _try_changes(
    setting: TableDesign, known_lens: Lens | None, lacking: Mapping[DesignChange, Floats | None]
) -> Iterator[tuple[DesignChange, ErrorMap, None]]:
    if setting.placement_mm > RULE_SIGMA_MM:
        yield DesignChange.PLACES, _predict_error(replace(setting, placement_mm=RULE_SIGMA_MM)), None
    if known_lens is not None:
        yield DesignChange.LENS, _predict_error(replace(setting, lens=known_lens)), None
    for change, squares_mm in lacking.items():
        if squares_mm is not None and len(squares_mm):
            yield (
                change,
                _predict_error(replace(setting, squares_mm=np.concatenate([setting.squares_mm, squares_mm]))),
                None,
            )
    middles = setting.squares_mm.mean(axis=1, keepdims=True)
    yield (
        DesignChange.LARGER_ANCHORS,
        _predict_error(replace(setting, squares_mm=middles + SIZE_FACTOR * (setting.squares_mm - middles))),
        None,
    )
    times = min(size / now for size, now in zip(FINE_PX, setting.lens.image_size, strict=True))
    if times > 1:
        camera = replace(setting.camera, lens=scale_lens(setting.camera.lens, times))
        yield (
            DesignChange.FINER_CAMERA,
            _predict_error(replace(setting, camera=camera, lens=scale_lens(setting.lens, times))),
            None,
        )


def _try_another_anchor(setting: TableDesign) -> Iterator[tuple[DesignChange, ErrorMap, tuple[float, float]]]:
    """Yield the best place for one more anchor, of the places where it would be seen."""
    size_mm = float(np.linalg.norm(np.diff(setting.squares_mm, axis=1), axis=2).mean())
    there = setting.squares_mm.mean(axis=1)[:, :2]
    known = _compute_information(setting, setting.squares_mm) + _build_prior(setting)
    best: tuple[ErrorMap, tuple[float, float]] | None = None
    for x_mm in np.linspace(size_mm, setting.width_mm - size_mm, CANDIDATE_GRID[0]):
        for y_mm in np.linspace(size_mm, setting.depth_mm - size_mm, CANDIDATE_GRID[1]):
            square = np.array([[(*corner, 0.0) for corner in (x_mm, y_mm) + size_mm * SQUARE]])
            near = np.linalg.norm(there - (x_mm, y_mm), axis=1).min() < SPACING_SIZES * size_mm
            if near or not _is_in_picture(setting.camera, square):
                continue
            after = map_error(
                _camera_from_information(setting, known + _compute_information(setting, square)),
                width_mm=setting.width_mm,
                depth_mm=setting.depth_mm,
            )
            if best is None or after.worst_mm < best[0].worst_mm:
                best = after, (float(x_mm), float(y_mm))
    if best is not None:
        yield DesignChange.ANCHOR, *best


def _is_in_picture(camera: CameraOverTable, square_mm: Floats) -> bool:
    pixels = camera.image_from_table(square_mm.reshape(-1, 3))
    return bool(((pixels > 0) & (pixels < np.array(camera.lens.image_size) - 1)).all())


def _predict_error(setting: TableDesign) -> ErrorMap:
    return map_error(predict_camera(setting), width_mm=setting.width_mm, depth_mm=setting.depth_mm)


def _compute_information(setting: TableDesign, squares_mm: Floats) -> Floats:
    """(16, 16) what anchors tell of turn, shift, lens and bleed."""
    pixels, slope = project(squares_mm.reshape(-1, 3), setting.camera.parameters, setting.camera.lens.model)
    squares_px = pixels.reshape(-1, 4, 2)
    outward = (squares_px - remove_bleed(squares_px, 1.0)).reshape(-1, 2, 1)
    rows = np.dstack([slope, outward]).reshape(-1, 8, 16)
    shifts = setting.camera.scale_px_per_mm(squares_mm.reshape(-1, 3)).reshape(-1, 8, 2)
    noise = setting.sigma_px**2 * np.eye(8) + setting.placement_mm**2 * shifts @ shifts.transpose(0, 2, 1)
    return np.asarray((rows.transpose(0, 2, 1) @ np.linalg.solve(noise, rows)).sum(axis=0))


def _build_prior(setting: TableDesign) -> Floats:
    information = np.zeros((16, 16))
    information[6:15, 6:15] = inform_lens(setting.lens, setting.camera.lens.parameters)
    information[15, 15] = BLEED_SIGMA_PX**-2
    return information


def _camera_from_information(setting: TableDesign, information: Floats) -> CameraOverTable:
    scale = np.sqrt(np.diag(information))  # one parameter is a focal length, another a distortion
    covariance = np.linalg.inv(information / np.outer(scale, scale)) / np.outer(scale, scale)
    return replace(setting.camera, covariance=covariance[:15, :15], sigma_px=setting.sigma_px)
