"""Replay routes: the addresses by which pages look back into a game.

They hold for the live game and for a recording that is played.  Times are nanoseconds since the game's beginning.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from fastapi import Body, FastAPI, Query, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import BadInput
from assistant.game.events import SourceChanged
from assistant.recording.journal.reader import read_head
from assistant.replay.formatting import format_clock
from assistant.replay.past_table import draw_past_table
from assistant.replay.recorded_game import Moment, RecordedGame
from assistant.replay.reports.incident import build_incident
from assistant.replay.reports.statistics import Statistics, compute_statistics
from assistant.table.measuring import MeasuredThing, measure_distance
from assistant.web.languages.catalogue import choose_language
from assistant.web.languages.reading import read
from assistant.web.messages.past import (
    HeadView,
    MeasuredView,
    PastView,
)
from assistant.web.views.session import Source, build_view
from assistant.web.views.whole_game import build_whole_game
from vision.table_map import TableArea

if TYPE_CHECKING:
    from assistant.replay.reports.battle import Battle
    from assistant.replay.reports.battle_pictures import BattlePictures

At = Annotated[int, Query(ge=0, le=10**18)]
PlaceMm = Annotated[float, Field(ge=-1000, le=1e5)]
SideMm = Annotated[float, Field(ge=10, le=1e5)]
Number = Annotated[int | None, Query(ge=1)]
Texts = Annotated[dict[str, Annotated[str, Field(max_length=20_000)]], Body(max_length=5_000)]
LONGEST_MM = 1e5
"""No table is longer."""
NOTHING = "Nothing is recorded here, so there is no past to look into."
CAPTURED = "x-captured-ns"
"""Tells when a picture was taken, since the game's beginning."""


class TablePicture(BaseModel):
    """What an address asks for of the table from straight above: all of it, or a part in its millimetres."""

    model_config = ConfigDict(extra="ignore")

    width_px: Annotated[int, Field(ge=16, le=2560)] = 1600
    left_mm: PlaceMm = 0.0
    low_mm: PlaceMm = 0.0
    width_mm: SideMm | None = None
    depth_mm: SideMm | None = None
    model: Annotated[str, Field(max_length=200)] = ""
    """At the height of whose base."""

    @property
    def area(self) -> TableArea | None:
        """The part; None for the whole."""
        if self.width_mm is None or self.depth_mm is None:
            return None
        return TableArea(left_mm=self.left_mm, low_mm=self.low_mm, width_mm=self.width_mm, depth_mm=self.depth_mm)

    @property
    def fitting_width_px(self) -> int:
        """How wide a picture of it may be that is no higher than was asked for."""
        if self.area is None:
            return self.width_px
        return max(1, min(self.width_px, int(self.width_px * self.area.width_mm / self.area.depth_mm)))


class PastTablePicture(TablePicture):
    """The same at a moment of the past."""

    at_ns: Annotated[int, Field(ge=0, le=10**18)]


class Archive:
    """The recording that pages look into; None before there is one."""

    def __init__(self, past: RecordedGame | None = None) -> None:
        self.past = past
        self._counting = threading.Lock()
        self._counted: tuple[RecordedGame, int, Statistics] | None = None
        self._told: _ToldBattle | None = None
        self._filming = threading.Lock()
        self._filmed: tuple[RecordedGame, int, bytes] | None = None

    def compute_statistics(self, past: RecordedGame) -> Statistics:
        """Return what the recording comes to; of a long one it takes seconds, and is kept until more has happened."""
        with self._counting:
            rows, known = past.rows, self._counted
            if known is None or known[0] is not past or known[1] != rows:
                known = self._counted = (past, rows, compute_statistics(past.path))
            return known[2]

    def render_battle(self, past: RecordedGame, language: str) -> str:
        """Return the battle report as a page in a language; it is kept, too."""
        from assistant.web.battle_page import render_battle_page  # noqa: PLC0415 - a game starts without it
        from assistant.web.languages.reports import translate_battle  # noqa: PLC0415

        with self._counting:
            told = self._tell(past)
            if language not in told.pages:
                battle = translate_battle(told.battle, language)
                told.pages[language] = render_battle_page(battle, told.pictures, language=language, served=True)
            return told.pages[language]

    def set_battle(self, past: RecordedGame, texts: Mapping[str, str], language: str) -> bytes:
        """Return the battle report as a PDF in a language, with what people wrote in place of what it says."""
        from assistant.replay.reports.battle_pdf import build_battle_pdf  # noqa: PLC0415
        from assistant.web.languages.reports import translate_battle  # noqa: PLC0415

        with self._counting:
            told = self._tell(past)
            return build_battle_pdf(translate_battle(told.battle, language), told.pictures, texts)

    def film_battle(self, past: RecordedGame) -> bytes:
        """Return the timelapse film, WebM, which takes a while the first time."""
        from assistant.replay.exports.timelapse import write_timelapse  # noqa: PLC0415

        with self._filming:
            rows, known = past.rows, self._filmed
            if known is None or known[0] is not past or known[1] != rows:
                with TemporaryDirectory(prefix="overtable-film-") as folder:
                    film = Path(folder) / "battle.webm"
                    write_timelapse(past.path, film, lambda _: None)
                    known = self._filmed = (past, rows, film.read_bytes())
            return known[2]

    def _tell(self, past: RecordedGame) -> "_ToldBattle":
        from assistant.replay.reports.battle import tell_battle  # noqa: PLC0415
        from assistant.replay.reports.battle_pictures import BattlePictures  # noqa: PLC0415

        rows, known = past.rows, self._told
        if known is None or known.past is not past or known.rows != rows:
            battle = tell_battle(past)
            known = self._told = _ToldBattle(past=past, rows=rows, battle=battle, pictures=BattlePictures(past, battle))
        return known


