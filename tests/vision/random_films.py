"""Random films of virtual tables, for the trial of vision: a seed is a table and what happens there.

Camera, lens, blur, noise, light and shadow, terrain, figures, a wandering hand, projected light, and models that slide,
turn, are lifted, carried and taken away.  The truth of every frame comes from the table.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.overlay.palette import PALETTE
from assistant.overlay.raster import darken_masks, rasterise, warp_from_homography
from assistant.overlay.shapes import Layer, OverlayShape, Points
from hardware.frame import Frame
from hardware.rings.words import load_ring_list
from hardware.simulation.ground import find_floor_height
from hardware.simulation.optics import CameraModel, build_overhead_camera
from hardware.simulation.scene import Placement, VirtualBase, VirtualScene, VirtualTerrain
from hardware.simulation.virtual_table import VirtualTable
from tests.vision.base_motion import list_taken_room, place_bases, plan_motion
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
        if number < self._keys[0][0] or self._away < number < self._away + 25:
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


def average_pictures(views: Sequence[Grey]) -> Grey:
    """Return the mean of some pictures, as a shutter that stays open takes it."""
    if len(views) == 1:
        return views[0]
    total = np.zeros(views[0].shape, dtype=np.uint16)
    for view in views:
        total = cv2.add(total, view, dtype=cv2.CV_16U)  # type: ignore[assignment]
    return np.asarray(cv2.convertScaleAbs(total, alpha=1 / len(views)), dtype=np.uint8)


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
    noise: float
    blur_px: float
    exposure: float
    """Share of the time between two frames in which the shutter is open; 0 for an instant."""
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

    def __str__(self) -> str:
        lens = "lens known" if self.lens_known else "lens solved"
        extras = [name for name in ("hand", "blocks", "shaded", "twin") if getattr(self, name)]
        return (
            f"{self.size}, {lens}, {self.count} bases, noise {self.noise:.1f}, blur {self.blur_px:.1f}, "
            f"shutter {self.exposure:.1f}, brightness {self.brightness:.1f}, light {self.light}, "
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
    """One table and what happens on it."""

    def __init__(self, seed: int, *, frames: int, size: str | None = None, ringed: bool = False) -> None:
        """Draw the lots of a seed; ``size`` overrules which camera it would be."""
        self._rng = np.random.default_rng([seed, 77])
        self.conditions = _draw_conditions(self._rng, seed, size, ringed=ringed)
        self.frames = frames
        self.scene = _draw_scene(self._rng, self.conditions)
        self.camera = _vary_camera(
            _draw_camera(self._rng, SIZES[self.conditions.size]), np.random.default_rng([seed, 78])
        )
        self._plan = plan_motion(self._rng, self.scene, frames=frames, share=0.6)
        lens = lens_from_camera(self.camera, self._rng) if self.conditions.lens_known else None
        self.markers: Markers = markers_from_scene(self.scene, lens)
        if ringed:
            self.markers = _exchange_rings(np.random.default_rng([seed, 79]), self.markers)
        self.table: VirtualTable
        still = sorted(set(self.scene.placements) - set(self._plan.moved_tags))
        place = find_free_place(self._rng, list_taken_room(self.scene, self.scene.placements), 30.0, self.scene)
        known = [marker for marker in still if marker in self.markers.bases]
        self._twin = (known[0], complex(*place)) if known and place else None

    def render_moments(self) -> Iterator[FilmMoment]:
        """Render the film."""
        lots, shutter = self.conditions, self.conditions.exposure
        noise = lots.noise * math.sqrt(3 if shutter else 1)  # three pictures are averaged
        self.table = VirtualTable(
            self.scene, self.camera, seed=lots.seed, noise=noise, blur_px=lots.blur_px, colour=False
        )
        size = SIZES[lots.size]
        gain = render_room_light(self._rng, size, brightness=lots.brightness, shaded=lots.shaded)
        hand = Hand(self._rng, self.scene, self.frames) if lots.hand else None
        before = self._plan.find_placements(-1)
        for number in range(self.frames):
            if lots.light != "none" and number % LAMP_EVERY == 0:
                bases = self.scene.bases if lots.light == "masked" else ()
                self.table.project_picture(render_projection(self._rng, self.table, bases))
            views = []
            for since in (-shutter / 2, shutter / 2, 0.0) if shutter else (0.0,):
                now = self._plan.find_placements(number + since)
                self._place_bases(now)
                if hand is not None:
                    self.table.hold_hand(hand.find_outline(number + since), above_mm=hand.above_mm)
                views.append(self.table.render())
            hidden = measure_hidden_shares(self.table, now)
            known = {marker: at for marker, at in now.items() if marker in self.markers.bases}
            truth = {tag: self._find_truth(at, hidden[tag], before.get(tag)) for tag, at in known.items()}
            before = now
            picture = np.asarray(cv2.multiply(average_pictures(views), gain, scale=1 / 128), dtype=np.uint8)
            twin = self._copy_second_print(picture, now) if lots.twin and number >= self.frames // 2 else None
            captured_ns = round(number * 1e9 / FPS)
            frame = Frame(camera="film", sequence=number, captured_ns=captured_ns, image=picture)
            yield FilmMoment(frame=frame, truth=truth, twin=twin)

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

    def _place_bases(self, now: dict[int, Placement]) -> None:
        for base in self.scene.bases:
            self.table.move(base.marker, now.get(base.marker))

    def _find_truth(self, at: Placement, hidden: float, before: Placement | None) -> BaseTruth:
        floor_mm = find_floor_height(self.scene, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm)
        return BaseTruth(at=at, hidden=hidden, moving=at != before, floor_mm=floor_mm)


def _draw_conditions(rng: np.random.Generator, seed: int, size: str | None, *, ringed: bool) -> FilmConditions:
    drawn = "4K" if rng.uniform() < 0.35 else "1080p"
    return FilmConditions(
        seed=seed,
        size=size or drawn,
        lens_known=bool(rng.uniform() < 0.6),
        count=int(rng.integers(8, 45)),
        noise=float(rng.uniform(0.8, 4.0)),
        blur_px=float(rng.uniform(0.3, 0.9)),
        exposure=float(rng.choice([0.0, 0.0, 0.0, 0.3])),
        brightness=float(rng.uniform(0.45, 1.1)),
        shaded=bool(rng.uniform() < 0.3),
        light=str(rng.choice(["none", "masked", "bare"])),
        hand=bool(rng.uniform() < 0.7),
        blocks=bool(rng.uniform() < 0.4),
        twin=bool(rng.uniform() < 0.15),
        ringed=ringed,
    )


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


def _draw_camera(rng: np.random.Generator, image_size: tuple[int, int]) -> CameraModel:
    k1 = float(rng.uniform(-0.14, 0.02))
    eye_mm = (762 + float(rng.uniform(-260, 260)), 559 + float(rng.uniform(-320, 160)), float(rng.uniform(1250, 1900)))
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
