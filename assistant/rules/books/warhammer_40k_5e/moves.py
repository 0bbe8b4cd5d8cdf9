"""The actions of the Movement phase: Hold, the move and random moves."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from assistant.rules.books.warhammer_40k_5e.coherency import (
    Ways,
    constrain_coherency,
    could_not_restore,
    is_broken,
    judge_coherency,
    list_broken_unit_effects,
)
from assistant.rules.books.warhammer_40k_5e.common import (
    ENEMIES,
    FRIENDS,
    build_coherency,
    build_contact,
    build_keep_out,
    compute_move_mm,
    constrain_to_open_table,
    get_level_mm,
)
from assistant.rules.books.warhammer_40k_5e.compulsory_moves import CompulsoryMove, constrain_to_compulsory_move
from assistant.rules.books.warhammer_40k_5e.difficult_terrain import (
    compute_lengths,
    constrain_length,
    crosses_terrain,
    exclude_quicker_places,
    is_slowed,
    list_walks,
    list_zone_ways,
)
from assistant.rules.books.warhammer_40k_5e.gap_rule import judge_gaps
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.context import RuleContext
from assistant.rules.engine.walk import Walk
from assistant.rules.presets import forbid_crossing, forbid_ending_on_top, limit_centre_way
from assistant.rules.rulebook import Action, CompletedMove, Dice
from assistant.rules.verdict import Effect, Finding, Outcome

_OTHERWISE = frozenset({"vehicle", "jump", "mounted"})
"""Units whose moves other chapters are about."""
_ROUGH = frozenset({"difficult", "dangerous"})
_COMPULSORY = "toward_closest"


def constrain_standing(asked: RuleContext) -> Iterator[Constraint]:
    """Yield what is asked of a unit that merely stands; to have fallen apart is no offence."""
    yield from _constrain_end(asked)
    apart = build_coherency(asked, "5e-09", Outcome.NOTE)
    if apart is not None:
        yield apart


def _constrain_end(asked: RuleContext) -> Iterator[Constraint]:
    yield forbid_ending_on_top("5e-04", FRIENDS, get_level_mm(asked))
    yield forbid_ending_on_top("5e-06", ENEMIES, get_level_mm(asked))
    yield from constrain_to_open_table(on_the_way=False)


def _constrain_way(asked: RuleContext) -> tuple[Constraint, ...]:
    """Return what holds of any model that moves, besides how far it goes."""
    return (
        forbid_crossing("5e-04", FRIENDS, get_level_mm(asked)),
        CustomConstraint(findings=partial(judge_gaps, get_level_mm(asked))),
        build_contact(asked, on_the_way=True),
        build_keep_out(asked),
        *constrain_to_open_table(on_the_way=True),
    )


def _constrain_compulsory(asked: RuleContext, full_mm: float, half_mm: float) -> Iterator[Constraint]:
    """Yield that the unit goes straight at the closest enemy, if it must."""
    if not _is_free(asked):
        yield constrain_to_compulsory_move(
            CompulsoryMove(
                going=_constrain_way(asked),
                full_mm=full_mm,
                half_mm=half_mm,
                tolerance_rad=math.radians(asked.read_number("direction_tolerance_deg")),
                short_mm=asked.read_number("short_by_mm"),
            )
        )


def _is_free(asked: RuleContext) -> bool:
    """Whether the unit chooses where it goes."""
    return not asked.intent.get(_COMPULSORY, False)


def _check_move(asked: RuleContext) -> Iterator[Finding]:
    if "pinned" in asked.unit.status:
        text = f"{asked.unit.id} is pinned and does not move"
        yield Finding(rule="5e-11", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)


def _note_uncovered_units(asked: RuleContext) -> CustomConstraint:
    """Return a note on units whose moves this rulebook does not cover."""

    def noted(_: Walk) -> Iterator[Finding]:
        kinds = ", ".join(sorted(_OTHERWISE & asked.unit.keywords))
        if kinds:
            text = f"moves of {asked.unit.id} ({kinds}) are not covered by this rulebook; measured against the profile"
            yield Finding(rule="5e-16", outcome=Outcome.NOTE, subjects=(asked.unit.id,), text=text)

    return CustomConstraint(findings=noted)


# -- hold


def _check_hold(asked: RuleContext) -> Iterator[Finding]:
    for rule in constrain_coherency(asked, _list_ways(asked)):
        if rule.rule == "5e-09" and rule.offence is not Outcome.LEGAL:
            found = judge_coherency(rule, asked, asked.scene)
            yield replace(
                found, text=f"{asked.unit.id} is broken and holds only if it cannot come together: {found.text}"
            )


def _constrain_hold(asked: RuleContext) -> Iterator[Constraint]:
    yield limit_centre_way("5e-03", 0.0)
    yield from _constrain_end(asked)
    yield from constrain_coherency(asked, _list_ways(asked))


def _list_hold_effects(moved: CompletedMove) -> Iterator[Effect]:
    unit = moved.asked.unit
    if could_not_restore(moved, _list_ways(moved.asked)):
        yield from list_broken_unit_effects(moved)
    if "pinned" in unit.status and is_broken(moved.asked, moved.after):
        yield Effect(rule="5e-11", subjects=(unit.id,), effect="must-restore-coherency")


# -- move


def _list_ways(asked: RuleContext) -> Ways:
    return ((limit_centre_way("5e-03", compute_move_mm(asked)), *_constrain_way(asked)),)


def _constrain_move(asked: RuleContext) -> Iterator[Constraint]:
    limit = limit_centre_way("5e-03", compute_move_mm(asked))
    yield limit
    yield from _constrain_way(asked)
    yield _note_uncovered_units(asked)
    yield CustomConstraint(findings=partial(_note_rough_terrain, asked))
    yield from _constrain_compulsory(asked, limit.limit_mm, limit.limit_mm)
    yield from constrain_coherency(asked, _list_ways(asked), free=_is_free(asked))


def _note_rough_terrain(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    """Yield a note on the first terrain that would do something to an ordinary move."""
    for terrain in walk.state.terrain:
        kinds = ", ".join(sorted(_ROUGH & terrain.traits))
        if kinds and crosses_terrain(
            walk, terrain, _constrain_way(asked), limit_centre_way("5e-03", compute_move_mm(asked))
        ):
            text = (
                f"what {terrain.id} ({kinds}) does to {walk.model.id} is not covered by this rulebook; measured as open"
            )
            yield Finding(
                rule="5e-16", outcome=Outcome.NOTE, subjects=(walk.model.id, terrain.id), text=f"{text} ground"
            )
            return


def _list_move_effects(moved: CompletedMove) -> Iterator[Effect]:
    if could_not_restore(moved, _list_ways(moved.asked), free=_is_free(moved.asked)):
        yield from list_broken_unit_effects(moved)


# -- random


def _list_random_ways(asked: RuleContext) -> Ways:
    return tuple((limit, *going) for limit, going in list_zone_ways(asked, _constrain_way(asked)))


def _constrain_random_move(asked: RuleContext) -> Iterator[Constraint]:
    going, both = _constrain_way(asked), compute_lengths(asked)
    slow = is_slowed(asked, going)
    yield from constrain_length(asked, going, slow)
    yield from going
    yield _note_uncovered_units(asked)
    yield from _constrain_compulsory(asked, (both.full if slow is False else both.half).limit_mm, both.half.limit_mm)
    yield from constrain_coherency(asked, _list_random_ways(asked), free=_is_free(asked))


def _list_random_zone_ways(asked: RuleContext) -> Iterator[tuple[Constraint, ...]]:
    whole, quicker = (
        tuple(constrain_coherency(asked, _list_random_ways(asked), free=_is_free(asked))),
        tuple[Constraint, ...](),
    )
    for limit, going in list_zone_ways(asked, _constrain_way(asked)):
        duty = tuple(_constrain_compulsory(asked, limit.limit_mm, compute_lengths(asked).half.limit_mm))
        # Who must go as far as it goes is not slowed where it can come without that.
        yield limit, *going, *duty, *([exclude_quicker_places(quicker)] if quicker and duty else []), *whole
        quicker = (limit, *going)


def _list_random_move_effects(moved: CompletedMove) -> Iterator[Effect]:
    asked = moved.asked
    going, both = _constrain_way(asked), compute_lengths(asked)
    if could_not_restore(moved, _list_random_ways(asked), free=_is_free(asked)):
        yield from list_broken_unit_effects(moved)
    mines = [terrain for terrain in asked.state.terrain if "dangerous" in terrain.traits]
    testing = tuple(
        walk.model.id
        for walk in list_walks(asked)
        if any(crosses_terrain(walk, terrain, going, both.full) for terrain in mines)
    )
    if testing:
        yield Effect(rule="5e-14", subjects=testing, effect="dangerous-terrain-test")


HOLD = Action(
    id="hold", label="Hold", step="movement", may=_check_hold, constraints=_constrain_hold, effects=_list_hold_effects
)
MOVE = Action(
    id="move",
    label="Move",
    step="movement",
    intent=(_COMPULSORY,),
    may=_check_move,
    limit_mm=compute_move_mm,
    constraints=_constrain_move,
    effects=_list_move_effects,
)
RANDOM = Action(
    id="random",
    label="Random move",
    step="movement",
    dice=Dice(sides=6, least=1, most=6, key="random_dice"),
    intent=("instead", _COMPULSORY),
    may=_check_move,
    limit_mm=lambda asked: compute_lengths(asked).full.limit_mm if asked.rolls else None,
    constraints=_constrain_random_move,
    ways=_list_random_zone_ways,
    effects=_list_random_move_effects,
)
