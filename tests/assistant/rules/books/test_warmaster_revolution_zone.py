"""The zone of warmaster-revolution is where its verdict lets one stand end, the others standing where they do."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
import shapely

from assistant.game.state import GameState, Move, Setting, Table, Unit
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Outcome
from tests.assistant.rules.books.warmaster_revolution.table_builders import Place, build_box, build_unit

MIDDLE = (300.0, 250.0)
TRAITS: tuple[tuple[str, ...], ...] = (
    ("dense",),
    ("field",),
    ("river",),
    ("river", "fordable"),
    ("wall",),
    ("building",),
    ("hill", "steep"),
    ("impassable",),
    ("fortified",),
)
OF_THE_UNIT = {"wm-03", "wm-10"}
OF_THE_FIRST = {"wm-48", "wm-49", "wm-50"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnMove:
    """What sort of move is drawn."""

    action: str
    troop: str = "infantry"
    keywords: tuple[str, ...] = ()
    stands: int = 1
    column: bool = False
    """The stands are one behind another, else side by side."""
    near: int = 1
    """Enemies within reach of initiative, straight ahead."""
    ordered: bool = False
    alone: bool = True
    """What binds the unit as a whole is left aside."""
    follows: bool = False
    """The stand that moves is not the closest to the enemy."""


KINDS = {
    "hold": DrawnMove(action="hold", stands=2),
    "order of one": DrawnMove(action="order"),
    "order of a line": DrawnMove(action="order", stands=3),
    "order of a column": DrawnMove(action="order", stands=3, column=True),
    "order of riders": DrawnMove(action="order", troop="cavalry", stands=2),
    "order of guns": DrawnMove(action="order", troop="artillery"),
    "order of monsters": DrawnMove(action="order", troop="monster", stands=2, column=True),
    "order of flyers": DrawnMove(action="order", troop="flyer", stands=2),
    "order that stays joined": DrawnMove(action="order", stands=3, alone=False),
    "order of engaged": DrawnMove(action="order", stands=2, near=2),
    "charge": DrawnMove(action="charge", stands=2),
    "charge of riders": DrawnMove(action="charge", troop="cavalry", near=2),
    "charge that stays joined": DrawnMove(action="charge", stands=2, alone=False),
    "ordered charge": DrawnMove(action="charge", stands=2, ordered=True),
    "evade": DrawnMove(action="evade"),
    "evade of a line": DrawnMove(action="evade", stands=3),
    "evade of light cavalry": DrawnMove(action="evade", troop="cavalry", keywords=("armour-6+",)),
    "evade of riders": DrawnMove(action="evade", troop="cavalry", stands=2, column=True),
    "evade behind the first": DrawnMove(action="evade", stands=2, column=True, follows=True),
    "character": DrawnMove(action="character", troop="character"),
    "flying character": DrawnMove(action="character", troop="character", keywords=("fly",)),
    "mounted character": DrawnMove(action="character", troop="character", keywords=("monstrous-mount",)),
}
SIGMAS_MM = (0.0, 0.3)
SEEDS = (0, 1)


def draw_state(rng: random.Random, kind: DrawnMove, sigma_mm: float) -> GameState:
    """Draw a small table: the unit `m` in its middle faces enemies `e`, others and terrain are anywhere around."""
    x, y = MIDDLE
    deep, wide = (20.0, 40.0) if kind.troop == "infantry" else (40.0, 20.0)
    step = (-deep, 0.0) if kind.column else (0.0, wide)
    own = [(x + step[0] * n, y + step[1] * n, 0.0) for n in range(kind.stands)]
    gap = rng.choice((0.5, 40.0, 60.0, 110.0)) if kind.action in {"order", "hold"} else rng.uniform(40, 110)
    turned = rng.uniform(-20, 20) + 180
    ahead = [(x + deep / 2 + gap + 25, y + rng.uniform(-10, 10) + 75 * n, turned) for n in range(kind.near)]

    def anywhere(spread_mm: float = 150.0) -> Place:
        return x + rng.uniform(-spread_mm, spread_mm), y + rng.uniform(-spread_mm, spread_mm), rng.uniform(-180, 180)

    mine = build_unit("m", "red", *own, troop=kind.troop, keywords=kind.keywords, sigma_mm=sigma_mm)
    units = [
        build_unit("e", "blue", *ahead, sigma_mm=sigma_mm),
        build_unit("f", "blue", *(anywhere() for _ in range(2)), troop="cavalry", sigma_mm=sigma_mm),
        build_unit("b", "red", *(anywhere() for _ in range(2)), sigma_mm=sigma_mm),
        build_unit("c", "red", anywhere(), troop="character", sigma_mm=sigma_mm),
    ]
    clear = [mine, units[0], *(other for other in units[1:] if measure_distance_mm(other, mine) > 30)]
    terrain = []
    for name in ("s", "t", "u"):
        left, low, _ = anywhere(130)
        terrain.append(
            build_box(name, left, low, left + rng.uniform(15, 70), low + rng.uniform(15, 90), *rng.choice(TRAITS))
        )
    ground = shapely.box(x - 70, y - 30, x + 30, y + 130)
    kept = [each for each in terrain if rng.random() < 0.2 or not shapely.Polygon(each.outline_mm).intersects(ground)]
    return GameState(
        rulebook="warmaster-revolution",
        table=Table(width_mm=rng.choice((560, 900)), depth_mm=500),
        units=tuple(clear),
        terrain=tuple(kept),
    )


def measure_distance_mm(one: Unit, two: Unit) -> float:
    return min(clearance(a.place_base(), b.place_base()).mm for a in one.models for b in two.models)


def build_intent(kind: DrawnMove, state: GameState) -> Mapping[str, Setting]:
    """Return the move's fields; whom it charges or evades is the closest enemy."""
    if kind.action not in {"charge", "evade"}:
        return {}
    foes = [each for each in state.units if each.player == "blue"]
    near = min(foes, key=lambda foe: measure_distance_mm(foe, state.find_unit("m")))
    return {"toward": near.id, **({"ordered": True} if kind.ordered else {})}


