"""Engagement: who is named, contact at the end of a move, and that engaged models move no further.

Of a way that was seen, contact on it is found as it was.  Of one that was not, and for a zone, the named enemies that
it does not end in contact with are kept out of contact with, like anything that is in the way.  Engaged are those that
start in contact with an enemy, and those that come into it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose
from assistant.geometry.clearance.shape_clearance import Clearance, clearance
from assistant.geometry.motion.path_length import measure_centre_travel
from assistant.geometry.shapes.base_shapes import Base, Round
from assistant.geometry.shapes.convex import inner_radius_mm, outer_radius_mm
from assistant.geometry.shapes.polygons import inscribe
from assistant.geometry.uncertainty import travel_sigma_mm
from assistant.rules.books.priority_skirmish.common import build_contact, build_keep_out, mm_from_inches
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.keep_out import KeepOut, check_keep_out, find_engagements
from assistant.rules.context import RuleContext
from assistant.rules.engine.minkowski_regions import DRAWN_MM, find_kept_out
from assistant.rules.engine.reachability import ERROR_MM
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.walk import Walk, build_covariance
from assistant.rules.lengths import format_contact
from assistant.rules.rulebook import give_nothing
from assistant.rules.selectors import is_enemy
from assistant.rules.verdict import (
    DECIDED_SIGMAS,
    ROUNDING_MM,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    decide_outcome,
    find_gravest,
    find_worst_outcome,
)

EnemyIds = frozenset[str]
_PlacesNear = Callable[[Walk, Model, float], BaseGeometry]
"""The places at which a walk ends within a range of another model."""


def get_named_enemies(asked: RuleContext) -> EnemyIds:
    """Return the enemies that a unit means to engage."""
    ids = asked.intent.get("engages", ())
    assert isinstance(ids, tuple)
    return frozenset(ids)


def constrain_engaging(asked: RuleContext) -> Iterator[Constraint]:
    """Yield what is asked of one who means to engage."""
    names = get_named_enemies(asked)
    if names:
        yield CustomConstraint(
            findings=partial(_judge_contact_at_end, asked, names), after=partial(_judge_reached_enemies, asked, names)
        )
        if not asked.observed:
            yield replace(forbid_contact(asked, names), unless_ending=True)


def list_engaging_ways(asked: RuleContext, limit_mm: float) -> Iterator[tuple[Constraint, ...]]:
    """Yield what is asked of one who means to engage, for each choice of whom its way ends in contact with."""
    names = get_named_enemies(asked)
    if names:
        far = replace(build_keep_out(asked), rule="pri-16", among=names.__contains__, on_the_way=False, leaving=False)
        yield forbid_contact(asked, names), far
        for met in _list_enemies_met_at_once(asked, names, limit_mm):
            rest = names - met
            apart = [forbid_contact(asked, rest), _NobodyElse(asked, rest)] if rest else []
            touching = CustomConstraint(
                findings=give_nothing,
                places=partial(_restrict_to_contact, asked, met, near=_find_places_within),
                # Of several it is not enough that it may touch each at some facing or other.
                at_some_facing=None
                if len(met) > 1
                else partial(_restrict_to_contact, asked, met, near=_find_places_within_turning),
            )
            yield (*apart, touching)


@dataclass(frozen=True, slots=True)
class _NobodyElse(Constraint):
    """Who engages some of those that its unit means to leaves no other for nobody to reach; a zone's constraint."""

    asked: RuleContext
    names: EnemyIds

    def narrow_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return all places where other models of the unit are in contact with these already, else none."""
        mates = [model.id for model in walk.unit.models if model.id != walk.model.id]
        contacts = list(find_engagements(build_contact(self.asked), walk.scene, walk.unit, mates))
        reached = {found.subjects[1] for found in contacts if found.outcome is Outcome.ILLEGAL}
        return places if self.names <= reached else shapely.Polygon()

    def narrow_turned_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the same: no turn plays a part."""
        return self.narrow_end(walk, places)

    def drop_unit_parts(self) -> None:
        """Leave it aside."""
        return


def forbid_contact(asked: RuleContext, names: EnemyIds) -> KeepOut:
    """Return that the way keeps out of contact with some enemies."""
    return replace(build_contact(asked), rule="pri-17", among=names.__contains__, on_the_way=True)


# -- ending in contact


