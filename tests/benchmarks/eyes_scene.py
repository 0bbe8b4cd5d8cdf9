"""Films of a virtual table with truth, on disk: what the contenders of the bench for eyes are shown."""

import math
import pickle
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from hardware.virtual.optics import CameraModel, overhead
from hardware.virtual.scene import Placement, Scene, VirtualBase
from hardware.virtual.table import VirtualTable
from tests.vision.moves import least_jerk
from tests.vision.staged import ANCHORS, Disc, anchor_room, base_of, covered, free_place, lens_of, markers_of, radius_of
from vision.markers import Markers

FPS = 30
MOVERS = 10
REST_FRAMES = 45
"""Everything stands still at first, while the line starts up and then has nothing to follow."""
STROKE_FRAMES = 16
PAUSE_FRAMES = 6
STROKE_MM = 84.0
"""With the smoothest start and stop a hand is at 295 mm/s in the middle of it."""
QUALITY = 90
SIZES = {"4K": (3840, 2160), "1080p": (1920, 1080)}
OVERHANG_MM = (-6.0, 0.0)
TAGS_MM = {"4K": (12.0, 16.0), "1080p": (20.0, 20.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The truth of one base in one picture."""

    at: Placement
    whole: bool
    """Nothing hides any of its tag."""
    moving: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """What the pictures of a folder show."""

    camera: CameraModel
    markers: Markers
    bases: dict[int, VirtualBase]
    truth: tuple[dict[int, Seen], ...]
    """By picture, then tag."""


def shoot(folder: Path, *, size: str, count: int, frames: int, seed: int) -> None:
    """Render a table of bases, of which ten slide, into a folder: pictures as JPEG, and the film's truth."""
    rng = np.random.default_rng([seed, count])
    plan, scene = _layout(rng, size, count)
    camera = overhead(image_size=SIZES[size])
    table = VirtualTable(scene, camera, seed=seed)
    truth = []
    before = dict(scene.placements)
    for number in range(frames):
        for tag, (start, bearing_rad, spin_rad) in plan.items():
            way = _way(number)
            table.move(
                tag,
                Placement(
                    x_mm=start.x_mm + STROKE_MM * way * math.cos(bearing_rad),
                    y_mm=start.y_mm + STROKE_MM * way * math.sin(bearing_rad),
                    facing_rad=start.facing_rad + spin_rad * way,
                ),
            )
        picture, now = table.render(), dict(table.placements())
        hidden = covered(table, now)
        truth.append({t: Seen(at=at, whole=hidden[t] == 0, moving=at != before[t]) for t, at in now.items()})
        before = now
        cv2.imwrite(str(folder / f"{number:03}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    film = Film(
        camera=camera,
        markers=markers_of(scene, lens_of(camera)),
        bases={base.tag: base for base in scene.bases},
        truth=tuple(truth),
    )
    (folder / "film.pickle").write_bytes(pickle.dumps(film))


def _layout(rng: np.random.Generator, size: str, count: int) -> tuple[dict[int, tuple[Placement, float, float]], Scene]:
    """Place the sliding bases with the way they need, then the others; return how each slides, and the scene."""
    bases = tuple(
        base_of(rng, tag, sizes_mm=TAGS_MM[size], figures=0.3, overhang_mm=OVERHANG_MM) for tag in range(count)
    )
    empty = Scene(bases=bases, anchors=ANCHORS)
    taken, placements, plan = anchor_room(), {}, {}
    for base in bases:
        radius_mm = radius_of(base)
        room_mm = radius_mm + (STROKE_MM / 2 if base.tag < MOVERS else 0.0)
        place = free_place(rng, taken, room_mm, empty)
        if place is None:
            raise RuntimeError(f"{count} bases do not find room on the table")
        x_mm, y_mm = place
        turn_rad, bearing_rad = rng.uniform(-math.pi, math.pi, 2)
        at = Placement(x_mm=x_mm, y_mm=y_mm, facing_rad=float(turn_rad))
        if base.tag < MOVERS:
            back = STROKE_MM / 2
            x_mm, y_mm = x_mm - back * math.cos(bearing_rad), y_mm - back * math.sin(bearing_rad)
            at = Placement(x_mm=x_mm, y_mm=y_mm, facing_rad=float(turn_rad))
            plan[base.tag] = (at, float(bearing_rad), float(rng.uniform(-1, 1)))
        taken.append(Disc(x_mm=place[0], y_mm=place[1], radius_mm=room_mm))
        placements[base.tag] = at
    return plan, Scene(bases=bases, anchors=ANCHORS, placements=placements)


def _way(number: int) -> float:
    """Return how far along its stroke a base is: there, a short stop, and back, each with the least jerk."""
    since = number - REST_FRAMES
    there = min(max(since / STROKE_FRAMES, 0.0), 1.0)
    back = min(max((since - STROKE_FRAMES - PAUSE_FRAMES) / STROKE_FRAMES, 0.0), 1.0)
    return least_jerk(there) - least_jerk(back)
