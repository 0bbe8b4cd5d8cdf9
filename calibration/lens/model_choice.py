"""Model choice: how much of a lens is left open to its views, and what is taken of the rest.

Every parameter begins with what is known of ordinary cameras.  Those that few cameras need are opened only if views
that are held out are foretold better with them: the fewest that foretell them as well as any.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from calibration.lens.bundle_adjustment import SHARED, LensPrior, ViewInformation
from calibration.spaces import LENS_PARAMETERS, Floats


class LensPart(StrEnum):
    """What of a lens may be opened, named by its parameters."""

    ASPECT = "fx fy"
    RADIAL = "k2 k3"
    TANGENTIAL = "p1 p2"


EVERY_PART = frozenset(LensPart)
FOCAL_SPREAD = 0.5
"""Standard deviation of the focal length, as a part of it: open."""
ASPECT_SPREADS = (3e-4, 5e-3)
"""How much longer one focal length is than the other, as a part: usually, and where it is opened."""
CENTRE_SPREAD = 0.015
"""How far the optical axis meets the picture off its middle, as a part of its width."""
RADIAL_SHAPES = np.array([(2, -6, 12), (0, 6, -30), (0, 0, 20)])
"""What the square, the fourth and the sixth power of the distance from the middle, which is 1 in the picture's corner,
have in the first, second and third of its Legendre polynomials."""
WEBCAM_WAVES = np.array([0.012, 0.006])
"""By how much of that distance webcams shift a place in the second and the third, one standard deviation each."""
FIRST_SPREAD, SIMPLE_SHARE = 0.15, 0.25
"""The first is open; and a lens of which views do not tell the other two is taken to have so much of a webcam's."""
TANGENTIAL_SPREADS = (1e-3, 4e-3)
BOARD_SPREAD_MM = 0.15
"""By how much a board is bent, `BEND_MM` from its middle, the same way in all views."""


def build_prior(parts: frozenset[LensPart], image_size: tuple[int, int], focal_px: float) -> LensPrior:
    """Return what is taken of a lens and a board before views say anything, where these parts are opened."""
    width, height = image_size
    mean = np.array([0.75 * width, 0.75 * width, (width - 1) / 2, (height - 1) / 2, *np.zeros(SHARED - 4)])
    centre, tangential = CENTRE_SPREAD * width, TANGENTIAL_SPREADS[LensPart.TANGENTIAL in parts]
    rest = np.array([centre, centre, np.inf, np.inf, tangential, tangential, np.inf, *[BOARD_SPREAD_MM] * (SHARED - 9)])
    information = np.diag([0.0, 0.0, *rest**-2.0])
    radial = [LENS_PARAMETERS.index(name) for name in ("k1", "k2", "k3")]
    waves = WEBCAM_WAVES * (1.0 if LensPart.RADIAL in parts else SIMPLE_SHARE)
    corner2 = (width**2 + height**2) / (4 * focal_px**2)
    bend = RADIAL_SHAPES * (FIRST_SPREAD, *waves) / corner2 ** np.arange(1, 4)[:, None]
    information[np.ix_(radial, radial)] = np.linalg.inv(bend @ bend.T)
    both, apart = np.array([0.5, 0.5]), np.array([1.0, -1.0])
    information[:2, :2] = np.outer(both, both) / (FOCAL_SPREAD * focal_px) ** 2
    information[:2, :2] += np.outer(apart, apart) / (ASPECT_SPREADS[LensPart.ASPECT in parts] * focal_px) ** 2
    return LensPrior(mean=mean, information=information)


TOLD_SHARE = 0.5
"""A parameter counts as estimated if views leave less than this part of its standard deviation."""


def name_estimated(covariance: Floats, prior: LensPrior) -> tuple[str, ...]:
    """Return the parameters that views told, ``f`` for both focal lengths in one; of a lens's (9, 9) covariance."""
    before = np.linalg.inv(prior.information)[:9, :9]
    told = np.diag(covariance) < TOLD_SHARE**2 * np.diag(before)
    apart = np.array([1.0, -1.0])
    has_aspect = apart @ covariance[:2, :2] @ apart < TOLD_SHARE**2 * (apart @ before[:2, :2] @ apart)
    names = tuple(name for name, is_told in zip(LENS_PARAMETERS[2:], told[2:], strict=True) if is_told)
    return ("fx", "fy", *names) if has_aspect else ("f", *names)


def solve_without(shares: Sequence[ViewInformation], at: Floats, prior: LensPrior, without: int) -> Floats:
    """(12,) what all views but one come to, by one step from where they were linearised.

    Args:
        shares: what each view says.
        at: (12,) where that was linearised.
        prior: what is taken of it before.
        without: the number of the view that is left out.

    """
    told = [share for number, share in enumerate(shares) if number != without]
    curvature = np.sum([share.information for share in told], axis=0) + prior.information
    slope = np.sum([share.pull for share in told], axis=0) + prior.information @ (at - prior.mean)
    scale = np.sqrt(np.diag(curvature))
    return np.asarray(at - np.linalg.solve(curvature / np.outer(scale, scale), slope / scale) / scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """What is opened, and how well each view is foretold by a fit to the others."""

    parts: frozenset[LensPart]
    squares: Floats
    """(views,) in units of the variance of the corners, for each coordinate."""


STUDENT_84 = {5: 1.14, 6: 1.11, 7: 1.09, 8: 1.08}
"""Standard errors from so few differences that are worth one from many."""
CHOOSING_VIEWS = 5
"""Fewer agree on anything, and close nothing: what they leave open is as in any webcam."""
TOLERANCE = 0.08
"""Mean squares that are larger by no more than this part are as good: they say nothing of a lens beyond the views."""


def choose_parts(shares: Sequence[ViewInformation], at: Floats, image_size: tuple[int, int]) -> frozenset[LensPart]:
    """Return the fewest parts that foretell held-out views as well as any, within a standard error of the difference.

    Args:
        shares: what each view says.
        at: (12,) a fit with every part open, where that was linearised.
        image_size: width and height.

    """
    count = len(shares)
    if count < CHOOSING_VIEWS:
        return EVERY_PART
    focal_px = float(at[:2].mean())
    trials: list[_Trial] = []
    for parts in itertools.chain.from_iterable(
        itertools.combinations(LensPart, size) for size in range(len(LensPart) + 1)
    ):
        prior = build_prior(frozenset(parts), image_size, focal_px)
        steps = [solve_without(shares, at, prior, number) - at for number in range(len(shares))]
        squares = [_compute_mean_square(share, step) for share, step in zip(shares, steps, strict=True)]
        trials.append(_Trial(parts=frozenset(parts), squares=np.array(squares)))
    best = min(trials, key=lambda trial: trial.squares.mean())

    def is_as_good(trial: _Trial) -> bool:
        apart = trial.squares - best.squares
        error = STUDENT_84.get(count, 1.05) * apart.std(ddof=1) / np.sqrt(count)
        return bool(apart.mean() <= max(error, TOLERANCE * best.squares.mean()))

    return min(filter(is_as_good, trials), key=lambda trial: (len(trial.parts), trial.squares.mean())).parts


def _compute_mean_square(share: ViewInformation, step: Floats) -> float:
    """Return a view's mean square, in units of the corners' variance, a step from where it was linearised."""
    change = 2 * share.pull @ step + step @ share.information @ step
    return float((share.square + change) / share.apart_px.size)
