"""The chosen game of a set-up: taken from a file or a demo, kept in the wizard's folder, and held to the table."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.demo.catalogue import DEMOS, list_demos
from assistant.files.documents import write_atomically
from assistant.game.situation_file import encode_situation, parse_situation, read_situation
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.rules.books import find_rulebook
from assistant.rules.referee import judge
from assistant.web.messages.setup import OfferView

FILE = "game.json"
DEMO, FROM_FILE, ARMIES = "demo:", "file:", "armies"
"""How a game that was chosen is named: as a demo's, by its file, or as composed of armies."""
SAME_MM = 2.0
"""Tables that differ by no more are the same: 44 inches are 1117.6 mm, and nobody cuts a table finer."""


@cache
def list_offers() -> tuple[OfferView, ...]:
    """Return the games that may be taken as they are."""
    offers = []
    for name in list_demos():
        state = read_situation(DEMOS / name / "situation.json").state
        offers.append(
            OfferView(
                rulebook=name,
                title=find_rulebook(name).title,
                width_mm=state.table.width_mm,
                depth_mm=state.table.depth_mm,
                models=sum(len(unit.models) for unit in state.units),
            )
        )
    return tuple(offers)


def take_game(folder: Path, chosen: str) -> None:
    """Copy a game that was chosen into the wizard's folder.

    Raises:
        BadInput: there is no such demo or file, it is no situation, or it does not fit its rulebook.

    """
    if chosen.startswith(DEMO):
        name = chosen.removeprefix(DEMO)
        if name not in list_demos():
            raise BadInput(f"there is no game {name!r}; expected one of {', '.join(list_demos())}")
        path = DEMOS / name / "situation.json"
    else:
        path = Path(chosen.removeprefix(FROM_FILE)).expanduser()
    _write(folder, _check(read_situation(path).state, str(path)))


def keep_composed(folder: Path, document: Mapping[str, object]) -> None:
    """Keep a situation that was composed of armies; errors as in `take_game`."""
    _write(folder, _check(parse_situation(document, "the armies").state, "the armies"))


def read_game(folder: Path, table_mm: tuple[float, float] | None) -> GameState:
    """Return the game in the wizard's folder, on a table of this size.

    Raises:
        BadInput: it is not there, does not fit its format or rulebook, or is of another table.

    """
    path = folder / FILE
    state = _read(path, path.stat().st_mtime_ns if path.exists() else 0)
    if table_mm is None:
        return state
    width_mm, depth_mm = table_mm
    table = state.table
    if abs(table.width_mm - width_mm) > SAME_MM or abs(table.depth_mm - depth_mm) > SAME_MM:
        raise BadInput(
            f"this game is for a table of {table.width_mm:g} x {table.depth_mm:g} mm, but yours is {width_mm:g} x"
            f" {depth_mm:g} mm: choose another game, or change the table"
        )
    return replace(state, table=Table(width_mm=width_mm, depth_mm=depth_mm))


def build_empty_table(table_mm: tuple[float, float]) -> GameState:
    """Return a table with no game on it."""
    width_mm, depth_mm = table_mm
    return GameState(rulebook=NO_RULEBOOK, table=Table(width_mm=width_mm, depth_mm=depth_mm), units=())


@lru_cache(maxsize=1)
def _read(path: Path, _written_ns: int) -> GameState:
    """Read a game and hold it to its rulebook, once each time that it was written."""
    return _check(read_situation(path).state, str(path))


def _check(state: GameState, name: str) -> GameState:
    try:
        judge(state, None)  # what does not fit the rulebook is said before the game begins
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    return state


def _write(folder: Path, state: GameState) -> None:
    write_atomically(folder / FILE, (json.dumps(encode_situation(state), indent=1) + "\n").encode())
