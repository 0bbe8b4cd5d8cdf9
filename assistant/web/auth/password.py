"""The host's password: by it a device elsewhere may do what else only the machine that runs the table may.

What is kept of it is a hash by scrypt (RFC 7914), which costs whoever steals the file a third of a second a guess.
"""

import hashlib
import logging
import secrets
from pathlib import Path

from assistant.errors import BadInput
from assistant.files.documents import write_atomically

FILE = "host.password"
SHORTEST, LONGEST = 10, 200
"""Of a password, in letters."""
_COST, _BLOCK, _LANES = 2**15, 8, 3
"""32 MB of memory, three times over: what OWASP's sheet on storing passwords asks for."""
_MOST_BYTES = 64 * 2**20
_log = logging.getLogger(__name__)


class HostPassword:
    """The password in a file of its own, which only this user may read; it is read anew for each question."""

    def __init__(self, path: Path | None) -> None:
        """Take a file that may be there already; None: there is no password, and none can be set."""
        self._path = path

    @property
    def is_set(self) -> bool:
        """Whether there is one."""
        return self._path is not None and self._path.is_file()

    def keep(self, password: str) -> None:
        """Set it, in place of the one before.

        Raises:
            BadInput: it is too short or too long, or there is nowhere to write it.
            OSError: its folder cannot be made.

        """
        if self._path is None:
            raise BadInput("this table keeps no password")
        if not SHORTEST <= len(password) <= LONGEST:
            raise BadInput(f"a password has {SHORTEST} to {LONGEST} letters, not {len(password)}")
        salt = secrets.token_bytes(16)
        kept = f"scrypt${_COST}${_BLOCK}${_LANES}${salt.hex()}${_hash(password, salt).hex()}\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path, kept.encode(), private=True)

    def remove(self) -> None:
        """Let nobody in by a password any more.

        Raises:
            OSError: the file cannot be removed.

        """
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def fits(self, password: str) -> bool:
        """Whether this is it; takes a third of a second of a core, so that it is asked in a thread of its own."""
        if self._path is None:
            return False
        try:
            name, *numbers, salt, kept = self._path.read_text("ascii").strip().split("$")
            known = name == "scrypt" and numbers == [str(_COST), str(_BLOCK), str(_LANES)]
            expected = bytes.fromhex(kept)
            given = _hash(password, bytes.fromhex(salt))
        except FileNotFoundError:
            return False
        except (OSError, ValueError) as error:
            _log.warning("The host's password cannot be read, so nobody is let in by it: %s", error)
            return False
        return known and secrets.compare_digest(given, expected)


def _hash(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"), salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=_MOST_BYTES
    )
