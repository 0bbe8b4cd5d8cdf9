"""Zones against verdicts, and against each other: where a model may end is what `judge` says of the move there."""

import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import shapely

from assistant.errors import BadInput
from assistant.game.state import GameState, Move, Pose
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.engine.end_region import Facing
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import Referee
from assistant.rules.verdict import DECIDED_SIGMAS, Outcome, Verdict
from tests.trials.comparison import Difference, describe_verdict
from tests.trials.positions import FOOTED
from tests.trials.relations import Said, lengthen, may_lengthen, relate, replace_unit
from tests.trials.situations import make_document, read, write
from tests.trials.transformations import Motion, apply_motion, build_mirror, build_turn, widen
from tests.trials.trial import Contradiction, Document, register

_BEYOND_MM = (0.004, 0.02, 0.06, 0.3, 1.0, 4.0)
"""So far beyond a zone's error places are tried."""
_AROUND = 6
_MOST_FACINGS = 60
_CLEAR_MM = 2e-3
_HAIR_MM = 1e-3
"""Half of how thin something may be to be no part of a zone: between bases in line one may pass along a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneQuestion:
    """What a zone is asked with, but for the situation."""

    model: str
    move: Move
    """Whose action, dice and intent count."""
    facing: Facing
    alone: bool = False

    def ask(self, state: GameState) -> MovementZone:
        """Return the zone in a situation."""
        return Referee(state).find_zone(
            model=self.model,
            action=self.move.action,
            rolls=self.move.rolls,
            facing=self.facing,
            alone=self.alone,
            intent=self.move.intent,
        )

    def __str__(self) -> str:
        """Return it as a command line has it."""
        alone = " --alone" if self.alone else ""
        return f"zone --model {self.model} --action {self.move.action} --facing {self.facing}{alone}"


def _draw_question(state: GameState, move: Move, rng: random.Random, facing: Facing) -> ZoneQuestion | None:
    """Return a question of one model of the unit that moves; None where no zone is asked for by a single move."""
    unit = state.find_unit(move.unit)
    sets_up = move.action in {"set-up", "disembark", "emergency-disembark"}
    if move.action in {"hold", "remain-stationary", "embark"} or (sets_up and len(unit.models) > 1):
        return None
    if sets_up and any(mate.pose is not None for mate in unit.models):
        return None
    return ZoneQuestion(model=rng.choice(unit.models).id, move=move, facing=facing)


# -- a place, as `judge` sees it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """What `judge` says of the unseen move to some place."""

    state: GameState
    question: ZoneQuestion

    @property
    def start(self) -> Pose | None:
        return self.state.find_model(self.question.model).pose

    @property
    def base(self) -> Base:
        return self.state.find_model(self.question.model).base

    def build_moves(self, x_mm: float, y_mm: float, facing_rad: float) -> Iterator[Move]:
        """Yield the moves to a place, one for each height at which a model may stand there."""
        start, move = self.start, self.question.move
        at = start or Pose(x_mm=0.0, y_mm=0.0)
        heights = {0.0} if self.state.rulebook in FOOTED else {at.z_mm}
        if self.state.rulebook in FOOTED:
            place = shapely.Point(x_mm, y_mm)
            near = (t for t in self.state.terrain if shapely.Polygon(t.outline_mm).distance(place) <= 1.0)
            heights |= {terrain.height_mm for terrain in near}
        for z_mm in sorted(heights):
            end = replace(at, x_mm=x_mm, y_mm=y_mm, facing_rad=facing_rad, z_mm=z_mm)
            path = (end,) if start is None else (start, end)
            yield Move(
                unit=move.unit,
                action=move.action,
                paths={self.question.model: path},
                rolls=move.rolls,
                observed=False,
                intent=move.intent,
            )

    def judge(self, x_mm: float, y_mm: float, facing_rad: float) -> tuple[Verdict, Move]:
        """Return the best verdict of those at each height, and its move."""
        referee = Referee(self.state)
        said = [(referee.judge(move), move) for move in self.build_moves(x_mm, y_mm, facing_rad)]
        return max(said, key=lambda each: _rate(each[0]))

    def is_kept(self, x_mm: float, y_mm: float, facing_rad: float) -> bool:
        """Return whether the move to a place is legal or unobserved."""
        return _is_kept(self.judge(x_mm, y_mm, facing_rad)[0])


def _is_kept(verdict: Verdict) -> bool:
    return verdict.outcome in {Outcome.LEGAL, Outcome.UNOBSERVED}


def _rate(verdict: Verdict) -> tuple[bool, float]:
    return _is_kept(verdict), measure_worst_mm(verdict)


def measure_worst_mm(verdict: Verdict) -> float:
    """Return by how much the worst finding misses what is legal beyond doubt; infinity if none or nobody knows."""
    found = [f for f in verdict.findings if f.outcome in {Outcome.ILLEGAL, Outcome.TOO_CLOSE}]
    if any(finding.margin_mm is None for finding in found):
        return math.inf
    return min(((f.margin_mm or 0.0) - DECIDED_SIGMAS * (f.sigma_mm or 0.0) for f in found), default=math.inf)


def find_legal_facing(places: _Places, x_mm: float, y_mm: float) -> float | Verdict | None:
    """Return a facing at which a move to a place is kept; if there is none the nearest verdict; None if that is open.

    No part of a base comes further by a turn than the turn times the base's radius, so no margin of what it keeps clear
    of, nor of how far it goes, changes by more: what misses by more than that is missed at all facings between.  Not so
    where an enemy is to be engaged: who is not in contact may be nearer to being well clear of it.
    """
    engages = "engages" in places.question.move.intent
    first = places.start.facing_rad if places.start else 0.0
    symmetric = isinstance(places.base, Oval | Rect)
    steps, reach = 8, 1.2 * outer_radius_mm(places.base)
    half = math.pi / steps  # all the way round, for how far it has turned may count
    nearest: tuple[float, Verdict] | None = None
    queue = [(0.0, first + 2 * half * step, half) for step in range(steps)]
    heapq.heapify(queue)
    for _ in range(_MOST_FACINGS if symmetric else 2 * _MOST_FACINGS):
        if not queue:
            assert nearest is not None
            return nearest[1]
        _, facing, wide = heapq.heappop(queue)
        verdict, _ = places.judge(x_mm, y_mm, facing)
        if _is_kept(verdict):
            return facing
        worst = measure_worst_mm(verdict)
        if worst == math.inf:
            return None
        if nearest is None or worst > nearest[0]:
            nearest = worst, verdict
        if engages or worst + reach * wide >= 0:
            for side in (-1, 0, 1):
                heapq.heappush(queue, (-worst, facing + side * wide * 2 / 3, wide / 3))
    return None


# -- zone against verdict

_Probed = tuple[str, Difference | None, Move | None]


def _list_tried_places(
    zone: MovementZone, near: shapely.Point, rng: random.Random, count: int
) -> Iterator[shapely.Point]:
    """Yield places further from a zone's edge than its error, most of them only just."""
    edge = zone.region.boundary
    for _ in range(6 * count):
        if zone.region.is_empty:
            yield shapely.Point(near.x + rng.gauss(0, 60), near.y + rng.gauss(0, 60))
            continue
        at = edge.interpolate(rng.random(), normalized=True)
        if rng.random() < 0.2:
            at = shapely.Point(rng.choice(shapely.get_coordinates(edge)))
        away, way = zone.error_mm + rng.choice(_BEYOND_MM), rng.uniform(-math.pi, math.pi)
        place = shapely.Point(at.x + away * math.cos(way), at.y + away * math.sin(way))
        if shapely.distance(place, edge) > zone.error_mm + _CLEAR_MM:
            yield place


