"""Open data of 40kdc: one terrain layout of theirs as a layout of ours.

Their frame is in inches with the origin in a far corner and y toward the near edge.  A piece lies by the centroid of
its footprint: mirrored, then turned clockwise, then moved; what stands on an area is placed in its frame first.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import shapely
from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import BadInput
from assistant.files.documents import check
from assistant.layouts.layout import Layout, parse_layout
from assistant.layouts.packs import name_file

INCH_MM = 25.4
CREDIT = "40kdc community data (MIT)"
WALL_IN = 0.25
"""How thick a wall is that does not say so."""
STOREY_IN = 3.0
HEIGHT_IN = 5.0
"""How high ruins are that do not say so."""
CLEAN_MM = 0.01
"""Outlines are drawn this coarsely, so that nothing comes back to itself."""
Number = Annotated[float, Field(ge=-1e4, le=1e4)]
Point = tuple[float, float]
Mirror = Literal["none", "horizontal", "vertical"]


class Entry(BaseModel):
    """A part of their format; what is not needed here is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Place(Entry):
    """A point, inches."""

    x: Number
    y: Number


class Footprint(Entry):
    """A shape, inches."""

    type: Literal["rectangle", "right-triangle", "polygon"]
    width: Number = 0.0
    height: Number = 0.0
    points: Annotated[tuple[Place, ...], Field(max_length=1000)] = ()


class Wall(Entry):
    """A line of wall."""

    points: Annotated[tuple[Place, ...], Field(min_length=2, max_length=1000)]
    thickness: Number = WALL_IN


class UpperFloor(Entry):
    """A platform above the ground."""

    footprint: Footprint
    floor: int = 1


class Composed(Entry):
    """Scenery on an area."""

    id: str | None = None
    template: str
    position: Place
    rotation_degrees: Number = 0.0
    mirror: Mirror = "none"
    floor: int = 0


class Template(Entry):
    """A piece of scenery, or an area that some stand on."""

    id: str
    footprint: Footprint
    default_height_inches: Number | None = None
    default_blocking: bool | None = None
    default_terrain_area_keywords: tuple[str, ...] = ()
    terrain_category: str | None = None
    features: tuple[Composed, ...] = ()
    walls: tuple[Wall, ...] = ()
    upper_floor: UpperFloor | None = None


class ObjectiveMark(Entry):
    """Of a piece that is fought for."""

    position: Place | None = None
    control_range_inches: Number | None = None


class Piece(Entry):
    """What stands on the board."""

    id: str | None = None
    name: str | None = None
    piece_type: Literal["area", "feature"] | None = None
    template: str | None = None
    footprint: Footprint | None = None
    position: Place
    rotation_degrees: Number = 0.0
    mirror: Mirror = "none"
    parent_area_id: str | None = None
    floor: int = 0
    height_inches: Number | None = None
    terrain_area_keywords: tuple[str, ...] | None = None
    link_group: str | None = None
    objective_role: str | None = None
    is_objective: bool = False
    objective: ObjectiveMark | None = None


class Board(Entry):
    """The table, inches: the usual one where a layout does not say otherwise."""

    width: Annotated[Number, Field(gt=0)] = 60.0
    height: Annotated[Number, Field(gt=0)] = 44.0


class TheirLayout(Entry):
    """A layout of theirs."""

    id: str
    name: str
    source: str = ""
    board: Board = Board()
    deployment_pattern_id: str | None = None
    pieces: Annotated[tuple[Piece, ...], Field(max_length=400)] = ()


class TheirZone(Entry):
    """A deployment zone."""

    player: Literal["attacker", "defender"]
    shape: Footprint
    position: Place


class Pattern(Entry):
    """Deployment zones and objectives."""

    id: str
    zones: tuple[TheirZone, ...]
    objectives: tuple[Place, ...] = ()


E = TypeVar("E", bound=Entry)
Move = Callable[[Point], Point]


