"""Camera errors: what can go wrong with a source of pictures.

BadSource(ValueError)      the source is wrong as it was written: no such file, not a video, an unknown kind
SourceLost(OSError)        the source is right but does not answer: unplugged, asleep, stalled; worth another try
EndOfFrames(Exception)     a recorded source has been read to its end; not an error
"""


class BadSource(ValueError):
    """The source is wrong as written; the message names it and says what was expected."""


class SourceLost(OSError):
    """The source does not deliver frames now; trying again later may help."""


class EndOfFrames(Exception):
    """A recorded source has no frame left."""
