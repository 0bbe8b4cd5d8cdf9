"""A file that a page sends, in pieces that a message has room for."""

import base64
from collections.abc import Callable

from assistant.errors import BadInput
from assistant.web.commands.setup import FilePiece


class ArrivingFile:
    """One file at a time, of which pieces may still be to come."""

    def __init__(self, check_size: Callable[[bytes, str], None]) -> None:
        """Take files, each called by its name, that pass a check of what has come so far."""
        self._check_size = check_size
        self._name, self._data = "", b""

    def take(self, piece: FilePiece) -> bytes | None:
        """Put a piece to those that came before; return the file once it is whole.

        Raises:
            BadInput: a piece of it is lacking, or it is too large; nothing is kept of it then.

        """
        shown = show_name(piece.name)
        name, before = (self._name, self._data) if piece.at else (piece.name, b"")
        self._name, self._data = "", b""
        try:
            data = before + base64.b64decode(piece.data, validate=True)
        except ValueError:
            raise BadInput(f"{shown}: it did not arrive whole; load it again") from None
        if name != piece.name or len(before) != piece.at:
            raise BadInput(f"{shown}: it did not arrive whole; load it again")
        self._check_size(data, shown)
        if not piece.more:
            return data
        self._name, self._data = piece.name, data
        return None


def show_name(name: str) -> str:
    """Return what a file is called in a sentence."""
    return " ".join(name.split()) or "the file"
