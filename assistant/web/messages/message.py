"""What every message is."""

from pydantic import BaseModel, ConfigDict

Point = tuple[float, float]
PARTIAL = "partial"
"""Marks a field whose value comes with some of its keys left out."""


class Message(BaseModel):
    """Immutable, and closed to keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)
