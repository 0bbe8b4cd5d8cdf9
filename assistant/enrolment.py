"""A measured enrolment as a document (`overtable.enrolment/1`), and its way into the set-up file."""

import math
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, Literal

import tomlkit
from tomlkit.exceptions import TOMLKitError

from assistant.errors import BadInput
from assistant.files import Format, check, write_whole
from assistant.game.base import BaseSpec
from assistant.setup import BaseSection, Setup, TagInBase, read_setup
from vision.enrol import Enrolment


class EnrolmentForm(Format):
    """What the enrolment of a model found."""

    format: Literal["overtable.enrolment/1"] = "overtable.enrolment/1"
    found: BaseSection
    """As it is written to the set-up file."""
    places: int
    """How often the model was set into the ring; 0 where it was turned on the spot."""
    advice: str
    """What would help most; empty if nothing needs to."""
    written: bool


def section_of(model: str, base: BaseSpec, result: Enrolment) -> BaseSection:
    """Return the entry of a set-up file that keeps an enrolment, with no more decimals than it knows."""
    return BaseSection(
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


def with_base(setup: Setup, section: BaseSection, name: str) -> Setup:
    """Return a set-up in which a model is enrolled so, and as before in all else.

    Raises:
        BadInput: its tag is another's.

    """
    bases = [section if base.model == section.model else base for base in setup.bases]
    if section not in bases:
        bases.append(section)
    return check({**dict(setup), "bases": tuple(bases)}, Setup, name)


def keep(path: Path, section: BaseSection) -> Setup:
    """Write a model's enrolment into a set-up file and return what it now says; everything else in it stays.

    Raises:
        BadInput: the file is not a set-up, would not be one any more, or cannot be written; it is then as before.

    """
    read_setup(path)  # says in one sentence what is wrong with it
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
        bases: Any = document.get("bases")
        entry = next((base for base in bases or () if base["model"] == section.model), None)
        if entry is not None:
            fill(entry, section)
        elif isinstance(bases, tomlkit.items.Array):  # bases = [{...}, {...}]
            inline = tomlkit.inline_table()
            fill(inline, section)
            bases.append(inline)
        else:
            table = tomlkit.table()
            fill(table, section)
            if bases is None:
                document["bases"] = bases = tomlkit.aot()
            bases.append(table)
        text = tomlkit.dumps(document)
        plain = tomlkit.parse(text).unwrap()
    except TOMLKitError as error:
        raise BadInput(f"{path}: the enrolment of {section.model!r} cannot be entered ({error})") from None
    setup = check(plain, Setup, str(path))
    write_whole(path, text.encode())
    return setup


def fill(entry: MutableMapping[str, Any], section: BaseSection) -> None:
    """Write a section's values into an entry, each in the place where it stands if it is there already."""
    shape = tomlkit.inline_table()
    shape.update(_listed(section.base.model_dump(exclude_none=True)))
    offset = tomlkit.inline_table()
    offset.update(section.tag_in_base.model_dump())
    if isinstance(entry.get("tag_in_base"), tomlkit.items.Table):  # [bases.tag_in_base]
        entry["tag_in_base"].update(section.tag_in_base.model_dump())
    else:
        entry["tag_in_base"] = offset
    entry.setdefault("base", shape)
    for key in ("tag", "model", "size_mm", "height_mm", "height_sigma_mm"):
        if entry.get(key) != getattr(section, key):  # 16 need not become 16.0
            entry[key] = getattr(section, key)


def _listed(value: Any) -> Any:  # noqa: ANN401 - whatever a file may hold
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, tuple) else value
