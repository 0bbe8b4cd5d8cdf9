"""Pages in other languages: nothing is left in English, and nothing is too long for its place at any size."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assistant.features.lens.state import describe_ask
from assistant.features.lens.views import build_lens_view
from assistant.features.wizard.state import TITLES
from assistant.hall.publisher import HallLink, publish_to_hall
from assistant.replay.recorded_game import RecordedGame
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.languages.catalogue import LANGUAGES, SOURCE, read_catalogue
from assistant.web.languages.extraction import STATIC
from assistant.web.messages import View
from assistant.web.messages.calibration import LensNeedView, SightingView
from assistant.web.messages.move import SummonsView
from assistant.web.messages.setup import TrayMarkerView, TrayView
from assistant.web.replay_routes import Archive
from calibration.lens.view_guidance import BoardDistance, BoardSide, ViewRequest
from tests.assistant.hall.running_hall import PlayedTable as PlayedRecording
from tests.assistant.hall.running_hall import RunningHall, needs_broker
from tests.assistant.hall.test_desk import play_doubtful
from tests.assistant.replay.sample_recording import play_sample_game
from tests.assistant.web.languages.test_reading import ENGLISH
from tests.pages.conftest import note_errors
from tests.pages.kept_windows import KeptWindows, start_server
from tests.pages.layout_faults import list_layout_faults
from tests.pages.played_game import PlayedTable
from tests.pages.running_desk import enter, serve_desk
from tests.pages.socket_listener import SocketListener
from tests.pages.test_enrol import FOUND, EnrolmentTable
from tests.pages.waiting import wait_for
from tests.pages.wizard_page import serve_wizard

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "desktop": (1280, 800), "projector": (1920, 1080)}
OTHERS = [language for language in LANGUAGES if language != SOURCE]
KEPT = {"Table"}
"""Titles that French has, too."""
SAID = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const said = [document.title];
  while (walker.nextNode()) said.push(walker.currentNode.textContent);
  for (const element of document.querySelectorAll("[aria-label], [title], [alt], [placeholder]"))
    for (const name of ["aria-label", "title", "alt", "placeholder"]) said.push(element.getAttribute(name) ?? "");
  return said.map((text) => text.replace(/\\s+/g, " ").trim());
}"""

BROKEN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.parentElement.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (node.parentElement.closest("pre, code, .address, .unseen, option")) continue;
    for (const word of node.textContent.matchAll(/[\\p{L}\\d]{3,}/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      const isDigest = /^[\\da-f]{32,64}$/.test(word[0]);
      if (lines.size > 1 && !isDigest) broken.push(word[0]);
    }
  }
  return broken;
}"""
"""Words that are broken in their midst because they are longer than their place; digests may be."""


@pytest.fixture(params=OTHERS)
def foreign(windows: KeptWindows, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page whose browser prefers another language."""
    page = windows.take(locale=request.param).new_page()
    errors = note_errors(page)
    yield page
    assert [error for error in errors if "favicon" not in error] == []


def check_in_all_sizes(page: Page, language: str, folder: Path, name: str) -> None:
    """Hold a page to its language and its room, at every size; a picture of what fails is left in the folder."""
    texts = read_catalogue(language)["texts"]
    english = {text for text, said in texts.items() if said != text} - {
        said for said in texts.values() if isinstance(said, str)
    }
    assert sorted(english & set(page.evaluate(SAID))) == []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((laid) => requestAnimationFrame(() => requestAnimationFrame(laid)))")
        faults = [*list_layout_faults(page), *page.evaluate(BROKEN)]
        if faults or page.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
            picture = folder / f"{name}-{language}-{size}.png"
            page.screenshot(path=picture)
            pytest.fail(f"{picture}: {faults or 'wider than the window'}")


def read_language(page: Page) -> str:
    """Return the language that a page says it is in."""
    return str(page.evaluate("document.documentElement.lang"))


def test_the_start_page_is_in_the_browsers_language(foreign: Page, address: str, tmp_path: Path) -> None:
    wire = SocketListener(foreign)
    foreign.goto(address)
    wait_for(lambda: wire.has_view(foreign))
    check_in_all_sizes(foreign, read_language(foreign), tmp_path, "start")


