"""Engaging an enemy: who is named, and contact at the end.

Of a way that was seen, contact on it is found as it was (`staying`).  Of one that was not, and for a zone, the named
enemies that it does not end in contact with are kept out of contact with, like anything that is in the way.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose
from assistant.geometry.clearance import Clearance, clearance
from assistant.geometry.convex import inner_radius_mm, outer_radius_mm
from assistant.geometry.regions import within
from assistant.geometry.shapes import Base, Round
from assistant.rules.books.priority_skirmish.common import in_contact, mm, ring
from assistant.rules.bounds import DRAWN_MM
from assistant.rules.constraints import Constraint, KeepOut, Own
from assistant.rules.obstacles import kept_out
from assistant.rules.parties import enemies
from assistant.rules.rulebook import Question, nothing
from assistant.rules.ruling import DECIDED_SIGMAS, measured, outcome_of, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk

Names = frozenset[str]
_Near = Callable[[Walk, Model, float], BaseGeometry]
"""The places at which a walk ends within a range of another model."""


def named(asked: Question) -> Names:
    """Return the enemies that a unit means to engage."""
    ids = asked.intent.get("engages", ())
    assert isinstance(ids, tuple)
    return frozenset(ids)


def engaging(asked: Question) -> Iterator[Constraint]:
    """Yield what is asked of one who means to engage."""
    names = named(asked)
    if names:
        yield Own(findings=partial(_reached, asked, names))
        if not asked.observed:
            yield replace(not_touched(asked, names), unless_ending=True)


def engaging_ways(asked: Question, limit_mm: float) -> Iterator[tuple[Constraint, ...]]:
    """Yield what is asked of one who means to engage, for each choice of whom its way ends in contact with."""
    names = named(asked)
    if names:
        far = replace(ring(asked), rule="pri-16", among=names.__contains__, on_the_way=False, leaving=False)
        yield not_touched(asked, names), far
        for met in _met_at_once(asked, names, limit_mm):
            apart = [not_touched(asked, names - met)] if names - met else []
            touching = Own(
                findings=nothing,
                places=partial(_touching, asked, met, near=_within),
                at_some_facing=partial(_touching, asked, met, near=_turning_within),
            )
            yield (*apart, touching)


def not_touched(asked: Question, names: Names) -> KeepOut:
    """Return that the way keeps out of contact with some enemies."""
    return replace(in_contact(asked), rule="pri-17", among=names.__contains__, on_the_way=True)


# -- ending in contact


def _reached(asked: Question, names: Names, walk: Walk) -> Iterator[Finding]:
    """Yield whether a model that ends near to an enemy which it means to engage is in contact with one."""
    contact_mm, range_mm = asked.number("contact_mm"), mm(asked.number("keep_out_in"))
    gaps = sorted(_gaps(asked, names, walk), key=lambda entry: entry[1].mm)
    found = [_contact_finding(walk, other, gap, sigma, contact_mm) for other, gap, sigma in gaps]
    near = [outcome_of(gap.mm - range_mm, sigma) for _, gap, sigma in gaps]
    for outcome in (Outcome.LEGAL, Outcome.TOO_CLOSE):
        for finding in found:
            if finding.outcome is outcome:
                yield finding
                return
    if Outcome.ILLEGAL in near:
        yield found[0]
    elif Outcome.TOO_CLOSE in near:
        (other, gap, sigma) = gaps[near.index(Outcome.TOO_CLOSE)]
        text = (
            f"{walk.model.id} is not in base contact with {other}; whether it is too near for that is too close to call"
        )
        yield measured(
            "pri-16",
            (walk.model.id, other),
            measured_mm=gap.mm,
            limit_mm=range_mm,
            margin_mm=gap.mm - range_mm,
            sigma_mm=sigma,
            witness_mm=(gap.near, gap.far),
            text=lambda _: text,
        )


def _gaps(asked: Question, names: Names, walk: Walk) -> Iterator[tuple[str, Clearance, float]]:
    """Yield the named enemies at the height of a model's end: clearances, and how surely they are known."""
    scene, rule, end = walk.scene, in_contact(asked), walk.placed(walk.end)
    for place in scene.party(enemies, walk.unit, walk.model.id, names.__contains__).tolist():
        other, at = scene.models[place], scene.poses[place]
        if abs(at.z_mm - walk.end.z_mm) <= rule.vertical_mm:
            yield other.id, clearance(end, other.placed(at)), together(walk.end.sigma_mm, at.sigma_mm)


