"""The zone of priority-skirmish is where its verdict allows to end: over ground, engaging, from inside ranges."""

import math
import random
from dataclasses import dataclass, replace

import numpy as np
import pytest
import shapely

from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Outcome

MIDDLE = (300.0, 200.0)
ROUND = Round(radius_mm=16)
OVAL = Oval(length_mm=60, width_mm=35)
BASES: tuple[Base, ...] = (
    ROUND,
    Round(radius_mm=20),
    OVAL,
    Rect(length_mm=50, width_mm=30),
    Outline(points_mm=((-30, -20), (30, -20), (40, 0), (30, 20), (-30, 20))),
)
OUTLINES = (
    ((0, 0), (90, 0), (90, 60), (0, 60)),
    ((0, 0), (70, 10), (50, 80)),
    ((0, 0), (14, 0), (14, 130), (0, 130)),
)
TERRAIN = {
    "brush": {"traits": frozenset({"difficult"})},
    "wall": {"traits": frozenset({"incline"}), "height_mm": 50.8},
    "kerb": {"traits": frozenset({"incline"}), "height_mm": 30.0},
    "tower": {"traits": frozenset({"incline"}), "height_mm": 80.0},
    "ditch": {"traits": frozenset({"gap"}), "gap_mm": 76.2},
    "chasm": {"traits": frozenset({"gap"}), "gap_mm": 101.6},
    "rock": {"traits": frozenset({"impassable"}), "height_mm": 100.0},
    "slope": {"height_mm": 60.0},
    "ruin": {"traits": frozenset({"incline"}), "height_mm": 50.8},
    "stairs": {"traits": frozenset({"incline"}), "height_mm": 50.8},
}
ANNEXES = {"ruin": 50.8, "stairs": 76.2}
"""How high a second piece is that touches the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SituationKind:
    """What sort of situation is drawn."""

    base: Base = ROUND
    action: str = "move"
    terrain: tuple[str, ...] = ()
    on_top: bool = False
    """The mover starts on top of the first of the terrain."""
    in_brush: bool = False
    """The mover starts inside the first of the terrain."""
    enemies: int = 0
    close: int = 0
    """Enemies that stand near to the mover, so that it starts within their range or beside it."""
    named: int = 0
    mates: int = 0
    sigma_mm: float = 0.0
    parameters: tuple[tuple[str, Setting], ...] = ()


KINDS = {
    "hold": SituationKind(action="hold", enemies=2),
    "past enemies": SituationKind(enemies=8, mates=2),
    "past enemies within error": SituationKind(enemies=8, sigma_mm=0.3),
    "from within a range": SituationKind(enemies=4, close=2),
    "from within a range within error": SituationKind(enemies=3, close=2, sigma_mm=0.3),
    "engages one": SituationKind(enemies=6, named=1),
    "engages some": SituationKind(enemies=9, named=4),
    "engages some within error": SituationKind(enemies=9, named=4, sigma_mm=0.2),
    "engages who is close": SituationKind(enemies=3, close=2, named=5),
    "engages over a wall": SituationKind(enemies=5, named=3, terrain=("wall",)),
    "oval engages": SituationKind(base=OVAL, enemies=6, named=3),
    "oval engages within error": SituationKind(base=OVAL, enemies=6, named=3, sigma_mm=0.2),
    "through brush": SituationKind(terrain=("brush",), enemies=2),
    "through brush by any part": SituationKind(terrain=("brush",), parameters=(("difficult_by", "any-part"),)),
    "through brush within error": SituationKind(terrain=("brush", "brush"), sigma_mm=0.4),
    "from brush within error": SituationKind(terrain=("brush",), in_brush=True, sigma_mm=0.4),
    "oval through brush by any part within error": SituationKind(
        base=OVAL, terrain=("brush",), sigma_mm=0.4, parameters=(("difficult_by", "any-part"),)
    ),
    "over walls": SituationKind(terrain=("wall", "kerb", "wall", "slope"), enemies=3),
    "over walls within error": SituationKind(terrain=("wall", "kerb", "slope"), enemies=2, sigma_mm=0.3),
    "from a roof": SituationKind(terrain=("wall", "wall"), on_top=True, enemies=2),
    "from a tower that is too high": SituationKind(terrain=("tower", "wall"), on_top=True, enemies=2),
    "past towers and rocks": SituationKind(terrain=("tower", "rock", "rock"), enemies=3),
    "past rocks within error": SituationKind(terrain=("rock", "chasm", "rock"), enemies=3, sigma_mm=0.3),
    "past a chasm": SituationKind(terrain=("chasm", "chasm"), enemies=3),
    "over a ditch": SituationKind(terrain=("ditch",)),
    "defensive": SituationKind(action="defensive", terrain=("wall",), enemies=4, named=2),
    "stealth": SituationKind(action="stealth", terrain=("kerb", "rock"), enemies=4),
    "oval over walls": SituationKind(base=OVAL, terrain=("wall", "rock"), enemies=3, sigma_mm=0.2),
    "over a ruin of two pieces": SituationKind(terrain=("ruin", "kerb"), enemies=2),
    "from a ruin of two pieces": SituationKind(terrain=("ruin", "rock"), on_top=True, enemies=1),
    "from stairs": SituationKind(terrain=("stairs", "rock"), on_top=True),
    "oval over stairs": SituationKind(base=OVAL, terrain=("stairs",)),
    "off the table": SituationKind(parameters=(("leaving", "a retreat"),), enemies=2),
    "own contact": SituationKind(enemies=6, named=3, parameters=(("contact_mm", 5.0), ("keep_out_in", 2.0))),
}
SEEDS = (0, 1)


def make_random_situation(rng: random.Random, kind: SituationKind) -> GameState:
    """Draw a situation; the mover is ``m`` of the unit ``u``."""
    x, y = MIDDLE
    start = Pose(x_mm=x, y_mm=y, facing_rad=rng.uniform(-3, 3), sigma_mm=kind.sigma_mm)
    terrain = [
        make_feature(rng, f"t{i}", name, under=(kind.on_top or kind.in_brush) and i == 0)
        for i, name in enumerate(kind.terrain)
    ]
    if kind.on_top:
        start = replace(start, z_mm=terrain[0].height_mm)
    terrain += [make_annex(t, ANNEXES[name]) for t, name in zip(terrain, kind.terrain, strict=True) if name in ANNEXES]
    here = shapely.Point(MIDDLE).buffer(20)
    terrain = [
        t
        for i, t in enumerate(terrain)
        if ((kind.on_top or kind.in_brush) and i == 0) or shapely.Polygon(t.outline_mm).disjoint(here)
    ]

    def anywhere(name: str, base: Base, spread: float) -> Model:
        at = (x + rng.uniform(-spread, spread), max(0.0, y + rng.uniform(-spread, spread)))
        return Model(
            id=name, base=base, pose=replace(start, x_mm=at[0], y_mm=at[1], z_mm=0.0, facing_rad=rng.uniform(-3, 3))
        )

    mover = Model(id="m", base=kind.base, pose=start)
    mates = tuple(anywhere(f"a{i}", ROUND, 120) for i in range(kind.mates))
    foes = [anywhere(f"e{i}", rng.choice(BASES), 220) for i in range(kind.enemies)]
    foes = [foe for foe in foes if measure_apart_mm(foe, start) > 95]
    for index in range(kind.close):
        turn, away = rng.uniform(-3, 3), rng.uniform(44, 62)
        near = replace(start, x_mm=x + away * math.cos(turn), y_mm=y + away * math.sin(turn), z_mm=0.0)
        foes.append(Model(id=f"n{index}", base=ROUND, pose=near))
    own = Unit(
        id="u", player="red", keywords=frozenset({"shield", "cloak"}), profile={"move_in": 6}, models=(mover, *mates)
    )
    units = [own, Unit(id="f", player="red", models=(anywhere("f1", Round(radius_mm=20), 150),))]
    units += [Unit(id="foes", player="blue", models=tuple(foes))] if foes else []
    return GameState(
        rulebook="priority-skirmish",
        table=Table(width_mm=600, depth_mm=500),
        units=tuple(units),
        terrain=tuple(terrain),
        parameters=dict(kind.parameters),
    )


def make_feature(rng: random.Random, name: str, sort: str, *, under: bool) -> Terrain:
    outline, turn = rng.choice(OUTLINES), rng.uniform(-3, 3)
    x, y = MIDDLE[0] + rng.uniform(-140, 140), MIDDLE[1] + rng.uniform(-140, 140)
    if under:
        outline, turn, x, y = OUTLINES[0], 0.0, MIDDLE[0] - 40, MIDDLE[1] - 30
    cos, sin = math.cos(turn), math.sin(turn)
    placed = tuple((x + cos * u - sin * v, y + sin * u + cos * v) for u, v in outline)
    return Terrain(id=name, outline_mm=placed, **TERRAIN[sort])  # type: ignore[arg-type]


def make_annex(terrain: Terrain, height_mm: float) -> Terrain:
    """Return a piece of terrain that has a side in common with another."""
    (x, y), (u, v), *_ = terrain.outline_mm
    beside = tuple((a + 0.7 * (v - y), b - 0.7 * (u - x)) for a, b in ((x, y), (u, v)))
    outline = ((u, v), (x, y), *beside)
    return replace(terrain, id=f"{terrain.id}-annex", outline_mm=outline, height_mm=height_mm)


def measure_apart_mm(one: Model, at: Pose) -> float:
    assert one.pose is not None
    return math.dist((one.pose.x_mm, one.pose.y_mm), (at.x_mm, at.y_mm))


def choose_intent(state: GameState, kind: SituationKind) -> dict[str, Setting]:
    """Name the nearest enemies."""
    start = state.find_model("m").pose
    assert start is not None
    foes = [model for unit, model in state.iterate_models() if unit.player == "blue"]
    names = sorted(foes, key=lambda foe: measure_apart_mm(foe, start))[: kind.named]
    return {"engages": tuple(foe.id for foe in names)} if names else {}


def may_end(state: GameState, kind: SituationKind, place: tuple[float, float], facing_rad: float) -> bool:
    """Return whether the unseen move to a place is allowed, on the ground or on top of terrain there."""
    start, spot = state.find_model("m").pose, shapely.Point(place)
    assert start is not None
    tops = {t.height_mm for t in state.terrain if shapely.Polygon(t.outline_mm).distance(spot) < 1}
    for z in sorted({0.0, *tops}):
        end = replace(start, x_mm=place[0], y_mm=place[1], z_mm=z, facing_rad=facing_rad)
        move = Move(
            unit="u", action=kind.action, paths={"m": (start, end)}, observed=False, intent=choose_intent(state, kind)
        )
        if judge(state, move).outcome in {Outcome.LEGAL, Outcome.UNOBSERVED}:
            return True
    return False


def pick_places(rng: random.Random, region: shapely.MultiPolygon, count: int) -> list[tuple[float, float]]:
    """Return places near a zone's edge, and anywhere."""
    found = [(MIDDLE[0] + rng.uniform(-170, 170), MIDDLE[1] + rng.uniform(-170, 170)) for _ in range(count)]
    if not region.is_empty:
        ends = [region.boundary.interpolate(rng.uniform(0, region.boundary.length)) for _ in range(count)]
        found += [(end.x + rng.gauss(0, 0.4), end.y + rng.gauss(0, 0.4)) for end in ends]
    return found


