"""The draft of a set-up: what a person entered in the wizard, right or wrong (`overtable.draft/1`), and what it says.

Reading the entries gives the table, its camera and its anchors, and a sentence for each entry that is not understood.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, JsonValue

from assistant.errors import BadInput
from assistant.files.documents import Format, read_json, write_atomically
from assistant.setup.bases import BaseSection
from assistant.setup.file import AnchorSection, Setup
from calibration.table.anchor_layout import Corner
from hardware.printing.page import RIM, RULER_MM
from hardware.printing.sheets import ENROLMENT_TAGS
from hardware.tag36h11 import COUNT

DRAFT_FILE = "draft.json"
MOST_ENTRIES = 2000
"""Entries; three for each of all tags there are would be fewer."""
ENTRY_NAMES = frozenset(
    {
        "source",
        "unit",
        "width",
        "depth",
        "anchors",
        "anchor_mm",
        "paper",
        "printed",
        "marked",
        "ruler",
        "lens",
        "projector",
        "game",
        "game_file",
        "layout",
        "tag_height",
        "title",
    }
)
"""What is entered once."""
ANCHOR_ENTRY_NAMES = frozenset({"lay", "x", "y", "turn", "size"})
"""What is entered for each anchor, followed by a point and its tag, such as ``x.580``."""
KIND_ENTRY_NAMES = frozenset({"marker", "high"})
"""What is entered for each kind of base, followed by a point and its name, such as ``marker.round:32``."""


def tuples_to_lists(value: Any) -> Any:  # noqa: ANN401 - whatever JSON may hold
    """Return JSON as it was written: what is read from files has tuples for lists."""
    if isinstance(value, dict):
        return {key: tuples_to_lists(part) for key, part in value.items()}
    return [tuples_to_lists(part) for part in value] if isinstance(value, tuple | list) else value


EntryText = Annotated[str, Field(max_length=500)]


class SetupDraft(Format):
    """A draft."""

    format: Literal["overtable.draft/1"] = "overtable.draft/1"
    entries: Annotated[dict[str, EntryText], Field(max_length=MOST_ENTRIES)] = Field(
        default={}, description="what was entered, by name; an entry that is missing has its usual value"
    )
    shelved: tuple[BaseSection, ...] = Field(
        default=(), description="enrolments of models that are in no army now; they count again when their model is"
    )
    rooms: dict[str, Annotated[JsonValue, BeforeValidator(tuples_to_lists)]] = Field(
        default={}, description="what other parts of the wizard keep, by part"
    )

    def enter(self, values: Mapping[str, str]) -> "SetupDraft":
        """Return the draft with some entries made; an empty text takes an entry back.

        Raises:
            BadInput: there is no entry of that name.

        """
        for name in values:
            entry, _, of = name.partition(".")
            is_of_one = (entry in ANCHOR_ENTRY_NAMES and of.isdecimal()) or (entry in KIND_ENTRY_NAMES and of)
            if not (name in ENTRY_NAMES or is_of_one):
                raise BadInput(f"the set-up has no entry {name!r}")
        together = {**self.entries, **{name: text.strip() for name, text in values.items()}}
        return self.model_copy(update={"entries": {name: text for name, text in together.items() if text}})

    def keep_room(self, room: str, value: JsonValue) -> "SetupDraft":
        """Return the draft with what another part of the wizard keeps."""
        return self.model_copy(update={"rooms": {**self.rooms, room: value}})


def read_draft(folder: Path) -> SetupDraft:
    """Return the draft in a folder; an empty one where there is none.

    Raises:
        BadInput: what is there is no draft; one sentence says where.

    """
    path = folder / DRAFT_FILE
    return read_json(path, SetupDraft) if path.exists() else SetupDraft()


def write_draft(folder: Path, draft: SetupDraft) -> None:
    """Write a draft whole.

    Raises:
        BadInput: it cannot be written there.

    """
    write_atomically(folder / DRAFT_FILE, (draft.model_dump_json(indent=1) + "\n").encode())


def entries_from_setup(setup: Setup) -> dict[str, str]:
    """Return what would have been entered for a set-up that somebody has written by hand."""
    first = setup.anchors[0]
    values: dict[str, Any] = {
        "source": setup.camera.source,
        "unit": "mm",
        "width": setup.table.width_mm,
        "depth": setup.table.depth_mm,
        "anchors": ",".join(str(anchor.tag) for anchor in setup.anchors),
        "anchor_mm": first.size_mm,
    }
    for anchor in setup.anchors:
        values[f"lay.{anchor.tag}"] = "measured" if anchor.x_mm is not None else anchor.corner or "anywhere"
        values[f"x.{anchor.tag}"] = anchor.x_mm
        values[f"y.{anchor.tag}"] = anchor.y_mm
        values[f"turn.{anchor.tag}"] = anchor.facing_deg
        values[f"size.{anchor.tag}"] = None if anchor.size_mm == first.size_mm else anchor.size_mm
    return {
        name: f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in values.items()
        if value is not None
    }


UNIT_MM = {"in": 25.4, "cm": 10.0, "mm": 1.0}
UNIT_WORD = {"in": "inches", "cm": "centimetres", "mm": "millimetres"}
ANCHORS = "580-585"
"""The anchors where nothing else was entered: one in each corner, two in the middles of the long edges."""
ANCHOR_MM = 40.0
TAG_HEIGHT_MM = 4.0
LEAST_MM, LARGEST_MM = 200.0, 10_000.0
"""A table's edge."""
EDGE_MM = 60.0
"""From a table's edges to the centre of an anchor, where nobody says otherwise."""
MOST_STRETCH = 0.06
"""By which share a printer may stretch a sheet before it is told from a slip of the pen."""
FINE_STRETCH = 0.005
MOST_ANCHORS = 40
HIGHEST_MM = 1000
"""Of a tag above what its base stands on."""
OFF_TABLE_MM = 1000.0
"""An anchor may lie beside the table, but no farther off than this."""
CORNERS: tuple[Corner, ...] = get_args(Corner)
MEASURED, ANYWHERE = "measured", "anywhere"
WAYS = (MEASURED, *CORNERS, ANYWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReading:
    """What was understood; what was not has a sentence by the entry's name."""

    source: str
    width_mm: float | None
    depth_mm: float | None
    ids: tuple[int, ...]
    anchors: tuple[AnchorSection, ...]
    """Empty where one of them was not understood."""
    stretch: float
    """How much larger than meant everything is printed."""
    tag_height_mm: float
    """Of tags and rims above what their bases stand on: of the bases."""
    markers: Mapping[str, str]
    """What is to mark bases, by kind of base, as it was entered."""
    heights_mm: Mapping[str, float]
    """Of tags that are on a roof, by kind of base."""
    wrong: Mapping[str, str] = field(default_factory=dict)

    @property
    def table_mm(self) -> tuple[float, float] | None:
        """Width and depth of the table, where both are known."""
        if self.width_mm is None or self.depth_mm is None:
            return None
        return self.width_mm, self.depth_mm

    @property
    def is_complete(self) -> bool:
        """Whether it makes a set-up."""
        return bool(self.source and self.table_mm and self.anchors)


def read_draft_entries(entries: Mapping[str, str]) -> DraftReading:
    """Return what some entries say; this never fails, whatever was entered."""
    return _EntryReader(entries).read()


def place_usual_anchors(tags: tuple[int, ...], width_mm: float, depth_mm: float) -> dict[int, tuple[float, float]]:
    """Return where anchors are to be laid: in the corners first, then along the edges, the long ones first."""
    near, far, left, right = EDGE_MM, depth_mm - EDGE_MM, EDGE_MM, width_mm - EDGE_MM
    spots = [(left, near), (right, near), (right, far), (left, far)]
    middle_x, middle_y = width_mm / 2, depth_mm / 2
    across, along = [(middle_x, near), (middle_x, far)], [(left, middle_y), (right, middle_y)]
    spots += [*across, *along] if width_mm >= depth_mm else [*along, *across]
    more = max(len(tags) - len(spots), 0)
    spots += [(left + (right - left) * (i + 1) / (more + 1), middle_y) for i in range(more)]
    return dict(zip(tags, spots[: len(tags)], strict=True))


def lay_out_anchors(anchors: tuple[AnchorSection, ...], width_mm: float, depth_mm: float) -> tuple[AnchorSection, ...]:
    """Return anchors with a place each, where a careful person would have laid them as they are said to lie."""
    usual = place_usual_anchors(tuple(anchor.tag for anchor in anchors), width_mm, depth_mm)
    return tuple(_place_anchor(anchor, usual[anchor.tag], width_mm, depth_mm) for anchor in anchors)


def _place_anchor(
    anchor: AnchorSection, usual_mm: tuple[float, float], width_mm: float, depth_mm: float
) -> AnchorSection:
    if anchor.x_mm is not None:
        return anchor
    x_mm, y_mm = usual_mm
    if anchor.corner is not None:
        inset_mm = RIM * anchor.size_mm / 2
        x_mm = inset_mm if anchor.corner.endswith("left") else width_mm - inset_mm
        y_mm = inset_mm if anchor.corner.startswith("near") else depth_mm - inset_mm
    facing_deg = anchor.facing_deg or 0.0
    return AnchorSection(tag=anchor.tag, x_mm=x_mm, y_mm=y_mm, facing_deg=facing_deg, size_mm=anchor.size_mm)


def parse_tags(text: str) -> Iterator[int]:
    """Yield the tags of a list such as ``580-583, 590``.

    Raises:
        BadInput: a part of it is neither an id nor a range, or no tag of the family.

    """
    for part in text.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not (first.isdecimal() and (last.isdecimal() if dash else True)):
            raise BadInput(f"{part.strip()!r} is neither an id nor a range such as 0-39")
        low, high = int(first), int(last or first)
        if not low <= high < COUNT:
            raise BadInput(f"{part.strip()!r} is not within 0 to {COUNT - 1}, the ids of tag36h11")
        yield from range(low, high + 1)


class _EntryReader:
    """Reads entries, and keeps a sentence for each that it does not understand."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._entries = entries
        self._wrong: dict[str, str] = {}
        self._table_mm: tuple[float, float] | None = None

    def read(self) -> DraftReading:
        entries, wrong = self._entries, self._wrong
        unit = entries.get("unit", "in")
        if unit not in UNIT_MM:
            wrong["unit"] = f"Unit: expected one of {', '.join(UNIT_MM)}, not {unit!r}."
            unit = "in"
        width_mm, depth_mm = self._read_edge("width", unit), self._read_edge("depth", unit)
        if width_mm is not None and depth_mm is not None:
            self._table_mm = (width_mm, depth_mm)
        stretch, ids = self._read_stretch(), self._read_ids()
        usual_mm = place_usual_anchors(ids, *self._table_mm) if self._table_mm else {}
        size_mm = self._read_size("anchor_mm", "Size of the anchors", ANCHOR_MM)
        anchors = [
            self._read_anchor(
                tag, round(stretch * self._read_size(f"size.{tag}", f"Size of anchor {tag}", size_mm), 3), usual_mm
            )
            for tag in ids
        ]
        known = [anchor for anchor in anchors if anchor is not None]
        height_mm = self._read_height_mm("tag_height", "Height of the bases")
        roofs_mm = {
            kind: self._read_height_mm(f"high.{kind}", f"Height of the tags on {kind}")
            for kind, _ in self._iterate_kinds("high")
        }
        return DraftReading(
            source=entries.get("source", ""),
            width_mm=width_mm,
            depth_mm=depth_mm,
            ids=ids,
            anchors=tuple(known) if len(known) == len(anchors) else (),
            stretch=stretch,
            tag_height_mm=TAG_HEIGHT_MM if height_mm is None else height_mm,
            markers=dict(self._iterate_kinds("marker")),
            heights_mm={kind: mm for kind, mm in roofs_mm.items() if mm is not None},
            wrong=wrong,
        )

    def _read_number(self, name: str, words: str, expected: str) -> float | None:
        """Return a number as people write it, with a point or a comma; None where there is none."""
        text = self._entries.get(name, "")
        if re.fullmatch(r"-?\d{1,6}([.,]\d{0,6})?", text):
            return float(text.replace(",", "."))
        if text:
            self._wrong[name] = f"{words}: expected {expected}, not {text!r}."
        return None

    def _read_edge(self, name: str, unit: str) -> float | None:
        words = f"{name.capitalize()} of the table"
        number = self._read_number(
            name, words, f"a number of {UNIT_WORD[unit]}, such as {40 * 25.4 / UNIT_MM[unit]:.0f}"
        )
        if number is None:
            return None
        edge_mm = round(number * UNIT_MM[unit], 3)
        if LEAST_MM <= edge_mm <= LARGEST_MM:
            return edge_mm
        least, largest = (limit / UNIT_MM[unit] for limit in (LEAST_MM, LARGEST_MM))
        expectation = f"expected from {least:.0f} to {largest:.0f} {UNIT_WORD[unit]}, not {self._entries[name]}"
        self._wrong[name] = f"{words}: {expectation}."
        return None

    def _read_stretch(self) -> float:
        ruler_mm = self._read_number("ruler", "The ruler’s length", f"a number of millimetres, about {RULER_MM}")
        if ruler_mm is None:
            return 1.0
        if abs(ruler_mm / RULER_MM - 1) <= MOST_STRETCH:
            return ruler_mm / RULER_MM
        advice = "print again at 100 %, not fitted to the page"
        self._wrong["ruler"] = f"The ruler’s length: expected about {RULER_MM} mm, not {ruler_mm:g}; {advice}."
        return 1.0

    def _iterate_kinds(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield what was entered for each kind of base."""
        for key, text in self._entries.items():
            entry, _, kind = key.partition(".")
            if entry == name:
                yield kind, text

    def _read_height_mm(self, name: str, words: str) -> float | None:
        height_mm = self._read_number(name, words, "a number of millimetres, such as 4")
        if height_mm is None or 0 <= height_mm <= HIGHEST_MM:
            return height_mm
        self._wrong[name] = f"{words}: expected from 0 to {HIGHEST_MM} mm, not {height_mm:g}."
        return None

    def _read_size(self, name: str, words: str, usual_mm: float) -> float:
        size_mm = self._read_number(name, words, "the edge of the black square in millimetres, such as 40")
        if size_mm is None:
            return usual_mm
        if 5 <= size_mm <= 200:
            return size_mm
        self._wrong[name] = f"{words}: expected from 5 to 200 mm, not {size_mm:g}."
        return usual_mm

    def _read_ids(self) -> tuple[int, ...]:
        try:
            tags = tuple(dict.fromkeys(parse_tags(self._entries.get("anchors", ANCHORS))))
        except BadInput as error:
            self._wrong["anchors"] = f"Anchors: {error}."
            return ()
        if ring := ENROLMENT_TAGS & set(tags):
            problem = f"tag {min(ring)} is one of the enrolment sheets’; take others, such as {ANCHORS}"
        elif len(tags) > MOST_ANCHORS:
            problem = f"expected {MOST_ANCHORS} at the most, not {len(tags)}"
        else:
            return tags
        self._wrong["anchors"] = f"Anchors: {problem}."
        return ()

    def _read_anchor(
        self, tag: int, size_mm: float, usual_mm: Mapping[int, tuple[float, float]]
    ) -> AnchorSection | None:
        """Return an anchor; None where it was not understood, or its place needs the table's size."""
        way = self._entries.get(f"lay.{tag}", MEASURED)
        turn_deg = self._read_number(f"turn.{tag}", f"Anchor {tag}, turn", "a number of degrees")
        if way == ANYWHERE:
            return AnchorSection(tag=tag, size_mm=size_mm)
        if corner := next((corner for corner in CORNERS if corner == way), None):
            turned = None if turn_deg is None or turn_deg % 90 else turn_deg
            return AnchorSection(tag=tag, corner=corner, facing_deg=turned, size_mm=size_mm)
        if way != MEASURED:
            self._wrong[f"lay.{tag}"] = f"Anchor {tag}: expected one of {', '.join(WAYS)}, not {way!r}."
            return None
        if self._table_mm is None:
            return None
        place = [self._read_place(tag, axis, self._table_mm["xy".index(axis)]) for axis in "xy"]
        x_mm, y_mm = (usual if mm is None else mm for mm, usual in zip(place, usual_mm[tag], strict=True))
        if any(f"{axis}.{tag}" in self._wrong for axis in "xy"):
            return None
        return AnchorSection(tag=tag, x_mm=x_mm, y_mm=y_mm, facing_deg=turn_deg or 0.0, size_mm=size_mm)

    def _read_place(self, tag: int, axis: str, edge_mm: float) -> float | None:
        name, words = f"{axis}.{tag}", f"Anchor {tag}, {axis}"
        mm = self._read_number(name, words, "a number of millimetres")
        if mm is not None and not -OFF_TABLE_MM <= mm <= edge_mm + OFF_TABLE_MM:
            self._wrong[name] = f"{words}: {mm:g} mm is far off the table; expected from 0 to {edge_mm:g}."
        return mm
