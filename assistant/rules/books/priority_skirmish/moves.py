"""The actions of the Move phase: Hold, the move, the Defensive and the Stealth move."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from assistant.errors import BadInput
from assistant.rules.books.priority_skirmish.coherency import build_coherency, list_coherency_effects
from assistant.rules.books.priority_skirmish.common import build_contact, build_keep_out, get_level_mm, mm_from_inches
from assistant.rules.books.priority_skirmish.engagement import (
    check_not_engaged,
    constrain_engaged_models,
    constrain_engaging,
    get_named_enemies,
    list_engaging_ways,
)
from assistant.rules.books.priority_skirmish.terrain import constrain_by_terrain, forbid_impassable, list_terrain_costs
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.keep_out import find_engagements
from assistant.rules.constraints.table_boundary import TableBoundary, check_table_boundary, may_reach_edge
from assistant.rules.context import RuleContext
from assistant.rules.engine.walk import Walk
from assistant.rules.presets import forbid_crossing, forbid_ending_on_top, limit_centre_way
from assistant.rules.rulebook import Action, CompletedMove
from assistant.rules.selectors import is_any_unit, is_enemy
from assistant.rules.verdict import Effect, Finding, Outcome

_EDGE = TableBoundary(rule="pri-19", leaving=True)


def constrain_standing(asked: RuleContext) -> Iterator[Constraint]:
    """Yield what holds wherever a model stands, and of the unit as a whole."""
    yield from _constrain_end(asked)
    yield forbid_impassable(on_the_way=False)


def _constrain_end(asked: RuleContext) -> Iterator[Constraint]:
    yield CustomConstraint(findings=partial(_note_leaving, asked)) if asked.parameters["leaving"] else _EDGE
    yield forbid_ending_on_top("pri-14", is_any_unit, get_level_mm(asked))
    together = build_coherency(asked)
    if together is not None:
        yield together


def _note_leaving(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    """Yield a note on a model that leaves the table by a rule that lets it."""
    found = check_table_boundary(_EDGE, walk) if may_reach_edge(walk) else None
    if found is not None and found.outcome is not Outcome.LEGAL:
        text = f'{found.text}, as "{asked.parameters["leaving"]}" allows'
        yield replace(found, outcome=Outcome.NOTE, text=text)


# -- what is asked of a move


def _compute_limit_mm(share: float, asked: RuleContext) -> float | None:
    move_in = asked.unit.profile.get("move_in")
    return mm_from_inches(move_in * share) if isinstance(move_in, int | float) else None


def _constrain_hold(asked: RuleContext) -> Iterator[Constraint]:
    yield limit_centre_way("pri-03", 0.0)
    yield from _constrain_end(asked)


def _constrain_move(rule: str, share: float, asked: RuleContext) -> Iterator[Constraint]:
    """Yield what holds of a move of a share of the allowance, but for what is asked of one who means to engage."""
    limit_mm, names = _compute_limit_mm(share, asked), get_named_enemies(asked)
    if limit_mm is None:
        raise BadInput(f'unit "{asked.unit.id}": profile.move_in is missing; a move is measured against it')
    yield limit_centre_way(rule, limit_mm, list_terrain_costs(asked))
    yield forbid_crossing("pri-12", is_enemy, get_level_mm(asked))
    yield replace(build_keep_out(asked), among=lambda model: model not in names)
    yield constrain_engaged_models(asked)
    yield from constrain_by_terrain()
    yield from _constrain_end(asked)


def _constrain_judged_move(rule: str, share: float, asked: RuleContext) -> Iterator[Constraint]:
    yield from _constrain_move(rule, share, asked)
    yield from constrain_engaging(asked)


def _list_ways(rule: str, share: float, asked: RuleContext) -> Iterator[tuple[Constraint, ...]]:
    for way in list_engaging_ways(asked, _compute_limit_mm(share, asked) or 0.0):
        yield (*_constrain_move(rule, share, asked), *way)


def _check_keyword(rule: str, keyword: str, asked: RuleContext) -> Iterator[Finding]:
    yield from check_not_engaged(asked)
    if keyword not in asked.unit.keywords:
        text = f"{asked.unit.id} has no {keyword}, which this move takes"
        yield Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)


# -- what follows


def _list_keyword_effects(rule: str, keyword: str, effect: str, moved: CompletedMove) -> Iterator[Effect]:
    unit = moved.asked.unit
    if keyword in unit.keywords:
        yield Effect(rule=rule, subjects=(unit.id,), effect=effect)
    yield from _list_move_effects(moved)


def _list_move_effects(moved: CompletedMove) -> Iterator[Effect]:
    yield from _list_engagement_effects(moved)
    yield from _list_leaving_effects(moved)
    yield from list_coherency_effects(moved)


def _list_engagement_effects(moved: CompletedMove) -> Iterator[Effect]:
    """Yield that a model that moved, and the enemies that it is surely in contact with, move no more."""
    met = list(find_engagements(build_contact(moved.asked), moved.after, moved.asked.unit, moved.models))
    for model in moved.models:
        sure = [f.subjects[1] for f in met if f.subjects[0] == model and f.outcome is Outcome.ILLEGAL]
        if sure:
            yield Effect(rule="pri-17", subjects=(model, *sure), effect="cannot-move")


def _list_leaving_effects(moved: CompletedMove) -> Iterator[Effect]:
    """Yield which models have left the table by a rule that lets them."""
    asked = moved.asked
    paths = asked.paths if asked.paths and asked.parameters["leaving"] else {}
    for model, path in paths.items():
        walk = asked.build_walk(asked.state.find_model(model), *path, observed=asked.observed)
        if may_reach_edge(walk) and check_table_boundary(_EDGE, walk).outcome is Outcome.ILLEGAL:
            yield Effect(rule="pri-19", subjects=(model,), effect="left-table")


# -- actions

HOLD = Action(id="hold", label="Hold", step="move", constraints=_constrain_hold, effects=_list_move_effects)
MOVE = Action(
    id="move",
    label="Move",
    step="move",
    intent=("engages",),
    may=check_not_engaged,
    limit_mm=partial(_compute_limit_mm, 1.0),
    constraints=partial(_constrain_judged_move, "pri-03", 1.0),
    ways=partial(_list_ways, "pri-03", 1.0),
    effects=_list_move_effects,
)
DEFENSIVE = Action(
    id="defensive",
    label="Defensive move",
    step="move",
    intent=("engages",),
    may=partial(_check_keyword, "pri-06", "shield"),
    limit_mm=partial(_compute_limit_mm, 0.5),
    constraints=partial(_constrain_judged_move, "pri-06", 0.5),
    ways=partial(_list_ways, "pri-06", 0.5),
    effects=partial(_list_keyword_effects, "pri-06", "shield", "save-better-by-1"),
)
STEALTH = Action(
    id="stealth",
    label="Stealth move",
    step="move",
    intent=("engages",),
    may=partial(_check_keyword, "pri-07", "cloak"),
    limit_mm=partial(_compute_limit_mm, 0.5),
    constraints=partial(_constrain_judged_move, "pri-07", 0.5),
    ways=partial(_list_ways, "pri-07", 0.5),
    effects=partial(_list_keyword_effects, "pri-07", "cloak", "attackers-perception-worse-by-1"),
)
