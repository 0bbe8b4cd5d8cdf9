"""What a journal holds beside the events of the game: what was seen, and what it says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import Field

from assistant.files import Format
from assistant.game.events import Event
from assistant.poses import PoseEntry
from assistant.record.calibrations import CalibrationSeen
from assistant.record.called import Called
from assistant.record.eyes import EyesTold

Doubt = Literal["moving", "hidden", "astray"]


class PosesSeen(Format):
    """The poses that changed in one frame."""

    anchors_seen: int
    calibration: str
    poses: tuple[PoseEntry, ...]
    shown_twice: tuple[int, ...] = ()
    """Tags of which two prints are in view."""
    wrong_anchors: tuple[str, ...] = ()
    """Anchors that are not where, how or what the set-up says, a sentence each."""
    doubt: Doubt | None = None
    """Why the calibration does not hold at the moment, so that nothing is judged."""
    astray: tuple[int, ...] = ()
    """The anchors that are not where they were, while that is the doubt."""
    slipped_mm: Mapping[int, float] = {}
    """How far anchors lie from their places that the calibration leaves out for that, by tag."""

    @property
    def troubles(self) -> tuple[object, ...]:
        """What a person should know of, and a change of it is recorded though no pose changed."""
        return self.shown_twice, self.wrong_anchors, self.doubt, self.astray, self.slipped_mm


class NotRecorded(Format):
    """For a while nothing could be written; it stands at the time of the first thing that could not be."""

    until_ns: int
    """Capture time of when it could be written again."""
    lost_poses: int
    """So many pictures with changed poses were lost; where everything stood at the end follows."""
    lost_events: int
    """Events that were lost as well, for there were too many to keep; all others follow, each with its own time."""
    lost_pictures: int
    """Of the camera's pictures that were to be kept."""
    why: str
    """In few words."""


Seen = PosesSeen | CalibrationSeen | NotRecorded | Called
"""What is recorded beside the events of the game."""
SIGHTS: Mapping[str, type[Seen]] = {kind.__name__: kind for kind in get_args(Seen)}


class Named(Format):
    """Gives the next numbers, from 0 on, to tags on models and to calibrations, by which compact poses name them."""

    bases: tuple[tuple[int, str], ...] = ()
    """Tag and model."""
    calibrations: tuple[str, ...] = ()


class PictureKept(Format):
    """A picture was kept, which thereby stands in the chain."""

    picture: int
    """Its row in the table of pictures."""
    sha256: str
    """Of the JPEG, hexadecimal."""


class VideoKept(Format):
    """A piece of the video was written, which thereby stands in the chain."""

    began_ns: int
    """Capture time of its first picture."""
    segment: Annotated[int, Field(ge=1)]
    """Which file of the video's folder it is in."""
    at_byte: Annotated[int, Field(ge=0)]
    """Where it begins there."""
    bytes: Annotated[int, Field(ge=1)]
    sha256: str
    """Of these bytes, hexadecimal."""
    size: tuple[int, int]
    """Of its pictures: width and height, pixels."""
    pictures: Annotated[tuple[tuple[int, int], ...], Field(min_length=1)]
    """In their order: the picture's number since the camera was opened, and its capture time since the first's."""
    lost: int = 0
    """So many pictures that were looked at since the piece before are lacking."""


FilmKept = VideoKept | EyesTold
"""What is kept for playing a recording through the eyes again."""


class Standing(Format):
    """What the rows before add up to, so that whoever looks into the middle of a game need not begin at its beginning.

    It tells nothing new: whether it is true is checked by `overtable verify`.
    """

    latest_ns: int
    """The latest capture time of any row before."""
    poses: tuple[PoseEntry, ...]
    """How every model that was seen was last shown, in the order in which they were first seen."""
    hidden_ns: Mapping[str, int] = {}
    """Since when models are hidden that are held."""


Ledger = Named | PictureKept | Standing | FilmKept
"""What a journal says of itself; whoever reads what happened never meets it."""
LEDGER: Mapping[str, type[Ledger]] = {kind.__name__: kind for kind in get_args(Ledger)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of a journal."""

    id: int
    captured_ns: int
    what: Event | Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What the camera saw at a moment."""

    captured_ns: int
    jpeg: bytes
