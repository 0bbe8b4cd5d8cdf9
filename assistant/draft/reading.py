"""What the entries of a draft say: the table, its camera and its anchors, and what of it cannot be understood."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import get_args

from assistant.errors import BadInput
from assistant.setup import AnchorSection
from calibration.places import Corner
from hardware.print.enrol import RING_TAGS
from hardware.print.parts import RIM, RULER_MM
from hardware.tag36h11 import COUNT

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
class Reading:
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
    wrong: Mapping[str, str] = field(default_factory=dict)

    @property
    def table_mm(self) -> tuple[float, float] | None:
        """Width and depth of the table, where both are known."""
        if self.width_mm is None or self.depth_mm is None:
            return None
        return self.width_mm, self.depth_mm

    @property
    def whole(self) -> bool:
        """Whether it makes a set-up."""
        return bool(self.source and self.table_mm and self.anchors)


def read_entries(entries: Mapping[str, str]) -> Reading:
    """Return what some entries say; this never fails, whatever was entered."""
    return _Reader(entries).reading()


def placed_usually(tags: tuple[int, ...], width_mm: float, depth_mm: float) -> dict[int, tuple[float, float]]:
    """Return where anchors are to be laid: in the corners first, then along the edges, the long ones first."""
    near, far, left, right = EDGE_MM, depth_mm - EDGE_MM, EDGE_MM, width_mm - EDGE_MM
    spots = [(left, near), (right, near), (right, far), (left, far)]
    middle_x, middle_y = width_mm / 2, depth_mm / 2
    across, along = [(middle_x, near), (middle_x, far)], [(left, middle_y), (right, middle_y)]
    spots += [*across, *along] if width_mm >= depth_mm else [*along, *across]
    more = max(len(tags) - len(spots), 0)
    spots += [(left + (right - left) * (i + 1) / (more + 1), middle_y) for i in range(more)]
    return dict(zip(tags, spots[: len(tags)], strict=True))


def laid_out(anchors: tuple[AnchorSection, ...], width_mm: float, depth_mm: float) -> tuple[AnchorSection, ...]:
    """Return anchors with a place each, where a careful person would have laid them as they are said to lie."""
    usual = placed_usually(tuple(anchor.tag for anchor in anchors), width_mm, depth_mm)
    return tuple(_at_a_place(anchor, usual[anchor.tag], width_mm, depth_mm) for anchor in anchors)


def _at_a_place(
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


def tags_in(text: str) -> Iterator[int]:
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


class _Reader:
    """Reads entries, and keeps a sentence for each that it does not understand."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._entries = entries
        self._wrong: dict[str, str] = {}
        self._table_mm: tuple[float, float] | None = None

    def reading(self) -> Reading:
        entries, wrong = self._entries, self._wrong
        unit = entries.get("unit", "in")
        if unit not in UNIT_MM:
            wrong["unit"] = f"Unit: expected one of {', '.join(UNIT_MM)}, not {unit!r}."
            unit = "in"
        width_mm, depth_mm = self._edge("width", unit), self._edge("depth", unit)
        if width_mm is not None and depth_mm is not None:
            self._table_mm = (width_mm, depth_mm)
        stretch, ids = self._stretch(), self._ids()
        usual_mm = placed_usually(ids, *self._table_mm) if self._table_mm else {}
        size_mm = self._size("anchor_mm", "Size of the anchors", ANCHOR_MM)
        anchors = [
            self._anchor(tag, round(stretch * self._size(f"size.{tag}", f"Size of anchor {tag}", size_mm), 3), usual_mm)
            for tag in ids
        ]
        known = [anchor for anchor in anchors if anchor is not None]
        return Reading(
            source=entries.get("source", ""),
            width_mm=width_mm,
            depth_mm=depth_mm,
            ids=ids,
            anchors=tuple(known) if len(known) == len(anchors) else (),
            stretch=stretch,
            tag_height_mm=self._tag_height_mm(),
            wrong=wrong,
        )

    def _number(self, name: str, words: str, expected: str) -> float | None:
        """Return a number as people write it, with a point or a comma; None where there is none."""
        text = self._entries.get(name, "")
        if re.fullmatch(r"-?\d{1,6}([.,]\d{0,6})?", text):
            return float(text.replace(",", "."))
        if text:
            self._wrong[name] = f"{words}: expected {expected}, not {text!r}."
        return None

    def _edge(self, name: str, unit: str) -> float | None:
        words = f"{name.capitalize()} of the table"
        number = self._number(name, words, f"a number of {UNIT_WORD[unit]}, such as {40 * 25.4 / UNIT_MM[unit]:.0f}")
        if number is None:
            return None
        edge_mm = round(number * UNIT_MM[unit], 3)
        if LEAST_MM <= edge_mm <= LARGEST_MM:
            return edge_mm
        least, largest = (limit / UNIT_MM[unit] for limit in (LEAST_MM, LARGEST_MM))
        said = f"expected from {least:.0f} to {largest:.0f} {UNIT_WORD[unit]}, not {self._entries[name]}"
        self._wrong[name] = f"{words}: {said}."
        return None

    def _stretch(self) -> float:
        ruler_mm = self._number("ruler", "The ruler’s length", f"a number of millimetres, about {RULER_MM}")
        if ruler_mm is None:
            return 1.0
        if abs(ruler_mm / RULER_MM - 1) <= MOST_STRETCH:
            return ruler_mm / RULER_MM
        advice = "print again at 100 %, not fitted to the page"
        self._wrong["ruler"] = f"The ruler’s length: expected about {RULER_MM} mm, not {ruler_mm:g}; {advice}."
        return 1.0

    def _tag_height_mm(self) -> float:
        height_mm = self._number("tag_height", "Height of the tags", "a number of millimetres, such as 4")
        if height_mm is None:
            return TAG_HEIGHT_MM
        if 0 <= height_mm <= HIGHEST_MM:
            return height_mm
        self._wrong["tag_height"] = f"Height of the tags: expected from 0 to {HIGHEST_MM} mm, not {height_mm:g}."
        return TAG_HEIGHT_MM

    def _size(self, name: str, words: str, usual_mm: float) -> float:
        size_mm = self._number(name, words, "the edge of the black square in millimetres, such as 40")
        if size_mm is None:
            return usual_mm
        if 5 <= size_mm <= 200:
            return size_mm
        self._wrong[name] = f"{words}: expected from 5 to 200 mm, not {size_mm:g}."
        return usual_mm

    def _ids(self) -> tuple[int, ...]:
        try:
            found = tuple(dict.fromkeys(tags_in(self._entries.get("anchors", ANCHORS))))
        except BadInput as error:
            self._wrong["anchors"] = f"Anchors: {error}."
            return ()
        if ring := RING_TAGS & set(found):
            said = f"tag {min(ring)} is one of the enrolment sheets’; take others, such as {ANCHORS}"
        elif len(found) > MOST_ANCHORS:
            said = f"expected {MOST_ANCHORS} at the most, not {len(found)}"
        else:
            return found
        self._wrong["anchors"] = f"Anchors: {said}."
        return ()

    def _anchor(self, tag: int, size_mm: float, usual_mm: Mapping[int, tuple[float, float]]) -> AnchorSection | None:
        """Return an anchor; None where it was not understood, or its place needs the table's size."""
        way = self._entries.get(f"lay.{tag}", MEASURED)
        turn_deg = self._number(f"turn.{tag}", f"Anchor {tag}, turn", "a number of degrees")
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
        place = [self._place(tag, axis, self._table_mm["xy".index(axis)]) for axis in "xy"]
        x_mm, y_mm = (usual if mm is None else mm for mm, usual in zip(place, usual_mm[tag], strict=True))
        if any(f"{axis}.{tag}" in self._wrong for axis in "xy"):
            return None
        return AnchorSection(tag=tag, x_mm=x_mm, y_mm=y_mm, facing_deg=turn_deg or 0.0, size_mm=size_mm)

    def _place(self, tag: int, axis: str, edge_mm: float) -> float | None:
        name, words = f"{axis}.{tag}", f"Anchor {tag}, {axis}"
        mm = self._number(name, words, "a number of millimetres")
        if mm is not None and not -OFF_TABLE_MM <= mm <= edge_mm + OFF_TABLE_MM:
            self._wrong[name] = f"{words}: {mm:g} mm is far off the table; expected from 0 to {edge_mm:g}."
        return mm