def convert_layout(
    entry: Mapping[str, Any],
    templates: Mapping[str, Mapping[str, Any]],
    patterns: Mapping[str, Mapping[str, Any]],
    name: str,
) -> Layout:
    """Return a layout of theirs as one of ours.

    Args:
        entry: the layout.
        templates: the terrain templates that there are, by id.
        patterns: the deployment patterns, by id.
        name: what errors call it.

    Raises:
        BadInput: it is not as their format has it, or names a template or an area that is not there.

    """
    layout = check(dict(entry), TheirLayout, name)
    if not layout.pieces:
        raise BadInput(f"{name}: it has no pieces yet")
    return _Converter(layout, templates, patterns, name).convert()


class _Converter:
    """Converts one layout."""

    def __init__(
        self,
        layout: TheirLayout,
        templates: Mapping[str, Mapping[str, Any]],
        patterns: Mapping[str, Mapping[str, Any]],
        name: str,
    ) -> None:
        self._layout = layout
        self._raw_templates = templates
        self._templates: dict[str, Template] = {}
        self._patterns = patterns
        self._name = name

    def convert(self) -> Layout:
        layout, pattern = self._layout, self._find_pattern()
        board = layout.board
        document = {
            "format": Layout.name,
            "title": layout.name,
            "rulebook": "warhammer-40k-10e",
            "credit": ", ".join(filter(None, (CREDIT, layout.source))),
            "table": {"width_mm": round(board.width * INCH_MM, 3), "depth_mm": round(board.height * INCH_MM, 3)},
            "features": list(self._list_features()),
            "objectives": list(self._list_objectives(pattern)),
            "deployment": [] if pattern is None else list(self._list_zones(pattern)),
        }
        return parse_layout(document, self._name)

    def _find_pattern(self) -> Pattern | None:
        wanted = self._layout.deployment_pattern_id
        if wanted is None or wanted not in self._patterns:
            return None
        return check(dict(self._patterns[wanted]), Pattern, f"{self._name}: deployment pattern {wanted!r}")

    def _find_template(self, name: str | None) -> Template | None:
        if name is None:
            return None
        if name not in self._raw_templates:
            raise BadInput(
                f"{self._name}: there is no terrain template {name!r}; give the file of the terrain templates as well"
            )
        if name not in self._templates:
            self._templates[name] = check(dict(self._raw_templates[name]), Template, f"{self._name}: template {name!r}")
        return self._templates[name]

    def _find_footprint(self, piece: Piece) -> Footprint:
        template = None if piece.footprint is not None else self._find_template(piece.template)
        footprint = piece.footprint or (template.footprint if template else None)
        if footprint is None:
            raise BadInput(f"{self._name}: piece {piece.id or piece.name!r} has neither a footprint nor a template")
        return footprint

    def _list_features(self) -> Iterator[dict[str, Any]]:
        """Yield every area with what stands on it, and what stands by itself."""
        areas = {piece.id: piece for piece in self._layout.pieces if piece.id}
        children: dict[str, list[Piece]] = {}
        alone = list[tuple[int, Piece]]()
        for at, piece in enumerate(self._layout.pieces, 1):
            if piece.parent_area_id is None:
                alone.append((at, piece))
            elif piece.parent_area_id in areas:
                children.setdefault(piece.parent_area_id, []).append(piece)
            else:
                raise BadInput(
                    f"{self._name}: piece {piece.id!r} stands on {piece.parent_area_id!r}, which is not there"
                )
        taken = set[str]()
        for at, piece in alone:
            stem = name_file(piece.id or piece.name or f"piece-{at}")
            name = stem if stem not in taken else f"{stem}-{at}"
            taken.add(name)
            yield self._convert_piece(name, piece, children.get(piece.id or "", []))

    def _convert_piece(self, name: str, piece: Piece, children: Sequence[Piece]) -> dict[str, Any]:
        footprint, template = self._find_footprint(piece), self._find_template(piece.template)
        place = _place(footprint, piece.position, piece.rotation_degrees, piece.mirror)
        is_area = (piece.piece_type or "area") == "area"
        parts = list(self._list_walls(template, place)) if template else []
        for at, composed in enumerate(template.features if template else (), 1):
            own = self._find_template(composed.template)
            assert own is not None
            moved = _chain(
                _place(own.footprint, composed.position, composed.rotation_degrees, composed.mirror),
                _orient(piece.position, piece.rotation_degrees, piece.mirror),
            )
            parts += self._list_parts(f"{at}-{own.id}", own, own.footprint, moved, None)
        for at, child in enumerate(children, len(parts) + 1):
            own, shape = self._find_template(child.template), self._find_footprint(child)
            moved = _chain(
                _place(shape, child.position, child.rotation_degrees, child.mirror),
                _orient(piece.position, piece.rotation_degrees, piece.mirror),
            )
            parts += self._list_parts(f"{at}-{child.template or 'part'}", own, shape, moved, child.height_inches)
        height = _find_height(template, piece.height_inches, is_area=is_area)
        keywords = piece.terrain_area_keywords
        words = keywords if keywords is not None else template.default_terrain_area_keywords if template else ()
        names = [(part["name"], at) for at, part in enumerate(parts)]
        for part_name, at in names:
            parts[at]["name"] = f"{part_name}-{at + 1}"
        return {
            "id": name,
            "outline_mm": self._draw(footprint, place),
            "height_mm": round(height * INCH_MM, 2),
            "traits": sorted({"ruin" if is_area else "obstacle", *words}),
            "parts": parts,
        }

    def _list_parts(
        self, name: str, template: Template | None, footprint: Footprint, place: Move, height_in: float | None
    ) -> Iterator[dict[str, Any]]:
        """Yield a piece of scenery on an area: its walls and its upper floor, or all of it where it has no walls."""
        height = _find_height(template, height_in, is_area=False)
        walls = list(self._list_walls(template, place)) if template else []
        if not walls:
            yield _build_part(name, self._draw(footprint, place), height, ["obstacle"])
        yield from walls
        if template is not None and template.upper_floor is not None:
            floor = template.upper_floor
            outline = self._draw(floor.footprint, place)
            yield _build_part(f"{name}-floor", outline, STOREY_IN * floor.floor, ["floor", "ruin"])

    def _list_walls(self, template: Template | None, place: Move) -> Iterator[dict[str, Any]]:
        height = _find_height(template, None, is_area=False)
        for wall in template.walls if template else ():
            line = shapely.LineString([self._to_mm(place((point.x, point.y))) for point in wall.points])
            band = line.buffer(max(wall.thickness, 0.1) * INCH_MM / 2, cap_style="flat", join_style="mitre")
            for part in shapely.get_parts(band):
                yield _build_part("wall", _simplify(part.exterior.coords[:-1]), height, ["ruin", "wall"])

    def _list_objectives(self, pattern: Pattern | None) -> Iterator[dict[str, Any]]:
        """Yield the markers of the pieces that are fought for, one for those that are linked; else the pattern's."""
        groups: dict[str, list[Piece]] = {}
        for at, piece in enumerate(self._layout.pieces):
            if piece.is_objective or piece.objective_role or piece.objective:
                groups.setdefault(
                    f"{piece.link_group}/{piece.objective_role}" if piece.link_group else str(at), []
                ).append(piece)
        marks = [_find_mark(pieces) for pieces in groups.values()]
        if not marks and pattern is not None:
            marks = [("objective", (place.x, place.y), None) for place in pattern.objectives]
        for at, (role, place, range_in) in enumerate(marks, 1):
            x_mm, y_mm = self._to_mm(place)
            yield {
                "id": f"{role}-{at}",
                "x_mm": x_mm,
                "y_mm": y_mm,
                **({} if range_in is None else {"range_mm": round(range_in * INCH_MM, 2)}),
            }

    def _list_zones(self, pattern: Pattern) -> Iterator[dict[str, Any]]:
        for at, zone in enumerate(pattern.zones, 1):
            side = 1 if zone.player == "attacker" else 2
            corners = [self._to_mm((x + zone.position.x, y + zone.position.y)) for x, y in _list_corners(zone.shape)]
            yield {"id": f"{zone.player}-zone-{at}", "side": side, "outline_mm": corners}

    def _draw(self, footprint: Footprint, place: Move) -> list[list[float]]:
        corners = [self._to_mm(place(corner)) for corner in _list_corners(footprint)]
        if len(corners) < 3:
            raise BadInput(f"{self._name}: a footprint has {len(corners)} corners; expected 3 or more")
        return _simplify(corners)

    def _to_mm(self, point: Point) -> Point:
        return round(point[0] * INCH_MM, 2), round((self._layout.board.height - point[1]) * INCH_MM, 2)


