"""`overtable print rings`, run as a shell runs it."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.cli import overtable
from assistant.cli.sheets import print_
from assistant.errors import BadInput
from assistant.setup.ring_words import read_ring_words
from hardware.rings.words import load_ring_list, read_ring_list
from tests.hardware.printing.pdf_text import list_contents, list_lines


@pytest.mark.parametrize("flags", [["--words"], ["--words", "--json"], ["--json"]])
def test_the_words_are_printed_as_one_json_document(flags: list[str]) -> None:
    run = CliRunner().invoke(overtable, ["print", "rings", *flags], catch_exceptions=False)
    assert run.exit_code == 0
    assert read_ring_list(json.loads(run.output)) == load_ring_list()


def test_the_words_are_written_to_a_file_that_a_set_up_can_name(tmp_path: Path) -> None:
    out = tmp_path / "rings.json"
    for _ in range(2):  # the second replaces the first
        CliRunner().invoke(print_, ["rings", "--words", "--out", str(out)], catch_exceptions=False)
    assert read_ring_words(out) == load_ring_list()


def test_nothing_else_is_replaced_by_the_words(tmp_path: Path) -> None:
    out = tmp_path / "diary.txt"
    out.write_text("dear diary")
    with pytest.raises(BadInput, match="would be lost"):
        CliRunner().invoke(print_, ["rings", "--words", "--out", str(out)], catch_exceptions=False)
    assert out.read_text() == "dear diary"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"kinds": []}, "kinds"),
        ({"words": {"round": {"cells": 36, "ids": {"0": "01"}}}}, "ids"),
        ({"words": {"round": {"cells": 36, "ids": {"zero": 36 * "0"}}}}, "zero"),
        ({"format": "overtable.rings/9"}, "overtable.rings/1"),
    ],
)
def test_a_list_that_is_none_is_told_by_its_place(tmp_path: Path, wrong: dict[str, object], sentence: str) -> None:
    run = CliRunner().invoke(print_, ["rings", "--words"], catch_exceptions=False)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({**json.loads(run.output), **wrong}))
    with pytest.raises(BadInput, match=sentence) as told:
        read_ring_words(path)
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)


ARMY = """
format = "overtable.army/1"
player = "Ελένη"
[[units]]
name = "Οπλίτες <b>&amp;</b>"
count = 23
base = "32"
[[units]]
name = "Wyrm"
base = "170x105 oval"
[[units]]
name = "Pikes"
models = ["Ann", "Bob"]
base = "25x50"
"""
SETUP = """
format = "overtable.setup/1"
[table]
width_mm = 1524
depth_mm = 1118
[camera]
source = "usb:0"
[[anchors]]
tag = 580
x_mm = 40
y_mm = 40
size_mm = 40
[[bases]]
ring = 17
ring_kind = "halo"
model = "the <Duke> & Ζωή"
base = {round_mm = 32}
[[bases]]
ring = 300
ring_kind = "rim"
model = "beast"
base = {oval_mm = [105, 70]}
height_mm = 4
band_mm = [-5.0, -1.0]
[[bases]]
tag = 4
model = "tank"
base = {rect_mm = [110, 70]}
size_mm = 20
"""


def print_rings(*arguments: str, out: Path) -> str:
    run = CliRunner().invoke(print_, ["rings", *arguments, "--out", str(out)], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    return run.output


def list_texts(path: Path) -> list[str | None]:
    return [element.text for element in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def count_cuts(path: Path) -> int:
    return len(ET.parse(path).findall("*[@id='cut']/{http://www.w3.org/2000/svg}path"))


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_an_armys_rings_have_its_models_names(tmp_path: Path, paper: str) -> None:
    army, out = tmp_path / "army.toml", tmp_path / "rings.pdf"
    army.write_text(ARMY, encoding="utf-8")
    assert "sheets; print at 100 %" in print_rings("--army", str(army), "--paper", paper, out=out)
    lines = list_lines(out.read_bytes())
    assert {"halos for round:32", "halos for oval:170x105", "halos for rect:25x50", "wyrm-1", "ann"} <= set(lines)
    # Given out in the order of the models, each once, whatever the shape of the base; the ruler has numbers, too.
    numbers = [int(line) for line in lines if line.isdecimal() and int(line) % 20]
    assert numbers == [n for n in range(1, 27) if n % 20]
    assert len(list_contents(out.read_bytes())) == 3


def test_svgs_are_numbered_sheets(tmp_path: Path) -> None:
    army, out = tmp_path / "army.toml", tmp_path / "rings.svg"
    army.write_text(ARMY, encoding="utf-8")
    print_rings("--army", str(army), "--for", "plotter", out=out)
    sheets = sorted(tmp_path.glob("*.svg"))
    assert [sheet.name for sheet in sheets] == [f"rings-{n}.svg" for n in range(1, len(sheets) + 1)]
    assert sum(map(count_cuts, sheets)) == 26
    print_rings("--army", str(army), "--for", "plotter", out=out)  # replaces them


def test_a_set_ups_rings_are_printed_as_it_has_them(tmp_path: Path) -> None:
    setup, out = tmp_path / "setup.toml", tmp_path / "rings.svg"
    setup.write_text(SETUP, encoding="utf-8")
    print_rings("--setup", str(setup), "--open", out=out)
    assert {"17", "the <Duke> & Ζωή", "300", "beast"} <= set(list_texts(out))
    assert "tank" not in list_texts(out)
    assert count_cuts(out) == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--base", "round:32"], "expected --out FILE.pdf or FILE.svg and one of --setup FILE"),
        (["--ids", "1-3"], "expected --out FILE.pdf or FILE.svg and one of --setup FILE"),
        (["--base", "round:32", "--ids", "1-3", "--words"], "--ids IDS; or --words"),
        (["--base", "round:32", "--ids", "1-x"], "--ids 1-x: '1-x' is neither a ring nor a range"),
        (["--base", "round:32", "--ids", "9-3"], "--ids 9-3: '9-3' is neither a ring nor a range"),
        (["--base", "round:32", "--ids", "0-99999"], "a range of at most 1000"),
        (["--base", "round:32", "--ids", "250-256"], "there is no ring 256 for round bases; expected one of 0 to 255"),
        (
            ["--base", "oval:60x35", "--ids", "512"],
            "there is no ring 512 for bases that are not round; expected one of 0 to",
        ),
        (["--base", "round:0", "--ids", "1"], "base 'round:0': expected round:DIAMETER"),
        (["--base", "round:7", "--ids", "1", "--kind", "rim"], "ring 1: "),
        (["--base", "round:15", "--ids", "1", "--kind", "rim"], "are 0.96 mm long; 1.2 mm are needed: use a halo"),
        (["--base", "round:250", "--ids", "1"], "for round:250 is 259 x 258 mm; a4 paper has room for 191 x"),
    ],
)
def test_rings_that_cannot_be_printed_are_told(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    out = tmp_path / "rings.pdf"
    with pytest.raises(BadInput, match=re.escape(sentence)) as told:
        CliRunner().invoke(print_, ["rings", *arguments, "--out", str(out)], catch_exceptions=False)
    assert "\n" not in str(told.value)
    assert not out.exists()


def test_what_has_no_room_is_named_at_the_foot_of_the_others(tmp_path: Path) -> None:
    army, out = tmp_path / "army.toml", tmp_path / "rings.pdf"
    army.write_text(ARMY.replace("170x105 oval", "240x200 oval"), encoding="utf-8")
    print_rings("--army", str(army), out=out)
    lines = list_lines(out.read_bytes())
    said = "no room on a4 paper, use tags: ring 24 of wyrm-1 for oval:240x200 is 249 x 208 mm"
    assert lines.count(said) == len(list_contents(out.read_bytes())) > 1
    assert "24" not in lines


def test_a_base_without_room_is_told_by_its_model(tmp_path: Path) -> None:
    army, out = tmp_path / "army.toml", tmp_path / "rings.pdf"
    army.write_text(ARMY.replace("25x50", "5x50"), encoding="utf-8")
    with pytest.raises(BadInput, match="^ann: ring 25: a rim .* has no room"):
        print_rings("--army", str(army), "--kind", "rim", out=out)


def test_more_models_than_rings_are_told(tmp_path: Path) -> None:
    army, out = tmp_path / "army.toml", tmp_path / "rings.pdf"
    army.write_text(ARMY, encoding="utf-8")
    with pytest.raises(
        BadInput, match="there is no ring left for .*; for such a base there are 0 to 255, given out from 240 on"
    ):
        print_rings("--army", str(army), "--first", "240", out=out)


def test_a_set_up_without_rings_is_told(tmp_path: Path) -> None:
    setup, out = tmp_path / "setup.toml", tmp_path / "rings.pdf"
    setup.write_text(SETUP.split("[[bases]]", maxsplit=1)[0], encoding="utf-8")
    with pytest.raises(BadInput, match=r"none of its \[\[bases\]\] has a ring"):
        print_rings("--setup", str(setup), out=out)
