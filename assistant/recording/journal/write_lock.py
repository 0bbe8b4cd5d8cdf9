"""The write lock: one writer a journal, by a lock that dies with the process that holds it.

It is held on a file beside the journal: a lock on the journal itself would hinder SQLite's own, and those who read it.
"""

import os
import sys
from pathlib import Path

from assistant.errors import BadInput

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class WriteLock:
    """The right to write to a journal, until it is released or the process ends, however it ends."""

    def __init__(self, journal: Path) -> None:
        """Take the lock.

        Raises:
            BadInput: another process, or another part of this one, writes to this journal, or its folder cannot be
                written to.

        """
        self._path = journal.with_name(journal.name + ".lock")
        try:
            self._file: int | None = self._acquire()
        except BlockingIOError:
            raise BadInput(
                f"{journal}: another overtable is recording to this file; end that one, or record to another file"
            ) from None
        except OSError as error:
            raise BadInput(f"{journal}: no journal can be written here ({error.strerror})") from None

    def _acquire(self) -> int:
        """Open and lock the file that has the name at the end, and not one that its holder has just removed."""
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _lock(file)
                if _is_same_file(file, self._path):
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)

    def release(self) -> None:
        """Let others write; nothing happens the second time."""
        if self._file is None:
            return
        if sys.platform != "win32":
            self._path.unlink(missing_ok=True)  # while it is held, lest another's file is taken away
        os.close(self._file)
        self._file = None
        if sys.platform == "win32":
            _remove(self._path)


def _is_same_file(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _lock(file: int) -> None:
    """Raise BlockingIOError where somebody holds it."""
    if sys.platform == "win32":
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # another process has it open by now