def _probe(
    places: _Places, zone: MovementZone, place: shapely.Point
) -> Iterator[tuple[str, Difference | None, Move | None]]:
    """Yield a word for what a place comes to; with a difference, and the move there, if zone and verdict disagree."""
    inside = bool(shapely.covers(zone.region, place))
    depth = float(shapely.distance(place, zone.region.boundary)) if not zone.region.is_empty else math.inf
    if depth <= zone.error_mm:
        return
    start = places.start
    facing = start.facing_rad if start else 0.0
    word = "inside" if inside else "outside"
    kept = False
    said, move = places.judge(place.x, place.y, facing)
    if inside and places.question.facing == "any" and not _is_kept(said):
        found = find_legal_facing(places, place.x, place.y)
        if not isinstance(found, Verdict):
            yield (f"{word}, open" if found is None else word), None, None
            return
        said = found
    else:
        turns = (0.0,) if places.question.facing == "keep" else (0.0, *(math.pi * k / 6 for k in range(1, 12)))
        for turn in turns:
            said, move = places.judge(place.x, place.y, facing + turn)
            kept = _is_kept(said)
            if kept:
                facing += turn
                break
    if kept == inside:
        yield word, None, None
        return
    if not _is_so_around(places, zone, place, facing, kept=kept):
        yield f"{word}, narrow", None, None
        return
    rules = ", ".join(sorted({f.rule for f in said.findings if f.outcome in {Outcome.ILLEGAL, Outcome.TOO_CLOSE}}))
    verb = f"holds what breaks {rules}" if inside else "leaves out"
    kind = f"{places.state.rulebook}: {places.question.move.action} {places.question.facing} {verb}"
    where = f"({place.x:.4f}, {place.y:.4f}), {depth:.3f} mm {word} its edge, error {zone.error_mm:g}"
    what = f"{places.question}: {verb} {where}; the move there: {describe_verdict(said)}"
    yield word, Difference(kind=kind, what=what), move


