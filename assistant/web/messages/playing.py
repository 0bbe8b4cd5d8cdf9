"""Playing: where a recording is that is being played, and how it goes on."""

from assistant.web.messages.message import Message


class PlayingView(Message):
    """Where a replay is; the only key is ``playing``, which is missing in a game that is being played."""

    at_ns: int
    """Since the game's beginning."""
    length_ns: int
    """Of the whole recording."""
    playing: bool
    speed: float
