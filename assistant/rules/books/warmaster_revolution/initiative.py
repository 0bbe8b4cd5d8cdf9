"""Initiative: on or from which enemy a charge or an evade may be made, and why not another (wm-36 to wm-47).

An enemy may be ignored that is fortified (wm-46), or past a barrier that neither side comes round (wm-47).  The fields
of a charge and an evade, and whom the tablet offers for them, stand here, too.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.errors import MissingField
from assistant.game.state import GameState, Model, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Outline, PlacedShape
from assistant.geometry.shapes.convex import decompose_placed, inner_radius_mm
from assistant.geometry.shapes.polygons import cut_holes, extract_polygons
from assistant.geometry.shortest_path.free.reach import find_shortest_route, shrink_obstacles
from assistant.geometry.visibility.line_of_sight import find_sight_line
from assistant.rules.books.warmaster_revolution.line_of_sight import Visibility, build_outline, find_visibility
from assistant.rules.books.warmaster_revolution.parties import Foe, is_character, list_all_foe_ids, list_foes
from assistant.rules.books.warmaster_revolution.terrain import find_forbidding_row, stands_in, subtract_bridges
from assistant.rules.books.warmaster_revolution.three_valued_logic import (
    Answer,
    is_any,
    is_every,
    is_margin_kept,
    negate,
)
from assistant.rules.books.warmaster_revolution.troops import compute_paces
from assistant.rules.context import RuleContext
from assistant.rules.lengths import format_apart
from assistant.rules.rulebook import Key, NameChoices
from assistant.rules.verdict import (
    DECIDED_SIGMAS,
    ROUNDING_MM,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    decide_outcome,
)


def may_be_ignored(asked: RuleContext, other: Unit) -> Answer:
    """Return whether a unit may ignore an enemy; None where two sigma leave it open."""
    fortified = _is_fortified(asked, other)
    return fortified or is_any((fortified, _is_barred(asked, other)))


def _is_fortified(asked: RuleContext, other: Unit) -> Answer:
    stays = other.profile["troop"] in {"infantry", "artillery"}
    return stays and stands_in(other, asked.state.terrain, "fortified")


def _is_barred(asked: RuleContext, other: Unit) -> Answer:
    """Return whether terrain that neither may enter divides two units, and neither can go round it."""
    agreed, units = asked.parameters["agreed_terrain"], (asked.unit, other)
    shut = [
        terrain
        for terrain in subtract_bridges(asked.state.terrain)
        if all(find_forbidding_row(unit, terrain, agreed) is not None for unit in units)
    ]
    ours, theirs = (_list_standing(unit) for unit in units)
    if not shut or not ours or not theirs:
        return False
    divided = _are_divided(ours, theirs, shut)
    if divided is False:
        return False
    rounds = (
        _can_go_round(ours, theirs, shut, asked.state.table, compute_paces(asked.unit).full_mm),
        _can_go_round(theirs, ours, shut, asked.state.table, compute_paces(other).full_mm),
    )
    return is_every((divided, *map(negate, rounds)))


def _list_standing(unit: Unit) -> list[Model]:
    return [model for model in unit.models if model.pose is not None]


def _find_largest_sigma_mm(models: Sequence[Model]) -> float:
    return max((model.pose.sigma_mm for model in models if model.pose is not None), default=0.0)


# -- whether every straight line between them meets it


def _are_divided(ours: Sequence[Model], theirs: Sequence[Model], shut: Sequence[Terrain]) -> Answer:
    barrier = shapely.union_all([shapely.Polygon(terrain.outline_mm) for terrain in shut])
    one, two = (shapely.union_all([build_outline(model) for model in models]) for models in (ours, theirs))
    doubt_mm = DECIDED_SIGMAS * max(_find_largest_sigma_mm(ours), _find_largest_sigma_mm(theirs))
    if doubt_mm == 0:
        return _is_dividing(barrier, one, two)
    if _is_dividing(shapely.buffer(barrier, -doubt_mm, join_style="mitre"), one, two):
        return True
    return None if _is_dividing(shapely.buffer(barrier, doubt_mm, join_style="mitre"), one, two) else False


def _is_dividing(barrier: BaseGeometry, one: BaseGeometry, two: BaseGeometry) -> bool:
    between = shapely.convex_hull(shapely.union(one, two))
    if not shapely.intersects(between, barrier):
        return False
    left = shapely.difference(between, shapely.buffer(barrier, -ROUNDING_MM, join_style="mitre"))
    if not any(shapely.intersects(part, one) and shapely.intersects(part, two) for part in shapely.get_parts(left)):
        return True
    viewers, targets, blockers = (_split_into_outlines(region) for region in (one, two, barrier))
    return all(find_sight_line(viewer, target, blockers) is None for viewer in viewers for target in targets)


def _split_into_outlines(region: BaseGeometry) -> list[PlacedShape]:
    rings = [
        shapely.get_coordinates(piece.exterior)[:-1].tolist()
        for piece in cut_holes(extract_polygons(shapely.simplify(region, 1e-9)))
        if piece.area > ROUNDING_MM
    ]
    return [PlacedShape(shape=Outline(points_mm=tuple((x, y) for x, y in ring)), x_mm=0.0, y_mm=0.0) for ring in rings]


# -- whether a stand comes round it


def _can_go_round(
    movers: Sequence[Model], others: Sequence[Model], shut: Sequence[Terrain], table: Table, pace_mm: float
) -> Answer:
    margin_mm = pace_mm - _measure_way_round_mm(movers, others, shut, table)
    return is_margin_kept(margin_mm, _find_largest_sigma_mm(movers))


def _measure_way_round_mm(
    movers: Sequence[Model], others: Sequence[Model], shut: Sequence[Terrain], table: Table
) -> float:
    """Return the shortest way by which a stand comes round terrain, to where the way to another runs straight.

    The stand counts as the greatest disc within it, for it may turn to slip through.
    """
    radius_mm = min(inner_radius_mm(model.base) for model in movers)
    starts, goals = (
        [(model.place_base().x_mm, model.place_base().y_mm) for model in each] for each in (movers, others)
    )
    outlines = [PlacedShape(shape=Outline(points_mm=each.outline_mm), x_mm=0.0, y_mm=0.0) for each in shut]
    grown = [part.grow(radius_mm) for outline in outlines for part in decompose_placed(outline)]
    obstacles = shrink_obstacles(grown, [*starts, *goals])
    xs, ys = zip(*starts, *goals, strict=True)
    box = (
        min(radius_mm, *xs),
        min(radius_mm, *ys),
        max(table.width_mm - radius_mm, *xs),
        max(table.depth_mm - radius_mm, *ys),
    )
    routes = [find_shortest_route(start, goal, obstacles, box) for start in starts for goal in goals]
    return min(
        (route.mm - math.dist(*route.points[-2:]) for route in routes if route is not None),
        default=math.inf,
    )


RANGE_MM = 200.0
_GRAVITY = list(Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class _InitiativeMove:
    """What is done by initiative."""

    verb: str
    all_round: bool
    """Units with all-round vision use it."""


_CHARGE = _InitiativeMove(verb="charges", all_round=False)
_EVADE = _InitiativeMove(verb="evades from", all_round=True)


def have_orders_begun(state: GameState) -> bool:
    """Return whether an order has been given in this turn, as people say or as the turn that is counted shows."""
    return state.orders_begun or (state.turn is not None and "order" in state.turn.done.values())


def check_order(asked: RuleContext) -> Iterator[Finding]:
    """Yield why a unit is given no order: one that used its initiative, and characters."""
    if is_character(asked.unit):
        yield _refuse("wm-57", asked.unit, "is a character: it moves after the units, and neither with nor like them")
    elif "initiative-moved" in asked.unit.status:
        yield _refuse("wm-40", asked.unit, "has moved by initiative: it is given no orders this turn")


def check_charge(asked: RuleContext) -> Iterator[Finding]:
    """Yield what the rules say of a charge: by order, or by initiative on the enemy that the move names.

    Raises:
        MissingField: a move names no enemy.

    """
    unit = asked.unit
    if asked.intent.get("ordered", False):
        yield from check_order(asked)
    elif not is_character(unit) and not have_orders_begun(asked.state) and unit.profile["troop"] == "artillery":
        yield _refuse("wm-45", unit, "is artillery: it does not charge by initiative")
    else:
        yield from _check_initiative(asked, _CHARGE)


def check_evade(asked: RuleContext) -> Iterator[Finding]:
    """Yield what the rules say of an evade from the enemy that the move names; errors as in `check_charge`."""
    yield from _check_initiative(asked, _EVADE)


def _check_initiative(asked: RuleContext, kind: _InitiativeMove) -> Iterator[Finding]:
    if is_character(asked.unit):
        yield from check_order(asked)
    elif have_orders_begun(asked.state):
        yield _refuse("wm-39", asked.unit, "comes too late: initiative ends with the first order of the turn")
    elif "toward" in asked.intent:
        yield from _judge_named_enemy(asked, kind, str(asked.intent["toward"]))
    elif asked.paths is not None:
        raise MissingField("toward", f"the enemy unit that {asked.unit.id} {kind.verb}")
    else:
        yield from _judge_any_enemy(asked, kind)


def _judge_named_enemy(asked: RuleContext, kind: _InitiativeMove, name: str) -> list[Finding]:
    known = list_foes(asked)
    foe = next((foe for foe in known if foe.unit.id == name), None)
    if foe is None:
        text = f"{asked.unit.id} and {name} are not both on the table"
        return [Finding(rule="wm-36", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id, name), text=text)]
    ignored = asked.intent.get("ignores", ())
    assert isinstance(ignored, tuple)
    return _judge_enemy(asked, kind, foe, known, lambda unit: unit.id in ignored)


def list_nameable_enemies(asked: RuleContext) -> list[str]:
    """Return the enemies that a unit may charge or evade from by initiative, or may, the closest first."""
    known = list_foes(asked)
    named = {foe.unit.id for kind in (_CHARGE, _EVADE) for foe in _select_nameable(asked, kind, known)}
    return [foe.unit.id for foe in known if foe.unit.id in named]


def list_evadable_enemies(asked: RuleContext) -> list[str]:
    """Return the enemies that a unit may evade from, or may: the one that the move names, or all that it might name."""
    if "toward" in asked.intent:
        return [str(asked.intent["toward"])]
    return [foe.unit.id for foe in _select_nameable(asked, _EVADE, list_foes(asked))]


def _judge_any_enemy(asked: RuleContext, kind: _InitiativeMove) -> list[Finding]:
    """Return why no enemy may be named: the reason about the closest; nothing if one may."""
    known = list_foes(asked)
    if not known:
        text = f"there is no enemy that {asked.unit.id} could see"
        return [Finding(rule="wm-36", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)]
    return (
        []
        if any(True for _ in _select_nameable(asked, kind, known))
        else _judge_enemy(asked, kind, known[0], known, _ignores_anyone)
    )


def _select_nameable(asked: RuleContext, kind: _InitiativeMove, known: Sequence[Foe]) -> Iterator[Foe]:
    """Yield the enemies that may be named, or of whom it is too close to call, if all are ignored that may be."""
    for foe in known:
        if judge_range(asked, foe).outcome is Outcome.ILLEGAL:
            return
        if all(
            found.outcome is not Outcome.ILLEGAL for found in _judge_enemy(asked, kind, foe, known, _ignores_anyone)
        ):
            yield foe


# -- one enemy


def _judge_enemy(
    asked: RuleContext, kind: _InitiativeMove, foe: Foe, known: Sequence[Foe], ignored: Callable[[Unit], bool]
) -> list[Finding]:
    """Return the first of the reasons why an enemy may not be named, or else what leaves it open, or that it may."""
    found = [judge_range(asked, foe)]
    if found[0].outcome is not Outcome.ILLEGAL:
        found.append(_judge_sight(asked, kind, foe))
    if all(each.outcome is not Outcome.ILLEGAL for each in found):
        found.append(_judge_closest(asked, kind, foe, known, ignored))
    worst = min(found, key=lambda each: _GRAVITY.index(each.outcome))
    return found if worst.outcome is Outcome.LEGAL else [worst]


def judge_range(asked: RuleContext, foe: Foe) -> Finding:
    """Return whether an enemy is near enough for initiative."""
    unit, other = asked.unit.id, foe.unit.id
    length, limit = format_apart(asked.say, foe.gap.mm, RANGE_MM)

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{unit} is {length} from {other}, within {limit}"
            case Outcome.TOO_CLOSE:
                return (
                    f"{unit} is {length} from {other}, too close to {limit} to call whether it may use its initiative"
                )
            case _:
                return f"{unit} is {length} from {other}: initiative reaches no further than {limit}"

    return build_finding(
        "wm-36",
        (unit, other),
        measured_mm=foe.gap.mm,
        limit_mm=RANGE_MM,
        margin_mm=RANGE_MM - foe.gap.mm,
        sigma_mm=foe.sigma_mm,
        witness_mm=(foe.gap.near, foe.gap.far),
        text=text,
    )


def _judge_sight(asked: RuleContext, kind: _InitiativeMove, foe: Foe) -> Finding:
    unit, other = asked.unit.id, foe.unit.id
    found = _find_visibility(asked, kind, foe)
    if found.seen:
        return Finding(rule="wm-37", outcome=Outcome.LEGAL, subjects=(unit, other), text=f"{unit} sees {other}")
    if not kind.all_round and _sees_all_round(asked.unit) and _find_visibility(asked, _EVADE, foe).seen != found.seen:
        rule, text = "wm-44", f"{unit} sees {other} from no front edge: a charge needs one, whatever it sees all round"
    elif found.before:
        rule, text = "wm-38", f"{unit} does not see {other}: something stands in every line between them"
    else:
        rule, text = "wm-37", f"{unit} does not see {other}: it is before no edge that looks"
    if found.seen is None:
        text = f"it is too close to call whether {unit} sees {other}{' from a front edge' if rule == 'wm-44' else ''}"
        return Finding(rule=rule, outcome=Outcome.TOO_CLOSE, subjects=(unit, other), text=text)
    return Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(unit, other), text=text)


def _judge_closest(
    asked: RuleContext, kind: _InitiativeMove, foe: Foe, known: Sequence[Foe], ignored: Callable[[Unit], bool]
) -> Finding:
    """Return whether no visible enemy is closer, but for those that are rightly ignored; equally close is free."""
    unit, other = asked.unit.id, foe.unit.id
    doubt: Finding | None = None
    for rival in known:
        sigma_mm = combine_sigmas(rival.sigma_mm, foe.sigma_mm)
        margin_mm = rival.gap.mm - foe.gap.mm
        if rival.unit.id == other or decide_outcome(margin_mm, sigma_mm) is Outcome.LEGAL:
            continue
        counts = _is_counted(asked, kind, rival, ignored)
        if counts is False:
            continue
        finding = _judge_rival(asked, foe, rival, sure=counts is True)
        if finding.outcome is Outcome.ILLEGAL:
            return finding
        doubt = doubt or finding
    text = f"{other} is the closest enemy that {unit} sees and does not ignore"
    return doubt or Finding(rule="wm-41", outcome=Outcome.LEGAL, subjects=(unit, other), text=text)


def _is_counted(asked: RuleContext, kind: _InitiativeMove, rival: Foe, ignored: Callable[[Unit], bool]) -> bool | None:
    """Return whether an enemy is seen and not rightly ignored; None where that is open."""
    seen = _find_visibility(asked, kind, rival).seen
    if seen is False or not ignored(rival.unit):
        return seen
    rightly = may_be_ignored(asked, rival.unit)
    return False if rightly else None if rightly is None else seen


def _judge_rival(asked: RuleContext, foe: Foe, rival: Foe, *, sure: bool) -> Finding:
    """Return what a closer enemy comes to, or one that may be closer."""
    unit, other, closer = asked.unit.id, foe.unit.id, rival.unit.id
    near, far = format_apart(asked.say, rival.gap.mm, foe.gap.mm)
    if not sure:
        text = f"{closer}, {near} from {unit}, is closer than {other}: it is too close to call whether it counts"
        return Finding(rule="wm-41", outcome=Outcome.TOO_CLOSE, subjects=(unit, other), text=text)
    doubt = ", too close to call which is closer" if near != far else ""
    return build_finding(
        "wm-41",
        (unit, other),
        measured_mm=foe.gap.mm,
        limit_mm=rival.gap.mm,
        margin_mm=rival.gap.mm - foe.gap.mm,
        sigma_mm=combine_sigmas(rival.sigma_mm, foe.sigma_mm),
        witness_mm=(foe.gap.near, foe.gap.far),
        text=lambda outcome: (
            f"{closer} is {near} from {unit} and {other} {far}{doubt}"
            if outcome is Outcome.TOO_CLOSE
            else f"{closer} is closer to {unit} than {other}, {near} against {far}: "
            "for any but the closest it takes an order"
        ),
    )


# -- figures and predicates


def _find_visibility(asked: RuleContext, kind: _InitiativeMove, foe: Foe) -> Visibility:
    return find_visibility(
        asked.scene,
        asked.unit.id,
        foe.unit.id,
        all_round=kind.all_round and _sees_all_round(asked.unit),
        touch_mm=asked.read_number("touch_mm"),
    )


def _sees_all_round(unit: Unit) -> bool:
    return "all-round-vision" in unit.keywords


def _ignores_anyone(_: Unit) -> bool:
    return True


def _refuse(rule: str, unit: Unit, why: str) -> Finding:
    return Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(unit.id,), text=f"{unit.id} {why}")


_WORD = "enemy unit (characters aside)"


def _list_enemies(asked: RuleContext) -> Iterable[str]:
    return list_all_foe_ids(asked.state, asked.unit)


def _offer_targets(asked: RuleContext) -> Iterable[str]:
    """Return those whom a unit may charge or evade from, the closest first: all of them, if it charges by order."""
    return (
        [foe.unit.id for foe in list_foes(asked)]
        if asked.intent.get("ordered", False)
        else list_nameable_enemies(asked)
    )


def _offer_ignored(asked: RuleContext) -> Iterable[str]:
    """Return the enemies near enough to matter that a unit may ignore, or of whom that is too close to call."""
    near = [foe.unit for foe in list_foes(asked) if judge_range(asked, foe).outcome is not Outcome.ILLEGAL]
    return [unit.id for unit in near if may_be_ignored(asked, unit) is not False]


TOWARD = Key(
    name="toward",
    values=str,
    statement="the enemy unit that it charges or evades from",
    names=NameChoices(word=_WORD, among=_list_enemies, offered=_offer_targets),
)
ORDERED = Key(name="ordered", values=bool, statement="the charge is made by order, not by initiative")
IGNORES = Key(
    name="ignores",
    values=tuple,
    statement="enemy units that it ignores, being fortified or past a barrier that neither side comes round",
    names=NameChoices(word=_WORD, among=_list_enemies, offered=_offer_ignored),
)
