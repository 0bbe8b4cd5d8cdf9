"""Activation skirmish: single models that act one at a time; the Movement chapter.

Melee, and climbing, jumping and falling have chapters of their own: what belongs there is said to be not covered.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from assistant.errors import BadInput
from assistant.game.state import Terrain
from assistant.geometry.motion.contact import ProximityZone, find_first_contact
from assistant.rules.constraints.allowance import Allowance
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.forbidden_terrain import ForbiddenTerrain
from assistant.rules.constraints.keep_out import KeepOut, find_engagements
from assistant.rules.constraints.table_boundary import TableBoundary
from assistant.rules.context import RuleContext
from assistant.rules.engine.terrain import build_outline, find_terrain_on_path
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import format_contact, format_inches
from assistant.rules.presets import define_base_contact, forbid_crossing, forbid_ending_on_top, limit_centre_way
from assistant.rules.rulebook import (
    Action,
    CompletedMove,
    Key,
    Rulebook,
    TurnStep,
    build_number_key,
    build_rounds_key,
    parse_rule_table,
)
from assistant.rules.selectors import has_trait, is_any_unit, is_enemy, is_friend
from assistant.rules.verdict import ROUNDING_MM, Effect, Finding, Outcome, find_gravest

_MM = 25.4
_ROWS = """
act-01 S   lengths are inches
act-02 S   a model finishes its movement before it does anything else
act-03 G   a Normal move: at most Movement, in any direction
act-04 G   turning on the way is free
act-05 G   not through other models
act-06 G   not through impassable terrain
act-07 G   a move ends in a legal position
act-08 G/O a Run, in place of the Normal move: at most Movement and Initiative
act-09 E   a model that ran does not shoot in this activation
act-10 O   a model that begins its activation engaged does not Run
act-11 G   a Run comes into contact with an enemy only as a declared Charge
act-12 G   engaged is to be in base contact with an enemy
act-13 O   an engaged model makes neither a Normal move nor a Run
act-14 E   an engaged model resolves combat in its activation
act-15 X   leaving an engagement
act-16 G   no move ends on another model
act-17 G   not through enemies
act-18 G   past friends only where bases and terrain leave room
act-19 G   a model fits where it ends
act-20 G   a path that turns illegal ends at its furthest legal place
act-21 G   measured from an edge of the base to the same edge where it ends
act-22 S   measuring beforehand is allowed
act-23 S   what is measured is declared before the model is moved
act-24 X   climbing, jumping and falling
act-25 G   no part of a base crosses the table's edge
"""
_ELSEWHERE = {
    "act-15": "the Melee rules say how an engagement is left; a move out of one is noted, and measured no further",
    "act-24": "the rules for terrain and verticality say; a move that changes height is noted, and measured as level",
}

_NEVER = {
    ("act-12", Outcome.ILLEGAL): "to be engaged is a fact that is noted",
    ("act-12", Outcome.TOO_CLOSE): "to be engaged is a fact that is noted",
    ("act-20", Outcome.TOO_CLOSE): "only a way that is surely illegal is cut short",
}
_SUMS = {"act-05": "act-17 and act-18, which are reported", "act-07": "act-16, act-19 and act-25, which are reported"}

# -- what is asked


def _get_level_mm(asked: RuleContext) -> float:
    return asked.read_number("level_in") * _MM


def _build_contact(asked: RuleContext, rule: str = "act-12", *, on_the_way: bool = False) -> KeepOut:
    """Return base contact with enemies as a keep-out."""
    return define_base_contact(
        rule, is_enemy, asked.read_number("contact_mm"), _get_level_mm(asked), on_the_way=on_the_way
    )


def _constrain_end(asked: RuleContext) -> tuple[Constraint, ...]:
    """Return what holds wherever a model stands."""
    inside = ForbiddenTerrain(rule="act-19", terrain=has_trait("impassable"), on_the_way=False)
    return (
        forbid_ending_on_top("act-16", is_any_unit, _get_level_mm(asked)),
        inside,
        TableBoundary(rule="act-25", leaving=True),
    )


def _compute_limit_mm(asked: RuleContext, *keys: str) -> float | None:
    lengths = [asked.unit.profile.get(key) for key in keys]
    known = [length for length in lengths if isinstance(length, int | float)]
    return round(sum(known) * _MM, 9) if len(known) == len(keys) else None


def _build_allowance(asked: RuleContext, rule: str, *keys: str) -> Allowance:
    limit = _compute_limit_mm(asked, *keys)
    if limit is None:
        lacking = next(key for key in keys if key not in asked.unit.profile)
        raise BadInput(f'unit "{asked.unit.id}": profile.{lacking} is missing; a move is measured against it')
    return limit_centre_way(rule, limit)


def _constrain_hold(asked: RuleContext) -> Iterator[Constraint]:
    yield limit_centre_way("act-03", 0.0)
    yield from _constrain_end(asked)


def _constrain_move(asked: RuleContext) -> Iterator[Constraint]:
    """Yield what a Normal move and a Run have in common."""
    yield ForbiddenTerrain(rule="act-06", terrain=has_trait("impassable"), on_the_way=True, leaving=True)
    yield forbid_crossing("act-17", is_enemy, _get_level_mm(asked))
    yield forbid_crossing("act-18", is_friend, _get_level_mm(asked))
    yield from _constrain_end(asked)
    yield CustomConstraint(findings=_note_climbing)
    free = partial(_keep_places_if_free, asked)
    yield CustomConstraint(places=free, at_some_facing=free)


def _constrain_normal_move(asked: RuleContext) -> Iterator[Constraint]:
    yield _build_allowance(asked, "act-03", "move_in")
    yield from _constrain_move(asked)
    yield CustomConstraint(findings=partial(_note_new_contacts, asked))


def _constrain_run(asked: RuleContext) -> Iterator[Constraint]:
    yield _build_allowance(asked, "act-08", "move_in", "initiative_in")
    yield from _constrain_move(asked)
    if not asked.intent.get("charge", False):
        yield _build_contact(asked, "act-11", on_the_way=True)


# -- who is engaged


def _find_engagement(asked: RuleContext, model: str) -> Finding | None:
    """Return the contact of a model with an enemy, or what may be one; None if there is none."""
    return find_gravest(find_engagements(_build_contact(asked), asked.scene, asked.unit, (model,)))


def _check_not_engaged(asked: RuleContext, rule: str) -> Iterator[Finding]:
    """Yield why models that are engaged may not move; of a unit's choices, only if all of its models are."""
    models = [model.id for model in asked.unit.models if model.pose is not None]
    contacts = [(model, _find_engagement(asked, model)) for model in (models if asked.paths is None else asked.paths)]
    held = [contact for _, contact in contacts if contact is not None]
    if asked.paths is None and len(held) < len(contacts):
        return
    doubt = any(contact.outcome is Outcome.TOO_CLOSE for contact in held)
    for contact in held:
        mover, enemy = contact.subjects
        if contact.outcome is Outcome.TOO_CLOSE:
            text = f"{mover} is so near to {enemy} that it is too close to call whether it is engaged and may not move"
            yield replace(contact, rule=rule, text=text)
        elif asked.paths is not None or not doubt:
            apart = format_contact(contact.measured_mm or 0.0, contact.limit_mm or 0.0)
            text = f"{mover} is engaged with {enemy} and may not move, in contact{apart}"
            yield Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=contact.subjects, text=text)
            if asked.paths is not None:
                text = f"how {mover} leaves its engagement with {enemy} is for the Melee rules: not covered"
                yield Finding(rule="act-15", outcome=Outcome.NOTE, subjects=contact.subjects, text=text)


