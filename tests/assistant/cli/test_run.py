"""`overtable run` and `overtable demo`, where they end before they serve any page."""

import json
import socket
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.features.demo.catalogue import DEMOS, SETUP, list_demos, read_demo
from assistant.features.session_plan import build_game, name_recording
from assistant.game.events import Stamped, Undone
from assistant.game.state import NO_RULEBOOK
from assistant.recording.journal.writer import Journal
from tests.assistant.cli.command_runner import read_refusal, run_overtable, run_program

SITUATION = DEMOS / "warhammer-40k-10e/situation.json"


def test_a_port_that_is_taken_is_said_and_leaves_no_recording(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        recording = tmp_path / "game.overtable"
        line = read_refusal(
            run_overtable("demo", "--no-open", "--host", "127.0.0.1", "--port", str(port), "--recording", recording)
        )
    assert "choose another port with --port" in line
    assert not recording.exists()


@pytest.mark.parametrize("arguments", [["demo", "--fps", "nan"], ["replay", "x", "--speed", "nan"]])
def test_what_is_no_number_is_refused(arguments: list[str]) -> None:
    assert "nan is not a finite number" in read_refusal(run_overtable(*arguments))


def test_a_rulebook_without_a_demo_is_told_those_that_have_one() -> None:
    line = read_refusal(run_overtable("demo", "--rulebook", "chess", "--no-open"))
    assert line == f"overtable: --rulebook: there is no demo of 'chess'; expected one of {', '.join(list_demos())}"


def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    recording = tmp_path / "game.overtable"
    recording.write_text("something else")
    run = run_overtable("demo", "--no-open", "--host", "localhost", "--port", "0", "--recording", recording)
    assert run.status == 2
    assert "a journal is never written over" in run.err
    assert recording.read_text() == "something else"


def test_a_recording_without_its_beginning_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    Journal(path, about={"title": "headless"}).close()
    run = run_overtable("replay", path, "--no-open", "--host", "127.0.0.1", "--port", "0")
    assert run.status == 2
    assert "it does not hold the situation that the game began with" in run.err


def test_without_arguments_the_commands_are_listed() -> None:
    run = run_program()
    assert run.status == 0
    assert "Commands:" in run.out


def test_without_a_situation_the_models_are_watched() -> None:
    setup = read_demo("warhammer-40k-10e").setup
    state = build_game(setup, SETUP, None)
    assert state.rulebook == NO_RULEBOOK
    assert [model.id for _, model in state.iterate_models()] == [base.model for base in setup.bases]


def test_a_situation_must_be_of_the_same_table_and_models(tmp_path: Path) -> None:
    setup = read_demo("warhammer-40k-10e").setup
    document = json.loads(SITUATION.read_text())
    path = tmp_path / "game.json"
    path.write_text(json.dumps({**document, "table": {"width_mm": 1500, "depth_mm": 1118}}))
    with pytest.raises(BadInput, match="its table is 1500 x 1118 mm, but that of .* is 1524 x 1118 mm"):
        build_game(setup, SETUP, path)
    path.write_text(json.dumps({**document, "rulebook": "chess"}))
    with pytest.raises(BadInput, match="game.json: .*chess"):
        build_game(setup, SETUP, path)
    path.write_text(json.dumps({**document, "units": document["units"][1:]}))
    with pytest.raises(BadInput, match="it has no model 'scouts-1', which .* enrols"):
        build_game(setup, SETUP, path)


def test_a_film_that_the_lens_is_not_of_is_refused_before_any_page_opens(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "view.png"), np.full((36, 64), 128, dtype=np.uint8))
    (tmp_path / "camera.json").write_text('{"format": "overtable.camera/1", "identity": "usb 2"}')
    about = {"identity": "usb 1", "image_size": [64, 36], "focus": None}
    matrix = [[40, 0, 31.5], [0, 40, 17.5], [0, 0, 1]]
    lens = {"format": "overtable.lens/1", "image_size": [64, 36], "matrix": matrix, "distortion": [0, 0, 0, 0]}
    (tmp_path / "lens.json").write_text(json.dumps({**lens, "camera": about}))
    text = SETUP.read_text().replace('source = "virtual:"', 'source = "images:."\nlens = "lens.json"')
    (tmp_path / "setup.toml").write_text(text)
    recording = tmp_path / "game.overtable"
    line = read_refusal(run_overtable("run", "--setup", tmp_path / "setup.toml", "--no-open", "--recording", recording))
    assert "lens.json was made with another camera: usb 1, but this is usb 2" in line
    assert not recording.exists()


def test_every_game_gets_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda _: tmp_path)
    first = name_recording("Club night: round 2")
    first.parent.mkdir(parents=True)
    first.touch()
    assert first.name.endswith("-club-night-round-2.overtable")
    assert name_recording("Club night: round 2") != first


def test_a_recording_that_takes_back_what_never_was_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    situation = SITUATION.read_text()
    with Journal(path, about={"title": "headless", "situation": situation}) as journal:
        journal.append(Stamped(captured_ns=1, event=Undone()))
    run = run_overtable("replay", path, "--no-open", "--host", "127.0.0.1", "--port", "0")
    assert run.status == 2
    assert "game.overtable: event 1: there is nothing to take back" in run.err
