"""Ring words: which ring has which cells light, and the list that says so (`overtable.rings/1`).

The project's own list is frozen: a ring once printed is read for good.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.rings.layout import RingBand, RingBorder, RingKind

FORMAT = "overtable.rings/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class RingWords:
    """The words of one kind of base."""

    cells: int
    ids: Mapping[int, str]
    """By ring: a string of 0 (dark) and 1 (light), a cell each, from the nose counter-clockwise."""

    def get_bits(self, ring: int) -> NDArray[np.bool_]:
        """(cells,) which cells are light."""
        return np.array([cell == "1" for cell in self.ids[ring]])


@dataclass(frozen=True, slots=True, kw_only=True)
class RingList:
    """A list of words, and the bands in which they are drawn."""

    bands: Mapping[RingKind, RingBand]
    round: RingWords
    """For round bases."""
    other: RingWords
    """For every other shape."""

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the list."""
        return (*self.round.ids.values(), *self.other.ids.values())

    def choose_words(self, *, is_round: bool) -> RingWords:
        """Return the words of a kind of base."""
        return self.round if is_round else self.other


def read_ring_list(document: Mapping[str, Any]) -> RingList:
    """Read a list of words.

    Raises:
        ValueError: it does not fit `overtable.rings/1`; one sentence says where.

    """
    if document.get("format") != FORMAT:
        raise ValueError(f"format: expected {FORMAT!r}")
    try:
        bands = {RingKind(kind): _read_band(RingKind(kind), band, document) for kind, band in document["kinds"].items()}
        words = {name: _read_words(document["words"][name]) for name in ("round", "other")}
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is missing") from None
    return RingList(bands=bands, round=words["round"], other=words["other"])


def _read_band(kind: RingKind, band: Mapping[str, Any], document: Mapping[str, Any]) -> RingBand:
    return RingBand(
        kind=kind,
        inner_mm=float(band["inner_mm"]),
        outer_mm=float(band["outer_mm"]),
        height_mm=None if band["height_mm"] is None else float(band["height_mm"]),
        borders=tuple(
            RingBorder(from_mm=float(line["from_mm"]), to_mm=float(line["to_mm"]), is_light=bool(line["light"]))
            for line in document.get("borders", ())
            if line["kind"] == kind
        ),
    )


def _read_words(words: Mapping[str, Any]) -> RingWords:
    cells, ids = int(words["cells"]), {int(ring): str(word) for ring, word in words["ids"].items()}
    for ring, word in ids.items():
        if len(word) != cells or set(word) - {"0", "1"}:
            raise ValueError(f"ring {ring}: expected {cells} of 0 and 1, found {word!r}")
    return RingWords(cells=cells, ids=ids)


@cache
def load_ring_list() -> RingList:
    """Return the project's own list."""
    return read_ring_list(json.loads(read_ring_document()))


def read_ring_document() -> str:
    """Return the project's own list as it is kept, JSON of `overtable.rings/1`."""
    return files("hardware.rings").joinpath("words.json").read_text(encoding="utf-8")
