"""Random films of virtual tables, for the trial of vision: a seed is a table and what happens there.

Camera, lens, blur, noise, light and shadow, terrain, figures, a wandering hand, projected light, and models that slide,
turn, are lifted, carried and taken away.  The truth of every frame comes from the table.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.overlay.palette import PALETTE
from assistant.overlay.raster import darken_masks, rasterise, warp_from_homography
from assistant.overlay.shapes import Layer, OverlayShape, Points
from hardware.frame import Frame
from hardware.rings.words import load_ring_list
from hardware.simulation.camera_faults import CameraFaults, FaultyCamera
from hardware.simulation.glare import render_glare
from hardware.simulation.ground import find_floor_height
from hardware.simulation.optics import CameraModel, build_overhead_camera
from hardware.simulation.scene import Placement, VirtualBase, VirtualScene, VirtualTerrain
from hardware.simulation.shutter import Passage, expose_base
from hardware.simulation.virtual_table import VirtualTable
from tests.vision.base_motion import list_taken_room, place_bases, plan_motion, plan_strokes
from tests.vision.random_scenes import (
    ANCHORS,
    find_free_place,
    lens_from_camera,
    make_base,
    make_ringed_base,
    markers_from_scene,
    measure_hidden_shares,
    measure_radius,
    project_paper,
)
from tests.vision.worlds import WORLDS, World, draw_damage, draw_glare
from vision.marker_numbers import number_ring
from vision.markers import Markers
from vision.rings.enrolled_ring import EnrolledRing

MASK_MM = 4.0
"""What the projector keeps dark around a base, where it keeps it dark."""
Grey = NDArray[np.uint8]


class Hand:
    """A hand that wanders from base to base, rests, and goes away for a while."""

    def __init__(self, rng: np.random.Generator, scene: VirtualScene, frames: int) -> None:
        self.above_mm = float(rng.choice([0.0, 40.0, 90.0]))
        self._length_mm, self._width_mm = float(rng.uniform(50, 90)), float(rng.uniform(25, 45))
        self._turn_rad = float(rng.uniform(-math.pi, math.pi))
        places = list(scene.placements.values())
        self._keys: list[tuple[float, float, float]] = []
        number = 15.0
        while number < frames:
            at = places[int(rng.integers(len(places)))]
            x_mm, y_mm = at.x_mm + float(rng.normal(0, 30)), at.y_mm + float(rng.normal(0, 30))
            rests = float(rng.uniform(2, 25))
            self._keys += [(number, x_mm, y_mm), (number + rests, x_mm, y_mm)]
            number += rests + float(rng.uniform(10, 30))
        self._away = float(rng.uniform(0.3, 0.9)) * frames

    def find_outline(self, number: float) -> Points | None:
        """Return where it is at a frame; None while it is away."""
        if not self._keys or number < self._keys[0][0] or self._away < number < self._away + 25:
            return None
        at, xs, ys = np.array(self._keys).T
        x_mm, y_mm = float(np.interp(number, at, xs)), float(np.interp(number, at, ys))
        spot = complex(x_mm, y_mm)
        turn = complex(math.cos(self._turn_rad), math.sin(self._turn_rad))
        corners = (
            spot + turn * complex(self._length_mm * math.cos(a), self._width_mm * math.sin(a))
            for a in np.linspace(0, math.tau, 24, endpoint=False)
        )
        return tuple((corner.real, corner.imag) for corner in corners)


def render_projection(rng: np.random.Generator, table: VirtualTable, masked: Sequence[VirtualBase]) -> Grey:
    """Return rings and lines of the overlay's own styles about some bases, dark over those that are masked."""
    projector, places = table.projector, table.get_placements()
    shapes = []
    for i in range(int(rng.integers(3, 9))):
        style = str(rng.choice(sorted(PALETTE)))
        at = places[int(rng.choice(sorted(places)))]
        radius_mm = float(rng.uniform(18, 150))
        ring = _make_circle(at.x_mm + float(rng.normal(0, 15)), at.y_mm, radius_mm)
        layer = list(Layer)[int(rng.integers(len(Layer)))]
        shapes.append(OverlayShape(key=str(i), layer=layer, rings_mm=(ring,), closed=i % 3 > 0, style=style))
    drawn = rasterise(
        shapes,
        projector_from_table=warp_from_homography(projector.projector_from_table),
        image_size=projector.image_size,
    )
    there = ((base, places[base.marker]) for base in masked if base.marker in places)
    masks = [_make_circle(at.x_mm, at.y_mm, measure_radius(base) + MASK_MM) for base, at in there]
    return darken_masks(drawn, masks, projector_from_table=warp_from_homography(projector.projector_from_table))


