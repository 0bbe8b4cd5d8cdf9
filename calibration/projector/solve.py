"""The projector solve: a fit to tags that it threw on the table, with as much of a lens as proves to help.

One fit is robust against tags that do not belong to the others.  How much of a lens is taken is decided by tags held
out of the fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.least_squares import solve_least_squares
from calibration.projector.model import Floats, ProjectorOverTable, cast_light, radius_px

CENTRE_SIGMA_SHARE = 0.5
"""Of a principal point, as a share of the picture's size: a lens shift may put it on the picture's edge."""
LENS_SIGMA = (0.15, 0.08, 0.01, 0.01)
"""Of k1, k2, p1, p2 as lenses are made, where distances are counted in half diagonals."""
BLEED_SIGMA_PX = 1.0
"""Light spills over edges: a dark square seems smaller, by the same amount on every side."""
ROUNDS, AGAIN = 5, 3
DOUBTFUL_RATIO = 2.5
"""A tag so many times farther off than is usual counts half."""
LEAST_SIGMA_MM = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedTag:
    """A tag of light: where it was thrown from, and where it was seen to fall."""

    tag: int
    pixels: Floats
    """(4, 2) corners of its dark square in the projector's picture, counter-clockwise seen on the table."""
    places_mm: Floats
    """(4, 2) where the camera sees them on the table."""
    covariance_mm2: Floats
    """(8, 8) of these, from the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedParameters:
    """Parameters and what is left."""

    parameters: Floats
    covariance: Floats
    bleed_px: float


def measure_centres_off_mm(tags: Sequence[ProjectedTag], parameters: Floats, image_size: tuple[int, int]) -> Floats:
    """(n, 2) how far each tag's centre is seen from where it should be, mm; bleeding edges do not move it."""
    places = np.concatenate([tag.places_mm for tag in tags])
    projector = ProjectorOverTable(image_size=image_size, parameters=parameters, covariance=np.zeros((14, 14)))
    off_px = projector.projector_from_table(places) - np.concatenate([tag.pixels for tag in tags])
    off_mm = np.linalg.solve(projector.scale_px_per_mm(places), off_px[:, :, None])
    return np.asarray(off_mm.reshape(-1, 4, 2).mean(axis=1))


