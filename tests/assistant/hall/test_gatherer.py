"""The gatherer against a real broker: what tables record is at the hall once, in order, and lies on their chains."""

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from assistant.hall import gatherer, publisher
from assistant.recording.journal.write_lock import WriteLock
from assistant.recording.verification import verify
from tests.assistant.hall.running_hall import (
    PlayedTable,
    RunningHall,
    gathering,
    hold_same,
    needs_broker,
    read_rows,
    run_broker,
)
from tests.pages.waiting import wait_for

pytestmark = needs_broker


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHall]:
    with run_broker(RunningHall(tmp_path_factory.mktemp("hall") / "cup", (*"123456789", "10", "11", "12"))) as running:
        yield running


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "AGAIN_S", (0.1,))
    monkeypatch.setattr(publisher, "REFUSED_S", 0.1)
    monkeypatch.setattr(publisher, "POLL_S", 0.02)


def test_a_recording_grows_at_the_hall_as_at_the_table_and_verifies_there(hall: RunningHall, tmp_path: Path) -> None:
    one, other = PlayedTable(tmp_path / "one.overtable"), PlayedTable(tmp_path / "other.overtable")
    one.play(700, picture=True)  # with rows that sum up, and names
    with gathering(hall), one.publishing(hall.read_file("1")), other.publishing(hall.read_file("2")):
        other.play(20)
        wait_for(hold_same(hall, "1", one))
        wait_for(hold_same(hall, "2", other))
        one.play(30, picture=True)
        wait_for(hold_same(hall, "1", one))
        (there,) = hall.list_recordings("1")
        found = verify(there)
    assert found.broken is None
    assert found.pictures == 2
    assert found.head == verify(one.path).head
    assert verify(one.path).broken is None  # what the hall has acknowledged stands beside the chain


def test_the_broker_killed_amid_rows_loses_none_and_doubles_none(hall: RunningHall, tmp_path: Path) -> None:
    played = PlayedTable(tmp_path / "killed.overtable")
    with gathering(hall), played.publishing(hall.read_file("3")) as link:
        for _ in range(3):
            played.play(120)
            pid = hall.broker.pid
            hall.kill_broker()
            played.play(40)
            wait_for(lambda pid=pid: hall.broker.pid != pid)  # type: ignore[misc]
        wait_for(hold_same(hall, "3", played))
        wait_for(lambda: link.connected)
        (there,) = hall.list_recordings("3")
        assert verify(there).broken is None


def test_a_table_plays_on_without_a_hall_says_so_and_catches_up(tmp_path: Path) -> None:
    alone = RunningHall(tmp_path / "cup", ("1",))
    played = PlayedTable(tmp_path / "played.overtable")
    with played.publishing(alone.read_file("1")) as link:
        played.play(50)
        wait_for(lambda: link.trouble or None)
        assert link.trouble.endswith("does not answer")
        assert not link.connected
        with run_broker(alone):
            wait_for(lambda: "nobody gathers" in link.trouble)
            with gathering(alone):
                wait_for(hold_same(alone, "1", played))
                wait_for(lambda: link.connected and not link.trouble)


def test_a_table_killed_goes_on_with_its_own_recording_or_with_the_halls(hall: RunningHall, tmp_path: Path) -> None:
    played = PlayedTable(tmp_path / "first.overtable")
    with gathering(hall):
        with played.publishing(hall.read_file("4")):
            played.play(60, picture=True)
            wait_for(hold_same(hall, "4", played))
        played.play(10)
        with played.publishing(hall.read_file("4")):  # the program begun anew: it knows what the hall has
            wait_for(hold_same(hall, "4", played))
        (there,) = hall.list_recordings("4")
        fetched = tmp_path / "fetched.overtable"
        shutil.copy(there, fetched)
        shutil.copy(there.with_name(f"{there.name}-wal"), fetched.with_name(f"{fetched.name}-wal"))
        from assistant.recording.journal.writer import Journal

        elsewhere = Journal(fetched, about={"title": "first", "situation": "{}", "source": "virtual:"}, go_on=True)
        assert elsewhere.rows == played.journal.rows
        replaced = PlayedTable.__new__(PlayedTable)
        replaced.path, replaced.hub, replaced.journal, replaced.now_ns = fetched, played.hub, elsewhere, played.now_ns
        with replaced.publishing(hall.read_file("4")):
            replaced.play(10)
            wait_for(lambda: read_rows(fetched) in [read_rows(path) for path in hall.list_recordings("4")])
        elsewhere.close()
    assert len(hall.list_recordings("4")) == 2
    assert all(verify(path).broken is None for path in hall.list_recordings("4"))


def test_a_recording_that_was_being_made_when_the_hall_was_killed_is_made_anew(
    hall: RunningHall, tmp_path: Path
) -> None:
    played = PlayedTable(tmp_path / "played.overtable")
    with gathering(hall), played.publishing(hall.read_file("11")):
        played.play(20)
        wait_for(hold_same(hall, "11", played))
    (there,) = hall.list_recordings("11")
    for path in there.parent.glob(f"{there.name}*"):
        path.unlink()
    with closing(sqlite3.connect(there)) as begun:
        begun.execute("PRAGMA journal_mode=WAL")
    with gathering(hall), played.publishing(hall.read_file("11")):
        played.play(10)
        wait_for(hold_same(hall, "11", played))
    played.journal.close()


