"""Limits: what no table holds is refused in one sentence, and what is just inside of them is answered."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.game import limits
from assistant.game.situation_file import SituationForm, parse_situation
from assistant.rules.referee import Referee
from assistant.rules.verdict import EVERYTHING, Outcome

PAGE = Path(__file__).parents[3] / "docs" / "formats" / "situation.md"
Document = dict[str, Any]


def build_document() -> Document:
    return {
        "format": "overtable.situation/1",
        "rulebook": "warhammer-40k-10e",
        "table": {"width_mm": 1524, "depth_mm": 1118},
        "terrain": [{"id": "ruin", "outline_mm": [[600, 400], [750, 400], [750, 520]], "height_mm": 120}],
        "units": [
            {
                "id": unit,
                "player": player,
                "profile": {"move_in": 6},
                "models": [{"id": f"{unit} {at}", "base": {"round_mm": 32}, "pose": {"x_mm": x + 35 * at, "y_mm": 300}}
                           for at in range(3)],
            }
            for unit, player, x in (("a", "red", 300), ("b", "blue", 600))
        ],
        "move": {
            "unit": "a", "action": "normal",
            "paths": {"a 0": [{"x_mm": 300, "y_mm": 300}, {"x_mm": 300, "y_mm": 380}]},
        },
    }  # fmt: skip


def give_base(base: Document) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        for unit in document["units"]:
            for model in unit["models"]:
                model["base"] = base

    return change


def fill_unit(count: int) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        unit = document["units"][0]
        unit["models"] = [{**unit["models"][0], "id": f"a {at}"} for at in range(count)]

    return change


def give_outline(corners: int) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        angles = [2 * math.pi * at / corners for at in range(corners)]
        document["terrain"][0]["outline_mm"] = [[700 + 60 * math.cos(a), 400 + 60 * math.sin(a)] for a in angles]

    return change


def repeat_terrain(count: int, corners: int) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        give_outline(corners)(document)
        document["terrain"] = [{**document["terrain"][0], "id": f"ruin {at}"} for at in range(count)]

    return change


def extend_path(count: int) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        path = document["move"]["paths"]["a 0"]
        path += [path[-1]] * count

    return change


def set_number(*place: str | int, number: float) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        at: Any = document
        for key in place[:-1]:
            at = at[key]
        at[place[-1]] = number

    return change


def give_nesting(document: Document) -> None:
    boxes: list[Any] = []
    for _ in range(100_000):
        boxes = [boxes]
    document["parameters"] = {"pivot": boxes}


BASE = "units[0].models[0].base"
REFUSED: list[tuple[Callable[[Document], None], str]] = [
    (give_base({"round_mm": 5e-324}), f"{BASE}.round_mm: expected 1 or more, not '5e-324'"),
    (give_base({"round_mm": 1e6}), f"{BASE}.round_mm: expected 5000 or less, not '1000000.0'"),
    (give_base({"rect_mm": [25, 0.5]}), f"{BASE}.rect_mm[1]: expected 1 or more, not '0.5'"),
    (
        give_base({"outline_mm": [[0, 0], [1e4, 0], [0, 9]]}),
        f"{BASE}.outline_mm[1][0]: expected 5000 or less, not '10000.0'",
    ),
    (
        give_base({"outline_mm": [[0, 0], [20, 0], [0, 1e-13]]}),
        (
            f"{BASE}: the outline from (0, 0) comes within 1e-13 mm of itself;"
            " expected its corners and sides at least 0.001 mm apart"
        ),
    ),
    (set_number("table", "width_mm", number=1e-3), "table.width_mm: expected 10 or more, not '0.001'"),
    (set_number("table", "width_mm", number=1e9), "table.width_mm: expected 100000 or less, not '1000000000.0'"),
    (
        set_number("terrain", 0, "height_mm", number=1e300),
        "terrain[0].height_mm: expected 10000 or less, not '1e+300'",
    ),
    (fill_unit(10_000), "units[0].models: expected at most 600 in the list, not a list of 10000"),
    (fill_unit(598), "units: expected at most 600 models in all, not 601"),
    (give_outline(10_000), "terrain[0].outline_mm: expected at most 1000 in the list, not a list of 10000"),
    (repeat_terrain(501, 3), "terrain: expected at most 500 in the list, not a list of 501"),
    (repeat_terrain(12, 1000), "terrain and bases: expected at most 10000 corners of outlines in all, not 12000"),
    (extend_path(10_000), "move.paths.a 0: expected at most 2000 in the list, not a list of 10002"),
    (give_nesting, "lists and objects are nested too deep in it"),
]


@pytest.mark.parametrize(("change", "sentence"), REFUSED, ids=[sentence[:40] for _, sentence in REFUSED])
def test_what_no_table_holds_is_refused_in_one_sentence(change: Callable[[Document], None], sentence: str) -> None:
    document = build_document()
    change(document)
    with pytest.raises(BadInput) as caught:
        parse_situation(document, "some.json")
    assert str(caught.value).partition(" (and ")[0] == f"some.json: {sentence}"


def coincide(document: Document) -> None:
    for unit in document["units"]:
        for model in unit["models"]:
            model["pose"] = {"x_mm": 300, "y_mm": 300}


ANSWERED: dict[str, Callable[[Document], None]] = {
    "the least bases": give_base({"round_mm": limits.LEAST_BASE_MM}),
    "the greatest bases": give_base({"oval_mm": [limits.GREATEST_BASE_MM, limits.GREATEST_BASE_MM / 2]}),
    "everybody in one place": coincide,
    "most models, all in one place": fill_unit(limits.MOST_MODELS - 3),
    "an outline of most corners": give_outline(limits.MOST_CORNERS),
    "most pieces of terrain, all in one place": repeat_terrain(limits.MOST_TERRAIN, 4),
    "a path of most poses": extend_path(limits.MOST_POSES - 2),
}


@pytest.mark.parametrize("change", ANSWERED.values(), ids=ANSWERED)
def test_what_is_just_within_the_limits_is_answered(change: Callable[[Document], None]) -> None:
    document = build_document()
    change(document)
    situation = parse_situation(document, "some.json")
    referee = Referee(situation.state)
    assert referee.judge(situation.move, detail=EVERYTHING).findings
    assert referee.judge(None).outcome in Outcome
    assert referee.find_zone(model="a 0", action="normal", facing="keep", alone=True).region.is_valid


def test_page_and_schema_say_every_limit() -> None:
    said = PAGE.read_text(encoding="utf-8").partition("## Limits")[2]
    numbers = {float(each.replace(" ", "")) for each in re.findall(r"\d[\d .]*", said.partition("\n## ")[0])}
    stated = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert not {name: value for name, value in stated.items() if value not in numbers}
    schema = json.dumps(SituationForm.model_json_schema())
    for most in (limits.MOST_CORNERS, limits.MOST_MODELS, limits.MOST_TERRAIN, limits.MOST_UNITS, limits.MOST_POSES):
        assert f'"maxItems": {most}' in schema
    for bound in (limits.LEAST_BASE_MM, limits.GREATEST_BASE_MM):
        assert f'imum": {bound}' in schema
