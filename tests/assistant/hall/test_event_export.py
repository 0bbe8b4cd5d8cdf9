"""The event export: one file with every game that verifies, and a sentence for each that does not."""

import csv
import errno
import io
import sqlite3
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import pytest

from assistant.errors import BadInput
from assistant.game.state import Ruling
from assistant.hall.event import LOG, Ended, EventLog, Paired, RoundBegan, RuledFromDesk
from assistant.hall.event_export import export_event, read_game
from assistant.hall.folder import HallFolder, make_hall
from assistant.hall.messages import DeskRuling
from assistant.recording.verification import verify
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.hall.test_desk import play_doubtful
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game

BEGAN_NS = 1_800_000_000_000_000_000


def locate(folder: HallFolder, table: str, name: str) -> Path:
    path = folder.find_recording(table, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def cup(tmp_path: Path) -> HallFolder:
    """A hall of two tables: one game that was ruled on, and one whose call nobody decided."""
    folder = make_hall(tmp_path / "cup", name="Cup <of autumn>", addresses=("127.0.0.1",))
    folder.add(tables=("1", "2", "3"))
    folder.write()
    play_sample_game(locate(folder, "1", "a")).journal.close()
    table = play_doubtful(locate(folder, "2", "b"))
    seen = Ruling(by="judge", outcome="legal", note="Seen.", at_ns=BEGAN_NS + 2 * 10**9, judge="Ben")
    table.do(lambda: table.session.make_ruling(seen))
    table.journal.close()
    log = EventLog(folder.path / LOG)
    log.add(RoundBegan(at_ns=BEGAN_NS - 10**9, round=1, minutes=100))
    log.add(Paired(at_ns=BEGAN_NS, round=1, players={"1": ("=Cem", "Dee"), "2": ("Eve", "Fay")}))
    log.add(Ended(at_ns=BEGAN_NS, round=1, table="1", scores=(20, 3)))
    for judge, after_s, note in (("Ben", 2, "Seen."), ("Ann", 3, "=The tape says so.")):
        at_ns = BEGAN_NS + after_s * 10**9
        ruling = DeskRuling(judge=judge, captured_ns=at_ns, outcome="legal", note=note)
        log.add(RuledFromDesk(at_ns=at_ns, table="2", recording="b", ruling=ruling, text="too far", rule="10e-15"))
    return folder


def read_csv(file: ZipFile, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read(name).decode())))


def test_everything_of_an_event_is_in_one_file(cup: HallFolder, tmp_path: Path) -> None:
    exported = export_event(cup, tmp_path / "cup.zip")
    assert (exported.games, exported.troubles) == (2, ())
    with ZipFile(tmp_path / "cup.zip") as file:
        games = ["games/table-1-game-1.html", "games/table-2-game-1.html"]
        assert sorted(file.namelist()) == ["calls.csv", *games, "index.html", "results.csv", "rulings.csv"]
        index = file.read("index.html").decode()
        assert 'content="overtable.replay/1"' in file.read(games[0]).decode()
        calls, rulings, results = (read_csv(file, f"{name}.csv") for name in ("calls", "rulings", "results"))
    assert ("Cup &lt;of autumn&gt;" in index, "<of autumn>" in index) == (True, False)
    assert "=Cem – Dee</td><td>20 : 3" in index
    for table, name, page in (("1", "a", games[0]), ("2", "b", games[1])):
        assert f'<a href="{page}">Two scouts</a>' in index
        assert verify(cup.find_recording(table, name)).head in index
    assert results[0]["Player 1"] == "'=Cem"
    (doubtful,) = [call for call in calls if call["Table"] == "2"]
    assert (doubtful["Round"], doubtful["Outcome"], doubtful["Rule"]) == ("1", "too-close", "10e-15")
    assert (doubtful["Margin (mm)"], doubtful["Accepted so"], doubtful["Game"]) == ("-0.05", "", games[1])
    assert [(each["Table"], each["By"], each["Why"], each["In the table's record"]) for each in rulings] == [
        ("1", "players", "we agreed", "yes"),
        ("2", "Ben", "Seen.", "yes"),
        ("2", "Ann", "'=The tape says so.", "no"),
    ]


def test_calls_are_those_that_stood_or_were_decided_on(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    table.push_back()  # what was wrong for two seconds is nobody's case
    table.push_too_far()
    table.do(table.session.accept)
    table.journal.close()
    told = [
        (call.outcome, call.finding and call.finding.rule, call.accepted) for call in read_game("1", table.path).calls
    ]
    assert told == [("illegal", "10e-15", True), ("illegal", "10e-60", False)], "and that in which the game ended"


def test_a_ruling_that_was_taken_back_is_none(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = Ruling(by="judge", outcome="illegal", note="Seen in the film.", at_ns=table.script.now_ns)
    table.push_too_far()
    table.do(lambda: table.session.make_ruling(Ruling(by="players", outcome="legal", note="we agreed")))
    table.do(table.session.undo)
    table.do(lambda: table.session.make_ruling(past))
    assert [made.ruling.note for made in read_game("1", table.path).rulings] == ["Seen in the film."]
    table.do(lambda: table.session.withdraw_ruling(past))
    table.journal.close()
    assert read_game("1", table.path).rulings == ()


def test_a_game_that_was_changed_is_named_and_the_rest_is_exported(cup: HallFolder, tmp_path: Path) -> None:
    with closing(sqlite3.connect(cup.find_recording("1", "a"))) as db, db:
        db.execute("DROP TRIGGER events_stay")
        db.execute("UPDATE events SET captured_ns = captured_ns + 1 WHERE id = 7")
    locate(cup, "3", "c").write_text("no journal")
    ran = run_overtable("hall", "export", cup.path, "--out", tmp_path / "cup.zip")
    assert ran.status == 2
    changed, unread = ran.err.splitlines()
    assert changed.startswith(
        "Table 1: recordings/1/a.overtable is left out: it was changed after it was recorded: event 7"
    )
    assert unread.startswith("Table 3: recordings/3/c.overtable is left out: ")
    assert "1 game," in ran.out
    with ZipFile(tmp_path / "cup.zip") as file:
        assert [name for name in file.namelist() if name.startswith("games/")] == ["games/table-2-game-1.html"]
        assert "Table 1: recordings/1/a.overtable is left out" in file.read("index.html").decode()


def test_on_a_full_disk_nothing_is_left_behind(
    cup: HallFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = ZipFile.writestr

    def fill(file: ZipFile, name: str, data: str) -> None:
        if name.startswith("games/table-2"):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, name, data)

    monkeypatch.setattr(ZipFile, "writestr", fill)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match=r"cup\.zip: cannot be written \(No space left on device\)"):
        export_event(cup, tmp_path / "cup.zip")
    assert sorted(path for path in tmp_path.rglob("*") if path.suffix != ".overtable-shm") == before


@pytest.mark.parametrize(
    ("out", "sentence"),
    [("cup.tar", "expected a name that ends with .zip"), ("there.zip", "there is such a file already")],
)
def test_what_is_there_is_not_written_over(cup: HallFolder, tmp_path: Path, out: str, sentence: str) -> None:
    (tmp_path / "there.zip").write_text("kept")
    ran = run_overtable("hall", "export", cup.path, "--out", tmp_path / out)
    assert (ran.status, sentence in ran.err) == (2, True)
    assert (tmp_path / "there.zip").read_text() == "kept"
