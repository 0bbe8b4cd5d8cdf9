"""The interface for programs: what it answers, to whom, and what it says to whoever means harm."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.replay.recorded_game import RecordedGame
from assistant.table.session import GameSession
from assistant.web.api import routes
from assistant.web.api.routes import build_api
from assistant.web.app import create_app
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.guard import CARRIES_NOTHING, FOREIGN_PAGE, JOIN_FIRST, OPENS_NOTHING
from assistant.web.auth.pairings import FILE, MOST_PROGRAMS, Pairings, make_program_token
from assistant.web.auth.roles import API_AT_ONCE, COSTS, find_path_roles
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.calibration import SightingView
from assistant.web.messages.message import Role
from assistant.web.replay_routes import Archive
from assistant.web.server import Server
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.snapshot_script import SITUATION, SnapshotScript, build_game
from tests.assistant.web.auth.test_join_routes import read_close_code, receive_message

SITE = "https://club.example"
SIGHTING = SightingView(corners_px=[], note="")


class Site:
    """A table with a game, a recording of it, and programs that carry tokens."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.recording = folder, folder / "games" / "now.overtable"
        self.recording.parent.mkdir()
        with Journal(self.recording, about={"title": "Crossing", "situation": json.dumps(SITUATION)}) as journal:
            self.session = GameSession(build_game(), journal)
            script = SnapshotScript()
            self.session.observe(script.take_snapshot())
            self.session.declare(unit="scouts", action="normal")
            for frame in script.slide("s2", 300, 550):
                self.session.observe(frame)
        self.hub = Hub()
        self.hub.game = self.session.state
        self.pairings = Pairings(folder / FILE)
        self.devices = DeviceRegistry(state=folder)
        archive = Archive(RecordedGame(self.recording))
        app = create_app(hub=self.hub, picture=lambda: b"jpeg", join_urls=[], devices=self.devices, archive=archive)
        self.server = Server(app, "127.0.0.1", 0)
        self.server.start()

    def make_token(self, role: Role, *origins: str) -> str:
        """Return a new one, which nobody has slowed down yet; there are never many."""
        if len(self.pairings.list()) == MOST_PROGRAMS:
            self.pairings.withdraw(lambda _: True)
        token = make_program_token()
        self.pairings.add_program(token, role, f"a {role}", origins)
        return token

    def ask(self, path: str, token: str | None = None, method: str = "GET", **headers: str) -> httpx.Response:
        """Ask from elsewhere: by an address that is not this machine's own name."""
        sent = {"Host": "192.0.2.7", **({"Authorization": f"Bearer {token}"} if token is not None else {}), **headers}
        with httpx.Client(trust_env=False) as client:
            return client.request(method, f"http://127.0.0.1:{self.server.port}{path}", headers=sent)

    def connect(self, token: str | None = None, *offers: str, **headers: str) -> ClientConnection:
        sent = {**({"Authorization": f"Bearer {token}"} if token is not None else {}), **headers}
        here, offered = ("127.0.0.1", self.server.port), [Subprotocol(each) for each in offers]
        return connect(
            "ws://192.0.2.7/api/1/live", address=here, proxy=None, additional_headers=sent, subprotocols=offered or None
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    yield made
    made.server.stop()


@pytest.fixture
def situation(site: Site, tmp_path: Path) -> Path:
    """What the interface says of where everything stands, as a file."""
    path = tmp_path / "situation.json"
    path.write_text(site.ask("/api/1/situation", site.make_token("judge")).text)
    return path


def test_a_token_is_tried_by_asking_who_one_is(site: Site) -> None:
    told = site.ask("/api/1/you", site.make_token("judge")).json()
    assert (told["role"], told["interface"]) == ("judge", 1)


def test_each_answer_is_what_the_command_says_of_the_situation(site: Site, situation: Path) -> None:
    player = site.make_token("player")
    at = json.loads(situation.read_text())["units"][0]["models"][1]["pose"]
    assert (at["x_mm"], at["y_mm"]) == (300.0, 550.0)
    actions = site.ask("/api/1/actions?unit=scouts", player).json()
    assert actions == run_overtable("actions", situation, "--unit", "scouts", "--json").document
    asked = ("--action", "advance", "--roll", "4", "--facing", "keep")
    zone = site.ask("/api/1/zone?model=s1&action=advance&roll=4&facing=keep", player).json()
    assert zone == run_overtable("zone", situation, "--model", "s1", *asked, "--json").document
    assert zone["zone"]["coordinates"]
    zone = site.ask("/api/1/zone?unit=scouts&action=advance&roll=4&facing=keep", site.make_token("player")).json()
    assert zone == run_overtable("zone", situation, "--unit", "scouts", *asked, "--json").document


def test_the_verdict_is_what_judge_says_of_its_situation(site: Site, tmp_path: Path) -> None:
    viewer, path = site.make_token("viewer"), tmp_path / "move.json"
    verdict = site.ask("/api/1/verdict", viewer).json()
    path.write_text(site.ask("/api/1/verdict/situation", viewer).text)
    assert verdict == run_overtable("judge", path, "--json").document
    assert verdict["outcome"] == "illegal"


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/api/1/actions?unit=nobody", 409, "nobody"),
        ("/api/1/actions", 422, "This address makes no sense: unit"),
        ("/api/1/zone?action=normal", 409, "Expected either model or unit."),
        ("/api/1/zone?model=s1&action=fly", 409, "fly"),
        ("/api/1/zone?model=s1&action=advance", 409, "takes 1 die"),
        ("/api/1/zone?model=s1&action=advance&roll=x", 422, "This address makes no sense"),
        ("/api/1/recordings/other.overtable", 404, "There is no recording of this name"),
        ("/api/1/recordings/..%2F..%2Fpairings.json", 404, "There is"),
        ("/api/1/songs", 404, routes.NOWHERE),
    ],
)
def test_what_makes_no_sense_is_one_sentence(site: Site, path: str, status: int, sentence: str) -> None:
    answer = site.ask(path, site.make_token("judge"))
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert sentence in answer.text
    assert answer.text.count("\n") == 0


