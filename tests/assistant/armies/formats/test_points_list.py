"""Lists with points: one army in the style of each program, and lists that people shared."""

import json
import re
from pathlib import Path

import pytest

from assistant.armies.army import ArmyUnit
from assistant.armies.formats import find_army_format, parse_list, read_armies
from assistant.rules.books import find_rulebook

APP = """Moss (270 Points)

Moss Folk
Strike Force (2000 Points)

CHARACTERS

Old Toad (80 Points)
  • 1x Long Tongue
  • Warlord
  • Attached to: Moss Guard

BATTLELINE

Moss Guard (90 Points)
  • 1x Moss Sergeant
    ◦ 1x Spear
  • 9x Guard
    ◦ 9x Club

Moss Guard (60 Points)
  • 5x Guard
    ◦ 5x Club

Hounds (40 Points)
  • 3x Hound

Exported with App Version: v1
"""
FORGE = """Moss (270 Points)

Character:
Old Toad (80 pts)
  • Long Tongue
  • Leading: Moss Guard

Battleline:
Moss Guard (90 pts)
  • Moss Sergeant
    • Spear
  • 9x Guard
    • 9x Club

Moss Guard (60 pts)
  • 5x Guard
    • 5x Club
Hounds (40 pts)
  • 3x Hound
"""
SIMPLE = """Moss - [270 pts]

# ++ Army Roster ++ [270 pts]
## Character [80 pts]
Old Toad [80 pts]: Warlord, Long Tongue

## Battleline [190 pts]
Moss Guard [90 pts]:
• 1x Moss Sergeant: Spear
• 9x Guard: Club
Moss Guard [60 pts]:
• 5x Guard: Club
Hounds [40 pts]:
• 3x Hound: Teeth
"""
HEAD = """+++++++
+ LIST NAME: Moss
+ FACTION KEYWORD: Moss Folk
+ TOTAL ARMY POINTS: 270pts
+++++++

"""
COMPACT = f"""{HEAD}Char1: 1x Old Toad (80 pts): Long Tongue, Warlord
10x Moss Guard (90 pts)
• 1x Moss Sergeant: Spear
• 9x Guard
    9 with Club
5x Moss Guard (60 pts): 5x Club
3x Hounds (40 pts): Teeth
"""
FULL = f"""{HEAD}CHARACTER

Char1: 1x Old Toad (80 pts)
1 with Long Tongue, Warlord

BATTLELINE

10x Moss Guard (90 pts)
• 1x Moss Sergeant
1 with Spear
• 9x Guard
9 with Club

5x Moss Guard (60 pts)
5 with Club

3x Hounds (40 pts)
3 with Teeth
"""


def make_thing(kind: str, name: str, quantity: int, points: int, *parts: object) -> dict[str, object]:
    stats = {"Points": {"value": points}}
    assets = {"included": list(parts)}
    return {"item": f"{kind}§{name}", "name": name, "quantity": quantity, "stats": stats, "assets": assets}


ROSTERIZER = json.dumps(
    {
        "snapshot": make_thing(
            "Roster",
            "Moss",
            1,
            0,
            make_thing("Faction", "Moss Folk", 1, 0),
            make_thing("Unit", "Old Toad", 1, 80, make_thing("Weapon", "Long Tongue", 1, 0)),
            make_thing(
                "Unit",
                "Moss Guard",
                1,
                90,
                make_thing("Model", "Moss Sergeant", 1, 0),
                make_thing("Model", "Guard", 9, 0),
            ),
            make_thing("Unit", "Moss Guard", 5, 60),
            make_thing("Unit", "Hounds", 3, 40),
        )
    }
)
ALL = {
    "gw-app": APP,
    "list-forge": FORGE,
    "new-recruit-simple": SIMPLE,
    "wtc-compact": COMPACT,
    "wtc-full": FULL,
    "rosterizer": ROSTERIZER,
}


def count_units(units: tuple[ArmyUnit, ...]) -> list[tuple[str, int, float | None]]:
    return [(unit.name, unit.size, unit.points) for unit in units]


