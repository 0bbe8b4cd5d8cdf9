"""The view of a session: from a table at work to what the pages show.

Sections of a view are cached, so that only what has changed is made anew and compared; the palettes never change.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

from assistant.game.base_spec import BaseSpec
from assistant.game.naming import list_names
from assistant.game.state import (
    NO_RULEBOOK,
    GameState,
    Model,
    Pose,
    Ruling,
    Setting,
    Table,
    Terrain,
    TerrainPlace,
    Unit,
)
from assistant.game.terrain_places import group_pieces
from assistant.geometry.shapes.base_shapes import Base
from assistant.overlay.composition import draw_last_paths
from assistant.overlay.palette import PALETTE, PALETTES, Paint
from assistant.overlay.shapes import OverlayShape, Points
from assistant.overlay.terrain_kinds import find_kind
from assistant.recording.poses import PoseEntry
from assistant.rules.books import find_rulebook
from assistant.rules.referee import ActionOption, FieldOption
from assistant.rules.rulebook import Rulebook
from assistant.rules.sequence import list_contenders
from assistant.rules.verdict import Finding, Outcome, apply_rulings
from assistant.table.declared_move import Pick
from assistant.table.referee_report import RefereeReport
from assistant.table.restore import PlacementDifference, draw_restoring
from assistant.table.session import GameSession
from assistant.table.terrain_watch import describe_shift, draw_shifted
from assistant.web.messages import View
from assistant.web.messages.message import Message
from assistant.web.messages.move import ActionView, EffectView, FieldView, FindingView, MoveView, RulingView
from assistant.web.messages.table import (
    CameraView,
    ModelView,
    PaintView,
    PaletteView,
    PlaceView,
    RestoringView,
    ShapeView,
    ShiftedView,
    TableView,
    TerrainView,
    UnitView,
    WayView,
)
from assistant.web.views.notices import list_notices
from assistant.web.views.scores import (
    build_clock_view,
    build_score_view,
    build_turn_section,
    list_clock,
    list_players,
    list_scores,
)

M = TypeVar("M", bound=Message)

Given = tuple[Any, ...]
"""What a value is made of: the arguments of the function that makes it, none of which ever changes."""


class SectionCache:
    """Sections of a view, by name; while nothing has changed they stay the same objects, and so do their values."""

    def __init__(self) -> None:
        self._given: dict[str, Mapping[str, Given]] = {}
        self._made: dict[str, dict[str, Any]] = {}
        self._of: dict[str, Given] = {}

    def build_values(self, name: str, make: Callable[..., M], given: Mapping[str, Given]) -> dict[str, M]:
        """Return a section with one value a key, made of what is given for it; equal things make no new value."""
        known, before = self._given.get(name, {}), self._made.setdefault(name, {})
        made: dict[str, M] = {
            key: before[key] if key in before and known[key] == of else make(*of) for key, of in given.items()
        }
        self._given[name] = given
        if list(made) == list(before) and all(value is before[key] for key, value in made.items()):
            return before
        self._made[name] = made
        return made

    def build_section(self, name: str, make: Callable[..., dict[str, M]], *of: object) -> dict[str, M]:
        """Return a section that is made whole of other things: anew only when one of these is another object."""
        before = self._of.get(name)
        if before is None or any(a is not b for a, b in zip(before, of, strict=True)):
            self._of[name], self._made[name] = of, make(*of)
        return self._made[name]

    def keep_only(self, devices: Collection[str]) -> None:
        """Forget the sections that were another device's own."""
        for kept in (self._given, self._made, self._of):
            for name in [name for name in kept if (device := name.partition(" ")[2]) and device not in devices]:
                del kept[name]


_CACHES: WeakKeyDictionary[object, SectionCache] = WeakKeyDictionary()


def get_section_cache(shown: object) -> SectionCache:
    """Return what is kept of the views of a session, or of anything else that is shown again and again."""
    return _CACHES.setdefault(shown, SectionCache())


def forget_views(session: GameSession, devices: Collection[str]) -> None:
    """Forget what a session showed to other devices than these beside what all are shown."""
    get_section_cache(session).keep_only(devices)


