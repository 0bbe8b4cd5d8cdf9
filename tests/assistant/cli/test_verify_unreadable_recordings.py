"""Every command that takes a recording says in one sentence what is wrong with it."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from assistant.errors import BadInput
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_encoding import EVENT_KINDS, build_row_format
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS, OBSERVATION_KINDS
from assistant.replay.verification_notice import refuse_changed
from tests.assistant.cli.command_runner import read_refusal, run_overtable
from tests.assistant.recording.journal.test_writer import write_old_journal
from tests.assistant.replay.sample_recording import play_sample_game

COMMANDS = {
    "replay": ("--no-open", "--host", "127.0.0.1", "--port", "0"),
    "report": ("--list",),
    "stats": (),
    "verify": (),
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = play_sample_game(tmp_path_factory.mktemp("played") / "game.overtable")
    table.journal.close()
    return table.path


def write_other_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE about (key TEXT, value TEXT)")


def write_journal_of_format(told: str) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        path.unlink()
        write_old_journal(path, told=told)

    return spoil


def replace_with_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40_000])


def garble(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + bytes(8192) + data[12288:])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda path: path.write_bytes(b""), "this file is empty; expected a journal of a game"),
        (lambda path: path.write_text("SQL for beginners " * 99), "this is not a journal of a game"),
        (lambda path: path.write_bytes(b"SQLite for"), "this journal is cut short (10 bytes are there)"),
        (shorten, "this journal is cut short (40,000 of "),
        (garble, "this journal is damaged ("),
        (write_other_database, "this is a database, not a journal of a game"),
        (
            write_journal_of_format("overtable.journal/3"),
            "this is overtable.journal/3, which a newer version made; this one reads up to",
        ),
        (
            write_journal_of_format("overtable.lens/1"),
            "this is overtable.lens/1, not a journal of a game",
        ),
        (lambda path: path.unlink(), "there is no such file"),
        (replace_with_folder, "this is a folder"),
    ],
)
def test_what_is_wrong_with_a_recording_is_said(
    recording: Path, tmp_path: Path, spoil: Callable[[Path], object], sentence: str, command: str
) -> None:
    path = tmp_path / "game.overtable"
    path.write_bytes(recording.read_bytes())
    spoil(path)
    assert f"game.overtable: {sentence}" in read_refusal(run_overtable(command, path, *COMMANDS[command]))


def test_an_intact_recording_is_said_to_be_so(recording: Path) -> None:
    run = run_overtable("verify", recording, "--json")
    assert (run.status, run.document["intact"], run.document["broken"]) == (0, True, None)
    said = run_overtable("verify", recording, "--head", run.document["head"])
    assert f"intact: {run.document['events']} events, 10 pictures; head {run.document['head']}" in said.out
    other = run_overtable(
        "verify", recording, "--head", "0" * 32
    )  # perhaps only written down wrongly: nobody is accused
    assert (other.status, "not shown to be whole: no event has the head" in other.out) == (0, True)
    assert "changed" not in other.out
    assert "expected 32 hexadecimal digits" in read_refusal(run_overtable("verify", recording, "--head", "12"))


def test_a_changed_recording_is_told_from_an_intact_one_and_opens_all_the_same(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    path.write_bytes(recording.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER events_stay")
        db.execute("UPDATE events SET body = replace(body, 'we agreed', 'we did not') WHERE kind = 'Ruled'")
    told = run_overtable("verify", path)
    assert told.status == 0
    assert "game.overtable: changed after it was recorded: event " in told.out
    assert "(Ruled) is not what was recorded, 0:00:1" in told.out
    broken = run_overtable("verify", path, "--json").document["broken"]
    assert broken["captured_ns"] - broken["at_ns"] == next(read_entries(path)).captured_ns
    listed = run_overtable("report", path, "--list", "--json")
    assert listed.status == 0
    assert listed.document
    exported = run_overtable("export", path, "--to", "moves", "--out", tmp_path / "moves.txt")
    assert exported.status == 0
    for run in (listed, exported, run_overtable("stats", path)):
        assert "This recording was changed after it was recorded: event " in run.err
    with pytest.raises(BadInput, match=r"changed after it was recorded: event .* into the game; leave it"):
        refuse_changed(path, "leave it")


def test_a_recording_that_is_damaged_where_nobody_reads_is_not_vouched_for(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    path.write_bytes(recording.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        page = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'stands'").fetchone()[0]
        size = db.execute("PRAGMA page_size").fetchone()[0]
    whole = bytearray(path.read_bytes())
    whole[(page - 1) * size : page * size] = bytes(size)
    path.write_bytes(whole)
    assert "this journal is damaged" in read_refusal(run_overtable("verify", path))
    listed = run_overtable("report", path, "--list")
    assert listed.status == 0
    assert "This recording cannot be vouched for: " in listed.err
    with pytest.raises(BadInput, match="this journal is damaged"):
        refuse_changed(path, "leave it")


def test_the_schema_of_the_journal_fits_its_rows(recording: Path) -> None:
    rows = TypeAdapter(build_row_format())
    for entry in read_entries(recording):
        kind = type(entry.what).__name__
        body = json.loads(TypeAdapter(type(entry.what)).dump_json(entry.what))
        row = {"id": entry.id, "captured_ns": entry.captured_ns, "kind": kind, "body": body, "chain": "0" * 32}
        rows.validate_json(json.dumps(row))
    kinds = run_overtable("schema", "journal").document["discriminator"]["mapping"]
    assert set(kinds) == {*EVENT_KINDS, *OBSERVATION_KINDS, *BOOKKEEPING_KINDS}
