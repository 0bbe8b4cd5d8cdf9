"""`overtable replay --reprocess`, as a person types it."""

import shutil
from pathlib import Path

import pytest

from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.video.recorder import locate_segment, locate_video_folder
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.replay.reprocess.sample_video import record_sample_video, write_setup


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_sample_video(tmp_path_factory.mktemp("filmed"))[0]


def test_it_says_what_comes_out_otherwise_and_records_it_where_it_is_asked_to(recording: Path, tmp_path: Path) -> None:
    new, wider = tmp_path / "new.overtable", write_setup(tmp_path / "wider.toml", wider=1.01)
    run = run_overtable("replay", recording, "--reprocess", "--setup", wider, "--to", new)
    assert run.status == 0
    assert "54 pictures in 0:00:05.3 were looked at again." in run.out
    assert "Calls: 2 of 3 are others now." in run.out
    assert read_about(new)["title"] == "Two scouts, looked at again"
    kinds = [type(entry.what).__name__ for entry in read_entries(new)]
    assert (kinds.count("ModelSettled"), kinds.count("Accepted"), kinds.count("Bumped")) == (2, 1, 1)
    assert "intact" in run_overtable("verify", recording).out


def test_with_json_it_prints_one_document_and_leaves_nothing_behind(recording: Path) -> None:
    before = sorted(recording.parent.iterdir())
    document = run_overtable("replay", recording, "--reprocess", "--json").document
    assert (document["format"], document["pictures"], document["otherwise"]) == ("overtable.anew/1", 54, [])
    assert sorted(recording.parent.iterdir()) == before


def test_what_cannot_be_done_is_said_in_a_sentence(recording: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.overtable"
    there.write_text("mine")
    alone, spoilt, moved = tmp_path / "alone.overtable", tmp_path / "spoilt.overtable", tmp_path / "moved.json"
    shutil.copy(recording, alone)
    shutil.copy(recording, spoilt)
    shutil.copytree(locate_video_folder(recording), locate_video_folder(spoilt))
    segment = locate_segment(spoilt, 1)
    segment.write_bytes(segment.read_bytes()[:-1] + b"?")  # found at the end, when most has been looked at
    moved.write_text("{}")
    asked = "replay", recording, "--reprocess"
    for arguments, said in (
        (("replay", recording, "--json"), "--json: means nothing without --differences or --reprocess"),
        ((*asked, "--to", there), "this file is there already; a journal is never written over"),
        ((*asked, "--lens", moved), "moved.json: "),
        ((*asked, "--table", moved), "moved.json: "),
        ((*asked, "--setup", tmp_path / "none.toml"), "none.toml"),
        (("replay", alone, "--reprocess"), "copy the folder alone.overtable.video with alone.overtable"),
        (
            ("replay", spoilt, "--reprocess", "--to", tmp_path / "new.overtable"),
            "0001.ts: this part of the video is not",
        ),
    ):
        run = run_overtable(*arguments)
        assert (run.status, run.out) == (2, ""), arguments
        assert said in run.err
        assert "Traceback" not in run.err
    assert there.read_text() == "mine"
    assert not list(tmp_path.glob("new.*"))
