"""`make pictures`: the two drawings of the geometry's README, from the kernel's own answers."""

import math
from collections.abc import Sequence
from pathlib import Path

import shapely

from assistant.geometry.clearance.shape_clearance import Clearance, Point, clearance
from assistant.geometry.motion.contact import ProximityZone, cut_path, find_first_contact, find_pose
from assistant.geometry.shapes.base_shapes import Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_convex, decompose_placed
from assistant.geometry.shapes.polygons import circumscribe
from assistant.geometry.shortest_path.free.reach import find_reach
from assistant.geometry.shortest_path.tangents import Box

PICTURES = Path(__file__).resolve().parents[2] / "assistant/geometry/pictures"
WIDTH, HEIGHT = 460, 270
STYLE = """
  .table { fill: #fbfaf7; stroke: #b9b4a8 }      .thing { fill: #b7b0a2 }            .base { fill: #d98a7c }
  .mover { fill: #3f7fbf }                       .ghost { fill: #3f7fbf22; stroke: #3f7fbf; stroke-dasharray: 3 2 }
  .closed { fill: none; stroke: #c2503c; stroke-width: .7; stroke-dasharray: 1.5 2 }
  .reach { fill: #4c9a5a33; stroke: #2f7a3d; stroke-width: .8 }
  .ways { fill: none; stroke: #2f7a3d; stroke-width: .3 }
  .way { fill: none; stroke: #1f5fa8; stroke-width: 1.6 }   .gap { stroke: #c2503c; stroke-width: 1.2 }
  .dot { fill: #c2503c }   text { font: 9px sans-serif; fill: #333; text-anchor: middle }
  @media (prefers-color-scheme: dark) {
    .table { fill: #1f2226; stroke: #555 } .thing { fill: #6d6a62 } .base { fill: #a3574a } .mover { fill: #5b9bdc }
    .closed, .gap { stroke: #f08a76 } .dot { fill: #f08a76 } .reach { fill: #6cc47c33; stroke: #7bd08b }
    .ways { stroke: #7bd08b } .way { stroke: #8cc0f5 } .ghost { stroke: #8cc0f5 } text { fill: #ddd }
  }
"""


def draw_reach() -> str:
    """Return a reach zone of a round base: what is closed to its centre, and ways to its edge."""
    radius, keep_out, limit, start = 16.0, 12.0, 210.0, (160.0, 62.0)
    ruin = PlacedShape(shape=Outline(points_mm=((0, 0), (96, 0), (96, 9), (9, 9), (9, 74), (0, 74))), x_mm=208, y_mm=84)
    enemies = [PlacedShape(shape=Round(radius_mm=radius), x_mm=x, y_mm=y) for x, y in ((134.0, 178.0), (330.0, 50.0))]
    (body,) = decompose_convex(Round(radius_mm=radius))
    obstacles = [part.minkowski_sum(body) for part in decompose_placed(ruin)]
    obstacles += [part.minkowski_sum(body).grow(keep_out) for enemy in enemies for part in decompose_placed(enemy)]
    box: Box = (radius, radius, WIDTH - radius, HEIGHT - radius)
    (found,) = find_reach([start], limit, obstacles, box)
    closed = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in obstacles])
    region = found.region.difference(closed)
    edge = region.boundary
    count = 110
    ends = (edge.interpolate(index / count, normalized=True) for index in range(count))
    routes = (found.find_route((end.x, end.y)) for end in ends)
    goal = (254.0, 128.0)
    way = found.find_route(goal)
    assert way is not None
    return _build_svg(
        _draw_shape("thing", ruin),
        *(_draw_shape("base", enemy) for enemy in enemies),
        _draw_area("reach", region),
        *(_draw_line("ways", route.points) for route in routes if route is not None and route.mm > limit - 0.1),
        _draw_area("closed", closed),
        _draw_shape("ghost", PlacedShape(shape=Round(radius_mm=radius), x_mm=goal[0], y_mm=goal[1])),
        _draw_shape("mover", PlacedShape(shape=Round(radius_mm=radius), x_mm=start[0], y_mm=start[1])),
        _draw_line("way", way.points),
        _draw_text((goal[0] + 40, goal[1]), f"{way.mm:.1f} mm"),
    )


