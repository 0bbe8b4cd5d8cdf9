"""The battle report as a PDF: a cover, and a map and its moves for each chapter, on sheets of A4."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from assistant.overlay.palette import PALETTE, parse_colour
from assistant.replay.reports.battle import Battle, Chapter, Side
from assistant.replay.reports.battle_pictures import BattlePictures
from assistant.replay.reports.incident_pdf import wrap_text
from hardware.printing.page import A4, BLACK, Colour, InkArea, InkLine, Mark, Page, Photo, Ring, TextLine
from hardware.printing.pdf import render_pdf
from hardware.printing.typeface import fit_text, measure_text_mm

LEFT_MM, RIGHT_MM, TOP_MM, FOOT_MM = 15.0, 195.0, 282.0, 16.0
WIDE_MM = RIGHT_MM - LEFT_MM
HIGHEST_MM = 150.0
"""A picture."""
GAP_MM, LEADING = 6.0, 1.42
WORDS_MM, STORY_MM, TITLE_MM, COVER_MM = 3.3, 3.8, 6.4, 11.0
GREY, LINE = (0.4, 0.39, 0.36), (0.8, 0.78, 0.73)
BADGE_MM = 2.5


def build_battle_pdf(battle: Battle, pictures: BattlePictures, texts: Mapping[str, str] = {}) -> bytes:
    """Return a battle report as a PDF.

    Args:
        battle: what it tells.
        pictures: of the same game.
        texts: what people wrote in place of what the report says, by what `read_texts` of a battle page calls it.

    """
    book = _Book(texts, battle.foot)
    book.set_cover(battle, pictures)
    for chapter in battle.chapters:
        book.set_chapter(chapter, pictures)
    book.set_calls(battle, pictures)
    return render_pdf(book.finish(), texts.get("title") or battle.title)


class _Book:
    """Fills sheets from top to bottom."""

    def __init__(self, texts: Mapping[str, str], foot: str) -> None:
        self._texts, self._foot = texts, foot
        self._sheets: list[list[Mark]] = [[]]
        self._y = TOP_MM

    def finish(self) -> list[Page]:
        """Return the sheets, numbered."""
        foot, size_mm = fit_text(self._foot, room_mm=WIDE_MM - 15, sizes_mm=(2.6,))
        pages = []
        for number, marks in enumerate(self._sheets, 1):
            said = f"{number} / {len(self._sheets)}"
            x_mm = RIGHT_MM - measure_text_mm(said, size_mm)
            feet = (
                TextLine(text=foot, x_mm=LEFT_MM, y_mm=8.0, size_mm=size_mm, colour=GREY),
                TextLine(text=said, x_mm=x_mm, y_mm=8.0, size_mm=size_mm, colour=GREY),
            )
            pages.append(Page(paper=A4, marks=(*marks, *feet)))
        return pages

    def set_cover(self, battle: Battle, pictures: BattlePictures) -> None:
        """Set the first sheet: the table at the end, the game in figures, and the armies."""
        self._set_words(self._say("title", battle.title), COVER_MM, bold=True)
        self._set_words(self._say("about", " · ".join(battle.about)), WORDS_MM, colour=GREY)
        self._y -= 2
        self._set_photo(pictures.draw_cover())
        self._set_tiles(battle.tiles)
        self._set_words(self._say("opening", ""), STORY_MM)
        self._set_sides(battle.sides)

    def set_chapter(self, chapter: Chapter, pictures: BattlePictures) -> None:
        """Set a chapter, on a sheet of its own."""
        self._turn()
        self._set_heading(self._say(f"{chapter.key}-title", chapter.title), chapter.clock)
        self._set_words(self._say(f"{chapter.key}-story", ""), STORY_MM)
        self._set_photo(pictures.draw_chapter(chapter))
        for told in chapter.moves:
            tone = _tone(told.side)
            lines = wrap_text(self._say(f"move-{told.number}", told.text), WORDS_MM, WIDE_MM - 9)
            self._need(len(lines) * WORDS_MM * LEADING + 1.5)
            self._sheet.append(InkArea(rings_mm=(_circle(LEFT_MM + BADGE_MM, self._y - 2.2, BADGE_MM),), colour=tone))
            self._sheet.append(
                TextLine(
                    text=str(told.number),
                    x_mm=LEFT_MM + BADGE_MM,
                    y_mm=self._y - 3.1,
                    size_mm=2.5 if told.number < 100 else 1.9,
                    centred=True,
                    bold=True,
                    colour=(1, 1, 1),
                )
            )
            self._set_lines(lines, WORDS_MM, LEFT_MM + 9)
            self._y -= 1.5
        for at, text in enumerate(chapter.happened):
            self._set_words(self._say(f"{chapter.key}-{at}", text), WORDS_MM, colour=GREY)

    def set_calls(self, battle: Battle, pictures: BattlePictures) -> None:
        """Set the closest calls, two beside each other."""
        if not battle.calls:
            return
        self._turn()
        self._set_heading(battle.calls_title, "")
        wide = (WIDE_MM - GAP_MM) / 2
        for at in range(0, len(battle.calls), 2):
            pair = battle.calls[at : at + 2]
            words = [
                (
                    wrap_text(self._say(f"call-{each.call.move}-title", each.title), WORDS_MM, wide),
                    wrap_text(self._say(f"call-{each.call.move}", each.text), 2.9, wide),
                )
                for each in pair
            ]
            longest = max(len(title) * WORDS_MM + len(text) * 2.9 for title, text in words) * LEADING
            self._need(wide * 0.62 + longest + 8)
            top, lowest = self._y, self._y
            for column, (each, (title, text)) in enumerate(zip(pair, words, strict=True)):
                self._y, x_mm = top, LEFT_MM + column * (wide + GAP_MM)
                self._set_photo(pictures.draw_call(each), x_mm, wide)
                self._set_lines(title, WORDS_MM, x_mm, bold=True)
                self._set_lines(text, 2.9, x_mm, colour=GREY)
                lowest = min(lowest, self._y)
            self._y = lowest - GAP_MM

    @property
    def _sheet(self) -> list[Mark]:
        return self._sheets[-1]

    def _say(self, key: str, text: str) -> str:
        return self._texts.get(key, text)

    def _turn(self) -> None:
        self._sheets.append([])
        self._y = TOP_MM

    def _need(self, high_mm: float) -> None:
        if self._y - high_mm < FOOT_MM:
            self._turn()

    def _set_words(self, text: str, size_mm: float, *, bold: bool = False, colour: Colour = BLACK) -> None:
        """Set paragraphs; nothing where there are none."""
        if not text.strip():
            return
        for paragraph in text.splitlines():
            self._set_lines(
                wrap_text(paragraph, size_mm, WIDE_MM * (0.92 if bold else 1)),
                size_mm,
                LEFT_MM,
                bold=bold,
                colour=colour,
            )
        self._y -= size_mm * (0.3 if bold else 0.7)

    def _set_lines(
        self, lines: Sequence[str], size_mm: float, x_mm: float, *, bold: bool = False, colour: Colour = BLACK
    ) -> None:
        for line in lines:
            self._need(size_mm * LEADING)
            self._y -= size_mm * LEADING
            self._sheet.append(
                TextLine(text=line, x_mm=x_mm, y_mm=self._y + 0.35 * size_mm, size_mm=size_mm, bold=bold, colour=colour)
            )

    def _set_heading(self, title: str, beside: str) -> None:
        said, size_mm = fit_text(title, room_mm=125.0, sizes_mm=(TITLE_MM, 5.0, 4.0))
        self._y -= TITLE_MM
        self._sheet.append(TextLine(text=said, x_mm=LEFT_MM, y_mm=self._y, size_mm=size_mm, bold=True))
        x_mm = RIGHT_MM - measure_text_mm(beside, 3.0)
        self._sheet.append(TextLine(text=beside, x_mm=x_mm, y_mm=self._y, size_mm=3.0, colour=GREY))
        self._y -= 3.5
        self._sheet.append(InkLine(points_mm=((LEFT_MM, self._y), (RIGHT_MM, self._y)), width_mm=0.3, colour=LINE))
        self._y -= 3.0

    def _set_photo(self, jpeg: bytes, left_mm: float = LEFT_MM, wide_mm: float = WIDE_MM) -> None:
        image = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        height, width = image.shape[:2]
        scale = min(wide_mm / width, HIGHEST_MM / height)
        self._need(scale * height)
        self._y -= scale * height
        self._sheet.append(
            Photo(
                jpeg=jpeg,
                width_px=width,
                height_px=height,
                left_mm=left_mm + (wide_mm - scale * width) / 2,
                bottom_mm=self._y,
                width_mm=scale * width,
                height_mm=scale * height,
            )
        )
        self._y -= 4.0

    def _set_tiles(self, tiles: Sequence[tuple[str, str]]) -> None:
        wide = WIDE_MM / max(1, len(tiles))
        for at, (figure, what) in enumerate(tiles):
            x_mm = LEFT_MM + at * wide
            self._sheet.append(TextLine(text=figure, x_mm=x_mm, y_mm=self._y - 5.5, size_mm=6.0, bold=True))
            said, size_mm = fit_text(what, room_mm=wide - 3, sizes_mm=(2.8, 2.4))
            self._sheet.append(TextLine(text=said, x_mm=x_mm, y_mm=self._y - 9.5, size_mm=size_mm, colour=GREY))
        self._y -= 16.0

    def _set_sides(self, sides: Sequence[Side]) -> None:
        """Set the armies in columns, on the next sheet where they have no room."""
        wide = (WIDE_MM - GAP_MM * (len(sides) - 1)) / max(1, len(sides))
        lists = [
            [
                line
                for unit, count in side.units
                for line in wrap_text(f"{unit} × {count}" if count > 1 else unit, 3.0, wide)
            ]
            for side in sides
        ]
        self._need(min(18 + max(map(len, lists), default=0) * 3.0 * LEADING, TOP_MM - FOOT_MM - 1))
        top = self._y
        for column, (side, units) in enumerate(zip(sides, lists, strict=True)):
            x_mm, self._y, tone = LEFT_MM + column * (wide + GAP_MM), top, _tone(side.number)
            self._sheet.append(InkLine(points_mm=((x_mm, top), (x_mm + wide, top)), width_mm=1.2, colour=tone))
            points = "" if side.points is None else f": {side.points}"
            name, size_mm = fit_text(f"{side.player}{points}", room_mm=wide, sizes_mm=(5.0, 4.0, 3.2))
            self._y -= 7.0
            self._sheet.append(TextLine(text=name, x_mm=x_mm, y_mm=self._y, size_mm=size_mm, bold=True, colour=tone))
            self._y -= 1.5
            about = ", ".join(part for part in (side.army, side.figures) if part)
            self._set_lines(wrap_text(about, 2.8, wide), 2.8, x_mm, colour=GREY)
            for line in units:
                if self._y - 3.0 * LEADING > FOOT_MM:
                    self._set_lines([line], 3.0, x_mm)


def _tone(side: int) -> Colour:
    red, green, blue, _ = parse_colour(PALETTE[f"side-{side % 4}"].fill)
    return red / 255, green / 255, blue / 255


def _circle(x_mm: float, y_mm: float, radius_mm: float) -> Ring:
    turns = np.linspace(0, 2 * np.pi, 33)[:-1]
    return tuple((float(x_mm + radius_mm * np.cos(turn)), float(y_mm + radius_mm * np.sin(turn))) for turn in turns)
