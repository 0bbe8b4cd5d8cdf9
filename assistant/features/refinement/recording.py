"""Refinement from play: what a recorded game tells of the lens, as a lens file to use if it is better."""

from collections.abc import Callable
from pathlib import Path

from assistant.errors import BadInput
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import CalibrationSeen
from assistant.recording.video.reader import read_frames, read_runs
from assistant.replay.playback import read_first_state
from assistant.replay.verification_notice import refuse_changed
from calibration.camera_match import CameraMark
from calibration.errors import Unsolvable
from calibration.lens.file import LensFile
from calibration.table.camera_pose import guess_lens
from calibration.table.play_refinement import PlayRefinement, refine_from_play
from overtable_errors import OvertableError
from vision.anchors.resting_tags import RestingStand, RestingTags
from vision.markers import Markers
from vision.pipeline import Pipeline


def refine_recording(recording: Path, progress: Callable[[float], None]) -> PlayRefinement:
    """Look at the video of a recording again, and return what its tags at rest tell of the lens.

    Args:
        recording: the recording; nothing is written to it.
        progress: is told the share that is done.

    Raises:
        BadInput: it has no video, or too little lay still in it.

    """
    refuse_changed(recording, "it is not looked at again: take another copy, from where it was recorded")
    table = read_first_state(recording, read_about(recording)).table
    runs = read_runs(recording)
    count, done = sum(run.count for run in runs), 0
    best: tuple[RestingStand, Markers] | None = None
    for run in runs:
        gathered, pipeline = RestingTags(), Pipeline(markers=run.markers[0][1])
        changes: list[tuple[int, Markers]] = list(run.markers[1:])
        for frame in read_frames(recording, run):
            while changes and changes[0][0] <= frame.captured_ns:
                pipeline.markers = changes.pop(0)[1]
                gathered.begin_anew()
            try:
                gathered.add(pipeline, pipeline.step(frame))
            except OvertableError as error:
                raise BadInput(f"{recording}: its video cannot be looked at: {error}") from None
            done += 1
            progress(done / count)
        stand = gathered.fullest
        if stand and (best is None or len(stand.tags) > len(best[0].tags)):
            best = stand, pipeline.markers
    if best is None:
        raise BadInput(f"{recording}: no base lay still in it where the anchors were seen; play on, and record longer")
    stand, markers = best
    try:
        return refine_from_play(
            known=markers.lens or guess_lens(stand.camera.lens.image_size),
            in_use=stand.camera,
            place=stand.place,
            resting=stand.tags,
            width_mm=table.width_mm,
            depth_mm=table.depth_mm,
        )
    except Unsolvable as error:
        raise BadInput(f"{recording}: {error}; record a game with more bases, all over the table") from None


def read_camera(recording: Path) -> CameraMark | None:
    """Return which camera a recorded game was seen by; None where it does not say."""
    seen = (entry.what for entry in read_entries(recording) if isinstance(entry.what, CalibrationSeen))
    return next((calibration.camera for calibration in seen), None)


def build_lens_file(refinement: PlayRefinement, camera: CameraMark | None) -> LensFile:
    """Return the lens file that a refinement comes to, of the camera that the game was seen by."""
    return LensFile.from_lens(refinement.lens, camera, held_out_px=refinement.held_out_px)