@pytest.mark.parametrize(
    ("form", "encoding"),
    [
        *((form, "utf-8") for form in ALL),
        *((form, code) for code in ("utf-16", "utf-16-be") for form in ALL if form != "rosterizer"),
    ],
)
def test_each_style_is_known_by_looking_and_says_the_same_army(tmp_path: Path, form: str, encoding: str) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(ALL[form].replace("\n", "\r\n").encode(encoding))
    found = find_army_format(path.name, path.read_bytes())
    assert found is not None
    assert found.name == form
    (army,) = read_armies(path, None).armies
    assert army.player == "Moss"
    assert count_units(army.units) == [
        ("Old Toad", 1, 80),
        ("Moss Sergeant", 1, 90),
        ("Guard", 9, None),
        ("Moss Guard", 5, 60),
        ("Hounds", 3, 40),
    ]
    assert army.units[1].part_of == army.units[2].part_of == "Moss Guard"
    assert army.units[3].part_of is None


@pytest.mark.parametrize("text", [APP, FORGE])
def test_a_leader_is_part_of_the_first_unit_that_he_is_said_to_lead(text: str) -> None:
    entries = [line.entry for line in parse_list(text, ()) if line.entry]
    assert [entry.part_of for entry in entries] == ["Moss Guard", "Moss Guard", "Moss Guard", "", ""]
    assert entries[0].keywords == "character"


GROUPED = """Moss (270 Points)

Moss Folk
Strike Force (2,000 Points)

ATTACHED UNITS

Attached Unit 1

Old Toad (80 Points)
  • Attached as: Leader (Character)
  • 1x Long Tongue
    1x Wet Skin
Moss Guard (90 Points)
  • Attached as: Bodyguard
  • 1x Moss Sergeant
    • 1x Spear
      1x Shield
  • 4x Guard
    • 4x Club

OTHER DATASHEETS

Moss Gate (40 Points)

Moss Guard (90 Points)
  • 5x Guard
    • 5x Club
"""
TOGETHER = """Moss (270 Points)

Attached Units:
Old Toad + Moss Guard (170 pts)
  Old Toad (80 pts)
    • Long Tongue
  Moss Guard (90 pts)
    • Moss Sergeant
      • Spear
    • 4x Guard
      • 4x Club

Battleline:
Moss Gate (40 pts)
  • Gate
Moss Guard (90 pts)
  • 5x Guard
    • 5x Club
"""
NOTED = f"""{HEAD}Char1: 1x Old Toad (80 pts): Long Tongue, Warlord
Attachment: leader -> Moss Guard
5x Moss Guard (90 pts):
• 1x Moss Sergeant: Spear
• 4x Guard: Club
1x Moss Gate (40 pts): Gate
5x Moss Guard (90 pts): Club
"""
NAMED = """Moss - [270 pts]

# ++ Army Roster ++ [270 pts, 2 Oaths]
## Character [80 pts]
Old Toad [80 pts]: Attachment: leader -> Moss Guard [provisional], Warlord, Long Tongue
## Battleline [190 pts]
Moss Guard [90 pts]:
• 1x Moss Sergeant: Spear
• 4x Guard: Club
Moss Gate [40 pts]: Gate
Moss Guard [90 pts]:
• 5x Guard: Club
"""


@pytest.mark.parametrize("text", [GROUPED, TOGETHER, NOTED, NAMED], ids=["grouped", "together", "noted", "named"])
def test_however_a_list_says_whom_a_leader_leads_they_are_one_unit(text: str) -> None:
    entries = [line.entry for line in parse_list(text, ()) if line.entry]
    assert [(entry.name, entry.count, entry.part_of) for entry in entries] == [
        ("Old Toad", "1", "Moss Guard"),
        ("Moss Sergeant", "1", "Moss Guard"),
        ("Guard", "4", "Moss Guard"),
        ("Moss Gate", "1", ""),
        ("Moss Guard", "5", ""),
    ]


def test_equipment_without_a_bullet_is_what_the_unit_has() -> None:
    passed = {line.text: line.note for line in parse_list(GROUPED, ()) if line.kind == "passed"}
    assert passed["1x Wet Skin"] == "Passed over: it is what Old Toad has."
    assert passed["1x Shield"] == "Passed over: it is what Moss Guard has."
    assert next(line.entry.keywords for line in parse_list(GROUPED, ()) if line.entry) == "character"


