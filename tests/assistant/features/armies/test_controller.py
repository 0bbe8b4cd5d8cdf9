"""What pages enter of armies: nothing is lost, everything is said, and a game comes of it."""

import json
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.features.armies.controller import ArmiesController
from assistant.game.state import Table
from assistant.web.commands import armies as asked
from assistant.web.messages.armies import ArmiesView, ForceView

TABLE = Table(width_mm=1524, depth_mm=1118)
SITUATION = {
    "format": "overtable.situation/1",
    "rulebook": "warhammer-40k-10e",
    "table": {"width_mm": 1524, "depth_mm": 1118},
    "units": [{"id": "a", "player": "Red", "models": [{"id": "a1", "base": {"round_mm": 32}, "pose": None}]}],
}


def paste(armoury: ArmiesController, text: str, force: str = "1") -> None:
    armoury.obey(asked.ArmiesPaste(type="armies-paste", force=force, text=text))


def edit(armoury: ArmiesController, row: int, field: str, value: str) -> None:
    armoury.obey(asked.ArmiesEdit(type="armies-edit", force="1", row=row, field=field, value=value))


def load_file(armoury: ArmiesController, name: str, text: str) -> None:
    armoury.obey(asked.ArmiesFile(type="armies-file", force="1", name=name, text=text))


def read_view(armoury: ArmiesController) -> ArmiesView:
    return armoury.build_view().armies["armies"]


def read_force(armoury: ArmiesController, key: str = "1") -> ForceView:
    return armoury.build_view().forces[key]


def prepare_armies() -> ArmiesController:
    armoury = ArmiesController()
    paste(armoury, '# Red\n5 Scouts 32 M6"')
    paste(armoury, '# Blue\nCaptain 40 M5"', "2")
    return armoury


def test_from_nothing_to_a_game() -> None:
    armoury = ArmiesController()
    assert armoury.assess()[0] == "todo"
    paste(armoury, '# Red\n5 Scouts M6"')
    assert armoury.assess() == ("bad", "Red, Scouts: Which base? Choose one, such as 32 or 60x35 oval.")
    with pytest.raises(BadInput, match="Red, Scouts: Which base"):
        armoury.compose_game(TABLE)
    edit(armoury, 1, "base", "32")
    assert armoury.assess()[0] == "weak"
    assert "there is no enemy yet" in armoury.assess()[1]
    paste(armoury, "# Blue\nCaptain 40", "2")
    assert armoury.assess() == (
        "weak",
        "2 players, 2 units, 6 models. Captain has no move, so how far it goes is not judged.",
    )
    armoury.obey(asked.ArmiesEdit(type="armies-edit", force="2", row=1, field="move_in", value="5"))
    assert armoury.assess() == ("good", "2 players, 2 units, 6 models.")
    (row,) = read_force(armoury).rows
    assert (row.ids, row.problems) == ("scouts-1 to scouts-5, round 32 mm", [])
    units = armoury.compose_game(TABLE, placed=True)["units"]
    assert [(unit["id"], unit["player"], len(unit["models"])) for unit in units] == [
        ("scouts", "Red", 5),
        ("captain", "Blue", 1),
    ]


def test_the_table_has_the_rulebooks_columns() -> None:
    armoury = ArmiesController()
    armoury.obey(asked.ArmiesRulebook(type="armies-rulebook", rulebook="warmaster-revolution"))
    assert [(column.key, column.unit) for column in read_view(armoury).columns] == [
        ("troop", ""),
        ("move_cm", "cm"),
        ("half_move_cm", "cm"),
    ]
    assert "cavalry" in read_view(armoury).columns[0].choices
    with pytest.raises(BadInput, match="there is no rulebook 'chess'"):
        armoury.obey(asked.ArmiesRulebook(type="armies-rulebook", rulebook="chess"))
    assert read_view(armoury).rulebook == "warmaster-revolution"


def test_what_was_dropped_can_be_brought_back() -> None:
    armoury = prepare_armies()
    armoury.obey(asked.ArmiesLeave(type="armies-leave", force="1"))
    assert (read_view(armoury).forces, read_view(armoury).undo) == (["2"], "Red")
    armoury.obey(asked.ArmiesUndo(type="armies-undo"))
    assert (read_view(armoury).forces, read_view(armoury).undo) == (["1", "2"], "")
    armoury.obey(asked.ArmiesDrop(type="armies-drop", force="1", row=1))
    armoury.obey(asked.ArmiesUndo(type="armies-undo"))
    assert read_force(armoury).text == '# Red\n5 Scouts 32 M6"'
    with pytest.raises(BadInput, match="nothing to bring back"):
        armoury.obey(asked.ArmiesUndo(type="armies-undo"))


def test_files_are_taken_for_what_they_are() -> None:
    armoury = prepare_armies()
    load_file(
        armoury, "red.toml", 'format = "overtable.army/1"\nplayer = "Anna"\n[[units]]\nname = "Tank"\nbase = "100x60"\n'
    )
    assert (read_force(armoury).player, [row.name for row in read_force(armoury).rows]) == ("Anna", ["Tank"])
    assert read_view(armoury).undo == "what Red had before"
    load_file(armoury, "list.txt", "3 Guards 25")
    assert [row.name for row in read_force(armoury).rows] == ["Guards", "Tank"]
    load_file(armoury, "game.json", json.dumps(SITUATION))
    assert armoury.assess() == ("good", "The game of game.json is played: 1 unit by warhammer-40k-10e.")
    assert armoury.compose_game(TABLE) == SITUATION
    armoury.obey(asked.ArmiesOwn(type="armies-own"))
    assert [row.name for row in read_force(armoury).rows] == ["Guards", "Tank"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.toml", "format = 3", "a.toml: "),
        ("a.json", "{", "a.json: this is not whole JSON"),
        ("a.json", json.dumps(SITUATION | {"rulebook": "chess"}), "a.json: rulebook: there is no rulebook 'chess'"),
    ],
)
def test_a_file_that_does_not_fit_changes_nothing(name: str, text: str, says: str) -> None:
    armoury = prepare_armies()
    before = armoury.save()
    with pytest.raises(BadInput, match=says):
        load_file(armoury, name, text)
    assert armoury.save() == before


def test_what_was_entered_is_gone_on_with() -> None:
    kept: list[dict[str, Any]] = []
    armoury = ArmiesController()
    armoury.changed = lambda: kept.append(json.loads(json.dumps(armoury.save())))
    paste(armoury, "5 Scouts of the longest name")
    edit(armoury, 1, "count", "a few")
    again = ArmiesController()
    again.load(kept[-1], "draft.json")
    assert again.build_view() == armoury.build_view()
    assert (
        read_force(again).rows[0].problems[0].text
        == "How many models? Expected a whole number from 1 to 300, not 'a few'."
    )
    with pytest.raises(BadInput, match=r"draft.json: forces\[0\]"):
        again.load({"armies": {"rulebook": "warhammer-40k-10e", "forces": [{}]}}, "draft.json")


def test_headings_of_other_players_are_offered_armies_of_their_own() -> None:
    armoury = ArmiesController()
    paste(armoury, "# Red\n5 Scouts 32\n# Blue\nCaptain 40")
    assert read_force(armoury).others == ["Blue"]
    armoury.obey(asked.ArmiesPart(type="armies-part", force="1"))
    assert (read_force(armoury).others, read_force(armoury, "2").player) == ([], "Blue")
