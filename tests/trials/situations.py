"""Random situations by seed: a random position, and a move that is plausible in its rulebook, legal or not quite."""

import math
import random
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.errors import BadInput
from assistant.game.situation_file import Situation, encode_situation, parse_situation
from assistant.game.state import GameState, Model, Move, Pose, Setting, Unit
from assistant.geometry.shapes.base_shapes import PlacedShape, Rect, Round
from assistant.rules.referee import Referee
from assistant.rules.verdict import Outcome
from tests.trials.positions import (
    BOOKS,
    FOOTED,
    TABLE,
    Draw,
    draw_mover,
    draw_position,
    find_heights,
    is_free,
    list_places,
    start_drawing,
    touch,
)
from tests.trials.trial import Document

_MM = 25.4
_PACES_MM = {"infantry": 200.0, "cavalry": 300.0, "chariot": 300.0, "artillery": 100.0, "monster": 200.0}
_TRIES = 10
SMALL = 100
_MOST_TURN_RAD = math.radians(175)
"""Half a turn is one either way: what a path turns is less."""


@dataclass(frozen=True, slots=True)
class _Errand:
    """What a move is to be."""

    action: str
    limit_mm: float
    rolls: tuple[int, ...] = ()
    intent: tuple[tuple[str, Setting], ...] = ()
    target: PlacedShape | None = None
    """Whom it is to come near to, or to flee."""
    gap_mm: float | None = None
    """How near to the target; None to flee it."""


@lru_cache(maxsize=2 * SMALL)
def make_document(seed: int, *, book: str | None = None) -> Document:
    """Return a situation file's JSON by seed, in one of the rulebooks or in that one.

    Seeds below `SMALL` have small situations, so that the test suite has time for all of them.
    """
    rng = random.Random(f"situation {seed}")
    chosen = rng.choice(BOOKS)
    draw = start_drawing(rng, book or chosen, small=seed < SMALL)
    state = draw_position(draw, draw_mover(draw))
    special = rng.random() < 0.2 and draw.book == "warhammer-40k-10e"
    state, move = _arrive(draw, state) if special else (state, _draw_move(draw, state))
    if seed >= SMALL and not special and rng.random() < 0.6:  # most of what is drawn at once is illegal
        move = _redraw_move(draw, state, move)
    return encode_situation(state, move)


def _redraw_move(draw: Draw, state: GameState, move: Move) -> Move:
    """Return a move that is not illegal, if one is drawn soon."""
    referee = Referee(state)
    for _ in range(4):
        with suppress(BadInput):
            if referee.judge(move).outcome is not Outcome.ILLEGAL:
                break
        move = _draw_move(draw, state)
    return move


def make_situation(seed: int, *, book: str | None = None) -> Situation:
    """Return a situation by seed, read from its file's JSON."""
    return read(make_document(seed, book=book))


def read(document: Document) -> Situation:
    """Return the situation in a file's JSON."""
    return parse_situation(document, "trial")


def write(state: GameState, move: Move | None) -> Document:
    """Return a situation as a file's JSON."""
    return encode_situation(state, move)


# -- what a move is to be


def _draw_move(draw: Draw, state: GameState) -> Move:
    rng, unit = draw.rng, state.find_unit("m")
    errand = _draw_errand(draw, state, unit)
    movers = [model for model in unit.models if model.pose is not None]
    if rng.random() < 0.4:
        rng.shuffle(movers)
    if errand.action in {"hold", "remain-stationary"} and rng.random() < 0.8:
        movers = []
    elif rng.random() < 0.3:
        movers = movers[: rng.randrange(1, len(movers) + 1)]
    observed = rng.random() < 0.5
    paths: dict[str, tuple[Pose, ...]] = {}
    lead: tuple[float, float] | None = None
    for model in movers:
        path = _draw_path(draw, state, model, errand, lead, observed=observed)
        paths[model.id] = path
        lead = path[-1].x_mm - path[0].x_mm, path[-1].y_mm - path[0].y_mm
        state = state.place_models({model.id: path[-1]})
    return Move(
        unit=unit.id,
        action=errand.action,
        paths=paths,
        rolls=errand.rolls,
        observed=observed,
        intent=dict(errand.intent),
    )