def render_room_light(
    rng: np.random.Generator, image_size: tuple[int, int], *, brightness: float, shaded: bool
) -> Grey:
    """(height, width) how bright the room is, 128 for as rendered: shade has a soft edge across the picture."""
    width, height = image_size
    gain = np.full((height, width), brightness, dtype=np.float32)
    if shaded:
        turn_rad, edge = float(rng.uniform(-math.pi, math.pi)), float(rng.uniform(-0.2, 0.2))
        x = np.linspace(-1, 1, width, dtype=np.float32)[None, :] * np.float32(math.cos(turn_rad))
        y = np.linspace(-1, 1, height, dtype=np.float32)[:, None] * np.float32(math.sin(turn_rad))
        gain *= 1 - 0.55 * np.clip(0.5 + (x + y - edge) / 0.02, 0, 1)
    return np.clip(np.rint(gain * 128), 0, 255).astype(np.uint8)


def light_picture(picture: Grey, room: Grey, glare: Grey | None) -> Grey:
    """Return a picture, grey or BGR, in the light of a room, with what lamps that are mirrored add."""
    if picture.ndim == 3:
        room = np.asarray(cv2.merge([room] * 3), dtype=np.uint8)
        glare = None if glare is None else np.asarray(cv2.merge([glare] * 3), dtype=np.uint8)
    lit = cv2.multiply(picture, room, scale=1 / 128)
    return np.asarray(lit if glare is None else cv2.add(lit, glare), dtype=np.uint8)


def _make_circle(x_mm: float, y_mm: float, radius_mm: float) -> Points:
    turns = [math.tau * k / 48 for k in range(48)]
    return tuple((x_mm + radius_mm * math.cos(a), y_mm + radius_mm * math.sin(a)) for a in turns)


FPS = 30
SIZES = {"1080p": (1920, 1080), "4K": (3840, 2160)}
TAGS_MM = {"1080p": (18.0, 24.0), "4K": (12.0, 18.0)}
OVERHANG_MM = (-6.0, 2.5)
OFF_CENTRE = 0.01
"""How far a lens sits off its sensor's middle, as a share of the picture's width; one sigma."""
BENT = np.array([0.05, 0.03, 5e-4, 5e-4, 0.03])
"""How far lenses of a kind differ in k1, k2, p1, p2, k3; one sigma."""
RINGS, ABSENT, STRANGERS = 256, 60, 0.2
"""Rings of which films are cast; so many are known and not there, and this share is there and not known."""
LAMP_EVERY = 20
"""Frames after which the projector shows something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmConditions:
    """What was drawn by lot for one film."""

    seed: int
    size: str
    lens_known: bool
    count: int
    faults: CameraFaults
    blur_px: float
    brightness: float
    shaded: bool
    """Half of the table lies in a deep shadow."""
    light: str
    """none, masked (the projector keeps the bases dark) or bare."""
    hand: bool
    blocks: bool
    twin: bool
    """From the middle on a second print of one marker lies on the table."""
    ringed: bool
    """Figures on ringed bases stand there, some of rings that the set-up does not know, and it knows absent ones."""
    world: World

    @property
    def lens(self) -> str:
        """How well the lens is known, in words."""
        return "lens known" if self.lens_known else "lens solved"

    def __str__(self) -> str:
        extras = [name for name in ("hand", "blocks", "shaded", "twin") if getattr(self, name)]
        return (
            f"{self.world.name}, {self.size}, {self.lens}, {self.count} bases, noise {self.faults.noise:.1f}, "
            f"blur {self.blur_px:.1f}, "
            f"shutter {self.faults.exposure_ms:.0f} ms, brightness {self.brightness:.1f}, light {self.light}, "
            f"{'rings' if self.ringed else 'tags'}, {' '.join(extras)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseTruth:
    """One base in one frame."""

    at: Placement
    hidden: float
    """Share of its tag with the white rim that is not to be seen, from 0 to 1."""
    moving: bool
    floor_mm: float
    """Height of the surface below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmMoment:
    """A frame, and what is true in it."""

    frame: Frame
    truth: dict[int, BaseTruth]
    """By tag; what is off the table is left out."""
    twin: tuple[int, complex] | None
    """A tag of which a second print is to be seen, and where the base of that print would stand, mm."""


