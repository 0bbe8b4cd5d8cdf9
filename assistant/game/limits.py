"""Limits: how large, how far and how many the things of a situation may be.

They lie well beyond any table that is played on.  What keeps them gets an answer, and soon; what does not is refused,
with the place and the limit, before anything is reckoned.  The file's form and its JSON Schema state them.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

import shapely
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
MOST_UNITS, MOST_MODELS, MOST_TERRAIN = 500, 600, 500
MOST_MARKERS = 50
"""Objectives, and deployment zones."""
USUAL_MARKER_MM, GREATEST_MARKER_MM, GREATEST_RANGE_MM = 20.0, 500.0, 2000.0
"""Radius of an objective's marker, and the range from its edge."""
MOST_POSES = 2000
"""Of one path."""
MOST_CORNERS_IN_ALL, MOST_POSES_IN_ALL = 10_000, 10_000
"""Of all terrain and all bases' outlines; of all paths."""

LEAST_APART_MM = 1e-3
"""How near a corner of an outline may be to another, or to a side that it is not of: thinner, it has no inside."""


def check_thickness(outline_mm: Sequence[tuple[float, float]]) -> None:
    """Raise BadInput where a simple polygon comes all but back to itself, as a needle or a corner given twice does."""
    apart_mm = shapely.minimum_clearance(shapely.Polygon(outline_mm))
    if apart_mm < LEAST_APART_MM:
        raise BadInput(
            f"the outline from ({outline_mm[0][0]:g}, {outline_mm[0][1]:g}) comes within {apart_mm:.2g} mm of itself;"
            f" expected its corners and sides at least {LEAST_APART_MM:g} mm apart"
        )


def check_count(name: str, place: str, counts: Iterable[int], most: int, what: str) -> None:
    """Raise BadInput, naming the place, where more things stand in a situation than are taken."""
    count = sum(counts)
    if count > most:
        raise BadInput(f"{name}: {place}: expected at most {most} {what} in all, not {count}")
