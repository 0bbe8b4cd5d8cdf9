"""A skirmish of single models that act one at a time: the Movement chapter.

Melee, and climbing, jumping and falling have chapters of their own: what belongs there is said to be not covered.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from assistant.errors import BadInput
from assistant.game.state import Terrain
from assistant.geometry.contact import Zone, first_contact
from assistant.rules.constraints import Allowance, Constraint, KeepOut, OnTable, Own, Shut
from assistant.rules.keepout import engagements
from assistant.rules.parties import enemies, everybody, friends, having
from assistant.rules.rows import rule_table
from assistant.rules.rulebook import Action, Key, Moved, Question, Rulebook, Step, number
from assistant.rules.ruling import ROUNDING_MM, gravest
from assistant.rules.terrain import on_the_way, outline_of
from assistant.rules.usual import across, base_contact, by_centre, on_top
from assistant.rules.verdict import Effect, Finding, Outcome
from assistant.rules.walk import Walk
from assistant.rules.words import inches

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

# -- what is asked


def _level_mm(asked: Question) -> float:
    return asked.number("level_in") * _MM


def _contact(asked: Question, rule: str = "act-12", *, on_the_way: bool = False) -> KeepOut:
    """Return base contact with enemies as a keep-out."""
    return base_contact(rule, enemies, asked.number("contact_mm"), _level_mm(asked), on_the_way=on_the_way)


def _ending(asked: Question) -> tuple[Constraint, ...]:
    """Return what holds wherever a model stands."""
    inside = Shut(rule="act-19", terrain=having("impassable"), on_the_way=False)
    return on_top("act-16", everybody, _level_mm(asked)), inside, OnTable(rule="act-25", leaving=True)


def _limit_mm(asked: Question, *keys: str) -> float | None:
    lengths = [asked.unit.profile.get(key) for key in keys]
    known = [length for length in lengths if isinstance(length, int | float)]
    return round(sum(known) * _MM, 9) if len(known) == len(keys) else None


def _allowance(asked: Question, rule: str, *keys: str) -> Allowance:
    limit = _limit_mm(asked, *keys)
    if limit is None:
        lacking = next(key for key in keys if key not in asked.unit.profile)
        raise BadInput(f'unit "{asked.unit.id}": profile.{lacking} is missing; a move is measured against it')
    return by_centre(rule, limit)


def _holding(asked: Question) -> Iterator[Constraint]:
    yield by_centre("act-03", 0.0)
    yield from _ending(asked)


def _moving(asked: Question) -> Iterator[Constraint]:
    """Yield what a Normal move and a Run have in common."""
    yield Shut(rule="act-06", terrain=having("impassable"), on_the_way=True, leaving=True)
    yield across("act-17", enemies, _level_mm(asked))
    yield across("act-18", friends, _level_mm(asked))
    yield from _ending(asked)
    yield Own(findings=_climbing)
    yield Own(places=partial(_if_free, asked))


def _normal(asked: Question) -> Iterator[Constraint]:
    yield _allowance(asked, "act-03", "move_in")
    yield from _moving(asked)
    yield Own(findings=partial(_comes_into_contact, asked))


def _running(asked: Question) -> Iterator[Constraint]:
    yield _allowance(asked, "act-08", "move_in", "initiative_in")
    yield from _moving(asked)
    if not asked.intent.get("charge", False):
        yield _contact(asked, "act-11", on_the_way=True)


# -- who is engaged


def _engaged(asked: Question, model: str) -> Finding | None:
    """Return the contact of a model with an enemy, or what may be one; None if there is none."""
    return gravest(engagements(_contact(asked), asked.scene, asked.unit, (model,)))


def _refusals(asked: Question, rule: str) -> Iterator[Finding]:
    """Yield why models that are engaged may not move; of a unit's choices, only if all of its models are."""
    models = [model.id for model in asked.unit.models if model.pose is not None]
    contacts = [(model, _engaged(asked, model)) for model in (models if asked.paths is None else asked.paths)]
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
            text = f"{mover} is engaged with {enemy} and may not move"
            yield Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=contact.subjects, text=text)
            if asked.paths is not None:
                text = f"how {mover} leaves its engagement with {enemy} is for the Melee rules: not covered"
                yield Finding(rule="act-15", outcome=Outcome.NOTE, subjects=contact.subjects, text=text)