@dataclass(slots=True, kw_only=True)
class _ToldBattle:
    """A battle report, with its pages, by language, that somebody has asked for."""

    past: RecordedGame
    rows: int
    battle: "Battle"
    pictures: "BattlePictures"
    pages: dict[str, str] = field(default_factory=dict)


def add_replay_routes(app: FastAPI, archive: Archive) -> None:
    """Add the routes that tell of the past."""

    def answered(answer: Callable[[RecordedGame], Response]) -> Response:
        if archive.past is None:
            return PlainTextResponse(NOTHING, status_code=404)
        try:
            return answer(archive.past)
        except BadInput as error:
            # Where the file is on the table's computer is nobody's business who looks from elsewhere.
            sentence = str(error).removeprefix(f"{archive.past.path}: ")
            return PlainTextResponse(f"{sentence[0].upper()}{sentence[1:]}.", status_code=400)

    def looked(answer: Callable[[RecordedGame], Response]) -> Response:
        """Answer before more of the game is judged."""

        def first(past: RecordedGame) -> Response:
            with past.hold_judging():
                return answer(past)

        return answered(first)

    @app.get("/past/moments.json")
    def moments(after: Annotated[int, Query(ge=0)] = 0) -> Response:
        return answered(lambda past: _respond_with_json(build_whole_game(past, after)))

    @app.get("/past/view.json")
    def view(at_ns: At, *, zones: bool = False) -> Response:
        return looked(lambda past: _respond_with_json(build_past_view(past, past.find_moment(at_ns, zones=zones))))

    @app.get("/past/head.json")
    def head() -> Response:
        if archive.past is None:
            return _respond_with_json(HeadView(recording="", head=""))  # whoever shows a call asks, recorded or not
        return answered(lambda past: _respond_with_json(read_present_head(past)))

    @app.get("/past/measure.json")
    def measure(at_ns: At, a: str, b: str) -> Response:
        return looked(lambda past: _respond_with_json(measure_at(past, at_ns, a, b)))

    @app.get("/past/picture.jpg")
    def picture(at_ns: At) -> Response:
        return looked(lambda past: _respond_with_jpeg(past, at_ns))

    @app.get("/past/table.jpg")
    def table(asked: Annotated[PastTablePicture, Query()]) -> Response:
        return looked(lambda past: _respond_with_table(past, asked))

    @app.get("/past/stats.json")
    def figures() -> Response:
        return answered(lambda past: _respond_with_json(archive.compute_statistics(past)))

    @app.get("/past/battle.html")
    def battle(request: Request) -> Response:
        language = choose_language(request.headers)
        return answered(lambda past: _respond_with_battle(archive.render_battle(past, language)))

    @app.get("/past/battle.pdf")
    @app.post("/past/battle.pdf")
    def set_battle(request: Request, texts: Texts | None = None) -> Response:
        language = choose_language(request.headers)
        return answered(
            lambda past: _respond_with_file(archive.set_battle(past, texts or {}, language), "application/pdf")
        )

    @app.get("/past/battle.webm")
    def film_battle() -> Response:
        return answered(lambda past: _respond_with_file(archive.film_battle(past), "video/webm"))

    @app.get("/past/incident.json")
    def sentence(at_ns: At = 0, finding: Number = None) -> Response:
        return answered(lambda past: _respond_with_json(build_incident(past, at_ns, finding)))

    @app.get("/report.pdf")
    def printed(request: Request, at_ns: At = 0, finding: Number = None) -> Response:
        language = choose_language(request.headers)
        return answered(lambda past: _respond_with_pdf(past, at_ns, finding, language))


