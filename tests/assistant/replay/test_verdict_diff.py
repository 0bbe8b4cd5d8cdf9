"""What was called in play is recorded, called the same by the same rules, and otherwise by others."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.state import Move
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import Called
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.verdict_diff import find_differences, override_parameters
from assistant.rules.referee import Referee
from assistant.rules.verdict import BREACHES, Detail, Verdict
from assistant.web.views.notices import list_notices
from tests.assistant.cli.command_runner import read_refusal, run_overtable
from tests.assistant.replay.sample_recording import play_sample_game


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = play_sample_game(tmp_path_factory.mktemp("played") / "game.overtable")
    table.journal.close()
    return table.path


def read_calls(path: Path) -> list[Called]:
    return [entry.what for entry in read_entries(path) if isinstance(entry.what, Called)]


def test_every_call_is_recorded_with_what_it_rests_on(recording: Path) -> None:
    worst = next(call for call in read_calls(recording) if call.outcome == "illegal")
    (far, *_) = (finding for finding in worst.findings if finding.rule == "10e-15")
    assert (far.text, far.limit_mm, far.sigma_mm is not None) == ('s2 moved 6.69" of 6"', 152.4, True)
    assert worst.program == run_overtable("--version").out.split()[-1]


def test_the_same_rules_call_everything_the_same(recording: Path) -> None:
    found = find_differences(recording, {})
    assert (found.differing, found.compared, found.outcomes_only) == ((), len(read_calls(recording)), False)
    said = run_overtable("replay", recording, "--differences")
    assert (said.status, said.out.startswith(f"No differences: {found.compared} calls of Two scouts held to")) == (
        0,
        True,
    )


def test_another_parameter_calls_what_it_is_about_otherwise(recording: Path) -> None:
    found = run_overtable("replay", recording, "--differences", "--json", "--params", "coherency_in=0.5").document
    assert found["parameters"] == {"coherency_in": 0.5}
    assert {pair["rule"] for each in found["differing"] for pair in each["findings"]} == {"10e-60"}
    accepted = [each for each in found["differing"] if each["accepted"]]
    assert [(each["move"], each["unit"], each["before"], each["now"]) for each in accepted] == [
        (2, "scouts", "illegal", "illegal")
    ]
    first = found["differing"][0]
    assert first["findings"][0]["before"] is None
    assert first["findings"][0]["now"]["margin_mm"] < 0
    said = run_overtable("replay", recording, "--differences", "--params", "coherency_in=0.5").out
    assert "The stories part at 0:00:00." in said
    assert "Move 2, Normal move of scouts at " in said
    assert "accepted: not legal then and now, but not for the same" in said


def test_a_replay_by_other_rules_says_where_it_differs(recording: Path) -> None:
    about = override_parameters(recording, read_about(recording), {"coherency_in": 0.5})
    past = RecordedGame(recording, about)
    (first, *_) = (each for each in past.judge_all().happenings if each.kind == "differs")
    assert first.text.startswith("This was called legal in play and is called not legal now. Now: s1 is 0.71")
    assert list_notices(past.find_moment(first.at_ns).session)["otherwise"].text == first.text
    as_played = RecordedGame(recording)
    assert "differs" not in {each.kind for each in as_played.judge_all().happenings}
    assert "otherwise" not in list_notices(as_played.find_moment(first.at_ns).session)


def test_newer_code_that_judges_otherwise_is_found_out(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strict = Referee.judge

    def lenient(referee: Referee, move: Move | None = None, *, detail: Detail = BREACHES) -> Verdict:
        verdict = strict(referee, move, detail=detail)
        return replace(verdict, findings=tuple(found for found in verdict.findings if found.rule != "10e-15"))

    monkeypatch.setattr(Referee, "judge", lenient)
    found = find_differences(recording, {}).differing
    assert {pair.rule for each in found for pair in each.findings} == {"10e-15"}
    assert any(each.accepted for each in found)


def test_an_older_recording_is_held_to_what_was_accepted(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "older.overtable"
    path.write_bytes(recording.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER events_stay_there")
        db.execute("DELETE FROM events WHERE kind = 'Called'")
    assert find_differences(path, {}).differing == ()
    assert "keeps only how accepted moves were called" in run_overtable("replay", path, "--differences").out
    with closing(sqlite3.connect(path)) as db, db:  # as if another referee had called it so
        db.execute("DROP TRIGGER events_stay")
        db.execute("UPDATE events SET body = replace(body, 'illegal', 'too-close') WHERE kind = 'Accepted'")
    (move,) = find_differences(path, {}).differing
    assert (move.unit, move.before, move.now, move.findings) == ("scouts", "too-close", "illegal", ())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("coherency_in", "expected KEY=VALUE"),
        ("colour=red", "parameters.colour: this parameter is not known; expected one of engagement_in"),
        ("coherency_in=wide", "parameters.coherency_in: expected a number from 0 to 24, not 'wide'"),
    ],
)
def test_what_is_no_parameter_is_refused(recording: Path, given: str, sentence: str) -> None:
    assert sentence in read_refusal(run_overtable("replay", recording, "--differences", "--params", given))


def test_json_is_for_the_differences(recording: Path) -> None:
    assert "--json: means nothing without --differences" in read_refusal(run_overtable("replay", recording, "--json"))


def test_a_table_that_is_only_watched_has_no_calls(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "watched.overtable"
    path.write_bytes(recording.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER about_stays")
        db.execute("UPDATE about SET value = replace(value, 'warhammer-40k-10e', 'none') WHERE key = 'situation'")
    with pytest.raises(BadInput, match="nothing was judged in this game"):
        find_differences(path, {})
