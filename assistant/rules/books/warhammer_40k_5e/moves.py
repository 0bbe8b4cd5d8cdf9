"""Hold, move, and random moves."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from assistant.rules.books.warhammer_40k_5e.broken import Ways, as_it_stands, coherent, could_not, is_broken, silenced
from assistant.rules.books.warhammer_40k_5e.common import (
    ENEMIES,
    FRIENDS,
    chain,
    inch,
    level_mm,
    move_mm,
    on_open_table,
    touching,
)
from assistant.rules.books.warhammer_40k_5e.compulsory import Duty, compulsory
from assistant.rules.books.warhammer_40k_5e.gaps import gap_findings
from assistant.rules.books.warhammer_40k_5e.slowed import crosses, is_slowed, lengths, limited, unless, walks, zone_ways
from assistant.rules.constraints import Constraint, Own
from assistant.rules.rulebook import Action, Dice, Moved, Question
from assistant.rules.usual import across, by_centre, on_top
from assistant.rules.verdict import Effect, Finding, Outcome
from assistant.rules.walk import Walk

_OTHERWISE = frozenset({"vehicle", "jump", "mounted"})
"""Units whose moves other chapters are about."""
_ROUGH = frozenset({"difficult", "dangerous"})
_COMPULSORY = "toward_closest"


def standing(asked: Question) -> Iterator[Constraint]:
    """Yield what is asked of a unit that merely stands; to have fallen apart is no offence."""
    yield from _ending(asked)
    apart = chain(asked, "5e-09", Outcome.NOTE)
    if apart is not None:
        yield apart


def _ending(asked: Question) -> Iterator[Constraint]:
    yield on_top("5e-04", FRIENDS, level_mm(asked))
    yield on_top("5e-06", ENEMIES, level_mm(asked))
    yield from on_open_table(on_the_way=False)


def _going(asked: Question) -> tuple[Constraint, ...]:
    """Return what holds of any model that moves, besides how far it goes."""
    return (
        across("5e-04", FRIENDS, level_mm(asked)),
        Own(findings=partial(gap_findings, level_mm(asked))),
        touching(asked, on_the_way=True),
        inch(asked),
        *on_open_table(on_the_way=True),
    )


def _duty(asked: Question, full_mm: float, half_mm: float) -> Iterator[Constraint]:
    """Yield that the unit goes straight at the closest enemy, if it must."""
    if not _free(asked):
        yield compulsory(
            Duty(
                going=_going(asked),
                full_mm=full_mm,
                half_mm=half_mm,
                tolerance_rad=math.radians(asked.number("direction_tolerance_deg")),
                short_mm=asked.number("short_by_mm"),
            )
        )


def _free(asked: Question) -> bool:
    """Whether the unit chooses where it goes."""
    return not asked.intent.get(_COMPULSORY, False)


def _may_go(asked: Question) -> Iterator[Finding]:
    if "pinned" in asked.unit.status:
        text = f"{asked.unit.id} is pinned and does not move"
        yield Finding(rule="5e-11", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)


def _elsewhere(asked: Question) -> Own:
    """Return a note on units whose moves this rulebook does not cover."""

    def noted(_: Walk) -> Iterator[Finding]:
        kinds = ", ".join(sorted(_OTHERWISE & asked.unit.keywords))
        if kinds:
            text = f"moves of {asked.unit.id} ({kinds}) are not covered by this rulebook; measured against the profile"
            yield Finding(rule="5e-16", outcome=Outcome.NOTE, subjects=(asked.unit.id,), text=text)

    return Own(findings=noted)


# -- hold


def _may_hold(asked: Question) -> Iterator[Finding]:
    for rule in coherent(asked, _ways(asked)):
        if rule.rule == "5e-09" and rule.offence is not Outcome.LEGAL:
            found = as_it_stands(rule, asked, asked.scene)
            yield replace(
                found, text=f"{asked.unit.id} is broken and holds only if it cannot come together: {found.text}"
            )


def _holding(asked: Question) -> Iterator[Constraint]:
    yield by_centre("5e-03", 0.0)
    yield from _ending(asked)
    yield from coherent(asked, _ways(asked))


def _held(moved: Moved) -> Iterator[Effect]:
    unit = moved.asked.unit
    if could_not(moved, _ways(moved.asked)):
        yield from silenced(moved)
    if "pinned" in unit.status and is_broken(moved.asked, moved.after):
        yield Effect(rule="5e-11", subjects=(unit.id,), effect="must-restore-coherency")


# -- move


def _ways(asked: Question) -> Ways:
    return ((by_centre("5e-03", move_mm(asked)), *_going(asked)),)


def _moving(asked: Question) -> Iterator[Constraint]:
    limit = by_centre("5e-03", move_mm(asked))
    yield limit
    yield from _going(asked)
    yield _elsewhere(asked)
    yield Own(findings=partial(_rough, asked))
    yield from _duty(asked, limit.limit_mm, limit.limit_mm)
    yield from coherent(asked, _ways(asked), free=_free(asked))


def _rough(asked: Question, walk: Walk) -> Iterator[Finding]:
    """Yield a note on the first terrain that would do something to an ordinary move."""
    for terrain in walk.state.terrain:
        kinds = ", ".join(sorted(_ROUGH & terrain.traits))
        if kinds and crosses(walk, terrain, _going(asked), by_centre("5e-03", move_mm(asked))):
            text = (
                f"what {terrain.id} ({kinds}) does to {walk.model.id} is not covered by this rulebook; measured as open"
            )
            yield Finding(
                rule="5e-16", outcome=Outcome.NOTE, subjects=(walk.model.id, terrain.id), text=f"{text} ground"
            )
            return


def _moved(moved: Moved) -> Iterator[Effect]:
    if could_not(moved, _ways(moved.asked), free=_free(moved.asked)):
        yield from silenced(moved)


# -- random


def _random_ways(asked: Question) -> Ways:
    return tuple((limit, *going) for limit, going in zone_ways(asked, _going(asked)))


def _wandering(asked: Question) -> Iterator[Constraint]:
    going, both = _going(asked), lengths(asked)
    slow = is_slowed(asked, going)
    yield from limited(asked, going, slow)
    yield from going
    yield _elsewhere(asked)
    yield from _duty(asked, (both.full if slow is False else both.half).limit_mm, both.half.limit_mm)
    yield from coherent(asked, _random_ways(asked), free=_free(asked))


def _wandering_ways(asked: Question) -> Iterator[tuple[Constraint, ...]]:
    whole, quicker = tuple(coherent(asked, _random_ways(asked), free=_free(asked))), tuple[Constraint, ...]()
    for limit, going in zone_ways(asked, _going(asked)):
        duty = tuple(_duty(asked, limit.limit_mm, lengths(asked).half.limit_mm))
        # Who must go as far as it goes is not slowed where it can come without that.
        yield limit, *going, *duty, *([unless(quicker)] if quicker and duty else []), *whole
        quicker = (limit, *going)


def _wandered(moved: Moved) -> Iterator[Effect]:
    asked = moved.asked
    going, both = _going(asked), lengths(asked)
    if could_not(moved, _random_ways(asked), free=_free(asked)):
        yield from silenced(moved)
    mines = [terrain for terrain in asked.state.terrain if "dangerous" in terrain.traits]
    testing = tuple(
        walk.model.id for walk in walks(asked) if any(crosses(walk, terrain, going, both.full) for terrain in mines)
    )
    if testing:
        yield Effect(rule="5e-14", subjects=testing, effect="dangerous-terrain-test")


HOLD = Action(id="hold", label="Hold", step="movement", may=_may_hold, constraints=_holding, effects=_held)
MOVE = Action(
    id="move",
    label="Move",
    step="movement",
    intent=(_COMPULSORY,),
    may=_may_go,
    limit_mm=move_mm,
    constraints=_moving,
    effects=_moved,
)
RANDOM = Action(
    id="random",
    label="Random move",
    step="movement",
    dice=Dice(sides=6, least=1, most=6, key="random_dice"),
    intent=("instead", _COMPULSORY),
    may=_may_go,
    limit_mm=lambda asked: lengths(asked).full.limit_mm if asked.rolls else None,
    constraints=_wandering,
    ways=_wandering_ways,
    effects=_wandered,
)