def build_paint_view(paint: Paint) -> PaintView:
    """Return a paint as the pages are told."""
    return PaintView(
        stroke=paint.stroke,
        fill=paint.fill,
        width_mm=paint.width_mm,
        dash_mm=list(paint.dash_mm),
        hatch=paint.hatch,
    )


PAINTS = {name: build_paint_view(paint) for name, paint in PALETTE.items()}
"""The paints of a page that has chosen none."""
CHOICES = {
    name: PaletteView(
        label=palette.label, paints={style: build_paint_view(paint) for style, paint in palette.paints.items()}
    )
    for name, palette in PALETTES.items()
    if palette.paints is not PALETTE
}
"""What it may choose instead."""


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


def build_view(session: GameSession, source: Source, *beside: View, device: str = "") -> View:
    """Return everything that a page shows: of a session, and what others show beside it, each its own sections.

    What has not changed since the session's last view for a device is the same object in the next.
    """
    game = {**_build_drawn_sections(session, source, device), **_build_told_sections(session, source, device)}
    return _merge_views(View.model_construct(**game), *beside)  # they have been validated


def build_drawn_view(session: GameSession, source: Source) -> View:
    """Return of the same what is drawn of a game and of its turns and moves; other sections are empty."""
    sections: dict[str, Any] = dict.fromkeys(View.model_fields, _NOTHING)
    return View.model_construct(**{**sections, **_build_drawn_sections(session, source, "")})


def _merge_views(*views: View) -> View:
    """Return views as one; of a key in a section of two, the later value."""
    sections: dict[str, dict[str, Message]] = dict.fromkeys(View.model_fields, _NOTHING)
    for view in views:
        for name in view.model_fields_set:
            known, section = sections[name], getattr(view, name)
            sections[name] = {**known, **section} if known else section
    return View.model_construct(**sections)  # type: ignore[arg-type]  # all are messages that have been validated


def _build_drawn_sections(session: GameSession, source: Source, device: str) -> dict[str, Any]:
    state, answer, kept = session.state, session.consult_referee(device), get_section_cache(session)
    pick, own = session.find_pick(device), f" {device}" if device else ""
    differences = session.compare_placements()
    last = draw_last_paths(state, session.timeline.last_tracks)
    shapes = (*last, *answer.shapes, *draw_restoring(state, differences), *draw_shifted(state))
    owners = _find_owners(state.terrain)
    models = kept.build_values("models", _build_model_view, dict(_list_shown_models(session)))
    return {
        "table": kept.build_values("table", _build_table_view, {"table": (state.table, state.rulebook, source)}),
        "palette": PAINTS,
        "palettes": CHOICES,
        "terrain": kept.build_values("terrain", build_terrain_view, {t.id: (t, owners[t.id]) for t in state.terrain}),
        "units": kept.build_values("units", _build_unit_view, dict(_list_units(state, answer, models))),
        "models": models,
        "move": kept.build_section(
            f"move{own}",
            _build_move_section,
            state,
            pick,
            answer,
            session.can_undo,
            session.timeline.decision_count,
        ),
        "turn": kept.build_section("turn", build_turn_section, state),
        "shapes": kept.build_values(f"shapes{own}", _build_shape_view, {shape.key: (shape,) for shape in shapes}),
    }


def _build_told_sections(session: GameSession, source: Source, device: str) -> dict[str, Any]:
    state, answer, kept = session.state, session.consult_referee(device), get_section_cache(session)
    pick, own = session.find_pick(device), f" {device}" if device else ""
    book = None if state.rulebook == NO_RULEBOOK else find_rulebook(state.rulebook)
    differences = session.compare_placements()
    return {
        "camera": kept.build_values(
            "camera", _build_camera_view, {"camera": (source, session.recorder.trouble, session.seen.anchors_seen)}
        ),
        "shifted": kept.build_values(
            "shifted",
            _build_shifted_view,
            {t.id: (t, state.shifted[t.id]) for t in state.terrain if t.id in state.shifted},
        ),
        "notices": list_notices(session),
        "actions": {} if book is None else kept.build_section(f"actions{own}", _build_action_views, book, answer),
        "fields": {} if is_elsewhere(state, pick) else kept.build_section(f"fields{own}", _build_field_views, answer),
        "scores": kept.build_values("scores", build_score_view, list_scores(state)),
        "clock": kept.build_values("clock", build_clock_view, list_clock(session)),
        "findings": kept.build_section(f"findings{own}", _build_finding_views, book, answer),
        "rulings": kept.build_values(
            "rulings", _build_ruling_view, {str(at): (ruling,) for at, ruling in enumerate(state.rulings)}
        ),
        "effects": {} if book is None else kept.build_section(f"effects{own}", _build_effect_views, book, answer),
        "ways": kept.build_values("ways", build_way_view, {way.subjects[0]: (way,) for way in answer.ways}),
        "restoring": kept.build_values(
            "restoring",
            _build_restoring_view,
            {"restoring": (state.restoring.when, differences)} if state.restoring else {},
        ),
        "places": kept.build_values(
            "places", _build_place_view, {difference.model: (difference,) for difference in differences}
        ),
    }


