"""From a draft to the set-up file: what was entered goes there, and all else in it stays."""

from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from assistant.draft.reading import Reading
from assistant.enrolment import fill
from assistant.errors import BadInput
from assistant.files import check, write_whole
from assistant.setup import AnchorSection, BaseSection, Setup, read_setup

FILE = "table.toml"
HEAD = "Written by `overtable setup`; what you add by hand stays.\n"
PLACE = ("x_mm", "y_mm", "facing_deg", "corner", "size_mm")
"""What of an anchor is entered in the wizard."""
OF_A_PLACE = ("sigma_mm", "sigma_deg")
"""What makes no sense for an anchor that lies anywhere."""


def write_table(folder: Path, reading: Reading, bases: Sequence[BaseSection]) -> bool:
    """Write what was entered into the set-up file of a folder; what else is in it stays.

    Args:
        folder: the wizard's.
        reading: what was entered; it makes a set-up.
        bases: the models that are enrolled.

    Returns:
        whether anything in it has changed.

    Raises:
        BadInput: the file is not a set-up, would not be one any more, or cannot be written; it is then as before.

    """
    path = folder / FILE
    try:
        before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        document = tomlkit.parse(before) if before else _begun()
        known = {base.model: base for base in read_setup(path).bases} if before else {}
        _enter(document, reading, bases, known)
        text = tomlkit.dumps(document)
        plain = tomlkit.parse(text).unwrap()
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: what was entered cannot be written there ({error})") from None
    if text == before:
        return False
    setup = check(plain, Setup, str(path))
    if before and setup == read_setup(path):
        return False
    write_whole(path, text.encode())
    return True


def _begun() -> tomlkit.TOMLDocument:
    document = tomlkit.document()
    document.add(tomlkit.comment(HEAD.strip()))
    document["format"] = "overtable.setup/1"
    return document


def _enter(
    document: MutableMapping[str, Any], reading: Reading, bases: Sequence[BaseSection], known: Mapping[str, BaseSection]
) -> None:
    assert reading.table_mm is not None
    width_mm, depth_mm = reading.table_mm
    for section, values in (
        ("table", {"width_mm": width_mm, "depth_mm": depth_mm}),
        ("camera", {"source": reading.source}),
    ):
        if section not in document:
            document[section] = tomlkit.table()
        _set(document[section], values)
    _leave_only(document, "anchors", "tag", [anchor.tag for anchor in reading.anchors])
    for anchor in reading.anchors:
        _lay(_entry(document, "anchors", "tag", anchor.tag), anchor)
    # A model whose base is another now is enrolled anew.
    kept = [base.model for base in bases if base.base == known.get(base.model, base).base]
    _leave_only(document, "bases", "model", kept)
    for base in bases:
        if known.get(base.model) != base:
            fill(_entry(document, "bases", "model", base.model), base)


def _leave_only(document: MutableMapping[str, Any], name: str, key: str, wanted: Sequence[object]) -> None:
    """Take the tables out of a list that have none of some keys."""
    entries: Any = document.get(name, [])
    for at in reversed(range(len(entries))):
        if entries[at].get(key) not in wanted:
            del entries[at]
    if name in document and not entries:
        del document[name]


def _entry(document: MutableMapping[str, Any], name: str, key: str, value: object) -> MutableMapping[str, Any]:
    """Return the table of a list that has a key, begun at the list's end if it is not there."""
    entries: Any = document.get(name)
    if found := next((entry for entry in entries or () if entry.get(key) == value), None):
        return cast("MutableMapping[str, Any]", found)
    begun = tomlkit.inline_table() if isinstance(entries, tomlkit.items.Array) else tomlkit.table()
    begun[key] = value
    if entries is None:
        first = tomlkit.aot()
        first.append(begun)
        document[name] = first  # not before: an empty one would be written as an array
    else:
        entries.append(begun)
    return cast("MutableMapping[str, Any]", document[name][-1])


def _lay(entry: MutableMapping[str, Any], anchor: AnchorSection) -> None:
    values = {key: value for key in ("tag", *PLACE) if (value := getattr(anchor, key)) is not None}
    stale = [key for key in PLACE if key not in values] + ([*OF_A_PLACE] if anchor.is_open else [])
    for key in stale:
        entry.pop(key, None)
    _set(entry, values)


def _set(entry: MutableMapping[str, Any], values: dict[str, Any]) -> None:
    for key, value in values.items():
        if key not in entry or entry[key] != value:  # 1524 need not become 1524.0
            entry[key] = int(value) if isinstance(value, float) and value.is_integer() else value
