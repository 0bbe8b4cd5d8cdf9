"""Editing the set-up file: every edit changes its own values, and everything else in the file stays as it was.

Edits name a lens or a projector file and keep the one before it under another name (only a nudge of the projector
writes in place), write values into a section, enter a measured enrolment
(which as a document is `overtable.enrolment/1`), and write what was entered in the set-up wizard.
"""

import math
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from assistant.errors import BadInput
from assistant.files.documents import Format, check, read_json, write_atomically, write_version
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import BaseSection, MarkedTerrain, RingedBase, TaggedBase, TagInBase
from assistant.setup.draft import DraftReading, tuples_to_lists
from assistant.setup.file import AnchorSection, Setup, check_setup, read_setup
from calibration.lens.file import LensFile
from calibration.projector.file import ProjectorFile
from vision.enrolment.enrolment_sheet import Enrolment


def keep_named_file(
    path: Path, data: bytes, *, section: str, key: str, default: str
) -> tuple[Setup, Path, Path | None]:
    """Write a file beside a set-up file and name it there; everything else in that stays.

    Args:
        path: the set-up file.
        data: what the other file is to hold.
        section: where in the set-up it is named, such as ``camera``.
        key: what names it there, such as ``lens``.
        default: its name where the set-up gives it none.

    Returns:
        what the set-up now says, the file, and where the one that was there before is kept; None where there was none.

    Raises:
        BadInput: the file is not a set-up, or something cannot be written; all is then as before.

    """
    setup = read_setup(path)  # says in one sentence what is wrong with it
    named: str | None = getattr(getattr(setup, section), key)
    target = path.parent / (named or default)
    text = None if named else _enter_name(path, section, key, default)
    if text is not None:
        setup = check_setup(tomlkit.parse(text).unwrap(), path)
    new = not target.exists()
    before = write_version(target, data)
    try:
        if text is not None:
            write_atomically(path, text.encode())
    except BadInput:
        if before is not None:
            before.replace(target)
        elif new:
            target.unlink(missing_ok=True)
        raise
    return setup, target, before


def keep_lens(path: Path, lens: LensFile) -> tuple[Setup, Path, Path | None]:
    """Write a lens file beside a set-up file and name it there, as `keep_named_file`.

    It gets the name that the set-up gives it already, or one after the set-up's own.
    """
    data = (lens.model_dump_json(indent=1) + "\n").encode()
    return keep_named_file(path, data, section="camera", key="lens", default=f"{path.stem}-lens.json")


PROJECTOR_FILE = "projector.json"
"""Beside the set-up file, where it names no other."""


def read_projector(setup: Setup, path: Path) -> tuple[ProjectorFile | None, str]:
    """Return the projector file that a set-up names, and what a person should know if it is not there yet.

    Raises:
        BadInput: the file does not fit its format, or is of another table.

    """
    if setup.projector.calibration is None:
        return None, ""
    named = path.parent / setup.projector.calibration
    if not named.exists():
        return None, (
            f"{named} is not there yet, so the projector page fits the table into its window;"
            f" make it with: overtable calibrate projector --setup {path}"
        )
    file = read_json(named, ProjectorFile)
    table = setup.table
    if (file.table.width_mm, file.table.depth_mm) != (table.width_mm, table.depth_mm):
        raise BadInput(
            f"{named}: this projector was calibrated over a table of {file.table.width_mm:g} x {file.table.depth_mm:g}"
            f" mm, but that of {path} is {table.width_mm:g} x {table.depth_mm:g} mm; calibrate it again, or take"
            " projector.calibration out of the set-up"
        )
    return file, ""


def keep_projector(path: Path, file: ProjectorFile) -> tuple[Setup, Path, Path | None]:
    """Write a projector's calibration beside a set-up file and name it there, as `keep_named_file`."""
    return keep_named_file(
        path, _encode_projector(file), section="projector", key="calibration", default=PROJECTOR_FILE
    )


