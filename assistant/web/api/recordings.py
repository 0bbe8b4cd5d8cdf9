"""Recordings for programs: which lie beside the one that is written now, and a copy of any."""

import asyncio
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict
from starlette.types import Receive, Scope, Send

from assistant.errors import BadInput
from assistant.recording.journal.copying import copy_journal
from assistant.recording.journal.reader import read_about

MOST_LISTED = 500
"""The latest."""


class RecordingForm(BaseModel):
    """One recorded game."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
    name: str
    """Of the file, by which it is asked for."""
    title: str
    """What the game is called."""
    changed: datetime
    """When it was last written to."""
    size_bytes: int
    is_shown: bool
    """It is the one that is being recorded or shown now."""


class RecordingsForm(BaseModel):
    """Recorded games, the latest first."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
    format: Literal["overtable.recordings/1"] = "overtable.recordings/1"
    recordings: list[RecordingForm]


def list_recordings(shown: Path) -> RecordingsForm:
    """Return the recordings in the folder of one; what is none, or cannot be read, is left out."""
    listed: list[RecordingForm] = []
    for path in sorted(_find_files(shown), key=lambda path: path.stat().st_mtime_ns, reverse=True)[:MOST_LISTED]:
        try:
            about = read_about(path)
        except BadInput:
            continue
        stat = path.stat()
        listed.append(
            RecordingForm(
                name=path.name,
                title=about.get("title", path.stem),
                changed=datetime.fromtimestamp(stat.st_mtime, UTC),
                size_bytes=stat.st_size,
                is_shown=path.name == shown.name,
            )
        )
    return RecordingsForm(recordings=listed)


def find_recording(shown: Path, name: str) -> Path:
    """Return a recording in the folder of another, by its file's name; BadInput where there is none."""
    found = next((path for path in _find_files(shown) if path.name == name), None)
    if found is None:
        raise BadInput("there is no recording of this name; /api/1/recordings lists them")
    return found


def _find_files(shown: Path) -> list[Path]:
    return [path for path in shown.parent.glob("*.overtable") if path.is_file()]


def copy_aside(path: Path) -> Path:
    """Return a whole copy of a recording that may be growing, in a file of its own; errors as in `copy_journal`."""
    descriptor, name = tempfile.mkstemp(prefix="overtable-copy-", suffix=".overtable")
    os.close(descriptor)
    copy = Path(name)
    try:
        copy_journal(path, copy)
    except BaseException:
        copy.unlink()
        raise
    return copy


class CopyResponse(FileResponse):
    """Sends a copy and removes it, and lets the next one be made, however the sending ends."""

    def __init__(self, copy: Path, name: str, busy: asyncio.Lock) -> None:
        super().__init__(copy, media_type="application/vnd.sqlite3", filename=name)
        self._copy, self._busy = copy, busy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._copy.unlink(missing_ok=True)
            self._busy.release()