def _contact_finding(walk: Walk, other: str, gap: Clearance, sigma_mm: float, contact_mm: float) -> Finding:
    model = walk.model.id

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{model} engages {other}"
            case Outcome.TOO_CLOSE:
                return f"{model} ends so near to {other} that it is too close to call whether they are in base contact"
            case _:
                return f"{model} means to engage {other}, yet stops {walk.say(gap.mm, 2)} from it, not in base contact"

    return measured(
        "pri-16",
        (model, other),
        measured_mm=gap.mm,
        limit_mm=contact_mm,
        margin_mm=contact_mm - gap.mm,
        sigma_mm=sigma_mm,
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def _touching(
    asked: Question, met: Names, walk: Walk, places: BaseGeometry, spare_mm: float, *, near: _Near
) -> BaseGeometry:
    """Return the places in contact with some enemies, with one of them beyond doubt."""
    sure, likely = [], []
    for other in (asked.state.model(name) for name in sorted(met)):
        if other.pose is None or abs(other.pose.z_mm - walk.end.z_mm) > in_contact(asked).vertical_mm:
            return shapely.Polygon()
        doubt = _doubt_mm(walk.end, other)
        range_mm = asked.number("contact_mm") + spare_mm
        sure.append(near(walk, other, range_mm - doubt))
        likely.append(near(walk, other, range_mm + doubt))
    return shapely.intersection(places, shapely.intersection_all([shapely.union_all(sure), *likely]))


def _within(walk: Walk, other: Model, range_mm: float) -> BaseGeometry:
    """Return the places at which a base as it is turned is within a range of another."""
    if range_mm < 0:
        return shapely.Polygon()
    sets = kept_out(walk.model.base, walk.end.facing_rad, other.placed(), range_mm)
    return shapely.union_all([within(each, DRAWN_MM) for each in sets])


def _turning_within(walk: Walk, other: Model, range_mm: float) -> BaseGeometry:
    """Return the places at which a base is within a range of another at some facing, surely without overlapping it.

    Turning changes the clearance steadily, from where the base's furthest part points at the other to where its
    nearest does; at some facing between the two it is whatever is asked.
    """
    least_mm = _doubt_mm(walk.end, other)
    if range_mm < least_mm:
        return shapely.Polygon()
    near = _discs_within(walk.model, other, outer_radius_mm, range_mm)
    return shapely.difference(near, _discs_within(walk.model, other, inner_radius_mm, least_mm))


def _doubt_mm(pose: Pose, other: Model) -> float:
    return DECIDED_SIGMAS * together(pose.sigma_mm, other.pose.sigma_mm if other.pose else 0.0)


def _discs_within(model: Model, other: Model, radius_mm: Callable[[Base], float], range_mm: float) -> BaseGeometry:
    if range_mm < 0:
        return shapely.Polygon()
    sets = kept_out(Round(radius_mm=radius_mm(model.base)), 0.0, other.placed(), range_mm)
    return shapely.union_all([within(each, DRAWN_MM) for each in sets])


def _met_at_once(asked: Question, names: Names, limit_mm: float) -> Iterator[Names]:
    """Yield some enemies that the model whose zone is asked for may come into contact with at once."""
    model = asked.model
    if model is None or model.pose is None:
        return
    reach = shapely.Point(model.pose.x_mm, model.pose.y_mm).buffer(1.01 * limit_mm + 1.0)
    groups: list[tuple[Names, BaseGeometry]] = [(frozenset(), reach)]
    for other in (asked.state.model(name) for name in sorted(names)):
        if other.pose is not None:
            doubt = _doubt_mm(model.pose, other)
            rim = _turning_within(asked.walk(model, model.pose), other, asked.number("contact_mm") + doubt + 1.0)
            wider = [(met | {other.id}, shapely.intersection(places, rim)) for met, places in groups]
            groups += [(met, places) for met, places in wider if not places.is_empty]
    yield from (met for met, _ in groups[1:])