class RandomFilm:
    """One table and what happens on it.

    A frame's time, and that of its truth, is the middle of the exposure of the picture's first row.
    """

    def __init__(
        self,
        seed: int,
        *,
        frames: int,
        size: str | None = None,
        ringed: bool = False,
        world: World = WORLDS["plain"],
    ) -> None:
        """Draw the lots of a seed in a world; ``size`` overrules which camera it would be."""
        self._rng = np.random.default_rng([seed, 77])
        self.conditions = _draw_conditions(self._rng, seed, size, ringed=ringed, world=world)
        self.frames = frames
        self.scene = _damage_prints(_draw_scene(self._rng, self.conditions), self.conditions)
        self.camera = _vary_camera(
            _draw_camera(self._rng, SIZES[self.conditions.size], world), np.random.default_rng([seed, 78])
        )
        if world.movers is None:
            self._plan = plan_motion(self._rng, self.scene, frames=frames, share=0.6)
        else:
            self._plan = plan_strokes(self._rng, self.scene, frames=frames, movers=world.movers)
        lens = lens_from_camera(self.camera, self._rng) if self.conditions.lens_known else None
        self.markers: Markers = markers_from_scene(self.scene, lens)
        if ringed:
            self.markers = _exchange_rings(np.random.default_rng([seed, 79]), self.markers)
        self.table: VirtualTable
        still = self.list_resting()
        place = find_free_place(self._rng, list_taken_room(self.scene, self.scene.placements), 30.0, self.scene)
        known = [marker for marker in still if marker in self.markers.bases]
        self._twin = (known[0], complex(*place)) if known and place else None

    def list_resting(self) -> list[int]:
        """Return the markers of the bases that are not moved at all."""
        return sorted(set(self.scene.placements) - set(self._plan.moved_tags))

    def render_moments(self) -> Iterator[FilmMoment]:
        """Render the film."""
        lots = self.conditions
        self.table = VirtualTable(
            self.scene, self.camera, seed=lots.seed, noise=0.0, blur_px=lots.blur_px, colour=lots.world.colour
        )
        size = SIZES[lots.size]
        room = render_room_light(self._rng, size, brightness=lots.brightness, shaded=lots.shaded)
        glare = self._render_glare()
        centre_px = (float(self.camera.matrix[0, 2]), float(self.camera.matrix[1, 2]))
        taken_by = FaultyCamera(lots.faults, size, seed=lots.seed, colour=lots.world.colour, centre_px=centre_px)
        hand = Hand(self._rng, self.scene, self.frames) if lots.hand else None
        before = self._plan.find_placements(-1)
        for number in range(self.frames):
            if lots.light != "none" and number % LAMP_EVERY == 0:
                bases = self.scene.bases if lots.light == "masked" else ()
                self.table.project_picture(render_projection(self._rng, self.table, bases))
            self._expose_bases(number)
            if hand is not None:
                self.table.hold_hand(self._expose_hand(hand, number), above_mm=hand.above_mm)
            clean = self.table.render()
            hidden = measure_hidden_shares(self.table, dict(self.table.get_placements()))
            now = self._plan.find_placements(number)
            known = {marker: at for marker, at in now.items() if marker in self.markers.bases}
            truth = {tag: self._find_truth(at, hidden.get(tag, 1.0), before.get(tag)) for tag, at in known.items()}
            before = now
            lit = light_picture(clean, room, glare)
            twin = self._copy_second_print(lit, now) if lots.twin and number >= self.frames // 2 else None
            picture = taken_by.take(lit, number / FPS)
            captured_ns = round(number * 1e9 / FPS)
            frame = Frame(camera="film", sequence=number, captured_ns=captured_ns, image=picture)
            yield FilmMoment(frame=frame, truth=truth, twin=twin)

    def _render_glare(self) -> Grey | None:
        """Return what lamps that are mirrored add about some markers; None where none is."""
        lots = self.conditions
        if not lots.world.room.glare:
            return None
        rng, spots = np.random.default_rng([lots.seed, 81]), []
        for base in self.scene.bases:
            if at := self.scene.placements.get(base.marker):
                away_mm, turn_rad = measure_radius(base) if base.ring else 0.0, float(rng.uniform(-math.pi, math.pi))
                x_mm, y_mm = at.x_mm + away_mm * math.cos(turn_rad), at.y_mm + away_mm * math.sin(turn_rad)
                spots.append((x_mm, y_mm, at.z_mm + base.height_mm))
        blobs = draw_glare(rng, lots.world.room, spots)
        return render_glare(blobs, self.camera)

    def _expose_bases(self, number: int) -> None:
        """Let every base be where it is seen in a picture."""
        standing = self._plan.find_placements(number)
        for base in self.scene.bases:
            at: Placement | Passage | None = standing.get(base.marker)
            if self._plan.is_moved_between(base.marker, number - 2, number + 2):
                path = self._find_path(base.marker)
                at = expose_base(path, number / FPS, self.conditions.faults, self.camera)
            self.table.move(base.marker, at)

    def _find_path(self, marker: int) -> Callable[[float], Placement | None]:
        return lambda at_s: self._plan.find_placement(marker, at_s * FPS)

    def _expose_hand(self, hand: Hand, number: int) -> Points | None:
        """Return where the hand is when the row in which it is is exposed."""
        faults, height = self.conditions.faults, self.camera.image_size[1]
        outline = hand.find_outline(number)
        if outline is None or not faults.readout_ms:
            return outline
        row = float(self.camera.project(np.column_stack([np.array(outline), np.zeros(len(outline))]))[:, 1].mean())
        return hand.find_outline(number + FPS * float(faults.find_row_times(row, height)))

    def _copy_second_print(self, picture: Grey, now: dict[int, Placement]) -> tuple[int, complex] | None:
        """Copy one standing tag to where it was decided that its second print lies."""
        if self._twin is None or self._twin[0] not in now:
            return None
        tag, place = self._twin
        corners = project_paper(self.table, now)[tag]
        at, base = now[tag], self.markers.bases[tag]
        height_mm = base.ring_height_mm if isinstance(base, EnrolledRing) else base.height_mm
        spots = np.array([(at.x_mm, at.y_mm, height_mm), (place.real, place.imag, height_mm)])
        shift = np.rint(np.diff(self.camera.project(spots), axis=0)[0]).astype(int)
        there_px = self.camera.project(spots[:1]) + shift
        low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int) + 1
        size = np.array(self.camera.image_size)
        if min(low.min(), (low + shift).min()) < 0 or (np.maximum(high, high + shift) > size).any():
            return None
        copied = picture[low[1] : high[1], low[0] : high[0]].copy()
        picture[low[1] + shift[1] : high[1] + shift[1], low[0] + shift[0] : high[0] + shift[0]] = copied
        return tag, complex(*self.camera.table_from_image(there_px, z_mm=height_mm)[0])

    def _find_truth(self, at: Placement, hidden: float, before: Placement | None) -> BaseTruth:
        floor_mm = find_floor_height(self.scene, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm)
        return BaseTruth(at=at, hidden=hidden, moving=at != before, floor_mm=floor_mm)


