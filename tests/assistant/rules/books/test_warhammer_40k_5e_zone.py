"""The fifth edition's zones are where its verdicts allow to end."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import shapely

from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Finding, Outcome

ROUND = Round(radius_mm=16)
OVAL = Oval(length_mm=60, width_mm=35)
RECT = Rect(length_mm=50, width_mm=30)
MIDDLE = (250.0, 200.0)
_OUTLINES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((0, 0), (60, 0), (60, 40), (0, 40)),
    ((0, 0), (70, 10), (50, 80)),
    ((0, 0), (90, 0), (90, 80), (45, 80), (45, 30), (0, 30)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SituationKind:
    """What sort of situation is drawn."""

    action: str = "move"
    rolls: tuple[int, ...] = ()
    intent: Mapping[str, Setting] = field(default_factory=dict)
    parameters: dict[str, Setting] = field(default_factory=dict)
    base: Base = ROUND
    sigma_mm: float = 0.0
    traits: tuple[str, ...] = ()
    """Of the terrain, a feature each."""
    start_in: str = ""
    """A trait of terrain that the mover starts in."""
    enemies: int = 2
    friends: int = 2
    near: tuple[float, ...] = ()
    """How far enemies are from the mover's base: they are within the inch."""
    mates: int = 0
    alone: bool = True


def make_random_situation(rng: random.Random, kind: SituationKind) -> GameState:
    """Draw a situation; the mover is ``m`` of the unit ``u``."""
    x, y = MIDDLE

    def at(name: str, base: Base, place: tuple[float, float]) -> Model:
        pose = Pose(x_mm=place[0], y_mm=place[1], facing_rad=rng.uniform(-3, 3), sigma_mm=kind.sigma_mm)
        return Model(id=name, base=base, pose=pose)

    def around(low: float, high: float) -> tuple[float, float]:
        turn, away = rng.uniform(-3.1, 3.1), rng.uniform(low, high)
        return x + away * math.cos(turn), y + away * math.sin(turn)

    mover = at("m", kind.base, MIDDLE)
    mates = [at(f"m{i}", ROUND, around(60, 100)) for i in range(kind.mates)]
    friends = [at(f"f{i}", rng.choice((ROUND, OVAL, RECT)), around(60, 150)) for i in range(kind.friends)]
    foes = [at(f"e{i}", rng.choice((ROUND, OVAL, RECT)), around(100, 220)) for i in range(kind.enemies)]
    for place, gap in enumerate(kind.near):
        foes.append(at(f"n{place}", ROUND, around(32 + gap, 32 + gap)))
    terrain = [_make_feature(rng, f"t{i}", trait) for i, trait in enumerate(kind.traits)]
    if kind.start_in:
        square = ((x - 40, y - 30), (x + 10, y - 30), (x + 10, y + 30), (x - 40, y + 30))
        terrain.append(Terrain(id="under", outline_mm=square, traits=frozenset({kind.start_in})))
    profile: dict[str, Setting] = {"move_in": 4, "random_dice": len(kind.rolls) or 1}
    return GameState(
        rulebook="warhammer-40k-5e",
        table=Table(width_mm=500, depth_mm=330),
        units=(
            Unit(id="u", player="red", profile=profile, models=(mover, *mates)),
            *([Unit(id="friends", player="red", models=tuple(friends))] if friends else []),
            *([Unit(id="foes", player="blue", models=tuple(foes))] if foes else []),
        ),
        terrain=tuple(terrain),
        parameters=kind.parameters,
    )


def _make_feature(rng: random.Random, name: str, trait: str) -> Terrain:
    outline, turn, away, about = rng.choice(_OUTLINES), rng.uniform(-3, 3), rng.uniform(40, 120), rng.uniform(-3, 3)
    x, y = MIDDLE[0] + away * math.cos(about), MIDDLE[1] + away * math.sin(about)
    cos, sin = math.cos(turn), math.sin(turn)
    placed = tuple((x + cos * u - sin * v, y + sin * u + cos * v) for u, v in outline)
    return Terrain(id=name, outline_mm=placed, traits=frozenset({trait}))


def find_kind_zone(state: GameState, kind: SituationKind, facing: Any = "keep") -> MovementZone:
    return Referee(state).find_zone(
        model="m",
        action=kind.action,
        rolls=kind.rolls,
        intent=kind.intent,
        facing=facing,
        alone=kind.alone,
    )


def may_end(
    state: GameState, kind: SituationKind, place: tuple[float, float], turns: tuple[float, ...] = (0.0,)
) -> bool:
    """Return whether the unseen move to a place is legal, at some facing."""
    start = state.find_model("m").pose
    assert start is not None
    for turn in turns:
        end = replace(start, x_mm=place[0], y_mm=place[1], facing_rad=start.facing_rad + turn)
        move = Move(
            unit="u",
            action=kind.action,
            paths={"m": (start, end)},
            rolls=kind.rolls,
            observed=False,
            intent=kind.intent,
        )
        found = [f for f in judge(state, move).findings if not (kind.alone and _is_of_unit(f))]
        if all(f.outcome in {Outcome.UNOBSERVED, Outcome.NOTE} for f in found):
            return True
    return False