def _judge_contact_at_end(asked: RuleContext, names: EnemyIds, walk: Walk) -> Iterator[Finding]:
    """Yield whether a model that ends near to an enemy which it means to engage is in contact with one."""
    contact_mm, range_mm = asked.read_number("contact_mm"), mm_from_inches(asked.read_number("keep_out_in"))
    gaps = sorted(_measure_gaps(asked, names, walk), key=lambda entry: entry[1].mm)
    found = [_judge_contact(walk, other, gap, sigma, contact_mm) for other, gap, sigma in gaps]
    near = [decide_outcome(gap.mm - range_mm, sigma) for _, gap, sigma in gaps]
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
        yield build_finding(
            "pri-16",
            (walk.model.id, other),
            measured_mm=gap.mm,
            limit_mm=range_mm,
            margin_mm=gap.mm - range_mm,
            sigma_mm=sigma,
            witness_mm=(gap.near, gap.far),
            text=lambda _: text,
        )


def _judge_reached_enemies(asked: RuleContext, names: EnemyIds, scene: SituationIndex) -> Iterator[Finding]:
    """Yield the enemies that a unit which engages means to engage as well, and reaches with no model, or may not.

    One whose models engage nobody has fallen short of all: that is no offence.
    """
    unit, movers = scene.state.find_unit(asked.unit.id), list(asked.paths or ())
    contacts = list(find_engagements(replace(build_contact(asked), among=names.__contains__), scene, unit))
    engaged = find_worst_outcome(found.outcome for found in contacts if found.subjects[0] in movers)
    if engaged is Outcome.LEGAL:
        return
    sure = {found.subjects[1] for found in contacts if found.outcome is Outcome.ILLEGAL}
    near = {found.subjects[1] for found in contacts} - sure
    by = next(found for found in contacts if found.outcome is engaged and found.subjects[0] in movers)
    for name in sorted(names - sure):
        outcome = Outcome.TOO_CLOSE if name in near else engaged
        model, gap = _find_nearest_mover(scene, movers, name)
        text = f"the unit of {by.subjects[0]}, which engages {by.subjects[1]}, means to engage {name}, too, and reaches"
        text = f"{text} it with no model{': too close to call' if outcome is Outcome.TOO_CLOSE else ''}"
        subjects = (model, name)
        if gap is None:
            yield Finding(rule="pri-16", outcome=outcome, subjects=subjects, text=text)
            continue
        yield Finding(
            rule="pri-16",
            outcome=outcome,
            subjects=subjects,
            measured_mm=gap.mm,
            limit_mm=asked.read_number("contact_mm"),
            margin_mm=asked.read_number("contact_mm") - gap.mm,
            witness_mm=(gap.near, gap.far),
            text=text,
        )


def _find_nearest_mover(scene: SituationIndex, movers: Sequence[str], enemy: str) -> tuple[str, Clearance | None]:
    """Return which of some models is nearest to an enemy, and its clearance; None where that is off the table."""
    other = scene.state.find_model(enemy)
    if other.pose is None:
        return movers[0], None
    gaps = [(model, clearance(scene.state.find_model(model).place_base(), other.place_base())) for model in movers]
    return min(gaps, key=lambda entry: entry[1].mm)


def _measure_gaps(asked: RuleContext, names: EnemyIds, walk: Walk) -> Iterator[tuple[str, Clearance, float]]:
    """Yield the named enemies at the height of a model's end: clearances, and how surely they are known."""
    scene, rule, end = walk.scene, build_contact(asked), walk.place_base(walk.end)
    for place in scene.select_party(is_enemy, walk.unit, walk.model.id, names.__contains__).tolist():
        other, at = scene.models[place], scene.poses[place]
        if abs(at.z_mm - walk.end.z_mm) <= rule.vertical_mm:
            yield other.id, clearance(end, other.place_base(at)), combine_sigmas(walk.end.sigma_mm, at.sigma_mm)


