"""Unread places: where a ring seems to lie that one picture does not tell, read in the mean of several.

Noise is another in each picture, and a ring that rests is not.  So the pictures of such a place are added up as long as
nothing changes there, and their mean is read ever more seldom: what is not read in the mean of many will not be, until
something changes.  If it is surely a ring all the same, it is remembered until then, so that people can be told what is
wrong with it.  Where no single picture hints at a ring, the mean of the whole picture may.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.rings.decoding import UnreadRing
from vision.rings.pattern_fit import RingFit
from vision.rings.word_proposals import RingHypothesis
from vision.tags.detection import ImageRegion, select_around

Grey = NDArray[np.uint8]

READ_AFTER = (4, 12, 36)
"""A place is read in the mean of what so many pictures showed; after the last one it is given up."""
CLEAR = 2.0
"""And before, once no more noise than so many grey levels is left in the mean: clearer it is not read either."""
MOST_PLACES = 24
"""So many are kept in mind."""
MOST_READ = 1
"""And so many are read after one picture."""
CHANGED = 1.7
"""What differs from the mean by so many times the noise, in mean square, is another thing."""
LEAST_NOISE = 0.5
"""Grey levels squared."""
REACH = 1.4
"""The picture is added up so much farther around a ring's middle than the ring reaches."""
SAME_MM = 4.0
"""What may have its middle so close to a place's is found when that is read."""
MOST_GIVEN_UP, GIVEN_UP_FOR = 48, 300
"""So many places that were read in vain are remembered for so many pictures while nothing changes there: what goes by
in a tile has all of it searched again, and the same places would be thought of again and again."""

MEAN_OF, MEAN_OVER = 24, 48
"""A mean of the whole picture tells of rings once it is of so many pictures; later ones replace the first of these."""
MEAN_EVERY = 1800
"""It is made anew, and searched, after so many pictures."""


@dataclass(kw_only=True)
class SteadyPicture:
    """The mean of what pictures show, for a while, and then again.  It is written to, and used from one thread."""

    _mean: NDArray[np.float32] | None = None
    _pictures: int = 0
    _due_at: int = 0

    def add(self, grey: Grey, frame: int) -> Grey | None:
        """Take in a picture by its number; return the mean of those so far, None while it is of too few or not due."""
        if frame < self._due_at:
            return None
        if self._mean is None:
            self._mean, self._pictures = np.zeros(grey.shape, dtype=np.float32), 0
        self._pictures += 1
        cv2.accumulateWeighted(grey, self._mean, 1 / min(self._pictures, MEAN_OVER))
        return np.asarray(cv2.convertScaleAbs(self._mean), dtype=np.uint8) if self._pictures >= MEAN_OF else None

    def forget(self, frame: int) -> None:
        """Begin anew only after a while."""
        self._mean, self._due_at = None, frame + MEAN_EVERY


@dataclass(slots=True, kw_only=True)
class _Place:
    """A place that is looked at in every picture."""

    hypothesis: RingHypothesis
    region: ImageRegion
    """Of the picture."""
    total: NDArray[np.float32]
    """(height, width) sum of the pictures of it since it last changed."""
    pictures: int
    looks: int = 0
    """Pictures since it was first thought of."""
    reads: int = 0
    unread: UnreadRing | None = None
    """What was there when it was last read."""

    @property
    def window(self) -> tuple[slice, slice]:
        """Rows and columns of the picture."""
        return slice(self.region.top, self.region.bottom), slice(self.region.left, self.region.right)

    def holds(self, hypothesis: RingHypothesis) -> bool:
        """Whether a ring, if there is one, is found when this is read."""
        is_larger = hypothesis.shape.layout.length_mm > self.hypothesis.shape.layout.length_mm
        return not is_larger and self.lies_at(hypothesis)

    def lies_at(self, ring: RingHypothesis | RingFit) -> bool:
        """Whether a ring may be what lies here."""
        return math.hypot(ring.x_mm - self.hypothesis.x_mm, ring.y_mm - self.hypothesis.y_mm) < SAME_MM

    @property
    def is_given_up(self) -> bool:
        """Whether it was read as often as it will be."""
        return self.reads == len(READ_AFTER)

    def add(self, part: Grey, noise: float) -> None:
        """Take in another picture of it."""
        if self._has_changed(part, noise):
            self.total, self.pictures, self.unread = np.zeros_like(self.total), 0, None
        self.total += part
        self.pictures += 1
        self.looks += 1

    def stays(self, part: Grey, noise: float) -> bool:
        """Take in another picture of what was given up; return whether it stays so.

        What is surely a ring is read once more after a while.
        """
        if self._has_changed(part, noise):
            return False
        self.looks += 1
        if self.looks == GIVEN_UP_FOR and self.unread:
            self.reads, self.looks = len(READ_AFTER) - 1, READ_AFTER[-1]
        return self.is_given_up and self.looks < GIVEN_UP_FOR

    def _has_changed(self, part: Grey, noise: float) -> bool:
        """Whether another picture shows another thing."""
        off = self.total / self.pictures - part
        usual = (noise**2 + LEAST_NOISE) * (1 + 1 / self.pictures)
        return float((off**2).mean()) > CHANGED * usual


