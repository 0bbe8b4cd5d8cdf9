import json
from importlib.resources import files
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.rings.word_search import (
    GEOMETRY,
    RULES,
    WordRules,
    draw_words,
    find_words,
    keep_rules,
    prove_distances,
    turn_words,
    write_word,
)
from hardware.rings.words import load_ring_list

DOCUMENT: dict[str, Any] = json.loads(files("hardware.rings").joinpath("words.json").read_text(encoding="utf-8"))
NAMES = sorted(RULES)


def list_signs(name: str) -> NDArray[np.float32]:
    """(n, cells) +1 where a ring is light, -1 where it is dark."""
    words = DOCUMENT["words"][name]["ids"].values()
    return np.array([[1 if cell == "1" else -1 for cell in word] for word in words], dtype=np.float32)


def measure_differences(signs: NDArray[np.float32]) -> NDArray[np.float32]:
    """(cells, n, n) in how many cells one ring differs from another that is turned, by sums of products."""
    cells = signs.shape[1]
    products = [signs @ np.roll(signs, turn, axis=1).T for turn in range(cells)]
    return np.asarray((cells - np.array(products)) / 2, dtype=np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_the_frozen_list_keeps_what_is_said_of_it(name: str) -> None:
    said, signs = DOCUMENT["words"][name], list_signs(name)
    differences = measure_differences(signs)
    assert signs.shape == (said["count"], said["cells"])
    differences[0][np.diag_indices(len(signs))] = np.inf
    least = differences.min(axis=(1, 2))
    assert least.tolist() == said["proven_distances"]
    assert (least >= np.array(said["distances"])).all()
    for word in said["ids"].values():
        first = next(at for at in range(len(word)) if word[at - 1] != word[at])
        assert max(len(list(run)) for _, run in groupby(word[first:] + word[:first])) <= said["longest_run"]
        assert said["light_cells"][0] <= word.count("1") <= said["light_cells"][1]


def test_the_frozen_list_is_what_is_promised() -> None:
    assert DOCUMENT["words"]["round"]["count"] == 256
    assert min(DOCUMENT["words"]["round"]["proven_distances"]) == 10
    assert DOCUMENT["words"]["other"]["count"] == 512
    assert min(DOCUMENT["words"]["other"]["proven_distances"]) == 12
    alike = [turn for turn in range(48) if any(abs(turn - quarter) <= 3 for quarter in (0, 12, 24, 36, 48))]
    assert min(DOCUMENT["words"]["other"]["proven_distances"][turn] for turn in alike) == 14
    assert {key: DOCUMENT[key] for key in GEOMETRY} == GEOMETRY
    assert len(load_ring_list().other.ids) == 512


@pytest.mark.parametrize("name", NAMES)
def test_the_frozen_list_was_drawn_by_the_seed_that_it_names(name: str) -> None:
    said, rules = DOCUMENT["words"][name], RULES[name]
    assert {key: said[key] for key in ("seed", "cells", "count", "longest_run")} == {
        key: getattr(rules, key) for key in ("seed", "cells", "count", "longest_run")
    }
    assert (said["light_cells"], said["distances"]) == (list(rules.light_cells), list(rules.distances))
    drawn = [int(draw_words(rules, draw, 1)[0]) for draw in said["draws"]]
    assert [write_word(word, rules.cells) for word in drawn] == list(said["ids"].values())


@pytest.mark.parametrize("name", NAMES)
def test_a_search_that_has_only_begun_keeps_the_rules(name: str) -> None:
    rules = RULES[name]
    words, draws = find_words(rules, draws=40_000)
    assert len(words) > 60
    assert keep_rules(words, rules).all()
    assert (np.array(prove_distances(words, rules)) >= rules.limits).all()
    assert [int(draw_words(rules, draw, 1)[0]) for draw in draws.tolist()] == words.tolist()


def test_proof_finds_two_words_that_are_near_at_one_turn() -> None:
    rules = WordRules(seed=1, cells=8, count=2, light_cells=(0, 8), longest_run=8, distances=(0,) * 8)
    words = np.array([0b00010111, 0b01011100], dtype=np.uint64)  # the second is the first, turned by two cells
    assert prove_distances(words, rules)[2] == prove_distances(words, rules)[6] == 0
    assert min(prove_distances(words[:1], rules)) > 0


def test_turning_moves_cells_up_and_round() -> None:
    assert turn_words(np.array([0b1001], dtype=np.uint64), 4).tolist() == [[0b1001, 0b0011, 0b0110, 0b1100]]


@pytest.mark.parametrize(("word", "kept"), [("11110000", False), ("11101000", True), ("11101100", False)])
def test_a_long_run_and_an_odd_count_are_refused(word: str, kept: bool) -> None:
    rules = WordRules(seed=1, cells=8, count=2, light_cells=(2, 6), longest_run=3, distances=(0,) * 8)
    assert keep_rules(np.array([int(word[::-1], 2)], dtype=np.uint64), rules).tolist() == [kept]
