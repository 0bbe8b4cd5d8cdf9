"""Stills: vision on one picture that nothing came before."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.table.camera_pose import guess_lens
from vision.anchors.camera_pose import get_calibration_id, solve_trusted_camera
from vision.images import check_size, convert_to_grey
from vision.markers import Markers
from vision.quality.hindrance import (
    explain_unmeasured,
    explain_unread_markers,
    find_hindrances,
    list_named,
    select_unseen,
)
from vision.rings.decoding import UnreadRing
from vision.rings.following import RingFollower
from vision.rings.measurement import measure_rings
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, group_prints, select_whole
from vision.tags.faint_tags import UnreadTag, find_faint_tags, select_tags, want_tag
from vision.tags.pose_estimation import estimate_typical_fit, measure_bases, place_on_surface
from vision.tracking.tracks import begin_standing_tracks, pose_from_track
from vision.types import TableSnapshot

FEW_ANCHORS = 3
"""Fewer hold the camera loosely, and where there are more that is worth a word."""


def locate_bases_in_image(markers: Markers, image: NDArray[np.uint8], captured_ns: int) -> TableSnapshot:
    """Return where every base stands in one picture that nothing came before.

    Raises:
        calibration.errors.Unsolvable: the anchors in the picture do not determine the camera's place.
        ValueError: the picture's size is not the lens's.

    """
    grey = convert_to_grey(image)
    check_size(markers.lens, grey)
    by_tag = group_prints(detect_tags(grey, [select_whole(grey)], markers.tags))
    twice = {tag for tag, prints in by_tag.items() if len(prints) > 1}
    fits = refine_corners(grey, [prints[0] for tag, prints in by_tag.items() if tag not in twice])
    seen_px = {fit.tag: fit.corners_px for fit in fits}
    followed = markers.followed
    read_px = {tag: prints[0].corners_px for tag, prints in by_tag.items() if tag in followed and tag not in twice}
    lens = markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
    noise_px2 = {fit.tag: fit.covariance_px2 for fit in fits}
    examination, camera = solve_trusted_camera(markers, lens, seen_px, noise_px2)
    bases, follower = markers.tagged, RingFollower()
    unseen = [want_tag(base) for tag, base in bases.items() if tag not in by_tag]
    faint = find_faint_tags(camera, grey, [select_whole(grey)], unseen)
    fits, read_px = [*fits, *refine_corners(grey, faint.tags)], read_px | {t.tag: t.corners_px for t in faint.tags}
    seen_px |= {fit.tag: fit.corners_px for fit in fits}
    rings = follower.find(
        camera,
        grey,
        markers.ringed,
        listed=markers.ring_words,
        surfaces=markers.surfaces,
        tags_px=list(seen_px.values()),
    )
    measured = measure_bases(camera, fits, bases, {}, estimate_typical_fit(camera, ()))
    measured = measure_bases(camera, fits, bases, {}, estimate_typical_fit(camera, measured))
    measured += [place_on_surface(m, 0.0) for m in measure_rings(camera, rings)]
    tracks = begin_standing_tracks(measured, captured_ns, markers.surfaces, grounded=markers.terrain)
    anchors_seen = sum(anchor.tag in seen_px for anchor in markers.anchors)
    # Where few anchors hold the camera, or contradict each other, prints look bent that are not.
    is_held = anchors_seen >= FEW_ANCHORS and not examination.undecided
    unmeasured_px = {tag: corners_px for tag, corners_px in read_px.items() if is_held and tag not in tracks}
    poses = [
        # One picture shows no motion.
        replace(pose_from_track(track, followed[marker].model, captured_ns), moving=False)
        for marker, track in sorted(tracks.items())
    ]
    hindered = find_hindrances(grey, camera, followed, tracks) | {
        tag: explain_unmeasured(grey, camera, bases[tag], corners_px) for tag, corners_px in unmeasured_px.items()
    }
    known_px = [*seen_px.values(), *read_px.values()]
    prints: list[UnreadTag | UnreadRing] = [*select_tags(faint.unread, known_px), *follower.unread]
    unread = explain_unread_markers(grey, camera, select_unseen(followed, tracks), prints, hindered)
    return TableSnapshot(
        captured_ns=captured_ns,
        sequence=0,
        calibration=get_calibration_id(camera),
        camera=camera,
        anchors_seen=anchors_seen,
        shown_twice=tuple(sorted(twice | follower.duplicates.keys())),
        wrong_anchors=examination.texts,
        hindered=hindered | list_named(unread),
        unread=unread,
        poses=tuple(pose for pose in poses if pose.marker in markers.bases),
        terrain=tuple(pose for pose in poses if pose.marker in markers.terrain),
    )
