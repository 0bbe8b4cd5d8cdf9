"""Measuring tools: ways, tapes and threats on the table."""

from typing import Literal

from assistant.web.messages.message import Message


class WayView(Message):
    """How far a model has come of what it may, by model id: the judge's own number."""

    outcome: Literal["legal", "illegal", "too-close", "unobserved", "note"]
    measured_mm: float
    limit_mm: float
    sigma_mm: float | None
    """One standard deviation; None where the doubt is not one of length."""
    moving: bool
    """It has not come to rest yet."""


class MeasuringView(Message):
    """What may be measured; the only key is ``measuring``, which is missing where nothing can be."""

    allowed: bool
    """The rulebook lets players measure at any time, or the players have agreed to."""
    note: str
    """A sentence that says why not; empty if it is allowed."""


class TapeView(Message):
    """A length that somebody measures, by its number."""

    ends: tuple[str, str]
    """The names of the two things."""
    mm: float | None
    """Edge to edge; the depth, negative, where they overlap; None while one of them is not on the table."""
    sigma_mm: float
    horizontal: bool
    """The two stand at different heights, of which the length tells nothing."""
    note: str
    """Why it cannot be measured now, in a sentence; empty if it can."""


class ThreatView(Message):
    """What a unit may come to threaten, by unit id; what is drawn is among the shapes."""

    text: str
    """What is shown; empty before it is known."""
    note: str
    """What it leaves aside, in a sentence; empty if nothing."""
    range_mm: float | None
    """How far a person said that it can strike; None for the range of engagement."""
    working: bool
    """It is being worked out anew."""
