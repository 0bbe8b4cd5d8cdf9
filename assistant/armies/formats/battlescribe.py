"""BattleScribe rosters (``.ros``, XML) and packed ones (``.rosz``, a zip with one roster in it)."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePath
from xml.parsers import expat

from assistant.armies.formats.army_format import MOST_BYTES, ArmyFormat, ArmyReading, check_content, check_size
from assistant.armies.formats.roster_reading import read_roster_tree
from assistant.armies.roster_tree import DEEPEST
from assistant.errors import BadInput
from assistant.files.documents import shorten
from assistant.rules.rulebook import Rulebook

PACKED = b"PK"
LISTS = frozenset(
    {
        "forces",
        "selections",
        "profiles",
        "categories",
        "costs",
        "characteristics",
        "costLimits",
        "rules",
        "publications",
    }
)
"""Elements that hold others of one kind."""
MOST_ELEMENTS = 150_000
"""Of a file; a large roster has ten thousand."""


def read_battlescribe(data: bytes, name: str, book: Rulebook | None) -> ArmyReading:
    """Return the army in a roster, packed or not; errors as in `ArmyReader`."""
    return read_roster_tree(parse_xml(_unpack(data, name) if data.startswith(PACKED) else data, name), name, book)


def _unpack(data: bytes, name: str) -> bytes:
    """Return the one roster that is packed in a file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed, packed.open(_find_roster(packed, name)) as file:
            content = file.read(MOST_BYTES + 1)
    except BadInput:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError):
        raise BadInput(f"{name}: it is no whole zip file, as a packed roster is") from None
    check_size(content, name)
    return content


def _find_roster(packed: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return the one roster in a zip; BadInput if there are others, or it is locked."""
    files = [entry for entry in packed.infolist() if not entry.filename.endswith("/")]
    named = [entry for entry in files if PurePath(entry.filename).suffix.lower() == ".ros"]
    rosters = named or files[: len(files) == 1]
    if len(rosters) != 1:
        raise BadInput(f"{name}: {len(rosters) or 'no'} rosters are packed in it; expected one")
    if rosters[0].flag_bits & 1:
        raise BadInput(f"{name}: it is locked with a password; save the list without one")
    return rosters[0]


class _Reader:
    """Turns the events of a parser into plain data; all in it is bounded."""

    def __init__(self, name: str) -> None:
        self.root: dict[str, object] = {}
        self._name = name
        self._open: list[tuple[str, dict[str, object]]] = [("", self.root)]
        self._count = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._count += 1
        if self._count > MOST_ELEMENTS or len(self._open) > 4 * DEEPEST:
            raise BadInput(f"{self._name}: it has more in it, or deeper, than any roster")
        parent = self._open[-1][1]
        if tag in LISTS:
            self._open.append((tag, parent))
            return
        element: dict[str, object] = dict(attributes)
        siblings = parent.setdefault(self._open[-1][0], [])
        if isinstance(siblings, list):
            siblings.append(element)
        self._open.append(("$other", element))

    def end(self, _tag: str) -> None:
        self._open.pop()

    def text(self, text: str) -> None:
        kind, element = self._open[-1]
        if kind == "$other" and text.strip():
            element["$text"] = f"{element.get('$text', '')}{text}"

    def refuse(self, *_declaration: object) -> None:
        raise BadInput(f"{self._name}: it declares XML of its own (DOCTYPE), which no roster does; it is not read")


def parse_xml(data: bytes, name: str) -> object:
    """Return the roster in XML as plain data, as New Recruit writes it.

    Raises:
        BadInput: it is not whole XML, declares entities, or has more in it than any roster.

    """
    check_content(data, name)
    reader = _Reader(name)
    parser = expat.ParserCreate(namespace_separator=None)
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    try:
        parser.Parse(data, True)
    except BadInput:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise BadInput(f"{name}: this is not a whole roster in XML: {shorten(str(error))}") from None
    found = reader.root.get("")
    return found[0] if isinstance(found, list) and found else None


def _recognises(data: bytes) -> bool:
    if data.startswith(PACKED):
        return True
    start = data[:4000].replace(b"\0", b"")
    return b"<roster" in start or (b"<?xml" in start and b"battlescribe" in start)


FORMAT = ArmyFormat(name="battlescribe", read=read_battlescribe, suffixes=(".ros", ".rosz"), recognises=_recognises)