def _keep_places_if_free(asked: RuleContext, walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return some places for a model that is surely not engaged, none for another."""
    return places if _find_engagement(asked, walk.model.id) is None else Polygon()


# -- what is noted


def _note_new_contacts(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    """Yield the enemies that a move ends in contact with, or may, and did not begin so."""
    rule, model = _build_contact(asked), walk.model.id
    before = {contact.subjects[1] for contact in find_engagements(rule, walk.scene, walk.unit, (model,))}
    for contact in find_engagements(rule, walk.scene.move_model(model, walk.end), walk.unit, (model,)):
        if contact.subjects[1] not in before and (contact.measured_mm or 0.0) >= -ROUNDING_MM:
            yield replace(contact, outcome=Outcome.NOTE)


def _note_climbing(walk: Walk) -> Iterator[Finding]:
    """Yield that a move is about heights, which this chapter leaves to another."""
    tall = [t for t in walk.state.terrain if t.height_mm > 0 and "impassable" not in t.traits]
    met = _find_first_met(walk, find_terrain_on_path(walk, tall))
    if met is None and all(pose.z_mm == walk.path[0].z_mm for pose in walk.path):
        return
    subjects = (walk.model.id,) if met is None else (walk.model.id, met.id)
    text = f"{walk.model.id} climbs, jumps or falls: not covered by this rulebook, and measured as if on the level"
    yield Finding(rule="act-24", outcome=Outcome.NOTE, subjects=subjects, text=text)


def _find_first_met(walk: Walk, features: list[Terrain]) -> Terrain | None:
    path = [walk.place_base(pose) for pose in (walk.path if walk.observed else walk.path[-1:])]
    found = find_first_contact(
        path, [ProximityZone(other=build_outline(terrain), range_mm=-ROUNDING_MM) for terrain in features]
    )
    return None if found is None else features[found.zone]


# -- what follows


def _list_combat_effects(moved: CompletedMove) -> Iterator[Effect]:
    """Yield that models in contact after the action must resolve combat."""
    contacts = list(find_engagements(_build_contact(moved.asked), moved.after, moved.asked.unit))
    sure = {contact.subjects[0] for contact in contacts if contact.outcome is Outcome.ILLEGAL}
    engaged = tuple(model.id for model in moved.asked.unit.models if model.id in sure)
    if engaged:
        yield Effect(rule="act-14", subjects=engaged, effect="must-resolve-combat")


def _list_run_effects(moved: CompletedMove) -> Iterator[Effect]:
    yield Effect(rule="act-09", subjects=(moved.asked.unit.id,), effect="cannot-shoot")
    yield from _list_combat_effects(moved)


BOOK = Rulebook(
    id="activation-skirmish",
    title="Activation skirmish, Movement",
    rules=parse_rule_table(_ROWS, _ELSEWHERE, never=_NEVER, sums=_SUMS),
    steps=(TurnStep(id="activation", label="Activation", rule="act-02"),),
    actions=(
        Action(id="hold", label="Hold", constraints=_constrain_hold, effects=_list_combat_effects),
        Action(
            id="normal",
            label="Normal move",
            may=lambda asked: _check_not_engaged(asked, "act-13"),
            limit_mm=lambda asked: _compute_limit_mm(asked, "move_in"),
            constraints=_constrain_normal_move,
            stops="act-20",
            effects=_list_combat_effects,
        ),
        Action(
            id="run",
            label="Run",
            intent=("charge",),
            may=lambda asked: _check_not_engaged(asked, "act-10"),
            limit_mm=lambda asked: _compute_limit_mm(asked, "move_in", "initiative_in"),
            constraints=_constrain_run,
            stops="act-20",
            effects=_list_run_effects,
        ),
    ),
    profile=(
        build_number_key("move_in", "Movement, inches", 0, 100),
        build_number_key("initiative_in", "Initiative, inches; a Run adds it", 0, 100),
    ),
    statuses=(),
    passing=(),
    parameters=(
        build_number_key(
            "contact_mm",
            "bases up to so far apart count as touching, since no camera measures exactly nothing, millimetres",
            0,
            10,
            1.0,
        ),
        build_number_key("level_in", "models whose heights differ by more do not meet, inches", 0, 24, 2.0),
        build_rounds_key(),
    ),
    intent=(Key(name="charge", values=bool, statement="the Run is a declared Charge (the Melee rules)"),),
    say=format_inches,
    standing=_constrain_end,
    engagement=_build_contact,
    coherency=lambda _: None,
    one_unit="act-02",
    announced="act-23",
    premeasured="act-22",
    sayings={
        "cannot-shoot": "{who} cannot shoot in this activation",
        "must-resolve-combat": "{who} must resolve combat in this activation, as near as counts as touching",
    },
)
