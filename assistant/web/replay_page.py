"""The replay page: a recorded game as one HTML file that needs no server, the pages' modules and the game inlined."""

import base64
import gzip
import html
import io
import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path, PurePosixPath

from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.moves import judge_moves, put_in_words
from assistant.replay.recorded_game import RecordedGame
from assistant.web.languages.catalogue import LANGUAGES, SOURCE, read_catalogue
from assistant.web.replay_moments import show_game
from assistant.web.views.whole_game import build_whole_game

STATIC = Path(__file__).parent / "static"
PAGE = "replayed"
MARK = 'content="overtable.replay/1"'
"""By which such a file is known, near its beginning."""
PACKED = 5
"""Of gzip's levels: 6 takes half as long again for 3 % less."""
_IMPORT = re.compile(r'^((?:import|export) \{[^{}]*\} from )"([^"]+)"', re.MULTILINE)
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)
"""The file may load nothing and tell nobody."""
_CHOICE = (
    "document.documentElement.lang = navigator.languages.map((each) => each.slice(0, 2))"
    f".find((each) => {json.dumps(LANGUAGES)}.includes(each)) ?? {json.dumps(SOURCE)};"
)
"""What a server does for the pages: the file is in the first language that its reader's browser prefers."""


def render_replay_page(path: Path, progress: Callable[[float], None] = lambda _: None) -> str:
    """Return a replay of a recording as a page.

    Args:
        path: the recording.
        progress: is told the share of the work that is done.

    Raises:
        BadInput: the recording cannot be read.

    """
    game = pack_game(path, progress)
    page = (STATIC / PAGE / f"{PAGE}.html").read_text(encoding="utf-8")
    page = re.sub(r'<link rel="stylesheet" href="/static/([^"]+)" />', _inline_style, page)
    page = re.sub(r'<link rel="icon" href="/static/([^"]+)" />', _inline_icon, page)
    page = re.sub(r'<script type="module" src="/static/([^"]+)"></script>', _inline_script, page)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />\n    <meta name="format" {MARK} />'
    page = page.replace('<meta charset="utf-8" />', f'<meta charset="utf-8" />\n    {meta}', 1)
    page = page.replace("<title>Replay", f"<title>{html.escape(RecordedGame(path).title)}", 1)
    page = page.replace("</title>", f"</title>\n    <script>{_CHOICE}</script>", 1)
    parts = f"{_read_icons()}\n    {_inline_packed('languages', _pack_languages())}\n    {_inline_packed('game', game)}"
    return page.replace("</body>", f"{parts}\n  </body>", 1)


def pack_game(path: Path, progress: Callable[[float], None]) -> bytes:
    """Return what the page shows as JSON, gzipped; the page's `film.js` says what is in it.

    Args:
        path: the recording.
        progress: is told the share of the work that is done.

    Raises:
        BadInput: the recording cannot be read.

    """
    past = RecordedGame(path)
    shown = show_game(path, past.title, past.find_end_ns(), lambda share: progress(0.8 * share), past.judge_until)
    past.judge_all(shown.verdicts)
    moves = [
        {"entry": move.entry, "number": move.number, **asdict(put_in_words(move, verdict))}
        for move, verdict in judge_moves(shown.moves, shown.on_moves)
    ]
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=PACKED, mtime=0) as file:
        for text in (
            f'{{"title":{_dump_json(past.title)},"game":{build_whole_game(past, 0).model_dump_json()}',
            f',"full":{shown.full},"moments":[{",".join(shown.moments)}',
            f'],"moves":{_dump_json(moves)}}}',
        ):
            file.write(text.encode())
    return packed.getvalue()


def _pack_languages() -> bytes:
    """Return the catalogues by their languages as JSON, gzipped."""
    catalogues = {language: read_catalogue(language) for language in LANGUAGES if language != SOURCE}
    return gzip.compress(_dump_json(catalogues).encode(), mtime=0)


def _dump_json(what: object) -> str:
    return json.dumps(what, separators=(",", ":"), ensure_ascii=False)


def collect_modules(entry: PurePosixPath) -> dict[str, str]:
    """Return a page's module and all that it imports, by the names under which they then import each other."""
    modules: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        module = waiting.pop()
        if _name_module(module) in modules:
            continue
        source = (STATIC / module).read_text(encoding="utf-8").replace("/static/common/icons.svg#", "#")
        wanted = [PurePosixPath(_normalise_path(module.parent / name)) for _, name in _IMPORT.findall(source)]
        modules[_name_module(module)] = _IMPORT.sub(
            lambda match, here=module: (
                f'{match[1]}"{_name_module(PurePosixPath(_normalise_path(here.parent / match[2])))}"'
            ),  # type: ignore[misc]
            source,
        )
        waiting += wanted
    return modules


def _normalise_path(path: PurePosixPath) -> str:
    """Return a path without steps up."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _name_module(module: PurePosixPath) -> str:
    return f"overtable/{module}"


def _encode_data_url(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _inline_style(match: re.Match[str]) -> str:
    return f"<style>\n{(STATIC / match[1]).read_text(encoding='utf-8')}</style>"


def _inline_icon(match: re.Match[str]) -> str:
    address = _encode_data_url("image/svg+xml", (STATIC / match[1]).read_text(encoding="utf-8"))
    return f'<link rel="icon" href="{address}" />'


def _inline_script(match: re.Match[str]) -> str:
    entry = PurePosixPath(match[1])
    imports = {name: _encode_data_url("text/javascript", source) for name, source in collect_modules(entry).items()}
    maps = json.dumps({"imports": imports}, separators=(",", ":"))
    return (
        f'<script type="importmap">{maps}</script>\n    <script type="module">import "{_name_module(entry)}";</script>'
    )


def _inline_packed(name: str, packed: bytes) -> str:
    return f'<script type="application/octet-stream" id="{name}">{base64.b64encode(packed).decode()}</script>'


def _read_icons() -> str:
    """Return the icons, to be used from within the page."""
    signs = (STATIC / "common" / "icons.svg").read_text(encoding="utf-8")
    return "    " + signs.replace("<svg ", "<svg hidden ", 1)


def export_replay_page(recording: Path, out: Path, options: ExportOptions) -> str:
    """Write a replay of a recorded game as a page."""
    page = render_replay_page(recording, options.progress)
    out.write_text(page, encoding="utf-8")
    return f"a replay that any browser opens, {len(page) / 1e6:.1f} MB"


EXPORTER = Exporter(
    name="replay",
    export=export_replay_page,
    recognises=lambda head: MARK.encode() in head,
    activity="Packing",
)
