"""Limits: how large, how far and how many the things of a situation may be.

They lie well beyond any table that is played on.  What keeps them gets an answer, and soon; what does not is refused,
with the place and the limit, before anything is reckoned.  The file's form and its JSON Schema state them.
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Place

LEAST_BASE_MM, GREATEST_BASE_MM = 1.0, 5000.0
BaseLength = Annotated[float, Field(ge=LEAST_BASE_MM, le=GREATEST_BASE_MM)]
"""A diameter or a side of a base, millimetres."""
BasePlace = Annotated[float, Field(ge=-GREATEST_BASE_MM, le=GREATEST_BASE_MM)]
"""A coordinate in a model's own frame, millimetres."""
TableLength = Annotated[float, Field(ge=10.0, le=1e5)]
"""A side of the table, millimetres."""
Height = Annotated[float, Field(ge=0, le=1e4)]
"""Millimetres above the table."""
Die = Annotated[int, Field(ge=-1000, le=1000)]
"""What a die may show; which of them an action takes is for the rulebook to say."""

MOST_CORNERS = 1000
"""Of one outline."""
BaseOutline = Annotated[tuple[tuple[BasePlace, BasePlace], ...], Field(max_length=MOST_CORNERS)]
TerrainOutline = Annotated[tuple[tuple[Place, Place], ...], Field(max_length=MOST_CORNERS)]
MOST_WORDS = 100
"""Keywords, statuses or traits of one thing, or dice of one move."""
MOST_UNITS, MOST_MODELS, MOST_TERRAIN = 500, 1000, 500
MOST_POSES = 2000
"""Of one path."""
MOST_CORNERS_IN_ALL, MOST_POSES_IN_ALL = 10_000, 10_000
"""Of all terrain and all bases' outlines; of all paths."""


def check_count(name: str, place: str, counts: Iterable[int], most: int, what: str) -> None:
    """Raise BadInput, naming the place, where more things stand in a situation than are taken."""
    count = sum(counts)
    if count > most:
        raise BadInput(f"{name}: {place}: expected at most {most} {what} in all, not {count}")
