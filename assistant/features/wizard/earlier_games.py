"""Earlier games: recordings of the game that is chosen, which can be gone on with."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.situation_file import encode_situation
from assistant.game.state import GameState
from assistant.recording.journal.reader import CHAINED_FORMATS, read_about

MOST_OFFERED = 3
MOST_LOOKED_AT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierGame:
    """A recording that can be gone on with."""

    path: Path
    title: str
    ended_s: int
    """When something was last written to it, in seconds since 1970."""


def list_earlier_games(folder: Path, state: GameState) -> tuple[EarlierGame, ...]:
    """Return the latest recordings in a folder that began with this state; of what cannot be read nothing is said."""
    files = sorted(folder.glob("*.overtable"), key=lambda path: path.stat().st_mtime, reverse=True)
    situation = encode_situation(state)
    return tuple(_read_games(files[:MOST_LOOKED_AT], situation))[:MOST_OFFERED]


def _read_games(files: list[Path], situation: object) -> Iterator[EarlierGame]:
    for path in files:
        try:
            about = read_about(path)
            began_with = json.loads(about.get("situation", "null"))
        except (BadInput, ValueError):
            continue
        if about["format"] in CHAINED_FORMATS and began_with == situation:
            yield EarlierGame(path=path, title=about.get("title", path.stem), ended_s=int(path.stat().st_mtime))
