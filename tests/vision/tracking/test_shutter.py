"""The shutter: what a set-up says of the readout stands; else pictures of moving tags tell it."""

import numpy as np

from tests.vision.synthetic_camera import CAMERA, IMAGE_SIZE, make_enrolled_tag
from tests.vision.tracking.test_motion import CLEAN, FRAME_S, see
from vision.tags.pose_estimation import measure_bases
from vision.tags.row_times import Readout
from vision.tracking.shutter import ShutterWatch
from vision.tracking.tracks import Track, advance_tracks

READOUT_S = 0.016


def watch_slide(shutter: ShutterWatch) -> None:
    """Show a base that slides before a rolling shutter."""
    tracks: dict[int, Track] = {}
    for number in range(30):
        captured_ns = round(number * FRAME_S * 1e9)
        fit = see(lambda s: (200 + 300 * s, 300 + 200 * s, 0.3), number * FRAME_S, READOUT_S, seed=number)
        motions = shutter.estimate_motions(tracks, {1: fit.corners_px}, captured_ns, height=IMAGE_SIZE[1])
        assert motions.keys() == tracks.keys()
        bases = {1: make_enrolled_tag(1)}
        now = measure_bases(CAMERA, [fit], bases, {}, CLEAN, motions=motions, readout=shutter.readout)
        shutter.learn_readout(now, CLEAN.floor_px)
        tracks = advance_tracks(tracks, now, captured_ns)


def test_what_moves_tells_the_readout() -> None:
    shutter = ShutterWatch()
    before = shutter.readout
    watch_slide(shutter)
    assert shutter.readout.sigma_s < before.sigma_s / 3
    assert abs(shutter.readout.s - READOUT_S) < 4 * shutter.readout.sigma_s


def test_what_the_set_up_says_of_the_readout_stands() -> None:
    known = Readout(s=0.01, sigma_s=1e-4)
    shutter = ShutterWatch(known=known)
    watch_slide(shutter)
    assert shutter.readout is known
    shutter.known = None
    assert shutter.readout == ShutterWatch().readout, "nothing was learned meanwhile"


def test_what_nobody_knows_yet_and_what_rests_has_no_motion() -> None:
    corners_px = np.array([[0.0, 0.0], [20.0, 0.0], [20.0, 20.0], [0.0, 20.0]])
    assert ShutterWatch().estimate_motions({}, {1: corners_px}, 0, height=IMAGE_SIZE[1]) == {}
