"""Faint places: places that look like a tag and were not read, looked at again until they are.

A lamp's reflection or noise takes a tag to the edge of what can be read: one look reads it and the next does not.
`FaintPlaces` remembers where something looked like a tag, and looks there in turns.  While nothing changes at a place
its pictures are averaged: noise goes, and what is printed stays.  After some looks in vain a place is given up: then it
is only looked at now and then, to see whether there is still something that cannot be read.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.table_map import TableMap
from vision.tags.detection import ImageRegion, select_around
from vision.tags.faint_tags import (
    UnreadTag,
    WantedTag,
    draw_readable_map,
    read_table_map,
    refine_readings,
    select_tags,
)
from vision.types import TagDetection

Grey = NDArray[np.uint8]
Singles = NDArray[np.float32]

MOST_PLACES = 24
"""Beyond, the oldest is given up."""
MOST_LOOKS = 16
"""At one place."""
GIVEN_UP_EVERY = 8
"""Once in so many looks, or times that there is nothing to look at, a place that was given up is looked at."""
AROUND_SHARE = 0.6
"""A place reaches so far around what is unread there, as a share of its extent."""
CHANGED_SIGMAS = 2.0
"""A place whose pixels differ from their mean by more, in root mean square, shows something else than before."""
LEAST_NOISE = 3.0
"""Grey levels by which places differ from their mean though nothing changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    region: ImageRegion
    unread: tuple[UnreadTag, ...] = ()
    """What was there when it was last looked at."""
    mean: Singles | None = None
    """What it shows on the map, averaged."""
    averaged: int = 0
    looks: int = 0


@dataclass(kw_only=True)
class FaintPlaces:
    """Remembers places in one camera's pictures."""

    _places: list[_Place] = field(default_factory=list)
    """The next one to be looked at first."""
    _given_up: list[_Place] = field(default_factory=list)
    """Those at which something is a tag for all that."""
    _calls: int = 0
    _camera: CameraOverTable | None = None
    """By which the maps were drawn."""

    @property
    def unread(self) -> tuple[UnreadTag, ...]:
        """What is surely a tag, and was not read at the last look."""
        return select_tags([tag for place in (*self._places, *self._given_up) for tag in place.unread], ())

    def add(self, grey: Grey, unread: Iterable[UnreadTag]) -> None:
        """Remember places where something is unread, but for those that are."""
        for tag in unread:
            if not any(_lies_in(tag.corners_px.mean(axis=0), place.region) for place in self._places):
                around_px = AROUND_SHARE * float(np.ptp(tag.corners_px, axis=0).max())
                self._places.append(_Place(region=select_around(tag.corners_px, around_px, grey), unread=(tag,)))
        self._given_up = [p for p in self._given_up if not any(_is_same(p, place) for place in self._places)]
        del self._places[:-MOST_PLACES]

    def look(
        self,
        camera: CameraOverTable,
        grey: Grey,
        wanted: Collection[WantedTag],
        known_px: Sequence[NDArray[np.float64]],
        *,
        noise: float,
        blur_px: float,
    ) -> tuple[TagDetection, ...]:
        """Look at the next place, if there is one, and return what is read there.

        Args:
            camera: where the camera is.
            grey: (height, width) picture.
            wanted: the tags that are looked for.
            known_px: (4, 2) corners of tags that are seen; where one lies nothing else does.
            noise: by which a pixel differs from picture to picture, one sigma.
            blur_px: how far tags are blurred, one sigma.

        """
        middles_px = [corners_px.mean(axis=0) for corners_px in known_px]
        self._places, self._given_up = (
            [place for place in places if not any(_lies_in(at, place.region) for at in middles_px)]
            for places in (self._places, self._given_up)
        )
        if camera is not self._camera:
            self._camera = camera
            self._places = [replace(place, mean=None) for place in self._places]
            self._given_up = [replace(place, mean=None) for place in self._given_up]
        self._calls += 1
        is_turn = self._given_up and self._calls % GIVEN_UP_EVERY == 0
        chosen = self._given_up if is_turn else self._places
        if not chosen or not wanted:
            return ()
        place = chosen.pop(0)
        table = draw_readable_map(camera, grey, place.region, wanted)
        if table is None:
            return ()
        place, mean = _average(place, table, noise)
        averaged = replace(table, grey=np.rint(mean).astype(np.uint8))
        tags, unread = read_table_map(camera, averaged, wanted, blur_px=blur_px)
        place = replace(
            place, unread=tuple(tag for tag in unread if _lies_in(tag.corners_px.mean(axis=0), place.region))
        )
        if place.looks < MOST_LOOKS:
            self._places.append(place)
        elif any(tag.is_tag for tag in place.unread):
            self._given_up.append(place)
            del self._given_up[:-MOST_PLACES]
        return refine_readings(grey, tags)


def _average(place: _Place, table: TableMap, noise: float) -> tuple[_Place, Singles]:
    """Return a place with one more picture of it, and the mean: it begins anew where it shows something else."""
    levels, count = np.asarray(table.grey, dtype=np.float32), 1
    if place.mean is not None and place.mean.shape == levels.shape:
        off = levels - place.mean
        if float(np.sqrt((off * off).mean())) < CHANGED_SIGMAS * max(noise, LEAST_NOISE):
            count = place.averaged + 1
            levels = np.asarray(place.mean + off / count, dtype=np.float32)
    return replace(place, mean=levels, averaged=count, looks=place.looks + 1), levels


def _find_middle(region: ImageRegion) -> tuple[float, float]:
    return (region.left + region.right) / 2, (region.top + region.bottom) / 2


def _is_same(place: _Place, other: _Place) -> bool:
    return _lies_in(_find_middle(place.region), other.region)


def _lies_in(at: Sequence[float] | NDArray[np.float64], region: ImageRegion) -> bool:
    """Whether something lies near the middle of a region: in the middle half of its width and height."""
    x, y = _find_middle(region)
    across, down = region.right - region.left, region.bottom - region.top
    return bool(abs(at[0] - x) < across / 4 and abs(at[1] - y) < down / 4)
