"""The guide: the pages of ``docs/`` as a site at ``/help``, which needs no network.

The pages are Markdown, so that whoever reads the source reads them too.  What stands beside a page to lead through all
of them is no list of its own: it is what the tables of `GROUPS` link to, in their order.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import NamedTuple

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, Response
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / ("assistant/docs" if (ROOT / "assistant/docs").is_dir() else "docs")
"""Where a release has them, which carries them along, or a checkout; whoever copies less has no guide."""
FRAME = Path(__file__).parent / "static/help/frame.html"
HOME = "guide/README.md"
GROUPS = ("guide/README.md", "rules/README.md", "formats/README.md", "how-to/README.md")
FILES = frozenset({".jpg", ".png", ".py", ".svg"})
"""What is served as it is: pictures and examples."""


class Section(NamedTuple):
    """What stands below one heading of a page: where it is, what the page and the heading say, and the words there."""

    address: str
    page: str
    heading: str
    words: str


class Page(NamedTuple):
    """One page: its title, its text as HTML, its sections, and what links in its tables say, by their addresses."""

    title: str
    html: str
    sections: tuple[Section, ...]
    listed: dict[str, str]


def find_address(file: str) -> str:
    """Return where a page is found, by its file in ``docs/``.

    >>> find_address("guide/playing.md"), find_address("formats/README.md"), find_address("guide/README.md")
    ('/help/guide/playing', '/help/formats', '/help')
    """
    if file == HOME:
        return "/help"
    return posixpath.normpath(f"/help/{file.removesuffix('.md').removesuffix('README')}")


def render_page(text: str, file: str, files: frozenset[str]) -> Page:
    """Turn a page into HTML.

    Links to other pages become addresses of this site; what a link outside of ``docs/`` says stays, without the link,
    for nobody has those files but in a checkout.

    Args:
        text: the page, as Markdown.
        file: where it lies in ``docs/``.
        files: all files in ``docs/``.

    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    title, listed, sections, depth = file, dict[str, str](), list[Section](), 0
    address, heading, words = find_address(file), "", list[str]()
    for token, following in pairwise([*tokens, Token("end", "", 0)]):
        depth += token.nesting * token.type.startswith("table")
        if token.type == "heading_open":
            said = _read_words(following)
            if token.tag == "h1":
                title = said
            sections.append(Section(address, title, heading, " ".join(words)))
            anchor = re.sub(r"[^a-z0-9]+", "-", said.lower()).strip("-")
            token.attrSet("id", anchor)
            address, heading, words = f"{find_address(file)}#{anchor}", said, []
        elif token.type == "inline":
            _turn_links(token, file, files)
            listed |= _list_links(token) if depth else {}
            words.append(_read_words(token))
        elif token.type in {"fence", "code_block"}:
            words.append(token.content)
        elif align := token.attrs.pop("style", None):  # the site's policy lets no style stand in a page
            token.attrSet("class", str(align).rpartition(":")[2])
    sections.append(Section(address, title, heading, " ".join(words)))
    html = markdown.renderer.render(tokens, markdown.options, {})
    html = html.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
    html = html.replace("<pre>", '<pre tabindex="0">')
    return Page(title, html, tuple(section for section in sections if section.words), listed)


def _read_words(token: Token) -> str:
    return "".join(child.content if child.type != "softbreak" else " " for child in token.children or ())


def _turn_links(token: Token, file: str, files: frozenset[str]) -> None:
    """Let links and pictures lead to this site."""
    for child in token.children or ():
        name = {"link_open": "href", "image": "src"}.get(child.type)
        if name is None:
            continue
        target, _, anchor = str(child.attrs[name]).partition("#")
        if "://" in target or not target:
            continue
        to = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
        if to.endswith(".md") and to in files:
            child.attrs[name] = find_address(to) + (f"#{anchor}" if anchor else "")
        elif to in files:
            child.attrs[name] = f"/help/{to}"
        elif name == "href":
            del child.attrs[name]


