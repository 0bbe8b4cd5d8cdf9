"""The client in docs/examples: it asks and listens to the real server, as whoever copies it would."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from assistant.table.session import GameSession
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.pairings import FILE, Pairings, make_program_token
from tests.assistant.snapshot_script import build_game
from tests.docs.source_names import ROOT
from tests.pages.served_session import serve_session

CLIENT = ROOT / "docs" / "examples" / "overtable_client.py"
GUIDE = ROOT / "docs" / "guide" / "other-programs.md"


@pytest.fixture(scope="module")
def client() -> ModuleType:
    spec = importlib.util.spec_from_file_location("overtable_client", CLIENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, str]]:
    token = make_program_token()
    Pairings(tmp_path / FILE).add_program(token, "player", "Example")
    places = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}
    with serve_session(GameSession(build_game()), places, devices=DeviceRegistry(state=tmp_path)) as address:
        yield address, token


def test_it_asks_and_listens(client: ModuleType, served: tuple[str, str]) -> None:
    table = client.Table(*served)
    assert table.ask("you")["role"] == "player"
    views = table.listen()
    view = next(view for view in views if "s1" in view["models"] and view["models"]["s1"]["state"] == "seen")
    assert view["units"]["scouts"]["models"] == ["s1", "s2"]
    assert table.ask("zone", model="s1", action="advance", roll=[4], facing="keep")["limit_mm"] == pytest.approx(254.0)
    views.close()
    with pytest.raises(client.Refused, match="This address makes no sense"):
        table.ask("actions")
    with pytest.raises(client.Refused, match="This is for a judge"):
        table.load_recording("x.overtable")
    with pytest.raises(client.Refused, match="opens nothing here"):
        client.Table(served[0], "overtable-0").ask("you")


def test_what_it_makes_of_changes_is_what_pages_make_of_them(client: ModuleType) -> None:
    view = {"models": {"a": {"x_mm": 1, "y_mm": 2}, "b": {"x_mm": 3}}}
    client.change(view, {"set": {"models": {"a": {"x_mm": 5}, "c": {"x_mm": 6}}}, "gone": {"models": ["b"]}})
    assert view == {"models": {"a": {"x_mm": 5, "y_mm": 2}, "c": {"x_mm": 6}}}


def test_the_guide_names_the_addresses_that_there_are() -> None:
    from assistant.web.api.routes import build_api
    from assistant.web.hub import Hub
    from assistant.web.replay_routes import Archive

    told = {path.partition("?")[0] for path in re.findall(r"^\| `/api/1(/[^`]*)`", GUIDE.read_text(), re.MULTILINE)}
    there = {path.replace("{name}", "NAME") for path in build_api(Hub(), Archive()).openapi()["paths"]}
    assert told == there | {"/", "/openapi.json"}
