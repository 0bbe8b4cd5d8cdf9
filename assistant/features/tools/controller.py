"""Tools controller: what people measure at the table: tapes, threats, and the way that a model is still on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles
from assistant.game.events import ModelSettled
from assistant.game.state import GameState
from assistant.overlay.composition import draw_journey, draw_tape, draw_threat, draw_way
from assistant.overlay.shapes import OverlayShape
from assistant.rules.premeasuring import find_premeasuring
from assistant.table.background_worker import BackgroundWorker, KnownAnswer
from assistant.table.declared_move import WayPreview, preview_way
from assistant.table.measuring import (
    MeasuredPart,
    MeasuredThing,
    Measurement,
    choose_length_format,
    list_parts,
    measure_parts,
)
from assistant.table.session import GameSession
from assistant.table.threats import Threat, ThreatQuery, build_threat_query
from assistant.web.commands.game import End, HideThreat, Measure, ShowThreat, Unmeasure
from assistant.web.messages import View
from assistant.web.messages.table import MeasuringView, ShapeView, TapeView, ThreatView
from assistant.web.views.session import build_shape_views, build_way_view

MOST_TAPES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _WayQuestion:
    """The question how long the way is that a model is still on."""

    state: GameState
    event: ModelSettled

    def answers(self) -> Iterator[WayPreview | None]:
        """Yield the one answer."""
        yield preview_way(self.state, self.event)


@dataclass(slots=True, kw_only=True)
class _Tape:
    ends: tuple[MeasuredThing, MeasuredThing]
    between: tuple[tuple[MeasuredPart, ...], tuple[MeasuredPart, ...]] | None = None
    """What was measured last."""
    found: Measurement | None = None
    note: str = ""


@dataclass(slots=True, kw_only=True)
class _ShownThreat:
    """A threat that is shown, what it was asked for, and how it was last drawn."""

    range_mm: float | None
    state: GameState | None = None
    asked: ThreatQuery | None = None
    note: str = ""
    drawn: Threat | None = None
    shapes: dict[str, ShapeView] | None = None


class ToolsController(Feature):
    """Holds what is measured, for all pages alike.  Used from the table's thread; what takes long is done beside it."""

    name = "tools"

    def __init__(self, worker: BackgroundWorker, way_worker: BackgroundWorker) -> None:
        """Begin with nothing measured.

        Args:
            worker: works out threats, when it has nothing more pressing to do.
            way_worker: works out the way that a model is on, and waits for nothing else.

        """
        self._worker, self._way_worker = worker, way_worker
        self._tapes: dict[str, _Tape] = {}
        self._threats: dict[str, _ShownThreat] = {}
        self._count = 0

    def tell_of_answers(self, tell: Callable[[], None]) -> None:
        """Have somebody told, in the workers' threads, whenever more is known of a zone, a threat or a way."""
        self._worker.on_answer = self._way_worker.on_answer = tell

    @Handles(Measure)
    def measure(self, command: Measure, asker: Asker) -> None:
        """Lay a tape.

        Raises:
            BadInput: the two cannot be measured, there are too many tapes, or nobody may measure in this game.

        """
        state = asker.session.state
        one, other = (_build_thing(end) for end in command.ends)
        now = state.apply_tracks()
        measure_parts(list_parts(now, one), list_parts(now, other), choose_length_format(state))
        if len(self._tapes) == MOST_TAPES:
            raise BadInput(f"{MOST_TAPES} tapes lie on the table: take one away first")
        _require_measuring(state)
        if not any(set(tape.ends) == {one, other} for tape in self._tapes.values()):
            self._count += 1
            self._tapes[str(self._count)] = _Tape(ends=(one, other))

    @Handles(Unmeasure)
    def unmeasure(self, command: Unmeasure) -> None:
        """Take a tape away, or all of them; one that is gone already is no offence."""
        if command.tape is None:
            self._tapes.clear()
        self._tapes.pop(command.tape or "", None)

    @Handles(ShowThreat)
    def show_threat(self, command: ShowThreat, asker: Asker) -> None:
        """Show what a unit may come to threaten.

        Raises:
            BadInput: as for `build_threat_query`, or nobody may measure in this game.

        """
        state = asker.session.state
        build_threat_query(state, command.unit, command.range_mm)
        _require_measuring(state)
        if command.unit not in self._threats or self._threats[command.unit].range_mm != command.range_mm:
            self._worker.forget(("threat", command.unit))
            self._threats[command.unit] = _ShownThreat(range_mm=command.range_mm)

    @Handles(HideThreat)
    def _hide_threat(self, command: HideThreat) -> None:
        self.hide_threat(command.unit)

    def hide_threat(self, unit: str | None) -> None:
        """Show a unit's threat no longer, or that of all."""
        for each in [unit] if unit is not None else list(self._threats):
            self._threats.pop(each, None)
            self._worker.forget(("threat", each))

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        yield self.build_view(session)

    def build_view(self, session: GameSession) -> View:
        """Return what the pages show of all that."""
        state = session.state
        measuring = find_premeasuring(state)
        now = session.observations.place_models(state)
        ways = self._build_way(session, now)
        tapes, tape_shapes = self._build_tapes(now)
        threats, threat_views = self._build_threats(state)
        view = View(
            measuring={
                "measuring": MeasuringView(allowed=measuring.allowed, note=measuring.note, agreed=measuring.agreed)
            },
            tapes=tapes,
            threats=threats,
        )
        shapes = {**ways.shapes, **build_shape_views(tape_shapes), **threat_views}
        # A section that is left out is not joined to the game's, which then stays the same object.
        return view.model_copy(
            update={**({"ways": ways.ways} if ways.ways else {}), **({"shapes": shapes} if shapes else {})}
        )

    def _build_way(self, session: GameSession, now: GameState) -> View:
        """Return how far the model that moves now has come: what was last worked out of its way."""
        event = session.predict_settling()
        if event is None:
            self._way_worker.forget("way")
            return View()
        answer = self._way_worker.ask("way", _WayQuestion(state=session.state, event=event))
        if answer is None or answer.answer.track.poses[0] != _find_start(session.state, event):
            return View()
        preview: WayPreview = answer.answer
        model = preview.way.subjects[0]
        if model != event.model:
            return View()
        shapes = {
            **build_shape_views(draw_journey(now, model, preview.track, preview.way.outcome)),
            **build_shape_views(draw_way(now, preview.way, along=True)),
        }
        return View(ways={model: build_way_view(preview.way, moving=True)}, shapes=shapes)

    def _build_tapes(self, now: GameState) -> tuple[dict[str, TapeView], list[OverlayShape]]:
        views, shapes = {}, list[OverlayShape]()
        for number, tape in list(self._tapes.items()):
            if not all(_is_there(now, end) for end in tape.ends):
                del self._tapes[number]  # a model that is destroyed is measured no more
                continue
            _update_tape(tape, now)
            views[number] = _build_tape_view(tape)
            if tape.found is not None:
                shapes.append(draw_tape(number, tape.found.segment_mm, tape.found.text))
        return views, shapes

    def _build_threats(self, state: GameState) -> tuple[dict[str, ThreatView], dict[str, ShapeView]]:
        views, shapes = {}, dict[str, ShapeView]()
        for unit, threat in list(self._threats.items()):
            if threat.state is not state:
                threat.state = state
                try:
                    query = build_threat_query(state, unit, threat.range_mm)
                except BadInput:
                    self.hide_threat(unit)  # it has left the table
                    continue
                threat.asked = query if query != threat.asked else threat.asked
            assert threat.asked is not None
            answer = self._worker.ask(("threat", unit), threat.asked)
            if answer is not None and answer.answer is not threat.drawn:
                threat.drawn, threat.shapes = (
                    answer.answer,
                    build_shape_views(draw_threat(unit, answer.answer.region, answer.answer.text)),
                )
            shapes |= threat.shapes or {}
            views[unit] = ThreatView(
                text=threat.drawn.text if threat.drawn else "",
                note=threat.drawn.note if threat.drawn else "",
                range_mm=threat.range_mm,
                working=answer is None or not _answers_question(answer, threat.asked),
            )
        return views, shapes


