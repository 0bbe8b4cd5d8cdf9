"""Enrolment sheet: where a tag is in a base, and how high, from pictures of a model between the tags of its sheet.

The sheet is found in the picture, and the model's tag inside it.  The sheet's tags give the base's centre and
front, and the view of the model's tag its offset.  The tag is higher than the paper, so it appears shifted away from
the camera: height times the tangent of the view.  One place tells height only by how large the tag looks, which is
little; a second place, where the view leans another way across the base, tells it by the shift itself.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.least_squares import LeastSquaresSolution, solve_least_squares
from calibration.spaces import CameraOverTable
from calibration.table.camera_pose import remove_bleed
from hardware.printing.sheets import ENROLMENT_TAGS, EnrolmentTag
from vision.tags.pose_estimation import SIDES
from vision.types import TagFit

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

UNIT: Complexes = np.asarray(SIDES / 2, dtype=np.complex128)
"""The corners of a tag in its own frame as complex numbers, for an edge of 1."""
LEAST_TAGS = 4
"""So many tags of the sheet must be seen."""
CORNER_MM = 0.8
"""A tag of the sheet with a corner farther from its place than this is partly hidden, or the sheet is not flat."""
SCALE_LIMIT = 0.012
"""A sheet larger or smaller than this share was not printed true to scale."""
LEAST_SIGMA_PX = 0.02
"""Noise of one coordinate of a small tag's corner in the cleanest of pictures."""
SHAPE_LIMIT = 5.0
"""The model's tag must be a square to so many times the noise of the sheet's."""
SAME_PX = 1.5
"""Pictures in which no corner is farther off than this show the model at one place."""


class EmptySheet(Unsolvable):
    """The sheet is seen, but no model's tag between its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidSheet:
    """Where a sheet lies."""

    x_mm: float
    y_mm: float
    turn_rad: float
    """The place and front of its outline on the table."""
    tags: frozenset[int]
    """Those that lie as they must."""

    def sheet_from_table(self, places: Complexes) -> Complexes:
        """Return places on the table in the outline's frame."""
        return np.asarray((places - complex(self.x_mm, self.y_mm)) * np.exp(-1j * self.turn_rad))


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPlacement:
    """A model on the sheet at one place of the table, as one camera sees it."""

    camera: CameraOverTable
    sheet: LaidSheet
    sheet_px: Mapping[int, Floats]
    """(4, 2) corners by tag, only of those that lie as they must."""
    tag: int
    corners_px: Floats
    """(4, 2) of the model's tag."""


def find_sheet(camera: CameraOverTable, printed: Sequence[EnrolmentTag], fits: Sequence[TagFit]) -> LaidSheet:
    """Return where the sheet lies.

    Raises:
        Unsolvable: too little of the sheet is seen, or it is not the sheet of this base, flat and true to scale.

    """
    corners_px = {tag.tag: tag.corners_px for tag in fits if tag.tag in ENROLMENT_TAGS}
    known = [tag for tag in printed if tag.tag in corners_px]
    if len(known) < LEAST_TAGS:
        raise Unsolvable(
            f"{len(known)} of the sheet's {len(printed)} tags are seen; at least {LEAST_TAGS} are needed: lay the sheet"
            " flat where the camera sees it, and take hands away"
        )
    model = np.array([build_square(complex(tag.x_mm, tag.y_mm), 0.0, tag.size_mm) for tag in known])
    corners = np.array([corners_px[tag.tag] for tag in known])
    places = project_on_plane(camera, corners, 0.0)
    kept = np.ones(len(known), dtype=bool)
    while True:
        centre, ratio = fit_similarity(model[kept].ravel(), places[kept].ravel())
        off_mm = np.where(kept[:, None], np.abs(places - centre - ratio * model), 0.0).max(axis=1)
        if off_mm.max() <= CORNER_MM:
            break
        kept[np.argmax(off_mm)] = False
        if kept.sum() < LEAST_TAGS:
            raise Unsolvable(
                "the sheet's tags do not lie as they must: it has to be the sheet of this very base, printed at 100 %,"
                " flat on the table"
            )
    if abs(abs(ratio) - 1) > SCALE_LIMIT:
        raise Unsolvable(
            f"the sheet looks {100 * abs(ratio):.1f} % of its size: it has to be printed at 100 %, without"
            " fitting to the page, and lie flat on the table"
        )
    return LaidSheet(
        x_mm=float(centre.real),
        y_mm=float(centre.imag),
        turn_rad=float(np.angle(ratio)),
        tags=frozenset(tag.tag for tag, keep in zip(known, kept, strict=True) if keep),
    )