def test_a_list_that_lost_its_indents_still_tells_models_from_what_they_have() -> None:
    bare = "\n".join(line.strip() for line in APP.splitlines())
    names = [line.entry.name for line in parse_list(bare, ()) if line.entry]
    assert names == ["Old Toad", "Moss Sergeant", "Guard", "Moss Guard", "Hounds"]


def test_points_are_read_in_the_language_of_the_program() -> None:
    text = APP.replace("(2000 Points)", "(2.000 Punkte)").replace(" Points)", " Punkte)")
    assert [line.entry.points for line in parse_list(text, ()) if line.entry] == ["80", "90", "", "60", "40"]


def test_every_line_stands_in_the_list_in_its_own_words() -> None:
    lines = parse_list(APP, ())
    assert [line.text for line in lines] == [line.strip() for line in APP.splitlines() if line.strip()]
    silent = [line.text for line in lines if line.kind == "passed" and not line.note]
    assert silent == ["Moss Guard (90 Points)"], "a unit, whose kinds of model are rows"


@pytest.mark.parametrize("text", [APP, FORGE, SIMPLE, COMPACT, FULL], ids=["app", "forge", "simple", "compact", "full"])
def test_what_a_unit_has_is_one_remark(text: str, tmp_path: Path) -> None:
    (tmp_path / "moss.txt").write_text(text, encoding="utf-8")
    remarks = read_armies(tmp_path / "moss.txt", None).remarks
    owners = [match[1] for remark in remarks if (match := re.search(r"it is what (.*) has", remark))]
    assert max(map(owners.count, ("Old Toad", "Hounds")), default=0) <= 1
    assert owners.count("Moss Guard") <= 2, "there are two units of this name"
    assert len(remarks) <= len(owners) + text.lower().count("character") + 4


def test_a_thing_that_says_how_many_models_it_has_is_one_unit(tmp_path: Path) -> None:
    leader = make_thing("Unit", "Old Toad", 1, 80, make_thing("Attachment", "Attachment: leader -> Hounds", 1, 0))
    hounds = make_thing("Unit", "Hounds", 6, 40, make_thing("Model", "Hound", 6, 0))
    (tmp_path / "moss.json").write_text(json.dumps({"snapshot": make_thing("Roster", "Moss", 1, 0, leader, hounds)}))
    units = read_armies(tmp_path / "moss.json", None).armies[0].units
    assert [(unit.name, unit.size, unit.part_of) for unit in units] == [
        ("Old Toad", 1, "Hounds"),
        ("Hounds", 6, "Hounds"),
    ]


def test_what_a_rulebook_does_not_take_of_a_unit_ends_no_reading(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(FULL, encoding="utf-8")
    reading = read_armies(tmp_path / "list.txt", find_rulebook("warmaster-revolution"))
    assert len(reading.armies[0].units) == 5
    assert "'3x Hounds (40 pts)': Troop is missing" in " ".join(reading.remarks)


def test_a_list_of_ours_is_none_of_another_program() -> None:
    assert find_army_format("", '# Red\n• 5 Scouts 32mm (80 pts)\n• Captain 40 M6"'.encode()) is None


def test_of_many_leaders_each_leads_a_unit_of_its_own_as_long_as_there_are_any() -> None:
    toads = "Old Toad (80 pts)\n  • Long Tongue\n  • Leading: Moss Guard\n\n"
    guards = "Moss Guard (90 pts)\n  • 5x Guard\n\n"
    text = f"Moss (270 Points)\n\nCharacter:\n{toads * 301}\nBattleline:\n{guards * 300}"
    entries = [line.entry for line in parse_list(text, ()) if line.entry is not None]
    parts = [entry.part_of for entry in entries if entry.name == "Old Toad"]
    assert parts[:300] == ["Moss Guard", *(f"Moss Guard {number}" for number in range(2, 301))]
    assert parts[300] == "Moss Guard", "who comes too late joins the first"
    assert {entry.part_of for entry in entries} == set(parts)
