import pytest

from assistant.armies.army import ArmyUnit
from assistant.armies.unit_entry import UnitEntry, entry_from_unit, unit_from_entry
from assistant.game.base_spec import BaseSpec
from assistant.rules.books import find_rulebook

TENTH, WARMASTER = find_rulebook("warhammer-40k-10e"), find_rulebook("warmaster-revolution")


@pytest.mark.parametrize(
    ("entry", "field", "says"),
    [
        (UnitEntry(base="32"), "name", "Give the unit a name."),
        (UnitEntry(name="Scouts", count="many", base="32"), "count", "from 1 to 300, not 'many'"),
        (UnitEntry(name="Scouts", count="0", base="32"), "count", "from 1 to 300, not '0'"),
        (UnitEntry(name="Scouts"), "base", "Which base?"),
        (UnitEntry(name="Scouts", base="big"), "base", "Base 'big': expected one such as 32"),
        (
            UnitEntry(name="Scouts", base="32", profile={"move_in": "fast"}),
            "move_in",
            "Move: expected a number, not 'fast'.",
        ),
        (UnitEntry(name="Scouts", base="32", profile={"move_in": "15 cm"}), "move_in", "Move: expected in, not 'cm'."),
        (UnitEntry(name="Scouts", base="32", profile={"move_in": "1000"}), "move_in", "from 0 to 100, not 1000"),
        (UnitEntry(name="Scouts", base="32", status="asleep"), "status", "'asleep' is not known"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(entry: UnitEntry, field: str, says: str) -> None:
    unit, problems = unit_from_entry(entry, TENTH)
    assert unit is None
    assert [problem.field for problem in problems] == [field]
    assert says in problems[0].text


def test_what_the_rulebook_needs_is_asked_for_in_its_column() -> None:
    unit, (problem,) = unit_from_entry(UnitEntry(name="Knights", count="3", base="20x40"), WARMASTER)
    assert unit is None
    assert problem.field == "troop"
    assert problem.text.startswith("Troop is missing; expected one of infantry, cavalry")


def test_everything_that_is_wrong_is_said_at_once() -> None:
    _, problems = unit_from_entry(UnitEntry(name="", count="x", base=""), TENTH)
    assert [problem.field for problem in problems] == ["name", "count", "base"]


def test_a_unit_of_a_file_is_what_its_entry_says() -> None:
    unit = ArmyUnit(
        name="Scouts",
        count=3,
        base=BaseSpec(oval_mm=(60.0, 35.0)),
        keywords=("infantry",),
        profile={"move_in": 6},
        status=("battle-shocked",),
    )
    assert unit_from_entry(entry_from_unit(unit), TENTH) == (unit, ())
