"""A recorded game as one HTML file: the pages' own modules and the game inlined, so that it needs no server."""

import base64
import gzip
import html
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from assistant.past.glimpses import glimpses
from assistant.past.moves import Made, Moves, move_said
from assistant.past.playing import Step, told_steps
from assistant.past.replayed import Past
from assistant.web.hub import diff
from assistant.web.messages import Delta, View
from assistant.web.past import whole_game
from assistant.web.view import Source, view_of

STATIC = Path(__file__).parent / "static"
PAGE = "replayed"
MARK = 'content="overtable.replay/1"'
"""By which such a file is known, near its beginning."""
SHOWN = {"table", "palette", "palettes", "terrain", "units", "models", "move", "turn", "shapes"}
"""The sections of a view that are drawn."""
_IMPORT = re.compile(r'^((?:import|export)\b[^;"]*?from )"([^"]+)"', re.MULTILINE)
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)
"""The file may load nothing and tell nobody."""


def one_file(path: Path, progress: Callable[[float], None] = lambda _: None) -> str:
    """Return a replay of a recording as a page.

    Args:
        path: the recording.
        progress: is told the share of the work that is done.

    Raises:
        BadInput: the recording cannot be read.

    """
    game = base64.b64encode(packed_game(path, progress)).decode()
    page = (STATIC / PAGE / f"{PAGE}.html").read_text(encoding="utf-8")
    page = re.sub(r'<link rel="stylesheet" href="/static/([^"]+)" />', _style, page)
    page = re.sub(r'<link rel="icon" href="/static/([^"]+)" />', _icon, page)
    page = re.sub(r'<script type="module" src="/static/([^"]+)"></script>', _script, page)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />\n    <meta name="format" {MARK} />'
    page = page.replace('<meta charset="utf-8" />', f'<meta charset="utf-8" />\n    {meta}', 1)
    page = page.replace("<title>Replay", f"<title>{html.escape(Past(path).title)}", 1)
    inlined = f'{_signs()}\n    <script type="application/octet-stream" id="game">{game}</script>\n  </body>'
    return page.replace("</body>", inlined, 1)


def packed_game(path: Path, progress: Callable[[float], None]) -> bytes:
    """Return what the page shows as JSON, gzipped; the page's `film.js` says what is in it.

    It is packed piece by piece, for of a long game it is much.

    Args:
        path: the recording.
        progress: is told the share of the work that is done.

    Raises:
        BadInput: the recording cannot be read.

    """
    past = Past(path)
    whole_ns = max(1, past.ended_ns())
    while past.judge_on():
        progress(0.5 * past.log.at_ns / whole_ns)
    packed, made, shown = io.BytesIO(), *_shown(path)
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:

        def write(text: str) -> None:
            file.write(text.encode())

        write(f'{{"title":{_json(past.title)},"game":{whole_game(past, 0).model_dump_json()}')
        before, comma, last = View(), "", 0
        for step, view in _views(path, past.title, shown):
            if not comma:
                write(f',"full":{view.model_dump_json()},"moments":[')
                before = view
            changed, gone = diff(before, view)
            delta = Delta(seq=0, set=changed, gone=gone).model_dump(mode="json")
            write(f"{comma}[{step.at_ns},{step.entry.id},{_json(delta['set'])},{_json(delta['gone'])}]")
            before, comma, last = view, ",", step.entry.id
            progress(0.5 + 0.5 * step.at_ns / whole_ns)
        if not comma:
            write(f',"full":{before.model_dump_json()},"moments":[')
        write(f"{comma}[{past.ended_ns()},{last},{{}},{{}}]")  # the last picture may have shown nothing new
        moves = [{"entry": each.entry, "text": f"Move {each.number}. {move_said(each)}."} for each in made]
        write(f'],"moves":{_json(moves)}}}')
    return packed.getvalue()


def _shown(path: Path) -> tuple[list[Made], Callable[[Step], bool]]:
    """Return the moves of a game, and whether it stood as after a step for any time, or a move was judged so."""
    found, last = Moves(), dict[int, int]()
    for step in told_steps(path):
        found.take(step)
        last[step.at_ns] = step.entry.id
    made = found.made()
    judged = {each.entry for each in made}
    return made, lambda step: step.entry.id in judged or last.get(step.at_ns, 0) <= step.entry.id


def _views(path: Path, title: str, shown: Callable[[Step], bool]) -> Iterator[tuple[Step, View]]:
    """Yield what an eye sees of a game, step by step."""
    source = Source(name=path.name, title=title, virtual=False, replay=True, state="live", text="", fps=0, latency_ms=0)
    left_out: dict[str, Any] = {name: {} for name in View.model_fields if name not in SHOWN}
    for step in filter(shown, glimpses(path)):
        yield step, view_of(step.session, source).model_copy(update=left_out)


def _json(what: object) -> str:
    return json.dumps(what, separators=(",", ":"), ensure_ascii=False)


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
