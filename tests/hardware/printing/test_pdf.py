import math
import re
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest

from hardware.printing.page import A4, LETTER, ClippedMarks, InkArea, InkLine, Page, Photo, TextLine
from hardware.printing.pdf import POINT_MM, render_pdf
from hardware.printing.sheets import TagCard, build_card_pages
from hardware.printing.typeface import measure_text_mm
from tests.hardware.printing.pdf_text import list_contents, list_lines

NAMES = ("Łukasz Żółć", "Příšerný kůň", "Ωμέγα", "Дружина ґ")


def test_a_pdf_is_in_points_and_true_to_scale() -> None:
    triangle = InkArea(rings_mm=(((10.0, 20.0), (35.4, 20.0), (35.4, 45.4)),))
    page = Page(paper=A4, marks=(triangle, TextLine(text="words", x_mm=10, y_mm=10, size_mm=9 * POINT_MM)))
    document = render_pdf([page, Page(paper=LETTER.landscape, marks=())], "two")
    assert document.startswith(b"%PDF-1.7")
    assert b"/PrintScaling /None" in document
    sizes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", document)
    sizes_mm = [[float(side) * POINT_MM for side in size] for size in sizes]
    assert np.array(sizes_mm) == pytest.approx(np.array([[210.0, 297.0], [279.4, 215.9]]), abs=1e-4)
    content = list_contents(document)[0].decode("latin-1")
    assert content.startswith("1 0 0 1 0 0 cm")
    assert " cm" not in content[len("1 0 0 1 0 0 cm") :], "nothing scales the sheet"
    points = [tuple(map(float, p)) for p in re.findall(r"([\d.]+) ([\d.]+) [ml]\b", content)]
    expected = [(x * 72 / 25.4, y * 72 / 25.4) for x, y in triangle.rings_mm[0]]
    assert np.array(points) == pytest.approx(np.array(expected), abs=1e-4)
    assert math.isclose(points[1][0] - points[0][0], 72, abs_tol=1e-4)
    assert " h\nf*\n" in content, "rings are counted even and odd"
    assert re.search(r"/F\d\+0 9 Tf", content)


@pytest.mark.parametrize("size_mm", [10.0, 12.5, 40.0])
def test_a_tag_in_a_pdf_is_as_large_as_it_is_said_to_be(size_mm: float) -> None:
    content = list_contents(render_pdf(build_card_pages([TagCard(tag=3, size_mm=size_mm)], A4, "one"), "one"))[0]
    (area,) = re.findall(rb"(?s)\nn ([^\n]*?) h\nf\*", content)
    points = np.array([tuple(map(float, p)) for p in re.findall(rb"([\d.]+) ([\d.]+) [ml]\b", area)]) * POINT_MM
    assert np.ptp(points, axis=0) == pytest.approx([size_mm, size_mm], abs=1e-4)


def test_names_in_any_script_of_europe_are_text_on_a_card() -> None:
    cards = [TagCard(tag=tag, size_mm=30.0, label=name) for tag, name in enumerate(NAMES)]
    assert set(NAMES) <= set(list_lines(render_pdf(build_card_pages(cards, A4, "tags"), "tags")))


def test_other_letters_are_drawn_or_named_and_what_pdf_itself_uses_is_kept() -> None:
    lines = ("(a) é \\", "dragon 龍 🎲", "", "ทหาร")
    page = Page(paper=A4, marks=tuple(TextLine(text=text, x_mm=10, y_mm=10, size_mm=3) for text in lines))
    document = render_pdf([page], "龍 (x)")
    assert [line for line in list_lines(document) if line] == ["(a) é \\", "dragon ", " (game die)", "□□□□"]
    assert list_contents(document)[0].count(b"f*") == 1, "the dragon, as an outline"


def test_many_letters_take_more_than_one_font_and_stay_text() -> None:
    text = "".join(chr(code) for first in (0x100, 0x391, 0x400, 0x1E00) for code in range(first, first + 80))
    text = "".join(letter for letter in text if letter.isalpha())
    assert len(set(text)) > 256
    page = Page(paper=A4, marks=(TextLine(text=text, x_mm=10, y_mm=10, size_mm=3, bold=True),))
    assert list_lines(render_pdf([page], "many")) == [text]


def test_a_centred_line_has_its_middle_at_its_place() -> None:
    for bold in (False, True):
        line = TextLine(text="Ωμέγα", x_mm=100, y_mm=50, size_mm=5, centred=True, bold=bold)
        (content,) = list_contents(render_pdf([Page(paper=A4, marks=(line,))], "one"))
        left, foot = re.findall(rb"1 0 0 1 ([\d.]+) ([\d.]+) Tm", content)[0]
        assert float(left) * POINT_MM + measure_text_mm("Ωμέγα", 5, bold=bold) / 2 == pytest.approx(100, abs=1e-3)
        assert float(foot) * POINT_MM == pytest.approx(50, abs=1e-3)


def build_photo_page(name: str) -> Page:
    """A sheet with a picture, clipped, and a name."""
    jpeg = cv2.imencode(".jpg", np.full((24, 32, 3), 90, dtype=np.uint8))[1].tobytes()
    photo = Photo(jpeg=jpeg, width_px=32, height_px=24, left_mm=20, bottom_mm=30, width_mm=64, height_mm=48)
    ring = ((20.0, 30.0), (60.0, 30.0), (60.0, 60.0))
    inner = (photo, TextLine(text=name, x_mm=25, y_mm=35, size_mm=3), InkLine(points_mm=ring, dash_mm=(1.0, 0.5)))
    return Page(paper=A4, marks=(ClippedMarks(ring_mm=ring, marks=inner),))


def test_a_picture_is_kept_as_it_was_taken() -> None:
    page = build_photo_page("x")
    photo = page.marks[0].marks[0]  # type: ignore[union-attr]
    document = render_pdf([page], "photo")
    assert isinstance(photo, Photo)
    assert photo.jpeg in document
    assert b"/DCTDecode" in document
    (content,) = list_contents(document)
    assert b" h W* n" in content, "the ring clips and is not drawn itself"
    matrix = np.eye(3)
    for numbers in re.findall(rb"((?:[-\d.]+ ){6})cm", content):
        a, b, c, d, e, f = map(float, numbers.split())
        matrix = np.array([[a, b, 0], [c, d, 0], [e, f, 1]]) @ matrix
    assert matrix * POINT_MM == pytest.approx(np.array([[64, 0, 0], [0, 48, 0], [20, 30, POINT_MM]]), abs=1e-3)


def test_the_same_sheets_give_the_same_bytes_even_made_at_once() -> None:
    pages = [build_photo_page(name) for name in NAMES]
    alone = [render_pdf([page], page.paper.name) for page in pages]
    assert len(set(alone)) == len(pages)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda page: render_pdf([page], page.paper.name), pages * 5)) == alone * 5


def test_a_pdf_says_nothing_of_when_and_by_whom_it_was_made() -> None:
    document = render_pdf([build_photo_page("x")], "one")
    for word in (b"Date", b"Author", b"anonymous"):
        assert word not in document
