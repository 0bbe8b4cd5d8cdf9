"""Logs: one rotating file a run in the user's state folder, with nothing secret in it.

Everything logs by `logging`, under its module's name; only here it is said where that goes.  The terminal is told in a
sentence what went wrong; the file holds the tracebacks.  Nothing is logged for each picture.
"""

import logging
import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Literal, TextIO, get_args

import platformdirs

Level = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = get_args(Level)
OURS = ("assistant", "vision", "calibration", "hardware")
"""Whose records are of the level that was asked for; of others only warnings are kept."""
MOST_BYTES = 2_000_000
OLDER_PARTS = 2
"""So many full files of a run are kept beside the one that is written."""
KEPT_RUNS = 20
HIDDEN = "***"
_FORMAT = "%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"
_secrets: list[Callable[[], Collection[str]]] = []


def configure_logs(level: Level) -> None:
    """Let everything be logged from now on, in place of where it was before."""
    end_logs()
    root = logging.getLogger()
    root.addHandler(RunLog(platformdirs.user_state_path("overtable") / "log"))
    root.addHandler(_Terminal(debug=level == "debug"))
    for name in OURS:
        logging.getLogger(name).setLevel(level.upper())


def end_logs() -> None:
    """Let nothing be logged any more where `configure_logs` said."""
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, RunLog | _Terminal)]:
        root.removeHandler(handler)
        handler.close()
    for name in OURS:
        logging.getLogger(name).setLevel(logging.NOTSET)


def find_log() -> Path | None:
    """Return this run's log; None where nothing is logged to a file."""
    return next((Path(each.baseFilename) for each in logging.getLogger().handlers if isinstance(each, RunLog)), None)


def describe_log() -> str:
    """Return a sentence that says where the log is; empty where there is none."""
    log = find_log()
    return "" if log is None else f"What happened is written down in {shorten_home(str(log))}."


def shorten_home(text: str) -> str:
    """Return a text that names the user's home folder no more."""
    home = str(Path.home())
    return text if home in ("/", "") else text.replace(home, "~")


@contextmanager
def hide_in_logs(list_secrets: Callable[[], Collection[str]]) -> Iterator[None]:
    """Keep what is secret at the time out of the logs, such as codes; any thread may ask for it."""
    _secrets.append(list_secrets)
    try:
        yield
    finally:
        _secrets.remove(list_secrets)


def redact(text: str) -> str:
    """Return a text without passwords in addresses, and without what is to be hidden in logs."""
    if "://" in text:
        from hardware.camera.address import redact_text  # noqa: PLC0415 - a verdict waits for no camera

        text = redact_text(text)
    for secret in {each for source in tuple(_secrets) for each in source() if each}:
        text = text.replace(secret, HIDDEN)
    return text


class _RedactingFormatter(logging.Formatter):
    """Writes records, tracebacks included, without what is secret."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return redact(super().format(record))


class _SentenceFormatter(_RedactingFormatter):
    """Writes records as a sentence each."""

    def formatException(self, ei: object) -> str:  # noqa: N802, ARG002 - the name and argument are logging's
        """Leave the traceback out."""
        return ""

    def format(self, record: logging.LogRecord) -> str:
        """Return the sentence of a record."""
        text, record.exc_text = record.exc_text, None
        try:
            return super().format(record).rstrip()
        finally:
            record.exc_text = text


class RunLog(RotatingFileHandler):
    """The log file of a run; it is begun with the first record, and old runs' are then taken away."""

    def __init__(self, folder: Path) -> None:
        """Choose a name that no other run has."""
        self.folder = folder
        name = f"overtable-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.log"
        super().__init__(
            folder / name, maxBytes=MOST_BYTES, backupCount=OLDER_PARTS, encoding="utf-8", delay=True, errors="replace"
        )
        self.setFormatter(_RedactingFormatter(_FORMAT))
        self.addFilter(_Repetition())

    def _open(self) -> TextIO:  # type: ignore[override]  # a file that is opened for text is one
        self.folder.mkdir(parents=True, exist_ok=True)
        others = [run for run in list_runs(self.folder) if not str(run[0]).startswith(self.baseFilename)]
        for run in others[KEPT_RUNS - 1 :]:
            for part in run:
                part.unlink(missing_ok=True)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Go on without the log: no game ends because a disk is full."""


class _Terminal(logging.StreamHandler[TextIO]):
    """Tells the terminal of warnings in a sentence each; while bugs are looked for, of everything with tracebacks."""

    def __init__(self, *, debug: bool) -> None:
        super().__init__(sys.stderr)
        self.setLevel(logging.DEBUG if debug else logging.WARNING)
        self.setFormatter(_RedactingFormatter(_FORMAT) if debug else _SentenceFormatter("overtable: %(message)s"))
        self.addFilter(_Repetition())
        if not debug:  # how the command ended it says itself
            self.addFilter(lambda record: record.name != "assistant.cli")

    def emit(self, record: logging.LogRecord) -> None:
        """Write to where the terminal is now."""
        self.stream = sys.stderr
        super().emit(record)


class _Repetition(logging.Filter):
    """Lets what goes wrong again and again through less and less often: the 1st, 2nd, 4th, 8th ... time."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[tuple[object, ...], int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a record is written."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[1] if record.exc_info else None
        at = error.__traceback__ if error else None
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        key = (record.name, record.msg, str(record.args), type(error), at and (at.tb_frame.f_code, at.tb_lineno))
        count = self._counts[key] = self._counts.get(key, 0) + 1
        return count & (count - 1) == 0


def list_runs(folder: Path) -> list[list[Path]]:
    """Return the files of each run's log, the newest run first."""
    runs: dict[str, list[Path]] = {}
    for part in sorted(folder.glob("overtable-*.log*")):
        runs.setdefault(part.name.split(".log")[0], []).append(part)
    return [runs[name] for name in sorted(runs, reverse=True)]