def choose_mover(kind: DrawnMove, state: GameState, foe: str) -> str:
    """Return the stand that moves: of those that evade the first, or else another."""
    if kind.action != "evade":
        return "m1"
    own = sorted(
        state.find_unit("m").models,
        key=lambda model: min(
            clearance(model.place_base(), other.place_base()).mm for other in state.find_unit(foe).models
        ),
    )
    return own[-1 if kind.follows else 0].id


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnSituation:
    """A situation, the stand that moves in it and its zone."""

    kind: DrawnMove
    state: GameState
    intent: Mapping[str, Setting]
    stand: str

    def find_zone(self, facing: str = "keep") -> MovementZone:
        return Referee(self.state).find_zone(
            model=self.stand,
            action=self.kind.action,
            facing="keep" if facing == "keep" else "any",
            alone=self.kind.alone,
            intent=self.intent,
        )

    def list_offences(self, place: tuple[float, float], turn_deg: float = 0.0) -> list[str]:
        """Return what forbids the unseen move to a place, or leaves it in doubt."""
        start = self.state.find_model(self.stand).pose
        assert start is not None
        end = replace(start, x_mm=place[0], y_mm=place[1], facing_rad=start.facing_rad + math.radians(turn_deg))
        move = Move(
            unit="m", action=self.kind.action, paths={self.stand: (start, end)}, observed=False, intent=self.intent
        )
        aside = (OF_THE_UNIT if self.kind.alone else set()) | (OF_THE_FIRST if self.kind.follows else set())
        return [
            f"{found.rule} {found.outcome}: {found.text}"
            for found in judge(self.state, move).findings
            if found.rule not in aside and found.outcome in {Outcome.ILLEGAL, Outcome.TOO_CLOSE}
        ]


def draw_situation(rng: random.Random, kind: DrawnMove, sigma_mm: float) -> DrawnSituation:
    state = draw_state(rng, kind, sigma_mm)
    intent = build_intent(kind, state)
    return DrawnSituation(
        kind=kind, state=state, intent=intent, stand=choose_mover(kind, state, str(intent.get("toward")))
    )


def draw_places(
    rng: random.Random, drawn: DrawnSituation, region: shapely.MultiPolygon, count: int
) -> list[tuple[float, float]]:
    """Return places near a zone's edge, and anywhere around the stand."""
    start = drawn.state.find_model(drawn.stand).pose
    assert start is not None
    found = [(start.x_mm + rng.uniform(-180, 180), start.y_mm + rng.uniform(-180, 180)) for _ in range(count)]
    if not region.is_empty:
        ends = [region.boundary.interpolate(rng.uniform(0, region.boundary.length)) for _ in range(count)]
        found += [(end.x + rng.gauss(0, 0.4), end.y + rng.gauss(0, 0.4)) for end in ends]
        found.append((region.representative_point().x, region.representative_point().y))
    return found


@pytest.mark.parametrize("sigma_mm", SIGMAS_MM)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_zone_is_where_judge_agrees(kind: DrawnMove, sigma_mm: float) -> None:
    said = set[bool]()
    for seed in SEEDS:
        rng = random.Random(seed)
        drawn = draw_situation(rng, kind, sigma_mm)
        answer = drawn.find_zone()
        for place in draw_places(rng, drawn, answer.region, 4):
            point = shapely.Point(place)
            if answer.region.is_empty or answer.region.boundary.distance(point) > answer.error_mm:
                inside = answer.region.contains(point)
                said.add(inside)
                offences = drawn.list_offences(place)
                assert inside == (not offences), (seed, place, inside, offences)
    assert False in said


@pytest.mark.parametrize(("name", "seed"), [("order of riders", 0), ("evade", 1)])
def test_the_zone_is_where_judge_agrees_at_some_facing(name: str, seed: int) -> None:
    rng = random.Random(seed)
    drawn = draw_situation(rng, KINDS[name], 0.0)
    region = drawn.find_zone("any").region
    within = shapely.buffer(region, -0.5)
    for place in draw_places(rng, drawn, region, 2):
        point = shapely.Point(place)
        if within.contains(point):
            assert any(not drawn.list_offences(place, turn) for turn in sorted(range(-180, 180, 15), key=abs)), place
        elif region.distance(point) > 0.5:
            assert all(drawn.list_offences(place, turn) for turn in range(-180, 180, 45)), place