def fit_once(
    tags: Sequence[ProjectedTag],
    image_size: tuple[int, int],
    free: tuple[int, ...],
    start: FittedParameters | None = None,
) -> FittedParameters:
    """Fit the homography and the parameters that are free; from another fit it takes fewer rounds."""
    places, pixels = np.array([tag.places_mm for tag in tags]), np.array([tag.pixels for tag in tags])
    noise_mm2 = np.array([tag.covariance_mm2 for tag in tags]) + LEAST_SIGMA_MM**2 * np.eye(8)
    inward = -_compute_outward_steps(pixels).reshape(-1, 8)
    unit_px = radius_px(image_size)
    opened = np.array([*range(8), *free])
    prior, sigma = _build_prior(image_size)
    spread = sigma[opened]
    information = np.zeros((len(opened) + 1, len(opened) + 1))
    information[8:-1, 8:-1] = np.diag(spread[8:] ** -2.0)
    information[-1, -1] = BLEED_SIGMA_PX**-2
    parameters, bleed_px = (start.parameters, start.bleed_px) if start else (prior.copy(), 0.0)
    if start is None:
        parameters[:8] = _guess_homography(places.reshape(-1, 2), pixels.reshape(-1, 2))
    weight, covariance = np.ones(len(tags)), np.zeros((14, 14))
    for _ in range(ROUNDS if start is None else AGAIN):
        projector = ProjectorOverTable(image_size=image_size, parameters=parameters, covariance=covariance)
        local = np.zeros((len(tags), 8, 8))
        steps = projector.scale_px_per_mm(places.reshape(-1, 2)).reshape(-1, 4, 2, 2)
        for k in range(4):
            local[:, 2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = steps[:, k]
        whitening = np.linalg.inv(np.linalg.cholesky(local @ noise_mm2 @ local.transpose(0, 2, 1)))
        whitening *= np.sqrt(weight)[:, None, None]

        def residuals(now: Floats, whitening: Floats = whitening) -> tuple[Floats, Floats]:
            whole = prior.copy()
            whole[opened] = now[:-1]
            predicted, slope = cast_light(places.reshape(-1, 2), whole, unit_px)
            off = (predicted - pixels.reshape(-1, 2)).reshape(-1, 8) - now[-1] * inward
            slopes = np.concatenate([slope[:, :, opened].reshape(-1, 8, len(opened)), -inward[:, :, None]], axis=2)
            return (whitening @ off[:, :, None]).ravel(), (whitening @ slopes).reshape(-1, len(opened) + 1)

        solution = solve_least_squares(
            residuals=residuals,
            start=np.append(parameters[opened], bleed_px),
            prior=np.append(prior[opened], 0.0),
            information=information,
        )
        parameters, bleed_px = prior.copy(), float(solution.parameters[-1])
        parameters[opened] = solution.parameters[:-1]
        off_mm = np.linalg.norm(measure_centres_off_mm(tags, parameters, image_size), axis=1)
        usual = max(LEAST_SIGMA_MM, 1.48 * float(np.median(off_mm)))
        weight = 1 / (1 + (off_mm / (DOUBTFUL_RATIO * usual)) ** 2)
        # What tags are off beyond their pictures' noise is another for each tag: the floor learns it.
        noise_mm2 = np.array([tag.covariance_mm2 for tag in tags]) + _build_shared_covariance(usual)
        covariance[np.ix_(opened, opened)] = solution.covariance[:-1, :-1]
    return FittedParameters(parameters=parameters, covariance=covariance, bleed_px=bleed_px)


def _build_shared_covariance(sigma_mm: float) -> Floats:
    """(8, 8) covariance of a tag whose corners are all off by the same unknown step, and a little each."""
    whole = np.kron(np.ones((4, 4)), np.eye(2)) * (sigma_mm**2 / 2)
    return np.asarray(whole + (0.3 * sigma_mm + LEAST_SIGMA_MM) ** 2 * np.eye(8))


def _build_prior(image_size: tuple[int, int]) -> tuple[Floats, Floats]:
    """(14,) what is known of a projector that nobody has measured, and (14,) how surely; the homography is open."""
    width, height = image_size
    middle = [(width - 1) / 2, (height - 1) / 2]
    mean = np.array([*[0.0] * 8, *middle, 0.0, 0.0, 0.0, 0.0])
    return mean, np.array([*[np.inf] * 8, CENTRE_SIGMA_SHARE * width, CENTRE_SIGMA_SHARE * height, *LENS_SIGMA])


def _guess_homography(places: Floats, pixels: Floats) -> Floats:
    """(8,) a homography that most corners agree to."""
    rows = np.array(cv2.findHomography(places, pixels, cv2.LMEDS)[0], dtype=np.float64)
    if rows.shape != (3, 3) or not np.isfinite(rows).all() or abs(rows[2, 2]) < 1e-12:
        raise Unsolvable("the projected tags fit no projector; take away what stands in the light and try again")
    return np.asarray((rows / rows[2, 2]).ravel()[:8])


def _compute_outward_steps(squares: Floats) -> Floats:
    """(n, 4, 2) how far each corner moves when every edge moves outward by one pixel, whichever way round it goes."""
    along = np.roll(squares, -1, axis=1) - squares
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    return np.asarray(np.roll(along, 1, axis=1) - along)


LEAST_TAGS = 6
"""A homography takes four; two more tell whether it is right."""
FOLDS = 6
LENSES: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    ("flat", LEAST_TAGS, ()),
    ("radial", 10, (10,)),
    ("off-axis", 16, (8, 9, 10)),
    ("off-axis, two terms", 20, (8, 9, 10, 11)),
    ("full", 24, (8, 9, 10, 11, 12, 13)),
)
"""By name: the tags that it takes, and which of the parameters are free besides the homography."""
OUTLIER_RATIO = 6.0
"""A tag so many times farther off than is usual is left out."""
CLEAR_GAIN = 0.75
"""A lens that makes the error in tags held out so much smaller is taken."""
LINE_SHARE = 0.08
"""Tags whose spread across is a smaller share of the table than this lie on a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectorFit:
    """A projector, and how well it foretells tags that the fit had not seen."""

    projector: ProjectorOverTable
    lens: str
    """A name in LENSES: as much of a lens as made the error in tags held out smaller."""
    bleed_px: float
    """How far inside of its true place the edge of a dark square is seen, projector px."""
    tags: tuple[int, ...]
    """That the fit rests on."""
    dropped: tuple[int, ...]
    """That do not belong to the others."""
    places_mm: Floats
    """(n, 2) the centres of the tags of the fit."""
    held_out_mm: Floats
    """(n, 2) how far from its centre each of them is seen, when the fit is made without it."""
    tried_mm: dict[str, float]
    """Root mean square of that, by the name of each lens that was tried."""
    doubt_mm: float
    """Standard deviation where on the table it is largest, as far as the light reaches: far from all tags.  The lens
    is taken to be as unknown as the tags leave it, whichever was chosen."""
    doubt_at_mm: tuple[float, float]

    @property
    def mean_mm(self) -> float:
        """How far light that the fit had not seen is off, on average."""
        return float(np.linalg.norm(self.held_out_mm, axis=1).mean())

    @property
    def worst_mm(self) -> float:
        """How far at the worst of the tags."""
        return float(np.linalg.norm(self.held_out_mm, axis=1).max())

    @property
    def worst_at_mm(self) -> tuple[float, float]:
        """Where that is."""
        x, y = self.places_mm[np.linalg.norm(self.held_out_mm, axis=1).argmax()]
        return float(x), float(y)


def solve_projector(
    tags: Sequence[ProjectedTag], image_size: tuple[int, int], table_mm: tuple[float, float]
) -> ProjectorFit:
    """Fit a projector to the tags that it threw.

    Tags that do not belong to the others (on a tower, half on a hand) count less, and are then left out and named.  A
    lens is fitted as far as tags held out of the fit come nearer by it than their scatter explains.

    Args:
        tags: what was seen; one tag may be thrown again elsewhere.
        image_size: width and height of the projector's picture, px.
        table_mm: width and depth.

    Raises:
        Unsolvable: too few tags, or all of them near one line.

    """
    _check_tags(tags, table_mm)
    kept, chosen = list(tags), _choose_lens(tags, image_size)
    for _ in range(2):  # tags at the rim may fit once the worst no longer bend the lens
        off = np.linalg.norm(measure_centres_off_mm(tags, chosen.fitted.parameters, image_size), axis=1)
        usual = max(LEAST_SIGMA_MM, 1.48 * float(np.median(off)))
        good = [tag for tag, mm in zip(tags, off, strict=True) if mm <= OUTLIER_RATIO * usual]
        if len(good) == len(kept):
            break
        _check_tags(good, table_mm)
        kept, chosen = good, _choose_lens(good, image_size)
    fitted = chosen.fitted
    projector = ProjectorOverTable(image_size=image_size, parameters=fitted.parameters, covariance=fitted.covariance)
    # What the tags do not tell of a lens is unknown all the same: where they are far, it shows.
    open_lens = fit_once(kept, image_size, LENSES[-1][2], fitted)
    doubt_mm, doubt_at_mm = _find_largest_doubt(replace(projector, covariance=open_lens.covariance), table_mm)
    return ProjectorFit(
        projector=projector,
        lens=chosen.lens,
        bleed_px=fitted.bleed_px,
        tags=tuple(tag.tag for tag in kept),
        dropped=tuple(tag.tag for tag in tags if not any(tag is other for other in kept)),
        places_mm=np.array([tag.places_mm.mean(axis=0) for tag in kept]),
        held_out_mm=chosen.held_out_mm,
        tried_mm=chosen.tried_mm,
        doubt_mm=doubt_mm,
        doubt_at_mm=doubt_at_mm,
    )


def _find_largest_doubt(
    projector: ProjectorOverTable, table_mm: tuple[float, float]
) -> tuple[float, tuple[float, float]]:
    """Return the largest standard deviation of where light falls on a table, and where that is."""
    along = np.linspace(0.02, 0.98, 13)
    places = np.stack(np.meshgrid(along * table_mm[0], along * table_mm[1]), axis=-1).reshape(-1, 2)
    pixels = projector.projector_from_table(places)
    reached = ((pixels >= 0) & (pixels < projector.image_size)).all(axis=1)
    places = places[reached] if reached.any() else places
    sigma_mm = np.sqrt(np.trace(projector.covariance_mm2(places), axis1=1, axis2=2))
    x, y = places[sigma_mm.argmax()]
    return float(sigma_mm.max()), (float(x), float(y))


def solve_projector_roughly(
    tags: Sequence[ProjectedTag], image_size: tuple[int, int], table_mm: tuple[float, float]
) -> ProjectorOverTable:
    """Fit a projector well enough to aim by, in a moment; nothing is held out.

    Raises:
        Unsolvable: as for `solve_projector`.

    """
    _check_tags(tags, table_mm)
    fitted: FittedParameters | None = None
    for _, least_tags, free in LENSES[:3]:
        if len(tags) >= least_tags:
            fitted = fit_once(tags, image_size, free, fitted)
    assert fitted is not None
    return ProjectorOverTable(image_size=image_size, parameters=fitted.parameters, covariance=fitted.covariance)


def _check_tags(tags: Sequence[ProjectedTag], table_mm: tuple[float, float]) -> None:
    if len(tags) < LEAST_TAGS:
        raise Unsolvable(
            f"{len(tags)} of the projected tags were seen on the table; at least {LEAST_TAGS} are needed,"
            " twenty all over it are better"
        )
    centres = np.array([tag.places_mm.mean(axis=0) for tag in tags])
    across = np.linalg.svd(centres - centres.mean(axis=0), compute_uv=False)[1] / np.sqrt(len(centres))
    if across < LINE_SHARE * min(table_mm):
        raise Unsolvable("the projected tags that were seen lie near one line; tags all over the table are needed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _LensChoice:
    """The lens that foretells tags best."""

    lens: str
    fitted: FittedParameters
    held_out_mm: Floats
    tried_mm: dict[str, float]


def _choose_lens(tags: Sequence[ProjectedTag], image_size: tuple[int, int]) -> _LensChoice:
    """Choose among the lenses by their errors in tags held out."""
    fitted: FittedParameters | None = None
    best: _LensChoice | None = None
    tried: dict[str, float] = {}
    for lens, least_tags, free in LENSES:
        if len(tags) < least_tags:
            break
        fitted = fit_once(tags, image_size, free, fitted)  # each lens begins where the simpler one ended
        off = _measure_held_out(tags, image_size, free, fitted)
        tried[lens] = float(np.sqrt((off**2).sum(axis=1).mean()))
        if best is not None:
            gain = (best.held_out_mm**2).sum(axis=1) - (off**2).sum(axis=1)
            # The gain has to be large, or to stand out of its own scatter: fitting better by chance is no proof.
            large = tried[lens] < CLEAR_GAIN * tried[best.lens]
            if not large and gain.mean() <= 2 * gain.std() / np.sqrt(len(gain)):
                continue
        best = _LensChoice(lens=lens, fitted=fitted, held_out_mm=off, tried_mm=tried)
    assert best is not None
    return best


def _measure_held_out(
    tags: Sequence[ProjectedTag], image_size: tuple[int, int], free: tuple[int, ...], whole: FittedParameters
) -> Floats:
    """(n, 2) how far each tag's centre is from where a fit without it, and without some others, foretells it, mm."""
    off = np.empty((len(tags), 2))
    folds = min(FOLDS, len(tags))
    # Neighbours are held out in different turns, so that each fold lies all over the table.
    order = sorted(range(len(tags)), key=lambda i: tuple(np.round(tags[i].pixels.mean(axis=0)[::-1] / 16)))
    for fold in range(folds):
        out = order[fold::folds]
        fitted = fit_once([tag for i, tag in enumerate(tags) if i not in out], image_size, free, whole)
        off[out] = measure_centres_off_mm([tags[i] for i in out], fitted.parameters, image_size)
    return off
