"""Random situations for every kind of action, to hold what is drawn to what is judged."""

import math
import random
from dataclasses import dataclass, field, replace

import shapely

from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes import Base, Oval, Rect, Round
from assistant.rules.judge import judge
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
class Kind:
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


def situation(rng: random.Random, kind: Kind) -> GameState:
    """Draw a situation; the mover is ``m`` of the unit ``u``."""

    def anywhere(name: str, base: Base, xs: tuple[float, float], ys: tuple[float, float]) -> Model:
        x, y, facing = rng.uniform(*xs), rng.uniform(*ys), rng.uniform(-3, 3)
        return Model(id=name, base=base, pose=Pose(x_mm=x, y_mm=y, facing_rad=facing, sigma_mm=kind.sigma_mm))

    terrain = tuple(_feature(rng, f"t{i}", under=kind.on_top and i == 0) for i in range(kind.terrain))
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
        foes = [foe for foe in foes if _apart_mm(foe, mover) > 85] + [Model(id="near", base=ROUND, pose=near)]
    else:
        foes = [foe for foe in foes if all(_apart_mm(foe, one) > 110 for one in own.models)]
    if kind.action == "set-up":
        units[0] = replace(own, status=("reserves",))
    if kind.action.endswith("disembark"):
        units[0] = replace(own, status=("embarked:T",))
        hull = anywhere("T", rng.choice(HULLS), (300, 300), (160, 160))
        status = ("destroyed",) if kind.action.startswith("emergency") else ()
        carrier = frozenset({"vehicle", "transport"})
        units.append(Unit(id="carrier", player="red", keywords=carrier, status=status, models=(hull,)))
        if status:
            foes = _ring(hull)
    if foes:
        units.append(Unit(id="foes", player="blue", models=tuple(foes)))
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=600, depth_mm=500),
        units=tuple(units),
        terrain=terrain,
        parameters=kind.parameters,
    )


def _feature(rng: random.Random, name: str, *, under: bool) -> Terrain:
    outline, height, turn = rng.choice(_OUTLINES), rng.choice(_HEIGHTS_MM), rng.uniform(-3, 3)
    x, y = rng.uniform(150, 450), rng.uniform(60, 330)
    if under:
        outline, turn, x, y = _OUTLINES[0], 0.0, MIDDLE[0] - 40, MIDDLE[1] - 30
    cos, sin = math.cos(turn), math.sin(turn)
    placed = tuple((x + cos * u - sin * v, y + sin * u + cos * v) for u, v in outline)
    return Terrain(id=name, outline_mm=placed, height_mm=height)


def _ring(hull: Model) -> list[Model]:
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


def _apart_mm(one: Model, other: Model) -> float:
    assert one.pose is not None
    assert other.pose is not None
    return math.dist((one.pose.x_mm, one.pose.y_mm), (other.pose.x_mm, other.pose.y_mm))


def rolls(kind: Kind) -> tuple[int, ...]:
    """Return the dice that an action needs."""
    return (3,) if kind.action == "advance" else ()


def may_end(state: GameState, kind: Kind, place: tuple[float, float], facings: list[float]) -> bool:
    """Return whether the unseen move to a place is legal or unobserved, on the ground or on top of terrain there."""
    start = state.model("m").pose
    assert start is not None
    spot = shapely.Point(place)
    tops = {t.height_mm for t in state.terrain if shapely.Polygon(t.outline_mm).distance(spot) < 1}
    for z in sorted({0.0, *tops}):
        for facing in facings:
            end = replace(start, x_mm=place[0], y_mm=place[1], z_mm=z, facing_rad=facing)
            move = Move(unit="u", action=kind.action, paths={"m": (start, end)}, observed=False, rolls=rolls(kind))
            counted = [
                f for f in judge(state, move).findings if not (kind.alone and _binds_the_unit(f.rule, f.subjects))
            ]
            if all(f.outcome in {Outcome.UNOBSERVED, Outcome.NOTE} for f in counted):
                return True
    return False


def _binds_the_unit(rule: str, subjects: tuple[str, ...]) -> bool:
    return rule == "10e-60" or subjects[0] != "m"
