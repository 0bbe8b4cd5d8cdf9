"""Movement limits: the pace, other stands, terrain that a troop may not enter, and the table's edge.

A stand that is even partly beyond the edge takes its unit off the table; what that leads to is here, too.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain, Unit
from assistant.geometry.shapes.convex import ConvexSet
from assistant.rules.books.warmaster_revolution.pace import find_pace
from assistant.rules.books.warmaster_revolution.parties import (
    are_foes,
    find_engaged_stands,
    is_other_unit,
    is_same_unit,
)
from assistant.rules.books.warmaster_revolution.terrain import (
    find_forbidding_row,
    find_row_forbidding_landing,
    find_terrain_troop,
)
from assistant.rules.constraints.allowance import Allowance, Pivot
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.forbidden_terrain import ForbiddenTerrain
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.constraints.table_boundary import TableBoundary, check_table_boundary, may_reach_edge
from assistant.rules.context import RuleContext
from assistant.rules.engine.walk import Walk
from assistant.rules.presets import define_base_contact, forbid_crossing, forbid_ending_on_top
from assistant.rules.rulebook import CompletedMove
from assistant.rules.selectors import TerrainSelector, UnitSelector
from assistant.rules.verdict import DECIDED_SIGMAS, Effect, Finding, Outcome

_ROWS = ("wm-24", "wm-25", "wm-26", "wm-28", "wm-29", "wm-30", "wm-34", "wm-59")
"""The rows by which terrain may be closed to a troop."""


def can_fly(unit: Unit) -> bool:
    """Whether a unit passes over terrain and stands."""
    return find_terrain_troop(unit) == "flyer"


def build_allowance(asked: RuleContext, action: str, rule: str = "wm-14") -> Allowance:
    """Return how far any part of a stand may be moved, and why."""
    found = find_pace(asked, action)
    return Allowance(
        rule=rule,
        limit_mm=found.most_mm,
        sure_mm=math.inf if found.sure_mm == found.most_mm else found.sure_mm,
        pivot=Pivot.DISPLACEMENT,
        pivot_mm=0.0,
        no_way="wm-12",
        because=f"{found.reason}; {found.doubt}" if found.doubt else found.reason,
    )


def build_hold_allowance() -> Allowance:
    """Return that a stand does not move."""
    return Allowance(rule="wm-14", limit_mm=0.0, pivot=Pivot.DISPLACEMENT, pivot_mm=0.0, because="it holds")


def forbid_stands(asked: RuleContext, rule: str, party: UnitSelector, *, grace_mm: float = 0.0) -> KeepOut:
    """Return that certain stands are not moved across or onto; a flyer passes over them, and ends on none.

    Stands that must touch may overlap by ``grace_mm``: so near nobody measures.
    """
    found = (
        forbid_ending_on_top(rule, party, math.inf) if can_fly(asked.unit) else forbid_crossing(rule, party, math.inf)
    )
    return replace(found, range_mm=-grace_mm)


def constrain_own_stands(asked: RuleContext) -> Iterator[KeepOut]:
    """Yield that own stands which have moved or are engaged are in the way, and that none ends on another."""
    if not can_fly(asked.unit):
        yield replace(
            forbid_crossing("wm-17", is_same_unit, math.inf),
            range_mm=-asked.read_number("touch_mm"),
            fixed=find_engaged_stands(asked),
        )
    yield replace(_forbid_own_overlap(asked), settled=True)


def forbid_standing_on(asked: RuleContext) -> Iterator[KeepOut]:
    """Yield that no stand stands on another."""
    yield forbid_ending_on_top("wm-15", _exclude_characters(is_other_unit), math.inf)
    yield _forbid_own_overlap(asked)


def _forbid_own_overlap(asked: RuleContext) -> KeepOut:
    """Return that no stand is on another of its unit, by more than stands that touch may be."""
    return replace(forbid_ending_on_top("wm-17", is_same_unit, math.inf), range_mm=-asked.read_number("touch_mm"))


def build_combat_contact(asked: RuleContext) -> KeepOut:
    """Return touching an enemy's stand as a keep-out."""
    return define_base_contact("wm-17", are_foes, asked.read_number("touch_mm"), math.inf, name="combat")