def _if_free(asked: Question, walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return some places for a model that is surely not engaged, none for another."""
    return places if _engaged(asked, walk.model.id) is None else Polygon()


# -- what is noted


def _comes_into_contact(asked: Question, walk: Walk) -> Iterator[Finding]:
    """Yield the enemies that a move ends in contact with, or may, and did not begin so."""
    rule, model = _contact(asked), walk.model.id
    before = {contact.subjects[1] for contact in engagements(rule, walk.scene, walk.unit, (model,))}
    for contact in engagements(rule, walk.scene.after(model, walk.end), walk.unit, (model,)):
        if contact.subjects[1] not in before and (contact.measured_mm or 0.0) >= -ROUNDING_MM:
            yield replace(contact, outcome=Outcome.NOTE)


def _climbing(walk: Walk) -> Iterator[Finding]:
    """Yield that a move is about heights, which this chapter leaves to another."""
    tall = [t for t in walk.state.terrain if t.height_mm > 0 and "impassable" not in t.traits]
    met = _first_met(walk, on_the_way(walk, tall))
    if met is None and all(pose.z_mm == walk.path[0].z_mm for pose in walk.path):
        return
    subjects = (walk.model.id,) if met is None else (walk.model.id, met.id)
    text = f"{walk.model.id} climbs, jumps or falls: not covered by this rulebook, and measured as if on the level"
    yield Finding(rule="act-24", outcome=Outcome.NOTE, subjects=subjects, text=text)


def _first_met(walk: Walk, features: list[Terrain]) -> Terrain | None:
    path = [walk.placed(pose) for pose in (walk.path if walk.observed else walk.path[-1:])]
    found = first_contact(path, [Zone(other=outline_of(terrain), range_mm=-ROUNDING_MM) for terrain in features])
    return None if found is None else features[found.zone]


# -- what follows


def _in_combat(moved: Moved) -> Iterator[Effect]:
    """Yield that models in contact after the action must resolve combat."""
    contacts = list(engagements(_contact(moved.asked), moved.after, moved.asked.unit))
    sure = {contact.subjects[0] for contact in contacts if contact.outcome is Outcome.ILLEGAL}
    engaged = tuple(model.id for model in moved.asked.unit.models if model.id in sure)
    if engaged:
        yield Effect(rule="act-14", subjects=engaged, effect="must-resolve-combat")


def _ran(moved: Moved) -> Iterator[Effect]:
    yield Effect(rule="act-09", subjects=(moved.asked.unit.id,), effect="cannot-shoot")
    yield from _in_combat(moved)


BOOK = Rulebook(
    id="activation-skirmish",
    title="Activation skirmish, Movement",
    rules=rule_table(_ROWS, _ELSEWHERE),
    steps=(Step(id="activation", label="Activation", rule="act-02"),),
    actions=(
        Action(id="hold", label="Hold", constraints=_holding, effects=_in_combat),
        Action(
            id="normal",
            label="Normal move",
            may=lambda asked: _refusals(asked, "act-13"),
            limit_mm=lambda asked: _limit_mm(asked, "move_in"),
            constraints=_normal,
            stops="act-20",
            effects=_in_combat,
        ),
        Action(
            id="run",
            label="Run",
            intent=("charge",),
            may=lambda asked: _refusals(asked, "act-10"),
            limit_mm=lambda asked: _limit_mm(asked, "move_in", "initiative_in"),
            constraints=_running,
            stops="act-20",
            effects=_ran,
        ),
    ),
    profile=(
        number("move_in", "Movement, inches", 0, 100),
        number("initiative_in", "Initiative, inches; a Run adds it", 0, 100),
    ),
    statuses=(),
    passing=(),
    parameters=(
        number("contact_mm", "bases this near to each other are in contact, millimetres", 0, 10, 1.0),
        number("level_in", "models whose heights differ by more do not meet, inches", 0, 24, 2.0),
    ),
    intent=(Key(name="charge", values=bool, statement="the Run is a declared Charge (the Melee rules)"),),
    say=inches,
    standing=_ending,
    engagement=_contact,
    coherency=lambda _: None,
    one_unit="act-02",
    announced="act-23",
    premeasured="act-22",
    sayings={
        "cannot-shoot": "{who} cannot shoot in this activation",
        "must-resolve-combat": "{who} must resolve combat in this activation",
    },
)
