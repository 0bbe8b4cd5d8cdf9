"""The zone of every action, over and on terrain, in the air and among others, is where the verdict allows to end.

Random situations for every kind of action hold what is drawn to what is judged.
"""

import math
import random
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import shapely

from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.rules.engine.end_region import Facing
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Outcome

MIDDLE = (320.0, 120.0)
ROUND = Round(radius_mm=16)
BASES: tuple[Base, ...] = (
    ROUND,
    Round(radius_mm=25),
    Oval(length_mm=75, width_mm=42),
    Rect(length_mm=60, width_mm=40),
)
HULLS: tuple[Base, ...] = (
    Rect(length_mm=100, width_mm=60),
    Oval(length_mm=120, width_mm=92),
    Round(radius_mm=40),
)
_OUTLINES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((0, 0), (90, 0), (90, 60), (0, 60)),
    ((0, 0), (70, 10), (50, 80)),
    ((0, 0), (120, 0), (120, 100), (60, 100), (60, 40), (0, 40)),
    ((0, 0), (14, 0), (14, 130), (0, 130)),
)
_HEIGHTS_MM = (20.0, 40.0, 60.0, 76.2, 100.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SituationKind:
    """What sort of situation is drawn."""

    action: str
    base: Base = ROUND
    keywords: tuple[str, ...] = ()
    sigma_mm: float = 0.0
    terrain: int = 0
    on_top: bool = False
    """The mover starts on top of terrain."""
    enemies: int = 0
    mates: int = 0
    hulls: int = 0
    alone: bool = False
    parameters: dict[str, Setting] = field(default_factory=dict)


def make_random_situation(rng: random.Random, kind: SituationKind) -> GameState:
    """Draw a situation; the mover is ``m`` of the unit ``u``."""

    def anywhere(name: str, base: Base, xs: tuple[float, float], ys: tuple[float, float]) -> Model:
        x, y, facing = rng.uniform(*xs), rng.uniform(*ys), rng.uniform(-3, 3)
        return Model(id=name, base=base, pose=Pose(x_mm=x, y_mm=y, facing_rad=facing, sigma_mm=kind.sigma_mm))

    terrain = tuple(_make_feature(rng, f"t{i}", under=kind.on_top and i == 0) for i in range(kind.terrain))
    x, y = MIDDLE
    inside = [feature for feature in terrain if shapely.Polygon(feature.outline_mm).contains(shapely.Point(x, y))]
    # Nobody starts inside terrain.
    terrain = tuple(each for at, each in enumerate(terrain) if each not in inside or (kind.on_top and at == 0))
    start = Pose(x_mm=x, y_mm=y, facing_rad=rng.uniform(-3, 3), sigma_mm=kind.sigma_mm)
    if kind.on_top:
        start = replace(start, z_mm=terrain[0].height_mm)
    mover = Model(id="m", base=kind.base, pose=start)
    mates = tuple(anywhere(f"a{i}", ROUND, (250, 390), (60, 240)) for i in range(kind.mates))
    foes = [anywhere(f"e{i}", rng.choice(BASES), (0, 600), (0, 500)) for i in range(kind.enemies)]
    own = Unit(id="u", player="red", keywords=frozenset(kind.keywords), profile={"move_in": 6}, models=(mover, *mates))
    friends = Unit(id="friends", player="red", models=(anywhere("f", Round(radius_mm=20), (200, 440), (60, 300)),))
    hulls = tuple(anywhere(f"h{i}", rng.choice(BASES[2:]), (180, 460), (40, 320)) for i in range(kind.hulls))
    units = [own, friends]
    if hulls:
        units.append(Unit(id="hulls", player="red", keywords=frozenset({"vehicle"}), models=hulls))
    if kind.action == "fall-back":
        turn = rng.uniform(-3, 3)
        near = replace(start, x_mm=x + 50 * math.cos(turn), y_mm=y + 50 * math.sin(turn))
        foes = [foe for foe in foes if _measure_apart_mm(foe, mover) > 85] + [Model(id="near", base=ROUND, pose=near)]
    else:
        foes = [foe for foe in foes if all(_measure_apart_mm(foe, one) > 110 for one in own.models)]
    if kind.action == "set-up":
        units[0] = replace(own, status=("reserves",))
    if kind.action.endswith("disembark"):
        units[0] = replace(own, status=("embarked:T",))
        hull = anywhere("T", rng.choice(HULLS), (300, 300), (160, 160))
        status = ("destroyed",) if kind.action.startswith("emergency") else ()
        carrier = frozenset({"vehicle", "transport"})
        units.append(Unit(id="carrier", player="red", keywords=carrier, status=status, models=(hull,)))
        if status:
            foes = _make_ring(hull)
    if foes:
        units.append(Unit(id="foes", player="blue", models=tuple(foes)))
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=600, depth_mm=500),
        units=tuple(units),
        terrain=terrain,
        parameters=kind.parameters,
    )


