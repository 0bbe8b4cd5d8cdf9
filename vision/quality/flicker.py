"""Flicker of lamps: bands over the rows of pictures that a rolling shutter takes by the light of the mains.

Lamps on alternating current brighten twice in each of its turns: 100 or 120 times a second.  Rows that are exposed one
after another see that as bands, which lie elsewhere in every picture unless its rate is in step with the mains.  How
far apart they are tells the readout time, and how they go on from picture to picture tells which mains it is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.tags.row_times import Readout

Floats = NDArray[np.float64]

PICTURES = 8
"""In a row, by which flicker is told."""
ROWS, COLUMNS = 135, 48
"""Of the sample that is taken of a picture."""
BANDS = np.arange(0.6, 6.0, 0.04)
"""In a picture: at least half of one, and more than any readout time makes of the mains."""
LEAST_SHARE = 0.004
"""Of the brightness; what swings by less disturbs nothing."""
EXPLAINED = 0.6
"""Share of what differs from picture to picture that must be bands, so that they are no shadows."""
MAINS_HZ = (50, 60)
MOST_ASTRAY_RAD = math.radians(35)
"""How far bands may go on otherwise than one of the mains makes them."""
DARK = 12.0
"""Grey levels; what is darker tells nothing."""
EVERY_FRAMES, AGAIN_FRAMES, FIRST_FRAME = 240, 60, 12
"""A watch looks for flicker once in so many pictures, sooner where it has been found, to see whether it is cured, and
at first when exposure and focus have settled."""
UNTOLD = 3
"""Flicker is forgotten when it has not been found so often in a row."""
READOUT_SHARE = 0.03
"""By which share a readout time may be off that is told by bands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flicker:
    """How the light of lamps swings."""

    share: float
    """Of the brightness, to either side of its mean, as pictures show it."""
    mains_hz: int | None
    """Of the current; None where it cannot be told."""
    readout: Readout | None
    """What the bands tell of the camera, where the mains is known."""

    @property
    def shutters(self) -> tuple[int, ...]:
        """The exposure times that see whole swings and so none of them: the shorter first, each one over so many s."""
        return tuple(n * mains_hz for mains_hz in ([self.mains_hz] if self.mains_hz else MAINS_HZ) for n in (2, 1))


def sample_rows(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return (ROWS, COLUMNS) of a picture's pixels."""
    height, width = grey.shape
    rows, columns = ((np.arange(count) + 0.5) * size // count for count, size in ((ROWS, height), (COLUMNS, width)))
    return grey[np.ix_(rows.astype(np.intp), columns.astype(np.intp))]


def find_flicker(samples: Sequence[NDArray[np.uint8]], interval_s: float) -> Flicker | None:
    """Return how lamps flicker; None where bands do not tell that they do.

    Args:
        samples: of PICTURES pictures in a row, by `sample_rows`.
        interval_s: from picture to picture.

    """
    levels = np.array(samples, dtype=np.float64)
    told = (levels > DARK).all(axis=0) & (levels < 250).all(axis=0)  # grey levels; what is burnt out shows nothing
    rows = told.sum(axis=1) > COLUMNS / 3
    if np.count_nonzero(rows) < ROWS / 2:
        return None
    # What moves is seen by few columns, which a median passes over.
    brightness = np.log(np.where(told, levels, np.nan)[:, rows])
    gains = np.nanmedian(brightness - brightness.mean(axis=0), axis=2)
    place = (np.flatnonzero(rows) + 0.5) / ROWS
    smooth = np.linalg.qr(np.column_stack([np.ones_like(place), place]))[0]
    gains -= gains @ smooth @ smooth.T  # an exposure that adapts, a cloud
    swings, explained = _fit_bands(gains, place, smooth)
    best = int(explained.argmax())
    share = math.sqrt(float((np.abs(swings[best]) ** 2).mean()))
    if explained[best] < EXPLAINED * float((gains**2).sum()) or share < LEAST_SHARE:
        return None
    mains_hz, downward = _find_mains(swings[best], interval_s)
    readout_s = downward * float(BANDS[best]) / (2 * mains_hz) if mains_hz else None
    return Flicker(
        share=share,
        mains_hz=mains_hz,
        readout=None if readout_s is None else Readout(s=readout_s, sigma_s=abs(READOUT_SHARE * readout_s)),
    )


def _fit_bands(gains: Floats, place: Floats, smooth: Floats) -> tuple[NDArray[np.complex128], Floats]:
    """Return (bands, pictures) how bands swing in each picture, and how much of the (pictures, rows) gains they are."""
    turns = math.tau * BANDS[:, None] * place
    waves = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    waves -= waves @ smooth @ smooth.T
    pulls = waves @ gains.T
    fitted = np.linalg.solve(waves @ waves.transpose(0, 2, 1), pulls)
    return fitted[:, 0] - 1j * fitted[:, 1], (fitted * pulls).sum(axis=(1, 2))


def _find_mains(swings: NDArray[np.complex128], interval_s: float) -> tuple[int | None, int]:
    """Return which mains takes bands on as they go, and whether rows are read downward, 1, or upward, -1."""
    goes_rad = float(np.angle((swings[1:] * swings[:-1].conj()).sum()))
    off_rad = {
        (mains_hz, downward): abs(math.remainder(goes_rad - downward * math.tau * 2 * mains_hz * interval_s, math.tau))
        for downward in (1, -1)
        for mains_hz in MAINS_HZ
    }
    near = {which: off for which, off in off_rad.items() if off < MOST_ASTRAY_RAD}
    usual = {which: off for which, off in near.items() if which[1] == 1} or near
    if not usual:
        return None, 1
    return min(usual, key=lambda which: usual[which])


@dataclass(kw_only=True)
class FlickerWatch:
    """Looks for flicker once in a while in the pictures of one camera."""

    flicker: Flicker | None = None
    _samples: list[tuple[int, NDArray[np.uint8]]] = field(default_factory=list)
    _frames: int = -FIRST_FRAME
    _untold: int = 0

    def look(self, grey: NDArray[np.uint8], captured_ns: int) -> None:
        """Take in the next picture."""
        if 0 <= self._frames < PICTURES:
            self._samples.append((captured_ns, sample_rows(grey)))
        if self._frames == PICTURES:
            (first_ns, _), *_, (last_ns, _) = self._samples
            found = find_flicker([sample for _, sample in self._samples], (last_ns - first_ns) / 1e9 / (PICTURES - 1))
            self._samples, self._untold = [], 0 if found else self._untold + 1
            if found or self._untold == UNTOLD:
                self.flicker = found
        every = EVERY_FRAMES if self.flicker is None else AGAIN_FRAMES
        self._frames = (self._frames + 1) % every if self._frames >= 0 else self._frames + 1
