"""Imports: layouts from files of other people, recognised by looking, and their credit kept.

Besides our own format the open data of 40kdc are read: lists of terrain layouts, terrain templates and deployment
patterns as JSON, in separate files or in one bundle, in inches with y down.  None of these data come with the program.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.errors import BadInput
from assistant.files.documents import read_json_value
from assistant.files.open_bundle import PACKAGE, find_bundle
from assistant.layouts.layout import Layout, parse_layout
from assistant.layouts.open_data import convert_layout
from assistant.layouts.packs import name_file

KINDS: Mapping[str, frozenset[str]] = {
    "terrain_layouts": frozenset({"id", "name", "pieces"}),
    "terrain_templates": frozenset({"id", "kind", "footprint"}),
    "deployment_patterns": frozenset({"id", "name", "zones"}),
}
"""By which keys the entries of a list are known."""


@dataclass(kw_only=True)
class OpenData:
    """What was found of the open data, in whatever files."""

    terrain_layouts: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """The file, and an entry of it."""
    terrain_templates: dict[str, dict[str, Any]] = field(default_factory=dict)
    deployment_patterns: dict[str, dict[str, Any]] = field(default_factory=dict)


def import_layouts(files: Sequence[str]) -> tuple[list[tuple[str, Layout]], list[str]]:
    """Return the layouts in some files by the names that their files should have, and what could not be taken in.

    Args:
        files: paths; or ``wh40kdc`` for the data of that package, where it is installed.

    Raises:
        BadInput: a file cannot be read, or is of no format that is known.

    """
    found: list[tuple[str, Layout]] = []
    remarks: list[str] = []
    data = OpenData()
    for name in files:
        path = _require_bundle() if name == PACKAGE else Path(name).expanduser()
        document = read_json_value(path)
        if isinstance(document, dict) and "format" in document:
            found.append((name_file(path.stem), parse_layout(document, str(path))))
        elif not _sort_in(document, str(path), data):
            raise BadInput(
                f"{path}: this is no layout; expected overtable.layout/1, or terrain layouts, terrain templates or"
                " deployment patterns of 40kdc"
            )
    for place, entry in data.terrain_layouts:
        name = f"{place}: layout {entry.get('id')!r}"
        try:
            found.append(
                (
                    name_file(str(entry.get("id"))),
                    convert_layout(entry, data.terrain_templates, data.deployment_patterns, name),
                )
            )
        except BadInput as error:
            remarks.append(str(error))
    return found, remarks


def _sort_in(document: object, name: str, data: OpenData) -> bool:
    """Take what is known in a document; return whether there was any."""
    known = False
    for entries in _list_lists(document):
        kind = _find_kind(entries)
        if kind == "terrain_layouts":
            data.terrain_layouts += [(name, entry) for entry in entries]
        elif kind is not None:
            getattr(data, kind).update({str(entry["id"]): entry for entry in entries})
        known = known or kind is not None
    return known


def _list_lists(document: object) -> Iterator[list[dict[str, Any]]]:
    """Yield the lists of objects in a file: the file's own, or those of a bundle."""
    lists = document.values() if isinstance(document, dict) else [document]
    for one in lists:
        if isinstance(one, list) and one and all(isinstance(entry, dict) for entry in one):
            yield one


def _find_kind(entries: list[dict[str, Any]]) -> str | None:
    """Return what the entries of a list are; None if they are nothing that is read here."""
    return next((kind for kind, keys in KINDS.items() if all(keys <= entry.keys() for entry in entries)), None)


def _require_bundle() -> Path:
    """Return the data file of the package; BadInput where it is not installed."""
    path = find_bundle()
    if path is None:
        raise BadInput(f"{PACKAGE}: this package is not installed; install it, or give the files of its data")
    return path
