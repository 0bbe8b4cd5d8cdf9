"""Sheets of a hall: a page for each table and each judge, with the code that lets them in."""

from collections.abc import Iterator

import segno

from assistant.hall.folder import HallFolder
from hardware.printing.page import InkArea, Mark, Page, Paper, Point, Ring, TextLine
from hardware.printing.pdf import render_pdf

CODE_MM = 110.0
"""Edge of a printed code."""


def draw_code(text: str, left_mm: float, bottom_mm: float, edge_mm: float) -> InkArea:
    """Return the QR code of a text, with its lower left corner at a place."""
    rows = [[bool(module) for module in row] for row in segno.make(text, error="m", micro=False).matrix]
    size = edge_mm / len(rows)
    rings = tuple(
        _draw_module(left_mm + x * size, bottom_mm + edge_mm - (y + 1) * size, width * size, size)
        for y, row in enumerate(rows)
        for x, width in _find_runs(row)
    )
    return InkArea(rings_mm=rings)


def _find_runs(row: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield where dark modules begin, and how many follow each other."""
    began: int | None = None
    for at, dark in enumerate([*row, False]):
        if dark and began is None:
            began = at
        elif not dark and began is not None:
            yield began, at - began
            began = None


def _draw_module(x: float, y: float, width: float, height: float) -> Ring:
    corners: tuple[Point, ...] = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return corners


def build_sheets(folder: HallFolder, paper: Paper) -> bytes:
    """Return the PDF with a page for each table, whose code is its hall file, and each judge, whose opens the desk."""
    pages = [
        _build_page(
            paper,
            folder.event.name,
            f"Table {entry.table}",
            folder.build_hall_file(entry).model_dump_json(),
            (
                "Take a photo of this code, straight from above, and begin the table with it:",
                f"overtable run --setup my-table.toml --hall photo.jpg, or the file tables/{entry.table}.json.",
                "Whoever has this sheet can speak for this table. Keep it with the table's machine.",
            ),
        )
        for entry in folder.event.tables
    ]
    pages += [
        _build_page(
            paper,
            folder.event.name,
            judge.name,
            folder.build_judge_address(judge),
            (
                "Scan this code with your phone: it opens the judges' desk, where you are known by your name.",
                "The browser asks once whether the page is to be trusted, for nobody but the hall vouches for it.",
                "Whoever has this sheet can rule in your name.",
            ),
        )
        for judge in folder.event.judges
    ]
    return render_pdf(pages, f"{folder.event.name}: sheets")


def _build_page(paper: Paper, event: str, title: str, code: str, words: tuple[str, ...]) -> Page:
    middle_mm, top_mm = paper.width_mm / 2, paper.height_mm - 40
    marks: list[Mark] = [
        TextLine(text=event, x_mm=middle_mm, y_mm=top_mm, size_mm=7, centred=True),
        TextLine(text=title, x_mm=middle_mm, y_mm=top_mm - 22, size_mm=14, centred=True, bold=True),
        draw_code(code, middle_mm - CODE_MM / 2, top_mm - 40 - CODE_MM, CODE_MM),
    ]
    marks += [
        TextLine(text=line, x_mm=middle_mm, y_mm=top_mm - 58 - CODE_MM - 7 * number, size_mm=3.6, centred=True)
        for number, line in enumerate(words)
    ]
    return Page(paper=paper, marks=tuple(marks))