@dataclass(kw_only=True)
class UnreadPlaces:
    """What several pictures showed of some places.  It is written to, and used from one thread."""

    _places: list[_Place] = field(default_factory=list)
    """Those that are to be read."""
    _given_up: list[_Place] = field(default_factory=list)
    """Those that were read in vain, and show what they showed then."""

    def keep(self, camera: CameraOverTable, grey: Grey, hypotheses: Sequence[RingHypothesis]) -> None:
        """Look at some more places from now on, the likeliest first."""
        for hypothesis in hypotheses:
            if len(self._places) == MOST_PLACES:
                break
            if any(place.holds(hypothesis) for place in (*self._places, *self._given_up)):
                continue
            layout = hypothesis.shape.layout
            height_mm = hypothesis.surface_mm + hypothesis.shape.ring_height_mm
            reach_mm = REACH * float(np.hypot(*layout.middle_line_mm.T).max() + layout.band.reach_mm)
            middle = np.array([hypothesis.x_mm, hypothesis.y_mm, height_mm])
            spots = camera.image_from_table(
                middle + reach_mm * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
            )
            region = select_around(spots, 0.0, grey)
            if region.bottom <= region.top or region.right <= region.left:
                continue  # what lies outside of the picture will not be read
            total = grey[region.top : region.bottom, region.left : region.right].astype(np.float32)
            self._places.append(_Place(hypothesis=hypothesis, region=region, total=total, pictures=1))

    def look(
        self, grey: Grey, noise: float, may_be: Callable[[RingHypothesis], bool], *, reads: bool = True
    ) -> tuple[Grey, list[tuple[RingHypothesis, ImageRegion]]]:
        """Take in a picture; return it with the means of some places laid over it, and what and where those are.

        Args:
            grey: (height, width) picture.
            noise: standard deviation of a pixel from picture to picture, grey levels.
            may_be: whether a ring that is sought may be at a place: the others are forgotten.
            reads: whether there is time to read any.

        """
        free = [place for place in (*self._given_up, *self._places) if may_be(place.hypothesis)]
        self._given_up = [place for place in free if place.is_given_up and place.stays(grey[place.window], noise)]
        del self._given_up[:-MOST_GIVEN_UP]
        self._places = [place for place in free if not place.is_given_up]
        for place in self._places:
            place.add(grey[place.window], noise)
        due = [place for place in self._places if place.looks >= READ_AFTER[place.reads]]
        due = sorted(due, key=lambda place: place.reads)[: MOST_READ * reads]
        mean = grey.copy() if due else grey
        for place in due:
            is_clear = noise <= CLEAR * math.sqrt(place.pictures)
            place.reads = len(READ_AFTER) if is_clear else place.reads + 1
            mean[place.window] = np.rint(place.total / place.pictures)
        return mean, [(place.hypothesis, place.region) for place in due]

    @property
    def hypotheses(self) -> list[RingHypothesis]:
        """What seems to lie at the places."""
        return [place.hypothesis for place in self._places]

    def note(self, hypotheses: Sequence[RingHypothesis], unread: Sequence[UnreadRing]) -> None:
        """Take note of what is surely a ring, of what was not read at some of the places."""
        for place in self._places:
            if place.hypothesis in hypotheses:
                near = [ring for ring in unread if place.lies_at(ring.fit)]
                place.unread = max(near, key=lambda ring: ring.fit.evidence, default=None)

    @property
    def unread(self) -> tuple[UnreadRing, ...]:
        """What is surely a ring, and was not read at the last look, each once."""
        told: list[_Place] = []
        for place in (*self._given_up, *self._places):
            if place.unread and not any(other.lies_at(place.hypothesis) for other in told):
                told.append(place)
        return tuple(place.unread for place in told if place.unread)
