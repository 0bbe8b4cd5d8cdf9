"""Overlay composition: the shapes drawn of a game, of verdicts and measures, and of where models are put back."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

import numpy as np
import shapely

from assistant.game.state import GameState, ModelTrack, Pose, Unit
from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.overlay.shapes import (
    SKETCHED_WITHIN_MM,
    Layer,
    OverlayShape,
    Points,
    sketch_outline,
    trace_outline,
)
from assistant.rules.books import find_rulebook
from assistant.rules.lengths import LengthFormatter
from assistant.rules.movement_zone import MovementZone
from assistant.rules.objective_range import describe_control
from assistant.rules.referee import Referee
from assistant.rules.verdict import Finding, Outcome, Verdict

BREAK_RING_MM = 5.0
"""The ring around a model that breaks coherency is drawn so far outside its base."""
NAMED_RING_MM = 9.0
"""The ring around a model that the move names: outside of the other."""
WAY_RING_MM = 7.0
"""The ring around a model that has moved: between them, and outside of what stays dark for the camera."""
LEAST_BAND_SHARE = 0.02
"""A part of a band that is smaller, beside its largest, is not drawn."""
FINE_MM = 2.5
"""What is left is said more finely once it is less."""
MOST_HALOS, MOST_NEIGHBOURHOODS = 16, 256
"""Kept: of the last picks, and of the models that stand about them."""


def compose_overlay(
    *,
    state: GameState,
    tracks: Mapping[str, ModelTrack],
    verdict: Verdict | None,
    unit: str | None,
    referee: Referee | None = None,
    named: Mapping[str, str] | None = None,
    ways: Sequence[Finding] = (),
    outcome: Outcome | None = None,
    mover: Collection[str] = (),
    near_mm: float = math.inf,
) -> tuple[OverlayShape, ...]:
    """Return everything to draw but for the zone.

    Args:
        state: the models where they stand now.
        tracks: how they came there from where they were last accepted.
        verdict: what the referee says of that.
        unit: the picked unit: its enemies' engagement ranges and its own coherency are shown.
        referee: who knows these, if the state has a referee already.
        named: what the announced move means to do with some models or units, by id.
        ways: how long the ways of models that have moved are, against what they are allowed.
        outcome: what the move comes to that is being made: all of it is drawn in one colour.
        mover: the models whose move that is.
        near_mm: engagement ranges are shown of enemies that are no further from the unit.

    """
    shapes: list[OverlayShape] = [*draw_mission(state)]
    if unit is not None:
        known = referee or Referee(state)
        shapes += _draw_engagement(known, state.find_unit(unit), near_mm)
        shapes += _draw_coherency(known, unit)
        shapes += _draw_arrangement(known, unit)
    for name, label in (named or {}).items():
        shapes += _draw_named(state, name, label)
    for model, track in tracks.items():
        shapes += draw_journey(state, model, track, outcome if model in mover else None)
    for way in ways:
        shapes += draw_way(state, way, outcome)
    if verdict is not None:
        shapes += _draw_stops(state, verdict)
        shapes += _draw_witnesses(verdict)
    return tuple(shapes)


def draw_mission(state: GameState) -> Iterator[OverlayShape]:
    """Yield the deployment zones and the objectives; one with a range says who has how many models within it."""
    players = list(dict.fromkeys(unit.player for unit in state.units))
    for zone in state.deployment:
        side = players.index(zone.player) if zone.player in players else len(players)
        yield OverlayShape(
            key=f"deployment:{zone.id}",
            layer=Layer.DEPLOYMENT,
            rings_mm=(zone.outline_mm,),
            closed=True,
            style=f"deployment-{side % 4}",
        )
    for objective in state.objectives:
        marker = PlacedShape(shape=Round(radius_mm=objective.radius_mm), x_mm=objective.x_mm, y_mm=objective.y_mm)
        control = describe_control(state, objective)
        yield OverlayShape(
            key=f"objective:{objective.id}",
            layer=Layer.OBJECTIVE,
            rings_mm=(trace_outline(marker),),
            closed=True,
            style="objective",
            label=f"{objective.id}: {control}" if control else objective.id,
        )
        if objective.range_mm is not None:
            yield OverlayShape(
                key=f"objective-range:{objective.id}",
                layer=Layer.OBJECTIVE,
                rings_mm=(trace_outline(marker, objective.range_mm),),
                closed=True,
                style="objective-range",
            )


def draw_zone(zone: MovementZone, within_mm: float = 0.0) -> Iterator[OverlayShape]:
    """Yield where the picked model may end, in fewer points where it may be drawn so far off."""
    places = 1 if within_mm else 2
    region = extract_polygons(zone.region.simplify(within_mm)) if within_mm else zone.region
    for number, polygon in enumerate(region.geoms):
        rings = (polygon.exterior, *polygon.interiors)
        yield OverlayShape(
            key=f"zone:{number}",
            layer=Layer.ZONE,
            rings_mm=tuple(tuple((round(x, places), round(y, places)) for x, y in ring.coords[:-1]) for ring in rings),
            closed=True,
            style="zone",
        )


def draw_band(
    number: int, zone: MovementZone, label: str, within_mm: float = SKETCHED_WITHIN_MM
) -> Iterator[OverlayShape]:
    """Yield how far an action leads that is not announced, as a line; its largest part carries the words."""
    areas = [part.area for part in zone.region.geoms]
    for at, part in enumerate(zone.region.geoms):
        if part.area >= LEAST_BAND_SHARE * max(areas):
            yield OverlayShape(
                key=f"band:{number}:{at}",
                layer=Layer.ZONE,
                rings_mm=(tuple((round(x, 1), round(y, 1)) for x, y in part.exterior.simplify(within_mm).coords),),
                closed=False,
                style=f"band-{number}",
                label=label if part.area == max(areas) else "",
            )


def draw_threat(unit: str, region: shapely.MultiPolygon, text: str) -> Iterator[OverlayShape]:
    """Yield what a unit may come to threaten; the largest part carries the words."""
    areas = [part.area for part in region.geoms]
    for number, part in enumerate(region.geoms):
        rings = (part.exterior, *part.interiors)
        yield OverlayShape(
            key=f"threat:{unit}:{number}",
            layer=Layer.THREAT,
            rings_mm=tuple(tuple((round(x, 1), round(y, 1)) for x, y in ring.coords[:-1]) for ring in rings),
            closed=True,
            style="threat",
            label=text if part.area == max(areas) else "",
        )


def _draw_engagement(referee: Referee, unit: Unit, near_mm: float) -> Iterator[OverlayShape]:
    range_mm = referee.find_engagement_mm()
    own = [model.pose for model in unit.models if model.pose is not None]
    for other, model in referee.state.iterate_models():
        if other.player == unit.player or model.pose is None or range_mm <= 0:
            continue
        x_mm, y_mm = model.pose.x_mm, model.pose.y_mm
        if not own or min(math.hypot(pose.x_mm - x_mm, pose.y_mm - y_mm) for pose in own) <= near_mm:
            yield OverlayShape(
                key=f"engagement:{model.id}",
                layer=Layer.ENGAGEMENT,
                rings_mm=(trace_outline(model.place_base(), range_mm),),
                closed=True,
                style="engagement",
            )


def draw_halo(referee: Referee, unit: str, model: str) -> Iterator[OverlayShape]:
    """Yield what a model's base must reach into to be in coherency with some other model of its unit."""
    range_mm = referee.find_coherency_mm(unit)
    mates = [each for each in referee.state.find_unit(unit).models if each.id != model and each.pose is not None]
    if not range_mm or not mates:
        return
    yield OverlayShape(
        key=f"halo:{unit}",
        layer=Layer.COHERENCY,
        rings_mm=_trace_around(tuple(mate.place_base() for mate in mates), range_mm),
        closed=True,
        style="halo",
    )


