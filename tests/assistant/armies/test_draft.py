import json
from collections.abc import Callable

import pytest

from assistant.armies import draft as drafts
from assistant.armies.army import Army, ArmyUnit
from assistant.armies.draft import ArmiesDraft, draft_from_json, json_from_draft
from assistant.errors import BadInput
from assistant.game.base_spec import BaseSpec


def begin_pasted_draft(text: str = "5 Scouts 32\nCaptain 40\n10 Guards 25") -> ArmiesDraft:
    return drafts.paste_roster(drafts.begin_draft("warhammer-40k-10e"), "1", text)


def list_names(draft: ArmiesDraft, force: str = "1") -> list[str]:
    return [row.entry.name for row in draft.find_force(force).rows]


def test_what_was_corrected_stays_while_other_lines_are_typed() -> None:
    draft = drafts.edit_unit(begin_pasted_draft(), "1", 2, "base", "50")
    draft = drafts.paste_roster(draft, "1", "Herald 32\n5 Scouts 32\nCaptain 40\n10 Guards 25")
    assert list_names(draft) == ["Herald", "Scouts", "Captain", "Guards"]
    assert draft.find_force("1").find_row(2).entry.base == "50"


def test_a_line_that_is_changed_in_its_place_changes_all_but_what_was_corrected() -> None:
    draft = drafts.edit_unit(begin_pasted_draft(), "1", 2, "base", "50")
    draft = drafts.paste_roster(draft, "1", '5 Scouts 32\n2 Captains 40 M6"\n10 Guards 25')
    captains = draft.find_force("1").find_row(2).entry
    assert (captains.name, captains.count, captains.base, captains.profile) == (
        "Captains",
        "2",
        "50",
        {"move_in": '6"'},
    )


def test_a_unit_is_added_by_hand_and_dropped_with_its_line() -> None:
    draft = drafts.add_unit(begin_pasted_draft(), "1")
    draft = drafts.edit_unit(draft, "1", 4, "name", "Tank")
    draft = drafts.remove_unit(draft, "1", 2)
    assert list_names(draft) == ["Scouts", "Guards", "Tank"]
    assert draft.find_force("1").text == "5 Scouts 32\n10 Guards 25"
    assert list_names(drafts.paste_roster(draft, "1", "")) == ["Tank"]


def test_another_rulebook_reads_the_roster_anew_and_keeps_what_was_corrected() -> None:
    draft = drafts.edit_unit(begin_pasted_draft("3 Knights 20x40, cavalry"), "1", 1, "count", "4")
    assert draft.find_force("1").find_row(1).entry.keywords == "cavalry"
    entry = drafts.change_rulebook(draft, "warmaster-revolution").find_force("1").find_row(1).entry
    assert (entry.count, entry.profile, entry.keywords) == ("4", {"troop": "cavalry"}, "")


def test_a_heading_names_a_player_whom_nobody_has_named() -> None:
    draft = begin_pasted_draft("# Red\n5 Scouts 32")
    assert draft.find_force("1").player == "Red"
    assert (
        drafts.paste_roster(drafts.name_player(draft, "1", "Anna"), "1", "# Blue\n5 Scouts 32").find_force("1").player
        == "Anna"
    )


def test_a_roster_of_two_players_is_parted_by_its_headings() -> None:
    draft = drafts.split_by_headings(
        begin_pasted_draft("# Red\n5 Scouts 32\n# Blue\nCaptain 40\n# Green\n3 Guards 25"), "1"
    )
    assert [(force.player, list_names(draft, force.key)) for force in draft.forces] == [
        ("Red", ["Scouts"]),
        ("Blue", ["Captain"]),
        ("Green", ["Guards"]),
    ]
    with pytest.raises(BadInput, match="names no other player"):
        drafts.split_by_headings(draft, "1")


def test_an_army_of_a_file_takes_its_players_place() -> None:
    scouts = ArmyUnit(name="Scouts", count=5, base=BaseSpec(round_mm=32.0), profile={"move_in": 6, "speed": 1})
    draft = drafts.load_armies(begin_pasted_draft(), "2", (Army(player="Blue", units=(scouts,)),))
    (row,) = draft.find_force("2").rows
    assert (draft.find_force("2").player, row.entry.count, row.note) == (
        "Blue",
        "5",
        "warhammer-40k-10e has no speed: left out.",
    )


def test_what_was_entered_is_kept_as_it_is_right_or_wrong() -> None:
    draft = drafts.edit_unit(begin_pasted_draft(), "1", 2, "count", "a few")
    assert draft_from_json(json.loads(json.dumps(json_from_draft(draft))), "draft.json") == draft
    with pytest.raises(BadInput, match="Player 1, Captain: How many models"):
        drafts.build_armies(draft)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(BadInput, match="this army is no longer there"):
        drafts.name_player(begin_pasted_draft(), "7", "x")
    with pytest.raises(BadInput, match="this unit is no longer there"):
        drafts.edit_unit(begin_pasted_draft(), "1", 9, "name", "x")
    with pytest.raises(BadInput, match="knows no 'speed' of a unit"):
        drafts.edit_unit(begin_pasted_draft(), "1", 1, "speed", "x")


def test_the_further_armies_of_a_file_are_further_players() -> None:
    scouts = ArmyUnit(name="Scouts", base=BaseSpec(round_mm=32.0))
    armies = [Army(player=name, units=(scouts,)) for name in ("Anna", "Bo")]
    draft = drafts.load_armies(begin_pasted_draft(), "2", armies, ("the dragon: passed over",))
    assert [force.remarks for force in draft.forces] == [(), ("the dragon: passed over",), ()]
    assert draft_from_json(json.loads(json.dumps(json_from_draft(draft))), "draft.json") == draft
    assert [force.player for force in draft.forces] == ["Player 1", "Anna", "Bo"]
    assert [row.entry.name for row in draft.forces[2].rows] == ["Scouts"]


def test_more_units_than_any_army_has_are_refused_however_they_come() -> None:
    scouts = ArmyUnit(name="Scouts", base=BaseSpec(round_mm=32.0))
    full = drafts.paste_roster(begin_pasted_draft(), "2", "5 Scouts 32\n" * 500)
    too_many: tuple[Callable[[], object], ...] = (
        lambda: drafts.paste_roster(full, "2", "5 Scouts 32\n" * 501),
        lambda: drafts.load_armies(full, "2", [Army(player="Player 2", units=(scouts,) * 501)]),
        lambda: drafts.add_unit(full, "2"),
    )
    for enter in too_many:
        with pytest.raises(BadInput, match="Player 2: 501 units are more than any army has; expected 500 at most"):
            enter()
