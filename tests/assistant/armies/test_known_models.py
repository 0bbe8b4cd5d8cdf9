"""Known models: the owner's answers before what was published, and every guess marked."""

from assistant.armies.army import Army, ArmyUnit
from assistant.armies.draft import UnitRow, add_unit, agree_on_guesses, begin_draft, edit_unit, fill_rows
from assistant.armies.known_models import ANOTHER_UNIT, KnownModels, fill_army
from assistant.armies.own_bases import OwnBase, OwnBases
from assistant.armies.published_units import HULL, PublishedUnits
from assistant.armies.unit_entry import UnitEntry
from assistant.game.base_spec import BaseSpec
from tests.assistant.armies.published_bundle import BUNDLE

GAME = "warhammer-40k-10e"
OWN = OwnBases(bases=(OwnBase(game=GAME, unit="fern riders", model="Fern Rider", base=BaseSpec(round_mm=40)),))
KNOWN = KnownModels(game=GAME, own=OWN, published=PublishedUnits(BUNDLE))


def fill(**unit: object) -> ArmyUnit:
    army = Army(player="Red", units=(ArmyUnit.model_validate(unit),))
    return fill_army(army, KNOWN).units[0]


def test_the_list_comes_first_then_the_owner_then_what_was_published() -> None:
    named = fill(name="Moss Guard", base="25", profile={"move_in": 5}, keywords=("moss",))
    assert (named.base, named.profile, named.guess) == (BaseSpec(round_mm=25), {"move_in": 5}, "")
    own = fill(name="Fern Rider", part_of="Fern Riders 2")
    assert (own.base, own.guess) == (BaseSpec(round_mm=40), "")
    elsewhere = fill(name="Fern Rider", part_of="Bog Riders")
    assert (elsewhere.base, elsewhere.guess) == (BaseSpec(round_mm=40), ANOTHER_UNIT)
    published = fill(name="Moss Sergeant", part_of="Moss Guard")
    assert (published.base, published.profile, published.guess) == (BaseSpec(oval_mm=(60, 35)), {"move_in": 7}, "40kdc")
    hull = fill(name="Crawler")
    assert (hull.base, hull.remark, hull.guess) == (None, HULL, "")


def test_a_leader_who_joined_a_unit_stands_on_his_own_base() -> None:
    toad = fill(name="Old Toad", part_of="Moss Guard")
    assert (toad.base, toad.profile) == (BaseSpec(round_mm=40), {"move_in": 5})


def test_keywords_and_what_a_transport_carries_are_filled_where_the_list_has_but_headings() -> None:
    skiff = fill(name="Heron’s-Eye Skiff", keywords=("dedicated transport",), base="60", profile={"move_in": 14})
    assert skiff.keywords == ("dedicated transport", "vehicle", "fly", "transport")
    assert (skiff.profile, skiff.guess) == ({"move_in": 14, "capacity": 6}, "40kdc")
    said = fill(name="Heron’s-Eye Skiff", keywords=("vehicle", "transport"))
    assert said.keywords == ("vehicle", "transport")
    (row,) = find_rows(UnitEntry(name="Moss Guard", base="32", keywords="battleline", profile={"move_in": "6"}))
    assert (row.entry.keywords, row.entry.guess) == ("battleline, infantry, moss", "40kdc")


def test_a_unit_under_an_older_name_has_the_base_of_the_newer_as_a_guess() -> None:
    guards = fill(name="Elder Moss Guard")
    assert (guards.base, guards.guess, guards.profile) == (BaseSpec(round_mm=32), "40kdc, as Moss Guard", {})
    assert fill(name="Elder Fern Bishop").base is None


def test_no_guess_is_learned() -> None:
    army = Army(player="Red", units=(fill(name="Moss Guard"), fill(name="Fern Rider", base="60")))
    learned = OwnBases().learn(GAME, army)
    assert [(one.unit, one.base) for one in learned.bases] == [("fern rider", BaseSpec(round_mm=60))]


def find_rows(*entries: UnitEntry, agreed: int | None = None) -> tuple[UnitRow, ...]:
    draft = begin_draft(GAME)
    for entry in entries:
        draft = add_unit(draft, "1", entry)
    draft = fill_rows(draft, KNOWN)
    if agreed is not None:
        draft = fill_rows(agree_on_guesses(draft, "1", agreed), KNOWN)
    return draft.find_force("1").rows


def test_a_row_is_filled_and_stays_a_guess_until_somebody_agrees() -> None:
    guards, riders = UnitEntry(name="Moss Guard"), UnitEntry(name="Heron's-eye Skiff")
    first, second = find_rows(guards, riders, agreed=1)
    assert (first.entry.base, first.entry.profile, first.entry.guess) == ("32", {"move_in": "6"}, "")
    assert (second.entry.base, second.entry.guess) == ("90x52 oval", "40kdc")


def test_what_somebody_entered_or_emptied_is_not_filled_again() -> None:
    draft = fill_rows(add_unit(begin_draft(GAME), "1", UnitEntry(name="Moss Guard")), KNOWN)
    draft = fill_rows(edit_unit(draft, "1", 1, "base", "40"), KNOWN)
    row = draft.find_force("1").find_row(1)
    assert (row.entry.base, row.entry.guess) == ("40", "")
    draft = fill_rows(edit_unit(draft, "1", 1, "base", ""), KNOWN)
    assert draft.find_force("1").find_row(1).entry.base == ""
    assert fill_rows(draft, KNOWN) == draft
