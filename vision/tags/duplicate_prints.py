"""Duplicate prints: tags of which two prints are in sight, so that neither tells where a base stands."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from vision.tags.detection import group_prints
from vision.types import TagDetection

REMEMBERED_FRAMES = 30
"""Two prints of one tag are remembered for so many frames after both were seen."""


@dataclass(kw_only=True)
class DuplicatePrints:
    """Remembers which tags one camera's pictures showed at several places at once."""

    _sightings: dict[int, tuple[int, tuple[TagDetection, ...]]] = field(default_factory=dict)
    """By tag: when, as a number of the frame, and where."""

    @property
    def tags(self) -> tuple[int, ...]:
        """The tags of which several prints are remembered."""
        return tuple(self._sightings)

    @property
    def prints(self) -> tuple[TagDetection, ...]:
        """Where they were seen."""
        return tuple(each for _, prints in self._sightings.values() for each in prints)

    def keep_single(self, found: Iterable[TagDetection], frame: int) -> list[TagDetection]:
        """Return the tags of which one print is seen, as it was found first, and take note of the others.

        Args:
            found: in one picture.
            frame: its number.

        """
        by_tag = group_prints(found)
        for tag, prints in by_tag.items():
            if len(prints) > 1:
                self._sightings[tag] = (frame, tuple(prints))
        self._sightings = {
            tag: sighting for tag, sighting in self._sightings.items() if frame - sighting[0] < REMEMBERED_FRAMES
        }
        return [prints[0] for tag, prints in by_tag.items() if tag not in self._sightings]
