"""An incident report says what was measured, by what, and what was decided; on one page."""

from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.recording.verification import verify
from assistant.replay.formatting import format_clock
from assistant.replay.past_decisions import build_past_ruling
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.incident import Incident, build_incident, take_photograph
from assistant.replay.reports.incident_pdf import build_report_page, build_report_pdf, wrap_text
from assistant.web.languages.catalogue import LANGUAGES, SOURCE
from assistant.web.languages.reading import read
from assistant.web.languages.reports import translate_incident
from hardware.printing.page import ClippedMarks, Photo, TextLine
from hardware.printing.pdf import render_pdf
from hardware.printing.typeface import measure_text_mm
from tests.assistant.replay.sample_recording import CALIBRATION, RecordedTable
from tests.assistant.web.languages.test_reading import ENGLISH
from tests.hardware.printing.pdf_text import list_contents, list_lines


@pytest.fixture
def table(tmp_path: Path) -> RecordedTable:
    made = RecordedTable(tmp_path / "game.overtable")
    made.push_too_far()
    return made


def list_rows(report: Incident) -> dict[str, str]:
    return {row.label: row.text for section in report.sections for row in section.rows}


def test_a_finding_is_reported_with_its_figures_its_rule_and_what_they_rest_on(table: RecordedTable) -> None:
    past = RecordedGame(table.path)
    far = next(each for each in past.judge_all().findings.values() if each.finding.rule == "10e-15")
    report = build_incident(past, 0, far.number)
    rows, finding = list_rows(report), far.finding
    assert finding.measured_mm is not None
    assert finding.margin_mm is not None
    assert rows["Measured"].startswith(f"{finding.measured_mm:.2f} mm")
    assert rows["Margin"] == f"{finding.margin_mm:+.2f} mm (past the limit)"
    assert rows["Chance that it is legal"] == "less than 0.1 %"
    assert rows["Rule"] == "10e-15 · Normal move: each model at most its Move"
    assert rows["Announced"] == "scouts announced Normal move."
    assert (report.at_ns, report.outcome, report.statement) == (far.at_ns, "illegal", finding.text)
    assert (report.recording, report.picture_ns) == ("game.overtable", far.at_ns)
    assert report.drawing.inset_mm is not None
    left, bottom, right, top = report.drawing.inset_mm
    assert all(left < x < right and bottom < y < top for x, y in finding.witness_mm)


def test_a_report_names_the_head_that_vouches_for_what_it_rests_on(table: RecordedTable) -> None:
    rows = list_rows(build_incident(RecordedGame(table.path), 0, 1))
    row, head = rows["Recording"].split()[2], rows["Integrity"].split()[1].rstrip(":")
    assert "overtable verify --head proves" in rows["Integrity"]
    found = verify(table.path, head=head)
    assert (found.broken, found.since_head) == (None, found.events - int(row))
    assert verify(table.path, head="0" * 32).broken is not None


def test_a_ruling_is_in_the_report(table: RecordedTable) -> None:
    past = RecordedGame(table.path)
    table.do(
        lambda: table.session.make_ruling(
            build_past_ruling(past, at_ns=0, number=1, outcome="legal", note="the tape said six")
        )
    )
    made = build_incident(past, 0, 1)
    assert made.outcome_said == "not legal; the judge ruled: legal"
    (row,) = next(s for s in made.sections if s.title == "Rulings and notes").rows
    assert row.text == "The judge ruled: legal. The tape said six."


def test_a_calibration_is_named_with_its_error(table: RecordedTable) -> None:
    past = RecordedGame(table.path)
    past.find_end_ns()
    # The script's poses name a calibration of their own, as if the camera had been moved since.
    past.calibrations["script"] = past.calibrations[CALIBRATION.calibration]
    rows = list_rows(build_incident(past, past.find_end_ns(), 1))
    assert rows["Rests on"].startswith("anchors 580, 581, 582")
    assert rows["Its error"].startswith("one sigma ")
    assert "at this place" in rows["Its error"]
    assert rows["Calibration"] == "script, since 0:00:00.0 into the game"