def constrain_closed_terrain(asked: RuleContext) -> Iterator[Constraint]:
    """Yield the terrain that a unit may not move into or over, and for a flyer that on which it may not end."""
    over = can_fly(asked.unit)
    find_row = find_row_forbidding_landing if over else find_forbidding_row
    row_of = cache(partial(find_row, asked.unit, agreed=asked.parameters["agreed_terrain"]))
    for row in _ROWS:
        feature = _build_closed_feature(row_of, row)
        if any(map(feature, asked.state.terrain)):
            yield ForbiddenTerrain(rule=row, terrain=feature, on_the_way=not over, unless_starting=True)


def _build_closed_feature(row_of: Callable[[Terrain], str | None], row: str) -> TerrainSelector:
    return lambda terrain: row_of(terrain) == row


def _exclude_characters(party: UnitSelector) -> UnitSelector:
    return lambda unit, other: unit.profile["troop"] != "character" and party(unit, other)


_EDGE = TableBoundary(rule="wm-62")
_LOST, _JOINED = "lost-stands:", "joined:"


def constrain_to_table() -> CustomConstraint:
    """Return a note on a stand that is partly off the table."""
    return CustomConstraint(
        findings=_judge_edge, places=_restrict_to_decided, at_some_facing=_restrict_to_table, walls=_build_edge_walls
    )


def _build_edge_walls(walk: Walk) -> list[ConvexSet]:
    """Return the table's edges: no way leads around them."""
    table = walk.state.table
    corners = [(0.0, 0.0), (table.width_mm, 0.0), (table.width_mm, table.depth_mm), (0.0, table.depth_mm)]
    return [ConvexSet(corners_mm=np.array(side)) for side in pairwise((*corners, corners[0]))]


def _judge_edge(walk: Walk) -> Iterator[Finding]:
    if not may_reach_edge(walk, walk.detail.measured_sigmas) and (len(walk.path) == 1 or not walk.everything):
        return
    found = check_table_boundary(_EDGE, walk)
    if found.outcome is Outcome.ILLEGAL:
        yield replace(found, outcome=Outcome.NOTE, text=f"{found.text}: the whole of {walk.unit.id} leaves it")
    else:
        yield found


def _restrict_to_decided(walk: Walk, places: BaseGeometry, spare_mm: float) -> BaseGeometry:
    """Return the places at which it is beyond doubt whether a stand is off the table; its middle is on it."""
    table, pose = walk.state.table, walk.end
    on_it = _restrict_to_table(walk, places, spare_mm)
    doubt = DECIDED_SIGMAS * pose.sigma_mm
    if doubt == 0 or spare_mm > 0:
        return on_it
    sure = _EDGE.bound_places(table, walk.model.base, pose.facing_rad, doubt)
    maybe = _EDGE.bound_places(table, walk.model.base, pose.facing_rad, -doubt)
    off = shapely.difference(on_it, shapely.box(*maybe))
    return shapely.union(off, shapely.intersection(on_it, shapely.box(*sure)))


def _restrict_to_table(walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return the places whose middle is on the table: the doubt beside its edge is so narrow that a turn ends it."""
    return shapely.intersection(places, shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm))


def list_leaving_effects(moved: CompletedMove) -> Iterator[Effect]:
    """Yield what becomes of a unit that surely leaves the table, of the characters with it, and of the battle."""
    gone = moved.asked.unit
    near = filter(may_reach_edge, moved.walks)
    if not any(check_table_boundary(_EDGE, walk).outcome is Outcome.ILLEGAL for walk in near):
        return
    lost = next((status.removeprefix(_LOST) for status in gone.status if status.startswith(_LOST)), "")
    yield Effect(rule="wm-64", subjects=(gone.id,), effect=f"off-table-test:-{lost}" if lost else "off-table-test")
    joined = [unit for unit in moved.asked.state.units if f"{_JOINED}{gone.id}" in unit.status]
    for unit in joined:
        yield Effect(rule="wm-66", subjects=(unit.id,), effect=f"shares-fate:{gone.id}")
    for unit in (gone, *joined):
        if _is_general(unit):
            yield Effect(rule="wm-67", subjects=(unit.id,), effect="battle-may-end")


def _is_general(unit: Unit) -> bool:
    return "general" in unit.keywords
