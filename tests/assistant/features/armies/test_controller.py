"""What pages enter of armies: nothing is lost, everything is said, and a game comes of it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from assistant.armies.own_bases import read_own_bases
from assistant.errors import BadInput
from assistant.features.armies.controller import ArmiesController
from assistant.features.feature import Asker
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.table.session import GameSession
from assistant.web.commands import setup as asked
from assistant.web.messages.message import Message
from assistant.web.messages.setup import ArmiesView, ForceView

TABLE = Table(width_mm=1524, depth_mm=1118)
SITUATION = {
    "format": "overtable.situation/1",
    "rulebook": "warhammer-40k-10e",
    "table": {"width_mm": 1524, "depth_mm": 1118},
    "units": [{"id": "a", "player": "Red", "models": [{"id": "a1", "base": {"round_mm": 32}, "pose": None}]}],
}


def give(armies: ArmiesController, command: Message) -> None:
    armies.handle(command, Asker(session=GameSession(GameState(rulebook=NO_RULEBOOK, table=TABLE, units=()))))


def paste(armies: ArmiesController, text: str, force: str = "1") -> None:
    give(armies, asked.ArmiesPaste(type="armies-paste", force=force, text=text))


def edit(armies: ArmiesController, row: int, field: str, value: str) -> None:
    give(armies, asked.ArmiesEdit(type="armies-edit", force="1", row=row, field=field, value=value))


def load_file(armies: ArmiesController, name: str, text: str | bytes, piece: int = 40_000) -> None:
    content = text.encode() if isinstance(text, str) else text
    for at in range(0, len(content) or 1, piece):
        data = base64.b64encode(content[at : at + piece]).decode()
        more = at + piece < len(content)
        give(armies, asked.ArmiesFile(type="armies-file", force="1", name=name, at=at, data=data, more=more))


def read_view(armies: ArmiesController) -> ArmiesView:
    return armies.build_view().armies["armies"]


def read_force(armies: ArmiesController, key: str = "1") -> ForceView:
    return armies.build_view().forces[key]


def prepare_armies() -> ArmiesController:
    armies = ArmiesController()
    paste(armies, '# Red\n5 Scouts 32 M6"')
    paste(armies, '# Blue\nCaptain 40 M5"', "2")
    return armies


def test_from_nothing_to_a_game() -> None:
    armies = ArmiesController()
    assert armies.assess()[0] == "todo"
    paste(armies, '# Red\n5 Scouts M6"')
    assert armies.assess() == ("bad", "Red, Scouts: Which base? Choose one, such as 32 or 60x35 oval.")
    with pytest.raises(BadInput, match="Red, Scouts: Which base"):
        armies.compose_game(TABLE)
    edit(armies, 1, "base", "32")
    assert armies.assess()[0] == "weak"
    assert "there is no enemy yet" in armies.assess()[1]
    paste(armies, "# Blue\nCaptain 40", "2")
    assert armies.assess() == (
        "weak",
        "2 players, 2 units, 6 models. Captain has no move, so how far it goes is not judged.",
    )
    give(armies, asked.ArmiesEdit(type="armies-edit", force="2", row=1, field="move_in", value="5"))
    assert armies.assess() == ("good", "2 players, 2 units, 6 models.")
    (row,) = read_force(armies).rows
    assert (row.ids, row.problems) == ("scouts-1 to scouts-5, round 32 mm", [])
    units = armies.compose_game(TABLE, placed=True)["units"]
    assert [(unit["id"], unit["player"], len(unit["models"])) for unit in units] == [
        ("scouts", "Red", 5),
        ("captain", "Blue", 1),
    ]


def test_the_table_has_the_rulebooks_columns() -> None:
    armies = ArmiesController()
    give(armies, asked.ArmiesRulebook(type="armies-rulebook", rulebook="warmaster-revolution"))
    assert [(column.key, column.unit) for column in read_view(armies).columns] == [
        ("troop", ""),
        ("move_cm", "cm"),
        ("half_move_cm", "cm"),
    ]
    assert "cavalry" in read_view(armies).columns[0].choices
    with pytest.raises(BadInput, match="there is no rulebook 'chess'"):
        give(armies, asked.ArmiesRulebook(type="armies-rulebook", rulebook="chess"))
    assert read_view(armies).rulebook == "warmaster-revolution"


def test_what_was_dropped_can_be_brought_back() -> None:
    armies = prepare_armies()
    give(armies, asked.ArmiesLeave(type="armies-leave", force="1"))
    assert (read_view(armies).forces, read_view(armies).undo) == (["2"], "Red")
    give(armies, asked.ArmiesUndo(type="armies-undo"))
    assert (read_view(armies).forces, read_view(armies).undo) == (["1", "2"], "")
    give(armies, asked.ArmiesDrop(type="armies-drop", force="1", row=1))
    give(armies, asked.ArmiesUndo(type="armies-undo"))
    assert read_force(armies).text == '# Red\n5 Scouts 32 M6"'
    with pytest.raises(BadInput, match="nothing to bring back"):
        give(armies, asked.ArmiesUndo(type="armies-undo"))


def test_files_are_taken_for_what_they_are() -> None:
    armies = prepare_armies()
    load_file(
        armies, "red.toml", 'format = "overtable.army/1"\nplayer = "Anna"\n[[units]]\nname = "Tank"\nbase = "100x60"\n'
    )
    assert (read_force(armies).player, [row.name for row in read_force(armies).rows]) == ("Anna", ["Tank"])
    assert read_view(armies).undo == "what Red had before"
    load_file(armies, "list.txt", "3 Guards 25")
    assert [row.name for row in read_force(armies).rows] == ["Guards", "Tank"]
    load_file(armies, "game.json", json.dumps(SITUATION))
    assert armies.assess() == ("good", "The game of game.json is played: 1 unit by warhammer-40k-10e.")
    assert armies.compose_game(TABLE) == SITUATION
    give(armies, asked.ArmiesOwn(type="armies-own"))
    assert [row.name for row in read_force(armies).rows] == ["Guards", "Tank"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.toml", "format = 3", "a.toml: "),
        ("a.json", "{", "a.json: this is not whole JSON"),
        ("a.json", json.dumps(SITUATION | {"rulebook": "chess"}), "a.json: rulebook: there is no rulebook 'chess'"),
    ],
)
def test_a_file_that_does_not_fit_changes_nothing(name: str, text: str, says: str) -> None:
    armies = prepare_armies()
    before = armies.save()
    with pytest.raises(BadInput, match=says):
        load_file(armies, name, text)
    assert armies.save() == before


def test_what_was_entered_is_gone_on_with() -> None:
    kept: list[dict[str, Any]] = []
    armies = ArmiesController()
    armies.changed = lambda: kept.append(json.loads(json.dumps(armies.save())))
    paste(armies, "5 Scouts of the longest name")
    edit(armies, 1, "count", "a few")
    again = ArmiesController()
    again.load(kept[-1], "draft.json")
    assert again.build_view() == armies.build_view()
    assert (
        read_force(again).rows[0].problems[0].text
        == "How many models? Expected a whole number from 1 to 300, not 'a few'."
    )
    with pytest.raises(BadInput, match=r"draft.json: forces\[0\]"):
        again.load({"armies": {"rulebook": "warhammer-40k-10e", "forces": [{}]}}, "draft.json")


def test_headings_of_other_players_are_offered_armies_of_their_own() -> None:
    armies = ArmiesController()
    paste(armies, "# Red\n5 Scouts 32\n# Blue\nCaptain 40")
    assert read_force(armies).others == ["Blue"]
    give(armies, asked.ArmiesPart(type="armies-part", force="1"))
    assert (read_force(armies).others, read_force(armies, "2").player) == ([], "Blue")


ROSTER = """<roster name="Moss"><forces><force><selections><selection name="Guard" type="unit" number="1"><selections>
<selection name="Sergeant" type="model" number="1"/><selection name="Guard" type="model" number="9"/></selections>
</selection></selections></force></forces></roster>"""


def test_a_roster_of_a_list_builder_comes_in_pieces_and_its_bases_are_asked() -> None:
    armies = ArmiesController()
    load_file(armies, "moss.ros", ROSTER, piece=50)
    force = read_force(armies)
    assert force.player == "Moss"
    assert [(row.name, row.count, row.part_of, row.base) for row in force.rows] == [
        ("Sergeant", "1", "Guard", ""),
        ("Guard", "9", "Guard", ""),
    ]
    assert [problem.field for row in force.rows for problem in row.problems] == ["base", "base"]
    for row, base in ((1, "40"), (2, "32")):
        edit(armies, row, "base", base)
    (unit,) = armies.compose_game(TABLE)["units"]
    assert [model["base"]["round_mm"] for model in unit["models"]] == [40.0, *[32.0] * 9]


def test_a_piece_out_of_turn_ends_a_file_and_nothing_is_lost() -> None:
    armies = prepare_armies()
    before = armies.draft
    give(armies, asked.ArmiesFile(type="armies-file", force="1", name="a.ros", data="QUJD", more=True))
    with pytest.raises(BadInput, match="a.ros: it did not arrive whole"):
        give(armies, asked.ArmiesFile(type="armies-file", force="1", name="a.ros", at=2, data="QUJD"))
    with pytest.raises(BadInput, match="b.ros: it did not arrive whole"):
        give(armies, asked.ArmiesFile(type="armies-file", force="1", name="b.ros", data="?"))
    with pytest.raises(BadInput, match="^the file: it did not arrive whole"):
        give(armies, asked.ArmiesFile(type="armies-file", force="1", name="\n", data="?"))
    assert armies.draft is before


def test_a_list_as_json_is_pasted_as_any_other() -> None:
    armies = ArmiesController()
    paste(armies, '{"roster": {"name": "Moss", "forces": [{"selections": [{"name": "Toad", "type": "model"}]}]}}')
    assert [row.name for row in read_force(armies).rows] == ["Toad"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<!doctype html><p>5 Scouts</p>", "the pasted list: this is a web page"),
        ('{"name": "Moss"}', "the pasted list: there is no army in it"),
        ('{"roster": {"forces": [', "the pasted list: this is not whole JSON"),
    ],
)
def test_what_is_pasted_by_mistake_loses_nothing(text: str, says: str) -> None:
    armies = prepare_armies()
    before = armies.draft
    with pytest.raises(BadInput, match=says):
        paste(armies, text)
    assert armies.draft is before
    paste(armies, "")
    assert read_force(armies).rows == []


def test_what_was_passed_over_of_a_file_is_no_warning_at_a_unit() -> None:
    oaths = '<selection name="Old Oath" type="upgrade"/><selection name="Ally" type="upgrade"/></selections></force>'
    armies = ArmiesController()
    load_file(armies, "moss.ros", ROSTER.replace("</selections></force>", oaths, 1))
    force = read_force(armies)
    assert [row.note for row in force.rows] == ["", ""]
    assert [(passed.lines, passed.note) for passed in force.passed] == [([], "'Old Oath', 'Ally': no unit, skipped")]
    load_file(armies, "moss.ros", ROSTER)
    assert read_force(armies).passed == []


def test_bases_of_another_machine_are_taken_from_a_file_and_fill_the_rows(tmp_path: Path) -> None:
    armies = ArmiesController(bases=tmp_path / "bases.json")
    paste(armies, "# Red\n5 Scouts")
    said = {"game": "warhammer-40k-10e", "unit": "scouts", "model": "Scouts", "base": {"round_mm": 28.5}}
    load_file(armies, "bases.json", json.dumps({"format": "overtable.bases/1", "bases": [said]}))
    assert [(row.base, row.guess) for row in read_force(armies).rows] == [("28.5", "")]
    with pytest.raises(BadInput, match=r"bases.json: bases\[0\].unit: this key is missing"):
        load_file(armies, "bases.json", '{"format": "overtable.bases/1", "bases": [{"game": "a", "base": "wide"}]}')
    assert read_own_bases(tmp_path / "bases.json").find("warhammer-40k-10e", "scouts", "Scouts") is not None
