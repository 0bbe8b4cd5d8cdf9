"""The desk of a hall in a browser, with a real broker and tables that play; and what a tablet shows of its hall."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assistant.hall.publisher import HallLink, publish_to_hall
from assistant.recording.verification import verify
from assistant.web.app import create_app
from assistant.web.commands.game import RulePast
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.hall import DeskRulingView, HallView
from assistant.web.messages.move import SummonsView
from tests.assistant.hall.running_hall import PlayedTable, RunningHall, needs_broker
from tests.assistant.hall.test_desk import play_doubtful
from tests.assistant.replay.sample_recording import play_sample_game
from tests.pages.kept_windows import start_server
from tests.pages.running_desk import enter, serve_desk
from tests.pages.socket_listener import SocketListener
from tests.pages.waiting import wait_for

WIDER = """[...document.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5)
    .map((e) => e.outerHTML.slice(0, 80))"""
"""What is wider than the page."""
WATCH = """() => {
    window.touched = [];
    window.fourth = document.querySelector('#tiles article[data-table="4"]');
    const note = (changes) => changes.forEach(({ target }) => {
      const tile = (target.nodeType === 1 ? target : target.parentElement)?.closest("article");
      if (tile) window.touched.push(tile.dataset.table);
    });
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(note).observe(document.getElementById("tiles"), all);
}"""
"""Notes within which tiles anything is changed."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningHall, str]]:
    """A hall, and the address of its desk."""
    with serve_desk(tmp_path_factory.mktemp("hall") / "cup", ("1", "2", "3", "4")) as served:
        yield served


@needs_broker
def test_of_two_judges_one_goes_and_the_table_is_told_who(
    hall: tuple[RunningHall, str], tmp_path: Path, open_window: Callable[[], Page]
) -> None:
    played = PlayedTable(tmp_path / "played.overtable")
    ann, ben = enter(open_window(), hall, 0), enter(open_window(), hall, 1)
    ben.set_viewport_size({"width": 390, "height": 844})
    with played.publishing(hall[0].read_file("1")) as link:
        played.play(5)
        summons = SummonsView(about="Is the walker in range?", since_s=77)
        played.hub.publish(View(summons={"judge": summons}))
        for page in (ann, ben):
            expect(page.locator("#calls article")).to_contain_text("Table 1Asks for a judge: Is the walker in range?")
        expect(ann.locator("#tiles article").first).to_have_attribute("data-table", "1")
        ann.get_by_role("button", name="I am going").click()
        expect(ben.locator("#calls article")).to_contain_text("Ann is on the way")
        expect(ben.get_by_role("button", name="I am going")).to_have_count(0)
        wait_for(lambda: link.orders is not None and link.orders.coming == "Ann")
        assert ben.evaluate(WIDER) == []
        tile = ann.locator('#tiles article[data-table="1"]')
        wait_for(lambda: link.waiting == 0)
        with ann.expect_download() as downloaded:
            tile.get_by_role("link", name="Recording").click()
        copy = tmp_path / downloaded.value.suggested_filename
        downloaded.value.save_as(copy)
        assert (copy.name, verify(copy).head) == ("table-1.overtable", verify(played.path).head)
        ann.get_by_role("button", name="Answered").click()
        expect(ben.locator("#calls")).to_contain_text("Nobody needs a judge.")


@needs_broker
def test_what_is_told_of_one_table_leaves_the_tiles_of_all_others_as_they_are(
    hall: tuple[RunningHall, str], tmp_path: Path, page: Page
) -> None:
    played, other = PlayedTable(tmp_path / "played.overtable"), PlayedTable(tmp_path / "other.overtable")
    page.set_extra_http_headers({"accept-language": "en"})
    enter(page, hall, 0)
    tiles = page.locator("#tiles article")
    third, fourth = (page.locator(f'#tiles article[data-table="{name}"]') for name in "34")
    expect(tiles).to_have_count(4)
    with played.publishing(hall[0].read_file("4")), other.publishing(hall[0].read_file("3")):
        for tile in (third, fourth):
            played.play(1)
            other.play(1)
            expect(tile.get_by_role("link", name="Open")).to_be_visible()
            expect(tile).not_to_contain_text("still to come")
        page.evaluate(WATCH)
        played.begin_turn("red")
        played.show("lost", "The camera is unplugged.")
        expect(fourth).to_contain_text("red, turn 1")
        expect(fourth).to_contain_text("The camera is unplugged.")
        order = tiles.evaluate_all("tiles => tiles.map((tile) => tile.dataset.table)")
        assert order.index("4") < order.index("3"), "somebody should look at it"
        assert set(page.evaluate("window.touched")) == {"4"}
        assert page.evaluate("document.querySelector('#tiles article[data-table=\"4\"]') === window.fourth")
    played.journal.close()
    other.journal.close()


