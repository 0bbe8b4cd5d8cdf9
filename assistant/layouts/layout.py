"""The layout file (`overtable.layout/1`): terrain features, objective markers and deployment zones of one table.

A feature is placed from a template or has an outline of its own.  Where a layout is symmetric half of it is written,
and `placing` makes the other half.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from assistant.errors import BadInput
from assistant.files.documents import Degrees, Format, Id, Length, Place, check, read_json, write_version
from assistant.game.limits import MOST_MARKERS, MOST_TERRAIN, Height, TerrainOutline, check_thickness
from assistant.game.situation_file import ObjectiveForm, TableForm, Words
from assistant.geometry.shapes.base_shapes import check_outline
from assistant.layouts.templates import TEMPLATES
from assistant.overlay.terrain_kinds import KINDS

MOST_FEATURES, MOST_PARTS = 200, 60
"""Of a layout, and of one feature."""
Symmetry = Literal["half-turn", "left-right", "near-far", "none"]
Sizes = tuple[Length, Length]


class PartForm(Format):
    """A wall, a floor or another part of a feature, in the feature's own frame."""

    name: Id
    outline_mm: TerrainOutline
    height_mm: Height = 0.0
    traits: Words | None = Field(default=None, description="as the rulebook has them for its name, if left out")

    @model_validator(mode="after")
    def _check_outline(self) -> Self:
        check_outline(self.outline_mm)
        check_thickness(self.outline_mm)
        return self


class FeatureForm(Format):
    """A terrain feature: a template or an outline, and where it stands."""

    id: Id
    template: Id | None = Field(default=None, description="one of those that are known")
    size_mm: Sizes | None = Field(default=None, description="length and width of a template, if not its usual ones")
    outline_mm: TerrainOutline | None = Field(default=None, description="of its own, in its own frame")
    parts: Annotated[tuple[PartForm, ...], Field(max_length=MOST_PARTS)] = ()
    x_mm: Place = 0.0
    y_mm: Place = 0.0
    facing_deg: Degrees = 0.0
    mirrored: bool = Field(default=False, description="as in a mirror along its own length")
    height_mm: Height | None = Field(
        default=None, description="of an outline; or of a template's highest part, and the others follow"
    )
    kind: Id | None = Field(default=None, description="what an outline is made of, such as woods")
    traits: Words | None = Field(
        default=None, description="of an outline, or of all parts of a template; without them as the rulebook has them"
    )

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (self.template is None) == (self.outline_mm is None):
            raise ValueError("expected either a template or an outline_mm, and not both")
        if self.template is not None:
            if self.template not in TEMPLATES:
                raise ValueError(f"there is no template {self.template!r}; expected one of {', '.join(TEMPLATES)}")
            if not {"x_mm", "y_mm"} <= self.model_fields_set:
                raise ValueError("a template stands somewhere: give x_mm and y_mm, where its middle is")
            if self.kind is not None:
                raise ValueError("a template says itself what it is made of: leave kind out, or give an outline_mm")
            if self.parts:
                raise ValueError("a template brings its own parts: leave parts out, or give an outline_mm")
            TEMPLATES[self.template].check_size(self.size_mm)
        else:
            assert self.outline_mm is not None
            if self.size_mm is not None:
                raise ValueError("size_mm is a template's; an outline_mm has its size already")
            if self.kind not in (None, *KINDS):
                raise ValueError(f"there is no kind {self.kind!r}; expected one of {', '.join(KINDS)}")
            check_outline(self.outline_mm)
            check_thickness(self.outline_mm)
        return self


class SideForm(Format):
    """A deployment zone."""

    id: Id
    side: Literal[1, 2, 3, 4] = Field(description="whose: 1 is the first player")
    outline_mm: TerrainOutline

    @model_validator(mode="after")
    def _check_outline(self) -> Self:
        check_outline(self.outline_mm)
        return self


class Layout(Format):
    """A table's terrain and mission."""

    name: ClassVar[str] = "overtable.layout/1"

    format: Literal["overtable.layout/1"]
    title: Id
    rulebook: Id | None = Field(default=None, description="for whose games it was made; any may be played on it")
    credit: Annotated[str, Field(max_length=300)] = Field(default="", description="whose it is")
    table: TableForm
    symmetry: Symmetry = Field(default="none", description="how the half that is not written follows")
    features: Annotated[tuple[FeatureForm, ...], Field(max_length=MOST_FEATURES)] = ()
    objectives: Annotated[tuple[ObjectiveForm, ...], Field(max_length=MOST_MARKERS)] = ()
    deployment: Annotated[tuple[SideForm, ...], Field(max_length=MOST_MARKERS)] = ()

    @model_validator(mode="after")
    def _check_ids(self) -> Self:
        first: dict[str, str] = {}
        for place, known in self._list_ids():
            if known in first:
                raise ValueError(f"{place}: the id {known!r} is already used at {first[known]}; expected another")
            first[known] = place
        pieces = sum(1 + max(len(one.parts), _count_parts(one)) for one in self.features)
        most = MOST_TERRAIN // (1 if self.symmetry == "none" else 2)
        if pieces > most:
            raise ValueError(f"features: expected at most {most} pieces in all, with walls and floors, not {pieces}")
        return self

    def _list_ids(self) -> Iterator[tuple[str, str]]:
        yield from ((f"features[{at}].id", form.id) for at, form in enumerate(self.features))
        yield from ((f"objectives[{at}].id", form.id) for at, form in enumerate(self.objectives))
        yield from ((f"deployment[{at}].id", form.id) for at, form in enumerate(self.deployment))


def _count_parts(feature: FeatureForm) -> int:
    return len(TEMPLATES[feature.template].build(feature.size_mm)) if feature.template else 0


def read_layout(path: Path) -> Layout:
    """Read a layout file.

    Raises:
        BadInput: one sentence that names the file, the place in it and what was expected.

    """
    return read_json(path, Layout)


def parse_layout(data: object, name: str) -> Layout:
    """Return the layout in a JSON document read from the thing called ``name``; errors as in `read_layout`."""
    return check(data, Layout, name)


def encode_layout(layout: Layout) -> dict[str, Any]:
    """Return a layout as a JSON document, without what has its usual value."""
    return {"format": Layout.name, **layout.model_dump(mode="json", exclude_defaults=True)}


def write_layout(path: Path, layout: Layout) -> Path | None:
    """Write a layout file; return where another version is kept that was there before, None if there was none.

    Raises:
        BadInput: it cannot be written there.

    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{path.parent}: this folder cannot be made ({error.strerror})") from None
    return write_version(path, (json.dumps(encode_layout(layout), indent=1, ensure_ascii=False) + "\n").encode())
