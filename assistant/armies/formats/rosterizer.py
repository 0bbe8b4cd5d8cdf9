"""Rosterizer's lists as JSON: things within things, each called ``Unit§Moss Guard`` and the like."""

import re

from assistant.armies.formats.army_format import ArmyFormat, ArmyReading
from assistant.armies.formats.new_recruit_json import parse_json_object
from assistant.armies.formats.roster_reading import read_roster_tree
from assistant.armies.roster_tree import DEEPEST
from assistant.errors import BadInput
from assistant.rules.rulebook import Rulebook


def read_rosterizer(data: bytes, name: str, book: Rulebook | None) -> ArmyReading:
    """Return the army in a list; errors as in `ArmyReader`."""
    snapshot = parse_json_object(data, name).get("snapshot")
    if not isinstance(snapshot, dict):
        raise BadInput(f"{name}: there is no army in it; expected a snapshot of Rosterizer")
    roster = _convert(snapshot, name, 0)
    return read_roster_tree({"name": roster["name"], "forces": [roster]}, name, book)


def _convert(thing: dict[str, object], name: str, depth: int) -> dict[str, object]:
    """Return a thing as BattleScribe would have it."""
    if depth > DEEPEST:
        raise BadInput(f"{name}: it is nested deeper than any roster")
    parts = [_convert(part, name, depth + 1) for part in _list_included(thing)]
    kind, quantity = str(thing.get("item", "")).partition("§")[0].lower(), thing.get("quantity", 1)
    if kind == "unit" and quantity == sum(_count(part) for part in parts if part["type"] == "model"):
        quantity = 1  # it says how many models it has, not how many units it is
    if kind == "unit" and not any(part["type"] == "model" for part in parts):
        kind = "model"  # it says itself how many models it has
    stats = thing.get("stats")
    values = {key: one["value"] for key, one in stats.items() if _has_value(one)} if isinstance(stats, dict) else {}
    figures = [{"name": key, "$text": str(value)} for key, value in values.items()]
    return {
        "name": thing.get("name") or thing.get("designation") or "",
        "type": kind if kind in ("unit", "model") else "upgrade",
        "number": quantity,
        "categories": [] if kind in ("unit", "model") else [{"name": "Configuration"}],
        "costs": [{"name": "points", "value": values.get("Points", 0)}],
        "profiles": [{"name": thing.get("name"), "typeName": "Unit", "characteristics": figures}],
        "selections": parts,
    }


def _count(part: dict[str, object]) -> int:
    number = part["number"]
    return number if isinstance(number, int) else 0


def _list_included(thing: dict[str, object]) -> list[dict[str, object]]:
    assets = thing.get("assets")
    included = assets.get("included") if isinstance(assets, dict) else None
    return [part for part in included if isinstance(part, dict)] if isinstance(included, list) else []


def _has_value(stat: object) -> bool:
    return isinstance(stat, dict) and isinstance(stat.get("value"), str | int | float)


def _recognises(data: bytes) -> bool:
    return data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and bool(re.search(rb'"snapshot"\s*:\s*{', data))


FORMAT = ArmyFormat(name="rosterizer", read=read_rosterizer, recognises=_recognises)
