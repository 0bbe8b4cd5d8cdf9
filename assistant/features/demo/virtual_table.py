"""The virtual table of a set-up and a game: its scene, the hand that pushes its models, and the lamp that lights it."""

import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles
from assistant.features.light.controller import LightController
from assistant.features.marker_choice import is_hull
from assistant.features.projector.controller import ProjectorController
from assistant.game.state import GameState, Terrain, Unit
from assistant.game.terrain_places import find_on_table, find_place
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.palette import Paint
from assistant.overlay.raster import Warp, darken_masks, draw_tags, rasterise, warp_from_homography
from assistant.overlay.shapes import OverlayShape, Points, trace_outline
from assistant.setup.bases import EnrolledModel, RingedBase, TaggedBase
from assistant.setup.file import Setup
from assistant.setup.lighting import TableLighting
from assistant.table.observations import list_carried
from assistant.table.restore import draw_restoring
from assistant.table.session import GameSession
from assistant.table.surface_levels import is_block
from assistant.web.commands.game import Drag, TakeOver
from assistant.web.messages.calibration import PatternView
from calibration.projector.model import ProjectorOverTable
from hardware.printing.sheets import build_enrolment_tags
from hardware.rings.words import RingList
from hardware.simulation.figures import fit_figure
from hardware.simulation.ground import find_floor_height
from hardware.simulation.lighting import build_letterboxed_projector
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import (
    Colour,
    Figure,
    FigureKind,
    Outline,
    Placement,
    TerrainLook,
    VirtualAnchor,
    VirtualBase,
    VirtualRing,
    VirtualScene,
    VirtualSheet,
    VirtualTagInBase,
    VirtualTerrain,
)
from hardware.simulation.virtual_table import VirtualTable

DARK_MM = 4.0
"""The projector keeps so much around every base dark."""
PAINT: tuple[Colour, ...] = ((126, 74, 22), (96, 50, 122), (30, 80, 120))
"""Blue, green, red of the first player's bases, the second's, ...: dark, so that the tags' white rims stand out."""
PLAIN: Colour = (48, 46, 44)
EDGE: Colour = (34, 33, 32)
TURF: Colour = (62, 92, 110)
"""Of bases with a ring: painted dark at the edge, sanded on top."""
FIGURES: Mapping[str, FigureKind] = {
    "fly": FigureKind.WINGED,
    "vehicle": FigureKind.WALKER,
    "cavalry": FigureKind.CAVALRY,
    "monster": FigureKind.MONSTER,
    "cloak": FigureKind.ROBED,
}
"""What a unit's words say of its figures; the first that fits."""
MONSTROUS_MM = 60.0
LOOKS: Mapping[str, TerrainLook] = {
    "house": TerrainLook.ROOF,
    "building": TerrainLook.ROOF,
    "bunker": TerrainLook.ROOF,
    "wreck": TerrainLook.ROCK,
    "rock": TerrainLook.ROCK,
    "cart": TerrainLook.BRIDGE,
    "crates": TerrainLook.BRIDGE,
    "pond": TerrainLook.WATER,
    "river": TerrainLook.WATER,
    "bridge": TerrainLook.BRIDGE,
    "road": TerrainLook.ROAD,
    "crater": TerrainLook.CRATER,
    "gap": TerrainLook.GAP,
    "hill": TerrainLook.HILL,
    "ruin": TerrainLook.RUIN,
    "wall": TerrainLook.WALL,
    "brush": TerrainLook.BRUSH,
    "wood": TerrainLook.WOOD,
    "woods": TerrainLook.WOOD,
    "dense": TerrainLook.WOOD,
    "dangerous": TerrainLook.MINES,
    "difficult": TerrainLook.BRUSH,
    "impassable": TerrainLook.ROCK,
    "field": TerrainLook.BRUSH,
}
"""What a piece's name or its traits say of it; the first that fits."""
LEAST_HULL_MM = 15.0
"""A tag that lies lower is not on a roof."""
LEAF_RIM_MM = 18.0
"""From the middles of the outer tags of a sheet to its edge."""
CARD_MM = 0.3
CARD: Colour = (235, 235, 235)
"""What marks of terrain are printed on."""
FIGURE_ROOM_MM = 6.0
"""A base with this much room behind its tag carries a figure there."""


def build_virtual_table(setup: Setup, state: GameState, *, in_4k: bool = False) -> VirtualTable:
    """Lay the table that a set-up describes, with the models where the game has them, under a 1080p or 4K camera."""
    size = (3840, 2160) if in_4k else (1920, 1080)
    camera = build_overhead_camera(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm, image_size=size)
    return VirtualTable(build_scene(setup, state), camera)