def _list_links(token: Token) -> dict[str, str]:
    """Return what each link to a page of this site says, by the page's address."""
    children = token.children or ()
    return {
        str(link.attrs["href"]).partition("#")[0]: said.content
        for link, said in pairwise(children)
        if link.type == "link_open" and str(link.attrs.get("href", "")).startswith("/help")
    }


class Guide(NamedTuple):
    """All pages and other files by their addresses, and groups of pages: what each is called there, by its address."""

    pages: Mapping[str, Page]
    files: Mapping[str, Path]
    groups: Mapping[str, Mapping[str, str]]


@cache
def read_guide() -> Guide:
    """Read all pages, once: it takes a fifth of a second, and a release's pages do not change."""
    paths = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*")) if path.is_file()}
    files = frozenset(paths)
    pages = {
        file: render_page(path.read_text(encoding="utf-8"), file, files)
        for file, path in paths.items()
        if path.suffix == ".md" and file != "README.md"  # which says the same to whoever reads the source
    }
    return Guide(
        pages={find_address(file): page for file, page in pages.items()},
        files={f"/help/{file}": path for file, path in paths.items() if path.suffix in FILES},
        groups={
            pages[file].title: {find_address(file): "Overview"} | pages[file].listed for file in GROUPS if file in pages
        },
    )


def draw_frame(guide: Guide, address: str, title: str, html: str) -> str:
    """Return a page as a browser gets it: the text, what leads to all others, and the ways back and on."""
    order = [inner for group in guide.groups.values() for inner in group]
    at = order.index(address) if address in order else None
    ways = "" if at is None else _link_neighbours(guide, order[max(0, at - 1) : at], order[at + 1 : at + 2])
    groups = "".join(_list_group(guide, name, group, address) for name, group in guide.groups.items())
    return Template(FRAME.read_text(encoding="utf-8")).substitute(
        title=escape(title), groups=groups, text=html, ways=ways
    )


def _list_group(guide: Guide, name: str, group: Mapping[str, str], address: str) -> str:
    lines = []
    for inner, called in group.items():
        here = ' aria-current="page"' if inner == address else ""
        headings = [s for s in guide.pages[inner].sections if s.heading != guide.pages[inner].title] if here else []
        below = "".join(f'<li><a href="{section.address}">{escape(section.heading)}</a></li>' for section in headings)
        lines.append(f'<li><a href="{inner}"{here}>{escape(called)}</a>{f"<ul>{below}</ul>" if below else ""}</li>')
    state = " open" if address in group else ""
    return f"<details{state}><summary>{escape(name)}</summary><ul>{''.join(lines)}</ul></details>"


def _link_neighbours(guide: Guide, before: Sequence[str], after: Sequence[str]) -> str:
    back = "".join(f'<a rel="prev" href="{to}">← {escape(guide.pages[to].title)}</a>' for to in before)
    on = "".join(f'<a rel="next" href="{to}">{escape(guide.pages[to].title)} →</a>' for to in after)
    return f"<nav class='ways' aria-label='Back and on'>{back}{on}</nav>"


def add_guide_routes(app: FastAPI) -> None:
    """Serve ``/help``, what lies below it, and ``/help/sections.json``, in which the pages search."""

    @app.get("/help/sections.json")
    def sections() -> list[Section]:
        guide = read_guide()
        return [section for group in guide.groups.values() for page in group for section in guide.pages[page].sections]

    @app.api_route("/help", methods=["GET", "HEAD"])
    @app.api_route("/help/{path:path}", methods=["GET", "HEAD"])
    def page(path: str = "") -> Response:
        guide, address = read_guide(), posixpath.normpath(f"/help/{path}")
        if address in guide.files:
            return FileResponse(guide.files[address])
        if address in guide.pages:
            found = guide.pages[address]
            return HTMLResponse(draw_frame(guide, address, found.title, found.html))
        why = "has no page of this name: it may be one of those in the list" if guide.pages else "is not in this copy"
        missing = f"<h1>No such page</h1><p>The guide {why}.</p>"
        return HTMLResponse(draw_frame(guide, address, "No such page", missing), status_code=404)
