"""The zone of warmaster-revolution is where its verdict lets one stand end, the others standing where they do."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
import shapely

from assistant.game.state import GameState, Move, Setting, Table, Unit
from assistant.geometry.clearance import clearance
from assistant.rules.judge import judge, zone
from assistant.rules.verdict import Outcome
from assistant.rules.zone import Zone
from tests.assistant.rules.warmaster.tables import Place, box, unit

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
class Kind:
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
    "hold": Kind(action="hold", stands=2),
    "order of one": Kind(action="order"),
    "order of a line": Kind(action="order", stands=3),
    "order of a column": Kind(action="order", stands=3, column=True),
    "order of riders": Kind(action="order", troop="cavalry", stands=2),
    "order of guns": Kind(action="order", troop="artillery"),
    "order of monsters": Kind(action="order", troop="monster", stands=2, column=True),
    "order of flyers": Kind(action="order", troop="flyer", stands=2),
    "order that stays joined": Kind(action="order", stands=3, alone=False),
    "order of engaged": Kind(action="order", stands=2, near=2),
    "charge": Kind(action="charge", stands=2),
    "charge of riders": Kind(action="charge", troop="cavalry", near=2),
    "charge that stays joined": Kind(action="charge", stands=2, alone=False),
    "ordered charge": Kind(action="charge", stands=2, ordered=True),
    "evade": Kind(action="evade"),
    "evade of a line": Kind(action="evade", stands=3),
    "evade of light cavalry": Kind(action="evade", troop="cavalry", keywords=("armour-6+",)),
    "evade of riders": Kind(action="evade", troop="cavalry", stands=2, column=True),
    "evade behind the first": Kind(action="evade", stands=2, column=True, follows=True),
    "character": Kind(action="character", troop="character"),
    "flying character": Kind(action="character", troop="character", keywords=("fly",)),
    "mounted character": Kind(action="character", troop="character", keywords=("monstrous-mount",)),
}
SIGMAS_MM = (0.0, 0.3)
SEEDS = (0, 1)


def situation(rng: random.Random, kind: Kind, sigma_mm: float) -> GameState:
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

    mine = unit("m", "red", *own, troop=kind.troop, keywords=kind.keywords, sigma_mm=sigma_mm)
    units = [
        unit("e", "blue", *ahead, sigma_mm=sigma_mm),
        unit("f", "blue", *(anywhere() for _ in range(2)), troop="cavalry", sigma_mm=sigma_mm),
        unit("b", "red", *(anywhere() for _ in range(2)), sigma_mm=sigma_mm),
        unit("c", "red", anywhere(), troop="character", sigma_mm=sigma_mm),
    ]
    clear = [mine, units[0], *(other for other in units[1:] if apart_mm(other, mine) > 30)]
    terrain = []
    for name in ("s", "t", "u"):
        left, low, _ = anywhere(130)
        terrain.append(box(name, left, low, left + rng.uniform(15, 70), low + rng.uniform(15, 90), *rng.choice(TRAITS)))
    ground = shapely.box(x - 70, y - 30, x + 30, y + 130)
    kept = [each for each in terrain if rng.random() < 0.2 or not shapely.Polygon(each.outline_mm).intersects(ground)]
    return GameState(
        rulebook="warmaster-revolution",
        table=Table(width_mm=rng.choice((560, 900)), depth_mm=500),
        units=tuple(clear),
        terrain=tuple(kept),
    )


def apart_mm(one: Unit, two: Unit) -> float:
    return min(clearance(a.placed(), b.placed()).mm for a in one.models for b in two.models)


def intent_of(kind: Kind, state: GameState) -> Mapping[str, Setting]:
    """Return the move's fields; whom it charges or evades is the closest enemy."""
    if kind.action not in {"charge", "evade"}:
        return {}
    foes = [each for each in state.units if each.player == "blue"]
    near = min(foes, key=lambda foe: apart_mm(foe, state.unit("m")))
    return {"toward": near.id, **({"ordered": True} if kind.ordered else {})}


def mover_of(kind: Kind, state: GameState, foe: str) -> str:
    """Return the stand that moves: of those that evade the first, or else another."""
    if kind.action != "evade":
        return "m1"
    own = sorted(
        state.unit("m").models,
        key=lambda model: min(clearance(model.placed(), other.placed()).mm for other in state.unit(foe).models),
    )
    return own[-1 if kind.follows else 0].id


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A situation, the stand that moves in it and its zone."""

    kind: Kind
    state: GameState
    intent: Mapping[str, Setting]
    stand: str

    def zone(self, facing: str = "keep") -> Zone:
        return zone(
            self.state,
            model=self.stand,
            action=self.kind.action,
            facing="keep" if facing == "keep" else "any",
            alone=self.kind.alone,
            intent=self.intent,
        )

    def offences(self, place: tuple[float, float], turn_deg: float = 0.0) -> list[str]:
        """Return what forbids the unseen move to a place, or leaves it in doubt."""
        start = self.state.model(self.stand).pose
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


def draw(rng: random.Random, kind: Kind, sigma_mm: float) -> Drawn:
    state = situation(rng, kind, sigma_mm)
    intent = intent_of(kind, state)
    return Drawn(kind=kind, state=state, intent=intent, stand=mover_of(kind, state, str(intent.get("toward"))))


def places(rng: random.Random, drawn: Drawn, region: shapely.MultiPolygon, count: int) -> list[tuple[float, float]]:
    """Return places near a zone's edge, and anywhere around the stand."""
    start = drawn.state.model(drawn.stand).pose
    assert start is not None
    found = [(start.x_mm + rng.uniform(-180, 180), start.y_mm + rng.uniform(-180, 180)) for _ in range(count)]
    if not region.is_empty:
        ends = [region.boundary.interpolate(rng.uniform(0, region.boundary.length)) for _ in range(count)]
        found += [(end.x + rng.gauss(0, 0.4), end.y + rng.gauss(0, 0.4)) for end in ends]
        found.append((region.representative_point().x, region.representative_point().y))
    return found


@pytest.mark.parametrize("sigma_mm", SIGMAS_MM)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_zone_is_where_judge_agrees(kind: Kind, sigma_mm: float) -> None:
    said = set[bool]()
    for seed in SEEDS:
        rng = random.Random(seed)
        drawn = draw(rng, kind, sigma_mm)
        answer = drawn.zone()
        for place in places(rng, drawn, answer.region, 4):
            point = shapely.Point(place)
            if answer.region.is_empty or answer.region.boundary.distance(point) > answer.error_mm:
                inside = answer.region.contains(point)
                said.add(inside)
                offences = drawn.offences(place)
                assert inside == (not offences), (seed, place, inside, offences)
    assert False in said


@pytest.mark.parametrize(("name", "seed"), [("order of riders", 0), ("evade", 1)])
def test_the_zone_is_where_judge_agrees_at_some_facing(name: str, seed: int) -> None:
    rng = random.Random(seed)
    drawn = draw(rng, KINDS[name], 0.0)
    region = drawn.zone("any").region
    within = shapely.buffer(region, -0.5)
    for place in places(rng, drawn, region, 2):
        point = shapely.Point(place)
        if within.contains(point):
            assert any(not drawn.offences(place, turn) for turn in sorted(range(-180, 180, 15), key=abs)), place
        elif region.distance(point) > 0.5:
            assert all(drawn.offences(place, turn) for turn in range(-180, 180, 45)), place
