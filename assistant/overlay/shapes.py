"""Shapes to draw, in millimetres."""

from dataclasses import dataclass
from enum import StrEnum

Points = tuple[tuple[float, float], ...]


class Layer(StrEnum):
    """What a shape tells, from the bottom of the drawing to its top."""

    ZONE = "zone"
    """Where the picked model may end."""
    THREAT = "threat"
    """What an enemy unit may come to threaten."""
    ENGAGEMENT = "engagement"
    """Around an enemy base."""
    COHERENCY = "coherency"
    """A link between two models of a unit."""
    NAMED = "named"
    """Whom the announced move names."""
    BREAK = "break"
    """A model out of coherency."""
    GHOST = "ghost"
    """Where a moved model came from."""
    PATH = "path"
    """The way it took, as far as it was seen, and where it was not."""
    WAY = "way"
    """Around a model that has moved: how far it has come, and how much is left."""
    RESTORE = "restore"
    """Where a model is to be put back, and which way it has to go."""
    STOP = "stop"
    """Where a way that turned illegal ends instead."""
    WITNESS = "witness"
    """The segment that a finding measured."""
    TAPE = "tape"
    """What somebody measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayShape:
    """One thing to draw."""

    key: str
    """The same key means the same thing, redrawn."""
    layer: Layer
    rings_mm: tuple[Points, ...]
    """Closed rings (holes by the even-odd rule) if ``closed``, else open lines; table frame."""
    closed: bool
    style: str
    """A name in the palette."""
    label: str = ""
    on: str | None = None
    """The model in whose frame the rings are; None: the table's."""