def _judge_contact(walk: Walk, other: str, gap: Clearance, sigma_mm: float, contact_mm: float) -> Finding:
    model = walk.model.id

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{model} engages {other}, in contact{format_contact(gap.mm, contact_mm)}"
            case Outcome.TOO_CLOSE:
                return f"{model} ends so near to {other} that it is too close to call whether they are in base contact"
            case _:
                return f"{model} means to engage {other}, yet stops {walk.say(gap.mm, 2)} from it, not in base contact"

    return build_finding(
        "pri-16",
        (model, other),
        measured_mm=gap.mm,
        limit_mm=contact_mm,
        margin_mm=contact_mm - gap.mm,
        sigma_mm=sigma_mm,
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def _restrict_to_contact(
    asked: RuleContext, met: EnemyIds, walk: Walk, places: BaseGeometry, spare_mm: float, *, near: _PlacesNear
) -> BaseGeometry:
    """Return the places in contact with each of some enemies, beyond doubt."""
    touching = list[BaseGeometry]()
    for other in (asked.state.find_model(name) for name in sorted(met)):
        if other.pose is None or abs(other.pose.z_mm - walk.end.z_mm) > build_contact(asked).vertical_mm:
            return shapely.Polygon()
        range_mm = asked.read_number("contact_mm") + spare_mm
        touching.append(near(walk, other, range_mm - _compute_doubt_mm(walk.end, other)))
    return shapely.intersection(places, shapely.intersection_all(touching))


def _find_places_within(walk: Walk, other: Model, range_mm: float) -> BaseGeometry:
    """Return the places at which a base as it is turned is within a range of another."""
    if range_mm < 0:
        return shapely.Polygon()
    sets = find_kept_out(walk.model.base, walk.end.facing_rad, other.place_base(), range_mm)
    return shapely.union_all([inscribe(each, DRAWN_MM) for each in sets])


def _find_places_within_turning(walk: Walk, other: Model, range_mm: float) -> BaseGeometry:
    """Return the places at which a base is within a range of another at some facing, surely without overlapping it.

    Turning changes the clearance steadily, from where the base's furthest part points at the other to where its
    nearest does; at some facing between the two it is whatever is asked.
    """
    least_mm = _compute_doubt_mm(walk.end, other)
    if range_mm < least_mm:
        return shapely.Polygon()
    near = _find_disc_places(walk.model, other, outer_radius_mm, range_mm)
    return shapely.difference(near, _find_disc_places(walk.model, other, inner_radius_mm, least_mm))


def _compute_doubt_mm(pose: Pose, other: Model) -> float:
    return DECIDED_SIGMAS * combine_sigmas(pose.sigma_mm, other.pose.sigma_mm if other.pose else 0.0)


def _find_disc_places(model: Model, other: Model, radius_mm: Callable[[Base], float], range_mm: float) -> BaseGeometry:
    if range_mm < 0:
        return shapely.Polygon()
    sets = find_kept_out(Round(radius_mm=radius_mm(model.base)), 0.0, other.place_base(), range_mm)
    return shapely.union_all([inscribe(each, DRAWN_MM) for each in sets])


def _list_enemies_met_at_once(asked: RuleContext, names: EnemyIds, limit_mm: float) -> Iterator[EnemyIds]:
    """Yield some enemies that the model whose zone is asked for may come into contact with at once."""
    model = asked.model
    if model is None or model.pose is None:
        return
    reach = shapely.Point(model.pose.x_mm, model.pose.y_mm).buffer(1.01 * limit_mm + 1.0)
    groups: list[tuple[EnemyIds, BaseGeometry]] = [(frozenset(), reach)]
    for other in (asked.state.find_model(name) for name in sorted(names)):
        if other.pose is not None:
            doubt = _compute_doubt_mm(model.pose, other)
            rim = _find_places_within_turning(
                asked.build_walk(model, model.pose), other, asked.read_number("contact_mm") + doubt + 1.0
            )
            wider = [(met | {other.id}, shapely.intersection(places, rim)) for met, places in groups]
            groups += [(met, places) for met, places in wider if not places.is_empty]
    yield from (met for met, _ in groups[1:])


def check_not_engaged(asked: RuleContext) -> Iterator[Finding]:
    """Yield why a unit may not move: all of its models on the table are engaged.

    Of a move each model is judged by itself; one that only turns does not move.
    """
    if asked.paths:
        return
    found = list(find_engagements(build_contact(asked), asked.scene, asked.unit))
    held = [find_gravest(f for f in found if f.subjects[0] == m.id) for m in asked.unit.models if m.pose is not None]
    reasons = [each for each in held if each is not None]
    if not reasons or len(reasons) < len(held):
        return
    doubtful = next((each for each in reasons if each.outcome is Outcome.TOO_CLOSE), None)
    yield _refuse_engaged(doubtful or reasons[0])


def constrain_engaged_models(asked: RuleContext) -> CustomConstraint:
    """Return that one who is in contact with an enemy, or comes into contact with one, moves no further."""
    places = partial(_restrict_to_start, asked)
    return CustomConstraint(findings=partial(_judge_engaged_move, asked), places=places, at_some_facing=places)


def _refuse_engaged(found: Finding) -> Finding:
    """Return an engagement as what keeps a model from moving."""
    mover, enemy = found.subjects
    if found.outcome is Outcome.TOO_CLOSE:
        text = f"{mover} is so near to {enemy} that it is too close to call whether it is engaged and may not move"
        return replace(found, rule="pri-17", text=text)
    apart = format_contact(found.measured_mm or 0.0, found.limit_mm or 0.0)
    text = f"{mover} is engaged with {enemy} and may not move, in contact{apart}"
    return Finding(
        rule="pri-17", outcome=Outcome.ILLEGAL, subjects=found.subjects, witness_mm=found.witness_mm, text=text
    )


def _find_initial_engagement(asked: RuleContext, walk: Walk) -> Finding | None:
    return find_gravest(find_engagements(build_contact(asked), walk.scene, walk.unit, (walk.model.id,)))


def _judge_engaged_move(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    start = _find_initial_engagement(asked, walk)
    if start is None:
        yield from _find_passing_contacts(asked, walk) if walk.observed else ()
        return
    path = [walk.place_base(pose) for pose in walk.path]
    gone_mm = measure_centre_travel(path).mm
    sigma = travel_sigma_mm(path, [build_covariance(pose) for pose in walk.path], furthest=False)
    if gone_mm > max(DECIDED_SIGMAS * sigma, ROUNDING_MM):
        yield _refuse_engaged(start)
    elif gone_mm > ROUNDING_MM:
        mover, enemy = start.subjects
        text = f"{mover} is engaged with {enemy}; whether it has moved is too close to call"
        yield Finding(rule="pri-17", outcome=Outcome.TOO_CLOSE, subjects=start.subjects, text=text)


def _restrict_to_start(asked: RuleContext, walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    if _find_initial_engagement(asked, walk) is None:
        return places
    return shapely.intersection(places, shapely.Point(walk.path[0].x_mm, walk.path[0].y_mm).buffer(ERROR_MM / 2))


def _find_passing_contacts(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    """Yield the named enemies that a path came into contact with, and was out of contact with at a later pose."""
    for place in walk.scene.select_party(
        is_enemy, walk.unit, walk.model.id, get_named_enemies(asked).__contains__
    ).tolist():
        other, at = walk.scene.models[place], walk.scene.poses[place]
        rule = forbid_contact(asked, frozenset({other.id}))
        gaps = [_measure_separation_mm(rule, walk, pose, (other, at)) for pose in walk.path]
        later = max((index for index, mm in enumerate(gaps) if mm > ROUNDING_MM), default=0)
        met = check_keep_out(rule, replace(walk, path=walk.path[: later + 1])) if later else None
        if met is None or met.outcome is Outcome.LEGAL or (met.margin_mm or 0.0) > gaps[later] - ROUNDING_MM:
            continue  # it never came near, or nearest where it then stood
        surely = gaps[later] > DECIDED_SIGMAS * combine_sigmas(walk.path[later].sigma_mm, at.sigma_mm)
        text = f"{walk.model.id} comes into base contact with {other.id} and moves on; engaged models stay"
        if met.outcome is Outcome.ILLEGAL and surely:
            yield Finding(
                rule="pri-17", outcome=Outcome.ILLEGAL, subjects=met.subjects, witness_mm=met.witness_mm, text=text
            )
        else:
            yield replace(met, outcome=Outcome.TOO_CLOSE, p_legal=None, text=f"{text}: too close to call")


def _measure_separation_mm(rule: KeepOut, walk: Walk, pose: Pose, other: tuple[Model, Pose]) -> float:
    """Return how far a model at a pose is out of contact with another; infinitely at another height."""
    if abs(pose.z_mm - other[1].z_mm) > rule.vertical_mm:
        return math.inf
    return clearance(walk.place_base(pose), other[0].place_base(other[1])).mm - rule.range_mm
