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
K1_SPREAD, K2_SPREADS, K3_SPREADS = 0.3, (0.01, 0.3), (0.003, 0.2)
"""By how much of its distance from the middle each moves the corner of the picture, usually and where it is opened."""
TANGENTIAL_SPREADS = (4e-4, 4e-3)
BOARD_SPREAD_MM = 0.15
"""By how much a board is bent, `BEND_MM` from its middle, the same way in all views."""


def build_prior(parts: frozenset[LensPart], image_size: tuple[int, int], focal_px: float) -> LensPrior:
    """Return what is taken of a lens and a board before views say anything, where these parts are opened."""
    width, height = image_size
    mean = np.array([0.75 * width, 0.75 * width, (width - 1) / 2, (height - 1) / 2, *np.zeros(SHARED - 4)])
    corner2 = _measure_corner(image_size, focal_px)
    is_wavy = LensPart.RADIAL in parts
    k1, k2, k3 = K1_SPREAD / corner2, K2_SPREADS[is_wavy] / corner2**2, K3_SPREADS[is_wavy] / corner2**3
    centre, tangential = CENTRE_SPREAD * width, TANGENTIAL_SPREADS[LensPart.TANGENTIAL in parts]
    rest = np.array([centre, centre, k1, k2, tangential, tangential, k3, *[BOARD_SPREAD_MM] * (SHARED - 9)])
    information = np.diag([0.0, 0.0, *rest**-2.0])
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


STUDENT_84 = {2: 1.84, 3: 1.32, 4: 1.20, 5: 1.14, 6: 1.11, 7: 1.09, 8: 1.08}
"""Standard errors from so few differences that are worth one from many."""
MOST_CORNER_DOUBT = 0.03
"""Views that leave the picture's corner open by more than this part of its distance do not reach far enough for k2."""
TOLERANCE = 0.08
"""Mean squares that are larger by no more than this part are as good: they say nothing of a lens beyond the views."""


def choose_parts(shares: Sequence[ViewInformation], at: Floats, image_size: tuple[int, int]) -> frozenset[LensPart]:
    """Return the fewest parts that foretell held-out views as well as any, within a standard error of the difference.

    Args:
        shares: what each view says.
        at: (12,) a fit with every part open, where that was linearised.
        image_size: width and height.

    """
    focal_px = float(at[:2].mean())
    trials: list[_Trial] = []
    count = len(shares)
    most = min(len(LensPart), count - 2)  # a few views agree on anything
    for parts in itertools.chain.from_iterable(itertools.combinations(LensPart, size) for size in range(most + 1)):
        prior = build_prior(frozenset(parts), image_size, focal_px)
        if parts and _measure_corner_doubt(shares, prior, image_size, focal_px) > MOST_CORNER_DOUBT:
            continue
        steps = [solve_without(shares, at, prior, number) - at for number in range(len(shares))]
        squares = [_compute_mean_square(share, step) for share, step in zip(shares, steps, strict=True)]
        trials.append(_Trial(parts=frozenset(parts), squares=np.array(squares)))
    best = min(trials, key=lambda trial: trial.squares.mean())

    def is_as_good(trial: _Trial) -> bool:
        apart = trial.squares - best.squares
        error = STUDENT_84.get(count, 1.05) * apart.std(ddof=1) / np.sqrt(count)
        return bool(apart.mean() <= max(error, TOLERANCE * best.squares.mean()))

    return min(filter(is_as_good, trials), key=lambda trial: (len(trial.parts), trial.squares.mean())).parts


def _measure_corner_doubt(
    shares: Sequence[ViewInformation], prior: LensPrior, image_size: tuple[int, int], focal_px: float
) -> float:
    """Return how open the distortion of the picture's corner is, as a part of its distance from the middle."""
    power = _measure_corner(image_size, focal_px) ** np.arange(1, 4)
    bends = np.zeros(SHARED)
    bends[[LENS_PARAMETERS.index(name) for name in ("k1", "k2", "k3")]] = power
    information = np.sum([share.information for share in shares], axis=0) + prior.information
    scale = np.sqrt(np.diag(information))
    scaled = bends / scale
    return float(np.sqrt(scaled @ np.linalg.solve(information / np.outer(scale, scale), scaled)))


def _measure_corner(image_size: tuple[int, int], focal_px: float) -> float:
    """Return the square of how far off the axis the picture's corner looks, in focal lengths."""
    return (image_size[0] ** 2 + image_size[1] ** 2) / (4 * focal_px**2)


def _compute_mean_square(share: ViewInformation, step: Floats) -> float:
    """Return a view's mean square, in units of the corners' variance, a step from where it was linearised."""
    change = 2 * share.pull @ step + step @ share.information @ step
    return float((share.square + change) / share.apart_px.size)
