"""A calibration on its way to the disk: beside the set-up file and named there; the one before it is kept."""

from collections.abc import Mapping, MutableMapping
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from assistant.errors import BadInput
from assistant.files import check, write_version, write_whole
from assistant.setup import Setup, read_setup


def keep_named(path: Path, data: bytes, *, section: str, key: str, default: str) -> tuple[Setup, Path, Path | None]:
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
    text = None if named else _naming(path, section, key, default)
    if text is not None:
        setup = check(tomlkit.parse(text).unwrap(), Setup, str(path))
    new = not target.exists()
    before = write_version(target, data)
    try:
        if text is not None:
            write_whole(path, text.encode())
    except BadInput:
        if before is not None:
            before.replace(target)
        elif new:
            target.unlink(missing_ok=True)
        raise
    return setup, target, before


def keep_values(path: Path, section: str, values: Mapping[str, float | None]) -> Setup:
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
    setup = check(tomlkit.parse(text).unwrap(), Setup, str(path))
    write_whole(path, text.encode())
    return setup


def _naming(path: Path, section: str, key: str, name: str) -> str:
    """Return what a set-up file would be that names another file."""
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
        if section not in document:
            document[section] = tomlkit.table()
        document[section][key] = name
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise BadInput(f"{path}: {section}.{key} = {name!r} cannot be entered ({error})") from None