def write_projector(path: Path, file: ProjectorFile) -> None:
    """Write a projector file in place of the one of that name: a nudge makes no new version.

    Raises:
        BadInput: it cannot be written there.

    """
    write_atomically(path, _encode_projector(file))


def _encode_projector(file: ProjectorFile) -> bytes:
    return (file.model_dump_json(indent=1) + "\n").encode()


def keep_section_values(path: Path, section: str, values: Mapping[str, float | None]) -> Setup:
    """Write values into a section of a set-up file, or take them out with None; everything else in it stays.

    Raises:
        BadInput: the file is not a set-up, does not take the values, or cannot be written; it is then as before.

    """
    read_setup(path)  # says in one sentence what is wrong with it
    document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    if section not in document:
        document[section] = tomlkit.table()
    table = document[section]
    assert isinstance(table, MutableMapping), "a set-up's sections are tables"
    for key, value in values.items():
        if value is not None:
            table[key] = value
        elif key in table:
            del table[key]
    text = tomlkit.dumps(document)
    setup = check_setup(tomlkit.parse(text).unwrap(), path)
    write_atomically(path, text.encode())
    return setup


def keep_hall(path: Path, file: str | None) -> Setup:
    """Name the tournament's hall in a set-up file, or take it out with None; everything else in it stays.

    Raises:
        BadInput: the file is not a set-up, or cannot be written; it is then as before.

    """
    read_setup(path)  # says in one sentence what is wrong with it
    document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    document.pop("hall", None)
    if file is not None:
        document["hall"] = {"file": file}
    text = tomlkit.dumps(document)
    setup = check_setup(tomlkit.parse(text).unwrap(), path)
    write_atomically(path, text.encode())
    return setup


def _enter_name(path: Path, section: str, key: str, name: str) -> str:
    """Return what a set-up file would be that names another file."""
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
        if section not in document:
            document[section] = tomlkit.table()
        document[section][key] = name
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise BadInput(f"{path}: {section}.{key} = {name!r} cannot be entered ({error})") from None


class EnrolmentForm(Format):
    """What the enrolment of a model found."""

    format: Literal["overtable.enrolment/1"] = "overtable.enrolment/1"
    found: BaseSection
    """As it is written to the set-up file."""
    places: int
    """How often the model was set on the sheet; 0 where it was turned on the spot, or its ring was shown."""
    advice: str
    """What would help most; empty if nothing needs to."""
    written: bool


def section_from_enrolment(model: str, base: BaseSpec, result: Enrolment) -> TaggedBase:
    """Return the entry of a set-up file that keeps an enrolment, with no more decimals than it knows."""
    return TaggedBase(
        tag=result.tag,
        model=model,
        base=base,
        size_mm=result.size_mm,
        tag_in_base=TagInBase(
            x_mm=round(result.x_mm, 3),
            y_mm=round(result.y_mm, 3),
            facing_deg=round(math.degrees(result.facing_rad), 2) + 0.0,  # not -0.0
            sigma_mm=round(result.offset_sigma_mm, 3),
            sigma_deg=round(math.degrees(result.facing_sigma_rad), 2),
        ),
        height_mm=max(0.0, round(result.height_mm, 2)),  # a tag of paper on the table may seem to be below it
        height_sigma_mm=round(result.height_sigma_mm, 2),
    )


def enrol_base(setup: Setup, section: BaseSection, name: str) -> Setup:
    """Return a set-up in which a model is enrolled so, and as before in all else.

    Raises:
        BadInput: its tag is another's.

    """
    bases = [section if base.model == section.model else base for base in setup.bases]
    if section not in bases:
        bases.append(section)
    return check({**dict(setup), "bases": tuple(bases)}, Setup, name)


