"""Word search: finds the words of coded rings, proves how far apart they are, and writes the list.

A word is read at any turn, so what counts is in how many cells two words differ at the turn at which they differ least,
and a word from itself at its other turns.  Words are drawn by lot; one that is too near to nobody is taken, and one
that is too near to a single word takes its place, so that the list does not stand still before it is full.  All words
have an even number of light cells: two of them then differ in an even number, and far more of them keep a distance
of 10 than of words at large.

    python -m hardware.rings.word_search words.json

The project's own list, `words.json`, is frozen: rings that lie on somebody's table are read by it for good.  It is
written here once more only to be compared.
"""

import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
"""Each a number whose bit i is cell i."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordRules:
    """What a list of words has to keep."""

    seed: int
    """Of the lot."""
    cells: int
    count: int
    light_cells: tuple[int, int]
    """The fewest and the most; always an even number."""
    longest_run: int
    """Cells of one kind in a row: within a longer run nothing tells where the ring is turned to."""
    distances: tuple[int, ...]
    """For each turn in cells: two words, the second one turned, differ in at least so many; and a word from itself."""

    @property
    def limits(self) -> NDArray[np.uint8]:
        """(cells,) the distances."""
        return np.array(self.distances, dtype=np.uint8)


ROUND = WordRules(seed=21, cells=36, count=256, light_cells=(16, 20), longest_run=5, distances=(10,) * 36)
# An oval, a rectangle or a square looks at a quarter or half a turn as it does unturned, give or take three cells,
# since a place is only roughly known when a word is read: there words are farther apart than at other turns.
OTHER = WordRules(
    seed=21,
    cells=48,
    count=512,
    light_cells=(20, 28),
    longest_run=5,
    distances=tuple(14 if min(turn % 12, -turn % 12) <= 3 else 12 for turn in range(48)),
)
RULES = {"round": ROUND, "other": OTHER}
GEOMETRY: dict[str, Any] = {
    "format": "overtable.rings/1",
    "first_cell": "begins where the base's +x axis crosses the band's middle line",
    "direction": "counter-clockwise, seen from above",
    "kinds": {
        "halo": {"inner_mm": 0.3, "outer_mm": 4.1, "height_mm": 0.25, "width_mm": 3.8, "gap_mm": 0.3},
        "rim": {"inner_mm": -3.5, "outer_mm": -0.5, "height_mm": None, "width_mm": 3.0, "gap_mm": 0.5},
    },
    "borders": [],
}

MOST_DRAWS = 100_000_000
DRAWS_AT_ONCE = 4096
WORDS_AT_ONCE = 16


def turn_words(words: Words, cells: int) -> Words:
    """Return words at all their turns.

    Args:
        words: (n,).
        cells: of a word.

    Returns:
        (n, cells), in column k each word with its cell i at i + k.

    """
    turns = np.arange(cells, dtype=np.uint64)
    turned = (words[:, None] << turns) | (words[:, None] >> (np.uint64(cells) - turns))
    return np.asarray(turned & np.uint64((1 << cells) - 1), dtype=np.uint64)


def draw_words(rules: WordRules, start: int, count: int) -> Words:
    """Return a stretch of the words that the lot brings, the first of them being 0; the same each time."""
    lot = np.random.PCG64(rules.seed)
    lot.advance(start)
    return np.asarray(lot.random_raw(count), dtype=np.uint64) >> np.uint64(64 - rules.cells)


def keep_rules(words: Words, rules: WordRules) -> NDArray[np.bool_]:
    """(n,) which words keep what a word by itself has to."""
    fewest, most = rules.light_cells
    lights = np.bitwise_count(words)
    good = (lights >= fewest) & (lights <= most) & (lights % 2 == 0)
    turned = turn_words(words[good], rules.cells)
    steps = turned[:, : rules.longest_run + 1]
    has_run = (np.bitwise_and.reduce(steps, axis=1) != 0) | (
        ~np.bitwise_or.reduce(steps, axis=1) & np.uint64((1 << rules.cells) - 1) != 0
    )
    differ = np.bitwise_count(turned ^ turned[:, :1])[:, 1:]
    good[good] = ~has_run & (differ >= rules.limits[1:]).all(axis=1)
    return np.asarray(good)


def find_words(rules: WordRules, *, draws: int) -> tuple[Words, NDArray[np.int64]]:
    """Search for a list of words, until it is full.

    Args:
        rules: what they have to keep.
        draws: how many words are drawn at most.

    Returns:
        (n,) words and (n,) the draws that brought them, counted from 0; in the order of the draws.

    """
    turned = np.zeros((rules.count, rules.cells), dtype=np.uint64)
    drawn = np.zeros(rules.count, dtype=np.int64)
    found = 0
    for start in range(0, draws, DRAWS_AT_ONCE):
        lot = draw_words(rules, start, DRAWS_AT_ONCE)
        hopeful = np.flatnonzero(keep_rules(lot, rules))
        hopeful = hopeful[~_meet_two(lot[hopeful], turned[:found], rules.limits)]
        for at in hopeful:
            near = np.flatnonzero((np.bitwise_count(turned[:found] ^ lot[at]) < rules.limits).any(axis=1))
            if len(near) > 1:
                continue
            place = int(near[0]) if len(near) else found
            found += not len(near)
            turned[place] = turn_words(lot[at : at + 1], rules.cells)[0]
            drawn[place] = start + at
            if found == rules.count:
                break
        if found == rules.count:
            break
    order = np.argsort(drawn[:found])
    return turned[order, 0], drawn[order]


def _meet_two(words: Words, turned: Words, limits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """(n,) which words are too near to two or more of a list."""
    meets = np.zeros(len(words), dtype=np.int64)
    for start in range(0, len(turned), WORDS_AT_ONCE):
        open_ = np.flatnonzero(meets < 2)
        some = turned[start : start + WORDS_AT_ONCE]
        near = np.bitwise_count(words[open_, None, None] ^ some) < limits
        meets[open_] += near.any(axis=2).sum(axis=1)
    return meets >= 2


def prove_distances(words: Words, rules: WordRules) -> list[int]:
    """Return for each turn the least number of cells in which two words differ, or a word from itself."""
    least = np.full(rules.cells, rules.cells)
    turned = turn_words(words, rules.cells)
    for at, word in enumerate(words):
        differ = np.bitwise_count(turned[at:] ^ word)
        least[1:] = np.minimum(least[1:], differ[:, 1:].min(axis=0))
        least[0] = min(least[0], differ[1:, 0].min(initial=rules.cells))
    # The same two words the other way round: the first one turned.
    least[1:] = np.minimum(least[1:], least[:0:-1])
    return [int(count) for count in least]


def compose_list() -> dict[str, Any]:
    """Return the list as `overtable.rings/1`, with where it comes from and what was proven of it.

    Raises:
        RuntimeError: the words do not keep their rules.

    """
    document: dict[str, Any] = {**GEOMETRY, "script": "python -m hardware.rings.word_search", "words": {}}
    for name, rules in RULES.items():
        words, drawn = find_words(rules, draws=MOST_DRAWS)
        least = prove_distances(words, rules)
        if len(words) != rules.count or any(np.array(least) < rules.limits) or not keep_rules(words, rules).all():
            raise RuntimeError(f"{name}: the words found do not keep their rules")
        document["words"][name] = {
            **asdict(rules),
            "proven_distances": least,
            "draws": drawn.tolist(),
            "ids": {str(ring): write_word(int(word), rules.cells) for ring, word in enumerate(words)},
        }
    return document


def write_word(word: int, cells: int) -> str:
    """Return a word as a string of 0 and 1, cell 0 first.

    >>> write_word(0b0011, 4)
    '1100'
    """
    return f"{word:0{cells}b}"[::-1]


def main() -> None:
    """Write the list to the file named, or to standard output."""
    text = json.dumps(compose_list(), indent=1)
    # A list of numbers on one line: hundreds of lines of one number each tell a reader nothing.
    text = re.sub(r"\[([^\[\]{}]*)\]", lambda found: "[" + " ".join(found[1].split()) + "]", text) + "\n"
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