def _make_feature(rng: random.Random, name: str, *, under: bool) -> Terrain:
    outline, height, turn = rng.choice(_OUTLINES), rng.choice(_HEIGHTS_MM), rng.uniform(-3, 3)
    x, y = rng.uniform(150, 450), rng.uniform(60, 330)
    if under:
        outline, turn, x, y = _OUTLINES[0], 0.0, MIDDLE[0] - 40, MIDDLE[1] - 30
    cos, sin = math.cos(turn), math.sin(turn)
    placed = tuple((x + cos * u - sin * v, y + sin * u + cos * v) for u, v in outline)
    return Terrain(id=name, outline_mm=placed, height_mm=height)


def _make_ring(hull: Model) -> list[Model]:
    """Return enemies all around a transport, so near that nobody has room within 3 inches of it."""
    assert hull.pose is not None
    return [
        Model(
            id=f"ring{i}",
            base=Round(radius_mm=12),
            pose=replace(
                hull.pose,
                x_mm=hull.pose.x_mm + 104 * math.cos(i * math.pi / 7),
                y_mm=hull.pose.y_mm + 104 * math.sin(i * math.pi / 7),
            ),
        )
        for i in range(14)
    ]


def _measure_apart_mm(one: Model, other: Model) -> float:
    assert one.pose is not None
    assert other.pose is not None
    return math.dist((one.pose.x_mm, one.pose.y_mm), (other.pose.x_mm, other.pose.y_mm))


def list_rolls(kind: SituationKind) -> tuple[int, ...]:
    """Return the dice that an action needs."""
    return (3,) if kind.action == "advance" else ()


def may_end(state: GameState, kind: SituationKind, place: tuple[float, float], facings: list[float]) -> bool:
    """Return whether the unseen move to a place is legal or unobserved, on the ground or on top of terrain there."""
    start = state.find_model("m").pose
    assert start is not None
    spot = shapely.Point(place)
    tops = {t.height_mm for t in state.terrain if shapely.Polygon(t.outline_mm).distance(spot) < 1}
    for z in sorted({0.0, *tops}):
        for facing in facings:
            end = replace(start, x_mm=place[0], y_mm=place[1], z_mm=z, facing_rad=facing)
            move = Move(unit="u", action=kind.action, paths={"m": (start, end)}, observed=False, rolls=list_rolls(kind))
            counted = [
                f for f in judge(state, move).findings if not (kind.alone and _binds_the_unit(f.rule, f.subjects))
            ]
            if all(f.outcome in {Outcome.UNOBSERVED, Outcome.NOTE} for f in counted):
                return True
    return False


def _binds_the_unit(rule: str, subjects: tuple[str, ...]) -> bool:
    return rule == "10e-60" or subjects[0] != "m"