def _is_so_around(places: _Places, zone: MovementZone, place: shapely.Point, facing: float, *, kept: bool) -> bool:
    """Return whether the same holds all around a place, as far as a zone's error: else the true edge is that near."""
    if not kept and places.question.facing == "any":
        return True
    away = zone.error_mm + _CLEAR_MM
    ways = (2 * math.pi * k / _AROUND for k in range(_AROUND))
    return all(places.is_kept(place.x + away * math.cos(w), place.y + away * math.sin(w), facing) == kept for w in ways)


def check_zone(seed: int, facing: Facing, count: int) -> Iterator[str | Contradiction]:
    """Hold a zone to the verdicts on places just inside and just outside of its edge.

    A position is in the zone exactly when `judge` calls the unseen move to it legal or unobserved, up to the zone's
    error: at the present facing, or at some facing.  So a place inside, further from the edge than the error, is kept;
    one outside is not, at no facing of those that are tried.  Where that is not so for a place but for some other that
    is no further from it than the error, the true edge may be between the two, and nothing is said.  Inside, that no
    facing does is said only where all facings are covered by margins that miss by more than a turn can change them.
    """
    document = make_document(seed)
    situation = read(document)
    state, move, rng = situation.state, situation.move, random.Random(f"zone {facing} {seed}")
    assert move is not None
    question = _draw_question(state, move, rng, facing)
    if question is None or (facing == "any" and isinstance(state.find_model(question.model).base, Round)):
        yield "not asked"
        return
    try:
        zone = question.ask(state)
    except BadInput:
        yield "refused"
        return
    except Exception as error:
        kind = f"{state.rulebook}: {type(error).__name__}"
        look = partial(_look_for_crash, question=question, kind=kind)
        yield Contradiction(kind=kind, what=f"{question}: {error}", document=document, look=look)
        return
    yield "empty" if zone.region.is_empty else "zones"
    places = _Places(state=state, question=question)
    start = places.start
    near = shapely.Point(start.x_mm, start.y_mm) if start else shapely.Point(380, 320)
    for place in list(_list_tried_places(zone, near, rng, count))[:count]:
        for word, difference, found in _probe(places, zone, place):
            yield word
            if difference is not None and found is not None:
                look = partial(_look_at_place, question=question, kind=difference.kind)
                there = write(state, found)
                yield Contradiction(kind=difference.kind, what=difference.what, document=there, look=look)


