"""Restoring: a table that is being put back to a moment."""

from typing import Literal

from assistant.web.messages.message import Message


class RestoringView(Message):
    """How far it has come; the only key is ``restoring``, which is missing while nothing is put back."""

    when: str
    """The moment, as people call it."""
    count: int
    back: int
    near: int
    missing: int
    """Models that the camera does not see."""
    note: str
    """What the camera cannot tell, in a sentence; empty if it can."""


class PlaceView(Message):
    """Of a model that is put back, by its id."""

    state: Literal["missing", "back", "near", "off"]
    text: str
    """What has to be done, in a few words; empty if it is back or missing."""