def build_scene(setup: Setup, state: GameState) -> VirtualScene:
    """Return the scene that a set-up describes, with the models where the game has them."""
    poses = {model.id: model.pose for _, model in state.iterate_models()}
    players = list(dict.fromkeys(unit.player for unit in state.units))
    units = {model.id: unit for unit, model in state.iterate_models()}
    colours = {model: PAINT[players.index(unit.player) % len(PAINT)] for model, unit in units.items()}
    rings = setup.rings.ring_list
    placements = {}
    for base in setup.bases:
        pose = poses.get(base.model)
        if pose is not None:
            placements[base.marker] = Placement(
                x_mm=pose.x_mm, y_mm=pose.y_mm, facing_rad=pose.facing_rad, z_mm=pose.z_mm
            )
    marks = dict(_lay_marks(setup, state))
    return VirtualScene(
        width_mm=setup.table.width_mm,
        depth_mm=setup.table.depth_mm,
        bases=tuple(
            _build_tagged_base(base, units.get(base.model), colours.get(base.model, PLAIN))
            if isinstance(base, TaggedBase)
            else _build_ringed_base(base, rings, units.get(base.model), colours.get(base.model, PLAIN))
            for base in setup.bases
        )
        + tuple(_build_mark(mark, rings) for mark in setup.terrain_marks),
        anchors=tuple(
            VirtualAnchor(tag=a.tag, x_mm=a.x_mm, y_mm=a.y_mm, size_mm=a.size_mm, facing_rad=a.facing_rad, z_mm=a.z_mm)
            for a in setup.anchor_tags
        ),
        terrain=_build_terrain(state),
        placements=placements | marks,
    )


def _build_terrain(state: GameState) -> tuple[VirtualTerrain, ...]:
    return tuple(
        VirtualTerrain(outline_mm=t.outline_mm, height_mm=t.height_mm, raised=is_block(t), look=choose_terrain_look(t))
        for t in state.terrain
    )


def _lay_marks(setup: Setup, state: GameState) -> Iterator[tuple[int, Placement]]:
    """Yield where the marks of terrain lie that is in a game."""
    pieces = {piece.id: piece for piece in state.terrain}
    for section in setup.terrain:
        if section.piece in pieces:
            at = find_on_table(find_place(pieces[section.piece]), section.mark_in_piece.place)
            yield (
                section.marked.marker,
                Placement(x_mm=at.x_mm, y_mm=at.y_mm, facing_rad=at.facing_rad, z_mm=section.height_mm - CARD_MM),
            )


def _build_mark(mark: TaggedBase | RingedBase, rings: RingList) -> VirtualBase:
    """Return the card that lies on a piece of terrain, with the mark in its middle."""
    outline = trace_outline(PlacedShape(shape=mark.base.shape, x_mm=0, y_mm=0))
    if isinstance(mark, RingedBase):
        ring = VirtualRing(layout=mark.lay_ring(rings), word=mark.find_words(rings).ids[mark.ring])
        return VirtualBase(marker=mark.marker, outline_mm=outline, ring=ring, height_mm=CARD_MM, colour=CARD)
    half = 0.65 * mark.size_mm
    square = ((-half, -half), (half, -half), (half, half), (-half, half))
    return VirtualBase(marker=mark.marker, outline_mm=square, size_mm=mark.size_mm, height_mm=CARD_MM, colour=CARD)


def _build_ringed_base(base: RingedBase, rings: RingList, unit: Unit | None, colour: Colour) -> VirtualBase:
    """Return a base with its figure in the middle."""
    outline, inside = trace_outline(PlacedShape(shape=base.base.shape, x_mm=0, y_mm=0)), base.ring_in_base
    kind = choose_figure_kind(base, unit)
    return VirtualBase(
        marker=base.marker,
        outline_mm=outline,
        ring=VirtualRing(
            layout=base.lay_ring(rings),
            word=base.find_words(rings).ids[base.ring],
            x_mm=inside.x_mm,
            y_mm=inside.y_mm,
            facing_rad=math.radians(inside.facing_deg),
        ),
        height_mm=base.height_mm,
        figure=fit_figure(kind, outline, seed=zlib.crc32(base.model.encode()), colour=colour),
        colour=EDGE,
        turf=TURF,
    )


def choose_terrain_look(terrain: Terrain) -> TerrainLook:
    """Return what a piece of terrain is likely to look like: as it is named, or as its traits have it."""
    words = [word for word in LOOKS if word in terrain.id or word in terrain.traits]
    return LOOKS[words[0]] if words else TerrainLook.PLAIN


