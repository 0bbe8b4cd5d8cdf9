"""Evades: straight away from the enemy, the closest stand first, through friends but not into them."""

import math
from collections.abc import Iterator

from assistant.rules.approach import approaches
from assistant.rules.books.warmaster_revolution.away import away
from assistant.rules.books.warmaster_revolution.sides import (
    but_units,
    comrades,
    engaged_units,
    foes_of,
    of_units,
    others,
)
from assistant.rules.books.warmaster_revolution.stands import barred
from assistant.rules.constraints import Constraint, KeepOut
from assistant.rules.keepout import others_of, thing_of
from assistant.rules.rulebook import Moved, Question
from assistant.rules.ruling import ROUNDING_MM
from assistant.rules.usual import on_top
from assistant.rules.verdict import Effect
from assistant.rules.walk import Walk

_AWAY_MM = 50.0


def evading(asked: Question) -> Iterator[Constraint]:
    """Yield what is asked of an evade besides its length, its ground and its formation."""
    fighting = engaged_units(asked)
    yield barred(asked, "wm-53", foes_of)
    yield barred(asked, "wm-53", of_units(comrades, fighting))
    yield on_top("wm-55", but_units(comrades, fighting), math.inf)
    for party in (foes_of, of_units(others, fighting)):
        yield KeepOut(
            rule="wm-54",
            parties=party,
            range_mm=_AWAY_MM,
            vertical_mm=math.inf,
            on_the_way=False,
            name="evading distance",
        )
    yield away(asked)


def confused(moved: Moved) -> Iterator[Effect]:
    """Yield the friendly units that the evaders burst through."""
    fighting = engaged_units(moved.asked)
    rule = KeepOut(
        rule="wm-55",
        parties=but_units(comrades, fighting),
        range_mm=0.0,
        vertical_mm=math.inf,
        on_the_way=True,
        name="across",
    )
    met = {unit for walk in moved.walks for unit in _overlapped(rule, walk)}
    for unit in moved.asked.state.units:
        if unit.id in met:
            yield Effect(rule="wm-55", subjects=(unit.id,), effect="confused")


def _overlapped(rule: KeepOut, walk: Walk) -> Iterator[str]:
    for place in others_of(rule, walk).tolist():
        thing = thing_of(rule, walk.scene.models[place], walk.scene.poses[place])
        legs = walk.legs(on_the_way=True) if walk.observed else ((walk.path[0], walk.end),)
        if any(near.gap.mm < -ROUNDING_MM for leg in legs for near in approaches(walk, leg, thing)):
            yield walk.scene.state.units[walk.scene.owners[place]].id
