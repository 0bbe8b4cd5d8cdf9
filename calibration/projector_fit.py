"""The fit of a projector to tags that it threw on the table, with as much of a lens as proves to help."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.errors import Unsolvable
from calibration.projector import Floats, ProjectorOverTable
from calibration.projector_solve import LEAST_SIGMA_MM, Fitted, ProjectedTag, centres_off_mm, fit_once

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
BAD = 6.0
"""A tag so many times farther off than is usual is left out."""
CLEARLY = 0.75
"""A lens that makes the error in tags held out so much smaller is taken."""
NARROW = 0.08
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
    _check(tags, table_mm)
    kept, chosen = list(tags), _chosen(tags, image_size)
    for _ in range(2):  # tags at the rim may fit once the worst no longer bend the lens
        off = np.linalg.norm(centres_off_mm(tags, chosen.fitted.parameters, image_size), axis=1)
        usual = max(LEAST_SIGMA_MM, 1.48 * float(np.median(off)))
        good = [tag for tag, mm in zip(tags, off, strict=True) if mm <= BAD * usual]
        if len(good) == len(kept):
            break
        _check(good, table_mm)
        kept, chosen = good, _chosen(good, image_size)
    fitted = chosen.fitted
    projector = ProjectorOverTable(image_size=image_size, parameters=fitted.parameters, covariance=fitted.covariance)
    # What the tags do not tell of a lens is unknown all the same: where they are far, it shows.
    open_lens = fit_once(kept, image_size, LENSES[-1][2], fitted)
    doubt_mm, doubt_at_mm = _doubt(replace(projector, covariance=open_lens.covariance), table_mm)
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


def _doubt(projector: ProjectorOverTable, table_mm: tuple[float, float]) -> tuple[float, tuple[float, float]]:
    """Return the largest standard deviation of where light falls on a table, and where that is."""
    along = np.linspace(0.02, 0.98, 13)
    places = np.stack(np.meshgrid(along * table_mm[0], along * table_mm[1]), axis=-1).reshape(-1, 2)
    pixels = projector.projector_from_table(places)
    reached = ((pixels >= 0) & (pixels < projector.image_size)).all(axis=1)
    places = places[reached] if reached.any() else places
    sigma_mm = np.sqrt(np.trace(projector.covariance_mm2(places), axis1=1, axis2=2))
    x, y = places[sigma_mm.argmax()]
    return float(sigma_mm.max()), (float(x), float(y))


def rough_projector(
    tags: Sequence[ProjectedTag], image_size: tuple[int, int], table_mm: tuple[float, float]
) -> ProjectorOverTable:
    """Fit a projector well enough to aim by, in a moment; nothing is held out.

    Raises:
        Unsolvable: as for `solve_projector`.

    """
    _check(tags, table_mm)
    fitted: Fitted | None = None
    for _, least_tags, free in LENSES[:3]:
        if len(tags) >= least_tags:
            fitted = fit_once(tags, image_size, free, fitted)
    assert fitted is not None
    return ProjectorOverTable(image_size=image_size, parameters=fitted.parameters, covariance=fitted.covariance)


def _check(tags: Sequence[ProjectedTag], table_mm: tuple[float, float]) -> None:
    if len(tags) < LEAST_TAGS:
        raise Unsolvable(
            f"{len(tags)} of the projected tags were seen on the table; at least {LEAST_TAGS} are needed,"
            " twenty all over it are better"
        )
    centres = np.array([tag.places_mm.mean(axis=0) for tag in tags])
    across = np.linalg.svd(centres - centres.mean(axis=0), compute_uv=False)[1] / np.sqrt(len(centres))
    if across < NARROW * min(table_mm):
        raise Unsolvable("the projected tags that were seen lie near one line; tags all over the table are needed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The lens that foretells tags best."""

    lens: str
    fitted: Fitted
    held_out_mm: Floats
    tried_mm: dict[str, float]


def _chosen(tags: Sequence[ProjectedTag], image_size: tuple[int, int]) -> _Chosen:
    """Choose among the lenses by their errors in tags held out."""
    fitted: Fitted | None = None
    best: _Chosen | None = None
    tried: dict[str, float] = {}
    for lens, least_tags, free in LENSES:
        if len(tags) < least_tags:
            break
        fitted = fit_once(tags, image_size, free, fitted)  # each lens begins where the simpler one ended
        off = _held_out(tags, image_size, free, fitted)
        tried[lens] = float(np.sqrt((off**2).sum(axis=1).mean()))
        if best is not None:
            gain = (best.held_out_mm**2).sum(axis=1) - (off**2).sum(axis=1)
            # The gain has to be large, or to stand out of its own scatter: fitting better by chance is no proof.
            large = tried[lens] < CLEARLY * tried[best.lens]
            if not large and gain.mean() <= 2 * gain.std() / np.sqrt(len(gain)):
                continue
        best = _Chosen(lens=lens, fitted=fitted, held_out_mm=off, tried_mm=tried)
    assert best is not None
    return best


def _held_out(
    tags: Sequence[ProjectedTag], image_size: tuple[int, int], free: tuple[int, ...], whole: Fitted
) -> Floats:
    """(n, 2) how far each tag's centre is from where a fit without it, and without some others, foretells it, mm."""
    off = np.empty((len(tags), 2))
    folds = min(FOLDS, len(tags))
    # Neighbours are held out in different turns, so that each fold lies all over the table.
    order = sorted(range(len(tags)), key=lambda i: tuple(np.round(tags[i].pixels.mean(axis=0)[::-1] / 16)))
    for fold in range(folds):
        out = order[fold::folds]
        fitted = fit_once([tag for i, tag in enumerate(tags) if i not in out], image_size, free, whole)
        off[out] = centres_off_mm([tags[i] for i in out], fitted.parameters, image_size)
    return off
