"""From a table at work to what the pages show."""

import math
from dataclasses import dataclass
from typing import Literal

from assistant.game.base import BaseSpec
from assistant.game.state import NO_RULEBOOK, GameState, Model, Ruling, Setting
from assistant.overlay.palette import PALETTE
from assistant.rules.judge import ActionOption, FieldOption, rulebook
from assistant.rules.overruled import as_ruled
from assistant.rules.rulebook import Rulebook
from assistant.rules.sequence import contenders
from assistant.rules.verdict import Outcome
from assistant.session import Answer, Session
from assistant.web.messages import View
from assistant.web.messages.message import Message
from assistant.web.messages.move import ActionView, EffectView, FieldView, FindingView, MoveView, RulingView, TurnView
from assistant.web.messages.table import (
    CameraView,
    ModelView,
    PaintView,
    ShapeView,
    TableView,
    TerrainView,
    UnitView,
)
from assistant.web.notices import notices


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
    """Return everything that a page shows: of a session, and what others show beside it, each its own sections."""
    return _joined(_game_view(session, source), *beside)


def _joined(*views: View) -> View:
    """Return views as one; of a key in a section of two, the later value."""
    sections: dict[str, dict[str, Message]] = {}
    for view in views:
        for name in view.model_fields_set:
            sections[name] = {**sections.get(name, {}), **getattr(view, name)}
    return View().model_copy(update=sections)


def _game_view(session: Session, source: Source) -> View:
    state, answer = session.state, session.answer()
    players = list(dict.fromkeys(unit.player for unit in state.units))
    book = None if state.rulebook == NO_RULEBOOK else rulebook(state.rulebook)
    models = _models(session)
    return View(
        table={
            "table": TableView(
                width_mm=state.table.width_mm,
                depth_mm=state.table.depth_mm,
                rulebook="watched, not judged" if state.rulebook == NO_RULEBOOK else state.rulebook,
                title=source.title,
                virtual=source.virtual,
                replay=source.replay,
                statuses=[] if book is None else [status for status in book.statuses if not status.endswith(":")],
                unit="in" if book is None else book.unit,
            )
        },
        camera={
            "camera": CameraView(
                source=source.name,
                state=source.state,
                text=" ".join(part for part in (source.text, session.trouble) if part),
                anchors_seen=session.seen.anchors_seen,
                fps=source.fps,
                latency_ms=source.latency_ms,
            )
        },
        palette={
            name: PaintView(stroke=p.stroke, fill=p.fill, width_mm=p.width_mm, dash_mm=list(p.dash_mm))
            for name, p in PALETTE.items()
        },
        terrain={
            t.id: TerrainView(outline_mm=list(t.outline_mm), height_mm=t.height_mm, traits=sorted(t.traits))
            for t in state.terrain
        },
        units={
            u.id: UnitView(
                player=u.player,
                side=players.index(u.player),
                models=[m.id for m in u.models],
                keywords=sorted(u.keywords),
                status=list(u.status),
                off=[m.id for m in u.models if m.id not in models],
                may=list(answer.may.get(u.id, ())),
            )
            for u in state.units
            if u.models
        },
        models=models,
        notices=notices(session),
        actions={} if book is None else {o.action: _action(book, o) for o in answer.options},
        fields={field.name: _field(field) for field in answer.fields},
        move={"move": move_view(session, answer)},
        turn=_turn(state),
        findings=_findings(answer),
        rulings={str(at): _ruling(ruling) for at, ruling in enumerate(state.rulings)},
        effects={} if book is None else _effects(book, answer),
        shapes={
            s.key: ShapeView(
                layer=s.layer.value,
                rings_mm=[list(r) for r in s.rings_mm],
                closed=s.closed,
                style=s.style,
                label=s.label,
            )
            for s in answer.shapes
        },
    )


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


def _field(option: FieldOption) -> FieldView:
    return FieldView(
        label=option.label,
        statement=option.statement,
        kind=option.kind,
        offered=list(option.offered),
        value=None if option.value is None else _sent(option.value),
    )


def _models(session: Session) -> dict[str, ModelView]:
    views = {}
    for unit, model in session.state.models():
        entry = session.poses.get(model.id)
        played = model.pose is not None or model.id in session.state.tracks
        just_hidden = session.only_just_hidden(model.id)
        if entry is not None and (played or just_hidden or entry.state in {"seen", "lifted"}):
            views[model.id] = ModelView(
                unit=unit.id,
                base=BaseSpec.of(model.base),
                x_mm=entry.x_mm,
                y_mm=entry.y_mm,
                facing_deg=entry.facing_deg,
                z_mm=entry.z_mm,
                sigma_mm=max(entry.sigma_mm),
                state=entry.state,
                moving=entry.moving,
                just_hidden=just_hidden,
            )
        elif model.pose is not None:
            views[model.id] = _unseen(unit.id, model)
    return views


def _unseen(unit: str, model: Model) -> ModelView:
    assert model.pose is not None
    return ModelView(
        unit=unit,
        base=BaseSpec.of(model.base),
        x_mm=model.pose.x_mm,
        y_mm=model.pose.y_mm,
        facing_deg=math.degrees(model.pose.facing_rad),
        z_mm=model.pose.z_mm,
        sigma_mm=model.pose.sigma_mm,
        state="unseen",
        moving=False,
    )


def move_view(session: Session, answer: Answer) -> MoveView:
    """Return what is being done on a table and how the referee calls it."""
    state: GameState = session.state
    declared, verdict = state.declared, answer.verdict
    outcome = as_ruled(verdict, state.rulings) if verdict is not None else None
    return MoveView(
        unit=session.pick.unit if session.pick else None,
        model=session.pick.model if session.pick else None,
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
        can_undo=session.can_undo,
        decided=session.decided,
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
