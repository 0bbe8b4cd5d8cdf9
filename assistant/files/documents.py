"""Documents: reading and writing the files that people write, and saying in one sentence what is wrong with them.

A file is read as a value of a `Format`, and written whole or not at all.
"""

import itertools
import json
import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.errors import BadInput


class Format(BaseModel):
    """A part of a file format: immutable, closed to unknown keys, and without NaN, infinity or silent conversion."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


F = TypeVar("F", bound=BaseModel)

Length = Annotated[float, Field(gt=0, le=1e5)]
"""Millimetres, positive and no longer than any table."""
Place = Annotated[float, Field(ge=-1e5, le=1e5)]
"""A coordinate, millimetres."""
Degrees = Annotated[float, Field(ge=-36000, le=36000)]
"""Degrees counter-clockwise."""
Sigma = Annotated[float, Field(ge=0, le=1e4)]
"""One standard deviation; 0 is exact."""
Id = Annotated[str, Field(min_length=1, max_length=100)]
MOST_CHARACTERS, MOST_DIGITS = 32_000_000, 400
"""Of a file, and of a whole number in it: many times what any of them holds."""
MOST_DOTS = 60
"""In a line of TOML."""


def read_json(path: Path, form: type[F]) -> F:
    """Read a JSON file of a given format.

    Raises:
        BadInput: the file is not there, is not JSON, or does not fit the format; one sentence says where.

    """
    return check(_parse(path, parse_json, "JSON"), form, str(path))


def read_json_object(path: Path) -> dict[str, Any]:
    """Read a JSON object whose format is looked after elsewhere; errors as in `read_json`."""
    data = read_json_value(path)
    if not isinstance(data, dict):
        raise BadInput(f"{path}: expected an object")
    return data


def read_json_value(path: Path) -> object:
    """Read whatever a JSON file holds; errors as in `read_json`."""
    return _parse(path, parse_json, "JSON")


def read_toml(path: Path, form: type[F], *, beside: Path | None = None) -> F:
    """Read a TOML file of a given format; errors as in `read_json`, and the rest as in `check`."""
    return check(_parse(path, parse_toml, "TOML"), form, str(path), beside=beside)


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a text in TOML says.

    Raises:
        ValueError: it is not whole TOML, a line of it is of more parts than any key, or a number of too many digits.
        RecursionError: it is nested too deep.

    """
    # Of a dotted key each part is kept with all before it: 27 kB of them take more memory than a program has.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS:
            raise ValueError(f"more than {MOST_DOTS} dots in one line (at line {number})")
    data = tomllib.loads(text)
    _check_whole_numbers(data)
    return data


def _check_whole_numbers(data: object) -> None:
    """Refuse what has too many digits: in hexadecimal it may have any number, and then nothing can write it down."""
    match data:
        case dict():
            for value in data.values():
                _check_whole_numbers(value)
        case list():
            for value in data:
                _check_whole_numbers(value)
        case int() if abs(data) >= 10**MOST_DIGITS:
            raise ValueError(f"a number of more than {MOST_DIGITS} digits stands in it")


def check(data: object, form: type[F], name: str, *, beside: Path | None = None) -> F:
    """Return ``data``, read from the thing called ``name``, as a value of a format.

    Args:
        data: what was read.
        form: the format.
        name: what it was read from.
        beside: the folder in which files are that it names, for formats that read those too.

    Raises:
        BadInput: it does not fit; the sentence names the first place that does not.

    """
    try:
        return form.model_validate(convert_lists_to_tuples(data), context=beside)
    except ValidationError as error:
        raise BadInput(f"{name}: {describe_validation_error(error)}") from None
    except RecursionError:
        raise BadInput(f"{name}: {_TOO_DEEP}") from None


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file so that it is there whole or as it was before, whatever happens meanwhile.

    Args:
        path: the file.
        data: what it is to hold.
        private: nobody but this user may read it, not for a moment.

    Raises:
        BadInput: it cannot be written there.

    """
    with replace_atomically(path, private=private) as aside, aside.open("r+b") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replace_atomically(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield an empty file beside a path, to be written; at the end it takes the path's place, unless that fails.

    A file that is replaced keeps its rights; a private one stays this user's alone, as temporary files are.

    Raises:
        BadInput: it cannot be written there.

    """
    aside: Path | None = None
    try:
        path = path.resolve()  # a link stays a link
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix, delete=False
        ) as file:
            aside = Path(file.name)
        yield aside
        if not private:
            aside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_read_umask())
        aside.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        if aside is not None:
            aside.unlink(missing_ok=True)


