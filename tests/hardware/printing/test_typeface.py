import numpy as np
import pytest

from hardware.printing.traced_letters import trace_letter
from hardware.printing.typeface import FONTS, compose_text, fit_text, load_font, measure_text_mm

PANGRAMS = (
    "Pchnąć w tę łódź jeża lub ośm skrzyń fig",
    "PŘÍLIŠ ŽLUŤOUČKÝ KŮŇ ÚPĚL ĎÁBELSKÉ ÓDY",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "Съешь ещё этих мягких французских булок, да выпей чаю; ґанок, їжак, є",
    "Jó foxim és don Quijote húszwattos lámpánál ülve egy pár bűvös cipőt készít",
    "შეცდომა մարտիկ ★ ⚔ ☠",
    "± × − ″ ⌀ ≤ ≥ → “a” ‘b’ – — … · ° ² €",
)
"""In Polish, Czech, Greek, Russian with Ukrainian letters, Hungarian, Georgian, Armenian, and the field's signs."""


@pytest.mark.parametrize("text", PANGRAMS)
@pytest.mark.parametrize("bold", [False, True])
def test_the_typeface_has_the_letters_of_europe(text: str, bold: bool) -> None:
    assert {letter for letter in text if ord(letter) not in load_font(bold=bold).face.charToGlyph} == set()
    assert compose_text(text) == text


def test_both_weights_have_the_same_letters() -> None:
    assert load_font().face.charToGlyph.keys() == load_font(bold=True).face.charToGlyph.keys()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Z\N{COMBINING DOT ABOVE}o\N{COMBINING ACUTE ACCENT}łw", "Żółw"),
        ("dragon 龍 石の兵 전사", "dragon 龍 石の兵 전사"),
        ("👨\u200d👩\u200d👧", "(man)(woman)(girl)"),
        ("❤\N{VARIATION SELECTOR-16} ⚔", "❤ ⚔"),
        ("ทหาร", "□□□□"),
        ("a\tb\nc\N{NO-BREAK SPACE}d", "a b c d"),
        ("soft\N{SOFT HYPHEN}ly", "softly"),
        ("\ud800", "□"),
    ],
)
def test_what_the_typeface_lacks_is_traced_or_named_or_a_square(text: str, printed: str) -> None:
    assert compose_text(text) == printed


def test_a_text_is_as_wide_as_its_letters() -> None:
    # 1401 and 1311 of 2048 units, in the font's own tables.
    assert measure_text_mm("A", 2048) == pytest.approx(1401, abs=1)
    assert measure_text_mm("Δ", 2048) == measure_text_mm("A", 2048)
    assert measure_text_mm("Žá", 3.0) == pytest.approx(measure_text_mm("Za", 3.0))
    assert measure_text_mm("word", 3.0, bold=True) > measure_text_mm("word", 3.0)


def test_a_traced_letter_is_as_large_as_its_neighbours() -> None:
    traced = trace_letter("口")  # a frame around an empty middle
    assert traced is not None
    assert len(traced.rings) == 2
    points = np.concatenate(traced.rings)
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    assert 0.0 < left < right < traced.width < 1.2
    assert bottom == pytest.approx(0.0, abs=0.2)
    assert top == pytest.approx(0.8, abs=0.2)
    assert measure_text_mm("a口", 3.0) == pytest.approx(measure_text_mm("a", 3.0) + 3.0 * traced.width)


def test_words_are_made_smaller_then_shorter_until_they_fit() -> None:
    assert fit_text("ab", room_mm=20, sizes_mm=(3.0, 2.0)) == ("ab", 3.0)
    text, size_mm = fit_text("warriors-of-the-north-12", room_mm=20, sizes_mm=(3.0, 2.0))
    assert size_mm == 2.0
    assert text.endswith("…")
    assert measure_text_mm(text, size_mm) <= 20


def test_the_licence_of_the_fonts_lies_beside_them() -> None:
    assert "Bitstream Vera Fonts Copyright" in (FONTS / "LICENSE").read_text(encoding="utf-8")
