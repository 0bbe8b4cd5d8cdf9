"""Camera errors: what can go wrong with a source of pictures.

BadSource(ValueError)      the source is wrong as it was written: no such file, not a video, an unknown kind
SourceLost(OSError)        the source is right but does not answer: unplugged, asleep, stalled; worth another try
DeviceLost(SourceLost)     a device on this machine's own cables: whether it is back can be asked at any time
EndOfFrames(Exception)     a recorded source has been read to its end; not an error
"""

from typing import ClassVar

from overtable_errors import OvertableError


class BadSource(OvertableError, ValueError):
    """The source is wrong as written; the message names it and says what was expected."""


class SourceLost(OvertableError, OSError):
    """The source does not deliver frames now; trying again later may help."""

    exit_status: ClassVar[int] = 3


class DeviceLost(SourceLost):
    """A device on a cable does not deliver frames now; to look for it again costs nobody anything."""


class EndOfFrames(Exception):
    """A recorded source has no frame left."""
