"""Films of virtual tables drawn by lot, for the trial of the eyes' honesty: a seed is a table and what happens there.

Camera, lens, blur, noise, light and shadow, terrain, figures, a wandering hand, projected light, and models that slide,
turn, are lifted, carried and taken away.  The truth of every frame comes from the table.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Frame
from hardware.virtual.ground import floor_below
from hardware.virtual.optics import CameraModel, overhead
from hardware.virtual.scene import Placement, Scene, Terrain
from hardware.virtual.table import VirtualTable
from tests.vision.moves import plan, rooms, stand
from tests.vision.staged import ANCHORS, base_of, covered, free_place, lens_of, markers_of, paper_px
from tests.vision.surroundings import Hand, averaged, lamp, room_light
from vision.markers import Markers

FPS = 30
SIZES = {"1080p": (1920, 1080), "4K": (3840, 2160)}
TAGS_MM = {"1080p": (18.0, 24.0), "4K": (12.0, 18.0)}
OVERHANG_MM = (-6.0, 2.5)
OFF_CENTRE = 0.01
"""How far a lens sits off its sensor's middle, as a share of the picture's width; one sigma."""
BENT = np.array([0.05, 0.03, 5e-4, 5e-4, 0.03])
"""How far lenses of a kind differ in k1, k2, p1, p2, k3; one sigma."""
LAMP_EVERY = 20
"""Frames after which the projector shows something else."""
Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
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
    """From the middle on a second print of one tag lies on the table."""

    def __str__(self) -> str:
        lens = "lens known" if self.lens_known else "lens solved"
        extras = [name for name in ("hand", "blocks", "shaded", "twin") if getattr(self, name)]
        return (
            f"{self.size}, {lens}, {self.count} bases, noise {self.noise:.1f}, blur {self.blur_px:.1f}, "
            f"shutter {self.exposure:.1f}, brightness {self.brightness:.1f}, light {self.light}, {' '.join(extras)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """One base in one frame."""

    at: Placement
    hidden: float
    """Share of its tag with the white rim that is not to be seen, from 0 to 1."""
    moving: bool
    floor_mm: float
    """Height of the surface below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A frame, and what is true in it."""

    frame: Frame
    truth: dict[int, Truth]
    """By tag; what is off the table is left out."""
    twin: tuple[int, complex] | None
    """A tag of which a second print is to be seen, and where the base of that print would stand, mm."""


class Film:
    """One table and what happens on it."""

    def __init__(self, seed: int, *, frames: int, size: str | None = None) -> None:
        """Draw the lots of a seed; ``size`` overrules which camera it would be."""
        self._rng = np.random.default_rng([seed, 77])
        self.conditions = _conditions(self._rng, seed, size)
        self.frames = frames
        self.scene = _scene(self._rng, self.conditions)
        self.camera = _as_made(_camera(self._rng, SIZES[self.conditions.size]), np.random.default_rng([seed, 78]))
        self._plan = plan(self._rng, self.scene, frames=frames, share=0.6)
        lens = lens_of(self.camera, self._rng) if self.conditions.lens_known else None
        self.markers: Markers = markers_of(self.scene, lens)
        self.table: VirtualTable
        still = sorted(set(self.scene.placements) - set(self._plan.moved))
        place = free_place(self._rng, rooms(self.scene, self.scene.placements), 30.0, self.scene)
        self._twin = (still[0], complex(*place)) if still and place else None

    def moments(self) -> Iterator[Moment]:
        """Render the film."""
        lots, shutter = self.conditions, self.conditions.exposure
        noise = lots.noise * math.sqrt(3 if shutter else 1)  # three pictures are averaged
        self.table = VirtualTable(
            self.scene, self.camera, seed=lots.seed, noise=noise, blur_px=lots.blur_px, colour=False
        )
        size = SIZES[lots.size]
        gain = room_light(self._rng, size, brightness=lots.brightness, shaded=lots.shaded)
        hand = Hand(self._rng, self.scene, self.frames) if lots.hand else None
        before = self._plan.at(-1)
        for number in range(self.frames):
            if lots.light != "none" and number % LAMP_EVERY == 0:
                bases = self.scene.bases if lots.light == "masked" else ()
                self.table.light(lamp(self._rng, self.table, bases))
            views = []
            for since in (-shutter / 2, shutter / 2, 0.0) if shutter else (0.0,):
                now = self._plan.at(number + since)
                self._lay(now)
                if hand is not None:
                    self.table.hide(hand.outline(number + since), above_mm=hand.above_mm)
                views.append(self.table.render())
            hidden = covered(self.table, now)
            truth = {tag: self._truth(at, hidden[tag], before.get(tag)) for tag, at in now.items()}
            before = now
            picture = np.asarray(cv2.multiply(averaged(views), gain, scale=1 / 128), dtype=np.uint8)
            twin = self._print(picture, now) if lots.twin and number >= self.frames // 2 else None
            captured_ns = round(number * 1e9 / FPS)
            frame = Frame(camera="film", sequence=number, captured_ns=captured_ns, image=picture)
            yield Moment(frame=frame, truth=truth, twin=twin)

    def _print(self, picture: Grey, now: dict[int, Placement]) -> tuple[int, complex] | None:
        """Copy one standing tag to where it was decided that its second print lies."""
        if self._twin is None or self._twin[0] not in now:
            return None
        tag, place = self._twin
        corners = paper_px(self.table, now)[tag]
        at, height_mm = now[tag], self.markers.bases[tag].height_mm
        spots = np.array([(at.x_mm, at.y_mm, height_mm), (place.real, place.imag, height_mm)])
        shift = np.rint(np.diff(self.camera.project(spots), axis=0)[0]).astype(int)
        there_px = self.camera.project(spots[:1]) + shift
        low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int) + 1
        size = np.array(self.camera.image_size)
        if min(low.min(), (low + shift).min()) < 0 or (np.maximum(high, high + shift) > size).any():
            return None
        copied = picture[low[1] : high[1], low[0] : high[0]].copy()
        picture[low[1] + shift[1] : high[1] + shift[1], low[0] + shift[0] : high[0] + shift[0]] = copied
        return tag, complex(*self.camera.sight(there_px, z_mm=height_mm)[0])

    def _lay(self, now: dict[int, Placement]) -> None:
        for base in self.scene.bases:
            self.table.move(base.tag, now.get(base.tag))

    def _truth(self, at: Placement, hidden: float, before: Placement | None) -> Truth:
        floor_mm = floor_below(self.scene, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm)
        return Truth(at=at, hidden=hidden, moving=at != before, floor_mm=floor_mm)


def _conditions(rng: np.random.Generator, seed: int, size: str | None) -> Conditions:
    drawn = "4K" if rng.uniform() < 0.35 else "1080p"
    return Conditions(
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
    )


def _scene(rng: np.random.Generator, lots: Conditions) -> Scene:
    bases = tuple(
        base_of(rng, tag, sizes_mm=TAGS_MM[lots.size], figures=0.5, overhang_mm=OVERHANG_MM)
        for tag in sorted(rng.choice(570, lots.count, replace=False).tolist())
    )
    terrain = []
    for i in range(4):
        x_mm, y_mm = 300 + i % 2 * 800 + rng.uniform(-80, 80), 320 + i // 2 * 440 + rng.uniform(-60, 60)
        long_mm, wide_mm = rng.uniform(70, 120, 2)
        corners = ((-long_mm, -wide_mm), (long_mm, -wide_mm), (long_mm, wide_mm), (-long_mm, wide_mm))
        raised = lots.blocks and i < 3
        terrain.append(
            Terrain(
                outline_mm=tuple((float(x_mm + x), float(y_mm + y)) for x, y in corners),
                height_mm=float(rng.choice([6.0, 12.0, 30.0, 75.0])),
                raised=raised,
            )
        )
    empty = Scene(bases=bases, anchors=ANCHORS, terrain=tuple(terrain))
    placements = stand(rng, empty)
    return Scene(bases=bases, anchors=ANCHORS, terrain=tuple(terrain), placements=placements)


def _camera(rng: np.random.Generator, image_size: tuple[int, int]) -> CameraModel:
    k1 = float(rng.uniform(-0.14, 0.02))
    eye_mm = (762 + float(rng.uniform(-260, 260)), 559 + float(rng.uniform(-320, 160)), float(rng.uniform(1250, 1900)))
    return overhead(
        image_size=image_size,
        eye_mm=eye_mm,
        roll_rad=float(rng.normal(0, 0.02)),
        distortion=(k1, float(rng.uniform(-0.01, 0.015)), 3e-4, -4e-4, 0.0),
    )


def _as_made(camera: CameraModel, rng: np.random.Generator) -> CameraModel:
    """Give a camera what tells one lens from another of its kind: off its sensor's middle, and bent a little more."""
    matrix = camera.matrix.copy()
    matrix[:2, 2] += rng.normal(0.0, OFF_CENTRE * camera.image_size[0], 2)
    return replace(camera, matrix=matrix, distortion=camera.distortion + rng.normal(0.0, BENT))
