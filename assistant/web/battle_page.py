"""The battle page: a battle report as one HTML file that needs no server, and whose words anybody may change."""

import base64
import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from pathlib import Path

from assistant.errors import BadInput
from assistant.replay.reports.battle import Battle, Chapter, Side
from assistant.replay.reports.battle_pictures import BattlePictures
from assistant.web.languages.catalogue import SOURCE
from assistant.web.languages.reading import read

STATIC = Path(__file__).parent / "static" / "battle"
MARK = 'content="overtable.battle/1"'
"""By which such a file is known, near its beginning."""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
"""The file may load nothing and tell nobody."""
_ASKS = "; connect-src 'self'"
"""From the table it may ask for the PDF and the film; what is saved of it may not."""
SERVED_POLICY = f"{_POLICY}{_ASKS}; form-action 'none'; frame-ancestors 'none'"
_END = re.compile("</(?:h1|h2|h3|p|span|figcaption)>")
_BREAK, _TAG = re.compile(r"<(?:br|div|p)\b[^<>]*>"), re.compile("<[^<>]+>")


def render_battle_page(
    battle: Battle,
    pictures: BattlePictures,
    texts: Mapping[str, str] = {},
    *,
    language: str = SOURCE,
    served: bool = False,
) -> str:
    """Return a battle report as a page.

    Args:
        battle: what it tells, in that language.
        pictures: of the same game.
        texts: what people wrote in place of what the report says, by `data-text`.
        language: of the page's own words.
        served: by the table, which makes the PDF and the film as well; without that printing has to do.

    """
    words = _Words(texts, language)
    title = escape(texts.get("title", battle.title))
    script = (STATIC / "battle.js").read_text(encoding="utf-8").replace("</", "<\\/")
    return "\n".join(
        (
            f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}{_ASKS if served else ""}">',
            f'<meta name="format" {MARK}>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>\n<style>\n{(STATIC / 'battle.css').read_text(encoding='utf-8')}</style>\n</head>",
            f'<body>\n<nav id="bar" aria-label="{words.say("This report")}">',
            f"<p>{words.say('Touch any text to change it.')}</p>",
            *(_offer_files(words) if served else ()),
            f'<button id="print" type="button">{words.say("Print")}</button>',
            f'<button id="save" class="primary" type="button">{words.say("Save")}</button></nav>\n<main>',
            f'<header class="cover"><img alt="{words.say("The table at the end of the game")}" ',
            f'src="{_link(pictures.draw_cover())}">',
            f"<div>{words.put('h1', 'title', battle.title)}",
            f"{words.put('p', 'about', ' · '.join(battle.about), 'about')}</div></header>",
            f'<section class="tiles" aria-label="{words.say("In figures")}">{"".join(_write_tiles(battle))}</section>',
            f'<div class="inner">{words.put("p", "opening", "", "story")}',
            f'<section class="sides" aria-label="{words.say("The armies")}">',
            f"{''.join(map(_write_side, battle.sides))}</section></div>",
            *(_write_chapter(each, pictures, words) for each in battle.chapters),
            *_write_calls(battle, pictures, words),
            f'<footer class="inner">{escape(battle.foot)}</footer>',
            f"</main>\n<script>\n{script}</script>\n</body>\n</html>\n",
        )
    )


class _Words:
    """Writes what may be changed, and what the page says itself."""

    def __init__(self, texts: Mapping[str, str], language: str) -> None:
        self._texts, self._language = texts, language

    def say(self, text: str) -> str:
        """Return what the page says itself, for markup."""
        return escape(read(text, self._language))

    def put(self, tag: str, key: str, text: str, kind: str = "") -> str:
        """Return an element whose text people may change."""
        given = escape(self._texts.get(key, text)).replace("\n", "<br>")
        kinds = f' class="{kind}"' if kind else ""
        asks = ""
        if kind == "story":
            hint = self.say("Write here what happened, and why.")
            asks = f' data-hint="{hint}" role="textbox" aria-multiline="true" aria-label="{hint}"'
        return (
            f'<{tag}{kinds}{asks} data-text="{escape(key)}" contenteditable="true" spellcheck="false">{given}</{tag}>'
        )