def draw_contact() -> str:
    """Return clearances with their witnesses, and the first contact of a base that moves and turns."""
    oval = PlacedShape(shape=Oval(length_mm=92, width_mm=52), x_mm=80, y_mm=196, facing_rad=0.5)
    block = PlacedShape(shape=Rect(length_mm=74, width_mm=34), x_mm=62, y_mm=78, facing_rad=-0.35)
    ruin = PlacedShape(
        shape=Outline(points_mm=((0, 0), (90, 0), (90, 14), (14, 14), (14, 84), (0, 84))), x_mm=160, y_mm=130
    )
    enemy = PlacedShape(shape=Round(radius_mm=20), x_mm=388, y_mm=96)
    start = PlacedShape(shape=Rect(length_mm=62, width_mm=30), x_mm=178, y_mm=46)
    path = [start, PlacedShape(shape=start.shape, x_mm=420, y_mm=150, facing_rad=2.2)]
    keep_out = ProximityZone(other=enemy, range_mm=14.0)
    met = find_first_contact(path, [keep_out])
    assert met is not None
    travelled = cut_path(path, met.time)
    ghosts = [find_pose(path, met.time * share) for share in (0.25, 0.5, 0.75)]
    ring = shapely.union_all([circumscribe(part.grow(keep_out.range_mm), 0.01) for part in decompose_placed(enemy)])
    pairs = [clearance(one, other) for one, other in ((oval, block), (oval, ruin), (block, ruin))]
    return _build_svg(
        *(_draw_shape("thing", thing) for thing in (oval, block, ruin)),
        *(part for pair in pairs for part in _draw_witness(pair)),
        _draw_shape("base", enemy),
        _draw_area("closed", ring),
        _draw_shape("mover", start),
        *(_draw_shape("ghost", ghost) for ghost in (*ghosts, met.at)),
        _draw_line("way", [(at.x_mm, at.y_mm) for at in travelled]),
        *_draw_witness(met.clearance),
    )


def _build_svg(*parts: str) -> str:
    table = f'<rect class="table" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{2 * WIDTH}">'
    return "\n".join((head, f"<style>{STYLE}</style>", table, *parts, "</svg>\n"))


def _draw_shape(kind: str, placed: PlacedShape) -> str:
    return _draw_area(kind, shapely.union_all([circumscribe(part, 0.05) for part in decompose_placed(placed)]))


def _draw_area(kind: str, area: shapely.Geometry) -> str:
    rings = shapely.get_rings(shapely.get_parts(area))
    return f'<path class="{kind}" fill-rule="evenodd" d="{" ".join(_draw_ring(ring) for ring in rings)}"/>'


def _draw_ring(ring: shapely.Geometry) -> str:
    return f"M{_format_points(shapely.get_coordinates(shapely.simplify(ring, 0.05)).tolist())}Z"


def _draw_line(kind: str, points: Sequence[Point]) -> str:
    thinned = shapely.get_coordinates(shapely.simplify(shapely.LineString(points), 0.05)).tolist()
    return f'<path class="{kind}" d="M{_format_points(thinned)}"/>'


def _format_points(points: Sequence[Sequence[float]]) -> str:
    return " ".join(f"{x:.1f},{HEIGHT - y:.1f}" for x, y in points)


def _draw_text(place: Point, text: str) -> str:
    return f'<text x="{place[0]:.1f}" y="{HEIGHT - place[1] + 3:.1f}">{text}</text>'


def _draw_witness(gap: Clearance) -> tuple[str, ...]:
    """Return the segment that was measured, its ends, and its length beside its middle."""
    (ax, ay), (bx, by) = gap.near, gap.far
    bearing = math.atan2(by - ay, bx - ax) % math.pi
    left, up = math.sin(bearing), abs(math.cos(bearing))
    beside = (ax + bx) / 2 + math.copysign(22 * left, bearing - math.pi / 2), (ay + by) / 2 + 7 * up
    dots = (f'<circle class="dot" cx="{x:.1f}" cy="{HEIGHT - y:.1f}" r="1.6"/>' for x, y in (gap.near, gap.far))
    return (_draw_line("gap", (gap.near, gap.far)), *dots, _draw_text(beside, f"{gap.mm:.1f} mm"))


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, drawn in (("reach", draw_reach()), ("contact", draw_contact())):
        (PICTURES / f"{name}.svg").write_text(drawn, encoding="utf-8")
    print(f"Written to {PICTURES}")
