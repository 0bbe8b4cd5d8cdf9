"""The incident report: what is written down of an incident, one content for the printed page and for the PDF."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Format
from assistant.game.naming import list_names, name_ids
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.recording.journal.reader import read_head
from assistant.recording.journal.row_types import CalibrationSeen
from assistant.replay.event_descriptions import describe_declaration, describe_ruling
from assistant.replay.formatting import DATED_NS, OUTCOMES, SECOND_NS, format_clock, format_length, lower_sentence
from assistant.replay.game_log import LoggedFinding
from assistant.replay.past_table import draw_past_table
from assistant.replay.recorded_game import Moment, RecordedGame
from assistant.replay.reports.diagram import SIDES, Drawing, draw_table, list_sides
from assistant.rules.books import find_rulebook
from assistant.rules.verdict import Finding, find_deciding_finding
from assistant.table.declared_move import find_current_verdict
from vision.table_map import TableArea

CLOSE_PX = 1200
"""How wide a picture of the part is that matters; `report.js` asks for the same."""
GRID = 9
"""Places along each side of the table at which the calibration's error is asked for."""
RULINGS = 4
"""At most so many are printed: one page is one page."""


class Row(Format):
    """A figure and what it is."""

    label: str
    text: str


class Section(Format):
    """Figures that belong together."""

    title: str
    rows: tuple[Row, ...]


class Incident(Format):
    """An incident report: a finding, or a moment at which nothing was found."""

    title: str
    """The game's."""
    recording: str
    """The file's name."""
    at_ns: int
    """Since the game's beginning."""
    at: str
    """The same in words."""
    number: int | None
    """Of the finding; None for a moment."""
    outcome: str | None
    """The finding's: ``illegal``, ``too-close``, ``unobserved``, or ``legal`` of a close call."""
    outcome_said: str
    statement: str
    sections: tuple[Section, ...]
    drawing: Drawing
    picture_ns: int | None
    """When the camera's picture was taken, since the game's beginning; None where there is none."""
    picture_said: str
    close: bool
    """The picture is of the part that is drawn again, straight from above; else it is the camera's own, whole."""
    names: dict[str, str] = Field(default_factory=dict)
    """What people call units and models, by the ids that sentences say."""


def build_incident(past: RecordedGame, at_ns: int, number: int | None = None) -> Incident:
    """Return what is to be said of a finding, or without one of a moment.

    Args:
        past: the recording.
        at_ns: since the game's beginning.
        number: of the finding in the list; it is shown at ``at_ns``, or when it began if it did not hold then.

    Raises:
        BadInput: there is no such finding.

    """
    logged = None
    if number is not None:
        logged = past.judge_all().findings.get(number)
        if logged is None:
            raise BadInput(f"{past.path}: it has no finding {number}; the list on the judge's page has their numbers")
        if not logged.at_ns <= at_ns < (at_ns + 1 if logged.until_ns is None else logged.until_ns):
            at_ns = logged.at_ns
    moment = past.find_moment(at_ns)
    state = moment.session.state
    finding = _restate_finding(logged, state) if logged else None
    drawing = draw_table(moment.session, finding)
    photo = take_photograph(past, moment.at_ns, drawing)
    return Incident(
        title=past.title,
        recording=past.path.name,
        at_ns=moment.at_ns,
        at=f"{f'Finding {logged.number} · ' if logged else ''}{format_clock(moment.at_ns)} into the game"
        f"{_format_date(past, moment.at_ns)}",
        number=logged.number if logged else None,
        outcome=finding.outcome.value if finding else None,
        outcome_said=_describe_outcome(state, logged, finding) if logged and finding else "a moment of the game",
        statement=finding.text if finding else "Nothing in particular is reported; this is how the table stood.",
        sections=tuple(
            section
            for section in (
                _build_figures(state, finding),
                Section(title="The game", rows=tuple(_list_game_rows(past, moment, logged))),
                Section(title="Rulings and notes", rows=tuple(_list_rulings(past, moment, logged))[:RULINGS]),
                Section(title="Camera and calibration", rows=tuple(_list_calibration_rows(past, moment, finding))),
            )
            if section.rows
        ),
        drawing=drawing,
        picture_ns=photo.captured_ns if photo else None,
        picture_said=_describe_photograph(photo, moment.at_ns) if photo else "No picture of it was kept.",
        close=photo is not None and photo.close,
        names=list_names(past.first.units),
    )