def _look_at_place(document: Document, *, question: ZoneQuestion, kind: str) -> Contradiction | None:
    """Return the contradiction between the zone and the verdict at the place that a situation's move goes to."""
    situation = read(document)
    assert situation.move is not None
    question = replace(question, move=situation.move)
    end = situation.move.paths[question.model][-1]
    zone = question.ask(situation.state)
    for _, difference, move in _probe(
        _Places(state=situation.state, question=question), zone, shapely.Point(end.x_mm, end.y_mm)
    ):
        if difference is not None and move is not None and difference.kind == kind:
            look = partial(_look_at_place, question=question, kind=kind)
            return Contradiction(kind=kind, what=difference.what, document=write(situation.state, move), look=look)
    return None


def _look_for_crash(document: Document, *, question: ZoneQuestion, kind: str) -> Contradiction | None:
    situation = read(document)
    try:
        question.ask(situation.state)
    except BadInput:
        return None
    except Exception as error:
        if kind.endswith(type(error).__name__):
            look = partial(_look_for_crash, question=question, kind=kind)
            return Contradiction(kind=kind, what=f"{question}: {error}", document=document, look=look)
    return None


register("zone-keep")(lambda seed: check_zone(seed, "keep", 5))
register("zone-any")(lambda seed: check_zone(seed, "any", 3))


# -- zone against zone


def _compare_regions(what: str, small: MovementZone, large: MovementZone) -> Iterator[Difference]:
    """Yield that the first zone is not within the second, up to the errors of both; hairs are nobody's places."""
    slack = 1.02 * (small.error_mm + large.error_mm) + 1e-6
    beyond = shapely.difference(small.region, large.region.buffer(slack, quad_segs=16))
    beyond = beyond.buffer(-_HAIR_MM).buffer(_HAIR_MM)
    if not beyond.is_empty:
        far = shapely.hausdorff_distance(beyond, shapely.intersection(beyond, large.region.buffer(slack)))
        place = beyond.representative_point()
        told = f"at ({place.x:.3f}, {place.y:.3f}) and on {beyond.area:.3f} mm2"
        yield Difference(
            kind=what, what=f"{what} {told}, beyond {slack:.3f} mm{'' if math.isnan(far) else f' by {far:.3f} mm'}"
        )


def _ask(state: GameState, move: Move, rng: random.Random) -> ZoneQuestion | None:
    facing: Facing = "any" if rng.random() < 0.15 else "keep"
    return _draw_question(state, move, rng, facing)