def find_disagreements(
    kind: SituationKind, seed: int, count: int
) -> tuple[list[tuple[int, tuple[float, float], bool]], set[bool]]:
    """Return the places, with what the zone says, at which the verdict says otherwise; and all that the zone said."""
    rng, wrong, said = random.Random(seed), [], set[bool]()
    state = make_random_situation(rng, kind)
    start = state.find_model("m").pose
    assert start is not None
    answer = Referee(state).find_zone(model="m", action=kind.action, facing="keep", intent=choose_intent(state, kind))
    for place in pick_places(rng, answer.region, count):
        point = shapely.Point(place)
        if answer.region.is_empty or answer.region.boundary.distance(point) > answer.error_mm:
            inside = answer.region.contains(point)
            said.add(inside)
            if may_end(state, kind, place, start.facing_rad) != inside:
                wrong.append((seed, place, inside))
    return wrong, said


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_zone_is_where_judge_agrees(kind: SituationKind) -> None:
    found = [find_disagreements(kind, seed, 5) for seed in SEEDS]
    assert not [each for wrong, _ in found for each in wrong]
    assert False in set[bool]().union(*(said for _, said in found))


@pytest.mark.parametrize(("name", "seed"), [("oval engages", 0), ("oval over walls", 1)])
def test_an_oval_s_zone_is_where_judge_agrees_at_some_facing(name: str, seed: int) -> None:
    kind, rng = KINDS[name], random.Random(seed)
    state = make_random_situation(rng, kind)
    start = state.find_model("m").pose
    assert start is not None
    region = Referee(state).find_zone(model="m", action=kind.action, intent=choose_intent(state, kind)).region
    few, many = (sorted(np.linspace(-math.pi, math.pi, count), key=abs) for count in (9, 65))
    within = shapely.buffer(region, -0.5)
    for place in pick_places(rng, region, 4):
        point = shapely.Point(place)
        if within.contains(point):
            assert any(may_end(state, kind, place, start.facing_rad + turn) for turn in many), place
        elif region.distance(point) > 0.5:
            assert not any(may_end(state, kind, place, start.facing_rad + turn) for turn in few), place
