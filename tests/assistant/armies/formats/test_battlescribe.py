"""Rosters of list builders: the same army from XML, a zip and JSON, and what is said of bad files."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.armies.army import ArmyUnit
from assistant.armies.formats import read_armies
from assistant.armies.formats.army_format import MOST_BYTES
from assistant.armies.game_composition import compose_situation
from assistant.errors import BadInput
from assistant.game.base_spec import BaseSpec
from assistant.game.state import Table
from assistant.rules.books import find_rulebook

BOOK = find_rulebook("warhammer-40k-10e")
XML = """<?xml version="1.0" encoding="UTF-8"?>
<roster name="Żółw и 亀" gameSystemName="A game" xmlns="http://www.battlescribe.net/schema/rosterSchema"><forces><force>
<selections>
 <selection name="Moss Guard" type="unit" number="1">
  <profiles><profile name="Moss Guard" typeName="Unit"><characteristics>
   <characteristic name="M">6"</characteristic><characteristic name="Base Size">32mm</characteristic>
  </characteristics></profile></profiles>
  <categories><category name="Faction: Moss"/><category name="Infantry"/></categories>
  <costs><cost name="pts" value="90.0"/></costs>
  <selections>
   <selection name="Moss Sergeant" type="model" number="1"><selections>
    <selection name="Long Spear" type="upgrade" number="1"/></selections></selection>
   <selection name="Guard w/ Club" type="model" number="5"/>
   <selection name="Guard w/ Net" type="model" number="4"/>
  </selections>
 </selection>
 <selection name="Sky Barge" type="model" number="1">
  <profiles>
   <profile name="Sky Barge" typeName="Unit"><characteristics><characteristic name="M">20-30"</characteristic>
   </characteristics></profile>
   <profile name="Transport" typeName="Abilities"><characteristics>
    <characteristic name="Description">This model has a transport capacity of 11 MOSS INFANTRY models.</characteristic>
   </characteristics></profile>
  </profiles>
  <categories><category name="Fly"/><category name="Transport"/></categories>
 </selection>
 <selection name="Troll Band" type="upgrade" number="1"><selections>
  <selection name="Troll" type="model" number="2"/></selections></selection>
 <selection name="Old Oath" type="upgrade" number="1"/>
