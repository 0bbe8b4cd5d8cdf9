"""The event export: everything of an event that is over in one file, for who keeps it and who was not there.

Each game's recording is held to its hash chain first: one that was changed is named, and left out.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from assistant.errors import BadInput
from assistant.files.documents import replace_atomically
from assistant.game.events import Accepted, Decision, Ruled, Undone, is_about_past
from assistant.game.state import Ruling
from assistant.hall.desk import STANDS_S, is_written
from assistant.hall.event import LOG, SECOND_NS, EventState, read_event_log
from assistant.hall.folder import RECORDINGS, HallFolder
from assistant.hall.pairings_csv import defuse, write_results
from assistant.recording.journal.cursor import GameClock, JournalCursor, Scan
from assistant.recording.journal.packed_poses import NameTable
from assistant.recording.journal.reader import open_journal, read_about
from assistant.recording.journal.row_encoding import decode_row
from assistant.recording.journal.row_types import Called, CalledFinding
from assistant.recording.verification import verify
from assistant.replay.formatting import format_clock
from assistant.replay.verification_notice import describe_break
from assistant.web.replay_page import render_replay_page

INDEX, CALLS, RULINGS, RESULTS, GAMES = "index.html", "calls.csv", "rulings.csv", "results.csv", "games"
PACKED = 1
"""Of zip's levels: what is in the replays is packed already."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
_STYLE = """body { font: 16px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
table { border-collapse: collapse; width: 100%; } th, td { border-bottom: 1px solid #cccccc; padding: 6px 10px;
text-align: left; vertical-align: top; } .scroll { overflow-x: auto; } th, td { white-space: nowrap; }"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoodCall:
    """A call that stood, or that people decided on."""

    at_ns: int
    captured_ns: int
    outcome: str
    finding: CalledFinding | None
    """Which decides it."""
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRuling:
    """A ruling that was not taken back."""

    at_ns: int
    captured_ns: int
    ruling: Ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredGame:
    """A game of an event, as its recording tells it."""

    table: str
    path: Path
    title: str
    began_ns: int
    length_ns: int
    calls: tuple[StoodCall, ...]
    rulings: tuple[MadeRuling, ...]
    head: str
    """The digest that vouches for all of it, hexadecimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedEvent:
    """What came of an export."""

    games: int
    troubles: tuple[str, ...]
    """For each game that was left out, why, as a sentence that names its table."""


def export_event(folder: HallFolder, out: Path, progress: Callable[[float], None] = lambda _: None) -> ExportedEvent:
    """Write all games of an event with their calls, rulings and results to a zip file.

    Args:
        folder: the hall's, which may be serving meanwhile.
        out: the file; it is there whole, or not at all.
        progress: is told the share of the work that is done.

    Raises:
        BadInput: the file cannot be written, or the event's log not be read.

    """
    state, troubles, listed = read_event_log(folder.path / LOG)[0], list[str](), list[tuple[GatheredGame, str]]()
    paths = [(table, path) for table in list_tables(folder) for path in list_recordings(folder, table)]
    with replace_atomically(out) as aside, ZipFile(aside, "w", ZIP_DEFLATED, compresslevel=PACKED) as file:
        for done, (table, path) in enumerate(paths):
            progress(done / len(paths))
            try:
                game = read_game(table, path)
                page = render_replay_page(path)
            except BadInput as error:
                why = str(error).removeprefix(f"{path}: ")
                troubles.append(f"Table {table}: {RECORDINGS}/{table}/{path.name} is left out: {why}.")
                continue
            number = 1 + sum(other.table == table for other, _ in listed)
            name = f"{GAMES}/table-{table}-game-{number}.html"
            file.writestr(name, page)
            listed.append((game, name))
        file.writestr(CALLS, _write_csv(_list_calls(state, listed)))
        file.writestr(RULINGS, _write_csv(_list_rulings(state, listed)))
        file.writestr(RESULTS, write_results(state.pairings, state.results))
        file.writestr(INDEX, _write_index(folder.event.name, state, listed, troubles))
    return ExportedEvent(games=len(listed), troubles=tuple(troubles))


