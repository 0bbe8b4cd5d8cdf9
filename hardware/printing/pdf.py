"""PDF output: printed pages as a PDF that prints true to scale."""

import io
from collections.abc import Iterator, Sequence

import pydyf

from hardware.printing.page import (
    ClippedMarks,
    Colour,
    InkArea,
    InkLine,
    Mark,
    Page,
    Photo,
    Point,
    TextLine,
    measure_text_mm,
)

POINT_MM = 25.4 / 72
"""PDF counts in points."""


def render_pdf(pages: Sequence[Page], title: str) -> bytes:
    """Return a PDF of some sheets; the same sheets always give the same bytes."""
    document = pydyf.PDF()
    document.info["Title"] = pydyf.String(title)
    document.info["Producer"] = pydyf.String("overtable")
    # Without this, viewers offer to fit the sheet to the paper, and it is no longer true to scale.
    document.catalog["ViewerPreferences"] = pydyf.Dictionary({"PrintScaling": "/None"})
    fonts = pydyf.Dictionary(
        {name: _add_font(document, base).reference for name, base in (("F", "Helvetica"), ("B", "Helvetica-Bold"))}
    )
    for page in pages:
        stream = pydyf.Stream(compress=True)
        photos = [_add_photo(document, photo).reference for photo in _iterate_photos(page.marks)]
        names = iter(range(len(photos)))
        for mark in page.marks:
            _draw(stream, mark, names)
        document.add_object(stream)
        pictures = pydyf.Dictionary({f"P{at}": reference for at, reference in enumerate(photos)})
        size = [0, 0, page.paper.width_mm / POINT_MM, page.paper.height_mm / POINT_MM]
        document.add_page(
            pydyf.Dictionary(
                {
                    "Type": "/Page",
                    "Parent": document.pages.reference,
                    "MediaBox": pydyf.Array(size),
                    "Contents": stream.reference,
                    "Resources": pydyf.Dictionary({"Font": fonts, "XObject": pictures}),
                }
            )
        )
    whole = io.BytesIO()
    document.write(whole)
    return whole.getvalue()


def _add_font(document: pydyf.PDF, base: str) -> pydyf.Dictionary:
    font = pydyf.Dictionary(
        {"Type": "/Font", "Subtype": "/Type1", "BaseFont": f"/{base}", "Encoding": "/WinAnsiEncoding"}
    )
    document.add_object(font)
    return font


def _iterate_photos(marks: Sequence[Mark]) -> Iterator[Photo]:
    """Yield the pictures in the order in which they are drawn."""
    for mark in marks:
        if isinstance(mark, Photo):
            yield mark
        elif isinstance(mark, ClippedMarks):
            yield from _iterate_photos(mark.marks)


def _add_photo(document: pydyf.PDF, photo: Photo) -> pydyf.Stream:
    kept = pydyf.Stream(
        [photo.jpeg],
        {
            "Type": "/XObject",
            "Subtype": "/Image",
            "Width": photo.width_px,
            "Height": photo.height_px,
            "ColorSpace": "/DeviceRGB",
            "BitsPerComponent": 8,
            "Filter": "/DCTDecode",
        },
    )
    document.add_object(kept)
    return kept


def _draw(stream: pydyf.Stream, mark: Mark, photos: Iterator[int]) -> None:
    match mark:
        case InkArea(rings_mm=rings):
            _set_ink(stream, mark.colour)
            for ring in rings:
                _trace_path(stream, ring)
                stream.close()
            stream.fill(even_odd=True)
        case InkLine():
            _set_ink(stream, mark.colour)
            stream.set_line_width(mark.width_mm / POINT_MM)
            stream.set_dash([length_mm / POINT_MM for length_mm in mark.dash_mm], 0)
            _trace_path(stream, mark.points_mm)
            if mark.closed:
                stream.close()
            stream.stroke()
        case TextLine():
            _set_ink(stream, mark.colour)
            left_mm = mark.x_mm - (measure_text_mm(mark.text, mark.size_mm) / 2 if mark.centred else 0.0)
            stream.begin_text()
            stream.set_font_size("B" if mark.bold else "F", mark.size_mm / POINT_MM)
            stream.move_text_to(left_mm / POINT_MM, mark.y_mm / POINT_MM)
            stream.stream.append(_encode_text(mark.text) + b" Tj")
            stream.end_text()
        case Photo():
            place = (mark.width_mm, 0, 0, mark.height_mm, mark.left_mm, mark.bottom_mm)
            stream.push_state()
            stream.set_matrix(*(number / POINT_MM for number in place))
            stream.draw_x_object(f"P{next(photos)}")
            stream.pop_state()
        case ClippedMarks():
            stream.push_state()
            _trace_path(stream, mark.ring_mm)
            stream.close()
            stream.clip()
            stream.end()
            for inner in mark.marks:
                _draw(stream, inner, photos)
            stream.pop_state()


def _set_ink(stream: pydyf.Stream, colour: Colour) -> None:
    stream.set_color_rgb(*colour)
    stream.set_color_rgb(*colour, stroke=True)


def _trace_path(stream: pydyf.Stream, points: Sequence[Point]) -> None:
    for at, (x, y) in enumerate(points):
        (stream.line_to if at else stream.move_to)(x / POINT_MM, y / POINT_MM)


def _encode_text(text: str) -> bytes:
    """Return a string in the font's own encoding; what it has no letter for becomes a question mark."""
    letters = text.encode("cp1252", errors="replace")
    for special in (b"\\", b"(", b")"):
        letters = letters.replace(special, b"\\" + special)
    return b"(" + letters + b")"