</selections></force></forces></roster>"""


def read(tmp_path: Path, name: str, data: bytes) -> tuple[ArmyUnit, ...]:
    (tmp_path / name).write_bytes(data)
    reading = read_armies(tmp_path / name, BOOK)
    assert reading.remarks == ("'Old Oath': no unit, skipped",)
    (army,) = reading.armies
    assert army.player == "Żółw и 亀"
    return army.units


def pack(*files: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files:
            file.writestr(name, data)
    return packed.getvalue()


def write_json() -> bytes:
    guard: dict[str, Any] = {
        "name": "Moss Guard",
        "type": "unit",
        "number": 1,
        "categories": [{"name": "Faction: Moss"}, {"name": "Infantry"}],
        "costs": [{"name": "pts", "value": 90}],
        "profiles": [
            {
                "name": "Moss Guard",
                "typeName": "Unit",
                "characteristics": [{"name": "M", "$text": '6"'}, {"name": "Base Size", "$text": "32mm"}],
            }
        ],
        "selections": [
            {"name": "Moss Sergeant", "type": "model", "number": 1},
            {"name": "Guard w/ Club", "type": "model", "number": 9},
        ],
    }
    oath = {"name": "Old Oath", "type": "upgrade", "number": 1}
    roster = {"name": "Żółw и 亀", "forces": [{"selections": [guard, oath]}]}
    return json.dumps({"roster": roster}, ensure_ascii=False).encode()


def test_half_a_letter_in_a_name_is_no_bug(tmp_path: Path) -> None:
    roster = {"name": "Moss", "forces": [{"selections": [{"name": "\ud800 Guard", "type": "unit", "number": 5}]}]}
    (tmp_path / "moss.json").write_text(json.dumps({"roster": roster}))
    (army,) = read_armies(tmp_path / "moss.json", BOOK).armies
    assert {unit.name for unit in army.units} == {"? Guard"}


def test_units_kinds_counts_moves_bases_and_transports_are_read_and_equipment_is_no_model(tmp_path: Path) -> None:
    sergeant, guard, barge, trolls = read(tmp_path, "moss.ros", XML.encode())
    assert [(one.name, one.size, one.part_of) for one in (sergeant, guard)] == [
        ("Moss Sergeant", 1, "Moss Guard"),
        ("Guard", 9, "Moss Guard"),
    ]
    assert guard.base == BaseSpec(round_mm=32.0)
    assert (guard.profile, guard.keywords, sergeant.points) == ({"move_in": 6}, ("moss", "infantry"), 90.0)
    assert barge.profile == {"move_in": 30, "capacity": 11, "carries": "infantry"}
    assert "20-30" in barge.remark
    assert barge.base is None
    assert (trolls.name, trolls.size) == ("Troll Band", 2)


def test_the_same_army_comes_from_every_dress(tmp_path: Path) -> None:
    plain = read(tmp_path, "a.ros", XML.encode())
    assert read(tmp_path, "b.rosz", pack(("x.ros", XML.encode()))) == plain
    assert read(tmp_path, "c", XML.replace("UTF-8", "UTF-16").encode("utf-16")) == plain
    assert (
        read(
            tmp_path,
            "e.ros",
            XML.replace("UTF-8", "windows-1251")
            .replace("亀", "&#x4e80;")
            .replace("Żółw", "&#379;ółw")
            .encode("cp1251", "xmlcharrefreplace"),
        )
        == plain
    )
    assert read(tmp_path, "d.json", b"\xef\xbb\xbf" + write_json()) == plain[:2]


def test_a_mixed_unit_is_one_in_the_game(tmp_path: Path) -> None:
    units = read(tmp_path, "a.json", write_json())
    (tmp_path / "a.json").write_bytes(write_json())
    (army,) = read_armies(tmp_path / "a.json", BOOK).armies
    captain = ArmyUnit(name="Captain", base=BaseSpec(round_mm=40.0), part_of="Moss Guard", profile={"move_in": 5})
    document = compose_situation(
        Table(width_mm=1500, depth_mm=1000), BOOK.id, [army.model_copy(update={"units": (*units, captain)})]
    )
    (unit,) = document["units"]
    assert unit["id"] == "moss-guard"
    assert [model["id"] for model in unit["models"]][::9] == ["moss-sergeant-1", "guard-9"]
    assert unit["models"][-1] == {"id": "captain-1", "base": {"round_mm": 40.0}, "pose": None}
    assert unit["profile"]["move_in"] == 5


LOCKED = bytearray(pack(("x.ros", XML.encode())))
LOCKED[6] |= 1
LOCKED[LOCKED.index(b"PK\x01\x02") + 8] |= 1
ENTITIES = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><roster>&b;</roster>'


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: pack(("x.ros", b"0" * 60_000_000)), "larger than any army list"),
        (lambda: b"5" * (MOST_BYTES + 1), "larger than any army list"),
        (lambda: pack(("x.ros", b"<roster/>"), ("y.ros", b"<roster/>")), "2 rosters are packed in it; expected one"),
        (pack, "no rosters are packed in it"),
        (lambda: pack(("x.ros", b"<roster/>")).replace(b"x.ros", b"\0.ros"), "there is no army in it"),
        (lambda: bytes(LOCKED), "locked with a password"),
        (lambda: b"PK\x03\x04 and rubbish", "no whole zip file"),
        (ENTITIES.encode, "declares XML of its own"),
        (lambda: b"<roster>" + b"<a>" * 9000, "more in it, or deeper"),
        (lambda: b"<roster>" + b"<a/>" * 200_000 + b"</roster>", "more in it, or deeper"),
        (lambda: b"<roster><forces/></roster>", "there is no army in it"),
        (lambda: b"<roster><forces><force/></forces></roster>", "there is no unit in it"),
        (lambda: b'{"forces": [' + b"[" * 100_000, "nested deeper than any roster"),
        (lambda: b'{"forces": [{}]}', "there is no unit in it"),
        (lambda: b'{"forces": [{"selections": [' + b"{}," * 1_500_000 + b"{}]}]}", "more in it, or deeper"),
        (lambda: b"5 a 32\n" * 700_000, "longer than any list"),
        (lambda: bytes(range(256)) * 9, "this is not a whole roster"),
    ],
)
def test_a_bad_file_is_one_sentence_and_little_memory(tmp_path: Path, build: Callable[[], bytes], says: str) -> None:
    data = build()  # megabytes, which each process that collects tests would make
    path = tmp_path / ("bad.txt" if data.startswith(b"5 a") else "bad.rosz")
    path.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(BadInput, match=says):
        read_armies(path, BOOK)
    assert tracemalloc.get_traced_memory()[1] < 150e6
    tracemalloc.stop()