def test_the_tablet_is_in_the_browsers_language_in_the_midst_of_a_move(
    foreign: Page, address: str, table: PlayedTable, tmp_path: Path
) -> None:
    foreign.goto(f"{address}/tablet")
    foreign.get_by_role("button", name="Rangers").click()
    language = read_language(foreign)
    advance = {"de": "Vorrücken", "fr": "Avance"}.get(language, "Advance")
    foreign.get_by_role("button", name=advance).first.click()
    expect(foreign.locator("#dice .pips")).to_be_visible()
    check_in_all_sizes(foreign, language, tmp_path, "dice")
    foreign.keyboard.press("4")
    expect(foreign.locator("#dice .die")).to_have_text("4")
    table.models["Rangers-1"] = table.models["Rangers-1"].model_copy(update={"x_mm": 900})
    table.publish()
    moved = {"de": "bewegte sich", "fr": "a parcouru"}.get(language, "moved")
    expect(foreign.locator(".finding").first).to_contain_text(moved)
    check_in_all_sizes(foreign, language, tmp_path, "move")
    foreign.locator(".bar button").last.click()
    check_in_all_sizes(foreign, language, tmp_path, "preferences")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[tuple[RunningHall, str]]:
    """A hall, and the address of its desk."""
    with serve_desk(tmp_path / "cup", ("1", "2", "3", "4")) as served:
        yield served


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a table with a recorded game."""
    path = tmp_path_factory.mktemp("game") / "game.overtable"
    play_sample_game(path)
    app = create_app(hub=Hub(), picture=lambda: None, join_urls=[], archive=Archive(RecordedGame(path)))
    server = start_server(app)
    yield f"http://127.0.0.1:{server.port}"
    server.stop()


def test_a_game_that_was_recorded_in_english_is_read_in_the_browsers_language(
    foreign: Page, recorded: str, tmp_path: Path
) -> None:
    foreign.goto(f"{recorded}/judge")
    expect(foreign.locator(".item").first).to_be_visible()
    language = read_language(foreign)
    everything = {"de": "Alles", "fr": "Tout"}.get(language, "Everything")
    foreign.get_by_role("button", name=everything, exact=True).click()
    expect(foreign.locator("[role=listitem]").first).to_be_visible()
    assert [text for text in foreign.locator(".item .grow").all_inner_texts() if ENGLISH.search(text)] == []
    check_in_all_sizes(foreign, language, tmp_path, "judge")
    foreign.goto(f"{recorded}/stats")
    expect(foreign.locator(".tile").first).to_be_visible()
    check_in_all_sizes(foreign, language, tmp_path, "stats")


def test_the_enrolment_page_is_in_the_browsers_language_at_each_step(foreign: Page, tmp_path: Path) -> None:
    table = EnrolmentTable(hub=Hub())
    server = start_server(create_app(hub=table.hub, picture=lambda: None, join_urls=[]))
    table.publish()
    foreign.route("**/picture.jpg*", lambda route: route.fulfill(path=STATIC / "common/mark.png"))
    foreign.goto(f"http://127.0.0.1:{server.port}/enrol")
    language = read_language(foreign)
    expect(foreign.locator("#models button")).to_have_count(3)
    check_in_all_sizes(foreign, language, tmp_path, "enrol")
    foreign.locator('[data-key="Strider-1"]').click()
    expect(foreign.locator("#field-size")).to_be_visible()
    check_in_all_sizes(foreign, language, tmp_path, "enrol-choice")
    table.show(note="tag 9 on the sheet is that of Strider-1")
    said = {"de": "gehört Strider.", "fr": "celui de Strider."}.get(language, "that of Strider.")
    expect(foreign.locator(".warning")).to_contain_text(said)
    table.show(step="measured", note="", places=2, found=FOUND, advice="")
    expect(foreign.locator(".found dd").nth(2)).to_have_text("30° ± 1,0°")
    check_in_all_sizes(foreign, language, tmp_path, "enrol-measured")
    marker = TrayMarkerView(marker=5, name="tag 5", model="Rangers-1", at=(0.2, 0.5), choices=["Rangers-1"])
    table.now = None
    table.tray = TrayView(unit=None, way="tag", read=True, note="", markers=[marker], kept=False)
    table.publish()
    expect(foreign.locator(".tray li")).to_have_count(1)
    check_in_all_sizes(foreign, language, tmp_path, "enrol-tray")
    server.stop()


def test_the_lens_page_is_in_the_browsers_language_while_views_are_taken(foreign: Page, tmp_path: Path) -> None:
    hub = Hub()
    server = start_server(create_app(hub=hub, picture=lambda: None, join_urls=[]))
    begun = build_lens_view(None, kept="", left=["printed"], working=False, virtual=True)
    hub.publish(PlayedTable(hub).build_view().model_copy(update={"lens": begun.lens}))
    foreign.route("**/picture.jpg*", lambda route: route.fulfill(path=STATIC / "common/mark.png"))
    foreign.goto(f"http://127.0.0.1:{server.port}/lens")
    language = read_language(foreign)
    for board in ("charuco", "screen"):
        foreign.locator("#board").select_option(board)
        expect(foreign.locator(".figures-of label")).not_to_have_count(0)
        check_in_all_sizes(foreign, language, tmp_path, f"lens-{board}")
    asked = describe_ask(ViewRequest(cell=0, side=BoardSide.UPPER, distance=BoardDistance.FAR))
    needs = [
        LensNeedView(label=label, have=1, need=2) for label in ("parts of the picture", "upper edge nearer", "far")
    ]
    shown = begun.lens["lens"].model_copy(
        update={"step": "taking", "board": "printed", "ask": asked, "needs": needs, "width_px": 960, "height_px": 540}
    )
    sighting = {"board": SightingView(corners_px=[], note="It is moving: hold it still.")}
    taking = {"lens": {"lens": shown}, "sighting": sighting}
    hub.publish(PlayedTable(hub).build_view().model_copy(update=taking))
    expect(foreign.locator(".needs li")).to_have_count(3)
    assert not ENGLISH.search(foreign.locator("main").inner_text())
    check_in_all_sizes(foreign, language, tmp_path, "lens-taking")
    server.stop()


def test_an_incident_is_told_in_the_browsers_language(foreign: Page, recorded: str, tmp_path: Path) -> None:
    foreign.goto(f"{recorded}/judge")
    foreign.locator(".item button").first.click()
    with foreign.expect_popup() as opened:
        foreign.locator(".item a[href*=report]").first.click()
    report = opened.value
    expect(report.locator("h1")).to_be_visible()
    said = report.locator("main").inner_text()
    assert [line for line in said.splitlines() if ENGLISH.search(line)] == []
    check_in_all_sizes(report, read_language(report), tmp_path, "report")


@pytest.mark.parametrize("name", ["projector", "board", "stream", "camera", "lens"])
def test_a_page_is_in_the_browsers_language(name: str, foreign: Page, address: str, tmp_path: Path) -> None:
    foreign.goto(f"{address}/{name}")
    foreign.wait_for_load_state("load")
    check_in_all_sizes(foreign, read_language(foreign), tmp_path, name)


@needs_broker
def test_the_desk_of_a_hall_is_in_the_browsers_language(
    foreign: Page, hall: tuple[RunningHall, str], tmp_path: Path
) -> None:
    table, played = play_doubtful(tmp_path / "game.overtable"), PlayedRecording(tmp_path / "played.overtable")
    enter(foreign, hall, 0)
    language = read_language(foreign)
    judge = {"de": "Schiedsrichter", "fr": "arbitre"}[language]
    expect(foreign.locator("#calls")).to_contain_text(judge)
    hub = Hub()
    with (
        publish_to_hall(table.path, hub, HallLink(hall[0].read_file("2"))),
        played.publishing(hall[0].read_file("1")),
    ):
        played.show("lost", "")
        played.hub.publish(View(summons={"judge": SummonsView(about="", since_s=77)}))
        call = foreign.locator("#calls article[data-kind=doubtful]")
        expect(call).to_contain_text("-0,05 mm ± 0,14 mm")
        expect(foreign.locator("#tiles .warning:visible").first).to_be_visible()
        foreign.evaluate("scrollTo(0, 0)")
        check_in_all_sizes(foreign, language, tmp_path, "desk")
        foreign.set_viewport_size({"width": 390, "height": 844})
        assert not ENGLISH.search(foreign.locator("main").inner_text())
        call.locator("[data-key^=rule]").click()
        call.locator("[data-key^=legal]").click()
        expect(foreign.locator("#toast")).to_contain_text({"de": "Satz", "fr": "phrase"}[language])
        check_in_all_sizes(foreign, language, tmp_path, "desk-ruling")
    foreign.goto(f"{hall[1]}/hall/board")
    expect(foreign.locator("#title")).to_contain_text("Autumn Cup")
    check_in_all_sizes(foreign, language, tmp_path, "board")
    table.journal.close()


def test_the_join_page_is_in_the_browsers_language(foreign: Page, address: str, tmp_path: Path) -> None:
    foreign.goto(f"{address}/join?again")
    expect(foreign.locator("#standing")).not_to_be_empty()
    check_in_all_sizes(foreign, read_language(foreign), tmp_path, "join")


def test_the_wizard_is_in_the_browsers_language(foreign: Page, tmp_path: Path) -> None:
    with serve_wizard(tmp_path / "table", "warhammer-40k-10e") as (_, address):
        foreign.goto(address)
        language = read_language(foreign)
        for name in TITLES:
            foreign.goto(f"{address}#{name}")
            expect(foreign.locator("#heading .state")).to_be_visible()
            assert not ENGLISH.search(foreign.locator("#heading").inner_text()), name
            assert foreign.locator("#heading h2").inner_text() != TITLES[name] or TITLES[name] in KEPT
            check_in_all_sizes(foreign, language, tmp_path, f"setup-{name}")


def test_a_language_is_chosen_on_the_device_and_kept_there(page: Page, address: str) -> None:
    page.goto(f"{address}/join?again")
    expect(page.get_by_role("heading", name="Join the table")).to_be_visible()
    page.get_by_label("Language").select_option("Français")
    expect(page.get_by_role("heading", name="Rejoindre la table")).to_be_visible()
    page.goto(address)
    expect(page.get_by_role("link", name="Projecteur")).to_be_visible()
    page.get_by_label("Langue").select_option("English")
    expect(page.get_by_role("link", name="Projector")).to_be_visible()