def _draw_conditions(
    rng: np.random.Generator, seed: int, size: str | None, *, ringed: bool, world: World
) -> FilmConditions:
    drawn = "4K" if rng.uniform() < 0.35 else "1080p"
    lens_known, count, noise = bool(rng.uniform() < 0.6), int(rng.integers(8, 45)), float(rng.uniform(0.8, 4.0))
    blur_px, exposure = float(rng.uniform(0.3, 0.9)), float(rng.choice([0.0, 0.0, 0.0, 0.3]))
    conditions = FilmConditions(
        seed=seed,
        size=drawn,
        lens_known=lens_known,
        count=count,
        faults=world.camera or CameraFaults(noise=noise, exposure_ms=exposure * 1e3 / FPS),
        blur_px=blur_px,
        brightness=float(rng.uniform(0.45, 1.1)),
        shaded=bool(rng.uniform() < 0.3),
        light=str(rng.choice(["none", "masked", "bare"])),
        hand=bool(rng.uniform() < 0.7),
        blocks=bool(rng.uniform() < 0.4),
        twin=bool(rng.uniform() < 0.15),
        ringed=ringed,
        world=world,
    )
    return replace(conditions, **{**world.lots, **({"size": size} if size else {})})


def _damage_prints(scene: VirtualScene, lots: FilmConditions) -> VirtualScene:
    """Let prints of bases look as those of a world do."""
    rng, room = np.random.default_rng([lots.seed, 80]), lots.world.room
    bases = tuple(replace(base, damage=draw_damage(rng, room, base.marker)) for base in scene.bases)
    return replace(scene, bases=bases)


