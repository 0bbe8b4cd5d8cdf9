"""The table's edge: a stand even partly beyond it takes its unit off, and what that leads to."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Unit
from assistant.geometry.convex import Convex
from assistant.rules.constraints import OnTable, Own
from assistant.rules.edge import edge_finding, near_the_edge
from assistant.rules.rulebook import Moved
from assistant.rules.ruling import DECIDED_SIGMAS
from assistant.rules.space import free_box
from assistant.rules.verdict import Effect, Finding, Outcome
from assistant.rules.walk import Walk

_EDGE = OnTable(rule="wm-62")
_LOST, _JOINED = "lost-stands:", "joined:"


def leaving() -> Own:
    """Return a note on a stand that is partly off the table."""
    return Own(findings=_left, places=_decided, at_some_facing=_on_it, walls=_edges)


def _edges(walk: Walk) -> list[Convex]:
    """Return the table's edges: no way leads around them."""
    table = walk.state.table
    corners = [(0.0, 0.0), (table.width_mm, 0.0), (table.width_mm, table.depth_mm), (0.0, table.depth_mm)]
    return [Convex(corners_mm=np.array(side)) for side in pairwise((*corners, corners[0]))]


def _left(walk: Walk) -> Iterator[Finding]:
    if len(walk.path) == 1 and not near_the_edge(walk):
        return
    found = edge_finding(_EDGE, walk)
    if found.outcome is Outcome.ILLEGAL:
        yield replace(found, outcome=Outcome.NOTE, text=f"{found.text}: the whole of {walk.unit.id} leaves it")
    else:
        yield found


def _decided(walk: Walk, places: BaseGeometry, spare_mm: float) -> BaseGeometry:
    """Return the places at which it is beyond doubt whether a stand is off the table; its middle is on it."""
    table, pose = walk.state.table, walk.end
    on_it = _on_it(walk, places, spare_mm)
    doubt = DECIDED_SIGMAS * pose.sigma_mm
    if doubt == 0 or spare_mm > 0:
        return on_it
    sure = free_box([_EDGE], table, walk.model.base, pose.facing_rad, doubt)
    maybe = free_box([_EDGE], table, walk.model.base, pose.facing_rad, -doubt)
    off = shapely.difference(on_it, shapely.box(*maybe))
    return shapely.union(off, shapely.intersection(on_it, shapely.box(*sure)))


def _on_it(walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return the places whose middle is on the table: the doubt beside its edge is so narrow that a turn ends it."""
    return shapely.intersection(places, shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm))


def left_table(moved: Moved) -> Iterator[Effect]:
    """Yield what becomes of a unit that surely leaves the table, of the characters with it, and of the battle."""
    gone = moved.asked.unit
    if not any(edge_finding(_EDGE, walk).outcome is Outcome.ILLEGAL for walk in moved.walks):
        return
    lost = next((status.removeprefix(_LOST) for status in gone.status if status.startswith(_LOST)), "")
    yield Effect(rule="wm-64", subjects=(gone.id,), effect=f"off-table-test:-{lost}" if lost else "off-table-test")
    joined = [unit for unit in moved.asked.state.units if f"{_JOINED}{gone.id}" in unit.status]
    for unit in joined:
        yield Effect(rule="wm-66", subjects=(unit.id,), effect=f"shares-fate:{gone.id}")
    for unit in (gone, *joined):
        if _leads(unit):
            yield Effect(rule="wm-67", subjects=(unit.id,), effect="battle-may-end")


def _leads(unit: Unit) -> bool:
    return "general" in unit.keywords
