"""What pictures show of the anchors, as calibration takes it; and whether the anchors are where they are said to be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.adjustment import Sighting
from calibration.examined import Examined
from calibration.places import Laid, TableSize
from calibration.spaces import Lens
from calibration.suspects import examine
from vision.detect import detect, prints_of, whole
from vision.locate import LASTING, MOST_ASTRAY, Anchor
from vision.refine import refine

Floats = NDArray[np.float64]

STILL_PX = 1.0
"""Pictures in which no anchor is farther than this from where another shows it are of a camera that stood still."""
AS_EXAMINED_PX = 0.2
"""Anchors that are no farther than this from where they were examined need not be examined again."""
LARGE = TableSize(width_mm=1e4, depth_mm=1e4, sigma_mm=1.0)
"""Anchors at known places tell nothing of the table's measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorsSeen:
    """The anchors in one picture."""

    sighting: Sighting
    shown_twice: tuple[int, ...]
    """Tags of which two prints are in view; they are not among those seen."""


def anchors_in(name: str, grey: NDArray[np.uint8], tags: frozenset[int]) -> AnchorsSeen:
    """Return what a picture shows of anchors with some ids."""
    by_tag = prints_of(detect(grey, [whole(grey)], tags))
    twice = tuple(sorted(tag for tag, prints in by_tag.items() if len(prints) > 1))
    fits = [f for f in refine(grey, [p[0] for p in by_tag.values() if len(p) == 1]) if f.astray <= MOST_ASTRAY]
    sighting = Sighting(
        name=name,
        squares_px={fit.tag: fit.corners_px for fit in fits},
        noise_px2={fit.tag: fit.covariance_px2 for fit in fits},
    )
    return AnchorsSeen(sighting=sighting, shown_twice=twice)


def merged(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return sightings with those of a camera that stood still averaged: they share most of their errors."""
    stands: list[list[Sighting]] = []
    for sighting in sightings:
        stand = next((stand for stand in stands if _from_one_place(stand[0], sighting)), None)
        if stand is None:
            stands.append([sighting])
        else:
            stand.append(sighting)
    return [_mean(stand) for stand in stands]


def as_examined(then_px: Mapping[int, Floats], now_px: Mapping[int, Floats]) -> bool:
    """Whether the same anchors are where they were when they were examined, (4, 2) corners by tag."""
    return then_px.keys() == now_px.keys() and all(
        np.abs(now_px[tag] - corners).max() < AS_EXAMINED_PX for tag, corners in then_px.items()
    )


def _from_one_place(one: Sighting, other: Sighting) -> bool:
    common = one.squares_px.keys() & other.squares_px.keys()
    far = [float(np.abs(one.squares_px[tag] - other.squares_px[tag]).max()) for tag in common]
    return len(far) > 0 and max(far) < STILL_PX


def _mean(stand: Sequence[Sighting]) -> Sighting:
    squares: dict[int, list[Floats]] = {}
    noise: dict[int, list[Floats]] = {}
    for sighting in stand:
        for tag, square in sighting.squares_px.items():
            squares.setdefault(tag, []).append(square)
            noise.setdefault(tag, []).append(sighting.noise_px2[tag])
    return Sighting(
        name=stand[0].name,
        squares_px={tag: np.mean(found, axis=0) for tag, found in squares.items()},
        noise_px2={
            tag: np.mean(found, axis=0) * (LASTING + (1 - LASTING) / len(found)) for tag, found in noise.items()
        },
    )


def examined(
    lens: Lens,
    anchors: Sequence[Anchor],
    seen_px: Mapping[int, Floats],
    noise_px2: Mapping[int, Floats],
    placement: Floats | None,
) -> Examined:
    """Return which anchors of one view are not as they are said to be.

    Args:
        lens: what is known of the lens.
        anchors: where they are said to lie.
        seen_px: (4, 2) corners by tag.
        noise_px2: (8, 8) their covariance by tag.
        placement: (3n, 3n) joint covariance of all the places; exact where not given.

    """
    sigmas = np.zeros((len(anchors), 3)) if placement is None else np.sqrt(np.diag(placement)).reshape(-1, 3)
    laid = [
        Laid(
            tag=anchor.tag,
            size_mm=anchor.size_mm,
            z_mm=anchor.z_mm,
            x_mm=anchor.x_mm,
            y_mm=anchor.y_mm,
            turn_rad=anchor.facing_rad,
            sigma_mm=float(sigma[:2].max()),
            sigma_rad=float(sigma[2]),
        )
        for anchor, sigma in zip(anchors, sigmas, strict=True)
        if anchor.tag in seen_px
    ]
    there = {anchor.tag: seen_px[anchor.tag] for anchor in laid}
    sighting = Sighting(name="the picture", squares_px=there, noise_px2={t: noise_px2[t] for t in there})
    return examine(lens=lens, laid=laid, table=LARGE, pictures=[sighting])
