"""The video beside a recording: what it costs, and what the eyes make of it beside the pictures themselves."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.features.camera.markers import build_markers
from assistant.features.demo.catalogue import SETUP, Demo, read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.recording.poses import entry_from_pose
from assistant.recording.video.codec import PieceEncoder, decode_piece, pack_piece
from assistant.recording.video.mpegts import TransportStream
from assistant.recording.video.recorder import PIECE_NS
from assistant.replay.reprocess.comparison import PoseComparison
from hardware.frame import Frame
from hardware.simulation.scene import Placement
from vision.pipeline import Pipeline
from vision.types import PoseState, TableSnapshot

FPS = 15
PICTURES = 120
MOVING = range(30, 80)
MOVERS = 4
STEP_MM, STEP_RAD = 1.7, 0.01
Image = NDArray[np.uint8]
Places = dict[int, Placement]


def run() -> Iterator[str]:
    """Encode a film of the demo in 1080p and in 4K, decode it, and let the eyes look at both."""
    demo = read_demo("warhammer-40k-10e")
    for name, in_4k, count in (("1080p", False, PICTURES), ("4K", True, PICTURES // 3)):
        yield from _compare_video(demo, name, count, in_4k=in_4k)


def _compare_video(demo: Demo, name: str, count: int, *, in_4k: bool) -> Iterator[str]:
    pictures, truth = _render_film(demo, count, in_4k=in_4k)
    began_s = time.process_time()
    pieces, size = _encode_film(pictures)
    encoding_ms = 1e3 * (time.process_time() - began_s) / count
    began_s = time.process_time()
    height, width = pictures[0].shape[:2]
    video = [image for piece in pieces for image in decode_piece(piece, (width, height))]
    decoding_ms = 1e3 * (time.process_time() - began_s) / count
    yield (
        f"{name}, {FPS} pictures a second: {size * FPS * 60 / count / 1e6:.0f} MB a minute;"
        f" {encoding_ms:.1f} ms of processor time a picture to write, {decoding_ms:.1f} to read"
    )
    then, now = _track_film(demo, pictures), _track_film(demo, video)
    sightings = PoseComparison()
    for at, (one, other) in enumerate(zip(then, now, strict=True)):
        sightings.add_picture(at, map(entry_from_pose, one.poses), map(entry_from_pose, other.poses))
    found = sightings.summarise()
    all_of = sum(each.compared for each in found)
    rms_mm = math.sqrt(sum(each.rms_mm**2 * each.compared for each in found) / all_of)
    yield (
        f"{name}: poses of the video lie {rms_mm:.3f} mm from those of the pictures (root mean square of {all_of}),"
        f" {max(each.largest.mm for each in found if each.largest):.2f} at most,"
        f" {max(each.largest_sigmas for each in found):.1f} sigma at most; seen in the pictures only"
        f" {sum(each.only_before for each in found)} times, in the video only {sum(each.only_now for each in found)}"
    )
    in_pictures, in_video = _measure_error(then, truth), _measure_error(now, truth)
    yield f"{name}: from the truth {in_pictures:.3f} mm in the pictures, {in_video:.3f} mm in the video"


def _render_film(demo: Demo, count: int, *, in_4k: bool) -> tuple[list[Image], list[Places]]:
    table = build_virtual_table(demo.setup, demo.state, in_4k=in_4k)
    movers = sorted(table.get_placements())[:MOVERS]
    pictures, truth = [], []
    for number in range(count):
        for tag in movers if number in MOVING else ():
            stands = table.get_placements()[tag]
            table.move(tag, replace(stands, x_mm=stands.x_mm + STEP_MM, facing_rad=stands.facing_rad + STEP_RAD))
        pictures.append(table.render())
        truth.append(dict(table.get_placements()))
    return pictures, truth


def _encode_film(pictures: Sequence[Image]) -> tuple[list[bytes], int]:
    height, width = pictures[0].shape[:2]
    stream, pieces, per_piece = TransportStream(), [], round(PIECE_NS / 1e9 * FPS)
    for first in range(0, len(pictures), per_piece):
        piece = PieceEncoder(size=(width, height))
        part = pictures[first : first + per_piece]
        for image in part:
            piece.add(image)
        pieces.append(pack_piece(stream, piece.finish(), [_compute_time_ns(first + nth) for nth in range(len(part))]))
    return pieces, sum(map(len, pieces))


def _track_film(demo: Demo, pictures: Sequence[Image]) -> list[TableSnapshot]:
    pipeline = Pipeline(markers=build_markers(demo.setup, SETUP, None, demo.state.terrain)[0])
    return [
        pipeline.step(Frame(camera="", sequence=number, captured_ns=_compute_time_ns(number), image=image.copy()))
        for number, image in enumerate(pictures)
    ]


def _measure_error(seen: Sequence[TableSnapshot], truth: Sequence[Places]) -> float:
    """Return how far from the truth models are seen as a rule, millimetres."""
    off = [
        math.hypot(pose.x_mm - places[pose.marker].x_mm, pose.y_mm - places[pose.marker].y_mm)
        for snapshot, places in zip(seen, truth, strict=True)
        for pose in snapshot.poses
        if pose.state is PoseState.SEEN
    ]
    return math.sqrt(float(np.mean(np.square(off))))


def _compute_time_ns(number: int) -> int:
    return round(number * 1e9 / FPS)
