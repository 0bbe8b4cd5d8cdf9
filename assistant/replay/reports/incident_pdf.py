"""The incident report as a PDF: one sheet of paper."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from assistant.overlay.palette import parse_colour
from assistant.replay.formatting import format_clock
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.diagram import Drawing, Name, Stroke
from assistant.replay.reports.incident import Incident, Section, put_names, take_photograph
from hardware.printing.page import (
    A4,
    BLACK,
    ClippedMarks,
    Colour,
    InkArea,
    InkLine,
    Mark,
    Page,
    Photo,
    Point,
    Ring,
    TextLine,
)
from hardware.printing.pdf import render_pdf
from hardware.printing.typeface import fit_text, measure_text_mm

LEFT_MM, RIGHT_MM, TOP_MM, FOOT_MM = 15.0, 195.0, 284.0, 12.0
COLUMN_MM = 88.0
GAP_MM = 4.0
PICTURE_MM = 62.0
"""How high the drawing and the camera's picture may be."""
SIGNED_MM = 30.0
"""The lowest part is for signatures."""
LETTERS_MM = (3.1, 2.8, 2.5, 2.2, 1.9)
"""The sections are set in the first of these sizes in which they have room."""
LEADING = 1.35
GREY: Colour = (0.35, 0.35, 0.35)
TONES: dict[str | None, Colour] = {
    "illegal": (0.78, 0.26, 0.04),
    "too-close": (0.55, 0.45, 0.0),
    "unobserved": (0.04, 0.35, 0.55),
}


def build_report_pdf(past: RecordedGame, incident: Incident, say: Callable[[str], str] = str) -> bytes:
    """Return a report of something in a recorded game as a PDF, with the camera's picture where there is one.

    Args:
        past: the recording.
        incident: what it says, in the sheet's language.
        say: translates the sheet's own words into that; in English without it.

    """
    photo = take_photograph(past, incident.at_ns, incident.drawing)
    title = f"{say('Incident report')}: {incident.title}, {format_clock(incident.at_ns)}"
    return render_pdf([build_report_page(incident, photo.jpeg if photo else None, say)], title)


def build_report_page(incident: Incident, jpeg: bytes | None, say: Callable[[str], str] = str) -> Page:
    """Return the report as an A4 sheet.

    Args:
        incident: what it says.
        jpeg: the camera's picture; None where none was kept.
        say: translates the sheet's own words.

    """
    marks, incident = list[Mark](), put_names(incident)
    y = _set_head(incident, marks, say)
    high = max(_draw_table(incident.drawing, y, marks), _set_photo(incident, jpeg, y, marks))
    _set_sections(incident, y - high - 5.0, marks)
    _set_signatures(incident, marks, say)
    return Page(paper=A4, marks=tuple(marks))


def _set_head(incident: Incident, marks: list[Mark], say: Callable[[str], str]) -> float:
    """Set the head of the sheet; return where it ends."""
    y = TOP_MM - 5
    marks.append(TextLine(text=say("Incident report"), x_mm=LEFT_MM, y_mm=y, size_mm=6.0, bold=True))
    title, size_mm = fit_text(incident.title, room_mm=95.0, sizes_mm=(4.0, 3.4, 2.8))
    marks.append(TextLine(text=title, x_mm=RIGHT_MM - measure_text_mm(title, size_mm), y_mm=y, size_mm=size_mm))
    y -= 6
    marks.append(TextLine(text=incident.at, x_mm=LEFT_MM, y_mm=y, size_mm=3.2, colour=GREY))
    y -= 3
    marks.append(InkLine(points_mm=((LEFT_MM, y), (RIGHT_MM, y)), width_mm=0.3))
    y -= 6
    tone = TONES.get(incident.outcome, BLACK)
    marks.append(
        TextLine(text=_capitalise(incident.outcome_said), x_mm=LEFT_MM, y_mm=y, size_mm=4.4, bold=True, colour=tone)
    )
    for line in wrap_text(incident.statement, 3.6, RIGHT_MM - LEFT_MM)[:3]:
        y -= 5.2
        marks.append(TextLine(text=line, x_mm=LEFT_MM, y_mm=y, size_mm=3.6))
    return y - 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    """From the table to the paper."""

    scale: float
    left_mm: float
    bottom_mm: float
    x_mm: float = 0.0
    y_mm: float = 0.0
    """The point of the table that lies there."""

    def map_point(self, point: Point) -> Point:
        return (
            self.left_mm + (point[0] - self.x_mm) * self.scale,
            self.bottom_mm + (point[1] - self.y_mm) * self.scale,
        )

    def map_ring(self, ring: Sequence[Point]) -> Ring:
        return tuple(self.map_point(point) for point in ring)