@needs_broker
def test_a_doubtful_call_is_ruled_on_from_the_desk_with_its_picture(
    hall: tuple[RunningHall, str], tmp_path: Path, open_window: Callable[[], Page]
) -> None:
    table, hub = play_doubtful(tmp_path / "game.overtable"), Hub()
    page = enter(open_window(), hall, 0)
    with publish_to_hall(table.path, hub, HallLink(hall[0].read_file("2"))):
        call = page.locator("#calls article[data-kind=doubtful]")
        expect(call).to_contain_text("Too close to call")
        expect(call).to_contain_text("-0.05 mm ± 0.14 mm · rule 10e-15")
        expect(call.locator("img")).to_have_js_property("complete", value=True)
        call.get_by_role("button", name="Rule from here").click()
        call.get_by_role("button", name="Legal", exact=True).click()
        expect(page.locator("#toast")).to_contain_text("Say why")
        call.get_by_role("textbox").fill("The tape says so.")
        call.get_by_role("button", name="Legal", exact=True).click()
        expect(page.locator("#calls")).to_contain_text("Nobody needs a judge.")
        (command,) = wait_for(lambda: hub.take() or None)
        assert isinstance(command.message, RulePast)
        assert (command.message.judge, command.message.note) == ("Ann", "The tape says so.")
        page.locator("#asked").fill("tape")
        expect(page.locator("#rulings")).to_contain_text("table 2: legal by Ann. The tape says so.")
        page.locator("#asked").fill("tape round 5")
        expect(page.locator("#rulings")).to_contain_text("No ruling has all these words.")
    table.journal.close()


@needs_broker
def test_a_table_is_opened_from_its_call_and_followed_and_also_while_it_is_off(
    hall: tuple[RunningHall, str], tmp_path: Path, page: Page
) -> None:
    page.set_extra_http_headers({"accept-language": "en"})
    table, hub = play_doubtful(tmp_path / "game.overtable"), Hub()
    enter(page, hall, 0)
    with publish_to_hall(table.path, hub, HallLink(hall[0].read_file("4"))):
        page.locator("#calls article", has_text="Table 4").get_by_role("link", name="Look at it").click()
        expect(page).to_have_url(re.compile(r"/hall/table/4/judge\?at_ns=\d+$"))
        expect(page.locator("#list")).to_contain_text("10e-15")
        expect(page.locator("#a figcaption")).to_contain_text("0:0")
        page.get_by_role("button", name="Now").click()
        expect(page.locator("#a figcaption")).to_contain_text("now")
        expect(page.locator("#notices")).to_have_text("")
        table.do(table.session.accept)
        expect(page.locator("#list")).to_contain_text("ccepted")
    expect(page.locator("#notices")).to_contain_text("This table has been offline for 1 min")
    report = page.get_by_role("link", name="Report of this moment").get_attribute("href")
    assert report is not None
    page.goto(f"{hall[1]}{report}")
    expect(page.locator("#sheet")).to_contain_text("Nothing in particular is reported")
    expect(page.get_by_alt_text("The table as the camera saw it")).to_have_js_property("naturalWidth", 736)
    page.get_by_role("link", name="Back to the judge’s desk").click()
    page.get_by_role("link", name="Statistics").click()
    expect(page.locator("main")).to_contain_text("red")
    expect(page.get_by_role("link", name="Battle report")).to_have_js_property(
        "pathname", "/hall/table/4/past/battle.html"
    )
    page.locator("a.brand").click()
    expect(page).to_have_url(re.compile("/hall$"))
    tile = page.locator('#tiles article[data-table="4"]')
    expect(tile.get_by_role("link", name="Open")).to_be_visible()
    table.journal.close()


def follows(page: Page, wire: SocketListener, table: str) -> bool:
    """Whether a page shows this table of the hall."""
    shown = wire.view["table"].get("table", {}) if wire.has_view(page) else {}
    return str(shown.get("title", "")).startswith(f"{table} · ")


