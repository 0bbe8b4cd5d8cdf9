"""From what the referee says to what is drawn."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from assistant.game.state import GameState, Pose, Track, Unit
from assistant.geometry.shapes import Placed
from assistant.overlay.outline import outline_mm, sketch_mm
from assistant.overlay.shapes import Layer, OverlayShape
from assistant.rules.judge import Zone, arrangement, coherency_links, engagement_mm, rulebook
from assistant.rules.verdict import Finding, Outcome, Verdict
from assistant.rules.words import Say

BREAK_RING_MM = 5.0
"""The ring around a model that breaks coherency is drawn so far outside its base."""
NAMED_RING_MM = 9.0
"""The ring around a model that the move names: outside of the other."""
WAY_RING_MM = 7.0
"""The ring around a model that has moved: between them, and outside of what stays dark for the camera."""
FINE_MM = 2.5
"""What is left is said more finely once it is less."""


def compose(
    *,
    state: GameState,
    tracks: Mapping[str, Track],
    verdict: Verdict | None,
    unit: str | None,
    named: Mapping[str, str] | None = None,
    ways: Sequence[Finding] = (),
) -> tuple[OverlayShape, ...]:
    """Return everything to draw but for the zone.

    Args:
        state: the models where they stand now.
        tracks: how they came there from where they were last accepted.
        verdict: what the referee says of that.
        unit: the picked unit: its enemies' engagement ranges and its own coherency are shown.
        named: what the announced move means to do with some models or units, by id.
        ways: how long the ways of models that have moved are, against what they are allowed.

    """
    shapes: list[OverlayShape] = []
    if unit is not None:
        shapes += _engagement(state, state.unit(unit))
        shapes += _coherency(state, unit)
        shapes += _arranged(state, unit)
    for name, label in (named or {}).items():
        shapes += _named(state, name, label)
    for model, track in tracks.items():
        shapes += journey(state, model, track)
    for way in ways:
        shapes += way_shapes(state, way)
    if verdict is not None:
        shapes += _stops(state, verdict)
        shapes += _witnesses(verdict)
    return tuple(shapes)


def zone_shapes(zone: Zone) -> Iterator[OverlayShape]:
    """Yield where the picked model may end."""
    for number, polygon in enumerate(zone.region.geoms):
        rings = (polygon.exterior, *polygon.interiors)
        yield OverlayShape(
            key=f"zone:{number}",
            layer=Layer.ZONE,
            rings_mm=tuple(tuple((round(x, 2), round(y, 2)) for x, y in ring.coords[:-1]) for ring in rings),
            closed=True,
            style="zone",
        )


def _engagement(state: GameState, unit: Unit) -> Iterator[OverlayShape]:
    range_mm = engagement_mm(state)
    for other, model in state.models():
        if other.player != unit.player and model.pose is not None and range_mm > 0:
            yield OverlayShape(
                key=f"engagement:{model.id}",
                layer=Layer.ENGAGEMENT,
                rings_mm=(outline_mm(model.placed(), range_mm),),
                closed=True,
                style="engagement",
            )


def _coherency(state: GameState, unit: str) -> Iterator[OverlayShape]:
    found = coherency_links(state, unit)
    for link in found.links:
        yield OverlayShape(
            key=f"coherency:{link.models[0]}:{link.models[1]}",
            layer=Layer.COHERENCY,
            rings_mm=(link.segment_mm,),
            closed=False,
            style="coherency",
        )
    for model in found.breaking:
        yield OverlayShape(
            key=f"break:{model}",
            layer=Layer.BREAK,
            rings_mm=(outline_mm(state.model(model).placed(), BREAK_RING_MM),),
            closed=True,
            style="break",
        )


_ARRANGED = {Outcome.LEGAL: "coherency", Outcome.ILLEGAL: "break"}


def _arranged(state: GameState, unit: str) -> Iterator[OverlayShape]:
    """Yield a line through the models of a unit in the order in which they are arranged."""
    found = arrangement(state, unit)
    poses = [] if found is None else [state.model(model).pose for model in found.order]
    if found is not None and len(poses) > 1:
        yield OverlayShape(
            key=f"arranged:{unit}",
            layer=Layer.COHERENCY,
            rings_mm=(tuple(_place(pose) for pose in poses if pose is not None),),
            closed=False,
            style=_ARRANGED.get(found.outcome, "witness-too-close"),
            label=found.text,
        )


def _named(state: GameState, name: str, label: str) -> Iterator[OverlayShape]:
    """Yield a ring around a model, or around each of a unit's; the first carries the label."""
    models = [m for unit, m in state.models() if name in {unit.id, m.id} and m.pose is not None]
    for at, model in enumerate(models):
        yield OverlayShape(
            key=f"named:{model.id}",
            layer=Layer.NAMED,
            rings_mm=(outline_mm(model.placed(), NAMED_RING_MM),),
            closed=True,
            style="named",
            label="" if at else label,
        )


def way_shapes(state: GameState, way: Finding, *, along: bool = False) -> Iterator[OverlayShape]:
    """Yield a ring around where a model stands in a state, which says how far it has come and what is left.

    A ring that goes along with the model stays the same while the model moves.
    """
    model = state.model(way.subjects[0])
    if model.pose is not None:
        placed = Placed(shape=model.base, x_mm=0, y_mm=0) if along else model.placed()
        yield OverlayShape(
            key=f"way:{model.id}",
            layer=Layer.WAY,
            rings_mm=(sketch_mm(placed, WAY_RING_MM),),
            on=model.id if along else None,
            closed=True,
            style=f"way-{way.outcome}",
            label=way_said(way, rulebook(state.rulebook).say),
        )


def way_said(way: Finding, say: Say) -> str:
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


def journey(state: GameState, model: str, track: Track) -> Iterator[OverlayShape]:
    """Yield where a model came from, and the way that it took."""
    yield OverlayShape(
        key=f"ghost:{model}",
        layer=Layer.GHOST,
        rings_mm=(outline_mm(state.model(model).placed(track.poses[0])),),
        closed=True,
        style="ghost",
    )
    stretches = [(hidden, tuple(legs)) for hidden, legs in groupby(_legs(track), key=lambda leg: leg[0])]
    for hidden, style in ((False, "path"), (True, "path-unseen")):
        lines = tuple((legs[0][1], *(end for _, _, end in legs)) for unseen, legs in stretches if unseen is hidden)
        if lines:
            yield OverlayShape(key=f"{style}:{model}", layer=Layer.PATH, rings_mm=lines, closed=False, style=style)


def _legs(track: Track) -> Iterator[tuple[bool, tuple[float, float], tuple[float, float]]]:
    """Yield of each leg of a way whether nobody saw it, where it begins, and where it ends."""
    for number, (start, end) in enumerate(pairwise(track.poses)):
        yield number in track.unseen, _place(start), _place(end)


def _stops(state: GameState, verdict: Verdict) -> Iterator[OverlayShape]:
    for finding in verdict.findings:
        if finding.stops_at is not None:
            yield OverlayShape(
                key=f"stop:{finding.subjects[0]}",
                layer=Layer.STOP,
                rings_mm=(outline_mm(state.model(finding.subjects[0]).placed(finding.stops_at)),),
                closed=True,
                style="stop",
            )


def _place(pose: Pose) -> tuple[float, float]:
    return round(pose.x_mm, 2), round(pose.y_mm, 2)


def _witnesses(verdict: Verdict) -> Iterator[OverlayShape]:
    say = rulebook(verdict.rulebook).say
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
