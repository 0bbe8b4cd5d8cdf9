"""`overtable export`: what of a recorded game goes into which file, and what is never written over."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.game.state import Table
from assistant.replay.exports.film import StillRenderer
from assistant.replay.exports.json_lines import EventsForm
from assistant.replay.recorded_game import RecordedGame
from tests.assistant.cli.command_runner import read_refusal, run_overtable
from tests.assistant.replay.sample_recording import play_sample_game


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "game.overtable"
    play_sample_game(path)
    return path


def export(recording: Path, kind: str, out: Path, *options: str) -> str:
    run = run_overtable("export", recording, "--to", kind, "--out", out, *options)
    assert (run.status, run.err) == (0, "")
    return out.read_text(encoding="utf-8")


def test_events_are_lines_that_fit_their_schema(recording: Path, tmp_path: Path) -> None:
    plain = [json.loads(line) for line in export(recording, "json", tmp_path / "a.jsonl").splitlines()]
    whole = [
        json.loads(line)
        for line in export(recording, "json", tmp_path / "b.jsonl", "--verdicts", "--poses").splitlines()
    ]
    for line in (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines():
        EventsForm.model_validate_json(line)
    assert plain == [line for line in whole if line["kind"] not in {"Verdict", "PosesSeen", "CalibrationSeen"}]
    assert (plain[0]["kind"], plain[0]["title"]) == ("Game", "Two scouts")
    times = [line["at_ns"] for line in whole[1:]]
    assert times == sorted(times)
    said = [line["verdict"]["outcome"] for line in whole if line["kind"] == "Verdict" and line["verdict"]]
    assert {"legal", "illegal"} <= set(said)
    schema = run_overtable("schema", "events").document
    assert {"GameLine", "VerdictLine", "AcceptedLine", "PosesSeenLine"} <= schema["$defs"].keys()


def test_moves_are_listed_and_each_is_a_situation(recording: Path, tmp_path: Path) -> None:
    listed = export(recording, "moves", tmp_path / "moves.txt")
    assert listed.startswith("Moves of Two scouts\n\n  1. Turn 1, red. scouts: Normal move")
    situation = tmp_path / "s.json"
    document = json.loads(export(recording, "situation", situation, "--move", "1"))
    assert (document["move"]["unit"], document["turn"]["counted"]["player"]) == ("scouts", "red")
    assert run_overtable("judge", situation).out.splitlines()[0] == "illegal"
    moment = json.loads(export(recording, "situation", situation, "--at", "0:00:00", "--replace"))
    assert "move" not in moment
    assert run_overtable("judge", situation).out.splitlines()[0] == "legal"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--to", "situation"), "export: of which moment? give --at TIME or --move NUMBER"),
        (("--to", "situation", "--at", "1", "--move", "2"), "export: of which moment?"),
        (("--to", "situation", "--move", "9"), "it has no move 9; its moves have the numbers 1 to 4"),
        (("--to", "situation", "--at", "2:00:00"), "game.overtable ends at"),
        (("--to", "moves", "--verdicts"), "--verdicts: means nothing with --to moves; leave it out"),
        (("--to", "mp4"), "out: expected a name that ends with .mp4"),
        (("--to", "webm"), "out: expected a name that ends with .webm"),
        (("--to", "mp4", "--size", "1281x720"), "1281x720: expected even numbers from 240 to 4320"),
        (("--to", "paper"), "'paper' is not one of"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(
    recording: Path, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    out = tmp_path / "out"
    assert sentence in read_refusal(run_overtable("export", recording, *options, "--out", out))
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over_unless_it_is_told_to(recording: Path, tmp_path: Path) -> None:
    before, out, other = recording.read_bytes(), tmp_path / "moves.txt", tmp_path / "notes.txt"
    said = read_refusal(run_overtable("export", recording, "--to", "json", "--out", recording, "--replace"))
    assert "this is the recording itself" in said
    wal = recording.with_name(f"{recording.name}-wal")  # which SQLite would read as what was written last
    assert "or a part of it" in read_refusal(run_overtable("export", recording, "--to", "json", "--out", wal))
    assert recording.read_bytes() == before
    export(recording, "moves", out)
    said = read_refusal(run_overtable("export", recording, "--to", "moves", "--out", out))
    assert "there is such a file already; choose another name, or give --replace" in said
    export(recording, "moves", out, "--replace")
    other.write_text("my notes")
    said = read_refusal(run_overtable("export", recording, "--to", "moves", "--out", other, "--replace"))
    assert "is no list of moves and would be lost" in said
    assert other.read_text() == "my notes"


@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_a_film_shows_the_table_as_long_as_the_game_lasts_at_that_speed(
    recording: Path, tmp_path: Path, kind: str
) -> None:
    out = tmp_path / f"game.{kind}"
    run = run_overtable("export", recording, "--to", kind, "--out", out, "--speed", "10", "--size", "480x270")
    assert run.status == 0, run
    video = cv2.VideoCapture(str(out))
    frames = []
    while (read := video.read())[0]:
        frames.append(read[1])
    video.release()
    ended_s = RecordedGame(recording).find_end_ns() / 1e9
    assert len(frames) == pytest.approx(25 * (ended_s / 10 + 2), abs=2)  # no wait of it is so long that it is shortened
    assert frames[0].shape == (270, 480, 3)
    still = StillRenderer(table=Table(width_mm=1524, depth_mm=1118), size=(480, 270), title="")
    scout = still._build_warp()(np.array([[300.0, 350.0]]))[0].round().astype(int)
    blue, _, red = frames[0][scout[1] + 2, scout[0]].astype(int).tolist()
    assert blue > red + 60  # the first player's side is blue
    assert np.abs(frames[0].astype(int) - frames[-1].astype(int))[:, : still.size[0] // 2].max() > 60


def test_a_film_that_is_interrupted_leaves_nothing(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(StillRenderer, "draw", interrupted)
    run = run_overtable("export", recording, "--to", "mp4", "--out", tmp_path / "game.mp4")
    assert run.status == 130
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_recording_makes_no_file(tmp_path: Path) -> None:
    stray = tmp_path / "stray.overtable"
    stray.write_text("not a game")
    assert "stray.overtable" in read_refusal(run_overtable("export", stray, "--to", "moves", "--out", tmp_path / "out"))
    assert [path.name for path in tmp_path.iterdir()] == ["stray.overtable"]
