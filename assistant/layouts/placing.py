"""Placing a layout: from what is written, half of it where it is symmetric, to terrain, objectives and zones."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.errors import BadInput
from assistant.game.state import DeploymentZone, Objective, Table, Terrain
from assistant.game.terrain_places import TWIN
from assistant.layouts.layout import FeatureForm, Layout
from assistant.layouts.templates import TEMPLATES, Part, Points
from assistant.layouts.traits import find_traits
from assistant.overlay.terrain_kinds import KINDS

SAME_MM = 0.05
"""What comes to lie so near to itself is its own image."""
PLACES, DEGREE_PLACES = 3, 6
Image = Callable[[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFeature:
    """A feature where it stands: its pieces of terrain, the footprint first."""

    id: str
    what: str
    """Its template, or ``outline``."""
    pieces: tuple[Terrain, ...]

    @property
    def area(self) -> BaseGeometry:
        """All that it covers."""
        return shapely.union_all([shapely.Polygon(piece.outline_mm) for piece in self.pieces])


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedLayout:
    """All that a layout puts on a table."""

    table: Table
    features: tuple[PlacedFeature, ...]
    objectives: tuple[Objective, ...]
    deployment: tuple[DeploymentZone, ...]
    """The zones of side 1 are ``1``'s, until players are known."""

    @property
    def terrain(self) -> tuple[Terrain, ...]:
        """Every piece, as a game has it."""
        return tuple(piece for feature in self.features for piece in feature.pieces)

    def name_players(self, players: Sequence[str]) -> tuple[DeploymentZone, ...]:
        """Return the zones with players in place of sides; of a side that has none nobody's."""
        known = {str(side): player for side, player in enumerate(players, 1)}
        return tuple(replace(zone, player=known.get(zone.player or "")) for zone in self.deployment)


def build_image(layout: Layout) -> Image | None:
    """Return where a point of the half that is written has its image; None where a layout has no symmetry."""
    width, depth = layout.table.width_mm, layout.table.depth_mm
    match layout.symmetry:
        case "half-turn":
            return lambda x, y: (width - x, depth - y)
        case "left-right":
            return lambda x, y: (width - x, y)
        case "near-far":
            return lambda x, y: (x, depth - y)
        case "none":
            return None


def place_layout(layout: Layout, rulebook: str | None = None) -> PlacedLayout:
    """Return what a layout puts on its table, with the traits that a rulebook has for it.

    What is its own image by the layout's symmetry stands once; of all else a twin follows, whose id ends in ``-twin``
    and whose zone is the other side's.

    Args:
        layout: the layout.
        rulebook: by which it is played; that of the layout if it is None.

    Raises:
        BadInput: two features, objectives or zones have one id once the twins are there.

    """
    image, book = build_image(layout), rulebook or layout.rulebook
    features = [_place_feature(form, book) for form in layout.features]
    objectives = [
        Objective(id=form.id, x_mm=form.x_mm, y_mm=form.y_mm, radius_mm=form.radius_mm, range_mm=form.range_mm)
        for form in layout.objectives
    ]
    zones = [
        DeploymentZone(id=form.id, player=str(form.side), outline_mm=form.outline_mm) for form in layout.deployment
    ]
    if image is not None:
        features = [each for one in features for each in _add_twin(one, _reflect_feature(one, image))]
        objectives = [each for one in objectives for each in _add_objective_twin(one, image)]
        zones = [each for one in zones for each in _add_zone_twin(one, image)]
    placed = PlacedLayout(
        table=Table(width_mm=layout.table.width_mm, depth_mm=layout.table.depth_mm),
        features=tuple(features),
        objectives=tuple(objectives),
        deployment=tuple(zones),
    )
    _check_ids(layout, placed)
    return placed


def _check_ids(layout: Layout, placed: PlacedLayout) -> None:
    ids = [thing.id for things in (placed.terrain, placed.objectives, placed.deployment) for thing in things]
    if twice := next((one for one in ids if ids.count(one) > 1), None):
        raise BadInput(f"layout {layout.title!r}: the id {twice!r} is used twice once all parts and twins are there")


