"""Lens quality: the error to expect on a table, whether two lenses can be of one camera, and a judgement with reasons.

The error map is in millimetres, place by place.  The camera's place over a table is found through the same lens,
from the anchors, so part of an error of the lens does no harm: the place takes it up.  What is left is what the map
tells.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibration.errors import Unsolvable
from calibration.lens.solve import LensFit
from calibration.spaces import CameraOverTable, Floats, Lens, LensModel, project, unproject

TABLE_MM = (1524.0, 1118.0)
"""Sixty by forty-four inches."""
ANCHOR_MM, INSET_MM = 40.0, 60.0
FRAME_SHARE = 0.98
"""A table that fills the picture takes up this part of it."""
MAP_NODES = (7, 5)
"""Of the map: across and away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableUnderCamera:
    """A table under a camera."""

    table_mm: tuple[float, float]
    """Width and depth."""
    anchors_mm: Floats
    """(n, 3) the corners of the anchors."""
    pose: Floats
    """(6,) turn and shift of camera_from_table."""
    height_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LensErrorMap:
    """The error to expect of a lens on a table."""

    stand: TableUnderCamera
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


def place_corner_anchors(table_mm: tuple[float, float]) -> Floats:
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


def place_table_under(
    lens: Lens,
    *,
    table_mm: tuple[float, float] = TABLE_MM,
    anchors_mm: Floats | None = None,
    height_mm: float | None = None,
) -> TableUnderCamera:
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
        pixels, _ = project(ring, np.concatenate([pose(height), lens.parameters]), lens.model)
        inside = np.abs(pixels / (np.array(lens.image_size) - 1) - 0.5)
        return bool((inside <= FRAME_SHARE / 2).all())

    if height_mm is None:
        near, far = 0.0, max(table_mm)
        while not fits(far) and far < 100 * max(table_mm):
            near, far = far, far * 1.5
        near = max(near, far / 8)  # far closer the model may fold the picture over
        for _ in range(40):
            middle_mm = (near + far) / 2
            near, far = (near, middle_mm) if fits(middle_mm) else (middle_mm, far)
        height_mm = far
    return TableUnderCamera(
        table_mm=table_mm,
        anchors_mm=place_corner_anchors(table_mm) if anchors_mm is None else anchors_mm,
        pose=pose(height_mm),
        height_mm=height_mm,
    )


def build_grid_mm(table_mm: tuple[float, float]) -> Floats:
    """(rows, columns, 2) places all over a table, its edges included."""
    across, away = (np.linspace(0.0, length, count) for length, count in zip(table_mm, MAP_NODES, strict=True))
    return np.stack(np.meshgrid(across, away), axis=-1)


