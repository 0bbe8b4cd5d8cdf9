"""SVG output: a printed page as an SVG for cutting machines, true to scale, with what is cut in a layer of its own.

One user unit is a millimetre.  The layers are groups, named as Inkscape names its own: ``print`` and ``cut``.
"""

import base64
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from hardware.printing.page import (
    CUT_COLOUR,
    CUT_WIDTH_MM,
    ClippedMarks,
    Colour,
    CutLine,
    InkArea,
    InkLine,
    Mark,
    Page,
    Photo,
    Ring,
    TextLine,
)
from hardware.printing.typeface import clean_text

NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'


def render_svg(page: Page, title: str) -> bytes:
    """Return an SVG of a sheet; the same sheet always gives the same bytes."""
    wide, high = page.paper.width_mm, page.paper.height_mm
    cuts = [mark for mark in page.marks if isinstance(mark, CutLine)]
    ink = [mark for mark in page.marks if not isinstance(mark, CutLine)]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg {NAMESPACES} width="{wide:g}mm" height="{high:g}mm" viewBox="0 0 {wide:g} {high:g}">',
        f"<title>{escape(clean_text(title))}</title>",
        '<g id="print" inkscape:groupmode="layer" inkscape:label="print">',
        *_draw_all(ink, high, "clip"),
        "</g>",
        f'<g id="cut" inkscape:groupmode="layer" inkscape:label="cut" {_describe_stroke(CUT_COLOUR, CUT_WIDTH_MM)}>',
        *_draw_all(cuts, high, "clip"),
        "</g>",
        "</svg>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _draw_all(marks: Sequence[Mark], high: float, name: str) -> Iterator[str]:
    """Yield marks as elements; what they are clipped by is called by a name and their place among the others."""
    for at, mark in enumerate(marks):
        yield from _draw(mark, high, f"{name}-{at}")


def _draw(mark: Mark, high: float, name: str) -> Iterator[str]:
    match mark:
        case InkArea():
            rings = "".join(_trace_path(ring, high, closed=True) for ring in mark.rings_mm)
            yield f'<path d="{rings}" fill="{_name_colour(mark.colour)}" fill-rule="evenodd"/>'
        case InkLine():
            path, stroke = (
                _trace_path(mark.points_mm, high, closed=mark.closed),
                _describe_stroke(mark.colour, mark.width_mm),
            )
            yield f'<path d="{path}" {stroke}{_describe_dash(mark.dash_mm)}/>'
        case CutLine():
            yield f'<path d="{_trace_path(mark.points_mm, high, closed=True)}"{_describe_dash(mark.dash_mm)}/>'
        case TextLine():
            anchor = ' text-anchor="middle"' if mark.centred else ""
            weight = ' font-weight="bold"' if mark.bold else ""
            yield (
                f'<text x="{mark.x_mm:.6g}" y="{high - mark.y_mm:.6g}" font-size="{mark.size_mm:g}"{anchor}{weight}'
                f' font-family="DejaVu Sans, sans-serif" fill="{_name_colour(mark.colour)}">'
                f"{escape(clean_text(mark.text))}</text>"
            )
        case Photo():
            data = base64.b64encode(mark.jpeg).decode()
            top = high - mark.bottom_mm - mark.height_mm
            yield (
                f'<image x="{mark.left_mm:g}" y="{top:g}" width="{mark.width_mm:g}" height="{mark.height_mm:g}"'
                f' preserveAspectRatio="none" href="data:image/jpeg;base64,{data}"/>'
            )
        case ClippedMarks():
            path = _trace_path(mark.ring_mm, high, closed=True)
            yield f'<clipPath id="{name}"><path d="{path}"/></clipPath><g clip-path="url(#{name})">'
            yield from _draw_all(mark.marks, high, name)
            yield "</g>"


def _trace_path(ring: Ring, high: float, *, closed: bool) -> str:
    points = " ".join(f"{x:.4f},{high - y:.4f}" for x, y in ring)
    return f"M{points}{'Z' if closed else ''}"


def _describe_stroke(colour: Colour, width_mm: float) -> str:
    return f'fill="none" stroke="{_name_colour(colour)}" stroke-width="{width_mm:g}"'


def _describe_dash(dash_mm: Sequence[float]) -> str:
    return f' stroke-dasharray="{" ".join(f"{length:g}" for length in dash_mm)}"' if dash_mm else ""


def _name_colour(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