def choose_figure_kind(base: EnrolledModel, unit: Unit | None) -> FigureKind:
    """Return what is likely to stand on a base: as its unit's words have it, or as the base's shape does."""
    words = {*unit.keywords, str(unit.profile.get("troop", ""))} if unit is not None else set[str]()
    named = next((kind for word, kind in FIGURES.items() if word in words), None)
    if base.base.rect_mm is not None:
        return named if named is FigureKind.CAVALRY or named is FigureKind.MONSTER else FigureKind.RANKS
    if named is not None:
        return named
    if base.base.round_mm is None:
        return FigureKind.CAVALRY
    return FigureKind.MONSTER if base.base.round_mm >= MONSTROUS_MM else FigureKind.INFANTRY


def _build_tagged_base(base: TaggedBase, unit: Unit | None, colour: Colour) -> VirtualBase:
    """Return a hull with the tag on its roof, or a base with its figure behind the tag, or its men beside it."""
    outline, tag = trace_outline(PlacedShape(shape=base.base.shape, x_mm=0, y_mm=0)), base.tag_in_base
    seed = zlib.crc32(base.model.encode())
    rear_mm = -min(x for x, _ in outline)
    room_mm = rear_mm + tag.x_mm - 0.65 * base.size_mm  # the black square and its quiet zone
    figure = None
    if unit is not None and base.height_mm >= LEAST_HULL_MM and is_hull(unit, base.base):
        figure = fit_figure(FigureKind.VEHICLE, outline, seed=seed, colour=colour)
    elif room_mm > FIGURE_ROOM_MM:
        mounted = choose_figure_kind(base, unit) is FigureKind.CAVALRY
        radius_mm = min(room_mm / (4 if mounted else 2), 9.0)
        figure = Figure(
            x_mm=-rear_mm + radius_mm * (1.7 if mounted else 1.0) + 1,
            radius_mm=radius_mm,
            height_mm=2.5 * radius_mm,
            length_mm=3.4 * radius_mm if mounted else None,
            colour=colour,
            kind=FigureKind.CAVALRY if mounted else FigureKind.ROBED,
            seed=seed,
        )
    elif base.base.rect_mm is not None:
        figure = fit_figure(FigureKind.RANKS, outline, seed=seed, colour=colour)
    return VirtualBase(
        marker=base.tag,
        outline_mm=outline,
        size_mm=base.size_mm,
        height_mm=base.height_mm,
        tag_in_base=VirtualTagInBase(x_mm=tag.x_mm, y_mm=tag.y_mm, facing_rad=math.radians(tag.facing_deg)),
        figure=figure,
        colour=colour,
    )


def build_leaf(outline: Outline) -> VirtualSheet:
    """Return the sheet on which a base of this outline is enrolled, as `overtable print enrol` makes it, cut small."""
    tags = build_enrolment_tags(outline)
    near_x, near_y = (min(places) - LEAF_RIM_MM for places in ([t.x_mm for t in tags], [t.y_mm for t in tags]))
    far_x, far_y = (max(places) + LEAF_RIM_MM for places in ([t.x_mm for t in tags], [t.y_mm for t in tags]))
    return VirtualSheet(
        outline_mm=((near_x, near_y), (far_x, near_y), (far_x, far_y), (near_x, far_y)),
        tags=tuple(VirtualAnchor(tag=t.tag, x_mm=t.x_mm, y_mm=t.y_mm, size_mm=t.size_mm) for t in tags),
        lines_mm=(outline,),
    )


@dataclass(kw_only=True)
class DemoController(Feature):
    """Takes to the table's models what pages do to them by hand."""

    name = "demo"
    push: Callable[[Drag], None]
    """Pushes the model that the set-up names so; BadInput if that cannot be done."""

    @Handles(Drag)
    def drag(self, command: Drag, asker: Asker) -> None:
        """Push a model, by the tag that it carries now."""
        session = asker.session
        model = session.observations.find_setup_name(command.model, list_carried(session.state))
        self.push(command.model_copy(update={"model": model}))

    @Handles(TakeOver)
    def take_over(self) -> None:
        """Do nothing more: a script stops at whatever a person does."""


def push_model(table: VirtualTable | None, setup: Setup, drag: Drag) -> None:
    """Push a model of the virtual table to where a page drags it, up on the blocks that it comes to and down again.

    Raises:
        BadInput: the table is real, or no base of the set-up belongs to that model.

    """
    if table is None:
        raise BadInput("this table is real: move the model by hand")
    marker = next((base.marker for base in setup.bases if base.model == drag.model), None)
    if marker is None:
        raise BadInput(f"there is no model {drag.model!r} on this table")
    x_mm = min(max(drag.x_mm, 0.0), setup.table.width_mm)  # a hand that leaves the table leaves the model at its edge
    y_mm = min(max(drag.y_mm, 0.0), setup.table.depth_mm)
    z_mm = find_floor_height(table.scene, x_mm=x_mm, y_mm=y_mm, z_mm=math.inf)
    table.move(marker, Placement(x_mm=x_mm, y_mm=y_mm, facing_rad=math.radians(drag.facing_deg), z_mm=z_mm))