@relate("zone-longer")
def check_zone_of_longer_allowance(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a zone to it that it holds the zone of a shorter allowance, up to the errors of both.

    Where more is allowed, no place is lost; left out is what the verdicts leave out (`check_longer_allowance`).
    """
    del said
    question = _ask(state, move, rng)
    if question is None or not may_lengthen(state, move):
        yield "not asked"
        return
    unit = state.find_unit(move.unit)
    longer = replace_unit(state, replace(unit, profile=lengthen(state, unit, 1.0 + rng.choice((0.001, 0.05, 0.5)))))
    before, after = question.ask(state), question.ask(longer)
    yield "empty" if before.region.is_empty else "zones"
    yield from _compare_regions(f"{question.facing} zone loses places when it may go further", before, after)


@relate("zone-alone")
def check_zone_alone(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold the zone of a model alone to it that it holds the zone with what binds the unit as a whole.

    Alone, fewer rules are asked.
    """
    del said
    question = _ask(state, move, rng)
    if question is None or len(state.find_unit(move.unit).models) < 2:
        yield "not asked"
        return
    bound, alone = question.ask(state), replace(question, alone=True).ask(state)
    yield "empty" if bound.region.is_empty else "zones"
    yield from _compare_regions(f"{question.facing} zone alone lacks places of the bound one", bound, alone)


@relate("zone-unit")
def check_unit_zone(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold the zone of a unit to it that it is the zones of its models, each alone, taken together."""
    del said
    question = _ask(state, move, rng)
    unit = state.find_unit(move.unit)
    if question is None or any(model.pose is None for model in unit.models):
        yield "not asked"
        return
    whole = Referee(state).find_unit_zone(
        unit=unit.id, action=move.action, rolls=move.rolls, facing=question.facing, intent=move.intent
    )
    each = [replace(question, model=model.id, alone=True).ask(state) for model in unit.models]
    yield "empty" if whole.region.is_empty else "zones"
    together = shapely.union_all([zone.region for zone in each])
    apart = shapely.area(shapely.symmetric_difference(whole.region, together))
    if apart > 1e-3 or whole.error_mm != max(zone.error_mm for zone in each):
        yield Difference(kind="unit zone", what=f"{apart:.3f} mm2 are in only one of the two")
    limits = [zone.limit_mm for zone in each if zone.limit_mm is not None]
    if whole.limit_mm != max(limits, default=None):
        yield Difference(kind="unit limit", what=f"the unit's limit is {whole.limit_mm}, its models' {limits}")


@relate("zone-turn")
def check_turned_zone(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a zone to it that it turns with the table, or is mirrored with it, up to the errors of both.

    As for verdicts (`check_turn`); a facing that is kept is turned, too, so a model that has none is not asked about.
    """
    del said
    question = _ask(state, move, rng)
    if question is None or state.find_model(question.model).pose is None:
        yield "not asked"
        return
    motion = build_mirror(state.table)
    if rng.random() < 0.7:
        state, _ = widen(state, move)
        angle = rng.choice((rng.uniform(-math.pi, math.pi), math.radians(15 * rng.randrange(1, 24)), math.pi / 2))
        motion = build_turn(angle, state.table.width_mm / 2, state.table.depth_mm / 2)
    before, after = question.ask(state), question.ask(apply_motion(motion, state, state.table))
    yield "empty" if before.region.is_empty else "zones"
    turned = replace(before, region=_move_region(motion, before.region))
    yield from _compare_regions(f"{question.facing} zone loses places when all is turned", turned, after)
    yield from _compare_regions(f"{question.facing} zone gains places when all is turned", after, turned)


def _move_region(motion: Motion, region: shapely.MultiPolygon) -> shapely.MultiPolygon:
    found = shapely.transform(region, lambda points: np.array([motion.point(x, y) for x, y in points.tolist()]))
    assert isinstance(found, shapely.MultiPolygon)
    return found


@relate("options")
def check_options(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold the list of actions to it that it says the same of each as zone and verdict do.

    Of an action that the unit may not choose the zone is empty, and `judge` refuses it by the rules that are listed as
    reasons, of a move in which every model of the unit takes part.  Of one that it may choose, the zone's limit is the
    one that is listed, if any is.  Actions that take an intent are asked without one; where they cannot be, nothing is
    said.
    """
    del said, rng
    referee, unit = Referee(state), state.find_unit(move.unit)
    poses = {model.id: model.pose for model in unit.models if model.pose is not None}
    steps = {model: (pose, replace(pose, x_mm=pose.x_mm + 1.0)) for model, pose in poses.items()}
    for option in referee.list_options(unit.id):
        rolls = (3,) * option.dice
        paths = steps if referee.book.find_action(option.action).moves else {}
        try:
            told = referee.judge(Move(unit=unit.id, action=option.action, rolls=rolls, paths=paths))
            zone = referee.find_zone(
                model=unit.models[0].id, action=option.action, rolls=rolls, facing="keep", alone=True
            )
        except BadInput:
            yield "takes an intent"
            continue
        yield "allowed" if option.allowed else "refused action"
        broken = {f.rule for f in told.findings if f.outcome is Outcome.ILLEGAL}
        listed = {rule for rule, _ in option.because}
        if not option.allowed and not zone.region.is_empty:
            yield Difference(kind=f"{option.action} refused, zone", what=f"refused by {sorted(listed)}, with a zone")
        if not listed <= broken:
            what = f"{sorted(listed)} refuse it, of which judge says {describe_verdict(told)}"
            yield Difference(kind=f"{option.action} refused, verdict", what=what)
        if option.limit_mm is not None and zone.limit_mm is not None and abs(option.limit_mm - zone.limit_mm) > 1e-9:
            what = f"the list says {option.limit_mm} mm, the zone {zone.limit_mm} mm"
            yield Difference(kind=f"{option.action} limit", what=what)
