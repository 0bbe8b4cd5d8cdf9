"""The picture of a layout, as SVG: the table from above, as the pages draw it."""

from collections.abc import Iterator
from html import escape

from assistant.game.state import DeploymentZone, Objective
from assistant.layouts.placing import PlacedLayout
from assistant.layouts.templates import Points
from assistant.overlay.palette import FELT, GROUND, PALETTE
from assistant.overlay.terrain_kinds import find_kind, sort_for_drawing

LINE_MM, LETTER_MM = 2.5, 26.0
MARGIN_MM = 12.0


def draw_layout(placed: PlacedLayout, title: str) -> str:
    """Return the picture of a layout that was placed; it has no size of its own, only a shape."""
    width, depth = placed.table.width_mm, placed.table.depth_mm
    box = f"{-MARGIN_MM:g} {-MARGIN_MM:g} {width + 2 * MARGIN_MM:g} {depth + 2 * MARGIN_MM:g}"
    flat = [
        *(_draw_zone(zone) for zone in placed.deployment),
        *_draw_terrain(placed),
        *(part for objective in placed.objectives for part in _draw_objective(objective)),
    ]
    names = [_draw_name(objective, depth) for objective in placed.objectives]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect x="{-MARGIN_MM:g}" y="{-MARGIN_MM:g}" width="100%" height="100%" fill="{GROUND}"/>',
            f'<rect width="{width:g}" height="{depth:g}" fill="{FELT}"/>',
            f'<g transform="matrix(1 0 0 -1 0 {depth:g})" stroke-width="{LINE_MM:g}" stroke-linejoin="round">',
            *flat,
            "</g>",
            f'<g font-family="sans-serif" font-size="{LETTER_MM:g}" text-anchor="middle" fill="#f4f1e8">',
            *names,
            "</g>",
            "</svg>\n",
        ]
    )


def _draw_terrain(placed: PlacedLayout) -> Iterator[str]:
    for piece in sort_for_drawing(placed.terrain):
        paint = PALETTE[f"terrain-{find_kind(piece)}"]
        yield _draw_ring(piece.outline_mm, f'fill="{paint.fill}" stroke="{paint.stroke}"')


def _draw_zone(zone: DeploymentZone) -> str:
    paint = PALETTE[f"side-{(int(zone.player or '1') - 1) % 4}"]
    return _draw_ring(
        zone.outline_mm, f'fill="{paint.fill}" fill-opacity="0.35" stroke="{paint.stroke}" stroke-dasharray="14 9"'
    )


def _draw_objective(objective: Objective) -> Iterator[str]:
    paint = PALETTE["objective"]
    place = f'cx="{objective.x_mm:g}" cy="{objective.y_mm:g}"'
    if objective.range_mm is not None:
        reach = objective.radius_mm + objective.range_mm
        yield f'<circle {place} r="{reach:g}" fill="none" stroke="{paint.stroke}" stroke-dasharray="8 6"/>'
    yield f'<circle {place} r="{objective.radius_mm:g}" fill="{paint.stroke}" stroke="{GROUND}"/>'


def _draw_name(objective: Objective, depth_mm: float) -> str:
    below = depth_mm - objective.y_mm + objective.radius_mm + LETTER_MM
    return f'<text x="{objective.x_mm:g}" y="{below:g}">{escape(objective.id)}</text>'


def _draw_ring(outline: Points, look: str) -> str:
    return f'<polygon points="{" ".join(f"{x:g},{y:g}" for x, y in outline)}" {look}/>'