@needs_broker
def test_a_broadcast_goes_along_when_another_table_is_put_on_air(
    hall: tuple[RunningHall, str], tmp_path: Path, open_window: Callable[[], Page]
) -> None:
    one, other = play_doubtful(tmp_path / "one.overtable"), play_sample_game(tmp_path / "other.overtable")
    judge, air = enter(open_window(), hall, 0), open_window()
    wire = SocketListener(air)
    air.goto(f"{hall[1]}/hall/air/stream")
    with (
        publish_to_hall(one.path, Hub(), HallLink(hall[0].read_file("1"))),
        publish_to_hall(other.path, Hub(), HallLink(hall[0].read_file("2"))),
    ):
        for name in ("1", "2", "1"):
            button = judge.locator(f'#tiles article[data-table="{name}"]').get_by_role("button", name="On air")
            button.click()
            wait_for(partial(follows, air, wire, name))
            expect(button).to_have_attribute("aria-pressed", "true")
            expect(judge.locator("[aria-pressed=true]")).to_have_count(1)
        expect(air.locator("#gone")).to_be_hidden()
        button.click()
        wait_for(lambda: wire.has_view(air) and not wire.view["table"])
    for table in (one, other):
        table.journal.close()


@needs_broker
def test_a_round_is_paired_begun_and_ended_and_the_board_shows_it(
    hall: tuple[RunningHall, str], tmp_path: Path, open_window: Callable[[], Page]
) -> None:
    page, board = enter(open_window(), hall, 0), open_window()
    wrong, pairs = tmp_path / "wrong.csv", tmp_path / "pairs.csv"
    wrong.write_text("Table,Player 1,Player 2\n1,Cem,Dee\n9,Eve,Fay\n")
    pairs.write_text("Table,Player 1,Player 2\n3,<b>Cem</b>,Dee\n")
    page.locator("#file").set_input_files(wrong)
    page.get_by_role("button", name="Import the pairings").click()
    expect(page.locator("#paired")).to_contain_text("line 3: there is no table '9' in this hall.")
    page.locator("#file").set_input_files(pairs)
    page.get_by_role("button", name="Import the pairings").click()
    expect(page.locator("#paired")).to_contain_text("1 table is paired in round 1.")
    page.get_by_role("button", name="Begin round 1").click()
    expect(page.locator("#clock")).to_contain_text("Round 1 of 5 · 2:4")
    board.goto(f"{hall[1]}/hall/board")
    expect(board.locator("#seats")).to_contain_text("3<b>Cem</b> – Dee")
    expect(board.locator("#time")).to_contain_text("2:4")
    tile = page.locator('#tiles article[data-table="3"]')
    tile.get_by_role("button", name="+5 min").click()
    expect(board.locator("#seats")).to_contain_text("+5 min")
    tile.get_by_label("Score of <b>Cem</b>").fill("20")
    tile.get_by_label("Score of Dee").fill("3")
    tile.get_by_role("button", name="Result").click()
    expect(board.locator("#seats")).to_contain_text("<b>Cem</b> 20 – Dee 3")
    page.get_by_role("button", name="Pause the clock").click()
    expect(page.locator("#clock")).to_contain_text("paused")
    assert "1,3,<b>Cem</b>,20,Dee,3" in page.request.get(f"{hall[1]}/hall/results.csv").text()


def test_a_tablet_shows_the_round_who_comes_and_a_quiet_mark_while_the_hall_is_away(page: Page) -> None:
    hub = Hub()
    told = HallView(
        event="Autumn Cup",
        table="7",
        connected=True,
        text="",
        waiting=0,
        players=["Cem", "Dee"],
        round=2,
        left_s=3600,
        running=False,
        dice_down=True,
        coming="Ann",
        coming_s=130,
        rulings=[DeskRulingView(judge="Ben", outcome="illegal", note="It is seven inches.")],
    )
    hub.publish(View(hall={"hall": told}))
    server = start_server(create_app(hub=hub, picture=lambda: None, join_urls=[]))
    try:
        page.goto(f"http://127.0.0.1:{server.port}/tablet")
        card = page.locator("#hall")
        expect(card).to_contain_text("Autumn Cup · table 7 · Cem · Dee · Round 2: 1:00:00 left, paused")
        expect(card).to_contain_text("The round ends soon: begin nothing new.")
        expect(card).to_contain_text("Ann is coming (since 2 min)")
        expect(card).to_contain_text("Ben ruled: illegal. It is seven inches.")
        hub.publish(View(hall={"hall": told.model_copy(update={"connected": False, "waiting": 12})}))
        expect(card).to_contain_text("The hall is away, 12 rows wait for it; the game goes on")
    finally:
        server.stop()
