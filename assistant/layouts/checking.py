"""Checking a layout: what would keep two players from a fair game on it, a sentence each.

A layout that is being made is full of such faults; they are told, and hinder nobody.
"""

from collections.abc import Iterator
from itertools import combinations

import shapely

from assistant.layouts.layout import Layout
from assistant.layouts.placing import PlacedFeature, PlacedLayout, place_layout

TOUCHING_MM2 = 1.0
"""What shares less than this with something else only touches it."""
GROUND = frozenset({"road", "bridge", "river", "field"})
"""What lies flat may lie over one another, as a bridge does over a river."""
WALKER_MM = 20.0
"""Half the width of a base that should come everywhere."""
STEP_MM = 50.8
"""What is higher is walked around."""
BARRED = frozenset({"impassable", "building", "wall", "pond"})
ROUNDING_MM = 0.01


def find_faults(layout: Layout, rulebook: str | None = None) -> tuple[str, ...]:
    """Return what is wrong with a layout as a table for a fair game, a sentence each; errors as in `place_layout`."""
    placed = place_layout(layout, rulebook)
    return (
        *_find_off_table(placed),
        *_find_overlaps(placed.features),
        *_find_zone_faults(placed),
        *_find_unreachable(placed),
    )


def _draw_table(placed: PlacedLayout) -> shapely.Polygon:
    return shapely.box(0, 0, placed.table.width_mm, placed.table.depth_mm)


def _find_off_table(placed: PlacedLayout) -> Iterator[str]:
    table = _draw_table(placed).buffer(ROUNDING_MM, join_style="mitre")
    for feature in placed.features:
        if not table.covers(feature.area):
            yield f"{feature.id} hangs over the table's edge: move it, or make it smaller."
    for objective in placed.objectives:
        if not table.covers(shapely.Point(objective.x_mm, objective.y_mm).buffer(objective.radius_mm)):
            yield f"Objective {objective.id} hangs over the table's edge."
    for zone in placed.deployment:
        if not table.covers(shapely.Polygon(zone.outline_mm)):
            yield f"Deployment zone {zone.id} goes beyond the table's edge."


def _find_overlaps(features: tuple[PlacedFeature, ...]) -> Iterator[str]:
    for one, other in combinations(features, 2):
        if GROUND.issuperset((one.what, other.what)):
            continue
        if one.area.intersection(other.area).area > TOUCHING_MM2:
            yield f"{one.id} and {other.id} overlap: move them apart."


def _find_zone_faults(placed: PlacedLayout) -> Iterator[str]:
    zones = [(zone, shapely.Polygon(zone.outline_mm)) for zone in placed.deployment]
    for (one, area), (other, beside) in combinations(zones, 2):
        if one.player != other.player and area.intersection(beside).area > TOUCHING_MM2:
            yield f"Deployment zones {one.id} and {other.id} overlap."
    if len({zone.player for zone, _ in zones}) == 1:
        yield "Only one side has a deployment zone: give the other side one, too."


def _find_unreachable(placed: PlacedLayout) -> Iterator[str]:
    """Yield the objectives to which no base gets on the ground from a side's deployment zones."""
    walls = [
        shapely.Polygon(piece.outline_mm).buffer(WALKER_MM)
        for piece in placed.terrain
        if piece.height_mm > STEP_MM or not BARRED.isdisjoint(piece.traits)
    ]
    ground = _draw_table(placed).buffer(-WALKER_MM, join_style="mitre").difference(shapely.union_all(walls))
    rooms = list(shapely.get_parts(ground))
    for objective in placed.objectives:
        near = shapely.Point(objective.x_mm, objective.y_mm).buffer(WALKER_MM + objective.radius_mm)
        beside = [room for room in rooms if room.intersects(near)]
        for zone in placed.deployment:
            area = shapely.Polygon(zone.outline_mm)
            if not any(room.intersects(area) for room in beside):
                yield f"Nobody gets from {zone.id} to objective {objective.id} on the ground: leave a way of 40 mm."