def test_rows_wait_while_the_halls_own_file_of_them_cannot_be_opened(
    hall: RunningHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gatherer, "FULL_S", 0.05)
    played = PlayedTable(tmp_path / "played.overtable")
    with gathering(hall), played.publishing(hall.read_file("12")):
        played.play(20)
        wait_for(hold_same(hall, "12", played))
    (there,) = hall.list_recordings("12")
    elsewhere = WriteLock(there)  # as where a second hall runs on this folder
    with gathering(hall) as gathers, played.publishing(hall.read_file("12")):
        played.play(10)
        wait_for(lambda: "another overtable is recording to this file" in gathers.tables["12"].trouble)
        elsewhere.release()
        wait_for(hold_same(hall, "12", played))
        assert not gathers.tables["12"].trouble
    played.journal.close()


def test_what_the_hall_has_lost_is_sent_again(hall: RunningHall, tmp_path: Path) -> None:
    played = PlayedTable(tmp_path / "played.overtable")
    with gathering(hall), played.publishing(hall.read_file("5")):
        played.play(40)
        wait_for(hold_same(hall, "5", played))
    shutil.rmtree(hall.folder.path / "recordings" / "5")
    with gathering(hall), played.publishing(hall.read_file("5")):
        played.play(10)
        wait_for(hold_same(hall, "5", played))


def test_a_full_disk_at_the_hall_keeps_rows_at_the_table_until_there_is_room(
    hall: RunningHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gatherer, "FULL_S", 0.05)
    played = PlayedTable(tmp_path / "played.overtable")
    with gathering(hall) as gathers, played.publishing(hall.read_file("6")):
        played.play(20)
        wait_for(hold_same(hall, "6", played))
        with monkeypatch.context() as full:
            full.setattr(gatherer, "LEAST_FREE_BYTES", 10**18)
            played.play(30)
            wait_for(lambda: gathers.tables["6"].full)
            assert "disk is full" in gathers.tables["6"].trouble
        wait_for(hold_same(hall, "6", played))
        assert not gathers.tables["6"].trouble


@contextmanager
def mount_small_disk(place: Path) -> Iterator[None]:
    """Let a folder be a disk of its own, of 0.6 MB; skip where this user may not."""
    place.mkdir(parents=True)
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", place], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a disk that is really full takes a right to mount one")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def test_a_disk_that_is_really_full_loses_nothing(
    hall: RunningHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gatherer, "FULL_S", 0.05)
    monkeypatch.setattr(gatherer, "LEAST_FREE_BYTES", 0)  # others may fill it between a look and a row
    played = PlayedTable(tmp_path / "played.overtable")
    place = hall.folder.path / "recordings" / "10"
    with mount_small_disk(place), gathering(hall) as gathers, played.publishing(hall.read_file("10")):
        played.play(20)
        wait_for(hold_same(hall, "10", played))
        for _ in range(60):
            played.play(400)
            if gathers.tables["10"].full:
                break
        wait_for(lambda: gathers.tables["10"].full)
        assert gathers.tables["10"].trouble.startswith("The hall cannot write down what it sends (")
        subprocess.run(["mount", "-o", "remount,size=100m", place], check=True)
        wait_for(hold_same(hall, "10", played))
        (there,) = hall.list_recordings("10")
        assert verify(there).broken is None
        assert not gathers.tables["10"].trouble
    played.journal.close()


def test_a_table_that_floods_fills_its_own_queue_and_no_other(hall: RunningHall, tmp_path: Path) -> None:
    import asyncio

    from nats.js.errors import APIError

    from assistant.hall.connection import connect
    from assistant.hall.messages import name_rows_subject

    async def flood() -> str:
        file = hall.read_file("7")
        async with connect(file.servers, file.build_context(), user=file.user, password=file.password) as client:
            stream = client.jetstream()
            try:
                for _ in range(gatherer.QUEUED_MESSAGES + 1):
                    await stream.publish(name_rows_subject("7"), b"nothing of use")
            except APIError as error:
                return str(error.description)
        return ""

    with gathering(hall):
        pass  # the broker keeps messages from here on
    assert "maximum messages per subject" in asyncio.run(flood())
    played = PlayedTable(tmp_path / "played.overtable")
    played.play(20)
    with gathering(hall) as gathers, played.publishing(hall.read_file("8")):
        wait_for(hold_same(hall, "8", played))
        wait_for(lambda: "cannot be read" in gathers.tables["7"].trouble)


def test_credentials_that_are_withdrawn_cut_a_table_off(hall: RunningHall, tmp_path: Path) -> None:
    file, played = hall.read_file("9"), PlayedTable(tmp_path / "played.overtable")
    with gathering(hall), played.publishing(file) as link:
        played.play(10)
        wait_for(hold_same(hall, "9", played))
        assert hall.folder.withdraw("9") == "table"
        hall.folder.write()
        hall.broker.reload()
        wait_for(lambda: "credentials" in link.trouble)
        assert not (hall.folder.path / "tables" / "9.json").exists()