def write_version(path: Path, data: bytes) -> Path | None:
    """Write a file whole, as `write_atomically`, and keep what was there before under another name.

    Returns:
        where the version before is kept, such as ``lens.before-1.json``; None where there was none, or the same.

    Raises:
        BadInput: it cannot be written there, or what is there cannot be kept; it is then as it was.

    """
    before: Path | None = None
    try:
        if path.is_file() and path.read_bytes() != data:
            before = _copy_aside(path)
    except OSError as error:
        raise BadInput(f"{path}: what is there cannot be kept under another name ({error.strerror})") from None
    try:
        write_atomically(path, data)
    except BadInput:
        if before is not None:
            before.unlink(missing_ok=True)
        raise
    return before


def _copy_aside(path: Path) -> Path:
    """Copy a file to a name that no file has."""
    data = path.read_bytes()
    names = (path.with_name(f"{path.stem}.before-{number}{path.suffix}") for number in itertools.count(1))
    copy = next(name for name in names if not name.exists())
    try:
        copy.write_bytes(data)
    except OSError:
        copy.unlink(missing_ok=True)
        raise
    return copy


def _read_umask() -> int:
    """Return which rights new files lack; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _parse(path: Path, parse: Callable[[str], object], kind: str) -> object:
    try:
        with path.open(encoding="utf-8-sig") as file:  # some editors begin a file with a byte order mark
            text = file.read(MOST_CHARACTERS + 1)
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: this is not a text file; expected {kind} in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    if len(text) > MOST_CHARACTERS:
        raise BadInput(f"{path}: this file is too large; expected {kind} of at most {MOST_CHARACTERS} characters")
    try:
        return parse(text)
    except ValueError as error:  # both decoders' errors are ValueErrors
        raise BadInput(f"{path}: this is not whole {kind}: {error}") from None
    except RecursionError:
        raise BadInput(f"{path}: {_TOO_DEEP}") from None


def parse_json(text: str) -> object:
    """Return what a text in JSON says; ValueError where it is not whole, RecursionError where nested too deep."""
    return json.loads(text, object_pairs_hook=_refuse_repeated_keys, parse_int=_parse_whole_number)


def _parse_whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits stands in it")
    return int(digits)


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{shorten(key)}" stands twice in one object')
        found[key] = value
    return found


def convert_lists_to_tuples(data: object) -> object:
    """Files have lists where the formats have tuples; strict validation tells them apart."""
    match data:
        case dict():
            return {key: convert_lists_to_tuples(value) for key, value in data.items()}
        case list():
            return tuple(convert_lists_to_tuples(value) for value in data)
        case _:
            return data


_SHOWN = 60
"""So many letters of what stands in a file are said of it."""
_SAID = 200
"""So many letters of what a checker says, which may repeat what stands there."""
_TOO_DEEP = "lists and objects are nested too deep in it"
_EXPECTED = {
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "{ge:g} or more",
    "less_than": "less than {lt:g}",
    "less_than_equal": "{le:g} or less",
    "string_type": "text",
    "string_unicode": "text of whole characters",
    "string_too_short": "at least {min_length} letters",
    "string_too_long": "at most {max_length} letters",
    "too_short": "at least {min_length} in the list",
    "too_long": "at most {max_length} in the list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "json_invalid": "JSON",
}
"""What should have been there, by the kind of the error."""


def describe_validation_error(error: ValidationError) -> str:
    """Return what is wrong first, and where."""
    first, more = error.errors()[0], error.error_count() - 1
    parts = (f"[{part}]" if isinstance(part, int) else f".{shorten(part)}" for part in first["loc"])
    where = "".join(parts).lstrip(".")
    match first["type"]:
        case "extra_forbidden":
            what = "this key is not known here"
        case "missing":
            what = "this key is missing"
        case "value_error":
            what = str(first["ctx"]["error"])
        case "literal_error":
            what = f"expected {first['ctx']['expected']}, not {_describe_value(first['input'])}"
        case "union_tag_invalid":
            what = f"nothing is called {_describe_value(first['ctx']['tag'])} here"
        case "finite_number":
            what = f"expected a finite number, not {first['input']}"
        case kind if kind in _EXPECTED:
            what = f"expected {_EXPECTED[kind].format(**first.get('ctx', {}))}, not {_describe_value(first['input'])}"
        case _:
            what = f"{first['msg'][0].lower()}{first['msg'][1:_SAID]}, not {_describe_value(first['input'])}"
    return ": ".join(part for part in (where, what) if part) + (f" (and {more} more)" if more else "")


def _describe_value(value: object) -> str:
    """Return what stands in a file where something else was expected, in few words."""
    match value:
        case dict():
            return "an object"
        case tuple() | list():
            return f"a list of {len(value)}"
        case _:
            return repr(shorten(str(value)))


def shorten(text: str) -> str:
    """Return what stands in a file as a sentence can hold it."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