def read_present_head(past: RecordedGame) -> HeadView:
    """Return what vouches for all that was recorded so far."""
    return HeadView(recording=past.path.name, head=read_head(past.path, past.rows) or "")


def build_past_view(past: RecordedGame, moment: Moment) -> PastView:
    """Return the table as it stood, in the words of the live pages."""
    return PastView(at_ns=moment.at_ns, view=build_view(moment.session, build_recorded_source(past, moment.camera)))


def build_recorded_source(past: RecordedGame, camera: SourceChanged | None) -> Source:
    """Return what pages are told of a recording in which that was last told of the camera."""
    state = camera.state if camera else "live"
    return Source(
        name=past.path.name,
        title=past.title,
        virtual=False,
        replay=True,
        state=state if state in {"live", "lost", "ended"} else "live",  # type: ignore[arg-type]
        text=camera.text if camera and state != "live" else "",
        fps=0,
        latency_ms=0,
    )


def _respond_with_battle(page: str) -> Response:
    from assistant.web.battle_page import SERVED_POLICY  # noqa: PLC0415

    headers = {"Content-Security-Policy": SERVED_POLICY, "Vary": "Accept-Language, Cookie"}
    return Response(page, media_type="text/html", headers=headers)


def _respond_with_file(data: bytes, kind: str) -> Response:
    name = f"battle-report.{kind.rpartition('/')[2]}"
    return Response(data, media_type=kind, headers={"Content-Disposition": f'inline; filename="{name}"'})


def _respond_with_jpeg(past: RecordedGame, at_ns: int) -> Response:
    picture = past.find_picture(at_ns)
    if picture is None:
        return PlainTextResponse("This recording keeps no picture of the camera.", status_code=404)
    return Response(picture.jpeg, media_type="image/jpeg")


def _respond_with_table(past: RecordedGame, asked: PastTablePicture) -> Response:
    drawn = draw_past_table(past, asked.at_ns, asked.area, asked.fitting_width_px, asked.model)
    if drawn is None:
        return PlainTextResponse("This recording keeps no picture of the table at that moment.", status_code=404)
    return Response(drawn.jpeg, media_type="image/jpeg", headers={CAPTURED: str(drawn.captured_ns)})


def _respond_with_pdf(past: RecordedGame, at_ns: int, finding: int | None, language: str) -> Response:
    from assistant.replay.reports.incident_pdf import build_report_pdf  # noqa: PLC0415 - a game starts without it
    from assistant.web.languages.reports import translate_incident  # noqa: PLC0415

    incident = translate_incident(build_incident(past, at_ns, finding), language)
    name = f"incident-{format_clock(incident.at_ns).replace(':', '-')}.pdf"
    return Response(
        build_report_pdf(past, incident, partial(read, language=language)),
        media_type="application/pdf",
        headers={"Content-Disposition": f'inline; filename="{name}"'},
    )


def _respond_with_json(message: BaseModel) -> Response:
    return Response(message.model_dump_json(), media_type="application/json")


def measure_at(past: RecordedGame, at_ns: int, a: str, b: str) -> MeasuredView:
    """Return how far two things stood from each other; each is ``model:id`` or ``point:x,y``, or so on.

    Raises:
        BadInput: there was no such thing on the table then.

    """
    state = past.find_moment(at_ns).session.state
    now = state.apply_tracks()
    measurement = measure_distance(now, _parse_thing(a), _parse_thing(b))
    near_mm, far_mm = measurement.segment_mm
    return MeasuredView(
        mm=measurement.mm, sigma_mm=measurement.sigma_mm, near_mm=near_mm, far_mm=far_mm, text=measurement.text
    )


def _parse_thing(text: str) -> MeasuredThing:
    kind, _, name = text.partition(":")
    try:
        if kind == "point":
            x_mm, y_mm = (float(part) for part in name.split(","))
            if abs(x_mm) <= LONGEST_MM and abs(y_mm) <= LONGEST_MM:
                return MeasuredThing(kind="point", at_mm=(x_mm, y_mm))
        elif kind in {"model", "unit", "terrain"}:
            return MeasuredThing(kind=kind, id=name)  # type: ignore[arg-type]
    except ValueError:
        pass
    raise BadInput(f"{text!r} is nothing to measure: expected model:ID, unit:ID, terrain:ID or point:X,Y")
