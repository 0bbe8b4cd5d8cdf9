"""What was found in a game, for how long, and what people made of it."""

import threading
import time
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import ModelSettled, Ruled
from assistant.game.state import Pose, Ruling
from assistant.replay import recorded_game as replayed
from assistant.replay.game_log import LoggedFinding
from assistant.replay.past_decisions import build_past_ruling, find_ruling
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.statistics import compute_statistics
from assistant.rules.verdict import Outcome
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game

NEARLY_MM = 152.4 - 0.35
"""Of a Move of 6 inches: nearer than three standard deviations, and farther than two."""


def list_findings(past: RecordedGame) -> list[LoggedFinding]:
    return [each for each in past.judge_all().findings.values() if not each.is_preview]


def test_what_was_put_right_before_its_move_was_accepted_is_no_finding_and_what_was_accepted_is_said_to_be(
    tmp_path: Path,
) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = RecordedGame(table.path)
    table.push_too_far()
    (far,) = [each for each in list_findings(past) if each.finding.rule == "10e-15"]
    assert (far.fate, far.until_ns, far.finding.outcome) == ("stands", None, Outcome.ILLEGAL)
    assert (far.units, far.players) == (("scouts",), ("red",))
    table.push_back()
    assert past.judge_all().findings[far.number].fate == "gone"
    assert list_findings(past) == []
    table.push_too_far()
    table.do(table.session.accept)
    again = [each for each in list_findings(past) if each.finding.rule == "10e-15"]
    assert [each.fate for each in again] == ["accepted"]


