"""Random positions by seed: a unit that is to move, friends, enemies and terrain, as each rulebook knows them.

What breaks geometry is drawn on purpose: one facing for all, facings parallel but for rounding, edges shared exactly,
points of an outline on one line, concave outlines, bases of one size in a crowd, models on terrain and on its very
edge.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import shapely

from assistant.game.state import GameState, Model, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import outer_radius_mm

BOOKS = (
    "warhammer-40k-10e",
    "priority-skirmish",
    "warhammer-40k-5e",
    "activation-skirmish",
    "warmaster-revolution",
)
FOOTED = frozenset({"warhammer-40k-10e", "priority-skirmish"})
"""Books in which a model stands on the ground or on top of terrain."""
TABLE = Table(width_mm=760.0, depth_mm=640.0)
_MIDDLE_MM = (TABLE.width_mm / 2, TABLE.depth_mm / 2)
_TRIES = 12
_NEAR_ENOUGH_MM = 1e-9
_NOISE_RAD = (0.0, 1e-15, -1e-15, 4e-16, -2e-16)
Facings = Callable[[], float]
"""Draws a facing, radians."""

_OUTLINES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((-30.0, -20.0), (30.0, -20.0), (30.0, 0.0), (0.0, 0.0), (0.0, 25.0), (-30.0, 25.0)),  # an L
    ((-25.0, -15.0), (0.0, -15.0), (25.0, -15.0), (25.0, 15.0), (0.0, 15.0), (-25.0, 15.0), (-25.0, 0.0)),  # on lines
    ((30.0, 0.0), (-20.0, 22.0), (-8.0, 0.0), (-20.0, -22.0)),  # an arrow, concave behind
    ((28.0, 0.0), (-14.0, 24.0), (-14.0, -24.0)),
    (
        (35.0, -6.0),
        (35.0, 6.0),
        (12.0, 18.0),
        (-12.0, 18.0),
        (-35.0, 6.0),
        (-35.0, -6.0),
        (-12.0, -18.0),
        (12.0, -18.0),
    ),
)
_RECTS = (Rect(length_mm=50, width_mm=25), Rect(length_mm=25, width_mm=50), Rect(length_mm=40, width_mm=40))
_STAND, _BROAD_STAND = Rect(length_mm=40, width_mm=20), Rect(length_mm=20, width_mm=40)
_TROOPS = ("infantry", "cavalry", "chariot", "artillery", "monster", "machine", "flyer")


@dataclass(frozen=True, slots=True)
class Draw:
    """What all that is drawn of one position has in common."""

    rng: random.Random
    book: str
    facings: Facings
    crowd: Base | None
    """The base that everybody has, in a crowd of one size."""
    sigmas_mm: tuple[float, ...]
    small: bool


def start_drawing(rng: random.Random, book: str, *, small: bool) -> Draw:
    """Return how one position is drawn; ``small``: with few models and little terrain."""
    crowd = rng.choice((*_RECTS, Oval(length_mm=60, width_mm=35), Round(radius_mm=16))) if rng.random() < 0.3 else None
    sigmas = (0.0,) if rng.random() < 0.7 else rng.choice(((0.3,), (0.0, 0.3), (0.1, 0.3)))
    return Draw(rng=rng, book=book, facings=_draw_facings(rng), crowd=crowd, sigmas_mm=sigmas, small=small)


def draw_position(draw: Draw, mover: Unit) -> GameState:
    """Return a position with a unit near the middle of the table, and others and terrain around it."""
    rng = draw.rng
    terrain = _draw_terrain(draw)
    units = [mover]
    for index in range(rng.choice((1, 1, 1, 2) if draw.small else (1, 1, 2, 2, 3, 4))):
        player = "red" if rng.random() < 0.35 else "blue"
        other = _draw_other(draw, f"u{index}", player, units)
        units += [other] if other is not None else []
    if rng.random() < 0.3:
        rng.shuffle(units)
    state = GameState(
        rulebook=draw.book,
        table=TABLE,
        units=tuple(units),
        terrain=terrain,
        parameters=_draw_parameters(draw, terrain),
        orders_begun=draw.book == "warmaster-revolution" and rng.random() < 0.2,
    )
    return _lift_models(draw, state)


def draw_mover(draw: Draw) -> Unit:
    """Return the unit that is to move."""
    rng = draw.rng
    most = rng.choice((1, 1, 2) if draw.small else (1, 1, 1, 2, 2, 3, 4))
    unit = _draw_unit(
        draw, "m", "red", most, (_MIDDLE_MM[0] + rng.uniform(-80, 80), _MIDDLE_MM[1] + rng.uniform(-60, 60))
    )
    if rng.random() < 0.08:  # beside the table's edge
        first = unit.models[0].pose
        assert first is not None
        unit = _shift_unit(unit, rng.uniform(15, 45) - min(_list_xs(unit)), 0.0)
    return unit


def touch(mover: PlacedShape, other: PlacedShape, gap_mm: float) -> PlacedShape:
    """Return a shape brought straight toward another, or away from it, until it stands a gap away."""
    away = mover.x_mm - other.x_mm, mover.y_mm - other.y_mm
    far = math.hypot(*away) or 1.0

    def place(distance_mm: float) -> PlacedShape:
        share = distance_mm / far
        return replace(mover, x_mm=other.x_mm + share * away[0], y_mm=other.y_mm + share * away[1])

    nearest, furthest = 0.0, outer_radius_mm(mover.shape) + outer_radius_mm(other.shape) + gap_mm
    low, high = clearance(place(nearest), other).mm - gap_mm, clearance(place(furthest), other).mm - gap_mm
    for step in range(
        2 * _TRIES
    ):  # halved, and by a straight line between what is too near and what is too far, in turn
        if high <= _NEAR_ENOUGH_MM or furthest - nearest <= _NEAR_ENOUGH_MM:
            break
        middle = (nearest + furthest) / 2 if step % 2 else furthest - high * (furthest - nearest) / (high - low)
        gap = clearance(place(middle), other).mm - gap_mm
        if gap < 0.0:
            nearest, low = middle, gap
        else:
            furthest, high = middle, gap
    return place(furthest)


def find_heights(state: GameState, x_mm: float, y_mm: float) -> list[float]:
    """Return the tops of terrain over which a place lies, from the lowest."""
    place = shapely.Point(x_mm, y_mm)
    return sorted(t.height_mm for t in state.terrain if t.height_mm > 0 and shapely.Polygon(t.outline_mm).covers(place))


def is_free(shape: PlacedShape, others: Sequence[PlacedShape], gap_mm: float = 0.0) -> bool:
    """Return whether a shape stays clear of all others."""
    near = outer_radius_mm(shape.shape) + gap_mm
    return all(
        math.hypot(shape.x_mm - o.x_mm, shape.y_mm - o.y_mm) > near + outer_radius_mm(o.shape)
        or clearance(shape, o).mm >= gap_mm
        for o in others
    )


def list_places(units: Sequence[Unit]) -> list[PlacedShape]:
    """Return every base that stands on the table."""
    return [model.place_base() for unit in units for model in unit.models if model.pose is not None]


# -- models and units


def _draw_facings(rng: random.Random) -> Facings:
    style, angle = rng.choice(("random", "fifteens", "one", "one", "noise", "quarters")), rng.uniform(-math.pi, math.pi)
    if rng.random() < 0.5:
        angle = math.radians(15 * rng.randrange(-11, 13))
    match style:
        case "random":
            return lambda: rng.uniform(-math.pi, math.pi)
        case "fifteens":
            return lambda: math.radians(15 * rng.randrange(-11, 13))
        case "one":
            return lambda: angle
        case "noise":
            return lambda: angle + rng.choice(_NOISE_RAD) + rng.choice((0.0, 0.0, math.pi / 2, math.pi))
        case _:
            return lambda: math.radians(90 * rng.randrange(-1, 3))


def _draw_base(draw: Draw, troop: str = "") -> Base:
    rng = draw.rng
    if troop and rng.random() < 0.93:
        stand = _BROAD_STAND if troop == "infantry" else _STAND
        return Round(radius_mm=12.5) if troop == "character" else stand
    if draw.crowd is not None:
        return draw.crowd
    kinds: tuple[Callable[[], Base], ...] = (
        lambda: Round(radius_mm=rng.choice((12.5, 16.0, 20.0))),
        lambda: Oval(length_mm=60, width_mm=35) if rng.random() < 0.5 else Oval(length_mm=35, width_mm=75),
        lambda: rng.choice((*_RECTS, _STAND)),
        lambda: Outline(points_mm=rng.choice(_OUTLINES)),
    )
    return rng.choice((kinds[0], *kinds))()


def _draw_unit(draw: Draw, name: str, player: str, most: int, at: tuple[float, float]) -> Unit:
    """Return a unit around a place; its models stand as its rulebook would have them, more or less."""
    rng = draw.rng
    troop = rng.choice((*_TROOPS, "infantry", "cavalry", "character")) if draw.book == "warmaster-revolution" else ""
    base = _draw_base(draw, troop)
    count = 1 if troop == "character" else most
    facing = draw.facings()
    arrangement = rng.choice(("line", "column", "corner", "loose")) if troop else rng.choice(("loose", "loose", "line"))
    if not isinstance(base, Rect):
        arrangement = "loose"
    places = [PlacedShape(shape=base, x_mm=round(at[0], 3), y_mm=round(at[1], 3), facing_rad=facing)]
    while len(places) < count:
        places.append(_place_next(draw, arrangement, places))
    models = tuple(
        Model(
            id=f"{name}{'abcdefgh'[index]}",
            base=base,
            pose=Pose(
                x_mm=place.x_mm, y_mm=place.y_mm, facing_rad=place.facing_rad, sigma_mm=rng.choice(draw.sigmas_mm)
            ),
        )
        for index, place in enumerate(places)
    )
    return Unit(
        id=name,
        player=player,
        keywords=_draw_keywords(draw, troop),
        profile=_draw_profile(draw, troop),
        status=_draw_status(draw),
        models=models,
    )


def _place_next(draw: Draw, arrangement: str, before: list[PlacedShape]) -> PlacedShape:
    """Return where the next model of a unit stands."""
    rng, first, index = draw.rng, before[0], len(before)
    base, cos, sin = first.shape, math.cos(first.facing_rad), math.sin(first.facing_rad)
    if isinstance(base, Rect) and arrangement != "loose":
        along, across = {
            "line": (0.0, base.width_mm * index),
            "column": (-base.length_mm * index, 0.0),
            "corner": (-base.length_mm * index, base.width_mm * index),
        }[arrangement]
        x_mm, y_mm = first.x_mm + along * cos - across * sin, first.y_mm + along * sin + across * cos
        return replace(first, x_mm=x_mm, y_mm=y_mm)
    beside = rng.choice(before)
    gap = 0.0 if draw.book == "warmaster-revolution" else rng.choice((0.0, 3.0, rng.uniform(0, 24), rng.uniform(0, 48)))
    loose = replace(first, facing_rad=draw.facings())
    for _ in range(_TRIES):
        way = rng.uniform(-math.pi, math.pi)
        far = replace(loose, x_mm=beside.x_mm + 200 * math.cos(way), y_mm=beside.y_mm + 200 * math.sin(way))
        loose = touch(far, beside, gap)
        if is_free(loose, before):
            break
    return loose


def _draw_other(draw: Draw, name: str, player: str, units: list[Unit]) -> Unit | None:
    """Return another unit around the first; None where there is no room for it."""
    rng, taken = draw.rng, list_places(units)
    for _ in range(_TRIES):
        beside = rng.choice(taken)
        way, far = rng.uniform(-math.pi, math.pi), rng.uniform(30, 260)
        at = beside.x_mm + far * math.cos(way), beside.y_mm + far * math.sin(way)
        unit = _draw_unit(draw, name, player, rng.choice((1, 1, 1, 2) if draw.small else (1, 1, 2, 3)), at)
        if rng.random() < 0.35:  # as near to it as it means something
            gap = rng.choice((0.0, 0.0, 0.5, 1.5, 25.4, 26.0, 30.0, 45.0, 55.0))
            unit = _bring_near(unit, beside, gap)
        inside = all(0 <= p.x_mm <= TABLE.width_mm and 0 <= p.y_mm <= TABLE.depth_mm for p in list_places([unit]))
        if inside and all(is_free(place, taken, -1e-9) for place in list_places([unit])):
            return unit
    return None


def _bring_near(unit: Unit, beside: PlacedShape, gap_mm: float) -> Unit:
    first = unit.models[0].place_base()
    if gap_mm == 0.0 and isinstance(first.shape, Rect) and isinstance(beside.shape, Rect):  # sharing an edge exactly
        cos, sin = math.cos(beside.facing_rad), math.sin(beside.facing_rad)
        along = (beside.shape.length_mm + first.shape.length_mm) / 2
        x_mm, y_mm = beside.x_mm + along * cos, beside.y_mm + along * sin
        turned = [
            replace(model, pose=replace(model.pose, facing_rad=beside.facing_rad))
            for model in unit.models[:1]
            if model.pose
        ]
        unit = replace(unit, models=(*turned, *unit.models[1:]))
        return _shift_unit(unit, x_mm - first.x_mm, y_mm - first.y_mm)
    near = touch(first, beside, gap_mm)
    return _shift_unit(unit, near.x_mm - first.x_mm, near.y_mm - first.y_mm)


def _shift_unit(unit: Unit, dx_mm: float, dy_mm: float) -> Unit:
    models = tuple(
        replace(model, pose=replace(model.pose, x_mm=model.pose.x_mm + dx_mm, y_mm=model.pose.y_mm + dy_mm))
        for model in unit.models
        if model.pose is not None
    )
    return replace(unit, models=models)


def _list_xs(unit: Unit) -> list[float]:
    return [model.pose.x_mm for model in unit.models if model.pose is not None]


def _draw_keywords(draw: Draw, troop: str) -> frozenset[str]:
    rng = draw.rng
    kind, likely = "", dict[str, float]()
    match draw.book:
        case "warhammer-40k-10e":
            kind = rng.choice(("infantry", "infantry", "vehicle", "monster", "mounted"))
            likely = {"fly": 0.2, "titanic": 0.04}
        case "priority-skirmish":
            kind, likely = "infantry", {"shield": 0.7, "cloak": 0.7}
        case "warhammer-40k-5e":
            kind = rng.choice(("infantry", "infantry", "vehicle", "jump"))
        case "warmaster-revolution":
            likely = {"all-round-vision": 0.15, "armour-6+": 0.2}
            likely |= {"general": 0.1, "monstrous-mount": 0.1, "fly": 0.05} if troop == "character" else {}
    return frozenset([*filter(None, [kind]), *(word for word, chance in likely.items() if rng.random() < chance)])


def _draw_profile(draw: Draw, troop: str) -> dict[str, Setting]:
    rng = draw.rng
    move = rng.choice((3, 4) if draw.small else (4, 5, 6, 6, 8))
    match draw.book:
        case "warhammer-40k-10e":
            return {"move_in": move}
        case "priority-skirmish":
            return {"move_in": move, "integrity": rng.choice((-1, 0, 1, 2))}
        case "warhammer-40k-5e":
            return {"move_in": move, "random_dice": 1 if draw.small else rng.choice((1, 1, 2))}
        case "activation-skirmish":
            return {"move_in": rng.choice((3, 4, 5)), "initiative_in": rng.choice((2, 3))}
        case _:
            own: dict[str, Setting] = {"troop": troop}
            if troop in {"machine", "flyer", "character"} or rng.random() < 0.1:  # short, for a small table
                own["move_cm"] = rng.choice((10, 15, 20))
            return own


def _draw_status(draw: Draw) -> tuple[str, ...]:
    likely = {
        "warhammer-40k-10e": {"battle-shocked": 0.15, "advanced": 0.02, "disembarked": 0.03, "stationary": 0.02},
        "warhammer-40k-5e": {"broken": 0.15, "pinned": 0.05},
        "warmaster-revolution": {"initiative-moved": 0.05, "confused": 0.05, "lost-stands:1": 0.05},
    }.get(draw.book, {})
    return tuple(word for word, chance in likely.items() if draw.rng.random() < chance)


def _draw_parameters(draw: Draw, terrain: tuple[Terrain, ...]) -> dict[str, Setting]:
    rng = draw.rng
    match draw.book:
        case "warhammer-40k-10e":
            pivot = rng.choice(("furthest-point", "furthest-point", "fixed-2in", "free"))
            return {} if rng.random() < 0.3 else {"pivot": pivot}
        case "priority-skirmish":
            said: dict[str, Setting] = {"difficult_by": "any-part"} if rng.random() < 0.4 else {}
            return {**said, "leaving": "retreat"} if rng.random() < 0.1 else said
        case "warmaster-revolution" if terrain and rng.random() < 0.15:
            return {"agreed_terrain": {rng.choice(terrain).id: (rng.choice(_TROOPS),)}}
        case _:
            return {}


# -- terrain

_WORDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "warhammer-40k-10e": (("ruin",), ()),
    "priority-skirmish": (("difficult",), ("difficult",), ("impassable",), ("incline",), ("gap",), ("woods",), ()),
    "warhammer-40k-5e": (("difficult",), ("difficult",), ("dangerous",), ("impassable",), ("wreck",)),
    "activation-skirmish": (("impassable",), ("impassable",), ()),
    "warmaster-revolution": (
        *(("hill",), ("hill", "steep"), ("bridge",), ("river",), ("river", "fordable"), ("field",), ("obstacle",)),
        *(("dense",), ("wall",), ("wall", "low"), ("building",), ("fortified",), ("impassable",), ("road",), ()),
    ),
}
_HEIGHTS_MM = (25.0, 50.8, 51.0, 60.0, 76.0, 120.0)


def _draw_terrain(draw: Draw) -> tuple[Terrain, ...]:
    rng = draw.rng
    pieces: list[Terrain] = []
    for index in range(rng.choice((0, 1, 1) if draw.small else (0, 0, 1, 1, 2, 2, 3))):
        at = _MIDDLE_MM[0] + rng.gauss(0, 130), _MIDDLE_MM[1] + rng.gauss(0, 110)
        outline = _draw_outline(rng, at, rng.uniform(25, 85))
        if pieces and rng.random() < 0.2:  # wall to wall with the piece before
            outline = _mirror_at_first_edge(pieces[-1].outline_mm)
        traits = rng.choice(_WORDS[draw.book])
        tall = draw.book == "warhammer-40k-10e" or "incline" in traits or rng.random() < 0.1
        pieces.append(
            Terrain(
                id=f"t{index}",
                outline_mm=outline,
                height_mm=rng.choice(_HEIGHTS_MM) if tall and "gap" not in traits else 0.0,
                traits=frozenset(traits),
                gap_mm=rng.choice((40.0, 76.2, 80.0, 120.0)) if "gap" in traits else None,
            )
        )
    return tuple(pieces)


def _draw_outline(rng: random.Random, at: tuple[float, float], size: float) -> tuple[tuple[float, float], ...]:
    kind = rng.choice(("box", "box", "turned", "wall", "polygon", "star", "ell"))
    wide, deep = size, rng.uniform(0.4, 1.0) * size
    turn = 0.0 if kind == "box" else rng.choice((rng.uniform(0, math.pi), math.radians(15 * rng.randrange(12))))
    if kind in {"polygon", "star"}:
        count = rng.randrange(5, 9)
        radii = [size * (rng.uniform(0.4, 1.0) if kind == "star" else 1.0) for _ in range(count)]
        points = [
            (r * math.cos(2 * math.pi * k / count), r * math.sin(2 * math.pi * k / count)) for k, r in enumerate(radii)
        ]
    elif kind == "ell":
        points = [(-wide, -deep), (wide, -deep), (wide, 0.0), (0.0, 0.0), (0.0, deep), (-wide, deep)]
    else:
        deep = 5.0 if kind == "wall" else deep
        points = [(-wide, -deep), (wide, -deep), (wide, deep), (-wide, deep)]
        if rng.random() < 0.3:  # a corner more on a straight edge
            points.insert(1, (0.0, -deep))
    cos, sin = math.cos(turn), math.sin(turn)
    turned = [(at[0] + x * cos - y * sin, at[1] + x * sin + y * cos) for x, y in points]
    return tuple((round(x, 3), round(y, 3)) for x, y in turned)


def _mirror_at_first_edge(outline: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Return an outline that has its first edge in common with another: the other seen in that edge as in a mirror."""
    (x0, y0), (x1, y1) = outline[:2]
    along = math.hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / along, (y1 - y0) / along

    def mirror(x: float, y: float) -> tuple[float, float]:
        s, t = (x - x0) * ux + (y - y0) * uy, (y - y0) * ux - (x - x0) * uy
        return x0 + s * ux + t * uy, y0 + s * uy - t * ux

    return (*outline[:2], *(mirror(x, y) for x, y in outline[2:]))


def _lift_models(draw: Draw, state: GameState) -> GameState:
    """Return a position in which models stand on what terrain is under them, mostly."""
    poses: dict[str, Pose | None] = {}
    for _, model in state.iterate_models():
        if model.pose is None:
            continue
        heights = find_heights(state, model.pose.x_mm, model.pose.y_mm) if draw.book in FOOTED else []
        if heights and draw.rng.random() < 0.9:
            poses[model.id] = replace(model.pose, z_mm=heights[-1])
        elif draw.book not in FOOTED and draw.rng.random() < 0.03:
            poses[model.id] = replace(model.pose, z_mm=draw.rng.choice((30.0, 60.0)))
    return state.place_models(poses)
