import logging
from pathlib import Path

import pytest

from assistant.cli import overtable
from assistant.runtime.live_loop import LatestFrame
from assistant.runtime.logs import (
    KEPT_RUNS,
    OLDER_PARTS,
    configure_logs,
    describe_log,
    find_log,
    hide_in_logs,
    list_runs,
)
from assistant.runtime.page_server import ServingOptions, serve_pages
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.hub import Hub
from tests.assistant.cli.command_runner import run_overtable

_log = logging.getLogger("assistant.test_logs")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    configure_logs("info")
    return tmp_path / "overtable" / "log"


def read_log() -> str:
    path = find_log()
    assert path is not None
    return path.read_text()


def test_a_run_writes_one_file_in_the_state_folder_once_there_is_something_to_say(state: Path) -> None:
    assert not state.exists()
    _log.debug("too fine")
    assert not state.exists()
    _log.info("a word")
    assert find_log() in list(state.iterdir())
    assert "a word" in read_log()
    assert "too fine" not in read_log()
    assert str(find_log()) in describe_log()


def test_the_level_is_that_of_the_root_option() -> None:
    overtable.main(["--log-level", "debug", "schema", "--help"], standalone_mode=False)
    assert _log.isEnabledFor(logging.DEBUG)
    overtable.main(["--log-level", "error", "schema", "--help"], standalone_mode=False)
    assert not _log.isEnabledFor(logging.WARNING)
    assert run_overtable("--log-level", "loud", "schema").status == 2


def test_a_log_does_not_grow_for_ever_and_old_runs_are_taken_away(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state.mkdir(parents=True)
    for number in range(KEPT_RUNS + 5):
        (state / f"overtable-20200101-0000{number:02}-1.log").write_text("old")
        (state / f"overtable-20200101-0000{number:02}-1.log.1").write_text("old")
    monkeypatch.setattr("assistant.runtime.logs.MOST_BYTES", 2000)
    configure_logs("info")
    for number in range(200):
        _log.info("line %d of many", number)
    runs = list_runs(state)
    assert len(runs) == KEPT_RUNS
    assert len(runs[0]) == 1 + OLDER_PARTS
    assert all(part.stat().st_size <= 2000 for part in runs[0])
    assert "line 199" in read_log()
    assert "20200101-000024" in runs[1][0].name


def test_no_camera_password_join_code_or_token_is_logged() -> None:
    door = DeviceRegistry()
    token = door.join(door.get_code("judge"), address="here").visitor.token
    code = door.get_code("player")
    with hide_in_logs(door.list_secrets):
        try:
            int(f"rtsp://me:hunter2@cam, {token}")
        except ValueError:
            _log.exception("%s, %s %s", code, code[:3], code[3:])
    assert "rtsp://me:***@cam" in read_log()
    assert "Traceback" in read_log()
    for secret in ("hunter2", token, code, f"{code[:3]} {code[3:]}"):
        assert secret not in read_log()


def test_what_is_served_is_logged_without_its_codes() -> None:
    with serve_pages(Hub(), LatestFrame(), ServingOptions(host="127.0.0.1", port=0, open_pages=False), "A game"):
        _log.info("during the game")
    assert "serves A game at port" in read_log()


def test_what_goes_wrong_again_and_again_is_logged_less_and_less(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(1000):
        _log.warning("again")
    assert read_log().count("again") == 10
    assert capsys.readouterr().err.count("overtable: again\n") == 10


def test_a_folder_that_cannot_be_written_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    configure_logs("info")
    _log.warning("nobody writes this down")


def test_a_command_that_a_bug_ends_says_so_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("injected")

    monkeypatch.setattr("assistant.cli.schema.click.echo", fail)
    ended = run_overtable("schema", "setup")
    assert ended.status == 1
    (line,) = ended.err.splitlines()
    assert line.startswith("overtable: something went wrong inside (RuntimeError). What happened is written down in ")
    assert "Traceback" in read_log()
    assert "RuntimeError: injected" in read_log()
    loud = run_overtable("--log-level", "debug", "schema", "setup")
    assert loud.status == 1
    assert "RuntimeError: injected" in loud.err
