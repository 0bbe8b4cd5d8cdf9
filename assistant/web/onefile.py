"""A recorded game as one HTML file: the pages' own modules and the game inlined, so that it needs no server."""

import base64
import gzip
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from assistant.past.moves import Moves, move_said
from assistant.past.playing import Step, steps
from assistant.past.replayed import Past
from assistant.record.journal import PosesSeen
from assistant.web.hub import diff
from assistant.web.messages import Delta, View
from assistant.web.past import whole_game
from assistant.web.view import Source, view_of

STATIC = Path(__file__).parent / "static"
PAGE = "replayed"
MARK = 'content="overtable.replay/1"'
"""By which such a file is known, near its beginning."""
LEAST_NS = 100_000_000
"""Pictures of what moves are kept so far apart: an eye takes ten a second for a slide, and the file stays small."""
SHOWN = {"table", "palette", "palettes", "terrain", "units", "models", "move", "turn", "shapes"}
"""The sections of a view that are drawn."""
_IMPORT = re.compile(r'^((?:import|export)\b[^;"]*?from )"([^"]+)"', re.MULTILINE)
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)
"""The file may load nothing and tell nobody."""


def one_file(path: Path) -> str:
    """Return a replay of a recording as a page.

    Raises:
        BadInput: the recording cannot be read.

    """
    packed = json.dumps(packed_game(path), separators=(",", ":"), ensure_ascii=False).encode()
    game = base64.b64encode(gzip.compress(packed, compresslevel=9, mtime=0)).decode()
    page = (STATIC / PAGE / f"{PAGE}.html").read_text(encoding="utf-8")
    page = re.sub(r'<link rel="stylesheet" href="/static/([^"]+)" />', _style, page)
    page = re.sub(r'<link rel="icon" href="/static/([^"]+)" />', _icon, page)
    page = re.sub(r'<script type="module" src="/static/([^"]+)"></script>', _script, page)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />\n    <meta name="format" {MARK} />'
    page = page.replace('<meta charset="utf-8" />', f'<meta charset="utf-8" />\n    {meta}', 1)
    page = page.replace("<title>Replay", f"<title>{html.escape(Past(path).title)}", 1)
    inlined = f'{_signs()}\n    <script type="application/octet-stream" id="game">{game}</script>\n  </body>'
    return page.replace("</body>", inlined, 1)


def packed_game(path: Path) -> dict[str, Any]:
    """Return what the page shows: the first view, what changes from moment to moment, the moves, and what was found.

    Raises:
        BadInput: the recording cannot be read.

    """
    past = Past(path)
    past.judged()
    found = Moves()
    source = Source(
        name=path.name, title=past.title, virtual=False, replay=True, state="live", text="", fps=0, latency_ms=0
    )
    full: View | None = None
    last = View()
    moments: list[Any] = []
    for step in _spaced(path, found):
        view = view_of(step.session, source).model_copy(
            update={name: {} for name in View.model_fields if name not in SHOWN}
        )
        if full is None:
            full = last = view
        changed, gone = diff(last, view)
        last = view
        plain = Delta(seq=0, set=changed, gone=gone).model_dump(mode="json")
        moments.append([step.at_ns, step.entry.id, plain["set"], plain["gone"]])
    return {
        "title": past.title,
        "game": whole_game(past, 0).model_dump(mode="json"),
        "full": (full or View()).model_dump(mode="json"),
        "moments": moments or [[0, 0, {}, {}]],
        "moves": [{"entry": made.entry, "text": f"Move {made.number}. {move_said(made)}."} for made in found.made()],
    }


def _spaced(path: Path, found: Moves) -> Iterator[Step]:
    """Yield the steps that are shown: all events, and of what only moves not more than an eye sees."""
    shown_ns = -LEAST_NS
    for step in steps(path):
        found.take(step)
        if isinstance(step.entry.what, PosesSeen):
            resting = all(pose.state == "seen" and not pose.moving for pose in step.entry.what.poses)
            if step.at_ns - shown_ns < LEAST_NS and not resting:
                continue
            shown_ns = step.at_ns
        yield step


def modules(entry: PurePosixPath) -> dict[str, str]:
    """Return a page's module and all that it imports, by the names under which they then import each other."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        module = waiting.pop()
        if _name(module) in found:
            continue
        source = (STATIC / module).read_text(encoding="utf-8").replace("/static/common/icons.svg#", "#")
        wanted = [PurePosixPath(_plain(module.parent / name)) for _, name in _IMPORT.findall(source)]
        found[_name(module)] = _IMPORT.sub(
            lambda match, here=module: f'{match[1]}"{_name(PurePosixPath(_plain(here.parent / match[2])))}"',  # type: ignore[misc]
            source,
        )
        waiting += wanted
    return found


def _plain(path: PurePosixPath) -> str:
    """Return a path without steps up."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _name(module: PurePosixPath) -> str:
    return f"overtable/{module}"


def _data(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _style(match: re.Match[str]) -> str:
    return f"<style>\n{(STATIC / match[1]).read_text(encoding='utf-8')}</style>"


def _icon(match: re.Match[str]) -> str:
    return f'<link rel="icon" href="{_data("image/svg+xml", (STATIC / match[1]).read_text(encoding="utf-8"))}" />'


def _script(match: re.Match[str]) -> str:
    entry = PurePosixPath(match[1])
    imports = {name: _data("text/javascript", source) for name, source in modules(entry).items()}
    maps = json.dumps({"imports": imports}, separators=(",", ":"))
    return f'<script type="importmap">{maps}</script>\n    <script type="module">import "{_name(entry)}";</script>'


def _signs() -> str:
    """Return the icons, to be used from within the page."""
    signs = (STATIC / "common" / "icons.svg").read_text(encoding="utf-8")
    return "    " + signs.replace("<svg ", "<svg hidden ", 1)
