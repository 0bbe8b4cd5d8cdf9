"""Random situations for the benchmarks: 200 models of every kind of base among 28 outlines, half of them tall.

Whatever is drawn follows from a seed, so that the slowest situation of a run can be made again by itself.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import shapely

from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.clearance.furthest_point import list_corners_mm
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round
from assistant.geometry.shapes.convex import outer_radius_mm
from tests.benchmarks.bench_reach import make_scenery

MODELS, UNIT = 200, 10
WIDTH_MM, DEPTH_MM = 1524.0, 1118.0
LOW_MM, TALL_MM = 30.0, 120.0
"""The heights of the outlines, in turn."""

HULL = Outline(points_mm=((30, 0), (18, 14), (-18, 16), (-32, 0), (-18, -16), (18, -14)))
NOTCHED = Outline(points_mm=((-12, -12), (24, -12), (24, 4), (4, 4), (4, 30), (-12, 30)))
BASES: dict[str, tuple[Base, ...]] = {
    "round": tuple(Round(radius_mm=radius) for radius in (12.5, 16.0, 20.0)),
    "oval": tuple(Oval(length_mm=a, width_mm=b) for a, b in ((60, 35), (75, 42), (90, 52))),
    "rectangle": tuple(Rect(length_mm=a, width_mm=b) for a, b in ((25, 25), (25, 50), (60, 40))),
    "outline": (HULL, NOTCHED),
}
KINDS = (*BASES, "mixed")
_STAND: tuple[Base, ...] = (Rect(length_mm=20, width_mm=40), Rect(length_mm=40, width_mm=20))
_GAP_MM = 3.0
_CLEAR_MM = 30.0
"""How far everybody is from the unit that is asked about: near enough to be in its way, and in no engagement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An action of a rulebook, and what a unit that is asked about it is like."""

    rulebook: str
    action: str
    limit_mm: float
    profile: Mapping[str, Setting] = field(default_factory=dict)
    rolls: tuple[int, ...] = ()
    low: tuple[str, ...] = ()
    """The traits of low terrain, and of tall."""
    tall: tuple[str, ...] = ()
    stands: bool = False
    """Everything stands on the bases of a rulebook that knows no others."""


INCH_MM = 25.4
_SHORT, _LONG = 6 * INCH_MM, 12 * INCH_MM
_SIX: Mapping[str, Setting] = {"move_in": 6}
QUESTIONS: dict[str, tuple[Question, ...]] = {
    "warhammer-40k-10e": (
        Question(rulebook="warhammer-40k-10e", action="normal", limit_mm=_SHORT, profile=_SIX),
        Question(rulebook="warhammer-40k-10e", action="advance", limit_mm=_LONG, profile=_SIX, rolls=(6,)),
    ),
    "priority-skirmish": (
        *(
            Question(
                rulebook="priority-skirmish",
                action="move",
                limit_mm=inches * INCH_MM,
                profile={"move_in": inches},
                low=("difficult",),
                tall=("incline",),
            )
            for inches in (6, 12)
        ),
    ),
    "warhammer-40k-5e": (
        Question(rulebook="warhammer-40k-5e", action="move", limit_mm=_SHORT, profile=_SIX, tall=("impassable",)),
        Question(
            rulebook="warhammer-40k-5e",
            action="random",
            limit_mm=_LONG,
            profile=_SIX,
            rolls=(6,),
            low=("difficult",),
            tall=("impassable",),
        ),
    ),
    "activation-skirmish": tuple(
        Question(
            rulebook="activation-skirmish",
            action=action,
            limit_mm=limit_mm,
            profile={"move_in": 6, "initiative_in": 6},
            tall=("impassable",),
        )
        for action, limit_mm in (("normal", _SHORT), ("run", _LONG))
    ),
    "warmaster-revolution": tuple(
        Question(
            rulebook="warmaster-revolution",
            action="order",
            limit_mm=limit_mm,
            profile={"troop": troop},
            low=low,
            tall=("building",),
            stands=True,
        )
        for troop, limit_mm, low in (("infantry", 200.0, ("dense",)), ("cavalry", 300.0, ("river",)))
    ),
}
"""For each rulebook a short move and a long one, over terrain that costs, or shuts the way."""


def make_scene(question: Question, *, seed: int, kind: str = "mixed", models: int = MODELS) -> GameState:
    """Return a 60 x 44 inch table with a unit "u" of ten, at random turns, and units of ten of either side all around.

    Of more than 200 models the table has as much room for each.

    Args:
        question: What is going to be asked.
        seed: Of all that is drawn.
        kind: The bases of the unit, one of `KINDS`; the others' are of all kinds.
        models: How many there are in all.

    """
    rng = random.Random(f"{question.rulebook} {question.action} {kind} {seed}")
    scale = max(1.0, math.sqrt(models / MODELS))
    width_mm, depth_mm = WIDTH_MM * scale, DEPTH_MM * scale
    terrain = _make_terrain(question)
    sigma_mm = rng.choice((0.0, 0.2))
    own = [_pick_base(rng, question, kind) for _ in range(UNIT)]
    block = _place_block(rng, own, terrain, sigma_mm)
    taken = [(at.x_mm, at.y_mm, outer_radius_mm(base)) for at, base in zip(block, own, strict=True)]
    units = [_make_unit("u", "red", question, own, block)]
    while (rest := models - UNIT * len(units)) > 0:
        bases, poses = list[Base](), list[Pose]()
        mixed = rng.choice(KINDS)
        while len(bases) < min(UNIT, rest):
            base = _pick_base(rng, question, mixed)
            x, y, reach = rng.uniform(20, width_mm - 20), rng.uniform(20, depth_mm - 20), outer_radius_mm(base)
            apart = [math.dist((x, y), (u, v)) - reach - radius for u, v, radius in taken]
            if min(apart) > 0 and min(apart[: len(own)]) > _CLEAR_MM:
                taken.append((x, y, reach))
                bases.append(base)
                poses.append(Pose(x_mm=x, y_mm=y, facing_rad=rng.uniform(-math.pi, math.pi), sigma_mm=sigma_mm))
        player = "blue" if len(units) % 2 else "red"
        units.append(_make_unit(f"unit{len(units)}", player, question, bases, poses))
    table = Table(width_mm=width_mm, depth_mm=depth_mm)
    return GameState(rulebook=question.rulebook, table=table, units=tuple(units), terrain=terrain)


def _pick_base(rng: random.Random, question: Question, kind: str) -> Base:
    if question.stands:
        return _STAND[question.profile["troop"] == "cavalry"]
    return rng.choice(BASES[rng.choice((*BASES,)) if kind == "mixed" else kind])


def _make_terrain(question: Question) -> tuple[Terrain, ...]:
    return tuple(
        Terrain(
            id=f"t{index}",
            outline_mm=tuple((float(x), float(y)) for x, y in list_corners_mm(shape)),
            height_mm=TALL_MM if index % 2 else LOW_MM,
            traits=frozenset(question.tall if index % 2 else question.low),
        )
        for index, shape in enumerate(make_scenery(random.Random(3)))
    )


def _place_block(rng: random.Random, bases: list[Base], terrain: tuple[Terrain, ...], sigma_mm: float) -> list[Pose]:
    """Return the places of a turned grid that are nearest to its middle and on no terrain."""
    reach = max(map(outer_radius_mm, bases))
    x, y = rng.uniform(250, WIDTH_MM - 250), rng.uniform(250, DEPTH_MM - 250)
    turn, step = rng.uniform(-math.pi, math.pi), 2 * reach + _GAP_MM
    cos, sin = step * math.cos(turn), step * math.sin(turn)
    spots = [(x + cos * i - sin * j, y + sin * i + cos * j) for i in range(-9, 10) for j in range(-9, 10)]
    outlines = shapely.union_all([shapely.Polygon(each.outline_mm) for each in terrain])
    free = shapely.difference(shapely.box(0, 0, WIDTH_MM, DEPTH_MM).buffer(-reach), outlines.buffer(reach))
    spots = sorted(
        (spot for spot in spots if shapely.intersects_xy(free, *spot)), key=lambda spot: math.dist(spot, (x, y))
    )
    return [Pose(x_mm=u, y_mm=v, facing_rad=turn, sigma_mm=sigma_mm) for u, v in spots[: len(bases)]]


def _make_unit(name: str, player: str, question: Question, bases: list[Base], poses: list[Pose]) -> Unit:
    models = tuple(
        Model(id=f"{name}-{nth}", base=base, pose=pose)
        for nth, (base, pose) in enumerate(zip(bases, poses, strict=True))
    )
    return Unit(id=name, player=player, profile=question.profile, models=models)


def make_move(state: GameState, question: Question, *, seed: int, observed: bool) -> Move:
    """Return a move of the unit "u" in one direction, some of it around others, of one leg to ten.

    Half of the moves turn the models by up to a quarter.  Most models end where they stand on nobody.
    """
    rng = random.Random(f"{seed} {question.action}")
    heading, turn = rng.uniform(-math.pi, math.pi), rng.choice((0.0, rng.uniform(-math.pi / 2, math.pi / 2)))
    legs, share = rng.choice((1, 2, 5, 10)), rng.uniform(0.4, 1.0)
    taken = {
        model.id: (model.pose.x_mm, model.pose.y_mm, outer_radius_mm(model.base))
        for _, model in state.iterate_models()
        if model.pose is not None
    }
    paths = {}
    for model in state.find_unit("u").models:
        start, reach = model.pose, outer_radius_mm(model.base)
        assert start is not None
        others = [place for name, place in taken.items() if name != model.id]
        end = (start.x_mm, start.y_mm)
        for _ in range(20):
            way, mm = heading + rng.gauss(0, 0.15), question.limit_mm * min(share * rng.uniform(0.8, 1.05), 1.0)
            end = start.x_mm + mm * math.cos(way), start.y_mm + mm * math.sin(way)
            end = min(max(end[0], reach), WIDTH_MM - reach), min(max(end[1], reach), DEPTH_MM - reach)
            if all(math.dist(end, (x, y)) > reach + radius for x, y, radius in others):
                break
        taken[model.id] = (*end, reach)
        paths[model.id] = _draw_path(start, end, turn, legs if observed else 1)
    return Move(unit="u", action=question.action, rolls=question.rolls, paths=paths, observed=observed)


def _draw_path(start: Pose, end: tuple[float, float], turn: float, legs: int) -> tuple[Pose, ...]:
    """Return a path that weaves a little from side to side and turns steadily."""
    dx, dy = end[0] - start.x_mm, end[1] - start.y_mm
    poses = [start]
    for leg in range(1, legs + 1):
        share, aside = leg / legs, 0.02 * math.sin(math.pi * leg / 2) if leg < legs else 0.0
        poses.append(
            Pose(
                x_mm=start.x_mm + share * dx - aside * dy,
                y_mm=start.y_mm + share * dy + aside * dx,
                facing_rad=start.facing_rad + share * turn,
                sigma_mm=start.sigma_mm,
            )
        )
    return tuple(poses)
