"""The guide at /help: what becomes of its pages, and that every way in it leads somewhere."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from assistant.web import guide as guide_module
from assistant.web.app import create_app
from assistant.web.guide import DOCS, GROUPS, read_guide, render_page
from assistant.web.hub import Hub
from assistant.web.server import Server

SETUP_SCRIPT = Path(guide_module.__file__).parent / "static/setup/setup.js"


class Parsed(HTMLParser):
    """What of a page leads elsewhere, and what can be led to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(html)

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert "style" not in found, "the site's policy does not let it"
        self.leads += [value for name in ("href", "src") if (value := found.get(name))]
        if anchor := found.get("id"):
            self.anchors.add(anchor)


@pytest.fixture(scope="module")
def site() -> Iterator[httpx.Client]:
    server = Server(create_app(hub=Hub(), picture=lambda: None, join_urls=[]), "127.0.0.1", 0)
    server.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False) as client:
        yield client
    server.stop()


def test_every_way_in_it_leads_somewhere(site: httpx.Client) -> None:
    parsed = {address: Parsed(site.get(address).raise_for_status().text) for address in read_guide().pages}
    faults = []
    for at, page in parsed.items():
        for lead in page.leads:
            to, _, anchor = lead.partition("#")
            target = parsed.get(to or at)
            if target is not None:
                found = not anchor or anchor in target.anchors
            else:
                found = "://" in to or site.head(to).status_code == 200
            faults += [] if found else [f"{at}: {lead}"]
    assert faults == []


def test_it_has_all_pages_that_its_tables_list_each_under_its_name() -> None:
    guide = read_guide()
    listed = [address for group in guide.groups.values() for address in group]
    assert len(guide.groups) == len(GROUPS)
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(guide.pages)
    players = {path.stem for path in (DOCS / "guide").glob("*.md")} - {"README"}
    assert players == {address.removeprefix("/help/guide/") for address in listed if "/guide/" in address}


def test_a_page_is_in_its_frame(site: httpx.Client) -> None:
    answer = site.get("/help/guide/judging")
    assert answer.headers["content-type"].startswith("text/html")
    assert "<title>Judging – overtable</title>" in answer.text
    assert '<h2 id="what-sigma-means">What sigma means</h2>' in answer.text
    assert 'href="/help/guide/judging" aria-current="page"' in answer.text
    assert '<a href="/help/formats/situation">situation file</a>' in answer.text
    assert '<a rel="prev" href="/help/guide/playing">← Playing</a>' in unescape(answer.text)


def test_a_picture_is_served_and_what_is_no_page_is_said_to_be_none(site: httpx.Client) -> None:
    assert site.get("/help/guide/pictures/laid.png").headers["content-type"] == "image/png"
    for path in (
        "/help/guide/nothing",
        "/help/guide/playing.md",
        "/help/..%2f..%2fpyproject.toml",
        "/help/%2e%2e/join",
    ):
        answer = site.get(path)
        assert answer.status_code == 404, path
        assert "The guide has no page of this name" in answer.text, path


def test_a_copy_without_its_pages_says_so(site: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guide_module, "DOCS", tmp_path / "docs")
    read_guide.cache_clear()
    try:
        answer = site.get("/help")
        assert (answer.status_code, "The guide is not in this copy." in answer.text) == (404, True)
        assert site.get("/help/sections.json").json() == []
    finally:
        read_guide.cache_clear()


def test_what_is_searched_in_says_where_it_is(site: httpx.Client) -> None:
    sections = site.get("/help/sections.json").json()
    [found] = [section for section in sections if section[2] == "What sigma means"]
    assert found[0] == "/help/guide/judging#what-sigma-means"
    assert found[1] == "Judging"
    assert "nineteen of twenty" in found[3]


def test_text_is_turned_and_nothing_in_it_is_trusted() -> None:
    table = "| a | b |\n|---|--:|\n| [the other](b.md#x) | 1 |"
    text = f"# One & <b>two</b>\n\n{table}\n\nSee [here](../out.md), ![it](it.png).\n"
    page = render_page(text, "guide/a.md", frozenset({"guide/b.md", "guide/it.png"}))
    assert page.title == "One & <b>two</b>"
    assert "&lt;b&gt;two&lt;/b&gt;</h1>" in page.html
    assert '<a href="/help/guide/b#x">the other</a>' in page.html
    assert '<td class="right">1</td>' in page.html
    assert "See <a>here</a>" in page.html
    assert 'src="/help/guide/it.png"' in page.html
    assert page.listed == {"/help/guide/b": "the other"}


def test_the_steps_of_the_set_up_lead_to_sections_that_are_there() -> None:
    script = SETUP_SCRIPT.read_text(encoding="utf-8")
    steps = re.findall(r"^  (\w+): \w+Step,$", script, re.MULTILINE)
    leads = dict(re.findall(r'^  (\w+): "([^"]+)",$', script.split("const GUIDE = {")[1].split("}")[0], re.MULTILINE))
    assert list(leads) == steps
    for lead in leads.values():
        page, _, anchor = lead.partition("#")
        html = read_guide().pages[f"/help/guide/{page}"].html
        assert not anchor or f'id="{anchor}"' in html, lead
