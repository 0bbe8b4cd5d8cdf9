"""Terrain kinds: what a piece of scenery is drawn as, whoever draws it; its paint is the palette's ``terrain-KIND``."""

import re
from collections.abc import Iterable, Iterator, Mapping

from assistant.game.state import Terrain

KINDS = (
    "wall",
    "floor",
    "ruin",
    "woods",
    "crates",
    "barricade",
    "hill",
    "river",
    "pond",
    "road",
    "building",
    "crater",
    "field",
    "bridge",
    "rocks",
)
"""Of several traits that are kinds the first tells what a piece is: a floor is one of its ruin's."""
PLAIN = "plain"
"""What is drawn of which nothing is known."""
_OTHER_WORDS: Mapping[str, tuple[str, ...]] = {
    "ruin": ("ruins", "rubble", "shell"),
    "wall": ("walls",),
    "floor": ("floors",),
    "woods": ("wood", "copse", "forest", "trees", "jungle", "garden", "dense"),
    "crates": ("crate", "cart", "containers", "container", "stalls", "obstacle"),
    "barricade": ("barricades", "fence", "hedge", "barrier"),
    "hill": ("hills", "incline"),
    "river": ("stream", "ford"),
    "pond": ("water", "lake", "marsh", "swamp"),
    "road": ("path", "street"),
    "building": ("buildings", "house", "hut", "bunker", "tower", "storey"),
    "crater": ("craters", "ditch", "ravine", "trench", "minefield", "gap", "dangerous"),
    "field": ("fields", "brush", "scrub", "difficult"),
    "bridge": ("bridges",),
    "rocks": ("rock", "boulders", "wreck", "impassable"),
}
_KIND_OF = {word: kind for kind in KINDS for word in (kind, *_OTHER_WORDS[kind])}


def find_kind(terrain: Terrain) -> str:
    """Return what a piece is drawn as: its kind, else what its name says, whose last word counts most, else its traits.

    >>> find_kind(Terrain(id="ruin-east-walls", outline_mm=(), traits=frozenset({"impassable"})))
    'wall'
    >>> find_kind(Terrain(id="north-1", outline_mm=(), traits=frozenset({"difficult", "woods"})))
    'woods'

    """
    return next((_KIND_OF[word] for word in _list_words(terrain) if word in _KIND_OF), PLAIN)


def _list_words(terrain: Terrain) -> Iterator[str]:
    """Yield the words that tell what a piece is, the surest first; among its traits those that are kinds themselves."""
    yield terrain.kind
    yield from reversed(re.findall("[a-z]+", terrain.id.lower()))
    yield from (kind for kind in KINDS if kind in terrain.traits)
    yield from sorted(terrain.traits)


def sort_for_drawing(terrain: Iterable[Terrain]) -> list[Terrain]:
    """Return pieces in the order of drawing: what lies flat first, what is high last, bridges over their rivers."""
    return sorted(terrain, key=lambda piece: (piece.height_mm, find_kind(piece) == "bridge"))