def _place_feature(form: FeatureForm, rulebook: str | None) -> PlacedFeature:
    pieces = tuple(
        Terrain(
            id="-".join(filter(None, (form.id, part.name))),
            outline_mm=_place_points(form, part.outline_mm),
            height_mm=part.height_mm,
            traits=frozenset(traits if traits is not None else find_traits(part.substance, rulebook)),
            facing_rad=math.radians(form.facing_deg),
            kind=part.substance if form.template else _find_kind(part, traits),
        )
        for part, traits in _list_parts(form)
    )
    return PlacedFeature(id=form.id, what=form.template or "outline", pieces=pieces)


def _find_kind(part: Part, traits: tuple[str, ...] | None) -> str:
    return next((kind for kind in KINDS if kind in (part.substance, *(traits or ()))), "")


def _list_parts(form: FeatureForm) -> Iterator[tuple[Part, tuple[str, ...] | None]]:
    """Yield a feature's parts in its own frame, and their traits where these are written."""
    if form.template is not None:
        parts = TEMPLATES[form.template].build(form.size_mm)
        highest_mm = max(part.height_mm for part in parts)
        for part in parts:
            share = part.height_mm / highest_mm if highest_mm else 1.0
            height_mm = part.height_mm if form.height_mm is None else round(share * form.height_mm, 2)
            yield replace(part, height_mm=height_mm), form.traits
        return
    assert form.outline_mm is not None
    own_mm = form.height_mm or 0.0
    ground = Part(name="", substance=form.kind or "outline", outline_mm=form.outline_mm, height_mm=own_mm)
    yield ground, form.traits if form.traits is not None or form.kind else ()
    for own in form.parts:
        yield Part(name=own.name, substance=own.name, outline_mm=own.outline_mm, height_mm=own.height_mm), own.traits


def _place_points(form: FeatureForm, points: Points) -> Points:
    turn = math.radians(form.facing_deg)
    cos, sin, flip = math.cos(turn), math.sin(turn), -1.0 if form.mirrored else 1.0
    return tuple(
        (
            round(form.x_mm + cos * x - sin * flip * y, PLACES),
            round(form.y_mm + sin * x + cos * flip * y, PLACES),
        )
        for x, y in points
    )


def _reflect_feature(feature: PlacedFeature, image: Image) -> PlacedFeature:
    return replace(
        feature,
        id=feature.id + TWIN,
        pieces=tuple(
            replace(
                piece,
                id=feature.id + TWIN + piece.id.removeprefix(feature.id),
                outline_mm=_reflect_points(piece.outline_mm, image),
                facing_rad=_reflect_facing(piece.facing_rad, image),
            )
            for piece in feature.pieces
        ),
    )


def _reflect_points(points: Points, image: Image) -> Points:
    return tuple((round(x, PLACES), round(y, PLACES)) for x, y in (image(*point) for point in points))


def _reflect_facing(facing_rad: float, image: Image) -> float:
    (x0, y0), (x1, y1) = image(0.0, 0.0), image(math.cos(facing_rad), math.sin(facing_rad))
    return math.radians(round(math.degrees(math.atan2(y1 - y0, x1 - x0)), DEGREE_PLACES) + 0.0)


def _add_twin(feature: PlacedFeature, twin: PlacedFeature) -> Iterator[PlacedFeature]:
    yield feature
    pairs = zip(feature.pieces, twin.pieces, strict=True)
    if not all(_is_same_area(one.outline_mm, other.outline_mm) for one, other in pairs):
        yield twin


def _add_objective_twin(objective: Objective, image: Image) -> Iterator[Objective]:
    yield objective
    x_mm, y_mm = image(objective.x_mm, objective.y_mm)
    if math.hypot(x_mm - objective.x_mm, y_mm - objective.y_mm) > SAME_MM:
        yield replace(objective, id=objective.id + TWIN, x_mm=round(x_mm, PLACES), y_mm=round(y_mm, PLACES))


def _add_zone_twin(zone: DeploymentZone, image: Image) -> Iterator[DeploymentZone]:
    yield zone
    outline = _reflect_points(zone.outline_mm, image)
    if not _is_same_area(zone.outline_mm, outline):
        side = int(zone.player or "1")
        yield replace(zone, id=zone.id + TWIN, player=str(side + 1 if side % 2 else side - 1), outline_mm=outline)


def _is_same_area(one: Points, other: Points) -> bool:
    first, second = shapely.Polygon(one), shapely.Polygon(other)
    return bool(first.symmetric_difference(second).area <= SAME_MM * first.length)