def keep_enrolment(path: Path, *sections: BaseSection) -> Setup:
    """Write enrolments into a set-up file, all at once, and return what it now says; everything else in it stays.

    Raises:
        BadInput: the file is not a set-up, would not be one any more, or cannot be written; it is then as before.

    """
    read_setup(path)  # says in one sentence what is wrong with it
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
        for section in sections:
            _enter_base(document, section)
        text = tomlkit.dumps(document)
        plain = tomlkit.parse(text).unwrap()
    except TOMLKitError as error:
        models = ", ".join(repr(section.model) for section in sections)
        raise BadInput(f"{path}: the enrolment of {models} cannot be entered ({error})") from None
    setup = check_setup(plain, path)
    write_atomically(path, text.encode())
    return setup


def _enter_base(document: tomlkit.TOMLDocument, section: BaseSection) -> None:
    bases: Any = document.get("bases")
    entry = next((base for base in bases or () if base["model"] == section.model), None)
    if entry is not None:
        fill_entry(entry, section)
    elif isinstance(bases, tomlkit.items.Array):  # bases = [{...}, {...}]
        inline = tomlkit.inline_table()
        fill_entry(inline, section)
        bases.append(inline)
    else:
        table = tomlkit.table()
        fill_entry(table, section)
        if bases is None:
            document["bases"] = bases = tomlkit.aot()
        bases.append(table)


def fill_entry(entry: MutableMapping[str, Any], section: BaseSection) -> None:
    """Write a section's values into an entry, each in the place where it stands if it is there already."""
    inside = "tag_in_base" if isinstance(section, TaggedBase) else "ring_in_base"
    said = tuples_to_lists(section.model_dump(exclude_none=True))
    for stale in {*TaggedBase.model_fields, *RingedBase.model_fields} - said.keys():
        entry.pop(stale, None)
    shape, offset = tomlkit.inline_table(), tomlkit.inline_table()
    shape.update(said.pop("base"))
    offset.update(said.pop(inside))
    if isinstance(entry.get(inside), tomlkit.items.Table):  # [bases.tag_in_base]
        entry[inside].update(offset)
    else:
        entry[inside] = offset
    entry.setdefault("base", shape)
    for key in sorted(said, key=BASE_KEYS.index):
        if entry.get(key) != said[key]:  # 16 need not become 16.0
            entry[key] = said[key]


def mark_terrain(setup: Setup, section: MarkedTerrain, name: str) -> Setup:
    """Return a set-up in which a piece of terrain has this mark, and which is as before in all else.

    Raises:
        BadInput: its marker is another's, or there is no such ring.

    """
    others = tuple(each for each in setup.terrain if each.piece != section.piece)
    return check({**dict(setup), "terrain": (*others, section)}, Setup, name)


def keep_mark(path: Path, section: MarkedTerrain) -> Setup:
    """Write the mark of a piece of terrain into a set-up file, and return what it now says; everything else stays.

    Raises:
        BadInput: the file is not a set-up, would not be one any more, or cannot be written; it is then as before.

    """
    read_setup(path)  # says in one sentence what is wrong with it
    document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    entry = _find_or_add_entry(document, "terrain", "piece", section.piece)
    said = section.model_dump(exclude_defaults=True)
    inside = tomlkit.inline_table()
    inside.update(section.mark_in_piece.model_dump(include={"x_mm", "y_mm", "facing_deg"}))
    for stale in MarkedTerrain.model_fields.keys() - said.keys():
        entry.pop(stale, None)
    _set_values(entry, {key: value for key, value in said.items() if key != "mark_in_piece"})
    if "mark_in_piece" in said:
        entry["mark_in_piece"] = inside
    text = tomlkit.dumps(document)
    setup = check_setup(tomlkit.parse(text).unwrap(), path)
    write_atomically(path, text.encode())
    return setup


BASE_KEYS = ("tag", "ring", "ring_kind", "model", "size_mm", "band_mm", "height_mm", "height_sigma_mm")
"""The plain keys of a base, in the order in which they are written."""
SETUP_FILE = "table.toml"
HEADER_COMMENT = "Written by `overtable setup`; what you add by hand stays.\n"
ANCHOR_PLACE_KEYS = ("x_mm", "y_mm", "facing_deg", "corner", "size_mm")
"""What of an anchor is entered in the wizard."""
ANCHOR_SIGMA_KEYS = ("sigma_mm", "sigma_deg")
"""What makes no sense for an anchor that lies anywhere."""