def _draw_errand(draw: Draw, state: GameState, unit: Unit) -> _Errand:
    rng = draw.rng
    foes = [model for other, model in state.iterate_models() if other.player != unit.player and model.pose is not None]
    foe = rng.choice(foes) if foes and rng.random() < 0.5 else None
    target = foe.place_base() if foe is not None else None
    move_mm = _read_mm(unit, "move_in")
    gap = rng.choice((25.4, 25.4001, 25.399, 25.9, 24.9, 0.5, 1.5, rng.uniform(0, 40)))
    match draw.book:
        case "warhammer-40k-10e":
            action = rng.choice(
                ("normal", "normal", "normal", "advance", "fall-back", "fall-back", "remain-stationary")
            )
            roll = (rng.randrange(1, 7),) if action == "advance" else ()
            return _Errand(action, move_mm + sum(roll) * _MM, roll, (), target, gap)
        case "priority-skirmish":
            action = rng.choice(("move", "move", "move", "defensive", "stealth", "hold"))
            engages = foe is not None and rng.random() < 0.4
            intent = (("engages", (foe.id,)),) if engages and foe is not None and action != "hold" else ()
            share = 0.5 if action in {"defensive", "stealth"} else 1.0
            return _Errand(
                action, move_mm * share, (), intent, target, rng.choice((0.0, 0.5, 0.9999)) if intent else gap
            )
        case "warhammer-40k-5e":
            return _draw_fifth_edition(draw, unit, move_mm, target, gap)
        case "activation-skirmish":
            action = rng.choice(("normal", "normal", "run", "run", "hold"))
            more = _read_mm(unit, "initiative_in") if action == "run" else 0.0
            charges = action == "run" and rng.random() < 0.5
            gap = rng.choice((0.0, 0.5, 0.9999, 1.0001, 2.0)) if rng.random() < 0.7 else gap
            return _Errand(action, move_mm + more, (), (("charge", True),) if charges else (), target, gap)
        case _:
            return _draw_warmaster(draw, state, unit)


def _draw_fifth_edition(draw: Draw, unit: Unit, move_mm: float, target: PlacedShape | None, gap: float) -> _Errand:
    rng = draw.rng
    action = rng.choice(("move", "move", "move", "random", "random", "hold"))
    intent: tuple[tuple[str, Setting], ...] = ()
    rolls: tuple[int, ...] = ()
    limit_mm = move_mm
    if action == "random":
        dice = unit.profile.get("random_dice", 1)
        rolls = tuple(rng.randrange(1, 7) for _ in range(dice if isinstance(dice, int) else 1))
        instead = rng.random() < 0.5
        intent = (("instead", True),) if instead else ()
        limit_mm = sum(rolls) * _MM + (0.0 if instead else move_mm)
    if action != "hold" and rng.random() < 0.25:
        intent = (*intent, ("toward_closest", True))
    return _Errand(action, limit_mm, rolls, intent, target, gap)


def _draw_warmaster(draw: Draw, state: GameState, unit: Unit) -> _Errand:
    rng = draw.rng
    troop = str(unit.profile["troop"])
    given = unit.profile.get("move_cm")
    pace_mm = 10.0 * given if isinstance(given, int | float) else _PACES_MM.get(troop, 200.0)
    foes = [
        (other, model)
        for other, model in state.iterate_models()
        if other.player != unit.player and model.pose is not None and other.profile["troop"] != "character"
    ]
    action = "character" if troop == "character" else rng.choice(("order", "order", "charge", "evade", "hold"))
    if action in {"charge", "evade"} and not foes:
        action = "order"
    if action in {"character", "hold"}:
        return _Errand(action, pace_mm)
    if action == "order":
        target = rng.choice(foes)[1].place_base() if foes and rng.random() < 0.3 else None
        return _Errand(
            action, pace_mm * rng.choice((0.5, 1.0)), (), (), target, rng.choice((0.5, 0.9999, 1.0001, 1.5, 30.0))
        )
    if rng.random() < 0.7:  # the closest, as initiative would have it
        mine = unit.models[0].place_base()
        foes = sorted(foes, key=lambda each: math.dist((mine.x_mm, mine.y_mm), _get_place(each[1])))[:1]
    other, model = rng.choice(foes)
    intent: tuple[tuple[str, Setting], ...] = (("toward", other.id),)
    if action == "charge":
        intent = (*intent, ("ordered", True)) if rng.random() < 0.5 else intent
        return _Errand(action, pace_mm, (), intent, model.place_base(), rng.choice((0.0, 0.0, 0.5, 0.9999)))
    return _Errand(action, pace_mm, (), intent, model.place_base(), None)