def _is_of_unit(found: Finding) -> bool:
    return found.rule in {"5e-08", "5e-09"} or found.subjects[0] != "m"


def pick_places(rng: random.Random, region: shapely.MultiPolygon, count: int) -> list[tuple[float, float]]:
    """Return places near a zone's edge, inside of it, and anywhere."""
    found = [(rng.uniform(60, 440), rng.uniform(5, 325)) for _ in range(count)]
    if not region.is_empty:
        ends = [region.boundary.interpolate(rng.uniform(0, region.boundary.length)) for _ in range(2 * count)]
        found += [(end.x + rng.gauss(0, 0.3), end.y + rng.gauss(0, 0.3)) for end in ends]
        inside = region.representative_point()
        found.append((inside.x, inside.y))
    return found


TOWARD = {"toward_closest": True}
KINDS = {
    "move": SituationKind(traits=("impassable", "difficult")),
    "move within error": SituationKind(traits=("impassable", "dangerous"), sigma_mm=0.3),
    "from within the inch": SituationKind(near=(3.0, 15.0), traits=("impassable",)),
    "from contact within error": SituationKind(near=(0.1, 20.0), sigma_mm=0.2),
    "from an overlap": SituationKind(near=(-5.0,), friends=0),
    "out of a wall": SituationKind(start_in="impassable"),
    "oval": SituationKind(base=OVAL, traits=("impassable",), near=(25.0,)),
    "with mates": SituationKind(mates=3, alone=False, friends=1, sigma_mm=0.1),
    "random": SituationKind(action="random", rolls=(2,), traits=("difficult", "difficult", "impassable")),
    "random within error": SituationKind(
        action="random", rolls=(1, 2), traits=("difficult", "difficult"), sigma_mm=0.3
    ),
    "random out of a bog": SituationKind(action="random", rolls=(3,), start_in="difficult", traits=("difficult",)),
    "the roll instead": SituationKind(
        action="random", rolls=(3,), intent={"instead": True}, traits=("difficult", "difficult")
    ),
    "random oval": SituationKind(action="random", rolls=(3,), base=OVAL, traits=("difficult", "impassable")),
    "compulsory": SituationKind(intent=TOWARD, parameters={"short_by_mm": 8}, friends=4),
    "compulsory among walls": SituationKind(
        intent=TOWARD, parameters={"short_by_mm": 5}, traits=("impassable",) * 4, friends=1
    ),
    "compulsory within error": SituationKind(
        intent=TOWARD, sigma_mm=0.1, friends=4, parameters={"direction_tolerance_deg": 20}
    ),
    "compulsory through bogs": SituationKind(
        action="random",
        rolls=(4,),
        intent={**TOWARD, "instead": True},
        traits=("difficult",) * 4,
        parameters={"short_by_mm": 6, "direction_tolerance_deg": 10},
    ),
    "compulsory rect": SituationKind(intent=TOWARD, base=RECT, friends=4, parameters={"short_by_mm": 6}),
}
SEEDS = (0, 1, 2)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_zone_is_where_judge_agrees(kind: SituationKind) -> None:
    seen = set[bool]()
    for seed in SEEDS:
        rng = random.Random(seed)
        state = make_random_situation(rng, kind)
        answer = find_kind_zone(state, kind)
        for place in pick_places(rng, answer.region, 8):
            point = shapely.Point(place)
            if answer.region.is_empty or answer.region.boundary.distance(point) > answer.error_mm:
                inside = answer.region.contains(point)
                assert may_end(state, kind, place) == inside, (seed, place)
                seen.add(inside)
    assert seen == {True, False}


def test_an_any_facing_zone_is_where_judge_agrees_at_some_facing() -> None:
    for name, seed in (("oval", 1), ("compulsory rect", 0)):
        kind, rng = KINDS[name], random.Random(seed)
        state = make_random_situation(rng, kind)
        kept, answer = find_kind_zone(state, kind), find_kind_zone(state, kind, "any")
        assert shapely.difference(kept.region, answer.region).area < 1e-6
        within, many = shapely.buffer(answer.region, -0.5), tuple(math.pi * k / 16 for k in range(17))
        for place in pick_places(rng, answer.region, 1):
            if within.contains(shapely.Point(place)):
                assert may_end(state, kind, place, many), (name, place)
            elif answer.region.distance(shapely.Point(place)) > answer.error_mm:
                assert not may_end(state, kind, place, many[::8]), (name, place)
