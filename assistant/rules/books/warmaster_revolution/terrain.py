"""Terrain: which troops may enter which kind of it (wm-23 to wm-30, wm-34, wm-59), and who stands in it."""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import lru_cache

import shapely

from assistant.game.state import Setting, Terrain, Unit
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.polygons import cut_holes
from assistant.rules.books.warmaster_revolution.three_valued_logic import Answer, is_any, is_margin_kept, negate
from assistant.rules.books.warmaster_revolution.troops import TROOPS
from assistant.rules.context import RuleContext
from assistant.rules.engine.terrain import build_outline
from assistant.rules.rulebook import Key, Lists
from assistant.rules.verdict import Effect


class _TerrainClass(IntEnum):
    """How hard terrain is to enter; of several traits the strictest decides."""

    OPEN = 0
    EASY = 1
    ROUGH = 2
    STEEP = 3
    HIGH = 4
    BARRED = 5


_PLAIN = {
    "hill": _TerrainClass.OPEN,
    "bridge": _TerrainClass.OPEN,
    "road": _TerrainClass.OPEN,
    "field": _TerrainClass.EASY,
    "obstacle": _TerrainClass.EASY,
    "river": _TerrainClass.ROUGH,
    "wall": _TerrainClass.HIGH,
    "building": _TerrainClass.HIGH,
    "impassable": _TerrainClass.BARRED,
}
"""By trait; any other trait is rough, and so is terrain without any."""
_CHANGED = {
    ("hill", "steep"): _TerrainClass.STEEP,
    ("hill", "rocky"): _TerrainClass.STEEP,
    ("hill", "dense"): _TerrainClass.STEEP,
    ("river", "fordable"): _TerrainClass.EASY,
    ("wall", "low"): _TerrainClass.EASY,
}
"""What a second trait makes of a first one."""
_ADJECTIVES = frozenset({"steep", "rocky", "fordable", "low"})
"""Traits that mean something only beside another."""
_NARROW = {"chariot": "wm-25", "artillery": "wm-25", "machine": "wm-26"}
_EVERYONE = ("infantry", "cavalry", "monster", *_NARROW)
_FORBIDS: Mapping[_TerrainClass, Mapping[str, str]] = {
    _TerrainClass.OPEN: {},
    _TerrainClass.EASY: _NARROW,
    _TerrainClass.ROUGH: {"cavalry": "wm-24", "monster": "wm-24", **_NARROW},
    _TerrainClass.STEEP: dict.fromkeys(("cavalry", "monster", *_NARROW), "wm-29"),
    _TerrainClass.HIGH: dict.fromkeys(_EVERYONE, "wm-34"),
    _TerrainClass.BARRED: dict.fromkeys(_EVERYONE, "wm-30"),
}
"""The row by which a troop may not enter; flyers pass over everything."""

AGREED_TERRAIN = Key(
    name="agreed_terrain",
    values=Lists(word="terrain", among=lambda state: (terrain.id for terrain in state.terrain), words=TROOPS),
    statement="the troops that may enter a piece of terrain, as the players agreed before the game",
    default={},
)


def find_terrain_troop(unit: Unit) -> str:
    """Return the troop that terrain treats a unit as: characters are infantry, unless they fly or ride a monster."""
    troop = str(unit.profile["troop"])
    if troop != "character":
        return troop
    return "flyer" if "fly" in unit.keywords else "monster" if "monstrous-mount" in unit.keywords else "infantry"


def find_forbidding_row(unit: Unit, terrain: Terrain, agreed: Setting) -> str | None:
    """Return the row by which a unit may not move into or over terrain, None if it may.

    Args:
        unit: the unit.
        terrain: the piece of terrain.
        agreed: the parameter `AGREED_TERRAIN`.

    """
    if _is_agreed(unit, terrain, agreed):
        return None
    row = _FORBIDS[_classify_terrain(terrain)].get(find_terrain_troop(unit))
    return "wm-59" if row in {"wm-24", "wm-29"} and unit.profile["troop"] == "character" else row


def find_row_forbidding_landing(unit: Unit, terrain: Terrain, agreed: Setting) -> str | None:
    """Return the row by which a unit may not end on terrain: as `find_forbidding_row`, and flyers end on none."""
    if find_terrain_troop(unit) != "flyer" or _is_agreed(unit, terrain, agreed):
        return find_forbidding_row(unit, terrain, agreed)
    return "wm-28" if terrain.traits.isdisjoint({"wall", "building"}) else "wm-34"


@lru_cache(maxsize=64)
def subtract_bridges(terrain: tuple[Terrain, ...]) -> tuple[Terrain, ...]:
    """Return terrain with the outlines of bridges taken out of every river; its parts keep the river's id."""
    bridges = shapely.union_all([shapely.Polygon(each.outline_mm) for each in terrain if "bridge" in each.traits])
    return tuple(
        part for each in terrain for part in ([each] if "river" not in each.traits else _cut_out_bridges(each, bridges))
    )


def stands_in(unit: Unit, terrain: Iterable[Terrain], trait: str) -> Answer:
    """Return whether any stand of a unit overlaps terrain with a trait; None where two sigma leave it open."""
    features = [build_outline(each) for each in terrain if trait in each.traits]
    gaps = (
        (clearance(model.place_base(), feature).mm, model.pose.sigma_mm)
        for model in unit.models
        for feature in features
        if model.pose is not None
    )
    return is_any(negate(is_margin_kept(mm, sigma_mm)) for mm, sigma_mm in gaps)


def list_dense_terrain_effects(asked: RuleContext) -> Iterator[Effect]:
    """Yield what dense terrain does to an order (wm-27): for a unit of which a stand is surely in it at its start."""
    if stands_in(asked.unit, asked.state.terrain, "dense"):
        yield Effect(rule="wm-27", subjects=(asked.unit.id,), effect="command-worse-by-1")


def _classify_terrain(terrain: Terrain) -> _TerrainClass:
    changed = [ground for (one, other), ground in _CHANGED.items() if {one, other} <= terrain.traits]
    settled = {one for one, other in _CHANGED if {one, other} <= terrain.traits} | _ADJECTIVES
    plain = [_PLAIN.get(trait, _TerrainClass.ROUGH) for trait in terrain.traits - settled]
    return max((*changed, *plain), default=_TerrainClass.ROUGH)


def _is_agreed(unit: Unit, terrain: Terrain, agreed: Setting) -> bool:
    assert isinstance(agreed, Mapping)
    return not {unit.profile["troop"], find_terrain_troop(unit)}.isdisjoint(agreed.get(terrain.id, ()))


def _cut_out_bridges(river: Terrain, bridges: shapely.Geometry) -> Iterator[Terrain]:
    whole = shapely.Polygon(river.outline_mm)
    if not shapely.intersects(whole, bridges):
        yield river
        return
    left = shapely.difference(whole, bridges)
    for part in cut_holes(left):
        ring = shapely.get_coordinates(part.exterior)[:-1].tolist()
        yield Terrain(
            id=river.id,
            outline_mm=tuple((x, y) for x, y in ring),
            height_mm=river.height_mm,
            traits=river.traits,
            gap_mm=river.gap_mm,
        )
