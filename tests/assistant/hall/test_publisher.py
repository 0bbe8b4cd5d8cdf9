"""The publisher against a real broker: what the hall tells a table is shown there, and written down once."""

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.game.state import Ruling
from assistant.hall import publisher
from assistant.hall.broker import Broker, find_broker
from assistant.hall.connection import NotConnected, connect
from assistant.hall.folder import make_hall
from assistant.hall.messages import DeskRuling, RoundClock, TableOrders
from assistant.hall.publisher import HallLink, publish_to_hall, read_rulings
from assistant.setup.hall_file import HallFile, read_hall_file
from assistant.web.commands.game import CallJudge, RulePast
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.move import SummonsView
from hardware.clock import read_clock_ns
from tests.assistant.bridges.test_tuio import find_free_port
from tests.assistant.hall.running_hall import (
    BEGAN_NS,
    PlayedTable,
    RunningHall,
    gathering,
    needs_broker,
    run_broker,
)
from tests.assistant.replay.sample_recording import play_sample_game
from tests.pages.waiting import PATIENCE_S, wait_for

pytestmark = needs_broker


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHall]:
    with run_broker(RunningHall(tmp_path_factory.mktemp("hall") / "cup", ("1", "2", "3"))) as running:
        yield running


def test_a_table_is_told_the_clock_and_who_comes_and_tells_how_it_fares(hall: RunningHall, tmp_path: Path) -> None:
    played = PlayedTable(tmp_path / "played.overtable")
    played.show("lost", "the camera is unplugged")
    clock = RoundClock(round=2, left_s=3600, running=True)
    hall.orders["1"] = TableOrders(event="Autumn Cup", players=("Red", "Blue"), clock=clock, coming="Ann", coming_s=5)
    with gathering(hall) as gathers, played.publishing(hall.read_file("1")) as link:
        played.play(10)
        wait_for(lambda: link.orders)
        (view,) = link.build_views(None)  # type: ignore[arg-type]
        shown = view.hall["hall"]
        assert (shown.round, shown.left_s, shown.coming, shown.players) == (2, 3600, "Ann", ["Red", "Blue"])
        state = wait_for(lambda: gathers.tables["1"].state)
        assert (state.camera, state.camera_text) == ("lost", "the camera is unplugged")
        assert abs(gathers.tables["1"].clock_off_s) < 60


def test_a_table_whose_clock_is_wrong_by_a_minute_is_told_by_it(
    hall: RunningHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "read_clock_ns", lambda: read_clock_ns() - 60 * 10**9)
    played = PlayedTable(tmp_path / "played.overtable")
    with gathering(hall) as gathers, played.publishing(hall.read_file("2")):
        played.play(10)
        wait_for(lambda: gathers.tables["2"].state)
        assert -75 < gathers.tables["2"].clock_off_s < -45