def map_lens_error(lens: Lens, stand: TableUnderCamera, *, misfit_px: float = 0.0) -> LensErrorMap:
    """Return the error to expect at places all over a table.

    Args:
        lens: the lens with its covariance.
        stand: the table and the camera.
        misfit_px: what the lens leaves unexplained beyond the noise of single corners, root mean square length.

    """
    places_mm = build_grid_mm(stand.table_mm)
    points_mm = np.column_stack([places_mm.reshape(-1, 2), np.zeros(places_mm.size // 2)])
    answer, steps_mm = compute_response(lens, stand, points_mm)
    variances = np.einsum("nip,pq,niq->n", answer, lens.covariance, answer)
    variances += misfit_px**2 / 2 * (steps_mm**2).sum(axis=(1, 2))
    return LensErrorMap(stand=stand, places_mm=places_mm, errors_mm=np.sqrt(variances).reshape(places_mm.shape[:2]))


def compute_response(lens: Lens, stand: TableUnderCamera, points_mm: Floats) -> tuple[Floats, Floats]:
    """(n, 2, 9) how far places are missed by each parameter that is wrong, and (n, 2, 2) millimetres by pixels."""
    parameters = np.concatenate([stand.pose, lens.parameters])
    at_anchors = project(stand.anchors_mm, parameters, lens.model)[1].reshape(-1, 15)
    pose_follows = -np.linalg.lstsq(at_anchors[:, :6], at_anchors[:, 6:], rcond=None)[0]
    here = project(points_mm, parameters, lens.model)[1]
    steps_mm = np.linalg.inv(_build_camera(lens, stand.pose).scale_px_per_mm(points_mm))
    return np.asarray(-steps_mm @ (here[:, :, 6:] + here[:, :, :6] @ pose_follows)), np.asarray(steps_mm)


def compute_displacement_mm(true: Lens, taken: Lens, stand: TableUnderCamera, points_mm: Floats) -> Floats:
    """(n, 2) by how much places on the table are missed when one lens is true and another is taken for it."""
    seen_px, _ = project(stand.anchors_mm, np.concatenate([stand.pose, true.parameters]), true.model)
    pose = stand.pose.copy()
    for _ in range(20):
        pixels, slope = project(stand.anchors_mm, np.concatenate([pose, taken.parameters]), taken.model)
        step = np.linalg.lstsq(slope.reshape(-1, 15)[:, :6], (seen_px - pixels).ravel(), rcond=None)[0]
        pose = pose + step
        if np.abs(step).max() < 1e-9:
            break
    points_px, _ = project(points_mm, np.concatenate([stand.pose, true.parameters]), true.model)
    return np.asarray(_build_camera(taken, pose).table_from_image(points_px, points_mm[:, 2]) - points_mm[:, :2])


def _build_camera(lens: Lens, pose: Floats) -> CameraOverTable:
    return CameraOverTable(
        lens=lens,
        rotation=pose[:3],
        translation_mm=pose[3:],
        covariance=np.zeros((15, 15)),
        bleed_px=0.0,
        sigma_px=0.0,
    )


LensAgreement = Literal["agree", "open", "disagree"]
LENS_AGREEMENTS: tuple[LensAgreement, ...] = ("agree", "open", "disagree")
RAYS_ACROSS, MOST_STEPS = 15, 50
"""By so many rays across a picture and down it lenses of two models are held to each other, in no more steps."""
LIKELY, UNLIKELY = 0.05, 0.0027
"""How probable it is that lenses of one camera lie further apart: two and three standard deviations of one number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensComparison:
    """How two lenses differ, the second against the first."""

    outcome: LensAgreement
    differences: Floats
    """(9,) of the parameters, in the order of LENS_PARAMETERS."""
    sigmas: Floats
    """(9,) the standard deviations of the differences."""
    chi2: float
    """Of all differences together, with 9 degrees of freedom."""
    probability: float
    """That lenses of one camera lie further apart than this."""
    typical_mm: float
    """Root mean square distance, all over the table, between where the two see the same thing."""
    worst_mm: float
    typical_px: float
    worst_px: float
    expected_mm: float
    """What ``typical_mm`` is expected to be for lenses of one camera: from their covariances."""


def express_as_fisheye(lens: Lens) -> Lens:
    """Return the fisheye lens that shows what a lens shows at the nearest pixels, as surely known.

    Numbers of two models are of different things, and only those of one can be compared.
    """
    if lens.model is LensModel.FISHEYE:
        return lens
    width, height = lens.image_size
    across, down = np.meshgrid(np.linspace(0, width - 1, RAYS_ACROSS), np.linspace(0, height - 1, RAYS_ACROSS))
    rays = unproject(np.column_stack([across.ravel(), down.ravel()]), lens.parameters, lens.model)
    here = np.zeros(6)
    shown_px, by_lens = project(rays, np.concatenate([here, lens.parameters]), lens.model)
    parameters = np.concatenate([lens.parameters[:4], np.zeros(5)])
    for _ in range(MOST_STEPS):
        pixels, slope = project(rays, np.concatenate([here, parameters]), LensModel.FISHEYE)
        by_fisheye = slope[:, :, 6:].reshape(-1, 9)
        step = np.linalg.lstsq(by_fisheye, (shown_px - pixels).ravel(), rcond=None)[0]
        parameters = parameters + step
        if np.abs(step).max() < 1e-9:
            break
    follows = np.linalg.lstsq(by_fisheye, by_lens[:, :, 6:].reshape(-1, 9), rcond=None)[0]
    covariance = follows @ lens.covariance @ follows.T
    return replace(lens, parameters=parameters, covariance=covariance, model=LensModel.FISHEYE)


def compare_lens_pair(one: Lens, other: Lens, stand: TableUnderCamera | None = None) -> LensComparison:
    """Compare two lenses; they are independent measurements.

    Where only one is a fisheye lens, the numbers compared are of the other as the fisheye that is nearest to it.

    Raises:
        Unsolvable: they are for pictures of different sizes.

    """
    if one.image_size != other.image_size:
        (a, b), (c, d) = one.image_size, other.image_size
        raise Unsolvable(f"one is for pictures of {a}x{b}, the other of {c}x{d}; compare lenses of one resolution")
    stand = place_table_under(one) if stand is None else stand
    first, second = (one, other) if one.model is other.model else (express_as_fisheye(one), express_as_fisheye(other))
    differences = second.parameters - first.parameters
    covariance = first.covariance + second.covariance
    sigmas = np.sqrt(np.diag(covariance))
    whitened = differences / sigmas
    chi2 = float(whitened @ np.linalg.solve(covariance / np.outer(sigmas, sigmas), whitened))
    places = build_grid_mm(stand.table_mm).reshape(-1, 2)
    points_mm = np.column_stack([places, np.zeros(len(places))])
    apart_mm = compute_displacement_mm(one, other, stand, points_mm)
    answer, steps_mm = compute_response(first, stand, points_mm)
    lengths_mm = np.linalg.norm(apart_mm, axis=1)
    lengths_px = np.linalg.norm(np.linalg.solve(steps_mm, apart_mm[:, :, None])[:, :, 0], axis=1)
    expected = np.einsum("nip,pq,niq->n", answer, covariance, answer)
    probability = chi_square_tail(chi2)
    return LensComparison(
        outcome="agree" if probability >= LIKELY else "open" if probability >= UNLIKELY else "disagree",
        differences=differences,
        sigmas=sigmas,
        chi2=chi2,
        probability=probability,
        typical_mm=float(np.sqrt((lengths_mm**2).mean())),
        worst_mm=float(lengths_mm.max()),
        typical_px=float(np.sqrt((lengths_px**2).mean())),
        worst_px=float(lengths_px.max()),
        expected_mm=float(np.sqrt(expected.mean())),
    )


def chi_square_tail(chi2: float) -> float:
    """Return the probability that chi-square with 9 degrees of freedom exceeds a value.

    >>> round(beyond(16.919), 4)
    0.05
    """
    term, total = math.sqrt(chi2), 0.0
    for odd in (3, 5, 7, 9):
        total += term
        term *= chi2 / odd
    return math.erfc(math.sqrt(chi2 / 2)) + math.sqrt(2 / math.pi) * math.exp(-chi2 / 2) * total


Level = Literal["good", "usable", "poor"]
LEVELS: tuple[Level, ...] = ("good", "usable", "poor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that speaks for or against a lens."""

    level: Level
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LensJudgement:
    """What to think of a lens: as much as of its weakest side."""

    level: Level
    reasons: tuple[Reason, ...]
    """The weakest first."""


def judge_lens(fit: LensFit, on_table: LensErrorMap, same_camera: LensComparison | None = None) -> LensJudgement:
    """Judge a lens by what it is off on the table, what it was tried on, and what it was measured from.

    How small the error in the pictures of the fit is does not count: a lens can fit its own pictures and be wrong.
    """
    reasons = sorted(_list_reasons(fit, on_table, same_camera), key=lambda reason: -LEVELS.index(reason.level))
    return LensJudgement(level=reasons[0].level, reasons=tuple(reasons))


FEW_VIEWS = 8
"""With fewer, what is held out and what is dropped says little."""


def _list_reasons(fit: LensFit, on_table: LensErrorMap, same_camera: LensComparison | None) -> Iterator[Reason]:
    yield Reason(
        level=_grade(on_table.worst_mm, good=0.5, usable=1.5),
        sentence=f"on the table it is expected to be off by {on_table.typical_mm:.2f} mm,"
        f" and by {on_table.worst_mm:.2f} mm where it is worst",
    )
    doubt = float(np.sqrt(fit.lens.covariance[0, 0]) / fit.lens.parameters[0])
    if len(fit.views) < FEW_VIEWS:
        yield Reason(
            level="usable",
            sentence=f"it rests on {len(fit.views)} pictures only, which leave its focal length open by"
            f" {100 * doubt:.2f} %; a dozen are good",
        )
    more = fit.held_out_px / max(fit.rms_px, 1e-6)
    yield Reason(
        level=_grade(more, good=1.25, usable=1.6),
        sentence=f"in pictures held out of the fit its error is {more:.2f} times that in pictures of the fit"
        + (": more pictures are needed" if more > 1.25 else ""),
    )
    odd = len(fit.dropped_odd)
    if odd:
        view_count = odd + len(fit.views)
        yield Reason(
            level=_grade(odd / view_count, good=0.15, usable=0.34),
            sentence=f"{odd} of the {view_count} pictures that show the board did not fit the others and were dropped",
        )
    empty = fit.coverage.empty_parts
    yield Reason(
        level=_grade(len(empty), good=1, usable=4),
        sentence=f"no picture shows the board in these parts: {', '.join(empty)}"
        if empty
        else "the board was seen in every part of the picture",
    )
    least, most = fit.coverage.tilts_deg
    yield Reason(
        level=_grade(-most, good=-25, usable=-12),
        sentence=f"the board was tilted by {least:.0f} to {most:.0f} degrees"
        + ("; tilt it by 30 and more in some pictures" if most < 25 else ""),
    )
    if fit.inflation > 9:
        yield Reason(
            level="usable",
            sentence=f"the pictures contradict each other: what they say of the lens lies"
            f" {fit.inflation**0.5:.1f} times as far apart as their corners let expect; the board was not flat,"
            " the pictures were not still, or the camera focused anew in between",
        )
    if same_camera is not None and same_camera.outcome != "agree":
        yield Reason(
            level="poor" if same_camera.outcome == "disagree" else "usable",
            sentence="it disagrees with the other lens of the same camera"
            if same_camera.outcome == "disagree"
            else "it is doubtful whether it agrees with the other lens of the same camera",
        )


def _grade(value: float, *, good: float, usable: float) -> Level:
    return "good" if value <= good else "usable" if value <= usable else "poor"
