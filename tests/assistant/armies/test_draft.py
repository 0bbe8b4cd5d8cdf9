import json

import pytest

from assistant.armies import draft as drafts
from assistant.armies.army import Army, ArmyUnit
from assistant.armies.draft import Draft
from assistant.armies.kept import draft_json, draft_of
from assistant.errors import BadInput
from assistant.game.base import BaseSpec


def begun(text: str = "5 Scouts 32\nCaptain 40\n10 Guards 25") -> Draft:
    return drafts.pasted(drafts.begun("warhammer-40k-10e"), "1", text)


def names(draft: Draft, force: str = "1") -> list[str]:
    return [row.entry.name for row in draft.force(force).rows]


def test_what_was_corrected_stays_while_other_lines_are_typed() -> None:
    draft = drafts.edited(begun(), "1", 2, "base", "50")
    draft = drafts.pasted(draft, "1", "Herald 32\n5 Scouts 32\nCaptain 40\n10 Guards 25")
    assert names(draft) == ["Herald", "Scouts", "Captain", "Guards"]
    assert draft.force("1").row(2).entry.base == "50"


def test_a_line_that_is_changed_in_its_place_changes_all_but_what_was_corrected() -> None:
    draft = drafts.edited(begun(), "1", 2, "base", "50")
    draft = drafts.pasted(draft, "1", '5 Scouts 32\n2 Captains 40 M6"\n10 Guards 25')
    captains = draft.force("1").row(2).entry
    assert (captains.name, captains.count, captains.base, captains.profile) == (
        "Captains",
        "2",
        "50",
        {"move_in": '6"'},
    )


def test_a_unit_is_added_by_hand_and_dropped_with_its_line() -> None:
    draft = drafts.with_unit(begun(), "1")
    draft = drafts.edited(draft, "1", 4, "name", "Tank")
    draft = drafts.without_unit(draft, "1", 2)
    assert names(draft) == ["Scouts", "Guards", "Tank"]
    assert draft.force("1").text == "5 Scouts 32\n10 Guards 25"
    assert names(drafts.pasted(draft, "1", "")) == ["Tank"]


def test_another_rulebook_reads_the_roster_anew_and_keeps_what_was_corrected() -> None:
    draft = drafts.edited(begun("3 Knights 20x40, cavalry"), "1", 1, "count", "4")
    assert draft.force("1").row(1).entry.keywords == "cavalry"
    entry = drafts.of_rulebook(draft, "warmaster-revolution").force("1").row(1).entry
    assert (entry.count, entry.profile, entry.keywords) == ("4", {"troop": "cavalry"}, "")


def test_a_heading_names_a_player_whom_nobody_has_named() -> None:
    draft = begun("# Red\n5 Scouts 32")
    assert draft.force("1").player == "Red"
    assert drafts.pasted(drafts.named(draft, "1", "Anna"), "1", "# Blue\n5 Scouts 32").force("1").player == "Anna"


def test_a_roster_of_two_players_is_parted_by_its_headings() -> None:
    draft = drafts.parted(begun("# Red\n5 Scouts 32\n# Blue\nCaptain 40\n# Green\n3 Guards 25"), "1")
    assert [(force.player, names(draft, force.key)) for force in draft.forces] == [
        ("Red", ["Scouts"]),
        ("Blue", ["Captain"]),
        ("Green", ["Guards"]),
    ]
    with pytest.raises(BadInput, match="names no other player"):
        drafts.parted(draft, "1")


def test_an_army_of_a_file_takes_its_players_place() -> None:
    scouts = ArmyUnit(name="Scouts", count=5, base=BaseSpec(round_mm=32.0), profile={"move_in": 6, "speed": 1})
    draft = drafts.taken(begun(), "2", Army(player="Blue", units=(scouts,)))
    (row,) = draft.force("2").rows
    assert (draft.force("2").player, row.entry.count, row.note) == (
        "Blue",
        "5",
        "warhammer-40k-10e has no speed: left out.",
    )


def test_what_was_entered_is_kept_as_it_is_right_or_wrong() -> None:
    draft = drafts.edited(begun(), "1", 2, "count", "a few")
    assert draft_of(json.loads(json.dumps(draft_json(draft))), "draft.json") == draft
    with pytest.raises(BadInput, match="Player 1, Captain: How many models"):
        drafts.armies_of(draft)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(BadInput, match="this army is no longer there"):
        drafts.named(begun(), "7", "x")
    with pytest.raises(BadInput, match="this unit is no longer there"):
        drafts.edited(begun(), "1", 9, "name", "x")
    with pytest.raises(BadInput, match="knows no 'speed' of a unit"):
        drafts.edited(begun(), "1", 1, "speed", "x")
