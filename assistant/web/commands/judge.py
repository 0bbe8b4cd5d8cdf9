"""Judge commands: what the judge's page asks for."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.web.commands.registry import DECIDE, enter
from assistant.web.messages.message import Message


class RulePast(Message):
    """Rule, as a judge, on something that is past."""

    type: Literal["rule-past"]
    at_ns: Annotated[int, Field(ge=0)]
    """The moment, since the game's beginning."""
    found: Annotated[int, Field(ge=1)] | None = None
    """The number of the finding that it is about; None for the verdict of that moment as a whole."""
    outcome: Literal["legal", "illegal"]
    note: Annotated[str, Field(max_length=1000)]
    """Why, in a sentence."""


class UnrulePast(Message):
    """Take back a ruling on something that is past."""

    type: Literal["unrule-past"]
    ruling: Annotated[int, Field(ge=1)]
    """Its number, in the order in which rulings were made."""


JUDGE = enter("judge", DECIDE, RulePast, UnrulePast)