def _build_table_view(table: Table, book: str, source: Source) -> TableView:
    rulebook = None if book == NO_RULEBOOK else find_rulebook(book)
    return TableView(
        width_mm=table.width_mm,
        depth_mm=table.depth_mm,
        rulebook="watched, not judged" if rulebook is None else book,
        rulebook_title="" if rulebook is None else rulebook.title,
        title=source.title,
        virtual=source.virtual,
        replay=source.replay,
        statuses=[] if rulebook is None else [status for status in rulebook.statuses if not status.endswith(":")],
        unit="in" if rulebook is None else rulebook.unit,
    )


def _build_camera_view(source: Source, trouble: str, anchors_seen: int) -> CameraView:
    return CameraView(
        source=source.name,
        state=source.state,
        text=" ".join(part for part in (source.text, trouble) if part),
        anchors_seen=anchors_seen,
        fps=source.fps,
        latency_ms=source.latency_ms,
        unrecorded=bool(trouble),
    )


@lru_cache(maxsize=8)
def _find_owners(terrain: tuple[Terrain, ...]) -> Mapping[str, str]:
    """Return of which feature each piece is a part; kept, because views are made far more often than terrain moves."""
    return {piece.id: feature for feature, pieces in group_pieces(terrain).items() for piece in pieces}


def build_terrain_view(piece: Terrain, of: str) -> TerrainView:
    """Return a piece of terrain as the pages are told."""
    return TerrainView(
        outline_mm=list(piece.outline_mm),
        height_mm=piece.height_mm,
        traits=sorted(piece.traits),
        kind=find_kind(piece),
        of=of,
    )


def _build_shifted_view(piece: Terrain, place: TerrainPlace) -> ShiftedView:
    return ShiftedView(text=describe_shift(piece, place))


def _list_units(
    state: GameState, answer: RefereeReport, models: Mapping[str, ModelView]
) -> Iterator[tuple[str, Given]]:
    players = list_players(state)
    for unit in state.units:
        if unit.models:
            off = tuple(m.id for m in unit.models if m.id not in models)
            yield unit.id, (unit, players.index(unit.player), off, answer.allowed_labels.get(unit.id, ()))


def _build_unit_view(unit: Unit, side: int, off: tuple[str, ...], may: tuple[str, ...]) -> UnitView:
    return UnitView(
        player=unit.player,
        side=side,
        models=[m.id for m in unit.models],
        keywords=sorted(unit.keywords),
        status=list(unit.status),
        off=list(off),
        may=list(may),
        name=unit.name,
        names=list_names((unit,)),
    )


def _build_action_views(book: Rulebook, answer: RefereeReport) -> dict[str, ActionView]:
    return {option.action: _build_action_view(book, option) for option in answer.options}


def _build_shape_view(shape: OverlayShape) -> ShapeView:
    return ShapeView(
        layer=shape.layer.value,
        rings_mm=[_round_ring(ring) for ring in shape.rings_mm],
        closed=shape.closed,
        style=shape.style,
        label=shape.label,
        on=shape.on,
    )


@lru_cache(maxsize=512)
def _round_ring(ring: Points) -> list[tuple[float, float]]:
    """Return a ring as short as it is sent; kept, because most of what is drawn comes back as it was."""
    return [(round(x, PLACES), round(y, PLACES)) for x, y in ring]


