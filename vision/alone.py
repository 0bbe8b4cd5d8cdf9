"""One picture that nothing came before."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.table import guess_lens
from vision.calibrate import calibration_id, trusted_camera
from vision.detect import detect, prints_of, whole
from vision.grey import as_grey, check_size
from vision.locate import measure, usual
from vision.markers import Markers
from vision.refine import refine
from vision.track import advance, base_pose
from vision.types import TableSnapshot


def locate_alone(markers: Markers, image: NDArray[np.uint8], captured_ns: int) -> TableSnapshot:
    """Return where every base stands in one picture that nothing came before.

    Raises:
        calibration.errors.Unsolvable: the anchors in the picture do not determine the camera's place.
        ValueError: the picture's size is not the lens's.

    """
    grey = as_grey(image)
    check_size(markers.lens, grey)
    by_tag = prints_of(detect(grey, [whole(grey)], markers.tags))
    twice = {tag for tag, prints in by_tag.items() if len(prints) > 1}
    fits = refine(grey, [prints[0] for tag, prints in by_tag.items() if tag not in twice])
    seen_px = {fit.tag: fit.corners_px for fit in fits}
    lens = markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
    noise_px2 = {fit.tag: fit.covariance_px2 for fit in fits}
    found, camera = trusted_camera(markers, lens, seen_px, noise_px2)
    measured = measure(camera, fits, markers.bases, {}, usual(camera, ()))
    tracks = advance({}, measure(camera, fits, markers.bases, {}, usual(camera, measured)), captured_ns)
    poses = (base_pose(track, markers.bases[tag], captured_ns) for tag, track in sorted(tracks.items()))
    return TableSnapshot(
        captured_ns=captured_ns,
        sequence=0,
        calibration=calibration_id(camera),
        anchors_seen=sum(anchor.tag in seen_px for anchor in markers.anchors),
        shown_twice=tuple(sorted(twice)),
        wrong_anchors=found.texts,
        poses=tuple(replace(pose, moving=False) for pose in poses),  # one picture shows no motion
    )
