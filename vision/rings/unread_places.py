"""Unread places: where a ring seems to lie that one picture does not tell, read in the mean of several.

Noise is another in each picture, and a ring that rests is not.  So the pictures of such a place are added up as long as
nothing changes there, and their mean is read ever more seldom: what is not read in the mean of many will not be, until
something changes.  Where no single picture hints at a ring, the mean of the whole picture may.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.rings.decoding import RingHypothesis
from vision.tags.detection import ImageRegion, select_around

Grey = NDArray[np.uint8]

READ_AFTER = (4, 12, 36)
"""A place is read in the mean of what so many pictures showed; after the last one it is given up."""
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

    @property
    def window(self) -> tuple[slice, slice]:
        """Rows and columns of the picture."""
        return slice(self.region.top, self.region.bottom), slice(self.region.left, self.region.right)

    def add(self, part: Grey, noise: float) -> None:
        """Take in another picture of it."""
        off = self.total / self.pictures - part
        usual = (noise**2 + LEAST_NOISE) * (1 + 1 / self.pictures)
        if float((off**2).mean()) > CHANGED * usual:
            self.total, self.pictures = np.zeros_like(self.total), 0
        self.total += part
        self.pictures += 1
        self.looks += 1


@dataclass(kw_only=True)
class UnreadPlaces:
    """What several pictures showed of some places.  It is written to, and used from one thread."""

    _places: list[_Place] = field(default_factory=list)

    def keep(self, camera: CameraOverTable, grey: Grey, hypotheses: Sequence[RingHypothesis]) -> None:
        """Look at some more places from now on, the likeliest first."""
        for hypothesis in hypotheses[: MOST_PLACES - len(self._places)]:
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
        self, grey: Grey, noise: float, is_free: Callable[[RingHypothesis], bool]
    ) -> tuple[Grey, list[tuple[RingHypothesis, ImageRegion]]]:
        """Take in a picture; return it with the means of some places laid over it, and what and where those are.

        Args:
            grey: (height, width) picture.
            noise: standard deviation of a pixel from picture to picture, grey levels.
            is_free: whether nothing that has been read is at a place.

        """
        self._places = [p for p in self._places if p.reads < len(READ_AFTER) and is_free(p.hypothesis)]
        for place in self._places:
            place.add(grey[place.window], noise)
        due = [place for place in self._places if place.looks >= READ_AFTER[place.reads]]
        due = sorted(due, key=lambda place: place.reads)[:MOST_READ]
        mean = grey.copy() if due else grey
        for place in due:
            place.reads += 1
            mean[place.window] = np.rint(place.total / place.pictures)
        return mean, [(place.hypothesis, place.region) for place in due]