def test_before_there_is_a_game_that_is_said() -> None:
    server = Server(create_app(hub=Hub(), picture=lambda: None, join_urls=[]), "127.0.0.1", 0)
    server.start()
    try:
        for path in ("situation", "verdict", "verdict/situation", "actions?unit=x", "zone?model=x&action=y"):
            answer = httpx.get(f"http://127.0.0.1:{server.port}/api/1/{path}", trust_env=False)
            assert (answer.status_code, answer.text) == (409, "No game is on this table yet.")
        answer = httpx.get(f"http://127.0.0.1:{server.port}/api/1/you", trust_env=False)
        assert answer.json()["role"] == "host", "this machine needs no token"
    finally:
        server.stop()


def test_a_recording_comes_whole_while_it_goes_on(site: Site, tmp_path: Path) -> None:
    (site.recording.parent / "broken.overtable").write_text("no journal")
    judge = site.make_token("judge")
    (listed,) = site.ask("/api/1/recordings", judge).json()["recordings"]
    assert (listed["name"], listed["title"], listed["is_shown"]) == ("now.overtable", "Crossing", True)
    copy = tmp_path / "copy.overtable"
    open_still = sqlite3.connect(site.recording)
    try:
        open_still.execute("PRAGMA journal_mode = WAL")
        copy.write_bytes(site.ask("/api/1/recordings/now.overtable", judge).content)
    finally:
        open_still.close()
    with closing(sqlite3.connect(copy)) as alone:
        assert list(alone.execute("PRAGMA journal_mode")) == [("delete",)]
    assert verify(copy).broken is None
    assert RecordedGame(copy).find_end_ns() == RecordedGame(site.recording).find_end_ns()
    assert [path.name for path in tmp_path.iterdir()] == ["copy.overtable"]


# ---- who may


@pytest.mark.parametrize("role", ["judge", "player", "viewer"])
def test_each_role_may_what_the_table_of_roles_says(site: Site, role: Role) -> None:
    for path in build_api(site.hub, Archive()).routes:
        if not isinstance(path, APIRoute):
            continue
        address = f"/api/1{path.path}".replace("{name}", "x")
        answer = site.ask(address, site.make_token(role))  # a new one each, which nobody slows down
        allowed = find_path_roles(address)
        assert allowed is not None, address
        assert (answer.status_code == 403) == (role not in allowed), address
        assert answer.status_code != 401


def test_a_hosts_token_is_nobodys_where_others_may_have_read_it(site: Site) -> None:
    answer = site.ask("/api/1/you", site.make_token("host"), **{"X-Forwarded-For": "192.0.2.9"})
    assert (answer.status_code, answer.text) == (401, OPENS_NOTHING)


