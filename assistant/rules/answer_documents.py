"""Answer documents: the referee's answers as JSON.

Their formats are `overtable.verdict/1`, `overtable.zone/1` and `overtable.actions/1`.
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import shapely
from pydantic import Field

from assistant.files.documents import Format, Id
from assistant.game.state import Pose
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import ActionOption
from assistant.rules.rulebook import Choice, Key, Lists, Number, Rulebook
from assistant.rules.verdict import Outcome, Verdict

Point = tuple[float, float]
OutcomeWord = Annotated[Outcome, Field(strict=False)]
"""An outcome as the word that stands for it."""


class PlaceForm(Format):
    """Where a base stands."""

    x_mm: float
    y_mm: float
    z_mm: float
    facing_deg: float


class FindingForm(Format):
    """What one rule says of one model."""

    rule: Id
    outcome: OutcomeWord
    subjects: tuple[Id, ...] = Field(description="the offending model first, then the other party")
    measured_mm: float | None
    limit_mm: float | None
    margin_mm: float | None = Field(description="positive when there is room to spare")
    sigma_mm: float | None
    p_legal: float | None
    witness_mm: tuple[Point, ...]
    stops_at: PlaceForm | None = Field(
        default=None, description="where a move that turns illegal on its way ends instead: its furthest legal place"
    )
    text: str


class EffectForm(Format):
    """What an action costs, or a test to roll."""

    rule: Id
    subjects: tuple[Id, ...]
    effect: str


class VerdictForm(Format):
    """The referee's answer to a position or a move."""

    format: Literal["overtable.verdict/1"] = "overtable.verdict/1"
    rulebook: Id
    outcome: OutcomeWord
    findings: tuple[FindingForm, ...]
    effects: tuple[EffectForm, ...]


class MultiPolygonForm(Format):
    """GeoJSON: polygons of closed rings, the outer one first."""

    type: Literal["MultiPolygon"] = "MultiPolygon"
    coordinates: tuple[tuple[tuple[Point, ...], ...], ...]


class ZoneForm(Format):
    """Where the centre of a model's base may end an action."""

    format: Literal["overtable.zone/1"] = "overtable.zone/1"
    model: Id = Field(description="the model, or the unit of which any model may end there")
    action: Id
    limit_mm: float | None
    error_mm: float = Field(description="bounds the distance between the polygons' edge and the true edge")
    zone: MultiPolygonForm


class ReasonForm(Format):
    """Why an action may not be chosen."""

    rule: Id
    text: str


class ActionForm(Format):
    """An action of the rulebook, and whether a unit may choose it."""

    action: Id
    label: str
    dice: int
    allowed: bool
    limit_mm: float | None
    reason: str = Field(default="", description="why that far, where there is more than one answer")
    because: tuple[ReasonForm, ...]


class ActionsForm(Format):
    """Every action of the rulebook, in its order."""

    format: Literal["overtable.actions/1"] = "overtable.actions/1"
    unit: Id
    actions: tuple[ActionForm, ...]


def encode_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as its JSON document."""
    found = tuple(
        FindingForm(
            rule=f.rule,
            outcome=f.outcome,
            subjects=f.subjects,
            measured_mm=f.measured_mm,
            limit_mm=f.limit_mm,
            margin_mm=f.margin_mm,
            sigma_mm=f.sigma_mm,
            p_legal=f.p_legal,
            witness_mm=f.witness_mm,
            stops_at=None if f.stops_at is None else _build_place(f.stops_at),
            text=f.text,
        )
        for f in verdict.findings
    )
    effects = tuple(EffectForm(rule=e.rule, subjects=e.subjects, effect=e.effect) for e in verdict.effects)
    form = VerdictForm(rulebook=verdict.rulebook, outcome=verdict.outcome, findings=found, effects=effects)
    return form.model_dump(mode="json")


def _build_place(pose: Pose) -> PlaceForm:
    return PlaceForm(x_mm=pose.x_mm, y_mm=pose.y_mm, z_mm=pose.z_mm, facing_deg=math.degrees(pose.facing_rad))


def encode_zone(answer: MovementZone) -> dict[str, Any]:
    """Return a zone as its JSON document."""
    polygons = tuple(
        tuple(
            tuple((float(x), float(y)) for x, y in shapely.get_coordinates(ring))
            for ring in (polygon.exterior, *polygon.interiors)
        )
        for polygon in answer.region.geoms
    )
    form = ZoneForm(
        model=answer.model,
        action=answer.action,
        limit_mm=answer.limit_mm,
        error_mm=answer.error_mm,
        zone=MultiPolygonForm(coordinates=polygons),
    )
    return form.model_dump(mode="json")


def encode_actions(unit: str, choices: Sequence[ActionOption]) -> dict[str, Any]:
    """Return a unit's options as their JSON document."""
    actions = tuple(
        ActionForm(
            action=option.action,
            label=option.label,
            dice=option.dice,
            allowed=option.allowed,
            limit_mm=option.limit_mm,
            reason=option.reason,
            because=tuple(ReasonForm(rule=rule, text=text) for rule, text in option.because),
        )
        for option in choices
    )
    return ActionsForm(unit=unit, actions=actions).model_dump(mode="json")


def encode_rulebook(book: Rulebook) -> dict[str, Any]:
    """Return all that a rulebook lists."""
    return {
        "id": book.id,
        "title": book.title,
        "actions": [
            {
                "action": action.id,
                "label": action.label,
                "step": action.step or None,
                "dice": {"sides": action.dice.sides, "from": action.dice.least, "to": action.dice.most},
            }
            for action in book.actions
        ],
        "steps": [{"step": step.id, "label": step.label} for step in book.steps],
        "profile": [_encode_key(key) for key in book.profile],
        "statuses": [f"{name}<id>" if name.endswith(":") else name for name in book.statuses],
        "parameters": [_encode_key(key) for key in book.parameters],
        "intent": [_encode_key(key) for key in book.intent],
        "rules": [
            {
                "id": rule.id,
                "kind": rule.kind,
                "statement": rule.statement,
                "coverage": rule.coverage.value,
                "reason": rule.reason or None,
            }
            for rule in book.rules
        ],
    }


def _encode_key(key: Key) -> dict[str, Any]:
    match key.values:
        case Number(low=low, high=high):
            values: object = {"from": low, "to": high}
        case Choice(words=words):
            values = list(words)
        case Lists(word=word, words=words):
            values = {f"<{word} id>": list(words)}
        case kind if kind is bool:
            values = "true or false"
        case kind if kind is tuple:
            values = "ids"
        case _:
            values = "text"
    return {"key": key.name, "statement": key.statement, "values": values, "default": key.default}
