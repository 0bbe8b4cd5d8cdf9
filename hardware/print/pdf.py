"""Sheets as a PDF that prints true to scale."""

import io
from collections.abc import Sequence

import pydyf

from hardware.print.page import Area, Line, Mark, Page, Point, Words, width_mm

POINT_MM = 25.4 / 72
"""PDF counts in points."""


def pdf(pages: Sequence[Page], title: str) -> bytes:
    """Return a PDF of some sheets; the same sheets always give the same bytes."""
    document = pydyf.PDF()
    document.info["Title"] = pydyf.String(title)
    document.info["Producer"] = pydyf.String("overtable")
    # Without this, viewers offer to fit the sheet to the paper, and it is no longer true to scale.
    document.catalog["ViewerPreferences"] = pydyf.Dictionary({"PrintScaling": "/None"})
    font = pydyf.Dictionary(
        {"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Helvetica", "Encoding": "/WinAnsiEncoding"}
    )
    document.add_object(font)
    fonts = pydyf.Dictionary({"Font": pydyf.Dictionary({"F": font.reference})})
    for page in pages:
        stream = pydyf.Stream(compress=True)
        for mark in page.marks:
            _draw(stream, mark)
        document.add_object(stream)
        size = [0, 0, page.paper.width_mm / POINT_MM, page.paper.height_mm / POINT_MM]
        document.add_page(
            pydyf.Dictionary(
                {
                    "Type": "/Page",
                    "Parent": document.pages.reference,
                    "MediaBox": pydyf.Array(size),
                    "Contents": stream.reference,
                    "Resources": fonts,
                }
            )
        )
    whole = io.BytesIO()
    document.write(whole)
    return whole.getvalue()


def _draw(stream: pydyf.Stream, mark: Mark) -> None:
    match mark:
        case Area(rings_mm=rings):
            _ink(stream, 0.0)
            for ring in rings:
                _path(stream, ring)
                stream.close()
            stream.fill(even_odd=True)
        case Line():
            _ink(stream, mark.grey)
            stream.set_line_width(mark.width_mm / POINT_MM)
            _path(stream, mark.points_mm)
            if mark.closed:
                stream.close()
            stream.stroke()
        case Words():
            _ink(stream, 0.0)
            left_mm = mark.x_mm - (width_mm(mark.text, mark.size_mm) / 2 if mark.centred else 0.0)
            stream.begin_text()
            stream.set_font_size("F", mark.size_mm / POINT_MM)
            stream.move_text_to(left_mm / POINT_MM, mark.y_mm / POINT_MM)
            stream.stream.append(_text(mark.text) + b" Tj")
            stream.end_text()


def _ink(stream: pydyf.Stream, grey: float) -> None:
    stream.set_color_rgb(grey, grey, grey)
    stream.set_color_rgb(grey, grey, grey, stroke=True)


def _path(stream: pydyf.Stream, points: Sequence[Point]) -> None:
    for at, (x, y) in enumerate(points):
        (stream.line_to if at else stream.move_to)(x / POINT_MM, y / POINT_MM)


def _text(text: str) -> bytes:
    """Return a string in the font's own encoding; what it has no letter for becomes a question mark."""
    letters = text.encode("cp1252", errors="replace")
    for special in (b"\\", b"(", b")"):
        letters = letters.replace(special, b"\\" + special)
    return b"(" + letters + b")"