def test_a_hosts_token_counts_on_this_machine(site: Site) -> None:
    answer = site.ask("/api/1/you", site.make_token("host"))
    assert answer.json()["role"] == "host"


def test_a_role_is_shown_its_part_of_the_view_and_no_other(site: Site) -> None:
    site.hub.publish(View(sighting={"sighting": SIGHTING}))
    shown = {role: site.ask("/api/1/view", site.make_token(role)).json() for role in ("player", "viewer")}
    assert (len(shown["player"]["sighting"]), len(shown["viewer"]["sighting"])) == (1, 0)
    assert {role: view["you"]["you"]["role"] for role, view in shown.items()} == {role: role for role in shown}
    with site.connect(site.make_token("viewer")) as socket:
        full = receive_message(socket)
        assert full["view"] == shown["viewer"]
        socket.send('{"type": "accept"}')
        assert receive_message(socket)["type"] == "refused"
    with site.connect(site.make_token("player")) as socket:
        assert receive_message(socket)["view"] == shown["player"]
        socket.send('{"type": "accept"}')
        socket.send('{"type": "resync"}')
        assert receive_message(socket)["type"] == "full"
    assert [(each.message.type, each.role) for each in site.hub.take()] == [("accept", "player")]  # type: ignore[attr-defined]


def test_no_program_changes_anything_but_by_the_socket(site: Site) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert site.ask("/api/1/situation", site.make_token("judge"), method).status_code == 405
        assert site.ask("/api/1/situation", site.make_token("viewer"), method).status_code == 403


def test_a_token_opens_no_page(site: Site) -> None:
    judge = site.make_token("judge")
    for path in ("/judge", "/picture.jpg", "/past/moments.json", "/codes.json"):
        assert site.ask(path, judge).status_code == 401
        assert site.ask(path, Cookie=f"overtable-{site.server.port}={judge}").status_code == 401


# ---- attacks


@pytest.mark.parametrize("path", ["/api/1/you", "/api/1/songs", "/api/2/you", "/api"])
def test_without_a_token_nothing_is_told_and_how_to_get_one_is(site: Site, path: str) -> None:
    answer = site.ask(path, Accept="text/html")
    assert (answer.status_code, answer.text) == (401, CARRIES_NOTHING)
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("token", ["overtable-", "overtable-" + "0" * 64, "a b", "' OR 1=1", "x" * 4000])
def test_a_wrong_token_opens_nothing_not_even_on_this_machine(site: Site, token: str) -> None:
    for host in ("192.0.2.7", "localhost"):
        answer = site.ask("/api/1/you", token, Host=host)
        assert (answer.status_code, answer.text) == (401, OPENS_NOTHING)


def test_a_withdrawn_token_opens_nothing_and_who_came_by_it_is_cut_off(site: Site) -> None:
    token = site.make_token("player")
    site.hub.publish(View(sighting={"sighting": SIGHTING}))  # so that the next message has something to say
    with site.connect(token) as listens, site.connect(token) as speaks:
        receive_message(listens), receive_message(speaks)
        site.pairings.withdraw(lambda each: each.program)  # as the command does, in a program of its own
        assert site.ask("/api/1/you", token).status_code == 401
        speaks.send('{"type": "accept"}')
        assert read_close_code(speaks) == JOIN_FIRST
        site.hub.publish(View())
        assert read_close_code(listens) == JOIN_FIRST
    assert site.hub.take() == []


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://192.0.2.7.evil.example", "https://club.example:444"]
)
def test_a_page_of_another_web_site_is_refused_by_whatever_it_carries(site: Site, origin: str) -> None:
    token = site.make_token("judge", SITE)
    for headers in ({}, {"Host": f"localhost:{site.server.port}"}):
        for carried in (token, None):
            answer = site.ask("/api/1/you", carried, **{"Origin": origin, **headers})
            refused = (401, CARRIES_NOTHING) if carried is None and not headers else (403, FOREIGN_PAGE)
            assert (answer.status_code, answer.text) == refused
            assert "access-control-allow-origin" not in answer.headers
    with pytest.raises(InvalidStatus) as raised:
        site.connect(token, Origin=origin)
    assert raised.value.response.status_code == 403
    assert raised.value.response.body == FOREIGN_PAGE.encode()
    asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
    assert site.ask("/api/1/you", method="OPTIONS", **asked).status_code == 403