def _read_mm(unit: Unit, key: str) -> float:
    value = unit.profile.get(key, 6)
    return round(value * _MM, 9) if isinstance(value, int | float) else 6 * _MM


def _get_place(model: Model) -> tuple[float, float]:
    place = model.place_base()
    return place.x_mm, place.y_mm


# -- the way that a model goes


def _draw_path(
    draw: Draw, state: GameState, model: Model, errand: _Errand, lead: tuple[float, float] | None, *, observed: bool
) -> tuple[Pose, ...]:
    rng, start = draw.rng, model.pose
    assert start is not None
    others = [place for place in list_places(state.units) if place != model.place_base()]
    end = start
    for _ in range(_TRIES):
        end = _draw_end(draw, model, start, errand, lead)
        on_table = 0 <= end.x_mm <= TABLE.width_mm and 0 <= end.y_mm <= TABLE.depth_mm
        if on_table and (is_free(model.place_base(end), others) or rng.random() < 0.15):
            break
    if rng.random() < 0.3 and not isinstance(model.base, Round):
        most = _MOST_TURN_RAD if rng.random() < 0.5 else 0.6
        end = replace(end, facing_rad=end.facing_rad + rng.uniform(-most, most))
        if not observed and rng.random() < 0.2:
            end = replace(end, facing_rad=start.facing_rad + math.pi)
    if draw.book in FOOTED:
        heights = find_heights(state, end.x_mm, end.y_mm)
        end = replace(end, z_mm=heights[-1] if heights and rng.random() < 0.8 else 0.0)
    if rng.random() < 0.1 and len(draw.sigmas_mm) > 1:
        end = replace(end, sigma_mm=0.2)
    return _pass_by(draw, start, end, errand.limit_mm) if observed else (start, end)


def _draw_end(draw: Draw, model: Model, start: Pose, errand: _Errand, lead: tuple[float, float] | None) -> Pose:
    """Return where a model goes to: after the one before it, near to or away from the target, or anywhere."""
    rng = draw.rng
    if lead is not None and rng.random() < 0.8:
        off = (0.0, 0.0) if rng.random() < 0.6 else (rng.gauss(0, 8), rng.gauss(0, 8))
        return replace(start, x_mm=start.x_mm + lead[0] + off[0], y_mm=start.y_mm + lead[1] + off[1])
    if errand.target is not None and errand.gap_mm is not None:
        near = touch(model.place_base(), errand.target, errand.gap_mm)
        if rng.random() < 0.8:
            return replace(start, x_mm=near.x_mm, y_mm=near.y_mm)
    way = rng.uniform(-math.pi, math.pi)
    if errand.target is not None and errand.gap_mm is None:
        way = math.atan2(start.y_mm - errand.target.y_mm, start.x_mm - errand.target.x_mm) + rng.gauss(0, 0.03)
    share = rng.choice((rng.uniform(0.1, 0.95), rng.uniform(0.1, 0.95), 1.0, rng.uniform(0.95, 1.2)))
    far = errand.limit_mm * share + (rng.choice((0.0, 1e-3, -1e-3, 0.4, -0.4)) if share == 1.0 else 0.0)
    return replace(start, x_mm=start.x_mm + far * math.cos(way), y_mm=start.y_mm + far * math.sin(way))


