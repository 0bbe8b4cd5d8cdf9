"""Pairings as CSV: who plays whom at which table, as programs that pair export them; and the results as CSV.

Columns are known by their headings, in any order, whatever else is there: `Table`, and either two players a line
(`Player 1` and `Player 2`, each perhaps in two columns for first and last name) or one (`Name` and `Opponent`).
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from assistant.errors import BadInput

MOST_CHARACTERS, MOST_LINES, MOST_COLUMNS, LONGEST_NAME = 1_000_000, 2000, 60, 100
Players = tuple[str, str]
_TABLE = ("table", "table number", "table no", "table nr", "table #", "tablenumber", "tbl", "board")
_PLAYERS = (
    ("player 1", "player1", "player 1 name", "player1 name", "player one", "player a", "name 1"),
    ("player 2", "player2", "player 2 name", "player2 name", "player two", "player b", "name 2"),
)
_ONE = (("name", "player", "player name"), ("opponent", "opponent name"))
_BYES = frozenset({"", "bye", "-", "none", "n/a"})
_FORMULA = re.compile(r"^[=+\-@\t\r]")


def parse_pairings(text: str, name: str, tables: Collection[str]) -> dict[str, Players]:
    """Return the players of each table that a file pairs; byes are left out.

    Args:
        text: the file.
        name: what it is called.
        tables: those of the hall.

    Raises:
        BadInput: a column or a value is lacking, a table is none of the hall's, or somebody plays twice; the sentence
            names the line.

    """
    if len(text) > MOST_CHARACTERS:
        raise BadInput(f"{name}: this file is too large; expected at most {MOST_LINES} lines")
    try:
        first = text.split("\n", 1)[0]
        delimiter = max(",;\t", key=first.count)
        lines = list(csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter))
    except csv.Error as error:
        raise BadInput(f"{name}: this is no CSV ({error})") from None
    if not lines or len(lines) > MOST_LINES:
        raise BadInput(f"{name}: expected a line of headings, and a line a pairing, {MOST_LINES} at most")
    table_at, players_at = _find_columns(lines[0], name)
    found: dict[str, Players] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in line):
            continue
        where = f"{name}: line {number}"
        players = (_read_name(line, players_at[0], where), _read_name(line, players_at[1], where))
        if players[0].lower() in _BYES:
            raise BadInput(f"{where}: there is no first player; expected a name")
        if players[1].lower() in _BYES:
            continue
        table = _read_cell(line, table_at).removeprefix("Table ").strip()
        if not table:
            raise BadInput(f"{where}: {players[0]} and {players[1]} have no table; expected one of the hall's")
        if table not in tables:
            raise BadInput(f"{where}: there is no table {table[:40]!r} in this hall")
        _add(found, table, players, where)
    if not found:
        raise BadInput(f"{name}: nobody is paired in it")
    return found


def _add(found: dict[str, Players], table: str, players: Players, where: str) -> None:
    known = found.get(table)
    if known is not None:
        if set(known) == set(players):
            return  # the line of the other player
        raise BadInput(f"{where}: table {table} is {known[0]}'s and {known[1]}'s already")
    for player in players:
        for other, seated in found.items():
            if player in seated:
                raise BadInput(f"{where}: {player} plays at table {other} already")
    found[table] = players


def _find_columns(headings: Sequence[str], name: str) -> tuple[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return which column has the table, and which have each player."""
    if len(headings) > MOST_COLUMNS:
        raise BadInput(f"{name}: line 1: expected at most {MOST_COLUMNS} columns")
    known = [re.sub(r"[\s_]+", " ", heading.strip().lower()).rstrip(".:") for heading in headings]

    def find(names: Iterable[str]) -> int | None:
        return next((known.index(each) for each in names if each in known), None)

    table = find(_TABLE)
    if table is None:
        raise BadInput(f"{name}: line 1: there is no column of tables; expected one called Table")
    for pair in (_PLAYERS, _ONE):
        columns = [_find_player(find, names) for names in pair]
        if all(columns):
            return table, (columns[0], columns[1])
    raise BadInput(
        f"{name}: line 1: there are no columns of players; expected Player 1 and Player 2, or Name and Opponent"
    )


def _find_player(find: Callable[[Iterable[str]], int | None], names: Sequence[str]) -> tuple[int, ...]:
    whole = find(names)
    if whole is not None:
        return (whole,)
    for each in names:
        first, last = find((f"{each} first name", f"{each} first")), find((f"{each} last name", f"{each} last"))
        if first is not None and last is not None:
            return (first, last)
    return ()


def _read_cell(line: Sequence[str], at: int) -> str:
    return line[at].strip() if at < len(line) else ""


def _read_name(line: Sequence[str], columns: tuple[int, ...], where: str) -> str:
    name = " ".join(part for at in columns for part in _read_cell(line, at).split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise BadInput(f"{where}: {name[:40]!r} is no name; expected at most {LONGEST_NAME} letters")
    return name


def write_results(
    pairings: Mapping[int, Mapping[str, Players]], results: Mapping[int, Mapping[str, tuple[int, int]]]
) -> str:
    """Return all pairings with what was written down of them, as CSV.

    Names that a spreadsheet would take for formulas are preceded by an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Round", "Table", "Player 1", "Score 1", "Player 2", "Score 2"])
    for number in sorted(pairings):
        for table, (one, other) in pairings[number].items():
            scores = results.get(number, {}).get(table, ("", ""))
            writer.writerow([number, table, defuse(one), scores[0], defuse(other), scores[1]])
    return out.getvalue()


def defuse(name: str) -> str:
    """Return a text of a cell so that no spreadsheet takes it for a formula."""
    return f"'{name}" if _FORMULA.match(name) else name