def _offer_files(words: _Words) -> Iterator[str]:
    """Yield the buttons of files that only the table makes; each tells what it does meanwhile, and where it fails."""
    for key, name, meanwhile in (("pdf", "PDF", "Setting …"), ("film", "Timelapse film", "Filming …")):
        silent = words.say("The table does not answer; try again in a moment.")
        said = f'data-meanwhile="{words.say(meanwhile)}" data-silent="{silent}"'
        yield f'<button id="{key}" type="button" data-served {said}>{words.say(name)}</button>'


def is_battle_page(head: bytes) -> bool:
    """Whether a file that begins so is a battle page; a browser that saved it may have changed how that is written."""
    return MARK.encode() in head


def read_battle_texts(path: Path) -> dict[str, str]:
    """Return what stands in a battle page that was saved, by what its parts are called.

    Raises:
        BadInput: it cannot be read, or is no such page.

    """
    try:
        page = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise BadInput(f"--texts {path}: it cannot be read ({error})") from None
    if MARK not in page:
        raise BadInput(f"--texts {path}: expected a battle report that was saved as a page")
    return read_texts(page)


def read_texts(page: str) -> dict[str, str]:
    """Return what stands in a battle page that was saved, by `data-text`."""
    texts: dict[str, str] = {}
    for part in page.split(' data-text="')[1:]:
        key, _, rest = part.partition('"')
        inner = rest.partition(">")[2]
        if key and (end := _END.search(inner)):
            texts[unescape(key)] = unescape(_TAG.sub("", _BREAK.sub("\n", inner[: end.start()]))).strip()
    return texts


def _write_tiles(battle: Battle) -> Iterator[str]:
    for figure, what in battle.tiles:
        yield f"<p><strong>{escape(figure)}</strong>{escape(what)}</p>"


def _write_side(side: Side) -> str:
    points = "" if side.points is None else f"<span>{side.points}</span>"
    units = "".join(
        f"<li>{escape(unit)}{f' <span>× {count}</span>' if count > 1 else ''}</li>" for unit, count in side.units
    )
    army = f"<p>{escape(side.army)}</p>" if side.army else ""
    return (
        f'<div class="side" data-side="{side.number}"><h2><span>{escape(side.player)}</span>{points}</h2>{army}'
        f"<p>{escape(side.figures)}</p><ul>{units}</ul></div>"
    )


def _write_chapter(chapter: Chapter, pictures: BattlePictures, words: _Words) -> str:
    moves = "".join(
        f'<li data-side="{told.side % 4}"><b>{told.number}</b>'
        f"{words.put('span', f'move-{told.number}', told.text)}</li>"
        for told in chapter.moves
    )
    happened = "".join(
        f"<li>{words.put('span', f'{chapter.key}-{at}', text)}</li>" for at, text in enumerate(chapter.happened)
    )
    story, picture = words.put("p", f"{chapter.key}-story", "", "story"), _link(pictures.draw_chapter(chapter))
    title = words.put("h2", f"{chapter.key}-title", chapter.title)
    return (
        f'<section class="chapter inner"><header>{title}'
        f'<span class="chip">{escape(chapter.clock)}</span></header>{story}'
        f'<img alt="{words.say(f"A map of the table: {chapter.title}")}" src="{picture}">'
        f'<ol class="moves">{moves}</ol>{f"<ul class=happened>{happened}</ul>" if happened else ""}</section>'
    )


def _write_calls(battle: Battle, pictures: BattlePictures, words: _Words) -> Iterator[str]:
    if not battle.calls:
        return
    yield f'<section class="calls inner"><h2>{escape(battle.calls_title)}</h2><div class="cards">'
    for each in battle.calls:
        key = f"call-{each.call.move}"
        yield (
            f'<figure><img alt="{words.say(f"The table, near: {each.title}")}" src="{_link(pictures.draw_call(each))}">'
            f"{words.put('h3', f'{key}-title', each.title)}"
            f"{words.put('figcaption', key, each.text)}</figure>"
        )
    yield "</div></section>"


def _link(jpeg: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
