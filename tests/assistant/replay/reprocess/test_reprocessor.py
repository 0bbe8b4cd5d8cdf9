"""A recorded video through the eyes again: the same comes of the same, and what comes out otherwise is told."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.features.camera.markers import build_markers
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import CalibrationSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.video.reader import VideoRun, read_runs
from assistant.replay.reprocess.reprocessor import reprocess_recording
from assistant.replay.reprocess.result import Anew, describe_changes
from assistant.setup.file import read_setup
from calibration.spaces import Lens
from calibration.table.camera_pose import guess_lens
from hardware.frame import Frame
from tests.assistant.replay.reprocess.sample_video import PICTURES, SIZE, record_sample_video, write_setup
from vision.markers import Markers
from vision.pipeline import Pipeline

SampleVideo = tuple[Path, list[Frame]]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> SampleVideo:
    return record_sample_video(tmp_path_factory.mktemp("filmed"))


def build_pipeline(markers: Markers) -> Pipeline:
    return Pipeline(markers=markers)


def reprocess(recording: SampleVideo, *, lacking: frozenset[int] = frozenset(), journal: Journal | None = None) -> Anew:
    """Look at the pictures themselves, as if nothing had been lost in the encoding."""
    path, frames = recording

    def themselves(_path: Path, _run: VideoRun) -> Iterator[Frame]:
        return (replace(frame) for frame in frames if frame.sequence not in lacking)

    return reprocess_recording(path, eyes=build_pipeline, frames=themselves, journal=journal)


def test_the_same_pictures_give_the_same_game_to_the_last_digit(recording: SampleVideo, tmp_path: Path) -> None:
    path, frames = recording
    with Journal(tmp_path / "anew.overtable", about={**read_about(path), "title": "anew"}) as journal:
        found = reprocess(recording, journal=journal)
    assert len(frames) == found.pictures == PICTURES
    assert found.is_unchanged
    assert (found.moves, found.calls, found.otherwise, found.unfit) == (2, 3, (), ())
    assert all(each.compared for each in found.models)
    assert list(describe_changes(found))[1:] == [
        "All is as it was recorded, to the last digit: every pose, every move and every call."
    ]
    was, now = (
        [e for e in read_entries(each) if not isinstance(e.what, CalibrationSeen)] for each in (path, journal.path)
    )
    assert [(e.captured_ns, e.what) for e in was] == [(e.captured_ns, e.what) for e in now]


def test_the_video_gives_the_same_calls_and_poses_within_a_few_hundredths_of_a_millimetre(
    recording: SampleVideo,
) -> None:
    found = reprocess_recording(recording[0], eyes=build_pipeline)
    assert not found.is_unchanged
    assert found.pictures == PICTURES
    assert max(each.rms_mm for each in found.models) < 0.06
    assert max(each.rms_sigmas for each in found.models) < 0.5
    assert found.ends
    assert found.ends.mm < 0.06
    assert (found.moves, found.rested, found.otherwise) == (2, (), ())


def test_another_calibration_is_told_with_the_calls_that_it_changes(recording: SampleVideo, tmp_path: Path) -> None:
    setup = write_setup(tmp_path / "wider.toml", wider=1.01)
    wider, _ = build_markers(read_setup(setup), setup, None)
    found = reprocess_recording(recording[0], eyes=build_pipeline, change_markers=lambda _: wider)
    assert found.calibration
    assert 6.0 < found.calibration.mm < 8.5  # one part in a hundred, at the table's far corner
    assert (found.calibration.x_mm, found.calibration.y_mm) == (600, 400)
    first, second = found.otherwise
    assert (first.about, first.accepted, second.about, second.accepted) == ("s1", False, "scouts", True)
    assert first.before
    assert first.now
    assert (first.before.outcome, first.now.outcome) == ("legal", "too-close")
    assert first.before.rule == first.now.rule == "10e-15"
    assert first.before.margin_mm is not None
    assert first.now.margin_mm is not None
    assert first.before.margin_mm - first.now.margin_mm == pytest.approx(1.5, abs=0.2)
    told = "\n".join(describe_changes(found))
    assert "when s1 came to rest: legal (margin 1." in told
    assert "Calls: 2 of 3 are others now." in told


def test_what_one_of_the_two_did_not_see_is_told(recording: SampleVideo) -> None:
    found = reprocess(recording, lacking=frozenset(range(28, PICTURES)))
    assert [(each.model, each.when) for each in found.rested] == [("w1", "before")]
    (bumped,) = found.unfit
    assert (bumped.kind, bumped.why) == (
        "Bumped",
        "w1 stands where it was last accepted: there is nothing to correct",
    )
    told = list(describe_changes(found))
    assert any("w1 came to rest after a move then, and does not now" in line for line in told)
    assert any("What people decided then (bumped) does not go with it now" in line for line in told)


def test_a_game_that_was_broken_off_and_gone_on_with_is_the_same_too(tmp_path: Path) -> None:
    path, frames = record_sample_video(tmp_path, 12, 20)  # broken off while s1 is pushed
    first, second = read_runs(path)
    assert (first.count, second.count) == (12, 20)

    def themselves(_path: Path, run: VideoRun) -> Iterator[Frame]:
        return (replace(frame) for frame in (frames[:12] if run == first else frames[12:]))

    found = reprocess_recording(path, eyes=build_pipeline, frames=themselves)
    assert found.is_unchanged
    assert found.moves == 1
    (gap,) = found.lacking
    assert gap.pictures is None
    assert "The video lacks what happened between two times that it was filmed" in list(describe_changes(found))[1]


def test_a_lens_for_another_size_is_refused_in_a_sentence(recording: SampleVideo) -> None:
    lens: Lens = guess_lens((SIZE[0] + 1, SIZE[1]))
    with pytest.raises(BadInput, match=r"game\.overtable: its video cannot be looked at so: .*802x535"):
        reprocess_recording(
            recording[0], eyes=build_pipeline, change_markers=lambda markers: replace(markers, lens=lens)
        )


def test_what_the_eyes_were_told_is_kept_to_the_last_bit(recording: SampleVideo, tmp_path: Path) -> None:
    setup = write_setup(tmp_path / "setup.toml")
    markers, _ = build_markers(read_setup(setup), setup, None)
    ((_, told),) = read_runs(recording[0])[0].markers
    assert told == markers