def find_placement(
    camera: CameraOverTable,
    printed: Sequence[EnrolmentTag],
    sheet: LaidSheet,
    fits: Sequence[TagFit],
    anchors: Collection[int],
) -> SheetPlacement:
    """Return what one picture says of the model on the sheet.

    Raises:
        Unsolvable: there is no tag inside the sheet's, more than one, or one that is partly hidden.

    """
    others = [tag for tag in fits if tag.tag not in ENROLMENT_TAGS and tag.tag not in anchors]
    inside = [tag for tag in others if _is_inside(camera, printed, sheet, tag)]
    if not inside:
        raise EmptySheet("no model's tag is seen on the sheet: put the model there, and leave its tag in view")
    if len(inside) > 1:
        ids = " and ".join(str(tag.tag) for tag in inside)
        raise Unsolvable(f"tags {ids} are on the sheet together; only the model that is being enrolled may be there")
    (tag,) = inside
    sheet_px = {d.tag: d.corners_px for d in fits if d.tag in sheet.tags}
    noise_px = max(LEAST_SIGMA_PX, float(np.median([_measure_off_square_px(camera, c) for c in sheet_px.values()])))
    if _measure_off_square_px(camera, tag.corners_px) > SHAPE_LIMIT * noise_px:
        raise Unsolvable(f"tag {tag.tag} on the sheet is partly hidden: clear the camera's view of it")
    return SheetPlacement(camera=camera, sheet=sheet, sheet_px=sheet_px, tag=tag.tag, corners_px=tag.corners_px)


