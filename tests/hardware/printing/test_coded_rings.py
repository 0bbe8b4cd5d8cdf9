"""Printed coded rings, measured back from the sheets: as marks, as SVG, and as PDF."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from hardware.printing.coded_rings import (
    TOOTH_LONG_MM,
    Cutter,
    RingPrint,
    build_ring_pages,
    fit_label,
    fits_sheet,
    measure_room_mm,
)
from hardware.printing.page import A4, FOOT_MM, LETTER, MARGIN_MM, CutLine, InkArea, Page, Paper, TextLine
from hardware.printing.pdf import POINT_MM, render_pdf
from hardware.printing.svg import render_svg
from hardware.printing.typeface import measure_text_mm
from hardware.rings.layout import RingBorder, RingKind, RingLayout
from hardware.rings.words import load_ring_list
from tests.base_outlines import make_oval, make_rectangle
from tests.hardware.printing.pdf_text import list_contents

Floats = NDArray[np.float64]
TRUE_MM = 0.05
OUTLINES = {
    "round:32": make_oval(32.0, 32.0, corners=240),
    "oval:170x105": make_oval(170.0, 105.0, corners=400),
    "rect:25x50": make_rectangle(25.0, 50.0),
    "outline": np.array([(24.0, 0.0), (12.0, 16.0), (-12.0, 16.0), (-20.0, 0.0), (-12.0, -16.0), (12.0, -16.0)]),
}


def make_print(
    ring: int = 7, base: str = "round:32", kind: RingKind = RingKind.HALO, label: str = "", *, is_open: bool = False
) -> RingPrint:
    rings = load_ring_list()
    words = rings.choose_words(is_round=base.startswith("round"))
    layout = RingLayout.build(OUTLINES[base], rings.bands[kind], words.cells)
    outline = tuple((float(x), float(y)) for x, y in OUTLINES[base])
    return RingPrint(
        ring=ring,
        word=words.ids[ring],
        layout=layout,
        outline_mm=outline,
        base_name=base,
        label=label,
        is_open=is_open,
    )


def find_middle(page: Page, one: RingPrint) -> tuple[complex, complex]:
    """Where the only ring of a sheet has its middle, and by what it is turned, by its outer cut line."""
    edge = max((m for m in page.marks if isinstance(m, CutLine)), key=lambda m: np.ptp(np.array(m.points_mm)[:, 0]))
    turn = np.exp(1j * one.turn_rad)
    placed = np.array(edge.points_mm) @ np.array([1.0, 1j])
    own = np.array(one.edge_mm) @ np.array([1.0, 1j]) * turn
    middle = complex(placed.real.min() - own.real.min(), placed.imag.min() - own.imag.min())
    return middle, complex(turn)


def sample_cells(one: RingPrint) -> tuple[Floats, NDArray[np.bool_]]:
    """Return places all over the cells but 0.2 mm from their edges, and whether those are light."""
    along = np.repeat(np.arange(one.layout.cells), 3)
    margin = 0.2 / one.layout.cell_mm
    shares = np.tile([margin, 0.5, 1 - margin], one.layout.cells)
    places = [
        one.layout.place(along + shares, np.full(len(along), offset))
        for offset in (one.band.inner_mm + 0.2, one.band.middle_mm, one.band.outer_mm - 0.2)
    ]
    found, _ = one.layout.locate(np.concatenate(places))
    # Inside of a corner, normals of one side go on into what belongs to the other.
    own = np.abs(np.mod(found - np.tile(along + shares, 3) + 0.5, one.layout.cells) - 0.5) < margin / 2
    assert own.mean() > 0.8
    return np.concatenate(places)[own], np.tile(np.array([one.word[cell] == "1" for cell in along]), 3)[own]


@pytest.mark.parametrize("kind", list(RingKind))
@pytest.mark.parametrize("base", sorted(OUTLINES))
@pytest.mark.parametrize("paper", [A4, LETTER], ids=["a4", "letter"])
def test_cells_are_where_the_list_has_them(base: str, kind: RingKind, paper: Paper) -> None:
    one = make_print(base=base, kind=kind)
    (page,) = build_ring_pages([one], paper, Cutter.SCISSORS)
    middle, turn = find_middle(page, one)
    places, is_light = sample_cells(one)
    on_paper = middle + places @ np.array([1.0, 1j]) * turn
    inked = shapely.union_all([shapely.Polygon(mark.rings_mm[0]) for mark in page.marks if isinstance(mark, InkArea)])
    assert (shapely.contains_xy(inked, on_paper.real, on_paper.imag) == ~is_light).all()


@pytest.mark.parametrize("base", ["round:32", "rect:25x50"])
def test_edges_between_cells_are_true(base: str) -> None:
    one = make_print(base=base)
    (page,) = build_ring_pages([one], A4, Cutter.PLOTTER)
    middle, turn = find_middle(page, one)
    inked = shapely.union_all([shapely.Polygon(mark.rings_mm[0]) for mark in page.marks if isinstance(mark, InkArea)])
    edges = [n for n in range(one.layout.cells) if one.word[n] != one.word[n - 1]]
    for side in (-1, 1):
        along = np.array(edges) + side * TRUE_MM / one.layout.cell_mm
        seen = middle + one.layout.place(along, np.full(len(along), one.band.middle_mm)) @ np.array([1, 1j]) * turn
        dark = [one.word[edge - (side < 0)] == "0" for edge in edges]
        assert shapely.contains_xy(inked, seen.real, seen.imag).tolist() == dark


def test_the_svg_and_the_pdf_draw_the_same_places() -> None:
    one = make_print(base="oval:170x105")
    (page,) = build_ring_pages([one], A4, Cutter.PLOTTER)
    drawn = np.array([point for mark in page.marks if isinstance(mark, CutLine) for point in mark.points_mm])
    root = ET.fromstring(render_svg(page, ""))
    path = root.find("*[@id='cut']/{http://www.w3.org/2000/svg}path")
    assert path is not None
    in_svg = np.array(re.findall(r"([\d.]+),([\d.]+)", str(path.get("d"))), dtype=float)
    assert np.abs(in_svg * [1, -1] + [0, A4.height_mm] - drawn).max() < TRUE_MM
    (content,) = list_contents(render_pdf([page], ""))
    in_pdf = np.array(re.findall(rb"([\d.]+) ([\d.]+) [ml]\b", content), dtype=float) * POINT_MM
    nearest = shapely.distance(shapely.points(drawn), shapely.MultiPoint(in_pdf))
    assert nearest.max() < TRUE_MM


@pytest.mark.parametrize("kind", list(RingKind))
def test_cut_lines_go_around_the_print(kind: RingKind) -> None:
    one = make_print(kind=kind)
    edge, outline = shapely.Polygon(one.edge_mm), shapely.Polygon(one.outline_mm)
    reach = TOOTH_LONG_MM if kind is RingKind.HALO else 0.0
    assert edge.hausdorff_distance(outline.buffer(one.band.reach_mm)) == pytest.approx(reach, abs=0.15)
    assert bool(one.hole_mm) == (kind is RingKind.RIM)
    if kind is RingKind.RIM:
        hole = shapely.Polygon(one.hole_mm)
        assert hole.exterior.distance(outline.exterior) == pytest.approx(-one.band.inner_mm, abs=TRUE_MM)
        assert not hole.contains(shapely.Point(16 + one.band.inner_mm - TOOTH_LONG_MM / 2, 0))
    # The tooth is at the nose, and covers none of the cells.
    tooth = shapely.Polygon(one.tooth_mm)
    assert abs(tooth.centroid.y) < TRUE_MM
    assert tooth.centroid.x > 0
    cells = shapely.union_all([shapely.Polygon(one.layout.cell_polygon(n)) for n in range(36)])
    assert tooth.intersection(cells).area < 0.1


def test_the_middle_of_a_halo_can_be_cut_out() -> None:
    one = make_print(is_open=True)
    (page,) = build_ring_pages([one], A4, Cutter.PLOTTER)
    assert sum(isinstance(mark, CutLine) for mark in page.marks) == 2
    assert shapely.Polygon(one.outline_mm).contains(shapely.Polygon(one.hole_mm))


def test_rings_of_one_size_stand_together_on_as_many_sheets_as_they_need() -> None:
    prints = [make_print(ring, base) for ring in range(24) for base in ("round:32", "rect:25x50")]
    for cutter in Cutter:
        pages = build_ring_pages(prints, LETTER, cutter)
        assert len(pages) > 1
        cuts = [shapely.Polygon(mark.points_mm) for page in pages for mark in page.marks if isinstance(mark, CutLine)]
        assert len(cuts) == len(prints)
        for page in pages:
            own = [shapely.Polygon(mark.points_mm) for mark in page.marks if isinstance(mark, CutLine)]
            assert shapely.union_all(own).area == pytest.approx(sum(one.area for one in own))
            left, lower, right, upper = shapely.union_all(own).bounds
            assert left >= MARGIN_MM
            assert lower >= FOOT_MM
            assert right <= LETTER.width_mm - MARGIN_MM
            assert upper <= LETTER.height_mm - MARGIN_MM
        texts = [mark.text for page in pages for mark in page.marks if isinstance(mark, TextLine)]
        firsts = [texts.index(f"halos for {base}") for base in ("round:32", "rect:25x50")]
        assert firsts == sorted(firsts)
        assert all(str(ring) in texts for ring in range(24))


def test_what_has_no_room_is_known_before() -> None:
    wide_mm, _ = measure_room_mm(A4, Cutter.SCISSORS)
    assert fits_sheet(make_print(base="oval:170x105"), A4, Cutter.SCISSORS)
    assert fits_sheet(make_print(base="oval:170x105"), LETTER, Cutter.SCISSORS)
    words = load_ring_list().round
    huge = make_oval(wide_mm, wide_mm)
    one = RingPrint(
        ring=1,
        word=words.ids[1],
        layout=RingLayout.build(huge, load_ring_list().bands[RingKind.HALO], words.cells),
        outline_mm=tuple((float(x), float(y)) for x, y in huge),
        base_name="huge",
    )
    assert not fits_sheet(one, A4, Cutter.SCISSORS)


def test_a_dark_line_beside_the_cells_is_printed() -> None:
    plain = make_print()
    border = RingBorder(from_mm=5.0, to_mm=6.0, is_light=False)
    band = load_ring_list().bands[RingKind.HALO]
    lined = RingPrint(
        ring=7,
        word=plain.word,
        layout=RingLayout.build(
            OUTLINES["round:32"],
            type(band)(kind=band.kind, inner_mm=0.3, outer_mm=3.3, height_mm=0.2, borders=(border,)),
            36,
        ),
        outline_mm=plain.outline_mm,
        base_name="round:32",
    )
    (page,) = build_ring_pages([lined], A4, Cutter.PLOTTER)
    rings = [mark.rings_mm for mark in page.marks if isinstance(mark, InkArea) and len(mark.rings_mm) == 2]
    spans = [np.ptp(np.array(ring)[:, 0]) for ring in rings[0]]
    assert spans == pytest.approx([42.0, 44.0], abs=TRUE_MM)


@pytest.mark.parametrize(
    "label", ["scouts-1", "intercessors-of-the-third-12", "a name that goes on and on for ever", "龍"]
)
def test_a_long_name_keeps_its_number(label: str) -> None:
    text, size_mm = fit_label(label, 12.0)
    assert measure_text_mm(text, size_mm) <= 12.0
    number = re.search(r"-\d+$", label)
    assert number is None or text.endswith(number[0])