def _build_thing(end: End) -> MeasuredThing:
    return MeasuredThing(kind=end.kind, id=end.id or "", at_mm=(end.x_mm or 0.0, end.y_mm or 0.0))


def _require_measuring(state: GameState) -> None:
    if not (measuring := find_premeasuring(state)).allowed:
        raise BadInput(measuring.note)


def _find_start(state: GameState, event: ModelSettled) -> object:
    track = state.tracks.get(event.model)
    return track.poses[0] if track else state.find_model(event.model).pose


def _is_there(state: GameState, thing: MeasuredThing) -> bool:
    """Whether there is such a thing in the game, on the table or off it."""
    match thing.kind:
        case "model":
            return any(model.id == thing.id for _, model in state.iterate_models())
        case "unit":
            return any(unit.id == thing.id and unit.models for unit in state.units)
        case "terrain":
            return any(piece.id == thing.id for piece in state.terrain)
    return True


def _update_tape(tape: _Tape, now: GameState) -> None:
    """Measure anew if one of the two stands elsewhere."""
    try:
        between = list_parts(now, tape.ends[0]), list_parts(now, tape.ends[1])
        if between != tape.between:
            tape.found, tape.note = measure_parts(*between, choose_length_format(now)), ""
            tape.between = between
    except BadInput as error:
        tape.between, tape.found, tape.note = None, None, str(error)


def _build_tape_view(tape: _Tape) -> TapeView:
    measurement = tape.found
    return TapeView(
        ends=(tape.ends[0].name, tape.ends[1].name),
        mm=None if measurement is None else round(measurement.mm, 2),
        sigma_mm=0.0 if measurement is None else round(measurement.sigma_mm, 3),
        horizontal=measurement is not None and measurement.horizontal,
        note=tape.note,
    )


def _answers_question(answer: KnownAnswer, query: ThreatQuery) -> bool:
    return answer.question is query or answer.question == query
