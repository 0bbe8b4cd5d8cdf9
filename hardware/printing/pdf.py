"""PDF output: printed pages as a PDF that prints true to scale."""

import io
import threading
from collections.abc import Sequence

from reportlab import rl_config
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfdoc import PDFDictionary, PDFInfo, PDFString
from reportlab.pdfgen.canvas import FILL_EVEN_ODD, Canvas
from reportlab.pdfgen.pathobject import PDFPathObject

from hardware.printing.page import (
    CUT_COLOUR,
    CUT_WIDTH_MM,
    ClippedMarks,
    CutLine,
    InkArea,
    InkLine,
    Mark,
    Page,
    Paper,
    Photo,
    Ring,
    TextLine,
)
from hardware.printing.traced_letters import TracedLetter
from hardware.printing.typeface import (
    BOLD,
    REGULAR,
    compose_text,
    list_runs,
    load_font,
    measure_run_mm,
    measure_text_mm,
)

POINT_MM = 25.4 / 72
"""PDF counts in points."""
PDF_VERSION = (1, 7)
_ONE_AT_A_TIME = threading.Lock()
"""reportlab asks that a font is used by one document at a time, and the pages are served by several threads."""

rl_config.useA85 = 0  # its default writes pictures as text, a quarter larger


class _UndatedInfo(PDFInfo):  # type: ignore[misc]  # reportlab ships no types
    """The file's own description without dates and names, so that the same sheets give the same bytes."""

    def format(self, document: object) -> bytes:
        """Return what is written to the file."""
        entries = {"Title": PDFString(self.title), "Producer": PDFString("overtable")}
        return bytes(PDFDictionary(entries).format(document))


def render_pdf(pages: Sequence[Page], title: str) -> bytes:
    """Return a PDF of some sheets; the same sheets always give the same bytes."""
    document = io.BytesIO()
    with _ONE_AT_A_TIME:
        for bold in (False, True):
            load_font(bold=bold)
        canvas = Canvas(document, invariant=1, pageCompression=1, pdfVersion=PDF_VERSION, initialFontName=REGULAR)
        canvas._doc.info = _UndatedInfo()
        canvas.setTitle(title)
        # Without this, viewers offer to fit the sheet to the paper, and it is no longer true to scale.
        canvas.setViewerPreference("PrintScaling", "None")
        for page in pages:
            canvas.setPageSize(_measure_paper(page.paper))
            for mark in page.marks:
                _draw(canvas, mark)
            canvas.showPage()
        canvas.save()
    return document.getvalue()


def _measure_paper(paper: Paper) -> tuple[float, float]:
    return paper.width_mm / POINT_MM, paper.height_mm / POINT_MM


def _draw(canvas: Canvas, mark: Mark) -> None:
    match mark:
        case InkArea(rings_mm=rings):
            canvas.setFillColorRGB(*mark.colour)
            canvas.drawPath(_trace_path(canvas, rings), stroke=0, fill=1, fillMode=FILL_EVEN_ODD)
        case InkLine():
            canvas.setStrokeColorRGB(*mark.colour)
            canvas.setLineWidth(mark.width_mm / POINT_MM)
            canvas.setDash([length_mm / POINT_MM for length_mm in mark.dash_mm])
            canvas.drawPath(_trace_path(canvas, [mark.points_mm], closed=mark.closed))
        case CutLine():
            _draw(
                canvas,
                InkLine(
                    points_mm=mark.points_mm,
                    width_mm=CUT_WIDTH_MM,
                    closed=True,
                    colour=CUT_COLOUR,
                    dash_mm=mark.dash_mm,
                ),
            )
        case TextLine():
            _write(canvas, mark)
        case Photo():
            place = (mark.left_mm, mark.bottom_mm, mark.width_mm, mark.height_mm)
            canvas.drawImage(ImageReader(io.BytesIO(mark.jpeg)), *(number / POINT_MM for number in place))
        case ClippedMarks():
            canvas.saveState()
            canvas.clipPath(_trace_path(canvas, [mark.ring_mm]), stroke=0, fill=0)
            for inner in mark.marks:
                _draw(canvas, inner)
            canvas.restoreState()


def _write(canvas: Canvas, line: TextLine) -> None:
    canvas.setFillColorRGB(*line.colour)
    canvas.setFont(BOLD if line.bold else REGULAR, line.size_mm / POINT_MM)
    wide_mm = measure_text_mm(line.text, line.size_mm, bold=line.bold) if line.centred else 0.0
    x_mm = line.x_mm - wide_mm / 2
    for run in list_runs(compose_text(line.text)):
        if isinstance(run, TracedLetter):
            rings = [
                tuple((x_mm + x * line.size_mm, line.y_mm + y * line.size_mm) for x, y in ring) for ring in run.rings
            ]
            canvas.drawPath(_trace_path(canvas, rings), stroke=0, fill=1, fillMode=FILL_EVEN_ODD)
        else:
            canvas.drawString(x_mm / POINT_MM, line.y_mm / POINT_MM, run)
        x_mm += measure_run_mm(run, line.size_mm, bold=line.bold)


def _trace_path(canvas: Canvas, rings: Sequence[Ring], *, closed: bool = True) -> PDFPathObject:
    path = canvas.beginPath()
    for ring in rings:
        for at, (x, y) in enumerate(ring):
            (path.lineTo if at else path.moveTo)(x / POINT_MM, y / POINT_MM)
        if closed:
            path.close()
    return path
