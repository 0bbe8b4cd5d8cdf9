"""Text from right to left, held to what Unicode's algorithms give."""

import unicodedata

import pytest

from hardware.printing.right_to_left import draw_in_order


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("", ""),
        ("Scouts 3, 32 mm (red)", "Scouts 3, 32 mm (red)"),
        ("אבג", "גבא"),
        ("אבג-12", "12-גבא"),
        ("אב (גד) 12", "12 (דג) בא"),
        ("Scouts אבג דה 5", "Scouts 5 הד גבא"),
        ("אב xy גד", "דג xy בא"),
    ],
)
def test_lines_are_drawn_in_order(text: str, drawn: str) -> None:
    assert draw_in_order(text) == drawn


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("سلام", ["SEEN INITIAL", "LAM WITH ALEF FINAL", "MEEM ISOLATED"]),
        ("فارس", ["FEH INITIAL", "ALEF FINAL", "REH ISOLATED", "SEEN ISOLATED"]),
        ("تنين", ["TEH INITIAL", "NOON MEDIAL", "YEH MEDIAL", "NOON FINAL"]),
        ("گرز", ["GAF INITIAL", "REH FINAL", "ZAIN ISOLATED"]),
        ("لا", ["LAM WITH ALEF ISOLATED"]),
    ],
)
def test_arabic_letters_have_the_forms_in_which_they_join(word: str, forms: list[str]) -> None:
    names = [unicodedata.name(letter) for letter in reversed(draw_in_order(word))]
    assert [name.removeprefix("ARABIC ").split(" ", 1)[1].removesuffix(" FORM") for name in names] == forms


def test_a_mark_stays_with_its_letter() -> None:
    drawn = draw_in_order("مُح")
    assert unicodedata.name(drawn[drawn.index("\N{ARABIC DAMMA}") - 1]) == "ARABIC LETTER MEEM INITIAL FORM"
