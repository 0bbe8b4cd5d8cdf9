"""Once engaged, a model moves no further: those that start in contact with an enemy, and those that come into it."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose
from assistant.geometry.clearance import clearance
from assistant.geometry.paths import centre_travel
from assistant.geometry.uncertainty import travel_sigma_mm
from assistant.rules.books.priority_skirmish.common import in_contact
from assistant.rules.books.priority_skirmish.engaging import named, not_touched
from assistant.rules.constraints import KeepOut, Own
from assistant.rules.keepout import engagements, nearest
from assistant.rules.parties import enemies
from assistant.rules.reached import ERROR_MM
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, gravest, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk, covariance_of


def engaged_unit(asked: Question) -> Iterator[Finding]:
    """Yield why a unit may not move: all of its models on the table are engaged.

    Of a move each model is judged by itself; one that only turns does not move.
    """
    if asked.paths:
        return
    found = list(engagements(in_contact(asked), asked.scene, asked.unit))
    held = [gravest(f for f in found if f.subjects[0] == m.id) for m in asked.unit.models if m.pose is not None]
    reasons = [each for each in held if each is not None]
    if not reasons or len(reasons) < len(held):
        return
    doubtful = next((each for each in reasons if each.outcome is Outcome.TOO_CLOSE), None)
    yield _held(doubtful or reasons[0])


def stays(asked: Question) -> Own:
    """Return that one who is in contact with an enemy, or comes into contact with one, moves no further."""
    places = partial(_where_it_stays, asked)
    return Own(findings=partial(_stays, asked), places=places, at_some_facing=places)


def _held(found: Finding) -> Finding:
    """Return an engagement as what keeps a model from moving."""
    mover, enemy = found.subjects
    if found.outcome is Outcome.TOO_CLOSE:
        text = f"{mover} is so near to {enemy} that it is too close to call whether it is engaged and may not move"
        return replace(found, rule="pri-17", text=text)
    text = f"{mover} is engaged with {enemy} and may not move"
    return Finding(
        rule="pri-17", outcome=Outcome.ILLEGAL, subjects=found.subjects, witness_mm=found.witness_mm, text=text
    )


def _at_the_start(asked: Question, walk: Walk) -> Finding | None:
    return gravest(engagements(in_contact(asked), walk.scene, walk.unit, (walk.model.id,)))


def _stays(asked: Question, walk: Walk) -> Iterator[Finding]:
    start = _at_the_start(asked, walk)
    if start is None:
        yield from _touched_and_gone(asked, walk) if walk.observed else ()
        return
    path = [walk.placed(pose) for pose in walk.path]
    gone_mm = centre_travel(path).mm
    sigma = travel_sigma_mm(path, [covariance_of(pose) for pose in walk.path], furthest=False)
    if gone_mm > max(DECIDED_SIGMAS * sigma, ROUNDING_MM):
        yield _held(start)
    elif gone_mm > ROUNDING_MM:
        mover, enemy = start.subjects
        text = f"{mover} is engaged with {enemy}; whether it has moved is too close to call"
        yield Finding(rule="pri-17", outcome=Outcome.TOO_CLOSE, subjects=start.subjects, text=text)


def _where_it_stays(asked: Question, walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    if _at_the_start(asked, walk) is None:
        return places
    return shapely.intersection(places, shapely.Point(walk.path[0].x_mm, walk.path[0].y_mm).buffer(ERROR_MM / 2))


def _touched_and_gone(asked: Question, walk: Walk) -> Iterator[Finding]:
    """Yield the named enemies that a path came into contact with, and was out of contact with at a later pose."""
    for place in walk.scene.party(enemies, walk.unit, walk.model.id, named(asked).__contains__).tolist():
        other, at = walk.scene.models[place], walk.scene.poses[place]
        rule = not_touched(asked, frozenset({other.id}))
        gaps = [_out_mm(rule, walk, pose, (other, at)) for pose in walk.path]
        later = max((index for index, mm in enumerate(gaps) if mm > ROUNDING_MM), default=0)
        met = nearest(rule, replace(walk, path=walk.path[: later + 1])) if later else None
        if met is None or met.outcome is Outcome.LEGAL or (met.margin_mm or 0.0) > gaps[later] - ROUNDING_MM:
            continue  # it never came near, or nearest where it then stood
        surely = gaps[later] > DECIDED_SIGMAS * together(walk.path[later].sigma_mm, at.sigma_mm)
        text = f"{walk.model.id} comes into base contact with {other.id} and moves on; engaged models stay"
        if met.outcome is Outcome.ILLEGAL and surely:
            yield Finding(
                rule="pri-17", outcome=Outcome.ILLEGAL, subjects=met.subjects, witness_mm=met.witness_mm, text=text
            )
        else:
            yield replace(met, outcome=Outcome.TOO_CLOSE, p_legal=None, text=f"{text}: too close to call")


def _out_mm(rule: KeepOut, walk: Walk, pose: Pose, other: tuple[Model, Pose]) -> float:
    """Return how far a model at a pose is out of contact with another; infinitely at another height."""
    if abs(pose.z_mm - other[1].z_mm) > rule.vertical_mm:
        return math.inf
    return clearance(walk.placed(pose), other[0].placed(other[1])).mm - rule.range_mm
