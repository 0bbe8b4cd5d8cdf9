"""Anchor sizes: what the prints of anchors measure on the table, by where they lie, against what is said of them.

How far anchors lie apart tells what a millimetre is, and so how large their squares are: a printer that scaled the
page, or an edge that was entered wrong, shows as squares that are all as many times larger or smaller.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.spaces import Floats
from calibration.table.anchor_layout import PRINT_SIGMA, StatedAnchor
from calibration.table.bundle_adjustment import AnchorSighting, TableFit

BLEED_PX = 0.25
"""By how much edges may seem to lie farther out than they do, one standard deviation: light spills."""
SURE_SIGMAS = 3.0
LEAST_SHARE = 0.03
"""A size is held for wrong where it is off by so many standard deviations, and by this share."""
ALIKE_SHARE = 0.03
"""Sizes that are wrong by the same share, give or take this, have one cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSize:
    """An anchor that looks larger or smaller than it is said to be."""

    tag: int
    stated_mm: float
    size_mm: float
    """The edge that fits what is seen."""
    sigma: float
    """Standard deviation of it, as a share."""

    @property
    def share(self) -> float:
        """By which share it is larger than it is said to be."""
        return self.size_mm / self.stated_mm - 1

    @property
    def text(self) -> str:
        """How large it looks, in a few words."""
        return f"{self.size_mm:.1f} ± {self.size_mm * self.sigma:.1f} mm large, not {self.stated_mm:g} mm"


def find_wrong_sizes(fit: TableFit, pictures: Sequence[AnchorSighting]) -> tuple[WrongSize, ...]:
    """Return the anchors that are not as large as they are said to be, by where all of them lie.

    Args:
        fit: the table as it was solved; it has to rest on more than one anchor's place.
        pictures: what it was solved from.

    """
    measured = [_measure_size(anchor, fit, pictures) for anchor in fit.stated]
    sure = [size for size in measured if abs(size.share) > max(LEAST_SHARE, SURE_SIGMAS * size.sigma)]
    if not sure:
        return ()
    # What by itself would not be sure has the same cause as what is.
    low, high = min(size.share for size in sure) - ALIKE_SHARE, max(size.share for size in sure) + ALIKE_SHARE
    return tuple(size for size in measured if abs(size.share) > LEAST_SHARE and low < size.share < high)


def _measure_size(anchor: StatedAnchor, fit: TableFit, pictures: Sequence[AnchorSighting]) -> WrongSize:
    seen = [
        (camera, picture.squares_px[anchor.tag])
        for camera, picture in zip(fit.cameras, pictures, strict=True)
        if anchor.tag in picture.squares_px
    ]
    edges_mm = [_measure_edge(camera.table_from_image(corners_px, anchor.z_mm)) for camera, corners_px in seen]
    edge_px = float(np.mean([_measure_edge(corners_px) for _, corners_px in seen]))
    return WrongSize(
        tag=anchor.tag,
        stated_mm=anchor.size_mm,
        size_mm=float(np.mean(edges_mm)),
        sigma=math.hypot(2 * BLEED_PX / edge_px, PRINT_SIGMA),
    )


def describe_wrong_sizes(wrong: Sequence[WrongSize], seen: int) -> tuple[str, ...]:
    """Return what is wrong with the sizes of anchors, and what to do: one sentence where they have one cause.

    Args:
        wrong: those anchors.
        seen: how many there are in view.

    """
    shares = [each.share for each in wrong]
    if len(wrong) < 2 or max(shares) - min(shares) > ALIKE_SHARE:
        return tuple(
            f"anchor {each.tag} looks {each.text}: measure the edge of its black square, and enter that as its size_mm"
            for each in wrong
        )
    everyone = "both anchors" if seen == 2 else f"all {seen} anchors"
    whose = f"{everyone if len(wrong) == seen else f'anchors {_list_tags(wrong)}'} look"
    what = wrong[0].text
    if len({each.stated_mm for each in wrong}) > 1:
        what = f"{1 + float(np.mean(shares)):.2f} times as large as their size_mm says"
    return (
        f"{whose} {what}: measure the edge of a black square, and enter that as size_mm, or print them again at 100 %",
    )


def _list_tags(wrong: Sequence[WrongSize]) -> str:
    tags = [str(each.tag) for each in wrong]
    return f"{', '.join(tags[:-1])} and {tags[-1]}"


def _measure_edge(corners: Floats) -> float:
    """Return the mean edge of a square with these (4, 2) corners."""
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
