"""From a table at work to what the pages show."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from assistant.announced import Pick
from assistant.answer import Answer
from assistant.game.base import BaseSpec
from assistant.game.state import NO_RULEBOOK, GameState, Pose, Ruling, Setting, Table, Terrain, Unit
from assistant.geometry.shapes import Base
from assistant.overlay.shapes import OverlayShape
from assistant.poses import PoseEntry
from assistant.restoring import restoring_shapes
from assistant.rules.judge import ActionOption, FieldOption, rulebook
from assistant.rules.overruled import as_ruled
from assistant.rules.rulebook import Rulebook
from assistant.rules.sequence import contenders
from assistant.rules.verdict import Finding, Outcome
from assistant.session import Session
from assistant.web.kept import Given, kept_for
from assistant.web.messages import View
from assistant.web.messages.message import Message
from assistant.web.messages.move import ActionView, EffectView, FieldView, FindingView, MoveView, RulingView, TurnView
from assistant.web.messages.table import (
    CameraView,
    ModelView,
    ShapeView,
    TableView,
    TerrainView,
    UnitView,
)
from assistant.web.messages.tools import WayView
from assistant.web.notices import notices
from assistant.web.paints import CHOICES, PAINTS
from assistant.web.restoringview import place_view, restoring_view

PLACES = 2
"""Decimals of millimetres: finer than any camera or screen, and short on the wire."""
TURN_PLACES = 1
"""Decimals of degrees: the end of the longest base is off by less than a drawn line."""
_NOTHING: dict[str, Message] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the pictures come from and how it does."""

    name: str
    title: str
    virtual: bool
    replay: bool
    state: Literal["starting", "live", "lost", "ended"]
    text: str
    fps: float
    latency_ms: float


def view_of(session: Session, source: Source, *beside: View) -> View:
    """Return everything that a page shows: of a session, and what others show beside it, each its own sections.

    What has not changed since the session's last view is the same object in the next.
    """
    return _joined(_game_view(session, source), *beside)


def _joined(*views: View) -> View:
    """Return views as one; of a key in a section of two, the later value."""
    sections: dict[str, dict[str, Message]] = dict.fromkeys(View.model_fields, _NOTHING)
    for view in views:
        for name in view.model_fields_set:
            known, section = sections[name], getattr(view, name)
            sections[name] = {**known, **section} if known else section
    return View.model_construct(**sections)  # type: ignore[arg-type]  # all are messages that have been validated


def _game_view(session: Session, source: Source) -> View:
    state, answer, kept = session.state, session.answer(), kept_for(session)
    book = None if state.rulebook == NO_RULEBOOK else rulebook(state.rulebook)
    found = session.compared()
    shapes = (*answer.shapes, *restoring_shapes(state, found))
    models = kept.values("models", _model, dict(_shown(session)))
    # Validation would copy every section and look at every value again.
    return View.model_construct(
        table=kept.values("table", _table, {"table": (state.table, state.rulebook, source)}),
        camera=kept.values("camera", _camera, {"camera": (source, session.trouble, session.seen.anchors_seen)}),
        palette=PAINTS,
        palettes=CHOICES,
        terrain=kept.values("terrain", _terrain, {t.id: (t,) for t in state.terrain}),
        units=kept.values("units", _unit, dict(_units(state, answer, models))),
        models=models,
        notices=notices(session),
        actions={} if book is None else kept.section("actions", _actions, book, answer),
        fields=kept.section("fields", _fields, answer),
        move=kept.section("move", _moves, state, session.pick, answer, session.can_undo, session.decided),
        turn=kept.section("turn", _turn, state),
        findings=kept.section("findings", _findings, answer),
        rulings=kept.values("rulings", _ruling, {str(at): (ruling,) for at, ruling in enumerate(state.rulings)}),
        effects={} if book is None else kept.section("effects", _effects, book, answer),
        ways=kept.values("ways", way_view, {way.subjects[0]: (way,) for way in answer.ways}),
        shapes=kept.values("shapes", _shape, {shape.key: (shape,) for shape in shapes}),
        restoring=kept.values(
            "restoring", restoring_view, {"restoring": (state.restoring.when, found)} if state.restoring else {}
        ),
        places=kept.values("places", place_view, {each.model: (each,) for each in found}),
    )


