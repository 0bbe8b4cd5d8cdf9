"""Evades: straight away from the enemy, the closest stand first, through friends but not into them."""

import math
from collections.abc import Iterator, Sequence
from functools import partial

from assistant.game.state import Pose
from assistant.geometry.clearance import clearance
from assistant.geometry.paths import furthest_displacement
from assistant.rules.approach import approaches
from assistant.rules.books.warmaster_revolution.sides import (
    but_units,
    comrades,
    engaged_units,
    foes_of,
    of_units,
    others,
)
from assistant.rules.books.warmaster_revolution.stands import barred
from assistant.rules.constraints import Constraint, KeepOut, Own
from assistant.rules.keepout import others_of, thing_of
from assistant.rules.rulebook import Moved, Question
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, gravest, measured, together
from assistant.rules.usual import on_top
from assistant.rules.verdict import Effect, Finding, Outcome
from assistant.rules.walk import Walk

_LEAST_MM = 10.0
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
    yield Own(findings=partial(_away, asked))


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


# -- which way, who first, how far at least


def _away(asked: Question, walk: Walk) -> Iterator[Finding]:
    """Yield what is asked of the first stand that evades: the others are free in where they go."""
    if asked.paths is None or next(iter(asked.paths), None) != walk.model.id:
        return
    yield _far_enough(walk)
    foe = asked.state.unit(str(asked.intent["toward"]))
    pairs = sorted(
        (
            (clearance(mine.placed(), theirs.placed()), mine.id, together(mine.pose.sigma_mm, theirs.pose.sigma_mm))
            for mine in asked.unit.models
            for theirs in foe.models
            if mine.pose is not None and theirs.pose is not None
        ),
        key=lambda entry: entry[0].mm,
    )
    if not pairs:
        return
    least, _, sigma = pairs[0]
    closest = [
        each for each in pairs if each[0].mm <= least.mm + ROUNDING_MM + DECIDED_SIGMAS * together(sigma, each[2])
    ]
    named = [each for each in closest if each[1] == walk.model.id]
    if not named:
        first = closest[0][1]
        text = f"{walk.model.id} goes first, but {first} is the closest to {foe.id} and goes before the others"
        yield Finding(rule="wm-50", outcome=Outcome.ILLEGAL, subjects=(walk.model.id, first), text=text)
    bent = gravest(_bends(asked, walk))
    if bent is not None and named:
        yield bent
    if _goes_anywhere(asked):
        return
    ways = [(gap.near[0] - gap.far[0], gap.near[1] - gap.far[1]) for gap, _, _ in (named or closest)]
    yield max((_direction(asked, walk, "wm-49", walk.path, way) for way in ways), key=lambda f: f.margin_mm or 0.0)


def _goes_anywhere(asked: Question) -> bool:
    """Whether a unit is light cavalry, which evades in any direction."""
    return asked.unit.profile["troop"] == "cavalry" and "armour-6+" in asked.unit.keywords


def _bends(asked: Question, walk: Walk) -> Iterator[Finding]:
    """Yield how far the way of a seen path is off the straight line at each of its inner poses."""
    way = (walk.end.x_mm - walk.path[0].x_mm, walk.end.y_mm - walk.path[0].y_mm)
    for pose in walk.path[1:-1] if walk.observed else ():
        yield _direction(asked, walk, "wm-50", (walk.path[0], pose), way)


def _direction(asked: Question, walk: Walk, rule: str, path: Sequence[Pose], way: tuple[float, float]) -> Finding:
    """Return whether the way from the first to the last pose goes in a direction, within the tolerance."""
    x, y = path[-1].x_mm - path[0].x_mm, path[-1].y_mm - path[0].y_mm
    gone, tolerance = math.hypot(x, y), math.radians(asked.number("direction_tolerance_deg"))
    off = abs(math.atan2(x * way[1] - y * way[0], x * way[0] + y * way[1])) if gone > 0 else 0.0
    margin = -gone if off >= math.pi / 2 + tolerance else gone * math.sin(tolerance - off)
    said = f"{math.degrees(off):.1f} degrees off {'a straight line' if rule == 'wm-50' else 'directly away'}"

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} goes {said}, of {math.degrees(tolerance):g} that count as none{doubt}"

    return measured(
        rule,
        (walk.model.id,),
        measured_mm=gone,
        limit_mm=gone,
        margin_mm=margin,
        sigma_mm=together(path[0].sigma_mm, path[-1].sigma_mm),
        witness_mm=((path[0].x_mm, path[0].y_mm), (path[-1].x_mm, path[-1].y_mm)),
        text=text,
    )


def _far_enough(walk: Walk) -> Finding:
    """Return whether the first stand goes as far as an evade must."""
    travel = furthest_displacement([walk.placed(pose) for pose in walk.path])
    length, least = walk.say(travel.mm, 2), walk.say(_LEAST_MM, 2)

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} evades {length}, at least {least} is asked{doubt}"

    return measured(
        "wm-48",
        (walk.model.id,),
        measured_mm=travel.mm,
        limit_mm=_LEAST_MM,
        margin_mm=travel.mm - _LEAST_MM,
        sigma_mm=together(walk.path[0].sigma_mm, walk.end.sigma_mm),
        witness_mm=travel.points,
        text=text,
    )
