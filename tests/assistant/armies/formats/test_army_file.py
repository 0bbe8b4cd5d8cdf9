from pathlib import Path

import pytest

from assistant.armies.formats import read_armies
from assistant.armies.formats.army_file import army_from_text
from assistant.errors import BadInput
from assistant.game.base_spec import BaseSpec

ARMY = """format = "overtable.army/1"
player = "Red"
rulebook = "warhammer-40k-10e"

[[units]]
name = "Scouts"
count = 3
base = "60x35 oval"
keywords = ["infantry"]
status = ["battle-shocked"]
models = ["Ann", "Bo", "Cy"]

[units.profile]
move_in = 6

[[units]]
name = "Gun"
id = "the-gun"
base = {outline_mm = [[0, 0], [50, 0], [0, 50]]}
"""


def test_an_army_is_read_from_a_file_and_from_a_text(tmp_path: Path) -> None:
    path = tmp_path / "red.toml"
    path.write_text(ARMY)
    (army,) = read_armies(path, None).armies
    scouts, gun = army.units
    assert (army.player, scouts.size, scouts.base) == ("Red", 3, BaseSpec(oval_mm=(60.0, 35.0)))
    assert (gun.id, gun.size) == ("the-gun", 1)
    assert army_from_text(ARMY, "again") == army


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"60x35 oval"', '"tiny"', r"red.toml: units\[0\].base: base 'tiny': expected one such as 32"),
        ("count = 3", "count = 4", r"red.toml: units\[0\]: count is 4, but models names 3"),
        ("count = 3", "count = 0", r"red.toml: units\[0\].count: expected 1 or more"),
        ('player = "Red"', "", "red.toml: player: this key is missing"),
        ("keywords", "keyword", r"red.toml: units\[0\].keyword: this key is not known here"),
        ("army/1", "army/7", "red.toml: format: expected 'overtable.army/1', not 'overtable.army/7'"),
        ("count = 3", f"{'a.' * 20_000}b = 3", r"whole TOML: more than 60 dots in one line \(at line \d+\)"),
        ("count = 3", f"count = 0x{'f' * 5_000}", "whole TOML: a number of more than 400 digits stands in it"),
        ("[[units]]", "[[units", "red.toml: this is not whole TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(old: str, new: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        army_from_text(ARMY.replace(old, new, 1), "red.toml")