def list_tables(folder: HallFolder) -> list[str]:
    """Return the tables of an event, and those that were withdrawn but had played."""
    names = folder.event.table_names
    there = (folder.path / RECORDINGS).glob("*/*.overtable")
    return [*names, *sorted({path.parent.name for path in there} - set(names))]


def list_recordings(folder: HallFolder, table: str) -> list[Path]:
    """Return what was gathered of a table, in the order in which its games ended."""
    return sorted((folder.path / RECORDINGS / table).glob("*.overtable"), key=lambda path: path.stat().st_mtime_ns)


def read_game(table: str, path: Path) -> GatheredGame:
    """Return a game that was gathered.

    Raises:
        BadInput: its recording was changed, or cannot be read.

    """
    checked = verify(path)
    if checked.broken is not None:
        raise BadInput(f"{path}: it was {describe_break(checked.broken)}")
    clock, calls, rulings = GameClock(), _CallFollower(), list[MadeRuling | None]()
    past: list[MadeRuling] = []
    with open_journal(path) as db:
        for row in JournalCursor(db, path, scan=Scan.EVENTS).rows():
            at_ns = clock.advance(row.captured_ns)
            try:
                what = decode_row(row.kind, row.body, NameTable())
            except BadInput:
                continue  # a row of poses, or one of a newer version: it says nothing of this
            calls.follow(at_ns, row.captured_ns, what)
            if isinstance(what, Undone):
                if what.ruling is not None:
                    past = [each for each in past if each.ruling != what.ruling]
                elif rulings:
                    rulings.pop()
            elif isinstance(what, Decision):
                made = None
                if isinstance(what, Ruled):
                    made = MadeRuling(at_ns=at_ns, captured_ns=row.captured_ns, ruling=what.ruling)
                if made is not None and is_about_past(what):
                    past.append(made)
                else:
                    rulings.append(made)
    made_rulings = sorted([*past, *(each for each in rulings if each)], key=lambda each: each.captured_ns)
    return GatheredGame(
        table=table,
        path=path,
        title=read_about(path).get("title", path.stem),
        began_ns=clock.began_ns,
        length_ns=clock.at_ns,
        calls=tuple(calls.end(clock.at_ns)),
        rulings=tuple(made_rulings),
        head=checked.head,
    )


class _CallFollower:
    """Goes along a game, and keeps of all calls those that stood as long as they do on a desk, or were decided on."""

    def __init__(self) -> None:
        self._kept: list[StoodCall] = []
        self._now: StoodCall | None = None

    def follow(self, at_ns: int, captured_ns: int, what: object) -> None:
        """Take in what happened next."""
        if isinstance(what, Called):
            finding = next((each for each in what.findings if each.outcome.value == what.outcome), None)
            call = StoodCall(
                at_ns=at_ns, captured_ns=captured_ns, outcome=what.outcome, finding=finding, accepted=False
            )
            if self._now is not None and _is_same_call(self._now, call):
                self._now = replace(call, at_ns=self._now.at_ns, captured_ns=self._now.captured_ns)
            else:
                self._end(at_ns, accepted=False)
                self._now = None if what.outcome == "legal" else call
        elif isinstance(what, Decision) and not is_about_past(what):
            self._end(at_ns, accepted=isinstance(what, Accepted), decided=isinstance(what, Accepted | Ruled))

    def _end(self, at_ns: int, *, accepted: bool, decided: bool = False) -> None:
        if self._now is not None and (decided or at_ns - self._now.at_ns >= STANDS_S * SECOND_NS):
            self._kept.append(replace(self._now, accepted=accepted))
        self._now = None

    def end(self, at_ns: int) -> list[StoodCall]:
        """Return the calls of the whole game, with the one in which it ended."""
        self._end(at_ns, accepted=False, decided=True)
        return self._kept


def _is_same_call(one: StoodCall, other: StoodCall) -> bool:
    """Whether two calls are of one thing, whose figures went on."""
    about = [(each.finding.rule, each.finding.subjects) if each.finding else None for each in (one, other)]
    return one.outcome == other.outcome and about[0] == about[1]


Listed = Iterable[tuple[GatheredGame, str]]