def _table(table: Table, book: str, source: Source) -> TableView:
    known = None if book == NO_RULEBOOK else rulebook(book)
    return TableView(
        width_mm=table.width_mm,
        depth_mm=table.depth_mm,
        rulebook="watched, not judged" if known is None else book,
        title=source.title,
        virtual=source.virtual,
        replay=source.replay,
        statuses=[] if known is None else [status for status in known.statuses if not status.endswith(":")],
        unit="in" if known is None else known.unit,
    )


def _camera(source: Source, trouble: str, anchors_seen: int) -> CameraView:
    return CameraView(
        source=source.name,
        state=source.state,
        text=" ".join(part for part in (source.text, trouble) if part),
        anchors_seen=anchors_seen,
        fps=source.fps,
        latency_ms=source.latency_ms,
        unrecorded=bool(trouble),
    )


def _terrain(piece: Terrain) -> TerrainView:
    return TerrainView(outline_mm=list(piece.outline_mm), height_mm=piece.height_mm, traits=sorted(piece.traits))


def _units(state: GameState, answer: Answer, models: Mapping[str, ModelView]) -> Iterator[tuple[str, Given]]:
    players = list(dict.fromkeys(unit.player for unit in state.units))
    for unit in state.units:
        if unit.models:
            off = tuple(m.id for m in unit.models if m.id not in models)
            yield unit.id, (unit, players.index(unit.player), off, answer.may.get(unit.id, ()))


def _unit(unit: Unit, side: int, off: tuple[str, ...], may: tuple[str, ...]) -> UnitView:
    return UnitView(
        player=unit.player,
        side=side,
        models=[m.id for m in unit.models],
        keywords=sorted(unit.keywords),
        status=list(unit.status),
        off=list(off),
        may=list(may),
    )


def _actions(book: Rulebook, answer: Answer) -> dict[str, ActionView]:
    return {option.action: _action(book, option) for option in answer.options}


def _shape(shape: OverlayShape) -> ShapeView:
    return ShapeView(
        layer=shape.layer.value,
        rings_mm=[[(round(x, PLACES), round(y, PLACES)) for x, y in ring] for ring in shape.rings_mm],
        closed=shape.closed,
        style=shape.style,
        label=shape.label,
        on=shape.on,
    )


def shape_views(shapes: Iterable[OverlayShape]) -> dict[str, ShapeView]:
    """Return what is drawn on the table as the pages are told, by key."""
    return {shape.key: _shape(shape) for shape in shapes}


def _action(book: Rulebook, option: ActionOption) -> ActionView:
    action = book.action(option.action)
    return ActionView(
        label=option.label,
        dice=option.dice,
        most=option.most,
        sides=action.dice.sides,
        allowed=option.allowed,
        because=[text for _, text in option.because],
        limit_mm=option.limit_mm,
        reason=option.reason,
        sets_up=action.sets_up,
        takes=list(action.intent),
    )


def _fields(answer: Answer) -> dict[str, FieldView]:
    return {field.name: _field(field) for field in answer.fields}


def _field(option: FieldOption) -> FieldView:
    return FieldView(
        label=option.label,
        statement=option.statement,
        kind=option.kind,
        offered=list(option.offered),
        value=None if option.value is None else _sent(option.value),
    )


def _shown(session: Session) -> Iterator[tuple[str, Given]]:
    """Yield the models that are shown, and what each is shown by."""
    for unit, model in session.state.models():
        entry = session.poses.get(model.id)
        played = model.pose is not None or model.id in session.state.tracks
        just_hidden = session.only_just_hidden(model.id)
        if entry is not None and (played or just_hidden or entry.state in {"seen", "lifted"}):
            yield model.id, (unit.id, model.base, entry, just_hidden)
        elif model.pose is not None:
            yield model.id, (unit.id, model.base, model.pose, False)


