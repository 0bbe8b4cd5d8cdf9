"""Three processes of tables at a hall with a real broker: a tablet calls, the desk rules, and the ruling comes back."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, expect

from assistant.features.demo.catalogue import SETUP
from assistant.game.situation_file import encode_situation
from assistant.hall.publisher import read_rulings
from assistant.recording.verification import verify
from tests.assistant.hall.running_hall import needs_broker
from tests.assistant.snapshot_script import build_game
from tests.pages.program import RATE, run_overtable
from tests.pages.running_desk import enter, serve_desk
from tests.pages.socket_listener import SocketListener, drag_model
from tests.pages.test_resumed_game import BASES
from tests.pages.waiting import wait_for

TABLES = ("1", "2", "3")
START_MM, TOO_FAR_MM = (600.0, 320.0), (900.0, 320.0)
"""Of the walker, which moves ten inches at most."""


def has_head(path: Path, head: str) -> bool:
    """Whether a recording ends as another does."""
    return verify(path).head == head


@needs_broker
def test_a_call_goes_from_a_tablet_to_the_desk_and_the_ruling_comes_back(
    tmp_path: Path, open_window: Callable[[], Page]
) -> None:
    bases = (
        f'[[bases]]\ntag = {tag}\nmodel = "{model}"\nbase = {{{base}}}\nsize_mm = 18\n'
        for tag, (model, base) in enumerate(BASES.items(), 1)
    )
    (tmp_path / "setup.toml").write_text(SETUP.read_text() + "\n".join(bases))
    (tmp_path / "game.json").write_text(json.dumps(encode_situation(build_game())))
    with ExitStack() as served, ExitStack() as running:
        hall = served.enter_context(serve_desk(tmp_path / "cup", TABLES))
        recordings = {name: tmp_path / f"{name}.overtable" for name in TABLES}
        addresses = {
            name: running.enter_context(
                run_overtable(
                    *("run", "--fps", RATE, "--setup", tmp_path / "setup.toml", "--situation", tmp_path / "game.json"),
                    *("--hall", hall[0].folder.path / "tables" / f"{name}.json", "--recording", recordings[name]),
                )
            )
            for name in TABLES
        }
        desk, tablet = enter(open_window(), hall, 0), open_window()
        for name in TABLES:
            tile = desk.locator(f'#tiles article[data-table="{name}"]')
            expect(tile.get_by_role("link", name="Open")).to_be_visible()
        wire = SocketListener(tablet)
        tablet.goto(f"{addresses['2']}/tablet")
        expect(tablet.locator("#hall")).to_contain_text("Autumn Cup · table 2")
        wait_for(lambda: wire.find_model(tablet, "w1")["state"] == "seen" or None)
        tablet.get_by_role("button", name="walker").click()
        tablet.get_by_role("button", name="Normal move").click()
        drag_model(tablet, tablet.locator("#table"), START_MM, TOO_FAR_MM)
        expect(tablet.locator(".verdict")).to_contain_text("Not legal")
        tablet.get_by_role("button", name="Call a judge").click()
        call = desk.locator("#calls article[data-kind=summons]")
        expect(call).to_contain_text("Table 2")
        call.get_by_role("button", name="I am going").click()
        expect(tablet.locator("#hall")).to_contain_text("Ann is coming")
        call.get_by_role("button", name="Rule from here").click()
        call.get_by_role("textbox").fill("The terrain slipped: it counts.")
        call.get_by_role("button", name="Legal", exact=True).click()
        expect(tablet.locator("#hall")).to_contain_text("Ann ruled: legal. The terrain slipped: it counts.")
        expect(desk.locator("#calls")).to_contain_text("Nobody needs a judge.")
        wait_for(lambda: [ruling.judge for ruling in read_rulings(recordings["2"])[1]] == ["Ann"] or None)
        desk.locator("#asked").fill("slipped")
        expect(desk.locator("#rulings")).to_contain_text("table 2: legal by Ann.")
        running.close()
        for name in TABLES:
            (gathered,) = hall[0].list_recordings(name)
            wait_for(partial(has_head, gathered, verify(recordings[name]).head))
            assert verify(gathered).broken is None