@lru_cache(maxsize=MOST_HALOS)
def _trace_around(placed: tuple[PlacedShape, ...], range_mm: float) -> tuple[Points, ...]:
    """Return the rings around all that is within a range of shapes: of most changes to a game it stays as it is."""
    around = shapely.union_all([_build_neighbourhood(each, range_mm) for each in placed])
    return tuple(
        tuple((round(x, 1), round(y, 1)) for x, y in ring.simplify(SKETCHED_WITHIN_MM).coords[:-1])
        for part in extract_polygons(around).geoms
        for ring in (part.exterior, *part.interiors)
    )


@lru_cache(maxsize=MOST_NEIGHBOURHOODS)
def _build_neighbourhood(placed: PlacedShape, range_mm: float) -> shapely.Polygon:
    return shapely.Polygon(np.array(trace_outline(placed, range_mm)))


def draw_last_paths(state: GameState, tracks: Mapping[str, ModelTrack]) -> Iterator[OverlayShape]:
    """Yield the ways of the move that was accepted last."""
    there = {model.id for _, model in state.iterate_models() if model.pose is not None}
    for model, track in tracks.items():
        if model in there:
            yield OverlayShape(
                key=f"last:{model}",
                layer=Layer.PATH,
                rings_mm=(tuple(_round_place(pose) for pose in track.poses),),
                closed=False,
                style="path-last",
            )


