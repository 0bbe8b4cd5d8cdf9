"""Every page at every size: nothing overlaps or is cut off, and axe-core finds nothing serious in it."""

from collections.abc import Sized
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from assistant.web.app import PAGES
from tests.pages.layout_faults import list_layout_faults
from tests.pages.played_game import PlayedTable
from tests.pages.socket_listener import SocketListener
from tests.pages.waiting import wait_for

PHONE, TABLET, PROJECTOR = (390, 844), (1280, 800), (1920, 1080)
SIZES = (PHONE, (844, 390), (768, 1024), TABLET, PROJECTOR)
GUIDE = ("help", "help/guide/which-camera")
"""Of its pages one with a long list, and one with wide tables."""
ASKING = (*GUIDE, "board", "camera", "join", "report", "stats")
"""Pages that are not told by a socket what to show."""
LOOKED_OVER = (PHONE, TABLET)
"""What axe-core looks at: on the others the same elements stand elsewhere."""
GRAVE = {"serious", "critical"}


LAID = "new Promise((laid) => requestAnimationFrame(() => requestAnimationFrame(laid)))"
"""Two pictures on, what a page does when its size changes is done."""
QUIET_MS = 300
READY, WITHIN = "'axe' in window", {"resultTypes": ["violations"]}


def list_grave_faults(page: Page) -> list[str]:
    """Return what axe-core finds serious or critical, with where it is."""
    axe = Axe()
    if not page.evaluate(READY):  # it is half a megabyte
        page.evaluate(axe.axe_script)
    found: dict[str, Any] = page.evaluate("(options) => axe.run(options)", WITHIN)
    return [
        f"{violation['id']}: {violation['help']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


def check_page(page: Page, folder: Path, name: str) -> None:
    """Hold a page to what is asked of every page, at all sizes; a picture of what fails is left in the folder."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(LAID)
        faults = list_layout_faults(page)
        if page.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
            faults.append("wider than the window")
        if (width, height) in LOOKED_OVER:
            faults += list_grave_faults(page)
        if faults:
            picture = folder / f"{name}-{width}x{height}.png"
            page.screenshot(path=picture)
            pytest.fail(f"{picture}: {faults}")


def is_quiet(page: Page, asked: Sized, come: Sized) -> bool:
    """Whether a page asks for nothing more; "networkidle" sometimes never comes in a window that is kept."""
    before = len(asked)
    page.wait_for_timeout(QUIET_MS)
    return before == len(asked) == len(come)


@pytest.mark.parametrize("name", ["", *PAGES, *GUIDE])
def test_a_page_is_tidy_and_open_to_everyone(name: str, context: BrowserContext, address: str, tmp_path: Path) -> None:
    page = context.new_page()  # what the game at hand has no past for may be missed and logged
    wire = SocketListener(page)
    asked: list[str] = []
    come: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfinished", lambda request: come.append(request.url))
    page.on("requestfailed", lambda request: come.append(request.url))
    page.goto(f"{address}/{name}")
    wait_for(lambda: is_quiet(page, asked, come) if name in ASKING else wire.has_view(page))
    check_page(page, tmp_path, name.replace("/", "-") or "start")


@pytest.mark.parametrize(
    "preferred",
    [{}, {"type": "largest", "hand": "left", "palette": "patterns", "length": "cm"}],
    ids=["usual", "other"],
)
def test_the_tablet_is_tidy_in_the_midst_of_a_move(
    preferred: dict[str, str], page: Page, address: str, table: PlayedTable, tmp_path: Path
) -> None:
    page.add_init_script(f"localStorage.setItem('overtable.preferences', JSON.stringify({preferred}))")
    page.goto(f"{address}/tablet")
    page.get_by_role("button", name="Rangers").click()
    page.get_by_role("button", name="Advance").click()
    expect(page.locator("#dice .pips")).to_be_visible()
    check_page(page, tmp_path, "dice")
    page.get_by_role("button", name="Rolled a 4").click()
    expect(page.locator("#dice .die")).to_have_text("4")
    table.models["Rangers-1"] = table.models["Rangers-1"].model_copy(update={"x_mm": 900})
    table.publish()
    expect(page.locator(".verdict")).to_contain_text("Not legal")
    page.get_by_role("button", name="Show finding 1 on the table").click()
    check_page(page, tmp_path, "move")
    page.get_by_role("button", name="Preferences").click()
    check_page(page, tmp_path, "preferences")


def test_what_is_untidy_is_found(page: Page) -> None:
    page.set_content(
        f"""<p id="a" style="position:absolute;top:20px;left:20px">one</p>
        <p id="b" style="position:absolute;top:22px;left:25px">other</p>
        <p style="position:absolute;top:100px;width:30px;overflow:hidden;white-space:nowrap">a long line of words</p>
        <button style="position:absolute;top:200px;width:30px;white-space:nowrap">pressing</button>
        <div style="position:absolute;top:300px;height:20px;overflow-y:auto"><p>first</p><p>below</p></div>
        <pre style="position:absolute;top:400px;width:99%;overflow-x:auto" tabindex="0">by keys {"_" * 300}</pre>
        <pre style="position:absolute;top:500px;width:99%;overflow-x:auto">out of reach {"_" * 300}</pre>"""
    )
    assert list_layout_faults(page) == [
        '"a long line of words" is cut off',
        '"pressing" sticks out',
        f'"out of reach {"_" * 300}" is beside the window',
        '"one" and "other" overlap',
    ]