def merge_placements(places: Sequence[SheetPlacement]) -> list[SheetPlacement]:
    """Return the places with those joined that show one and the same: a second picture is no second placing."""
    groups: list[list[SheetPlacement]] = []
    for place in places:
        group = next((group for group in groups if is_same_placement(group[0], place)), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return [average_placements(group) for group in groups]


def is_same_placement(one: SheetPlacement, other: SheetPlacement) -> bool:
    """Tell whether two pictures show the model at one and the same place, at rest."""
    common = one.sheet_px.keys() & other.sheet_px.keys()
    if one.tag != other.tag or len(common) < LEAST_TAGS:
        return False
    off_px = [np.abs(one.sheet_px[tag] - other.sheet_px[tag]).max() for tag in common]
    return bool(max(*off_px, np.abs(one.corners_px - other.corners_px).max()) < SAME_PX)


def average_placements(group: Sequence[SheetPlacement]) -> SheetPlacement:
    """Return the place that some pictures of it show, their noise averaged.

    Raises:
        Unsolvable: too few of the sheet's tags are in all of them.

    """
    common = [tag for tag in group[0].sheet_px if all(tag in place.sheet_px for place in group)]
    if len(common) < LEAST_TAGS:
        raise Unsolvable("too few tags of the sheet are seen all the time: take what hides them away")
    return replace(
        group[0],
        sheet_px={tag: np.mean([place.sheet_px[tag] for place in group], axis=0) for tag in common},
        corners_px=np.mean([place.corners_px for place in group], axis=0),
    )


def _is_inside(camera: CameraOverTable, printed: Sequence[EnrolmentTag], sheet: LaidSheet, tag: TagFit) -> bool:
    centre = sheet.sheet_from_table(project_on_plane(camera, tag.corners_px[None], 0.0)[0]).mean()
    xs, ys = [t.x_mm for t in printed], [t.y_mm for t in printed]
    return bool(min(xs) < centre.real < max(xs) and min(ys) < centre.imag < max(ys))


def _measure_off_square_px(camera: CameraOverTable, corners_px: Floats) -> float:
    """Return how far a tag's corners are from the best square, root mean square of one coordinate in px."""
    corners = project_on_plane(camera, corners_px[None], 0.0)[0]
    centre, ratio = fit_similarity(UNIT, corners)
    off_mm = np.abs(corners - centre - ratio * UNIT)
    size_px = float(np.linalg.norm(corners_px[1] - corners_px[0]))
    return float(np.sqrt((off_mm**2).sum() / 4)) * size_px / abs(ratio)


def build_square(centre: complex, turn_rad: float, size_mm: float) -> Complexes:
    """Return (4,) the corners of a tag as complex numbers, in the order of its own frame."""
    return np.asarray(centre + UNIT * size_mm * np.exp(1j * turn_rad))


def project_on_plane(camera: CameraOverTable, corners_px: Floats, z_mm: float) -> Complexes:
    """(n, 4) places at a height, as complex numbers, of the corners (n, 4, 2) of tags, without their bleed."""
    flat = camera.table_from_image(remove_bleed(corners_px, camera.bleed_px).reshape(-1, 2), z_mm)
    return np.asarray((flat[:, 0] + 1j * flat[:, 1]).reshape(-1, 4))


def fit_similarity(model: Complexes, observed: Complexes) -> tuple[complex, complex]:
    """Return the shift, and the turn with scale, that bring a model nearest to what is seen: shift + turn * model."""
    middle, seen_middle = model.mean(), observed.mean()
    ratio = (observed - seen_middle) @ (model - middle).conj() / (np.abs(model - middle) ** 2).sum()
    return complex(seen_middle - ratio * middle), complex(ratio)


SCALE_SIGMA = 0.002
"""The lens, where it is not known well, stretches the surroundings of a place by so much."""
BLEED_SIGMA_PX = 0.1
"""By so much the edges of these tags may bleed otherwise than those of the anchors."""
PRINT_SIGMA = 0.003
"""Relative, of the size of a printed tag."""
SET_SIGMA_MM = 0.2
SET_SIGMA_RAD = math.radians(0.6)
"""How well a person sets a base into its outline, along each axis, and its front on the arrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeightPrior:
    """What is known of a tag's height above what its base stands on, before anything is seen."""

    mm: float = 5.0
    sigma_mm: float = 6.0
    """The defaults say: a base like most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """Where a model's tag is, as measured."""

    tag: int
    size_mm: float
    x_mm: float
    y_mm: float
    facing_rad: float
    """The tag's centre and turn in the base's frame."""
    height_mm: float
    covariance: Floats
    """(4, 4) of the four."""
    advice: str
    """What would help most, in a sentence; empty if nothing needs to."""

    @property
    def offset_sigma_mm(self) -> float:
        """One standard deviation of the tag's centre, along the axis where it is larger."""
        return math.sqrt(float(np.linalg.eigvalsh(self.covariance[:2, :2])[-1]))

    @property
    def facing_sigma_rad(self) -> float:
        """One standard deviation of the tag's turn."""
        return math.sqrt(float(self.covariance[2, 2]))

    @property
    def height_sigma_mm(self) -> float:
        """One standard deviation of the height."""
        return math.sqrt(float(self.covariance[3, 3]))


def solve_sheet(
    places: Sequence[SheetPlacement], printed: Sequence[EnrolmentTag], size_mm: float, height: HeightPrior | None = None
) -> Enrolment:
    """Solve where the tag is in the base, and how high, from one place or several.

    Args:
        places: pictures of the model on the sheet, at least one.
        printed: the tags that the sheet has round its base.
        size_mm: edge of the black square of the model's tag.
        height: what is known of its height.

    Raises:
        Unsolvable: the places are of different tags, or do not agree.

    """
    height = height or HeightPrior()
    tags = sorted({place.tag for place in places})
    if len(tags) > 1:
        raise Unsolvable(f"the pictures show tags {tags[0]} and {tags[1]} on the sheet; a model has one tag")
    ends = [_Residuals(place, printed, size_mm) for place in places]
    start = np.concatenate([[*_guess_start(places[0], height.mm), height.mm, 0.0, 0.0], *(e.start for e in ends)])
    spread_px = np.mean([_measure_size_px(place) for place in places])
    bleed_px = math.hypot(BLEED_SIGMA_PX, PRINT_SIGMA * spread_px / 2)
    sigmas = np.array([height.sigma_mm, bleed_px, BLEED_SIGMA_PX])
    place_sigmas = np.array([SCALE_SIGMA, SET_SIGMA_MM, SET_SIGMA_MM, SET_SIGMA_RAD])
    free, fixed = np.zeros(3), np.concatenate([[0, 0, 0], place_sigmas**-2])
    information = np.diag(np.concatenate([free, sigmas**-2, *(fixed for _ in ends)]))
    prior = np.concatenate([free, [height.mm, 0.0, 0.0], np.zeros(_OWN * len(ends))])
    sigma_px = LEAST_SIGMA_PX
    solution = None
    for _ in range(2):  # the second time with the noise that the first time found
        solution = solve_least_squares(
            residuals=_join_residuals(ends, sigma_px), start=start, prior=prior, information=information
        )
        start = solution.parameters
        rms = math.sqrt(float(np.mean(solution.residuals**2)))
        sigma_px = max(LEAST_SIGMA_PX, sigma_px * rms)
    assert solution is not None
    x_mm, y_mm, facing_rad, height_mm = (float(value) for value in solution.parameters[:4])
    _check_agreement(solution, len(ends))
    covariance = solution.covariance[:4, :4].copy()
    # Without a calibrated lens the camera's own height is known to some percent, and the tag's no better.
    camera = places[0].camera
    covariance[3, 3] += (height_mm * camera.height_sigma_mm / camera.height_mm) ** 2
    return Enrolment(
        tag=tags[0],
        size_mm=size_mm,
        x_mm=x_mm,
        y_mm=y_mm,
        facing_rad=math.remainder(facing_rad, math.tau),
        height_mm=height_mm,
        covariance=covariance,
        advice=_choose_advice(places, solution.covariance),
    )


_SHARED, _OWN = 6, 7
"""Parameters of the solve: the tag's x, y, turn and height, the bleed of the model's tag and of the sheet's; and for
each place the sheet's x, y and turn, the logarithm of its scale, and how the base is set into the outline."""
_STEPS = np.array([1e-3, 1e-3, 1e-5, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-5, 1e-6, 1e-3, 1e-3, 1e-5])


class _Residuals:
    """How far the corners of one place are from where the parameters put them, px."""

    def __init__(self, place: SheetPlacement, printed: Sequence[EnrolmentTag], size_mm: float) -> None:
        self._camera = place.camera
        tags = [tag for tag in printed if tag.tag in place.sheet_px]
        self._printed = np.array([build_square(complex(tag.x_mm, tag.y_mm), 0.0, tag.size_mm) for tag in tags])
        observed = np.array([*(place.sheet_px[tag.tag] for tag in tags), place.corners_px])
        self._seen_px = remove_bleed(observed, place.camera.bleed_px)
        self._size_mm = size_mm
        self.start = np.array([place.sheet.x_mm, place.sheet.y_mm, place.sheet.turn_rad, 0.0, 0.0, 0.0, 0.0])

    def __call__(self, parameters: Floats) -> Floats:
        x, y, turn, z, bleed, sheet_bleed, sheet_x, sheet_y, sheet_turn, scale, set_x, set_y, set_turn = parameters
        tag = complex(set_x, set_y) + np.exp(1j * set_turn) * build_square(complex(x, y), turn, self._size_mm)
        corners = complex(sheet_x, sheet_y) + np.exp(scale + 1j * sheet_turn) * np.vstack([self._printed, tag])
        heights = np.zeros(corners.shape)
        heights[-1] = z
        points = np.stack([corners.real, corners.imag, heights], axis=-1)
        pixels = self._camera.image_from_table(points.reshape(-1, 3)).reshape(-1, 4, 2)
        predicted = np.concatenate([remove_bleed(pixels[:-1], -sheet_bleed), remove_bleed(pixels[-1:], -bleed)])
        return np.asarray((predicted - self._seen_px).ravel())

    def slope(self, parameters: Floats) -> Floats:
        """(m, 13) derivatives by central differences."""
        columns = []
        for at, step in enumerate(_STEPS):
            shift = np.zeros(len(_STEPS))
            shift[at] = step
            columns.append((self(parameters + shift) - self(parameters - shift)) / (2 * step))
        return np.stack(columns, axis=-1)


def _join_residuals(ends: Sequence[_Residuals], sigma_px: float) -> Callable[[Floats], tuple[Floats, Floats]]:
    def residuals(parameters: Floats) -> tuple[Floats, Floats]:
        offsets, slopes = [], []
        for at, end in enumerate(ends):
            begin = _SHARED + _OWN * at
            place_parameters = np.concatenate([parameters[:_SHARED], parameters[begin : begin + _OWN]])
            slope = end.slope(place_parameters)
            wide = np.zeros((len(slope), len(parameters)))
            wide[:, :_SHARED], wide[:, begin : begin + _OWN] = slope[:, :_SHARED], slope[:, _SHARED:]
            offsets.append(end(place_parameters) / sigma_px)
            slopes.append(wide / sigma_px)
        return np.concatenate(offsets), np.concatenate(slopes)

    return residuals


def _check_agreement(solution: LeastSquaresSolution, places: int) -> None:
    """Raise Unsolvable if a place can only be explained by a base that was set down carelessly."""
    place_parameters = solution.parameters[_SHARED:].reshape(places, _OWN)
    if (
        np.hypot(place_parameters[:, 4], place_parameters[:, 5]).max() > 5 * SET_SIGMA_MM
        or np.abs(place_parameters[:, 6]).max() > 5 * SET_SIGMA_RAD
    ):
        raise Unsolvable(
            "the places do not agree: set the model exactly into the outline each time, its front on the arrow, and"
            " begin again"
        )


def _choose_advice(places: Sequence[SheetPlacement], covariance: Floats) -> str:
    leans = np.array([_compute_lean(place) for place in places])
    offset_mm = math.sqrt(float(np.linalg.eigvalsh(covariance[:2, :2])[-1]))
    height_mm = math.sqrt(float(covariance[3, 3]))
    spread = float(np.abs(leans[:, None] - leans).max())
    if height_mm > 1.0 and spread < 0.4:
        if np.abs(leans).max() > 0.25:
            return (
                "Turn the sheet half round where it lies, and set the model into it again: that tells the tag's height."
            )
        return "Once more far from here, near an edge of the table: that tells the tag's height."
    if height_mm > 1.0 or offset_mm > 0.3:
        return "Once more, set into the outline anew: what a hand does not place exactly averages out."
    return ""


def _compute_lean(place: SheetPlacement) -> complex:
    """Return the tangent of the view, along the base's axes: a tag appears shifted by so much for each mm of height."""
    turn = place.camera.camera_from_table
    eye = -turn.T @ place.camera.translation_mm
    away = complex(place.sheet.x_mm, place.sheet.y_mm) - complex(eye[0], eye[1])
    return complex(away / float(eye[2]) * np.exp(-1j * place.sheet.turn_rad))


def _guess_start(place: SheetPlacement, height_mm: float) -> tuple[float, float, float]:
    corners = place.sheet.sheet_from_table(project_on_plane(place.camera, place.corners_px[None], height_mm)[0])
    centre, ratio = fit_similarity(UNIT, corners)
    return float(centre.real), float(centre.imag), float(np.angle(ratio))


def _measure_size_px(place: SheetPlacement) -> float:
    return float(np.linalg.norm(place.corners_px - np.roll(place.corners_px, 1, axis=0), axis=1).mean())
