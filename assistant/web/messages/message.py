"""The base class of all messages, the mark that gives a field its TypeScript type, and who a page is."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class AsType:
    """Says in TypeScript what a field is, where Python's types cannot."""

    typescript: str


class Message(BaseModel):
    """Immutable, and closed to keys it does not know."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,  # whatever is sent has all its fields
    )


Role = Literal["host", "judge", "player", "viewer"]
"""``host`` is the machine that runs overtable; what each may do stands in `assistant.web.commands`."""


class YouView(Message):
    """What the page that reads this may do; the only key is ``you``.  It holds for as long as the page is connected."""

    role: Role
