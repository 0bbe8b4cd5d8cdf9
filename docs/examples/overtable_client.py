"""A client of overtable's interface for programs, in one file: copy it into your project, and change what you like.

It needs Python 3.11 and the package websockets (14 or newer). Run by itself it prints what the referee says:

    python overtable_client.py http://192.0.2.7:8765 overtable-0123...
"""

import json
import sys
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from websockets.sync.client import connect

View = dict[str, dict[str, dict[str, Any]]]
"""All that a role sees: values by section and key, as `overtable schema live` describes them."""


class Refused(Exception):
    """The table said no; the sentence says why."""


class Table:
    """A table by its address and a token, which `overtable token make` prints; its own machine needs no token."""

    def __init__(self, address: str, token: str = "") -> None:
        self._address = address.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, path: str, **asked: object) -> Any:
        """Return the answer of an address below /api/1, such as ``ask("zone", model="s1", action="normal")``."""
        return json.loads(self._load(path, asked))

    def load_recording(self, name: str) -> bytes:
        """Return a recording that ``ask("recordings")`` lists."""
        return self._load(f"recordings/{name}", {})

    def _load(self, path: str, asked: dict[str, object]) -> bytes:
        query = f"?{urlencode(asked, doseq=True)}" if asked else ""
        try:
            with urlopen(Request(f"{self._address}/api/1/{path}{query}", headers=self._headers)) as answer:
                return bytes(answer.read())
        except HTTPError as refusal:
            raise Refused(refusal.read().decode()) from None

    def listen(self) -> Iterator[View]:
        """Yield all that this role sees, whenever something of it has changed, until the table ends."""
        address = f"ws{self._address.removeprefix('http')}/api/1/live"
        view: View = {}
        with connect(address, additional_headers=self._headers) as socket:
            for text in socket:
                message = json.loads(text)
                if message["type"] == "full":
                    view = message["view"]
                elif message["type"] == "delta":
                    change(view, message)
                else:
                    continue
                yield view


def change(view: View, delta: dict[str, Any]) -> None:
    """Let a view be what a delta says: of values that were there before it holds only the fields that changed."""
    for section, values in delta["set"].items():
        for key, fields in values.items():
            view.setdefault(section, {}).setdefault(key, {}).update(fields)
    for section, keys in delta["gone"].items():
        for key in keys:
            del view[section][key]


def main() -> None:
    """Print each sentence of the referee when it is new."""
    table, said = Table(*sys.argv[1:3]), set[str]()
    print(f"Connected as {table.ask('you')['role']}.")
    for view in table.listen():
        now = {finding["text"] for finding in view["findings"].values()}
        for text in sorted(now - said):
            print(text, flush=True)
        said = now


if __name__ == "__main__":
    main()