def _draw_table(drawing: Drawing, top: float, marks: list[Mark]) -> float:
    """Draw the whole table and the part that matters; return how much room that takes downwards."""
    scale = min(COLUMN_MM / drawing.width_mm, PICTURE_MM / drawing.depth_mm)
    high = drawing.depth_mm * scale
    fit = _Fit(scale=scale, left_mm=LEFT_MM, bottom_mm=top - high)
    marks += _draw_strokes(drawing.strokes, fit)
    marks += [_draw_name(name, fit, 2.0) for name in drawing.names if not name.inset]
    if drawing.inset_mm is None:
        return high
    left, bottom, right, over = drawing.inset_mm
    frame = ((left, bottom), (right, bottom), (right, over), (left, over))
    around = fit.map_ring(((0, 0), (drawing.width_mm, 0), (drawing.width_mm, drawing.depth_mm), (0, drawing.depth_mm)))
    marks.append(
        ClippedMarks(ring_mm=around, marks=(InkLine(points_mm=fit.map_ring(frame), width_mm=0.3, closed=True),))
    )
    scale = COLUMN_MM / (right - left)
    inset_high = (over - bottom) * scale
    fit = _Fit(scale=scale, left_mm=LEFT_MM, bottom_mm=top - high - GAP_MM - inset_high, x_mm=left, y_mm=bottom)
    inner: list[Mark] = [*_draw_strokes(drawing.strokes, fit)]
    inner += [_draw_name(name, fit, 2.6) for name in drawing.names if name.inset]
    ring = fit.map_ring(frame)
    marks.append(ClippedMarks(ring_mm=ring, marks=tuple(inner)))
    marks.append(InkLine(points_mm=ring, width_mm=0.3, closed=True))
    return high + GAP_MM + inset_high


def _draw_strokes(strokes: Sequence[Stroke], fit: _Fit) -> Iterator[Mark]:
    for stroke in strokes:
        rings = tuple(fit.map_ring(ring) for ring in stroke.rings_mm)
        if stroke.fill and stroke.closed:
            yield InkArea(rings_mm=rings, colour=_parse_colour(stroke.fill))
        for ring in rings:
            yield InkLine(
                points_mm=ring,
                width_mm=stroke.width_mm,
                closed=stroke.closed,
                colour=_parse_colour(stroke.line),
                dash_mm=stroke.dash_mm,
            )


def _draw_name(name: Name, fit: _Fit, size_mm: float) -> TextLine:
    x, y = fit.map_point((name.x_mm, name.y_mm))
    text, size_mm = fit_text(name.text, room_mm=max(name.room_mm * fit.scale, 4.0), sizes_mm=(size_mm, size_mm * 0.75))
    return TextLine(text=text, x_mm=x, y_mm=y - size_mm / 3, size_mm=size_mm, centred=True)


def _set_photo(incident: Incident, jpeg: bytes | None, top: float, marks: list[Mark]) -> float:
    """Set the camera's picture and what it is; return how much room that takes downwards."""
    left, high = RIGHT_MM - COLUMN_MM, 0.0
    picture = None if jpeg is None else cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if jpeg is not None and picture is not None:
        height_px, width_px = picture.shape[:2]
        scale = min(COLUMN_MM / width_px, PICTURE_MM / height_px)
        high = height_px * scale
        marks.append(
            Photo(
                jpeg=jpeg,
                width_px=width_px,
                height_px=height_px,
                left_mm=left,
                bottom_mm=top - high,
                width_mm=width_px * scale,
                height_mm=high,
            )
        )
    marks.append(TextLine(text=incident.picture_said, x_mm=left, y_mm=top - high - 4, size_mm=2.6, colour=GREY))
    column = _Column(left_mm=left, width_mm=COLUMN_MM, size_mm=2.8)
    return high + 8 + column.set(incident.sections[:1], top - high - 8, marks)