def write_setup_from_draft(folder: Path, reading: DraftReading, bases: Sequence[BaseSection]) -> bool:
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
    path = folder / SETUP_FILE
    try:
        before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        document = tomlkit.parse(before) if before else _begin_document()
        known = {base.model: base for base in read_setup(path).bases} if before else {}
        _enter_reading(document, reading, bases, known)
        text = tomlkit.dumps(document)
        plain = tomlkit.parse(text).unwrap()
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: what was entered cannot be written there ({error})") from None
    if text == before:
        return False
    setup = check_setup(plain, path)
    if before and setup == read_setup(path):
        return False
    write_atomically(path, text.encode())
    return True


def _begin_document() -> tomlkit.TOMLDocument:
    document = tomlkit.document()
    document.add(tomlkit.comment(HEADER_COMMENT.strip()))
    document["format"] = "overtable.setup/1"
    return document


def _enter_reading(
    document: MutableMapping[str, Any],
    reading: DraftReading,
    bases: Sequence[BaseSection],
    known: Mapping[str, BaseSection],
) -> None:
    assert reading.table_mm is not None
    width_mm, depth_mm = reading.table_mm
    for section, values in (
        ("table", {"width_mm": width_mm, "depth_mm": depth_mm}),
        ("camera", {"source": reading.source}),
    ):
        if section not in document:
            document[section] = tomlkit.table()
        _set_values(document[section], values)
    _remove_others(document, "anchors", "tag", [anchor.tag for anchor in reading.anchors])
    for anchor in reading.anchors:
        _write_anchor(_find_or_add_entry(document, "anchors", "tag", anchor.tag), anchor)
    # A model whose base is another now is enrolled anew.
    kept_models = [base.model for base in bases if base.base == known.get(base.model, base).base]
    _remove_others(document, "bases", "model", kept_models)
    for base in bases:
        if known.get(base.model) != base:
            fill_entry(_find_or_add_entry(document, "bases", "model", base.model), base)


def _remove_others(document: MutableMapping[str, Any], name: str, key: str, kept_keys: Sequence[object]) -> None:
    """Take the tables out of a list that have none of some keys."""
    entries: Any = document.get(name, [])
    for at in reversed(range(len(entries))):
        if entries[at].get(key) not in kept_keys:
            del entries[at]
    if name in document and not entries:
        del document[name]


def _find_or_add_entry(
    document: MutableMapping[str, Any], name: str, key: str, value: object
) -> MutableMapping[str, Any]:
    """Return the table of a list that has a key, begun at the list's end if it is not there."""
    entries: Any = document.get(name)
    if entry := next((entry for entry in entries or () if entry.get(key) == value), None):
        return cast("MutableMapping[str, Any]", entry)
    added = tomlkit.inline_table() if isinstance(entries, tomlkit.items.Array) else tomlkit.table()
    added[key] = value
    if entries is None:
        first = tomlkit.aot()
        first.append(added)
        document[name] = first  # not before: an empty one would be written as an array
    else:
        entries.append(added)
    return cast("MutableMapping[str, Any]", document[name][-1])


def _write_anchor(entry: MutableMapping[str, Any], anchor: AnchorSection) -> None:
    values = {key: value for key in ("tag", *ANCHOR_PLACE_KEYS) if (value := getattr(anchor, key)) is not None}
    stale = [key for key in ANCHOR_PLACE_KEYS if key not in values] + ([*ANCHOR_SIGMA_KEYS] if anchor.is_open else [])
    for key in stale:
        entry.pop(key, None)
    _set_values(entry, values)


def _set_values(entry: MutableMapping[str, Any], values: dict[str, Any]) -> None:
    for key, value in values.items():
        if key not in entry or entry[key] != value:  # 1524 need not become 1524.0
            entry[key] = int(value) if isinstance(value, float) and value.is_integer() else value
