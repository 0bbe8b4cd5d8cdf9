import pytest

from assistant.armies.formats.roster import parse_roster
from assistant.armies.formats.roster_line import RosterLine, list_passed
from assistant.armies.unit_entry import UnitEntry, unit_from_entry
from assistant.rules.books import find_rulebook

TENTH, WARMASTER = find_rulebook("warhammer-40k-10e"), find_rulebook("warmaster-revolution")


def read_line(line: str) -> RosterLine:
    (roster_line,) = parse_roster(line, (TENTH,))
    return roster_line


def read_entry(line: str) -> UnitEntry:
    roster_line = read_line(line)
    assert roster_line.entry is not None
    assert roster_line.note == ""
    return roster_line.entry


@pytest.mark.parametrize(
    ("line", "name", "count", "base"),
    [
        ("5 Scouts 32mm", "Scouts", "5", "32"),
        ("Scouts x5 (32 mm)", "Scouts", "5", "32"),
        ("  - 5x Scouts, 32mm [90 pts]", "Scouts", "5", "32"),
        ("Scouts (5 models) - 32 mm base", "Scouts", "5", "32"),
        ("Scouts 5x 32mm", "Scouts", "5", "32"),
        ("1x Battle Tank 100x60", "Battle Tank", "1", "100x60"),
        ("Captain 40", "Captain", "1", "40"),
        ("* Assault Squad (10) 28.5", "Assault Squad", "10", "28.5"),
        ("Boyz 30, 32", "Boyz", "30", "32"),
        ("Walker (120 points) oval 75 x 42 mm", "Walker", "1", "oval 75 x 42"),
        ("2) 3 Rat Swarms, 40mm square", "Rat Swarms", "3", "40 square"),
        ("7th Company 32mm", "7th Company", "1", "32"),
        ("Élan’s Guard x3 32mm", "Élan’s Guard", "3", "32"),
    ],
)
def test_a_line_is_a_unit(line: str, name: str, count: str, base: str) -> None:
    entry = read_entry(line)
    assert (entry.name, entry.count, entry.base) == (name, count, base)
    assert unit_from_entry(entry, TENTH)[1] == ()


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ('10 Guardsmen, 25mm, move 6"', '6"'),
        ("10 Guardsmen 25mm M6", "6"),
        ("10 Guardsmen 25mm (M: 6 in)", "6 in"),
        ("10 Guardsmen 25mm 6″", "6 ″"),
        ("10 Guardsmen 25mm move_in 6", "6"),
    ],
)
def test_a_move_is_read_however_it_is_written(line: str, move: str) -> None:
    entry = read_entry(line)
    assert entry.profile == {"move_in": move}
    unit, problems = unit_from_entry(entry, TENTH)
    assert problems == ()
    assert unit is not None
    assert unit.profile == {"move_in": 6}


def test_keywords_statuses_and_other_keys_are_read() -> None:
    entry = read_entry('Transport 120x92, vehicle, transport; battle-shocked, M12" capacity 10, carries infantry')
    assert entry.keywords == "vehicle, transport"
    assert entry.status == "battle-shocked"
    assert entry.profile == {"move_in": '12"', "capacity": "10", "carries": "infantry"}


def test_the_words_and_the_unit_are_the_rulebooks() -> None:
    (line,) = parse_roster("4 Knights 20x40 cavalry, move 30 cm", (WARMASTER,))
    assert line.entry is not None
    assert line.entry.profile == {"troop": "cavalry", "move_cm": "30 cm"}
    assert read_line("4 Knights 20x40, move 30 cm").note == "Not understood: 'move 30 cm'."


def test_what_is_not_understood_is_said_and_the_rest_is_kept() -> None:
    line = read_line("3 Terminators – 40 mm – with two very heavy guns indeed")
    assert line.note == "Not understood: 'with two very heavy guns indeed'."
    assert line.entry is not None
    assert (line.entry.name, line.entry.count, line.entry.base) == ("Terminators", "3", "40")


def test_what_one_unit_has_is_one_remark() -> None:
    text = "Forged by hand:\n\nArmy\nUnits\nCaptain 40\n  Blade\n  Cloak\n    of moss\n5 Scouts 32\n  Blade\nHeroes\n"
    equipment = "Passed over: it stands below a unit, as its equipment does."
    assert [(passed.texts, passed.note) for passed in list_passed(parse_roster(text, (TENTH,)))] == [
        (("Army", "Units"), "A heading, skipped."),
        (("Blade", "Cloak", "of moss"), equipment),
        (("Blade",), equipment),
        (("Heroes",), "A heading, skipped."),
    ]


def test_headings_name_players_and_equipment_is_passed_over() -> None:
    lines = parse_roster(
        "# Red\n\nCHARACTERS\n\nCaptain 40\n  • Warlord\n  • 1x Blade\nBlue:\n5 Scouts 32\n== Green ==\nPlayer: Anna\n",
        (TENTH,),
    )
    assert [(line.kind, line.player) for line in lines] == [
        ("player", "Red"),
        ("passed", "Red"),
        ("unit", "Red"),
        ("passed", "Red"),
        ("passed", "Red"),
        ("player", "Blue"),
        ("unit", "Blue"),
        ("player", "Green"),
        ("player", "Anna"),
    ]
    assert [line.note for line in lines if line.kind == "passed"] == [
        "A heading, skipped.",
        *["Passed over: it stands below a unit, as its equipment does."] * 2,
    ]
