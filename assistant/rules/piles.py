"""Terrain made of pieces that touch: from one to the next only the difference of their heights is climbed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby, pairwise

import shapely

from assistant.game.state import Terrain
from assistant.geometry.contact import Span
from assistant.rules.chain import groups
from assistant.rules.ruling import ROUNDING_MM

Pile = tuple[Terrain, ...]
_SEAM = 1e-5
"""Of a leg: pieces that a path leaves and enters within so little touch there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossed:
    """A part of a path that is over a pile."""

    span: Span
    pieces: Pile
    """The highest of the pieces at each moment, in order."""


@lru_cache(maxsize=64)
def piles(features: Pile) -> tuple[Pile, ...]:
    """Return terrain by what touches each other."""
    outlines = {terrain.id: shapely.Polygon(terrain.outline_mm) for terrain in features}
    links = [
        (one, two)
        for one, two in combinations(outlines, 2)
        if shapely.dwithin(outlines[one], outlines[two], ROUNDING_MM)
    ]
    known = {terrain.id: terrain for terrain in features}
    return tuple(tuple(known[name] for name in group) for group in groups(tuple(known), links))


def layers(pile: Pile) -> Iterator[tuple[Pile, float]]:
    """Yield the pieces that reach as high as each of a pile's heights, and how much higher that is than the last."""
    below = 0.0
    for height_mm in sorted({terrain.height_mm for terrain in pile}):
        yield tuple(terrain for terrain in pile if terrain.height_mm >= height_mm), height_mm - below
        below = height_mm


def crossings(over: Sequence[tuple[Terrain, Sequence[Span]]]) -> Iterator[Crossed]:
    """Yield the parts of a path that are over some pieces of one pile, by the parts that are over each of them."""
    spans = sorted(((span, terrain) for terrain, spans in over for span in spans), key=lambda entry: entry[0].start)
    while spans:
        start, end, count = spans[0][0].start, spans[0][0].end, 1
        while count < len(spans) and spans[count][0].start <= end + _SEAM:
            end, count = max(end, spans[count][0].end), count + 1
        yield Crossed(span=Span(start=start, end=end), pieces=tuple(_highest(spans[:count])))
        spans = spans[count:]


def _highest(spans: Sequence[tuple[Span, Terrain]]) -> Iterator[Terrain]:
    times = sorted({time for span, _ in spans for time in (span.start, span.end)})
    middles = [(a + b) / 2 for a, b in pairwise(times) if b - a > _SEAM] or times[:1]
    under = [[terrain for span, terrain in spans if span.start <= time <= span.end] for time in middles]
    tops = [max(pieces, key=lambda terrain: terrain.height_mm) for pieces in under if pieces]
    yield from (next(same) for _, same in groupby(tops, key=lambda terrain: terrain.height_mm))
