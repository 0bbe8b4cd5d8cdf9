"""Table pages: what judges see of a table's own game at the hall, who may, and how it follows what comes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from assistant.hall import table_pages
from assistant.hall.desk import Desk
from assistant.hall.desk_app import create_desk_app
from assistant.hall.folder import HallFolder, make_hall
from assistant.hall.gatherer import GatheredTable
from assistant.replay.recorded_game import RecordedGame
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.commands.hall import HallAir
from assistant.web.hub import Hub, PageCommand
from assistant.web.replay_routes import build_past_view
from assistant.web.server import Server
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game
from tests.pages.waiting import wait_for


class ServedDesk:
    """A hall's pages without a broker; what tables sent lies in the folder already."""

    def __init__(self, path: Path) -> None:
        self.folder: HallFolder = make_hall(path, name="Cup", addresses=("127.0.0.1",))
        self.folder.add(tables=("1", "2", "3"), judges=("Ann",))
        self.folder.write()
        self.tables = {name: GatheredTable(table=name) for name in ("1", "2", "3")}
        self.now_s = 1000.0
        self.devices = DeviceRegistry(state=path)
        self.desk = Desk(self.folder, lambda: self.tables, clock_s=lambda: self.now_s)
        self.server = Server(create_desk_app(self.desk, Hub(), self.devices, [], []), "127.0.0.1", 0)
        self.server.start()
        self.address = f"127.0.0.1:{self.server.port}"

    def locate(self, table: str, name: str = "a") -> Path:
        path = self.folder.find_recording(table, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def get(self, path: str, code: str | None = None) -> httpx.Response:
        """Ask as the host here, or from elsewhere, joined by a code."""
        with httpx.Client(trust_env=False, base_url=f"http://{self.address}", timeout=60) as client:
            if code is not None:
                client.headers["host"] = f"192.0.2.7:{self.server.port}"
                token = client.post("/join", json={"code": code}).headers["set-cookie"].partition(";")[0]
                client.headers["cookie"] = token
            return client.get(path)

    def open_socket(self, table: str) -> ClientConnection:
        return self.connect(f"/hall/table/{table}")

    def connect(self, place: str) -> ClientConnection:
        return connect(f"ws://{self.address}{place}/ws", proxy=None, compression=None)

    def put_on_air(self, table: str) -> str:
        """Choose the table that a broadcast follows, as a judge; return why that was refused."""
        refused: list[str] = []
        asked = PageCommand(message=HallAir(type="hall-air", table=table), refuse=refused.append, role="judge")
        hub = Hub()
        hub.submit(asked)
        self.desk.obey_all(hub)
        return "".join(refused)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedDesk]:
    made = ServedDesk(tmp_path / "cup")
    yield made
    made.server.stop()


def receive(page: ClientConnection) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(page.recv(timeout=60))
    return told


def test_a_table_that_is_off_is_shown_as_its_game_stood_last(served: ServedDesk) -> None:
    table = play_sample_game(served.locate("1"))
    table.journal.close()
    with served.open_socket("1") as page:
        view = receive(page)["view"]
    assert view["table"]["table"]["title"] == "1 · Two scouts"
    assert view["playing"] == {}, "it is shown where it is now, and not played"
    past = RecordedGame(table.path)
    replayed = build_past_view(past, past.find_moment(10**18)).view
    assert view["models"] == json.loads(replayed.model_dump_json())["models"]
    assert view["models"]["s2"]["y_mm"] == pytest.approx(520)
    assert view["notices"]["hall"]["text"] == "This table is off: all is shown that has come of its game."
    assert served.get("/hall/table/1/judge").text.startswith("<!doctype html>")
    assert served.get("/hall/table/1/past/moments.json").json()["recording"] == "a.overtable"


def test_pages_follow_what_comes_and_the_game_that_is_begun_after_it(
    served: ServedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_pages, "FOLLOWED_S", 0.05)
    table = RecordedTable(served.locate("1"))
    served.tables["1"].heard_s = served.now_s
    with served.open_socket("1") as page:
        assert receive(page)["view"]["notices"] == {}
        table.do(table.session.advance_turn)
        assert "turn" in wait_for(lambda: receive(page)["set"] or None)
        page.send(json.dumps({"type": "accept"}))
        assert wait_for(lambda: receive(page).get("text")) == table_pages.WATCHED
        served.now_s += 240
        told = wait_for(lambda: receive(page)["set"].get("notices"))
        assert told["hall"]["text"] == "This table has been offline for 4 min: all is shown that came before."
        later = RecordedTable(served.locate("1", "b"), "rangers")
        wait_for(lambda: "rangers" in receive(page)["set"].get("units", {}))
        later.journal.close()
    table.journal.close()


