"""The digest of a table's rows: what stands, who plays, and nothing that a strange row could break."""

from pathlib import Path

import pytest

from assistant.game.events import Accepted, Event, Stamped, TurnBegan
from assistant.hall.table_digest import TableDigest, find_latest, follow_rows, read_digest
from assistant.recording.journal.mirror import read_chained_rows
from assistant.recording.journal.row_types import Called
from assistant.table.turn_clock import LONGEST_PAUSE_NS
from tests.assistant.hall.running_hall import BEGAN_NS, PlayedTable

DOUBTFUL = Called(program="1", outcome="too-close")
S = 10**9


@pytest.fixture
def played(tmp_path: Path) -> PlayedTable:
    return PlayedTable(tmp_path / "played.overtable")


def happen(played: PlayedTable, at_s: int, event: Event) -> None:
    played.journal.append(Stamped(captured_ns=BEGAN_NS + at_s * S, event=event))


def test_a_call_stands_until_it_is_accepted_or_another_is_made(played: PlayedTable) -> None:
    played.journal.append((BEGAN_NS, DOUBTFUL))
    digest = read_digest(played.path)
    assert (digest.call, digest.call_row) == (DOUBTFUL, 1)
    happen(played, 1, Accepted(models=("a",), outcome="too-close"))
    digest = follow_rows(digest, played.path, list(read_chained_rows(played.path, 1, 10**6)))
    assert digest.call is None
    assert follow_rows(digest, played.path, list(read_chained_rows(played.path, 0, 10**6))).call is None  # told twice
    played.journal.close()


def test_the_clock_of_a_player_runs_in_their_turn_and_stands_while_nobody_plays(played: PlayedTable) -> None:
    happen(played, 0, TurnBegan(player="red", step="move"))
    happen(played, 60, TurnBegan(player="blue", step="move"))
    happen(played, 60 + LONGEST_PAUSE_NS // S + 1, TurnBegan(player="red", step="move"))
    happen(played, 90 + LONGEST_PAUSE_NS // S + 1, Accepted(models=(), outcome="legal"))
    digest = read_digest(played.path)
    played.journal.close()
    assert (digest.turn, digest.player) == (3, "red")
    assert digest.clocks_ns == {"red": 90 * S, "blue": 0}


def test_rows_that_are_none_tell_nothing(tmp_path: Path) -> None:
    digest = TableDigest(recording="x", path=tmp_path / "x.overtable")
    strange: list[tuple[str, str | bytes]] = [("Called", "{}"), ("Nothing", "{}"), ("Ruled", "[" * 50_000)]
    strange += [("TurnBegan", b"\xff"), ("Called", "null")]
    for number, (kind, body) in enumerate(strange, 1):
        digest.follow(number, 5, kind, body)
    assert (digest.row, digest.turn, digest.call) == (5, 0, None)
    for number in range(20):
        digest.follow(6 + number, 6, "TurnBegan", f'{{"player": "p{number}", "step": "move"}}')
    assert len(digest.clocks_ns) == 8
    assert read_digest(tmp_path / "nothing.overtable").row == 0
    assert find_latest(tmp_path) is None