def build_shape_views(shapes: Iterable[OverlayShape]) -> dict[str, ShapeView]:
    """Return what is drawn on the table as the pages are told, by key."""
    return {shape.key: _build_shape_view(shape) for shape in shapes}


def _build_action_view(book: Rulebook, option: ActionOption) -> ActionView:
    action = book.find_action(option.action)
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


def _build_field_views(answer: RefereeReport) -> dict[str, FieldView]:
    return {field.name: _build_field_view(field) for field in answer.fields}


def _build_field_view(option: FieldOption) -> FieldView:
    return FieldView(
        label=option.label,
        statement=option.statement,
        kind=option.kind,
        offered=list(option.offered),
        value=None if option.value is None else _serialise_setting(option.value),
    )


def _list_shown_models(session: GameSession) -> Iterator[tuple[str, Given]]:
    """Yield the models that are shown, and what each is shown by."""
    for unit, model in session.state.iterate_models():
        if (by := _find_shown(session, unit, model)) is not None:
            yield model.id, by


def _find_shown(session: GameSession, unit: Unit, model: Model) -> Given | None:
    """Return what a model is shown by; None where it is not shown."""
    entry = session.poses.get(model.id)
    played = model.pose is not None or model.id in session.state.tracks
    just_hidden = session.is_briefly_hidden(model.id)
    if entry is not None and (played or just_hidden or entry.state in {"seen", "lifted"}):
        return unit.id, model.base, entry, just_hidden
    return None if model.pose is None else (unit.id, model.base, model.pose, False)


def follow_poses(
    shown: dict[str, dict[str, Any]],
    session: GameSession,
    members: Mapping[str, tuple[Unit, Model]],
    models: Iterable[str],
) -> dict[str, dict[str, Any]] | None:
    """Bring up to date how models are shown once they were seen elsewhere, and return what has changed of them.

    None, and nothing is done, where more of a view may differ, and it is to be built anew.

    Args:
        shown: the fields of each in the session's last view.
        session: nothing has happened to it since but that models were seen.
        members: all models of its game, with their units, by id.
        models: all that were seen, or are hidden.

    """
    if session.state.restoring is not None:  # what is still to be put back follows from where models are
        return None
    seen = dict[str, dict[str, Any]]()
    for model in models:
        member = members.get(model)
        if member is None:
            continue
        by = _find_shown(session, *member)
        if (by is None) is (model in shown):
            return None
        if by is not None:
            seen[model] = _describe_model(*by)
    changed = dict[str, dict[str, Any]]()
    for model, fields in seen.items():
        before = shown[model]
        news = {name: now for name, now in fields.items() if now is not before[name] and now != before[name]}
        if news:
            changed[model] = news
            shown[model] = fields
    return {model: changed[model] for model in shown if model in changed}


def _build_model_view(unit: str, base: Base, at: PoseEntry | Pose, just_hidden: bool) -> ModelView:
    return ModelView.model_validate(_describe_model(unit, base, at, just_hidden))


def _describe_model(unit: str, base: Base, at: PoseEntry | Pose, just_hidden: bool) -> dict[str, Any]:
    """Return the fields of how a model is shown."""
    if isinstance(at, Pose):
        facing_deg, sigma_mm, state, moving = math.degrees(at.facing_rad), at.sigma_mm, "unseen", False
    else:
        facing_deg, sigma_mm, state, moving = at.facing_deg, max(at.sigma_mm), at.state, at.moving
    return {
        "unit": unit,
        "base": _name_base(base),
        "x_mm": round(at.x_mm, PLACES),
        "y_mm": round(at.y_mm, PLACES),
        "facing_deg": round(facing_deg, TURN_PLACES),
        "z_mm": round(at.z_mm, PLACES),
        "sigma_mm": round(sigma_mm, PLACES),
        "state": state,
        "moving": moving,
        "just_hidden": just_hidden,
    }


@lru_cache(maxsize=512)
def _name_base(base: Base) -> BaseSpec:
    return BaseSpec.from_shape(base)


