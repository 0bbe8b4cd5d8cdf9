"""The base class of all messages, and the mark that gives a field its TypeScript type."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class AsType:
    """Says in TypeScript what a field is, where Python's types cannot."""

    typescript: str


class Message(BaseModel):
    """Immutable, and closed to keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)