def test_a_unit_that_is_moved_model_by_model_is_judged_when_its_move_is_over(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = RecordedGame(table.path)
    table.show(*table.script.slide("s1", 400, 300))  # out of coherency until the other one follows
    assert [each.finding.rule for each in list_findings(past)] == ["10e-60"]
    table.wait()
    table.show(*table.script.slide("s2", 400, 350))
    table.do(table.session.accept)
    assert list_findings(past) == []
    assert any(each.is_preview for each in past.log.findings.values())


def test_what_is_seen_in_one_picture_is_judged_together(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    for model, start, end in (("s1", (300, 300), (400, 300)), ("s2", (300, 350), (400, 350))):
        path = tuple(Pose(x_mm=x, y_mm=y) for x, y in (start, end))
        table.session.record_event(ModelSettled(model=model, path=path, observed=True))  # out of coherency in between
    past = RecordedGame(table.path)
    assert past.judge_all().findings == {}
    table.wait()
    table.session.record_event(
        ModelSettled(model="s2", path=(Pose(x_mm=400, y_mm=350), Pose(x_mm=400, y_mm=395)), observed=True)
    )
    assert [each.finding.rule for each in past.judge_all().findings.values()] == ["10e-60"]


def test_what_holds_when_another_unit_is_announced_was_judged(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    table.do(lambda: table.session.declare(unit="walker", action="normal"))
    assert ("10e-15", "gone") in [(each.finding.rule, each.fate) for each in list_findings(RecordedGame(table.path))]


def test_every_event_is_told_in_order_with_its_turn(tmp_path: Path) -> None:
    log = RecordedGame(play_sample_game(tmp_path / "game.overtable").path).judge_all()
    told = [each.text for each in log.happenings]
    assert [each.at_ns for each in log.happenings] == sorted(each.at_ns for each in log.happenings)
    for sentence in (
        "Turn 1 of red began with Move Units.",
        "scouts announced Normal move.",
        's2 moved 6.69".',
        "Normal move of scouts was accepted: not legal.",
        "The last decision was taken back.",
        "It is known again where the camera stands.",
    ):
        assert sentence in told
    assert "The players agreed: legal" in next(text for text in told if "agreed" in text)
    moved = next(each for each in log.happenings if each.text.startswith("s2 moved"))
    assert (moved.turn, moved.player, moved.units) == (1, "red", ("scouts",))


def test_what_players_agreed_on_is_told_in_the_rulebooks_words(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(lambda: table.session.agree_on_parameters({"premeasuring": False, "engagement_in": 2.0}))
    (told,) = [each.text for each in RecordedGame(table.path).judge_all().happenings if "agreed" in each.text]
    assert told == (
        "The players agreed. Players may measure at any time, a house rule where the rules do not say: no; "
        "engagement range, horizontal, inches: 2.0."
    )


def test_what_could_not_be_recorded_is_told(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.journal._db.execute("PRAGMA max_page_count = 1")
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    table.show(*table.script.slide("s2", 300, 520), *table.script.slide("s2", 300, 350))
    table.journal._db.execute("PRAGMA max_page_count = 100000")
    table.wait()
    told = [each.text for each in RecordedGame(table.path).judge_all().happenings]
    at = next(at for at, text in enumerate(told) if "nothing could be recorded (the disk is full); lost: " in text)
    assert "pictures' poses" in told[at]
    assert 's2 moved 6.69".' in told[at + 1 :]


def test_a_page_is_told_only_what_is_new(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = RecordedGame(table.path)
    before = past.judge_all().revision
    happened, changed = past.log.list_changes(before)
    assert (happened, changed) == ([], [])
    table.push_too_far()
    happened, changed = past.judge_all().list_changes(before)
    assert [each.kind for each in happened] == ["told", "move"]
    assert changed == list(past.log.findings.values())


def test_a_ruling_belongs_to_what_it_is_about_until_it_is_taken_back(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = RecordedGame(table.path)
    table.push_too_far()
    far = list_findings(past)[0].number
    table.do(lambda: table.session.make_ruling(Ruling(by="players", outcome="legal", note="we agreed")))
    (made,) = past.judge_all().findings[far].rulings
    assert (made.ruling.by, made.ruling.outcome, made.ruling.note) == ("players", "legal", "we agreed")
    table.do(table.session.undo)
    assert past.judge_all().findings[far].rulings == ()


def test_a_judge_rules_on_what_is_past(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = RecordedGame(table.path)
    table.push_too_far()
    table.push_back()
    far = next(each for each in past.judge_all().findings.values() if each.finding.rule == "10e-15")
    ruling = build_past_ruling(past, at_ns=0, number=far.number, outcome="legal", note=" it was bumped ")
    assert (ruling.rule, ruling.subjects, ruling.unit, ruling.referee) == ("10e-15", ("s2",), "scouts", "illegal")
    assert (ruling.note, ruling.text) == ("it was bumped", far.finding.text)
    state = table.session.state
    table.do(lambda: table.session.make_ruling(ruling))
    assert past.judge_all().findings[far.number].rulings[0].ruling == ruling
    assert table.session.state.units == state.units
    assert table.session.last_decision != Ruled(ruling=ruling)
    table.do(lambda: table.session.withdraw_ruling(find_ruling(past, 1)))
    assert past.judge_all().findings[far.number].rulings == ()
    assert past.judge_all().happenings[-1].text.startswith("This ruling was taken back: The judge ruled: legal")
    with pytest.raises(BadInput, match="taken back already"):
        find_ruling(past, 1)
    with pytest.raises(BadInput, match="taken back already"):
        table.session.withdraw_ruling(ruling)
    whole = build_past_ruling(past, at_ns=far.at_ns, number=None, outcome="legal", note="let it stand")
    assert (whole.rule, whole.unit, whole.referee, whole.at_ns) == (None, "scouts", "illegal", ruling.at_ns)
    with pytest.raises(BadInput, match="there is no finding 99"):
        build_past_ruling(past, at_ns=0, number=99, outcome="legal", note="")
    with pytest.raises(BadInput, match="not recorded"):
        build_past_ruling(None, at_ns=0, number=1, outcome="legal", note="")


def test_a_long_game_is_judged_in_pieces(tmp_path: Path) -> None:
    past = RecordedGame(play_sample_game(tmp_path / "game.overtable").path)
    pieces = 1
    while past.judge_more(5):
        pieces += 1
    assert pieces > 3
    assert past.log.findings == RecordedGame(past.path).judge_all().findings


def test_who_looks_at_a_moment_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judging waits between two events, and goes on all the same should nobody ever be done with looking."""
    monkeypatch.setattr(replayed, "PATIENCE_S", 60.0)
    past = RecordedGame(play_sample_game(tmp_path / "game.overtable").path)
    judging = threading.Thread(target=past.judge_all)
    with past.hold_judging():
        judging.start()
        while not past.log.is_waiting:
            time.sleep(0.001)
        past.find_moment(10**9)
        assert past.log.happenings == []
    judging.join()
    assert past.log.happenings
    monkeypatch.setattr(replayed, "PATIENCE_S", 0.0)
    other = RecordedGame(past.path)
    with other.hold_judging():
        assert other.judge_all().findings == past.log.findings


def test_what_an_accepted_move_hardly_kept_is_listed_as_in_the_statistics(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = RecordedGame(table.path)
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    table.show(*table.script.slide("s2", 300, 350 + NEARLY_MM))

    def list_lengths() -> list[LoggedFinding]:
        return [each for each in list_findings(past) if each.finding.rule == "10e-15"]

    assert list_lengths() == []  # it may be moved on
    table.do(table.session.accept)
    (near,) = list_lengths()
    assert (near.finding.outcome, near.fate) == (Outcome.LEGAL, "accepted")
    (call,) = [each for each in compute_statistics(table.path).close_calls if each.outcome == "legal"]
    assert (call.rule, call.text, call.at_ns) == (near.finding.rule, near.finding.text, near.until_ns)
    table.do(table.session.undo)
    table.do(table.session.accept)
    assert [each.number for each in list_lengths()] == [near.number]