def test_a_report_is_one_page_with_the_picture_and_nothing_outside_of_it(table: RecordedTable) -> None:
    past = RecordedGame(table.path)
    report = build_incident(past, 0, 1)
    picture = past.find_picture(report.at_ns)
    assert picture is not None
    page = build_report_page(report, picture.jpeg)
    assert sum(isinstance(mark, Photo) for mark in page.marks) == 1
    words = [mark for mark in page.marks if isinstance(mark, TextLine)]
    words += [m for mark in page.marks if isinstance(mark, ClippedMarks) for m in mark.marks if isinstance(m, TextLine)]
    assert report.statement in {mark.text for mark in words}
    for mark in words:
        wide = measure_text_mm(mark.text, mark.size_mm)
        left = mark.x_mm - wide / 2 if mark.centred else mark.x_mm
        assert left >= 10, mark
        assert left + wide <= 200, mark
        assert mark.y_mm >= 8, mark
    made = render_pdf([page], "Report")
    assert len(list_contents(made)) == 1
    assert picture.jpeg in made


def test_the_camera_is_shown_where_it_matters_and_whole_where_nothing_was_measured(table: RecordedTable) -> None:
    past = RecordedGame(table.path)
    report, moment = build_incident(past, 0, 1), build_incident(past, past.find_end_ns())
    assert report.drawing.inset_mm is not None
    left, bottom, right, top = report.drawing.inset_mm
    photo = take_photograph(past, report.at_ns, report.drawing)
    assert photo is not None
    assert (report.close, report.picture_ns) == (True, photo.captured_ns)
    picture = cv2.imdecode(np.frombuffer(photo.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape[1] / picture.shape[0] == pytest.approx((right - left) / (top - bottom), rel=0.01)
    assert photo.jpeg in build_report_pdf(past, report)
    whole = past.find_picture(moment.at_ns)
    assert whole is not None
    assert not moment.close
    assert whole.jpeg in build_report_pdf(past, moment)


def test_names_in_any_script_of_europe_are_text_on_the_sheet(tmp_path: Path) -> None:
    scouts = "Łowcy Příšer Ωμέγα Дружина"
    table = RecordedTable(tmp_path / "game.overtable", scouts)
    table.push_too_far()
    past = RecordedGame(table.path)
    note = "„Żółw” był o ďábelský kůň dál, Σωκράτης, съел ещё 🎲"
    table.do(lambda: table.session.make_ruling(build_past_ruling(past, at_ns=0, number=1, outcome="legal", note=note)))
    past = RecordedGame(table.path)
    lines = list_lines(build_report_pdf(past, build_incident(past, 0, 1)))
    assert f"{scouts} announced Normal move." in lines
    assert f"The judge ruled: legal. {note}.".replace("🎲", "(game die)") in lines


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != SOURCE])
def test_a_sheet_is_in_the_language_that_is_asked_for(table: RecordedTable, language: str) -> None:
    past, say = RecordedGame(table.path), partial(read, language=language)
    for number in (None, 1):
        english = build_incident(past, 2 * 10**9, number)
        marks = build_report_page(translate_incident(english, language), None, say).marks
        said = [mark.text for mark in marks if isinstance(mark, TextLine)]
        assert [text for text in said if ENGLISH.search(text) or "…" in text] == [], "in English, or cut off"
        own = {"Player", "Judge, time", *(section.title for section in english.sections)}
        assert own.isdisjoint(said)
    assert "Incident report" not in list_lines(build_report_pdf(past, translate_incident(english, language), say))


def test_a_moment_without_a_finding_is_reported_too(table: RecordedTable) -> None:
    report = build_incident(RecordedGame(table.path), 0)
    assert (report.outcome, report.number, report.drawing.inset_mm) == (None, None, None)
    assert report.statement.startswith("Nothing in particular")
    with pytest.raises(BadInput, match="no finding 99"):
        build_incident(RecordedGame(table.path), 0, 99)


def test_words_are_divided_only_where_they_must_be() -> None:
    assert wrap_text("one two three", 10.0, measure_text_mm("one two", 10.0)) == ["one two", "three"]
    lines = wrap_text("a" * 64, 3.0, 30.0)
    assert "".join(lines) == "a" * 64
    assert all(measure_text_mm(line, 3.0) <= 30.0 for line in lines)


def test_a_time_is_said_as_a_clock_says_it() -> None:
    assert [format_clock(ns) for ns in (0, 75_600_000_000, 3_723_400_000_000)] == [
        "0:00:00.0",
        "0:01:15.6",
        "1:02:03.4",
    ]