def update_table(table: VirtualTable | None, setup: Setup, before: GameState, after: GameState) -> None:
    """Do on the virtual table what people decided: models leave it and come back, terrain lies elsewhere."""
    if table is None:
        return
    if after.terrain != before.terrain:
        table.lay_terrain(_build_terrain(after))
        for mark, at in _lay_marks(setup, after):
            table.move(mark, at)
    carried = list_carried(after)
    was, now = ({model.id: model.pose for _, model in state.iterate_models()} for state in (before, after))
    for base in setup.bases:
        model = carried.get(base.marker, base.model)
        pose, stood = now.get(model), was.get(model)
        if pose is None and stood is not None:
            table.move(base.marker, None)
        elif pose is not None and stood is None and base.marker not in table.get_placements():
            at = Placement(x_mm=pose.x_mm, y_mm=pose.y_mm, facing_rad=pose.facing_rad, z_mm=pose.z_mm)
            table.move(base.marker, at)


class VirtualLamp:
    """The virtual projector: throws on the virtual table what the projector page would show, when it has changed."""

    def __init__(
        self,
        table: VirtualTable,
        projector: ProjectorController | None = None,
        light: LightController | None = None,
    ) -> None:
        self._table = table
        self._projector = projector
        self._light = light or LightController()
        self._lights = TableLighting()
        self._paints: Mapping[str, Paint] = {}
        self._letterbox = warp_from_homography(
            build_letterboxed_projector(
                width_mm=table.scene.width_mm, depth_mm=table.scene.depth_mm, image_size=table.projector.image_size
            ).projector_from_table
        )
        self._shapes: tuple[OverlayShape, ...] = ()
        self._drawn: NDArray[np.uint8] | None = None
        self._masks: tuple[Points, ...] = ()
        self._mapping: tuple[ProjectorOverTable | None, Warp] = (None, self._letterbox)
        self._pattern: PatternView | None = None

    def throw(self, session: GameSession) -> None:
        """Light the table with the overlay, dark over every base that the camera has seen, or with tags of light."""
        pattern = self._projector.pattern if self._projector else None
        if pattern is not None:
            if pattern != self._pattern:
                tags = [(tag.left_px, tag.top_px, tag.cell_px, tag.rows) for tag in pattern.tags]
                self._table.project_picture(draw_tags(tags, level=pattern.level, image_size=pattern.image_size))
            self._pattern, self._drawn = pattern, None
            return
        shapes = (*session.consult_referee().shapes, *draw_restoring(session.state, session.compare_placements()))
        masks = (*self._list_masks(session), *self._list_fixed()) if shapes else ()
        lights, paints = self._light.lights, self._light.paints
        known = (lights, paints) == (self._lights, self._paints)
        same = not self._follow_calibration() and self._pattern is None and known
        self._lights, self._paints = lights, paints
        self._pattern = None
        if same and shapes == self._shapes and masks == self._masks:
            return
        warp, size = self._mapping[1], self._table.projector.image_size
        if not same or shapes != self._shapes or self._drawn is None:
            shining = [shape for shape in shapes if shape.layer not in lights.hidden]
            drawn = rasterise(
                shining, projector_from_table=warp, image_size=size, line_width=lights.line_width, paints=paints
            )
            self._drawn = np.asarray(cv2.convertScaleAbs(drawn, alpha=lights.brightness), dtype=np.uint8)
        self._shapes, self._masks = shapes, masks
        self._table.project_picture(darken_masks(self._drawn, masks, projector_from_table=warp))

    def _follow_calibration(self) -> bool:
        """Use the calibration that the page would use; return whether it is another."""
        projector = self._projector.projector if self._projector else None
        known = self._mapping[0]
        if projector is known or (projector and known and np.array_equal(projector.parameters, known.parameters)):
            return False
        self._mapping = projector, projector.projector_from_table if projector else self._letterbox
        return True

    def _list_masks(self, session: GameSession) -> Iterator[Points]:
        """Yield what stays dark: every base and its halo where it was last seen, and a little around it."""
        halos_mm = self._projector.measure_halos(session.state) if self._projector else {}
        for _, model in session.state.iterate_models():
            if (entry := session.poses.get(model.id)) is not None:
                placed = PlacedShape(
                    shape=model.base, x_mm=entry.x_mm, y_mm=entry.y_mm, facing_rad=math.radians(entry.facing_deg)
                )
                yield trace_outline(placed, DARK_MM + halos_mm.get(model.id, 0.0))

    def _list_fixed(self) -> tuple[Points, ...]:
        return self._projector.dark_mm if self._projector else ()