def _set_sections(incident: Incident, top: float, marks: list[Mark]) -> None:
    """Set the other sections over the whole width, as large as they have room for; what has none is left out."""
    rest, wide, foot = incident.sections[1:], RIGHT_MM - LEFT_MM, SIGNED_MM + FOOT_MM
    columns = [_Column(left_mm=LEFT_MM, width_mm=wide, size_mm=size, foot_mm=foot) for size in LETTERS_MM]
    column = next((each for each in columns if each.set(rest, top, []) <= top - foot), columns[-1])
    column.set(rest, top, marks)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """Where sections are set, and how large."""

    left_mm: float
    width_mm: float
    size_mm: float
    foot_mm: float = 0.0
    """What would be lower is left out."""

    def set(self, sections: Sequence[Section], top: float, marks: list[Mark]) -> float:
        """Set sections, a label and its text in a row each; return how much room they would take downwards."""
        left, size, y = self.left_mm, self.size_mm, top
        step, labels = LEADING * size, min(self.width_mm * 0.34, 42.0)
        for section in sections:
            y -= step
            if y >= self.foot_mm:
                marks.append(TextLine(text=section.title, x_mm=left, y_mm=y, size_mm=1.08 * size, bold=True))
            for row in section.rows:
                label, label_mm = fit_text(row.label, room_mm=labels - 2, sizes_mm=(size, size * 0.8))
                lines = [TextLine(text=label, x_mm=left, y_mm=y - step, size_mm=label_mm, colour=GREY)]
                for line in wrap_text(row.text, size, self.width_mm - labels):
                    y -= step
                    lines.append(TextLine(text=line, x_mm=left + labels, y_mm=y, size_mm=size))
                marks += [line for line in lines if line.y_mm >= self.foot_mm]
            y -= 0.6 * size
        return top - y


def _set_signatures(incident: Incident, marks: list[Mark], say: Callable[[str], str]) -> None:
    for at, who in enumerate(("Player", "Player", "Judge, time")):
        left = LEFT_MM + at * 62
        y = FOOT_MM + 12
        marks.append(InkLine(points_mm=((left, y), (left + 56, y)), width_mm=0.25))
        marks.append(TextLine(text=say(who), x_mm=left, y_mm=y - 4, size_mm=2.8, colour=GREY))
    text = (
        f"Made by overtable from the recording {incident.recording}; lengths are measured on the table by the camera."
    )
    line, size_mm = fit_text(say(text), room_mm=RIGHT_MM - LEFT_MM, sizes_mm=(2.4, 2.1))
    marks.append(TextLine(text=line, x_mm=LEFT_MM, y_mm=FOOT_MM, size_mm=size_mm, colour=GREY))


def wrap_text(text: str, size_mm: float, room_mm: float) -> list[str]:
    """Return a text as lines that have room; a word that has none by itself is divided."""
    lines: list[str] = []
    for word in text.split():
        if lines and measure_text_mm(f"{lines[-1]} {word}", size_mm) <= room_mm:
            lines[-1] += f" {word}"
            continue
        while measure_text_mm(word, size_mm) > room_mm:
            fits = next(n for n in range(len(word), 0, -1) if n == 1 or measure_text_mm(word[:n], size_mm) <= room_mm)
            lines.append(word[:fits])
            word = word[fits:]  # noqa: PLW2901 - the rest of it is the next word
        lines.append(word)
    return lines or [""]


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:]


def _parse_colour(css: str) -> Colour:
    red, green, blue, _ = parse_colour(css)
    return red / 255, green / 255, blue / 255
