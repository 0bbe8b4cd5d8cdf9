"""A replay goes where it is told to, and its verdicts are those that were given live, byte for byte."""

import json
import threading
from pathlib import Path

import pytest

from assistant.features.demo.catalogue import read_demo
from assistant.features.feature import Asker
from assistant.game.events import ModelSettled, SourceChanged
from assistant.game.situation_file import encode_situation
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.writer import Journal
from assistant.replay.recorded_game import RecordedGame
from assistant.rules.answer_documents import encode_verdict
from assistant.runtime.replay_loop import LONGEST_WAIT_S, ReplayPlayer
from assistant.table.session import GameSession
from assistant.web.commands.game import Pause, Play, Seek, Speed, Step
from assistant.web.messages import View
from assistant.web.messages.message import Message
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game
from tests.assistant.runtime.demo_loop import ListeningHub, build_exact_loop


def give(player: ReplayPlayer, command: Message, now_s: float) -> None:
    """Do what a page asks at some moment of the replay's clock."""
    player.clock_s = lambda: now_s
    player.handle(command, Asker(session=player.session))


def go_on(player: ReplayPlayer, now_s: float) -> float:
    player.clock_s = lambda: now_s
    return player.play_due()


def read_verdict(session: GameSession) -> str:
    found = session.consult_referee().verdict
    return "" if found is None else json.dumps(encode_verdict(found))


def test_a_replayed_demo_gives_the_verdicts_that_were_given_live_byte_for_byte(tmp_path: Path) -> None:
    demo, stop, path = read_demo("warhammer-40k-10e"), threading.Event(), tmp_path / "demo.overtable"
    live: dict[int, str] = {}

    def hears(view: View) -> None:
        live[loop.session.now_ns] = read_verdict(loop.session)
        if (scene := view.scene.get("scene")) is not None and not scene.playing:
            stop.set()

    about = {"title": "demo", "situation": json.dumps(encode_situation(demo.state))}
    with Journal(path, about=about) as journal:
        loop = build_exact_loop(demo, ListeningHub(hears), journal)
        loop.run(stop)
    assert len(set(live.values())) > 10, "the demo is judged again and again"
    changes = zip([None, *live.values()], live.items(), strict=False)
    told = {at_ns: text for before, (at_ns, text) in changes if at_ns and before != text}
    player, now_s = ReplayPlayer(RecordedGame(path), speed=1), 0.0
    began_ns = player.past.began_ns
    replayed = {}
    while not player.ended:
        now_s += LONGEST_WAIT_S
        go_on(player, now_s)
        if began_ns + player.at_ns in told:
            replayed[began_ns + player.at_ns] = read_verdict(player.session)
    assert replayed == told
    for at_ns, text in list(told.items())[::9]:
        give(player, Seek(type="seek", at_ns=max(0, at_ns - began_ns)), now_s)
        assert read_verdict(player.session) == text


@pytest.fixture
def player(tmp_path: Path) -> ReplayPlayer:
    return ReplayPlayer(RecordedGame(play_sample_game(tmp_path / "game.overtable").path), speed=1)


def test_it_plays_in_its_own_time_and_shortens_waits(player: ReplayPlayer) -> None:
    go_on(player, 100.0)
    assert player.at_ns == 0
    second = go_on(player, 100.0)
    assert 0 < second <= LONGEST_WAIT_S
    times = [player.at_ns]
    now_s = 100.0
    while not player.ended:
        now_s += go_on(player, now_s) or 0.001
        times.append(player.at_ns)
    assert times == sorted(times)
    assert player.at_ns == player.past.find_end_ns()
    assert player.session.state == player.past.find_moment(10**18).session.state
    at_speed = ReplayPlayer(player.past, speed=1)
    fast_s = 100.0
    give(at_speed, Speed(type="speed", speed=16), fast_s)
    while not at_speed.ended:
        fast_s += go_on(at_speed, fast_s) or 0.001
    assert fast_s - 100 < (now_s - 100) / 8


def test_it_stays_where_it_is_paused_and_goes_where_it_is_sent(player: ReplayPlayer) -> None:
    give(player, Seek(type="seek", at_ns=5_000_000_000), 10.0)
    give(player, Pause(type="pause"), 10.0)
    go_on(player, 1000.0)
    assert player.at_ns == 5_000_000_000
    assert player.session.state == player.past.find_moment(5_000_000_000).session.state
    give(player, Play(type="play"), 1000.0)
    for tick in range(60):
        go_on(player, 1000.0 + tick / 20)
    assert 5_000_000_000 < player.at_ns < 10_000_000_000
    give(player, Seek(type="seek", at_ns=10**18), 1003.0)
    go_on(player, 1003.0)
    assert (player.ended, player.playing, player.at_ns) == (True, False, player.past.find_end_ns())
    give(player, Play(type="play"), 1003.0)
    assert (player.ended, player.playing, player.at_ns) == (False, True, 0)


def test_it_steps_from_move_to_move(player: ReplayPlayer) -> None:
    moves = [
        e.captured_ns - player.past.began_ns for e in read_entries(player.past.path) if isinstance(e.what, ModelSettled)
    ]
    there = []
    for _ in moves:
        give(player, Step(type="step"), 0.0)
        there.append(player.at_ns)
    assert there == moves
    assert not player.playing
    give(player, Step(type="step"), 0.0)
    assert player.at_ns == player.past.find_end_ns()
    for at_ns in [*reversed(moves), 0, 0]:
        give(player, Step(type="step", back=True), 0.0)
        assert player.at_ns == at_ns


def test_a_camera_that_was_lost_then_is_said_to_be_lost(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.wait()
    lost_ns = table.script.now_ns
    table.session.record_event(SourceChanged(state="lost", text="It was unplugged."))
    table.wait()
    table.session.record_event(SourceChanged(state="live", text=""))
    table.push_too_far()
    player, now_s = ReplayPlayer(RecordedGame(table.path), speed=1), 0.0
    told = []
    while not player.ended:
        now_s += LONGEST_WAIT_S
        go_on(player, now_s)
        told.append((player.describe_source("").state, player.describe_source("").text))
    assert [each for each, before in zip(told, [None, *told], strict=False) if each != before] == [
        ("live", ""),
        ("lost", "It was unplugged."),
        ("live", ""),
        ("ended", "The recording has ended."),
    ]
    give(player, Seek(type="seek", at_ns=lost_ns - player.past.began_ns), now_s)
    assert player.describe_source("It was changed.").text == "It was unplugged. It was changed."