def test_a_ruling_from_the_desk_is_handed_over_once_with_the_judges_name(
    hall: RunningHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[TableOrders]()

    def note(self: HallLink, name: str, value: object) -> None:
        if isinstance(value, TableOrders):
            told.append(value)
        object.__setattr__(self, name, value)

    monkeypatch.setattr(HallLink, "__setattr__", note)
    monkeypatch.setattr(publisher, "STATE_S", 0.1)
    monkeypatch.setattr(publisher, "POLL_S", 0.05)
    table = play_sample_game(tmp_path / "game.overtable")
    ruling = DeskRuling(judge="Ann", captured_ns=table.script.now_ns, outcome="illegal", note="It is seven inches.")
    hall.orders["3"] = TableOrders(event="Autumn Cup", rulings=(ruling,), recent=(ruling,))
    link, hub = HallLink(hall.read_file("3")), Hub()
    with gathering(hall), publish_to_hall(table.path, hub, link):
        (command,) = wait_for(lambda: hub.take() or None)
        heard = len(told)
        wait_for(lambda: len(told) > heard + 2)
        assert hub.take() == []
    table.journal.close()
    asked = command.message
    assert isinstance(asked, RulePast)
    assert (command.role, asked.judge, asked.outcome) == ("judge", "Ann", "illegal")
    assert asked.at_ns == table.script.now_ns - read_rulings(table.path)[0]


def test_a_summons_that_is_answered_at_the_desk_is_over_at_the_table(hall: RunningHall, tmp_path: Path) -> None:
    played = PlayedTable(tmp_path / "played.overtable")
    played.hub.publish(View(summons={"judge": SummonsView(about="", since_s=77)}))
    hall.orders["1"] = TableOrders(event="Autumn Cup", answered_s=77)
    with gathering(hall), played.publishing(hall.read_file("1")):
        (command,) = wait_for(lambda: played.hub.take() or None)
    assert command.message == CallJudge(type="call-judge", needed=False)


def test_a_record_tells_which_rulings_it_has(tmp_path: Path) -> None:
    played = PlayedTable(tmp_path / "played.overtable")
    played.play(3)
    played.rule(Ruling(by="judge", outcome="legal", note="so", at_ns=played.now_ns, judge="Ben"))
    played.rule(Ruling(by="players", outcome="legal", note="we agreed"))
    played.journal.close()
    began_ns, (found,) = read_rulings(played.path)
    assert began_ns == BEGAN_NS + 200_000_000
    asked = DeskRuling(judge="Ben", captured_ns=played.now_ns, outcome="legal", note="so")
    assert publisher.is_same(found, asked)
    assert not publisher.is_same(found, asked.model_copy(update={"judge": "Ann"}))
    assert not publisher.is_same(found, asked.model_copy(update={"captured_ns": 5}))


def refuse(file: HallFile) -> str:
    async def ask(context: ssl.SSLContext) -> None:
        async with connect(file.servers, context, user=file.user, password=file.password):
            pass

    with pytest.raises(NotConnected) as refused:
        asyncio.run(ask(file.build_context()))
    return str(refused.value)


def test_who_is_not_let_in_is_told_why(hall: RunningHall, tmp_path: Path) -> None:
    file = hall.read_file("1")
    assert "does not take this table's credentials" in refuse(file.model_copy(update={"password": "guessed it"}))
    nobody = f"127.0.0.1:{find_free_port()}"
    assert refuse(file.model_copy(update={"servers": (nobody,)})) == f"{nobody} does not answer"
    other = make_hall(tmp_path / "other", name="Other", addresses=("127.0.0.1",), port=hall.folder.event.port)
    other.add(tables=("1",))
    other.write()
    assert "is another hall's" in refuse(read_hall_file(other.path / "tables" / "1.json"))


def test_the_broker_that_a_killed_hall_left_behind_is_ended_by_the_next(tmp_path: Path) -> None:
    killed = RunningHall(tmp_path / "cup", ("1",))
    killed.broker.start()
    left = killed.broker.pid
    killed.broker._stop.set()  # whoever kept it is gone
    again = Broker(find_broker(), killed.folder.path, killed.folder.event.port)
    again.start()
    try:
        assert again.pid not in {0, left}
        assert killed.broker._running is not None
        assert killed.broker._running.poll() is not None
    finally:
        again.stop()
        killed.broker.stop()


def test_a_table_may_neither_write_nor_read_for_another(hall: RunningHall) -> None:
    async def ask() -> list[str]:
        file, heard = hall.read_file("1"), list[str]()
        async with connect(file.servers, file.build_context(), user=file.user, password=file.password) as client:

            async def hear(error: Exception) -> None:
                heard.append(str(error))

            client._error_cb = hear
            await client.publish("overtable.rows.2", b"in another's name")
            await client.subscribe("overtable.orders.2")
            await client.subscribe("_INBOX-table-2.>")
            async with asyncio.timeout(PATIENCE_S):
                while len(heard) < 3:
                    await asyncio.sleep(0.02)
        return heard[:3]

    assert all("ermissions violation" in each for each in asyncio.run(ask()))
