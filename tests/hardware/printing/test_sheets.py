import re

import numpy as np
import pytest

from hardware.printing.page import A4, LETTER, InkArea, InkLine, Page, Paper, TextLine
from hardware.printing.sheets import (
    BOARD_COLUMNS,
    BOARD_ROWS,
    BOARD_SQUARE_MM,
    ENROLMENT_TAGS,
    TagCard,
    build_board_page,
    build_card_pages,
    build_enrolment_page,
    build_enrolment_tags,
    find_largest_tag_mm,
    fits_paper,
)
from hardware.printing.typeface import measure_text_mm
from tests.hardware.printing.page_raster import paper_from_dots, rasterise_page
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline
from vision.boards.detection import parse_board
from vision.tags.detection import detect_tags, select_whole

BASES = [build_oval_outline(length_mm=32, width_mm=32), build_oval_outline(length_mm=120, width_mm=92)]


def find_tag_centres(page: Page) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Where the tags of a sheet are read, mm: centre, and the way along its x of the length of its edge."""
    picture = rasterise_page(page)
    found = detect_tags(picture, [select_whole(picture)])
    corners = {tag.tag: paper_from_dots(page, tag.corners_px) for tag in found}
    assert len(corners) == len(found)
    return {tag: (c.mean(axis=0), (c[1] + c[2] - c[0] - c[3]) / 2) for tag, c in corners.items()}


def test_every_tag_of_a_sheet_is_read_at_its_size_upright() -> None:
    cards = [TagCard(tag=tag, size_mm=12.0, label="x") for tag in (0, 7, 100, 586)]
    (page,) = build_card_pages(cards, A4, "tags")
    read = find_tag_centres(page)
    assert read.keys() == {0, 7, 100, 586}
    for _, along in read.values():
        assert along == pytest.approx([12.0, 0.0], abs=0.1)


@pytest.mark.parametrize("paper", [A4, LETTER])
def test_many_tags_go_on_more_sheets_and_none_twice(paper: Paper) -> None:
    pages = build_card_pages([TagCard(tag=tag, size_mm=20.0) for tag in range(100)], paper, "tags")
    words = [mark.text for page in pages for mark in page.marks if isinstance(mark, TextLine)]
    assert [word for word in words if re.fullmatch(r"\d+ · 20 mm", word)] == [f"{tag} · 20 mm" for tag in range(100)]
    for page in pages:
        assert_inside(page)


def assert_inside(page: Page) -> None:
    """Nothing is where a printer does not reach."""
    points = [p for m in page.marks if isinstance(m, InkLine) for p in m.points_mm]
    points += [p for m in page.marks if isinstance(m, InkArea) for ring in m.rings_mm for p in ring]
    for mark in page.marks:
        if isinstance(mark, TextLine):
            half = measure_text_mm(mark.text, mark.size_mm) / 2
            middle = mark.x_mm if mark.centred else mark.x_mm + half
            points += [(middle - half, mark.y_mm), (middle + half, mark.y_mm + 0.7 * mark.size_mm)]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    assert min(low) >= 5
    assert (high <= [page.paper.width_mm - 5, page.paper.height_mm - 5]).all()


def test_the_largest_tag_has_room() -> None:
    (page,) = build_card_pages([TagCard(tag=3, size_mm=find_largest_tag_mm(LETTER))], LETTER, "one")
    assert_inside(page)


@pytest.mark.parametrize("paper", [A4, LETTER])
def test_the_printed_board_is_the_one_that_the_lens_is_calibrated_with(paper: Paper) -> None:
    page = build_board_page(paper)
    assert_inside(page)
    view = parse_board("printed").find(rasterise_page(page), "board")
    assert len(view.points_mm) == (BOARD_COLUMNS - 1) * (BOARD_ROWS - 1)
    places = paper_from_dots(page, view.points_px)
    offset = (places - view.points_mm[:, :2] * [1, -1]).mean(axis=0)
    assert places == pytest.approx(view.points_mm[:, :2] * [1, -1] + offset, abs=0.05)
    assert np.ptp(places, axis=0) == pytest.approx(
        [(BOARD_COLUMNS - 2) * BOARD_SQUARE_MM, (BOARD_ROWS - 2) * BOARD_SQUARE_MM], abs=0.05
    )


@pytest.mark.parametrize("outline", [*BASES, build_rect_outline(length_mm=25, width_mm=50)])
def test_the_ring_is_printed_where_vision_expects_it(outline: tuple[tuple[float, float], ...]) -> None:
    page = build_enrolment_page(outline, "a base", LETTER)
    assert_inside(page)
    read = find_tag_centres(page)
    assert read.keys() == ENROLMENT_TAGS
    centre = np.mean(next(m.points_mm for m in page.marks if isinstance(m, InkLine) and m.closed), axis=0)
    for tag in build_enrolment_tags(outline):
        place, along = read[tag.tag]
        assert place - centre == pytest.approx([-tag.y_mm, tag.x_mm], abs=0.1)  # the front is up the sheet
        assert along == pytest.approx([0.0, tag.size_mm], abs=0.1)


def test_a_base_too_large_for_the_paper_does_not_fit() -> None:
    assert not fits_paper(build_oval_outline(length_mm=160, width_mm=160), A4)
    assert fits_paper(build_oval_outline(length_mm=170, width_mm=105), LETTER)
