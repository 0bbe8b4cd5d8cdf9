"""Tool commands: tapes and threats that pages ask for."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assistant.files.documents import Id, Place
from assistant.web.commands.registry import AT_THE_TABLE, enter
from assistant.web.messages.message import Message


class End(Message):
    """What is measured from or to: a model, a unit or a piece of terrain by its id, or a point of the table."""

    kind: Literal["model", "unit", "terrain", "point"]
    id: Id | None = None
    x_mm: Place | None = None
    y_mm: Place | None = None

    @model_validator(mode="after")
    def _check_completeness(self) -> "End":
        point = self.x_mm is not None and self.y_mm is not None
        if (self.kind == "point" and not point) or (self.kind != "point" and self.id is None):
            raise ValueError("a point needs x_mm and y_mm, everything else an id")
        return self


class Measure(Message):
    """Lay a tape between two things; it follows them until it is taken away."""

    type: Literal["measure"]
    ends: tuple[End, End]
    agreed: bool = False
    """The players have agreed to measure although the rulebook does not say that they may."""


class Unmeasure(Message):
    """Take a tape away."""

    type: Literal["unmeasure"]
    tape: Id | None = None
    """Its number; None for all of them."""


class ShowThreat(Message):
    """Show what a unit may come to threaten with its next plain move."""

    type: Literal["show-threat"]
    unit: Id
    range_mm: Annotated[float, Field(ge=0, le=10_000)] | None = None
    """How far it can strike; None for the range of engagement."""
    agreed: bool = False
    """As for ``measure``."""


class HideThreat(Message):
    """Show a unit's threat no longer."""

    type: Literal["hide-threat"]
    unit: Id | None = None
    """None for all of them."""


TOOLS = enter("tools", AT_THE_TABLE, Measure, Unmeasure, ShowThreat, HideThreat)
