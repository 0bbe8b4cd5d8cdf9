"""What a person has entered in the set-up wizard, as it was entered, right or wrong (`overtable.draft/1`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue

from assistant.errors import BadInput
from assistant.files import Format, read_json, write_whole
from assistant.setup import BaseSection, Setup

FILE = "draft.json"
MOST = 2000
"""Entries; three for each of all tags there are would be fewer."""
NAMES = frozenset(
    {
        "source",
        "unit",
        "width",
        "depth",
        "anchors",
        "anchor_mm",
        "paper",
        "printed",
        "ruler",
        "lens",
        "projector",
        "game",
        "game_file",
        "tag_height",
        "title",
    }
)
"""What is entered once."""
OF_ANCHOR = frozenset({"lay", "x", "y", "turn", "size"})
"""What is entered for each anchor, followed by a point and its tag, such as ``x.580``."""


def _listed(value: Any) -> Any:  # noqa: ANN401 - whatever JSON may hold
    """Return JSON as it was written: what is read from files has tuples for lists."""
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, tuple | list) else value


Text = Annotated[str, Field(max_length=500)]


class Draft(Format):
    """A draft."""

    format: Literal["overtable.draft/1"] = "overtable.draft/1"
    entries: Annotated[dict[str, Text], Field(max_length=MOST)] = Field(
        default={}, description="what was entered, by name; an entry that is missing has its usual value"
    )
    shelved: tuple[BaseSection, ...] = Field(
        default=(), description="enrolments of models that are in no army now; they count again when their model is"
    )
    rooms: dict[str, Annotated[JsonValue, BeforeValidator(_listed)]] = Field(
        default={}, description="what other parts of the wizard keep, by part"
    )

    def entered(self, values: Mapping[str, str]) -> "Draft":
        """Return the draft with some entries made; an empty text takes an entry back.

        Raises:
            BadInput: there is no entry of that name.

        """
        for name in values:
            kind, point, tag = name.partition(".")
            if not (name in NAMES or (point and kind in OF_ANCHOR and tag.isdecimal())):
                raise BadInput(f"the set-up has no entry {name!r}")
        together = {**self.entries, **{name: text.strip() for name, text in values.items()}}
        return self.model_copy(update={"entries": {name: text for name, text in together.items() if text}})

    def keeping(self, room: str, value: JsonValue) -> "Draft":
        """Return the draft with what another part of the wizard keeps."""
        return self.model_copy(update={"rooms": {**self.rooms, room: value}})


def read_draft(folder: Path) -> Draft:
    """Return the draft in a folder; an empty one where there is none.

    Raises:
        BadInput: what is there is no draft; one sentence says where.

    """
    path = folder / FILE
    return read_json(path, Draft) if path.exists() else Draft()


def write_draft(folder: Path, draft: Draft) -> None:
    """Write a draft whole.

    Raises:
        BadInput: it cannot be written there.

    """
    write_whole(folder / FILE, (draft.model_dump_json(indent=1) + "\n").encode())


def entries_of(setup: Setup) -> dict[str, str]:
    """Return what would have been entered for a set-up that somebody has written by hand."""
    first = setup.anchors[0]
    said: dict[str, Any] = {
        "source": setup.camera.source,
        "unit": "mm",
        "width": setup.table.width_mm,
        "depth": setup.table.depth_mm,
        "anchors": ",".join(str(anchor.tag) for anchor in setup.anchors),
        "anchor_mm": first.size_mm,
    }
    for anchor in setup.anchors:
        said[f"lay.{anchor.tag}"] = "measured" if anchor.x_mm is not None else anchor.corner or "anywhere"
        said[f"x.{anchor.tag}"] = anchor.x_mm
        said[f"y.{anchor.tag}"] = anchor.y_mm
        said[f"turn.{anchor.tag}"] = anchor.facing_deg
        said[f"size.{anchor.tag}"] = None if anchor.size_mm == first.size_mm else anchor.size_mm
    return {
        name: f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in said.items()
        if value is not None
    }
