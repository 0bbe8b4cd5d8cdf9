"""Films of a virtual table with truth, on disk: what the contenders of `bench_vision` are shown."""

import math
import pickle
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from hardware.simulation.optics import CameraModel, build_overhead_camera
from hardware.simulation.scene import Placement, VirtualBase, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from hardware.tag36h11 import MODULES
from tests.vision.base_motion import least_jerk
from tests.vision.pose_scoring import READABLE
from tests.vision.random_films import RandomFilm
from tests.vision.random_scenes import (
    ANCHORS,
    Disc,
    find_free_place,
    lens_from_camera,
    list_anchor_room,
    make_base,
    make_ringed_base,
    markers_from_scene,
    measure_hidden_shares,
    measure_radius,
)
from tests.vision.worlds import WORLDS
from vision.marker_numbers import get_ring
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
WORLD_QUALITY = 97
"""Pictures of a world have been through its own camera's JPEG before."""
SIZES = {"4K": (3840, 2160), "1080p": (1920, 1080)}
OVERHANG_MM = (-6.0, 0.0)
WHOLE_TAGS, RINGS_SEEN = (0.0,), (0.4, 0.5, 1.0)
"""Shares of markers that are hidden, up to which they must be found: no tag is found of which much is hidden."""
TAGS_MM = {"4K": (12.0, 16.0), "1080p": (20.0, 20.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedBase:
    """The truth of one base in one picture."""

    at: Placement
    hidden: float
    """Share of its marker that is not to be seen."""
    moving: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFilm:
    """What the pictures of a folder show."""

    camera: CameraModel
    markers: Markers
    bases: dict[int, VirtualBase]
    truth: tuple[dict[int, FilmedBase], ...]
    """By picture, then marker."""
    counted: tuple[float, ...]
    """Markers count of which no more than these shares are hidden; errors are told of all up to the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmPlan:
    """What is to be on a film."""

    size: str
    count: int
    """Bases."""
    frames: int
    movers: int = MOVERS
    marked: str = "beside"
    """beside: tags, three in ten with a figure beside them; ring: figures on ringed bases; middle: figures on tags in
    the middle of the same bases, as large as the bases allow."""


def shoot(folder: Path, wanted: FilmPlan, *, seed: int) -> None:
    """Render a table of bases, of which some slide, into a folder: pictures as JPEG, and the film's truth."""
    rng = np.random.default_rng([seed, wanted.count])
    plan, scene = _lay_out_scene(rng, wanted)
    camera = build_overhead_camera(image_size=SIZES[wanted.size])
    table = VirtualTable(scene, camera, seed=seed)
    truth = []
    before = dict(scene.placements)
    for number in range(wanted.frames):
        for tag, (start, bearing_rad, spin_rad) in plan.items():
            way = _find_way(number)
            table.move(
                tag,
                Placement(
                    x_mm=start.x_mm + STROKE_MM * way * math.cos(bearing_rad),
                    y_mm=start.y_mm + STROKE_MM * way * math.sin(bearing_rad),
                    facing_rad=start.facing_rad + spin_rad * way,
                ),
            )
        picture, now = table.render(), dict(table.get_placements())
        hidden = measure_hidden_shares(table, now)
        truth.append({t: FilmedBase(at=at, hidden=hidden[t], moving=at != before[t]) for t, at in now.items()})
        before = now
        cv2.imwrite(str(folder / f"{number:03}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    film = StoredFilm(
        camera=camera,
        markers=markers_from_scene(scene, lens_from_camera(camera)),
        bases={base.marker: base for base in scene.bases},
        truth=tuple(truth),
        counted=WHOLE_TAGS if wanted.marked == "beside" else RINGS_SEEN,
    )
    (folder / "film.pickle").write_bytes(pickle.dumps(film))


def shoot_world(folder: Path, world: str, *, ringed: bool, frames: int, seed: int) -> None:
    """Render a film of a world into a folder, as `shoot` does."""
    film, truth = RandomFilm(seed, frames=frames, ringed=ringed, world=WORLDS[world]), []
    for number, moment in enumerate(film.render_moments()):
        truth.append({m: FilmedBase(at=t.at, hidden=t.hidden, moving=t.moving) for m, t in moment.truth.items()})
        path = str(folder / f"{number:03}.jpg")
        cv2.imwrite(path, moment.frame.image, [cv2.IMWRITE_JPEG_QUALITY, WORLD_QUALITY])
    stored = StoredFilm(
        camera=film.camera,
        markers=film.markers,
        bases={base.marker: base for base in film.scene.bases},
        truth=tuple(truth),
        counted=(READABLE,) if ringed else WHOLE_TAGS,
    )
    (folder / "film.pickle").write_bytes(pickle.dumps(stored))


def _lay_out_scene(
    rng: np.random.Generator, wanted: FilmPlan
) -> tuple[dict[int, tuple[Placement, float, float]], VirtualScene]:
    """Place the sliding bases with the way they need, then the others; return how each slides, and the scene."""
    bases = tuple(_make_base(rng, number, wanted) for number in range(wanted.count))
    empty = VirtualScene(bases=bases, anchors=ANCHORS)
    taken, placements, plan = list_anchor_room(), {}, {}
    for number, base in enumerate(bases):
        room_mm = measure_radius(base) + (STROKE_MM / 2 if number < wanted.movers else 0.0)
        place = find_free_place(rng, taken, room_mm, empty)
        if place is None:
            raise RuntimeError(f"{wanted.count} bases do not find room on the table")
        x_mm, y_mm = place
        turn_rad, bearing_rad = rng.uniform(-math.pi, math.pi, 2)
        at = Placement(x_mm=x_mm, y_mm=y_mm, facing_rad=float(turn_rad))
        if number < wanted.movers:
            back = STROKE_MM / 2
            x_mm, y_mm = x_mm - back * math.cos(bearing_rad), y_mm - back * math.sin(bearing_rad)
            at = Placement(x_mm=x_mm, y_mm=y_mm, facing_rad=float(turn_rad))
            plan[base.marker] = (at, float(bearing_rad), float(rng.uniform(-1, 1)))
        taken.append(Disc(x_mm=place[0], y_mm=place[1], radius_mm=room_mm))
        placements[base.marker] = at
    if wanted.marked == "middle":
        bases = tuple(_put_tag_in_middle(base) for base in bases)
        placements = {get_ring(marker): at for marker, at in placements.items()}
        plan = {get_ring(marker): way for marker, way in plan.items()}
    return plan, VirtualScene(bases=bases, anchors=ANCHORS, placements=placements)


def _make_base(rng: np.random.Generator, number: int, wanted: FilmPlan) -> VirtualBase:
    if wanted.marked == "beside":
        return make_base(rng, number, sizes_mm=TAGS_MM[wanted.size], figures=0.3, overhang_mm=OVERHANG_MM)
    return make_ringed_base(rng, number, in_4k=wanted.size == "4K")


def _put_tag_in_middle(base: VirtualBase) -> VirtualBase:
    """Return a base with a tag, as large as finds room with its white surround, below the figure in its middle."""
    least_mm = float(np.ptp(np.array(base.outline_mm), axis=0).min())
    is_square = len(base.outline_mm) == 4
    size_mm = least_mm / (1.0 if is_square else math.sqrt(2)) * (MODULES - 2) / MODULES
    return replace(base, marker=get_ring(base.marker), ring=None, size_mm=round(size_mm, 1))


def _find_way(number: int) -> float:
    """Return how far along its stroke a base is: there, a short stop, and back, each with the least jerk."""
    since = number - REST_FRAMES
    there = min(max(since / STROKE_FRAMES, 0.0), 1.0)
    back = min(max((since - STROKE_FRAMES - PAUSE_FRAMES) / STROKE_FRAMES, 0.0), 1.0)
    return least_jerk(there) - least_jerk(back)