def _draw_coherency(referee: Referee, unit: str) -> Iterator[OverlayShape]:
    coherency = referee.find_coherency_links(unit)
    for link in coherency.links:
        yield OverlayShape(
            key=f"coherency:{link.models[0]}:{link.models[1]}",
            layer=Layer.COHERENCY,
            rings_mm=(link.segment_mm,),
            closed=False,
            style="coherency",
        )
    for model in coherency.breaking:
        yield OverlayShape(
            key=f"break:{model}",
            layer=Layer.BREAK,
            rings_mm=(trace_outline(referee.state.find_model(model).place_base(), BREAK_RING_MM),),
            closed=True,
            style="break",
        )


_ARRANGEMENT_STYLES = {Outcome.LEGAL: "coherency", Outcome.ILLEGAL: "break"}


def _draw_arrangement(referee: Referee, unit: str) -> Iterator[OverlayShape]:
    """Yield a line through the models of a unit in the order in which they are arranged."""
    arrangement = referee.find_arrangement(unit)
    poses = [] if arrangement is None else [referee.state.find_model(model).pose for model in arrangement.order]
    if arrangement is not None and len(poses) > 1:
        yield OverlayShape(
            key=f"arranged:{unit}",
            layer=Layer.COHERENCY,
            rings_mm=(tuple(_round_place(pose) for pose in poses if pose is not None),),
            closed=False,
            style=_ARRANGEMENT_STYLES.get(arrangement.outcome, "witness-too-close"),
            label=arrangement.text,
        )


def _draw_named(state: GameState, name: str, label: str) -> Iterator[OverlayShape]:
    """Yield a ring around a model, or around each of a unit's; the first carries the label."""
    models = [m for unit, m in state.iterate_models() if name in {unit.id, m.id} and m.pose is not None]
    for at, model in enumerate(models):
        yield OverlayShape(
            key=f"named:{model.id}",
            layer=Layer.NAMED,
            rings_mm=(trace_outline(model.place_base(), NAMED_RING_MM),),
            closed=True,
            style="named",
            label="" if at else label,
        )


def draw_way(
    state: GameState, way: Finding, outcome: Outcome | None = None, *, along: bool = False
) -> Iterator[OverlayShape]:
    """Yield a ring around where a model stands in a state, which says how far it has come and what is left.

    A ring that goes along with the model stays the same while the model moves.  It has the colour of what the whole
    move comes to, where that is no better than the way's own outcome.
    """
    colour = way.outcome if outcome in {None, Outcome.LEGAL, Outcome.NOTE} else outcome
    model = state.find_model(way.subjects[0])
    if model.pose is not None:
        placed = PlacedShape(shape=model.base, x_mm=0, y_mm=0) if along else model.place_base()
        yield OverlayShape(
            key=f"way:{model.id}",
            layer=Layer.WAY,
            rings_mm=(sketch_outline(placed, WAY_RING_MM),),
            on=model.id if along else None,
            closed=True,
            style=f"way-{colour}",
            label=describe_way(way, find_rulebook(state.rulebook).say),
        )