def build_move_view(session: GameSession, answer: RefereeReport, device: str = "") -> MoveView:
    """Return what is being done on a table and how the referee calls it, as a device shows it."""
    return _assemble_move_view(
        session.state, session.find_pick(device), answer, session.can_undo, session.timeline.decision_count
    )


def _build_move_section(*of: *tuple[GameState, Pick | None, RefereeReport, bool, int]) -> dict[str, MoveView]:
    return {"move": _assemble_move_view(*of)}


def _assemble_move_view(
    state: GameState, pick: Pick | None, answer: RefereeReport, can_undo: bool, decided: int
) -> MoveView:
    verdict, announced = answer.verdict, state.declared
    declared = None if is_elsewhere(state, pick) else announced
    outcome = apply_rulings(verdict, state.rulings) if verdict is not None else None
    return MoveView(
        unit=pick.unit if pick else None,
        model=pick.model if pick else None,
        action=declared.action if declared else None,
        rolls=list(declared.rolls) if declared else [],
        tests=answer.tests if declared else 0,
        costs=answer.costs if declared else 0,
        lost=list(declared.lost) if declared else [],
        intent={key: _serialise_setting(value) for key, value in declared.intent.items()} if declared else {},
        announced=announced.unit if announced else None,
        limit_mm=answer.zone.limit_mm if answer.zone else None,
        moved=list(state.tracks),
        returning=list(state.returning),
        outcome=None if outcome is None or outcome is Outcome.NOTE else outcome.value,
        note=answer.note,
        can_undo=can_undo,
        decided=decided,
        contenders=[] if state.rulebook == NO_RULEBOOK else list(list_contenders(state)),
    )


def is_elsewhere(state: GameState, pick: Pick | None) -> bool:
    """Return whether another unit is looked at than the one whose move is announced."""
    return state.declared is not None and pick is not None and pick.unit != state.declared.unit


def _serialise_setting(value: Setting) -> str | bool | list[str]:
    return list(value) if isinstance(value, tuple) else value if isinstance(value, bool) else str(value)


def _build_ruling_view(ruling: Ruling) -> RulingView:
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


def _build_effect_views(book: Rulebook, answer: RefereeReport) -> dict[str, EffectView]:
    effects = answer.verdict.effects if answer.verdict else ()
    words = _list_rule_texts(book.id)
    return {
        str(at): EffectView(rule=effect.rule, text=book.describe_effect(effect), rule_text=words.get(effect.rule, ""))
        for at, effect in enumerate(effects)
    }


def build_way_view(way: Finding, *, moving: bool = False) -> WayView:
    """Return how long a model's way is as the pages are told."""
    return WayView(
        outcome=way.outcome.value,
        measured_mm=round(way.measured_mm or 0.0, 1),
        limit_mm=round(way.limit_mm or 0.0, 1),
        sigma_mm=None if way.sigma_mm is None else round(way.sigma_mm, 2),
        moving=moving,
    )


def _build_finding_views(book: Rulebook | None, answer: RefereeReport) -> dict[str, FindingView]:
    if answer.verdict is None or book is None:
        return {}
    words = _list_rule_texts(book.id)
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
            rule_text=words.get(f.rule, ""),
        )
        for number, f in enumerate(answer.verdict.findings)
    }


@lru_cache(maxsize=8)
def _list_rule_texts(book: str) -> Mapping[str, str]:
    return {rule.id: rule.statement for rule in find_rulebook(book).rules}


def _build_restoring_view(when: str, differences: Sequence[PlacementDifference]) -> RestoringView:
    """Return what tells how far it has come."""
    states = [difference.state for difference in differences]
    coarse = [difference for difference in differences if difference.is_coarse]
    worst_mm = max((difference.sigma_mm for difference in coarse), default=0.0)
    which = "this model" if len(coarse) == 1 else f"{len(coarse)} models"
    return RestoringView(
        when=when,
        count=len(differences),
        back=states.count("back"),
        near=states.count("near"),
        missing=states.count("missing"),
        note=f"Of {which} the camera tells no more than ±{2 * worst_mm:.1f} mm: back means within that."
        if coarse
        else "",
    )


def _build_place_view(difference: PlacementDifference) -> PlaceView:
    """Return what is told of one model."""
    return PlaceView(state=difference.state, text=difference.text)