def _model(unit: str, base: Base, at: PoseEntry | Pose, just_hidden: bool) -> ModelView:
    if isinstance(at, Pose):
        facing_deg, sigma_mm, state, moving = math.degrees(at.facing_rad), at.sigma_mm, "unseen", False
    else:
        facing_deg, sigma_mm, state, moving = at.facing_deg, max(at.sigma_mm), at.state, at.moving
    return ModelView.model_validate(
        {
            "unit": unit,
            "base": BaseSpec.of(base),
            "x_mm": round(at.x_mm, PLACES),
            "y_mm": round(at.y_mm, PLACES),
            "facing_deg": round(facing_deg, TURN_PLACES),
            "z_mm": round(at.z_mm, PLACES),
            "sigma_mm": round(sigma_mm, PLACES),
            "state": state,
            "moving": moving,
            "just_hidden": just_hidden,
        }
    )


def move_view(session: Session, answer: Answer) -> MoveView:
    """Return what is being done on a table and how the referee calls it."""
    return _move(session.state, session.pick, answer, session.can_undo, session.decided)


def _moves(*of: *tuple[GameState, Pick | None, Answer, bool, int]) -> dict[str, MoveView]:
    return {"move": _move(*of)}


def _move(state: GameState, pick: Pick | None, answer: Answer, can_undo: bool, decided: int) -> MoveView:
    declared, verdict = state.declared, answer.verdict
    outcome = as_ruled(verdict, state.rulings) if verdict is not None else None
    return MoveView(
        unit=pick.unit if pick else None,
        model=pick.model if pick else None,
        action=declared.action if declared else None,
        rolls=list(declared.rolls) if declared else [],
        tests=answer.tests,
        costs=answer.costs,
        lost=list(declared.lost) if declared else [],
        intent={key: _sent(value) for key, value in declared.intent.items()} if declared else {},
        moved=list(state.tracks),
        returning=list(state.returning),
        outcome=None if outcome is None or outcome is Outcome.NOTE else outcome.value,
        note=answer.note,
        can_undo=can_undo,
        decided=decided,
        contenders=[] if state.rulebook == NO_RULEBOOK else list(contenders(state)),
    )


def _sent(value: Setting) -> str | bool | list[str]:
    return list(value) if isinstance(value, tuple) else value if isinstance(value, bool) else str(value)


def _ruling(ruling: Ruling) -> RulingView:
    return RulingView(
        by=ruling.by,
        outcome=ruling.outcome,
        note=ruling.note,
        rule=ruling.rule,
        subjects=list(ruling.subjects),
        agreed_mm=ruling.agreed_mm,
        referee=ruling.referee,
        text=ruling.text,
    )


def _turn(state: GameState) -> dict[str, TurnView]:
    turn = state.turn
    if turn is None:
        return {}
    step = next(step.label for step in rulebook(state.rulebook).steps if step.id == turn.step)
    return {"turn": TurnView(number=turn.number, player=turn.player, step=step, done=list(turn.done))}


def _effects(book: Rulebook, answer: Answer) -> dict[str, EffectView]:
    effects = answer.verdict.effects if answer.verdict else ()
    return {str(at): EffectView(rule=effect.rule, text=book.said(effect)) for at, effect in enumerate(effects)}


def way_view(way: Finding, *, moving: bool = False) -> WayView:
    """Return how long a model's way is as the pages are told."""
    return WayView(
        outcome=way.outcome.value,
        measured_mm=round(way.measured_mm or 0.0, 1),
        limit_mm=round(way.limit_mm or 0.0, 1),
        sigma_mm=None if way.sigma_mm is None else round(way.sigma_mm, 2),
        moving=moving,
    )


def _findings(answer: Answer) -> dict[str, FindingView]:
    if answer.verdict is None:
        return {}
    return {
        str(number): FindingView(
            rule=f.rule,
            outcome=f.outcome.value,
            subjects=list(f.subjects),
            measured_mm=f.measured_mm,
            limit_mm=f.limit_mm,
            margin_mm=f.margin_mm,
            sigma_mm=f.sigma_mm,
            p_legal=f.p_legal,
            text=f.text,
        )
        for number, f in enumerate(answer.verdict.findings)
    }