def describe_way(way: Finding, say: LengthFormatter) -> str:
    """Return how far a model has come of what it may, and what is left, in a few words."""
    assert way.measured_mm is not None
    assert way.limit_mm is not None
    left_mm = way.limit_mm - way.measured_mm
    decimals = 1 if abs(left_mm) >= FINE_MM else 2
    come = f"{say(way.measured_mm, decimals)} of {say(way.limit_mm, 2)}"
    match way.outcome:
        case Outcome.TOO_CLOSE:
            return f"{come}, too close to call"
        case Outcome.UNOBSERVED:
            return f"at least {come}"
    return f"{come}, {say(abs(left_mm), decimals)} {'left' if left_mm >= 0 else 'too far'}"


def draw_journey(
    state: GameState, model: str, track: ModelTrack, outcome: Outcome | None = None
) -> Iterator[OverlayShape]:
    """Yield where a model came from, and the way that it took, in the colour of what its move comes to."""
    seen = "path" if outcome in {None, Outcome.NOTE} else f"path-{outcome}"
    yield OverlayShape(
        key=f"ghost:{model}",
        layer=Layer.GHOST,
        rings_mm=(trace_outline(state.find_model(model).place_base(track.poses[0])),),
        closed=True,
        style="ghost",
    )
    stretches = [(hidden, tuple(legs)) for hidden, legs in groupby(_list_legs(track), key=lambda leg: leg[0])]
    for hidden, kind, style in ((False, "path", seen), (True, "path-unseen", "path-unseen")):
        lines = tuple((legs[0][1], *(end for _, _, end in legs)) for unseen, legs in stretches if unseen is hidden)
        if lines:
            yield OverlayShape(key=f"{kind}:{model}", layer=Layer.PATH, rings_mm=lines, closed=False, style=style)


def _list_legs(track: ModelTrack) -> Iterator[tuple[bool, tuple[float, float], tuple[float, float]]]:
    """Yield of each leg of a way whether nobody saw it, where it begins, and where it ends."""
    for number, (start, end) in enumerate(pairwise(track.poses)):
        yield number in track.unseen, _round_place(start), _round_place(end)


def _draw_stops(state: GameState, verdict: Verdict) -> Iterator[OverlayShape]:
    for finding in verdict.findings:
        if finding.stops_at is not None:
            yield OverlayShape(
                key=f"stop:{finding.subjects[0]}",
                layer=Layer.STOP,
                rings_mm=(trace_outline(state.find_model(finding.subjects[0]).place_base(finding.stops_at)),),
                closed=True,
                style="stop",
            )


def _round_place(pose: Pose) -> tuple[float, float]:
    return round(pose.x_mm, 2), round(pose.y_mm, 2)


def _draw_witnesses(verdict: Verdict) -> Iterator[OverlayShape]:
    say = find_rulebook(verdict.rulebook).say
    for number, finding in enumerate(verdict.findings):
        if len(finding.witness_mm) >= 2:
            yield OverlayShape(
                key=f"witness:{number}",
                layer=Layer.WITNESS,
                rings_mm=(finding.witness_mm,),
                closed=False,
                style=f"witness-{finding.outcome}",
                label=say(finding.measured_mm, 1) if finding.measured_mm is not None else "",
            )


TICK_MM = 7.0
"""Half the length of the marks that end a tape."""


def draw_tape(name: str, segment_mm: tuple[Point, Point], label: str) -> OverlayShape:
    """Return a line with a mark at each end; ``segment_mm`` is in the table frame."""
    line: Points = tuple((round(x, 1), round(y, 1)) for x, y in segment_mm)
    (ax, ay), (bx, by) = segment_mm
    length_mm = math.hypot(bx - ax, by - ay)
    marks: list[Points] = []
    if length_mm > 0:
        across_x, across_y = -(by - ay) / length_mm * TICK_MM, (bx - ax) / length_mm * TICK_MM
        marks = [
            ((round(x - across_x, 1), round(y - across_y, 1)), (round(x + across_x, 1), round(y + across_y, 1)))
            for x, y in segment_mm
        ]
    # The line is in the middle: that is where labels of lines are put.
    rings = (marks[0], line, marks[1]) if marks else (line,)
    return OverlayShape(key=f"tape:{name}", layer=Layer.TAPE, rings_mm=rings, closed=False, style="tape", label=label)