OVAL = Oval(length_mm=75, width_mm=42)
RECT = Rect(length_mm=60, width_mm=40)
KINDS = {
    "over terrain": SituationKind(action="normal", terrain=3, enemies=3),
    "within error": SituationKind(action="normal", terrain=3, enemies=3, sigma_mm=0.3),
    "from a roof": SituationKind(action="normal", terrain=3, enemies=3, on_top=True),
    "with mates": SituationKind(action="normal", terrain=2, enemies=3, mates=3),
    "advance": SituationKind(action="advance", terrain=3, enemies=3),
    "oval over terrain": SituationKind(action="normal", base=OVAL, terrain=3, enemies=3),
    "oval within error": SituationKind(action="normal", base=OVAL, terrain=3, enemies=3, sigma_mm=0.3),
    "hull from a roof": SituationKind(action="normal", base=RECT, terrain=2, enemies=3, on_top=True),
    "fly": SituationKind(action="normal", keywords=("fly",), terrain=3, enemies=5),
    "fly from a roof": SituationKind(action="normal", keywords=("fly",), terrain=3, enemies=5, on_top=True),
    "oval flies within error": SituationKind(
        action="normal", base=OVAL, keywords=("fly",), terrain=3, enemies=5, sigma_mm=0.3
    ),
    "around friendly hulls": SituationKind(
        action="normal", base=RECT, keywords=("vehicle",), terrain=1, enemies=2, hulls=4
    ),
    "over friendly hulls": SituationKind(action="normal", keywords=("vehicle", "fly"), terrain=1, enemies=2, hulls=4),
    "fall back": SituationKind(action="fall-back", terrain=1, enemies=8),
    "fall back within error": SituationKind(action="fall-back", base=OVAL, terrain=1, enemies=8, sigma_mm=0.3),
    "fall back with mates": SituationKind(action="fall-back", enemies=4, mates=2),
    "fall back alone": SituationKind(action="fall-back", enemies=4, mates=2, alone=True),
    "fall back in the air": SituationKind(action="fall-back", keywords=("fly",), terrain=2, enemies=8),
    "set up": SituationKind(action="set-up", terrain=3, enemies=1),
    "set up within error": SituationKind(action="set-up", base=RECT, terrain=3, enemies=1, sigma_mm=0.3),
    "disembark": SituationKind(action="disembark", terrain=2, enemies=2),
    "disembark within error": SituationKind(action="disembark", base=OVAL, terrain=2, enemies=2, sigma_mm=0.3),
    "disembark alone": SituationKind(action="disembark", terrain=2, enemies=2, mates=2, alone=True),
    "disembark in an emergency": SituationKind(action="emergency-disembark", terrain=1),
}
SEEDS = (0, 1, 2, 100)
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def find_kind_zone(state: GameState, kind: SituationKind, *, keep: bool) -> MovementZone:
    facing: Facing = "keep" if keep else "any"
    return Referee(state).find_zone(
        model="m", action=kind.action, rolls=list_rolls(kind), facing=facing, alone=kind.alone
    )


def pick_places(rng: random.Random, region: shapely.MultiPolygon, count: int) -> list[tuple[float, float]]:
    """Return places near a zone's edge, and anywhere."""
    found = [(rng.uniform(130, 510), rng.uniform(0, 310)) for _ in range(count)]
    if not region.is_empty:
        ends = [region.boundary.interpolate(rng.uniform(0, region.boundary.length)) for _ in range(count)]
        found += [(end.x + rng.gauss(0, 0.4), end.y + rng.gauss(0, 0.4)) for end in ends]
    return found


@kinds
def test_a_kept_facing_zone_is_where_judge_agrees(kind: SituationKind) -> None:
    seen = set[bool]()
    for seed in SEEDS:
        rng = random.Random(seed)
        state = make_random_situation(rng, kind)
        answer, start = find_kind_zone(state, kind, keep=True), state.find_model("m").pose
        assert start is not None
        for place in pick_places(rng, answer.region, 6):
            point = shapely.Point(place)
            if answer.region.is_empty or answer.region.boundary.distance(point) > answer.error_mm:
                inside = answer.region.contains(point)
                assert may_end(state, kind, place, [start.facing_rad]) == inside, (seed, place)
                seen.add(inside)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("name", "seed"),
    [("hull from a roof", 1), ("oval flies within error", 0), ("disembark within error", 1)],
)
@pytest.mark.parametrize("pivot", ["furthest-point", "fixed-2in"])
def test_an_any_facing_zone_is_where_judge_agrees_at_some_facing(name: str, seed: int, pivot: str) -> None:
    kind, rng = replace(KINDS[name], parameters={"pivot": pivot}), random.Random(seed)
    state = make_random_situation(rng, kind)
    answer, kept = find_kind_zone(state, kind, keep=False), find_kind_zone(state, kind, keep=True)
    assert shapely.difference(kept.region, answer.region).area < 1e-6
    start = state.find_model("m").pose
    assert start is not None
    few, many = (sorted(np.linspace(-math.pi, math.pi, count), key=abs) for count in (9, 65))
    within = shapely.buffer(answer.region, -0.5)
    for place in pick_places(rng, answer.region, 3):
        point = shapely.Point(place)
        if within.contains(point):
            assert may_end(state, kind, place, [start.facing_rad + turn for turn in many]), place
        elif answer.region.distance(point) > answer.error_mm:
            assert not may_end(state, kind, place, [start.facing_rad + turn for turn in few]), place