def test_a_broadcast_follows_the_table_that_is_on_air(served: ServedDesk) -> None:
    table = RecordedTable(served.locate("1"))
    play_sample_game(served.locate("2")).journal.close()
    with served.connect("/hall/air") as page:
        assert receive(page)["view"]["table"] == {}, "no table is on air yet, and the page waits"
        assert served.put_on_air("9") == "There is no table 9."
        assert served.put_on_air("3") == "", "of which nothing has come"
        with pytest.raises(TimeoutError):
            page.recv(timeout=0.8)
        served.put_on_air("1")
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == table_pages.ELSEWHERE
    with served.connect("/hall/air") as page:
        assert receive(page)["view"]["table"]["table"]["title"].startswith("1 · ")
        table.do(table.session.advance_turn)
        assert "turn" in wait_for(lambda: receive(page)["set"] or None)
        served.put_on_air("2")
        with pytest.raises(ConnectionClosed):
            list(page)
    assert served.desk.build_view().event["event"].on_air == "2"
    with served.connect("/hall/air") as page:
        assert receive(page)["view"]["table"]["table"]["title"] == "2 · Two scouts"
        again = Desk(served.folder, lambda: served.tables)
        assert again.on_air == "2", "a hall that is begun again goes on with it"
        served.put_on_air("")
        with pytest.raises(ConnectionClosed):
            page.recv(timeout=60)
    table.journal.close()


def test_what_is_on_air_everybody_may_see_who_joined_and_nothing_else(served: ServedDesk) -> None:
    play_sample_game(served.locate("1")).journal.close()
    viewer = served.devices.get_code("viewer")
    assert served.get("/hall/air/stream", viewer).text.startswith("<!doctype html>")
    assert served.get("/hall/air/past/moments.json", viewer).status_code == 404, "none is on air"
    served.put_on_air("1")
    assert served.get("/hall/air/past/moments.json", viewer).json()["recording"] == "a.overtable"
    assert served.get("/hall/air/codes.json", viewer).status_code == 403
    assert served.get("/hall/table/1/stream", viewer).status_code == 403
    assert served.get("/hall/air/").headers["location"] == "/hall/air/stream"


def test_only_judges_look_and_nobody_finds_what_is_the_host_s(served: ServedDesk) -> None:
    play_sample_game(served.locate("1")).journal.close()
    judge, viewer = served.folder.event.judges[0].code, served.devices.get_code("viewer")
    asked = "/hall/table/1/past/moments.json"
    assert served.get(asked, judge).status_code == 200
    assert served.get(asked, viewer).status_code == 403
    assert served.get("/hall/table/1/codes.json", judge).status_code == 403
    assert served.get("/hall/table/1/codes.json").status_code == 200, "there is something to be found"


def test_a_call_is_opened_at_its_moment(served: ServedDesk) -> None:
    table = play_sample_game(served.locate("1"))
    began_ns = RecordedGame(table.path).began_ns
    table.journal.close()
    assert served.get("/hall/table/1/").headers["location"] == "/hall/table/1/judge"
    for asked, at_ns in ((began_ns + 3 * 10**9, 3 * 10**9), (1, 0)):
        opened = served.get(f"/hall/table/1/?captured_ns={asked}")
        assert opened.headers["location"] == f"/hall/table/1/judge?at_ns={at_ns}"
    assert served.get("/hall/table/1/?captured_ns=-1e9").headers["location"] == "/hall/table/1/judge"


def test_what_cannot_be_opened_gets_its_sentence(served: ServedDesk) -> None:
    served.locate("3").write_text("no journal")
    (served.folder.path / "outside.overtable").write_text("a game that is no table's")
    for name in ("2", "99", "..%2f..", "%2e%2e", "%00"):
        answer = served.get(f"/hall/table/{name}/judge")
        assert (answer.status_code, answer.text) == (404, "Nothing of this table has come yet.")
    answer = served.get("/hall/table/3/judge")
    assert answer.status_code == 404
    assert str(served.folder.path) not in answer.text


def test_games_that_nobody_looks_at_are_forgotten(served: ServedDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_pages, "MOST_OPEN", 1)
    made: list[table_pages.OpenedTable] = []
    open_table = table_pages.OpenedTable.__init__

    def note(table: table_pages.OpenedTable, *given: Any) -> None:
        open_table(table, *given)
        made.append(table)

    monkeypatch.setattr(table_pages.OpenedTable, "__init__", note)
    for name in ("1", "2"):
        RecordedTable(served.locate(name)).journal.close()
    with served.open_socket("1") as page:
        receive(page)
        for name in ("2", "1", "2", "1"):
            assert served.get(f"/hall/table/{name}/past/head.json").status_code == 200
    assert len(made) == 3, "the first is looked at, and the second is opened anew"