def _draw_scene(rng: np.random.Generator, lots: FilmConditions) -> VirtualScene:
    if lots.ringed:
        numbers = sorted(rng.choice(RINGS, lots.count, replace=False).tolist())
        bases = tuple(make_ringed_base(rng, number, in_4k=lots.size == "4K") for number in numbers)
    else:
        bases = tuple(
            make_base(rng, tag, sizes_mm=TAGS_MM[lots.size], figures=0.5, overhang_mm=OVERHANG_MM)
            for tag in sorted(rng.choice(570, lots.count, replace=False).tolist())
        )
    terrain = []
    for i in range(4):
        x_mm, y_mm = 300 + i % 2 * 800 + rng.uniform(-80, 80), 320 + i // 2 * 440 + rng.uniform(-60, 60)
        long_mm, wide_mm = rng.uniform(70, 120, 2)
        corners = ((-long_mm, -wide_mm), (long_mm, -wide_mm), (long_mm, wide_mm), (-long_mm, wide_mm))
        raised = lots.blocks and i < 3
        terrain.append(
            VirtualTerrain(
                outline_mm=tuple((float(x_mm + x), float(y_mm + y)) for x, y in corners),
                height_mm=float(rng.choice([6.0, 12.0, 30.0, 75.0])),
                raised=raised,
            )
        )
    empty = VirtualScene(bases=bases, anchors=ANCHORS, terrain=tuple(terrain))
    placements = place_bases(rng, empty)
    return VirtualScene(bases=bases, anchors=ANCHORS, terrain=tuple(terrain), placements=placements)


def _exchange_rings(rng: np.random.Generator, markers: Markers) -> Markers:
    """Leave some rings out of a set-up that are on the table, and put others in, of the same shapes, that are not."""
    known = {marker: base for marker, base in markers.ringed_bases.items() if rng.uniform() >= STRANGERS}
    ring_list, shapes = load_ring_list(), list(markers.ringed_bases.values())
    for number in rng.choice(RINGS, ABSENT, replace=False).tolist():
        shape = shapes[int(rng.integers(len(shapes)))]
        words = next(w for w in (ring_list.round, ring_list.other) if w.cells == shape.layout.cells)
        marker = number_ring(number)
        if marker not in markers.bases:
            known[marker] = replace(shape, marker=marker, model=f"m{marker}", word=words.ids[number])
    return replace(markers, bases=known)


def _draw_camera(rng: np.random.Generator, image_size: tuple[int, int], world: World) -> CameraModel:
    k1 = float(rng.uniform(-0.14, 0.02))
    eye_mm = (762 + float(rng.uniform(-260, 260)), 559 + float(rng.uniform(-320, 160)), float(rng.uniform(1250, 1900)))
    if world.eye is not None:
        up_mm, aside_rad, ahead_rad = world.eye
        eye_mm = (762 + up_mm * math.tan(aside_rad), 559 - up_mm * math.tan(ahead_rad), up_mm)
    return build_overhead_camera(
        image_size=image_size,
        eye_mm=eye_mm,
        roll_rad=float(rng.normal(0, 0.02)),
        distortion=(k1, float(rng.uniform(-0.01, 0.015)), 3e-4, -4e-4, 0.0),
    )


def _vary_camera(camera: CameraModel, rng: np.random.Generator) -> CameraModel:
    """Give a camera what tells one lens from another of its kind: off its sensor's middle, and bent a little more."""
    matrix = camera.matrix.copy()
    matrix[:2, 2] += rng.normal(0.0, OFF_CENTRE * camera.image_size[0], 2)
    return replace(camera, matrix=matrix, distortion=camera.distortion + rng.normal(0.0, BENT))
