"""New Recruit's lists as JSON: a BattleScribe roster in other clothes."""

import json
import re

from assistant.armies.formats.army_format import ArmyFormat, ArmyReading, decode_text
from assistant.armies.formats.roster_reading import read_roster_tree
from assistant.errors import BadInput
from assistant.rules.rulebook import Rulebook


def read_new_recruit(data: bytes, name: str, book: Rulebook | None) -> ArmyReading:
    """Return the army in a list as JSON; errors as in `ArmyReader`."""
    document = parse_json_object(data, name)
    return read_roster_tree(document.get("roster", document), name, book)


def parse_json_object(data: bytes, name: str) -> dict[str, object]:
    """Return the object that a file holds; BadInput if it holds none."""
    try:
        text = decode_text(data, name, "JSON")
        document = json.loads(text)
        if "\\ud" in text.lower():  # half a letter, where the other half does not stand beside it
            document = json.loads(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise BadInput(f"{name}: it is nested deeper than any roster") from None
    except ValueError as error:
        raise BadInput(f"{name}: this is not whole JSON: {error}") from None
    if not isinstance(document, dict):
        raise BadInput(f"{name}: this is no object in JSON")
    return document


def _recognises(data: bytes) -> bool:
    return data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and bool(re.search(rb'"forces"\s*:\s*\[', data))


FORMAT = ArmyFormat(name="new-recruit-json", read=read_new_recruit, recognises=_recognises)
