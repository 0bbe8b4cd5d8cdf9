"""Where the tags of known bases are looked for in the next picture."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.detect import Region, around
from vision.track import Track

WIDENING = (1.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0)
"""By how much more than its own motion the search for a tag allows, after so many frames that missed it."""
WIDEST_PX = 200.0
"""No search for one tag is wider, for the sake of large pictures."""
MOST_WIDE = 2
"""So many tags are searched for so widely in one frame, those missed last at first; the scan finds the others."""
PUSHED = 0.01
"""The search for a missed tag allows for at least this share of the picture's width, before it is widened: a hand does
not go slower where tags are small."""


def searched_widely(tracks: Mapping[int, Track]) -> set[int]:
    """Return the tags that may have been pushed away since they were last seen, a moment ago."""
    missed = sorted((track.missed, tag) for tag, track in tracks.items() if 0 < track.missed < len(WIDENING))
    return {tag for _, tag in missed[:MOST_WIDE]}


def search(track: Track, grey: NDArray[np.uint8], *, wide: bool) -> Region:
    """Return where a base's tag may be in the next picture.

    It is wider at once for a tag that was missed, since a hand may have pushed it away faster than any margin grows.
    A tag that stays hidden is looked for where it was; the tiles find it elsewhere.
    """
    size_px = float(np.ptp(track.corners_px, axis=0).max())
    ahead = track.corners_px if track.missed else track.corners_px + track.step_px
    margin_px = 0.35 * size_px + 3 + float(np.abs(track.step_px).max())
    if wide:
        margin_px = min(WIDENING[track.missed] * max(margin_px, PUSHED * grey.shape[1]), WIDEST_PX)
    return around(ahead, margin_px, grey)