FRONT_MM = 9.0
"""The longest wedge that shows the front."""
CLEAR_MM = 9.0
"""An arrow keeps so far from its base, beyond what stays dark for the camera."""
ARROW_MM = 22.0
HEAD_MM = 8.0
ARC_RAD = math.radians(50.0)


def draw_target(model: str, placed: PlacedShape, *, back: bool, label: str) -> OverlayShape:
    """Return where a model goes: its outline with its front, dim once it is back."""
    return OverlayShape(
        key=f"restore:{model}",
        layer=Layer.RESTORE,
        rings_mm=(trace_outline(placed), _build_front_wedge(placed)),
        closed=True,
        style="restore-back" if back else "restore",
        label=label,
    )


def draw_step(model: str, placed: PlacedShape, way_rad: float) -> OverlayShape:
    """Return an arrow beside where a model goes, in the direction in which it still has to be pushed."""
    reach_mm = _find_clear_radius_mm(placed)
    along = PlacedShape(shape=placed.shape, x_mm=placed.x_mm, y_mm=placed.y_mm, facing_rad=way_rad)
    tip_mm = reach_mm + ARROW_MM
    return _build_arrow_shape(
        model,
        _place_points(along, ((reach_mm, 0), (tip_mm, 0))),
        _place_points(along, ((tip_mm - HEAD_MM, HEAD_MM * 0.7), (tip_mm, 0), (tip_mm - HEAD_MM, -HEAD_MM * 0.7))),
    )


def draw_turn(model: str, placed: PlacedShape, turn_rad: float) -> OverlayShape:
    """Return an arrow about the front of where a model goes, in the sense in which it only has to turn."""
    reach_mm, sense = _find_clear_radius_mm(placed), math.copysign(1.0, turn_rad)
    turns = [sense * ARC_RAD * (step / 8 - 0.5) for step in range(9)]
    arc = tuple((reach_mm * math.cos(turn), reach_mm * math.sin(turn)) for turn in turns)
    back_rad = turns[-1] - sense * HEAD_MM / reach_mm
    head = tuple(
        (radius_mm * math.cos(back_rad), radius_mm * math.sin(back_rad))
        for radius_mm in (reach_mm + 0.7 * HEAD_MM, reach_mm - 0.7 * HEAD_MM)
    )
    return _build_arrow_shape(model, _place_points(placed, arc), _place_points(placed, (head[0], arc[-1], head[1])))


def _build_arrow_shape(model: str, *lines_mm: Points) -> OverlayShape:
    return OverlayShape(
        key=f"restore-way:{model}", layer=Layer.RESTORE, rings_mm=lines_mm, closed=False, style="restore-way"
    )


def _find_clear_radius_mm(placed: PlacedShape) -> float:
    return CLEAR_MM + max(math.hypot(x, y) for x, y in _trace_own_outline(placed))


def _build_front_wedge(placed: PlacedShape) -> Points:
    """Return a wedge at the front of a base, inside it."""
    front_mm = max(x for x, _ in _trace_own_outline(placed))
    long_mm = min(FRONT_MM, front_mm / 2)
    return _place_points(
        placed, ((front_mm - 1, 0), (front_mm - 1 - long_mm, 0.6 * long_mm), (front_mm - 1 - long_mm, -0.6 * long_mm))
    )


def _trace_own_outline(placed: PlacedShape) -> Points:
    """Return the outline of a base in its own frame."""
    return trace_outline(PlacedShape(shape=placed.shape, x_mm=0, y_mm=0))


def _place_points(placed: PlacedShape, points: Points) -> Points:
    """Return points of a base's own frame on the table."""
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    return tuple(
        (round(placed.x_mm + cos * x - sin * y, 2), round(placed.y_mm + sin * x + cos * y, 2)) for x, y in points
    )