def _find_mark(pieces: Sequence[Piece]) -> tuple[str, Point, float | None]:
    """Return the role, the place and the range of an objective that lies on some pieces."""
    told = [piece.objective for piece in pieces if piece.objective is not None]
    places = [mark.position for mark in told if mark.position is not None] or [piece.position for piece in pieces]
    middle = sum(one.x for one in places) / len(places), sum(one.y for one in places) / len(places)
    role = next((piece.objective_role for piece in pieces if piece.objective_role), "objective")
    return role, middle, next((m.control_range_inches for m in told if m.control_range_inches is not None), None)


def _find_height(template: Template | None, height_in: float | None, *, is_area: bool) -> float:
    if height_in is not None:
        return height_in
    if template is not None and template.default_height_inches is not None:
        return template.default_height_inches
    return 0.0 if is_area else HEIGHT_IN


def _build_part(name: str, outline: list[list[float]], height_in: float, traits: list[str]) -> dict[str, Any]:
    return {"name": name, "outline_mm": outline, "height_mm": round(height_in * INCH_MM, 2), "traits": traits}


def _list_corners(footprint: Footprint) -> list[Point]:
    wide, deep = footprint.width, footprint.height
    match footprint.type:
        case "rectangle":
            return [(0, 0), (wide, 0), (wide, deep), (0, deep)]
        case "right-triangle":
            return [(0, 0), (wide, 0), (0, deep)]
        case "polygon":
            return [(point.x, point.y) for point in footprint.points]


