"""A game in which two models carried each other's tags, as it was played and as it is known to have been."""

import json
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import Declared, Exchanged, SourceChanged, Swapped
from assistant.game.situation import to_json
from assistant.past.corrected import corrected
from assistant.past.moves import listed, moves
from assistant.past.otherwise import differences
from assistant.past.replayed import Past
from assistant.past.statistics import statistics
from assistant.record.journal import Journal, read_about, read_entries
from assistant.record.verify import verify
from assistant.session import Session
from tests.assistant.cli.program import overtable, refused
from tests.assistant.past.recorded import Recorded
from tests.assistant.scripted import Script, game


def mixed_up(path: Path, *, late: bool) -> Recorded:
    """Return a game in which the tags of s2 and w1 are on each other, as is found out after a move of each.

    Args:
        path: the recording.
        late: only from some moment on, for somebody exchanged them then.

    """
    table = Recorded(path)
    script, session = table.script, table.session
    if late:
        table.show(*script.slide("s1", 310, 300))
        table.do(session.accept)
    began_ns = script.now_ns if late else 0
    table.show(*script.slide("w1", 600, 480))  # which is s2, by more than its six inches
    table.do(session.accept)
    table.show(*script.slide("s2", 360, 350))  # which is w1
    table.do(session.accept)
    table.do(lambda: session.swap("s2", "w1", began_ns))
    table.show(*script.slide("s1", 330, 310))
    table.do(session.accept)
    return table


@pytest.mark.parametrize("late", [False, True])
def test_the_copy_tells_apart_what_the_game_took_for_each_other(tmp_path: Path, late: bool) -> None:
    table = mixed_up(tmp_path / "game.overtable", late=late)
    out = tmp_path / "corrected.overtable"
    (mistake,) = corrected(table.path, out)
    assert (mistake.models, mistake.whole) == (("s2", "w1"), not late)
    as_played, known = moves(table.path), moves(out)
    before = 1 if late else 0
    assert [each.unit for each in as_played][before:] == ["walker", "scouts", "scouts"]
    assert [each.unit for each in known][before:] == ["scouts", "walker", "scouts"]
    said = list(listed(known))[before]
    assert "scouts: Normal move, 6.3" in said
    assert "not legal" in said
    assert "walker: Normal move" in list(listed(as_played))[before]
    assert "legal; accepted" in list(listed(as_played))[before]
    # What is known in the end, the game knew in the end.
    assert Past(out).at(10**15).session.state.units == table.session.state.units
    assert Past(out).at(10**15).session.poses == table.session.poses


def test_the_copy_is_a_recording_that_names_the_other(tmp_path: Path) -> None:
    table = mixed_up(tmp_path / "game.overtable", late=True)
    out = tmp_path / "corrected.overtable"
    said = overtable("export", table.path, "--to", "corrected", "--out", out)
    assert "game as it is known to have been: s2 and w1 from row " in said.out
    head = verify(table.path).head
    assert read_about(out)["title"] == "Two scouts, as corrected"
    assert read_about(out)["corrected"] == f"game.overtable, head {head}"
    assert verify(out).broken is None
    assert verify(out).pictures == verify(table.path).pictures > 0
    assert not any(isinstance(entry.what, Swapped) for entry in read_entries(out))
    assert statistics(out).title == "Two scouts, as corrected"
    moved = {unit.unit: unit.moved_mm for unit in statistics(out).units}
    assert moved["scouts"] > 170
    told = [each.text for each in Past(out).judged().happenings]
    assert "From here on s2 and w1 are told apart as was found out later." in told
    assert "never written over" in refused(
        overtable("export", table.path, "--to", "corrected", "--out", out, "--replace")
    )


def test_what_was_called_then_is_held_to_what_is_known(tmp_path: Path) -> None:
    table = mixed_up(tmp_path / "game.overtable", late=False)
    assert differences(table.path, {}).differing == ()
    found = overtable("replay", table.path, "--differences", "--corrected", "--json").document
    accepted = [(each["unit"], each["before"], each["now"]) for each in found["differing"] if each["accepted"]]
    assert accepted[0] == ("scouts", "legal", "illegal")
    (far,) = [p for e in found["differing"] if e["accepted"] for p in e["findings"] if p["rule"] == "10e-15"]
    assert (far["subjects"], far["before"], far["now"]["outcome"]) == (["s2"], None, "illegal")
    text = overtable("replay", table.path, "--differences", "--corrected").out
    assert "calls of Two scouts, as corrected held to" in text


def test_models_of_one_unit_are_only_called_by_each_others_names(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "game.overtable")
    table.do(lambda: table.session.declare(unit="scouts", action="normal", model="s2"))
    table.show(*table.script.slide("s2", 300, 520))
    table.do(table.session.accept)
    table.do(lambda: table.session.swap("s1", "s2", 0))
    out = tmp_path / "corrected.overtable"
    corrected(table.path, out)
    assert differences(out, {}).differing == ()
    (move,) = moves(out)
    assert list(move.state.tracks) == ["s1"]
    (declared,) = (e.what for e in read_entries(out) if isinstance(e.what, Declared))
    assert declared.declaration.unit == "scouts"


def test_what_was_written_before_the_first_picture_is_before_the_beginning(tmp_path: Path) -> None:
    """A program tells of its camera before there is a picture with a time."""
    with Journal(tmp_path / "game.overtable", about={"situation": json.dumps(to_json(game()))}) as journal:
        session, script = Session(game(), journal), Script(now_ns=10**18)
        session.happen(SourceChanged(state="live", text=""))
        session.see(script.frame())
        session.swap("s1", "w1", Past(journal.path).began_ns)
    (mistake,) = corrected(journal.path, tmp_path / "corrected.overtable")
    assert mistake.whole
    assert not any(isinstance(entry.what, Exchanged) for entry in read_entries(tmp_path / "corrected.overtable"))


def test_what_was_taken_back_or_only_holds_from_then_on_corrects_nothing(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "game.overtable")
    table.do(lambda: table.session.swap("s1", "s2", 0))
    table.do(table.session.undo)
    table.do(lambda: table.session.swap("s1", "s2"))
    with pytest.raises(BadInput, match="there is nothing to correct"):
        corrected(table.path, tmp_path / "corrected.overtable")
    assert not (tmp_path / "corrected.overtable").exists()