def test_a_page_of_the_web_site_that_a_token_names_may_use_it_and_no_other_token(site: Site) -> None:
    token = site.make_token("viewer", SITE)
    before = {"Origin": SITE, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    told = site.ask("/api/1/you", method="OPTIONS", **before)
    assert told.status_code == 204
    assert told.headers["access-control-allow-origin"] == SITE
    answer = site.ask("/api/1/you", token, Origin=SITE)
    assert answer.json()["role"] == "viewer"
    assert (answer.headers["access-control-allow-origin"], answer.headers["vary"]) == (SITE, "Origin")
    assert "access-control-allow-credentials" not in answer.headers
    here = {"Origin": SITE, "Host": f"localhost:{site.server.port}"}
    assert site.ask("/api/1/you", **here).status_code == 403, "a browser on this machine is not the host for it"
    assert site.ask("/api/1/you", token, **here).json()["role"] == "viewer"
    assert site.ask("/api/1/you", site.make_token("judge"), Origin=SITE).status_code == 403
    assert site.ask("/picture.jpg", token, Origin=SITE).status_code == 421
    with site.connect(None, "overtable.live.1", f"bearer.{token}", Origin=SITE) as socket:
        assert socket.subprotocol == "overtable.live.1"
        assert receive_message(socket)["view"]["you"]["you"]["role"] == "viewer"


def test_a_name_that_leads_here_from_elsewhere_is_refused(site: Site) -> None:
    answer = site.ask("/api/1/you", site.make_token("viewer"), Host="evil.example")
    assert answer.status_code == 421


def test_a_socket_without_a_token_is_told_so(site: Site) -> None:
    for token, sentence in ((None, CARRIES_NOTHING), ("overtable-0", OPENS_NOTHING)):
        with pytest.raises(InvalidStatus) as raised:
            site.connect(token)
        assert (raised.value.response.status_code, raised.value.response.body) == (401, sentence.encode())


def test_a_flood_is_told_when_to_come_again_and_others_are_not_slowed_down(site: Site) -> None:
    floods, patient = site.make_token("judge"), site.make_token("judge")
    answers = [
        site.ask("/api/1/recordings/x", floods) for _ in range(int(API_AT_ONCE / COSTS["/api/1/recordings"]) + 2)
    ]
    assert [answer.status_code for answer in answers[:3]] == [404] * 3
    refused = answers[-1]
    assert refused.status_code == 429
    assert refused.text == f"Too many requests: ask again in {refused.headers['retry-after']} second."
    assert site.ask("/api/1/recordings/x", patient).status_code == 404


def test_only_so_many_wait_for_an_answer_and_all_who_wait_get_theirs() -> None:
    async def flood() -> list[int]:
        worked_out, hold = routes._WorkedOut(), threading.Event()

        def ask() -> dict[str, Any]:
            hold.wait()
            return {}

        asked = [asyncio.create_task(worked_out.respond(ask)) for _ in range(routes.MOST_WAITING + 3)]
        done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert all(task.result().status_code == 503 for task in done)
        hold.set()
        return [task.status_code for task in await asyncio.gather(*asked)]

    answered = asyncio.run(flood())
    assert sorted(answered) == [200] * (routes.MOST_WAITING + 1) + [503] * 2


# ---- what describes it


def test_its_page_says_the_same_as_its_description_and_runs_nothing(site: Site) -> None:
    description = site.ask("/api/1/openapi.json", site.make_token("viewer")).json()
    page = site.ask("/api/1/", site.make_token("viewer"))
    assert description["openapi"].startswith("3.")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert "<script" not in page.text
    assert "style=" not in page.text
    for path, methods in description["paths"].items():
        assert f"<code>GET /api/1{path}</code>" in page.text
        assert list(methods) == ["get"]
        assert methods["get"]["security"] == [{"HTTPBearer": []}]
        for each in methods["get"].get("parameters", []):
            assert f"<code>{each['name']}</code>" in page.text
    assert "a list of [number, number]" in page.text, "a place"
    for name in description["components"]["schemas"]:
        assert f'id="{name}"' in page.text
    assert {"/situation", "/verdict", "/zone", "/actions", "/recordings", "/recordings/{name}"} <= set(
        description["paths"]
    )
