"""`overtable print`, run as a shell runs it."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.cli.sheets import print_
from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP
from tests.assistant.cli.command_runner import read_refusal, run_overtable
from tests.hardware.printing.pdf_text import list_contents


@pytest.mark.parametrize(
    ("arguments", "sheets"),
    [
        (["tags", "--tags", "0-39,50", "--size", "12"], 1),
        (["anchors"], 1),
        (["anchors", "--setup", str(SETUP), "--paper", "letter"], 1),
        (["board"], 1),
        (["enrol"], 19),
        (["enrol", "--base", "round:32", "--base", "oval:60x35"], 2),
    ],
)
def test_every_kind_of_sheet_is_written(tmp_path: Path, arguments: list[str], sheets: int) -> None:
    out = tmp_path / "sheet.pdf"
    run = CliRunner().invoke(print_, [*arguments, "--out", str(out)], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    assert len(list_contents(out.read_bytes())) == sheets
    assert [path.name for path in tmp_path.iterdir()] == ["sheet.pdf"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tags"], "print tags: expected either --setup FILE or --tags IDS with --size MM"),
        (["tags", "--tags", "1-3"], "--size is missing"),
        (["tags", "--tags", "1-x", "--size", "9"], "--tags 1-x: '1-x' is neither an id nor a range such as 0-39"),
        (["tags", "--tags", "580-600", "--size", "9"], "is not within 0 to 586"),
        (["tags", "--tags", "9-3", "--size", "9"], "'9-3' is not within 0 to 586"),
        (["tags", "--setup", str(SETUP)], "it has no [[bases]] whose tags could be printed"),
        (["tags", "--tags", "1", "--size", "190"], "tag 1 of 190 mm is larger than a4 paper"),
        (["enrol", "--base", "round:0"], "base 'round:0': expected round:DIAMETER"),
        (["enrol", "--base", "round:180"], "enrolled by turning it on the spot"),
    ],
)
def test_what_cannot_be_printed_is_said(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    out = tmp_path / "sheet.pdf"
    with pytest.raises(BadInput, match=re.escape(sentence)):
        CliRunner().invoke(print_, [*arguments, "--out", str(out)], catch_exceptions=False)
    assert not out.exists()


def test_the_rings_of_a_set_ups_models(tmp_path: Path) -> None:
    setup, out = tmp_path / "setup.toml", tmp_path / "rings.pdf"
    bases = ["round_mm = 32", "round_mm = 32", "outline_mm = [[-40, -20], [50, 0], [-40, 20]]"]
    sections = (
        f'[[bases]]\ntag = {tag}\nmodel = "m{tag}"\nbase = {{{base}}}\nsize_mm = 16\n' for tag, base in enumerate(bases)
    )
    setup.write_text(SETUP.read_text() + "".join(sections))
    run = CliRunner().invoke(print_, ["enrol", "--setup", str(setup), "--out", str(out)], catch_exceptions=False)
    assert run.output.startswith(f"{out}: 2 sheets")
    tags = CliRunner().invoke(print_, ["tags", "--setup", str(setup), "--out", str(out)], catch_exceptions=False)
    assert tags.output.startswith(f"{out}: 1 sheet;")


def test_marks_of_terrain_are_printed_with_the_models(tmp_path: Path) -> None:
    setup, out = tmp_path / "setup.toml", tmp_path / "marks.pdf"
    setup.write_text(
        f'{SETUP.read_text()}[[terrain]]\npiece = "hill"\ntag = 540\nsize_mm = 24\nheight_mm = 38\n'
        '[[terrain]]\npiece = "house"\nring = 9\nround_mm = 50\nheight_mm = 76\n'
    )
    for kind, name in (("tags", b"hill"), ("rings", b"house")):
        run = CliRunner().invoke(print_, [kind, "--setup", str(setup), "--out", str(out)], catch_exceptions=False)
        assert run.output.startswith(f"{out}: 1 sheet;")
        (page,) = list_contents(out.read_bytes())
        assert name in page


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    line = read_refusal(run_overtable("print", "board", "--out", tmp_path / "gone" / "board.pdf"))
    assert "board.pdf: cannot be written, for there is no folder" in line