def put_names(incident: Incident) -> Incident:
    """Return a report whose sentences call units and models as people do."""
    names = incident.names
    sections = (
        section.model_copy(
            update={"rows": tuple(row.model_copy(update={"text": name_ids(row.text, names)}) for row in section.rows)}
        )
        for section in incident.sections
    )
    return incident.model_copy(update={"statement": name_ids(incident.statement, names), "sections": tuple(sections)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Photograph:
    """What the camera saw of an incident."""

    captured_ns: int
    jpeg: bytes
    close: bool
    """As of an incident."""


def take_photograph(past: RecordedGame, at_ns: int, drawing: Drawing) -> Photograph | None:
    """Return what was measured at a moment as the camera saw it, or its whole picture; None where there is neither.

    Args:
        past: the recording; of its video, too, the picture is taken that is nearest.
        at_ns: the moment, since the game's beginning.
        drawing: says which part of the table matters, if one does.

    """
    if drawing.inset_mm is not None:
        left, low, right, top = drawing.inset_mm
        area = TableArea(left_mm=left, low_mm=low, width_mm=right - left, depth_mm=top - low)
        if (drawn := draw_past_table(past, at_ns, area, CLOSE_PX)) is not None:
            return Photograph(captured_ns=drawn.captured_ns, jpeg=drawn.jpeg, close=True)
    kept = past.find_picture(at_ns)
    return None if kept is None else Photograph(captured_ns=kept.captured_ns, jpeg=kept.jpeg, close=False)


def _restate_finding(logged: LoggedFinding, state: GameState) -> Finding:
    """Return a finding with the figures that it had in a state."""
    verdict = find_current_verdict(state)
    restated = find_deciding_finding(verdict, logged.finding.rule, logged.finding.subjects) if verdict else None
    return restated or logged.finding


def _format_date(past: RecordedGame, at_ns: int) -> str:
    if past.began_ns < DATED_NS:
        return ""
    # As the clock at the table shows it, which is what people remember; the offset says which clock that was.
    moment = datetime.fromtimestamp((past.began_ns + at_ns) // SECOND_NS, UTC).astimezone()
    return f" · {moment:%Y-%m-%d %H:%M:%S} (UTC{moment:%z})"


def _build_figures(state: GameState, finding: Finding | None) -> Section:
    return Section(title="Figures", rows=tuple(_list_figures(state, finding)) if finding else ())


def _list_figures(state: GameState, finding: Finding) -> Iterator[Row]:
    for label, value in (("Measured", finding.measured_mm), ("Limit", finding.limit_mm)):
        if value is not None:
            yield Row(label=label, text=f"{value:.2f} mm ({format_length(state, value, 3)})")
    if finding.margin_mm is not None:
        side = "to spare" if finding.margin_mm >= 0 else "past the limit"
        yield Row(label="Margin", text=f"{finding.margin_mm:+.2f} mm ({side})")
    if finding.sigma_mm is not None:
        text = f"{finding.sigma_mm:.2f} mm; within {2 * finding.sigma_mm:.2f} mm of the limit a person decides"
        yield Row(label="One sigma", text=text)
    if finding.p_legal is not None:
        yield Row(label="Chance that it is legal", text=_format_share(finding.p_legal))
    book = find_rulebook(state.rulebook)
    statement = next((rule.statement for rule in book.rules if rule.id == finding.rule), "")
    yield Row(label="Rule", text=f"{finding.rule} · {statement}" if statement else finding.rule)
    yield Row(label="Rulebook", text=f"{book.title} ({book.id})")


def _format_share(share: float) -> str:
    if share < 0.001:
        return "less than 0.1 %"
    return "more than 99.9 %" if share > 0.999 else f"{100 * share:.1f} %"


def _list_game_rows(past: RecordedGame, moment: Moment, logged: LoggedFinding | None) -> Iterator[Row]:
    state = moment.session.state
    if state.turn is not None:
        yield Row(label="Turn", text=f"{state.turn.number} ({state.turn.player})")
    yield Row(
        label="Announced",
        text=describe_declaration(state, state.declared) + "." if state.declared else "Nothing was announced.",
    )
    players = [f"{player} ({SIDES[at % len(SIDES)]})" for at, player in enumerate(list_sides(state))]
    yield Row(label="Players", text=", ".join(players) or "none")
    if logged is not None:
        yield Row(label="Units", text=", ".join(f"{unit} ({state.find_unit(unit).player})" for unit in logged.units))
        yield Row(label="Outcome", text=_describe_fate(logged))
    elif state.rulebook != NO_RULEBOOK:
        yield Row(label="Rulebook", text=f"{find_rulebook(state.rulebook).title} ({state.rulebook})")
    yield Row(label="Recording", text=f"{past.path.name}, row {moment.entry} of its events")
    yield Row(label="Integrity", text=_describe_head(past, moment.entry))


def _describe_outcome(state: GameState, logged: LoggedFinding, finding: Finding) -> str:
    """Return what the referee found and what people decided of it last, so that neither is read without the other."""
    words = OUTCOMES[finding.outcome.value]
    if not logged.rulings:
        return words
    return f"{words}; {lower_sentence(describe_ruling(state, replace(logged.rulings[-1].ruling, text='', note='')))}"


def _describe_head(past: RecordedGame, entry: int) -> str:
    """Return the digest that vouches for all that happened up to a row, and how to check it."""
    head = read_head(past.path, entry)
    if head is None:
        return "nothing: this older recording carries no digests"
    return f"head {head}: given these digits, overtable verify --head proves that nothing up to here was changed"


def _describe_fate(logged: LoggedFinding) -> str:
    match logged.fate:
        case "stands":
            return "It holds at the end of the recording."
        case "accepted":
            return "The players accepted it as it stood."
        case "gone":
            return f"It was over at {format_clock(logged.until_ns or 0)}: put right, taken back, or judged no more."


def _list_rulings(past: RecordedGame, moment: Moment, logged: LoggedFinding | None) -> Iterator[Row]:
    """Yield what was decided of a finding, or of the moment; the latest first."""
    about_ns = past.began_ns + moment.at_ns
    rulings = logged.rulings if logged else [d for d in past.judge_all().rulings if d.ruling.at_ns == about_ns]
    for each in reversed(rulings):
        yield Row(
            label=f"At {format_clock(each.at_ns)}",
            text=describe_ruling(moment.session.state, replace(each.ruling, text="")),
        )


def _list_calibration_rows(past: RecordedGame, moment: Moment, finding: Finding | None) -> Iterator[Row]:
    name = moment.session.seen.calibration
    calibration = past.calibrations.get(name)
    if calibration is None:
        yield Row(label="Calibration", text=f"{name or 'none'}; the recording does not say more of it")
        return
    made_ns, seen = calibration
    yield Row(label="Calibration", text=f"{name}, since {format_clock(made_ns)} into the game")
    yield Row(
        label="Rests on", text=f"anchors {', '.join(map(str, seen.anchors))}; corners known to {seen.sigma_px:.2f} px"
    )
    yield Row(label="Its error", text=_describe_calibration_error(seen, moment.session.state, finding))
    mark = seen.camera
    width, height = seen.image_size
    focus = f", focus {mark.focus:g}" if mark is not None and mark.focus is not None else ""
    yield Row(
        label="Camera", text=f"{(mark and mark.identity) or 'does not say which it is'}, {width} x {height}{focus}"
    )
    for file in seen.files:
        yield Row(label=file.name, text=f"sha256 {file.sha256}")


def _describe_calibration_error(seen: CalibrationSeen, state: GameState, finding: Finding | None) -> str:
    """Return one standard deviation that the calibration alone leaves: here, and at most on the table."""
    across = np.linspace(0, state.table.width_mm, GRID)
    away = np.linspace(0, state.table.depth_mm, GRID)
    places = [(x, y, 0.0) for x in across for y in away]
    worst_mm = float(np.sqrt(np.linalg.eigvalsh(seen.solved_camera.covariance_mm2(places))[:, -1]).max())
    if finding is None or not finding.witness_mm:
        return f"one sigma at most {worst_mm:.2f} mm on this table"
    x, y = np.mean(finding.witness_mm, axis=0).tolist()
    here_mm = float(np.sqrt(np.linalg.eigvalsh(seen.solved_camera.covariance_mm2([(x, y, 0.0)]))[0, -1]))
    return f"one sigma {here_mm:.2f} mm at this place, at most {worst_mm:.2f} mm on this table"


def _describe_photograph(photo: Photograph, at_ns: int) -> str:
    apart_s = (photo.captured_ns - at_ns) / SECOND_NS
    what = "This part in the camera's picture" if photo.close else "The camera's picture"
    if abs(apart_s) < 0.1:
        return f"{what} of this moment."
    return f"{what} nearest to this moment: {abs(apart_s):.1f} s {'later' if apart_s > 0 else 'earlier'}."