def _pass_by(draw: Draw, start: Pose, end: Pose, limit_mm: float) -> tuple[Pose, ...]:
    """Return a seen path between two poses: straight or by the way, climbing by upright legs."""
    rng = draw.rng
    turn = math.remainder(end.facing_rad - start.facing_rad, 2 * math.pi)
    between: list[Pose] = []
    count = rng.choice((0, 0, 1, 1, 2))
    for index in range(1, count + 1):
        share = index / (count + 1)
        bend = rng.choice((0.0, limit_mm * 0.03, limit_mm * 0.15))
        between.append(
            replace(
                start,
                x_mm=start.x_mm + share * (end.x_mm - start.x_mm) + rng.uniform(-bend, bend),
                y_mm=start.y_mm + share * (end.y_mm - start.y_mm) + rng.uniform(-bend, bend),
                facing_rad=start.facing_rad + turn * rng.choice((0.0, share, 1.0)),
            )
        )
    top = max(start.z_mm, end.z_mm)
    if top > 0 and (start.z_mm != end.z_mm or rng.random() < 0.3) and rng.random() < 0.9:
        between = [replace(pose, z_mm=top) for pose in between]
        between = [replace(start, z_mm=top), *between] if start.z_mm != top else between
        between = [*between, replace(end, z_mm=top)] if end.z_mm != top else between
    return (start, *between, end)


# -- coming onto the table


def _arrive(draw: Draw, state: GameState) -> tuple[GameState, Move]:
    """Return a position whose unit is in reserve or in a transport, and how it comes out; or one that embarks."""
    rng, unit = draw.rng, state.find_unit("m")
    kind = rng.choice(("set-up", "set-up", "disembark", "disembark", "emergency-disembark", "embark"))
    heavy = Unit(
        id="carrier",
        player=unit.player,
        keywords=frozenset({"vehicle", "transport"}),
        profile={"move_in": 10, "capacity": 6},
        status=("destroyed",) if kind == "emergency-disembark" else (),
        models=(
            Model(
                id="hull",
                base=Rect(length_mm=100, width_mm=60),
                pose=Pose(x_mm=rng.uniform(200, 500), y_mm=rng.uniform(200, 400), facing_rad=draw.facings()),
            ),
        ),
    )
    hull = heavy.models[0].place_base()
    keeps = [other for other in state.units if other.id != unit.id]
    room = [other for other in keeps if all(is_free(place, [hull]) for place in list_places([other]))]
    if kind == "embark":
        near = tuple(_stand_near(draw, model, hull) for model in unit.models)
        unit = replace(unit, models=near, status=("normal-moved",))
        move = Move(unit="m", action=kind, intent={"transport": "hull"})
        return replace(state, units=(unit, heavy, *room)), move
    status = "reserves" if kind == "set-up" else "embarked:hull"
    unit = replace(unit, status=(status,), models=tuple(replace(model, pose=None) for model in unit.models))
    paths = {model.id: (_draw_arrival(draw, model, hull, kind),) for model in unit.models}
    others = (unit, *room) if kind == "set-up" else (unit, heavy, *room)
    return replace(state, units=others), Move(unit="m", action=kind, paths=paths)


def _stand_near(draw: Draw, model: Model, hull: PlacedShape) -> Model:
    pose, way = model.pose, draw.rng.uniform(-math.pi, math.pi)
    assert pose is not None
    far = replace(pose, x_mm=hull.x_mm + 150 * math.cos(way), y_mm=hull.y_mm + 150 * math.sin(way), z_mm=0.0)
    near = touch(model.place_base(far), hull, draw.rng.choice((5.0, 40.0, 76.2, 76.3, 90.0)))
    return replace(model, pose=replace(far, x_mm=near.x_mm, y_mm=near.y_mm))


def _draw_arrival(draw: Draw, model: Model, hull: PlacedShape, kind: str) -> Pose:
    rng = draw.rng
    if kind == "set-up":
        return Pose(x_mm=rng.uniform(10, 750), y_mm=rng.uniform(10, 630), facing_rad=draw.facings())
    way = rng.uniform(-math.pi, math.pi)
    at = Pose(x_mm=hull.x_mm + 150 * math.cos(way), y_mm=hull.y_mm + 150 * math.sin(way), facing_rad=draw.facings())
    near = touch(model.place_base(at), hull, rng.uniform(1, 45))
    return replace(at, x_mm=near.x_mm, y_mm=near.y_mm)