def _list_calls(state: EventState, listed: Listed) -> Iterator[list[object]]:
    yield [
        *("Round", "Table", "Game", "Time (UTC)", "Into the game", "Outcome", "Rule", "Subjects"),
        *("Measured (mm)", "Limit (mm)", "Margin (mm)", "Sigma (mm)", "What the referee said", "Accepted so"),
    ]
    for game, name in listed:
        for call in game.calls:
            finding = call.finding
            figures = [finding.measured_mm, finding.limit_mm, finding.margin_mm, finding.sigma_mm] if finding else []
            yield [
                state.find_round(call.captured_ns),
                game.table,
                name,
                _format_time(call.captured_ns),
                format_clock(call.at_ns),
                call.outcome,
                finding.rule if finding else "",
                ", ".join(finding.subjects) if finding else "",
                *("" if each is None else round(each, 2) for each in figures or [None] * 4),
                finding.text if finding else "",
                "yes" if call.accepted else "",
            ]


def _list_rulings(state: EventState, listed: Listed) -> Iterator[list[object]]:
    yield [
        *("Round", "Table", "Game", "Time (UTC)", "Into the game", "By", "Outcome", "Rule", "Subjects"),
        *("What the referee said", "Why", "In the table's record"),
    ]
    for game, name in listed:
        for made in game.rulings:
            ruling = made.ruling
            yield [
                *(state.find_round(made.captured_ns), game.table, name, _format_time(made.captured_ns)),
                *(format_clock(made.at_ns), ruling.judge or ruling.by, ruling.outcome, ruling.rule or ""),
                *(", ".join(ruling.subjects), ruling.text, ruling.note, "yes"),
            ]
        for told in state.rulings:
            known = any(is_written(told.ruling, made.ruling) for made in game.rulings)
            if told.recording == game.path.stem and not known:
                yield [
                    *(state.find_round(told.at_ns), game.table, name, _format_time(told.at_ns)),
                    *(format_clock(max(0, told.ruling.captured_ns - game.began_ns)), told.ruling.judge),
                    *(told.ruling.outcome, told.rule, "", told.text, told.ruling.note, "no"),
                ]


def _write_csv(lines: Iterable[list[object]]) -> str:
    """Return lines as CSV; texts that a spreadsheet would take for formulas are preceded by an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out)
    for line in lines:
        writer.writerow([defuse(cell) if isinstance(cell, str) else cell for cell in line])
    return out.getvalue()


def _format_time(captured_ns: int) -> str:
    return datetime.fromtimestamp(captured_ns / SECOND_NS, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _write_index(name: str, state: EventState, listed: list[tuple[GatheredGame, str]], troubles: list[str]) -> str:
    rows = []
    for game, page in listed:
        number = state.find_round(game.began_ns + game.length_ns // 2)
        players = " – ".join(state.pairings.get(number, {}).get(game.table, ()))
        scores = state.results.get(number, {}).get(game.table)
        cells = [
            str(number or ""),
            game.table,
            players,
            " : ".join(map(str, scores)) if scores else "",
            _format_time(game.began_ns) if game.began_ns else "",
            format_clock(game.length_ns),
            str(len(game.calls)),
            str(len(game.rulings)),
        ]
        written = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        link = f'<td><a href="{escape(page)}">{escape(game.title)}</a></td>'
        rows.append(f"<tr>{written}{link}<td><code>{game.head}</code></td></tr>")
    titles = ("Round", "Table", "Players", "Result", "Began (UTC)", "Length", "Calls", "Rulings", "Replay", "Head")
    heads = "".join(f"<th>{each}</th>" for each in titles)
    left_out = "".join(f"<li>{escape(each)}</li>" for each in troubles)
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(name)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(name)}</h1>",
            "<p>All games, each verified against its hash chain. Tables for any spreadsheet:",
            f'<a href="{CALLS}">calls</a>, <a href="{RULINGS}">rulings</a>, <a href="{RESULTS}">results</a>.</p>',
            f"<h2>Left out</h2>\n<ul>{left_out}</ul>" if troubles else "",
            f'<div class="scroll"><table>\n<tr>{heads}</tr>\n{chr(10).join(rows)}\n</table></div>',
            "<p>Whoever has a game's recording can show by its head, with <code>overtable verify --head</code>,",
            "that it is the one that is replayed here.</p>\n</body>\n</html>\n",
        )
    )