def _find_centroid(corners: Sequence[Point]) -> Point:
    """Return the centroid of the area, as their data take it; of corners without any area their mean."""
    twice, x, y = 0.0, 0.0, 0.0
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        cross = ax * by - bx * ay
        twice, x, y = twice + cross, x + (ax + bx) * cross, y + (ay + by) * cross
    if twice == 0:
        return sum(at for at, _ in corners) / len(corners), sum(at for _, at in corners) / len(corners)
    return x / (3 * twice), y / (3 * twice)


def _orient(position: Place, degrees: float, mirror: Mirror) -> Move:
    """Return what mirrors a point about the origin, turns it clockwise as their boards are seen, and moves it."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    flip_x, flip_y = (-1 if mirror == "horizontal" else 1), (-1 if mirror == "vertical" else 1)

    def move(point: Point) -> Point:
        x, y = flip_x * point[0], flip_y * point[1]
        return cos * x - sin * y + position.x, sin * x + cos * y + position.y

    return move


def _place(footprint: Footprint, position: Place, degrees: float, mirror: Mirror) -> Move:
    """Return what places a point of a footprint's frame so that the footprint's centroid lies at a position."""
    corners = _list_corners(footprint)
    middle_x, middle_y = _find_centroid(corners) if corners else (0.0, 0.0)
    turned = _orient(position, degrees, mirror)
    return lambda point: turned((point[0] - middle_x, point[1] - middle_y))


def _chain(first: Move, then: Move) -> Move:
    return lambda point: then(first(point))


def _simplify(corners: Sequence[Point]) -> list[list[float]]:
    """Return an outline without what makes it touch itself: needles and corners given twice."""
    shape = shapely.Polygon(corners).buffer(0)
    parts = [part for part in shapely.get_parts(shape) if not part.is_empty]
    largest = max(parts, key=lambda part: part.area, default=shapely.Polygon(corners))
    outline = shapely.simplify(largest, CLEAN_MM).exterior.coords[:-1]
    return [[round(x, 2), round(y, 2)] for x, y in outline]
