"""Hindrance watch: why bases are not found from picture to picture, asked now and then and kept in between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.markers import Markers
from vision.quality.hindrance import (
    explain_unread_markers,
    find_hindrances,
    find_other_sizes,
    list_named,
    select_hindered,
    select_unread,
    select_unseen,
)
from vision.rings.decoding import UnreadRing
from vision.tags.faint_tags import UnreadTag
from vision.tracking.tracks import Track
from vision.types import Hindrance, TagFit, UnreadMarker


@dataclass(kw_only=True)
class HindranceWatch:
    """Remembers what one camera's pictures told."""

    _hindered: dict[int, Hindrance] = field(default_factory=dict)
    """Why bases were not found when that was last asked."""
    _unread: tuple[UnreadMarker, ...] = ()
    """What could not be read then."""

    def note_sizes(
        self, camera: CameraOverTable, markers: Markers, fits: Sequence[TagFit], tracks: Mapping[int, Track]
    ) -> None:
        """Remember tags that are seen in every picture, and too large or too small to be followed."""
        self._hindered |= find_other_sizes(camera, markers.tagged, fits, tracks)

    def ask(
        self,
        grey: NDArray[np.uint8],
        camera: CameraOverTable,
        markers: Markers,
        tracks: Mapping[int, Track],
        unread: Sequence[UnreadTag | UnreadRing],
    ) -> None:
        """Look in a picture why bases are not found, and why what looks like a tag or a ring is not read."""
        unfollowed = markers.tagged.keys() - tracks.keys()
        odd = {m: why for m, why in self._hindered.items() if why is Hindrance.OTHER_SIZE and m in unfollowed}
        self._hindered = odd | find_hindrances(grey, camera, markers.followed, tracks)
        unseen = select_unseen(markers.followed, tracks)
        self._unread = explain_unread_markers(grey, camera, unseen, unread, self._hindered)
        self._hindered |= list_named(self._unread)

    def forget(self) -> None:
        """Forget all: what is seen at a place says nothing while nobody knows where the place is."""
        self._hindered, self._unread = {}, ()

    def list_hindered(self, tracks: Mapping[int, Track]) -> dict[int, Hindrance]:
        """Return why bases are not found, by marker, as far as they have not been seen since."""
        return select_hindered(self._hindered, tracks)

    def list_unread(self, tracks: Mapping[int, Track]) -> tuple[UnreadMarker, ...]:
        """Return what cannot be read, likewise."""
        return select_unread(self._unread, tracks)
