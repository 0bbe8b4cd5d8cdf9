"""The set-up file: which camera looks at which table, and which tags it will find there (`overtable.setup/1`)."""

import math
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from assistant.files import Degrees, Format, Id, Length, Place, Sigma, read_toml
from assistant.game.base import BaseSpec
from vision.locate import Anchor, Enrolled

TagId = Annotated[int, Field(ge=0, le=586)]
"""tag36h11 has 587 tags."""


class TableSection(Format):
    """The playing surface."""

    width_mm: Length
    depth_mm: Length


class CameraSection(Format):
    """Where the pictures come from."""

    source: Id
    lens: Id | None = None
    """A lens file, relative to the set-up file; without it the lens is solved from the anchors."""


class TagsSection(Format):
    """Which tags are printed."""

    family: Literal["tag36h11"] = "tag36h11"


class AnchorSection(Format):
    """A tag that is fixed on the table."""

    tag: TagId
    x_mm: Place
    y_mm: Place
    facing_deg: Degrees = 0.0
    size_mm: Length
    """Edge of the black square."""
    z_mm: Place = 0.0


class TagInBase(Format):
    """The tag's centre and turn in the base's frame."""

    x_mm: Place = 0.0
    y_mm: Place = 0.0
    facing_deg: Degrees = 0.0
    sigma_mm: Sigma = 0.0
    """One standard deviation of its place along each axis, as enrolment measured it."""
    sigma_deg: Sigma = 0.0
    """One standard deviation of its turn."""


class BaseSection(Format):
    """An enrolled model."""

    tag: TagId
    model: Id
    base: BaseSpec
    size_mm: Length
    tag_in_base: TagInBase = TagInBase()
    height_mm: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """Of the tag above what the base stands on."""
    height_sigma_mm: Sigma = 0.0
    """One standard deviation of that."""


class ProjectorSection(Format):
    """What lights the table."""

    calibration: Id | None = None
    """A projector file, relative to the set-up file; without it the projector page fits the table into its window."""


class Setup(Format):
    """A set-up file."""

    format: Literal["overtable.setup/1"]
    table: TableSection
    camera: CameraSection
    tags: TagsSection = TagsSection()
    projector: ProjectorSection = ProjectorSection()
    anchors: tuple[AnchorSection, ...] = ()
    bases: tuple[BaseSection, ...] = ()

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        if not self.anchors:
            raise ValueError("there are no [[anchors]]; at least one tag at a known place on the table is needed")
        owners: dict[int, str] = {}
        for tag, owner in [
            *((anchor.tag, "an anchor") for anchor in self.anchors),
            *((base.tag, f"model {base.model!r}") for base in self.bases),
        ]:
            if tag in owners:
                raise ValueError(f"tag {tag} is used twice, by {owners[tag]} and by {owner}; every tag is used once")
            owners[tag] = owner
        models = [base.model for base in self.bases]
        if twice := next((model for model in models if models.count(model) > 1), None):
            raise ValueError(f"model {twice!r} is enrolled twice, with different tags; give each model one tag")
        return self

    @property
    def anchor_tags(self) -> tuple[Anchor, ...]:
        """The anchors as vision takes them."""
        return tuple(
            Anchor(
                tag=a.tag,
                x_mm=a.x_mm,
                y_mm=a.y_mm,
                facing_rad=math.radians(a.facing_deg),
                size_mm=a.size_mm,
                z_mm=a.z_mm,
            )
            for a in self.anchors
        )

    @property
    def enrolled(self) -> dict[int, Enrolled]:
        """The bases as vision takes them, by tag."""
        return {
            b.tag: Enrolled(
                tag=b.tag,
                model=b.model,
                size_mm=b.size_mm,
                x_mm=b.tag_in_base.x_mm,
                y_mm=b.tag_in_base.y_mm,
                facing_rad=math.radians(b.tag_in_base.facing_deg),
                height_mm=b.height_mm,
                offset_sigma_mm=b.tag_in_base.sigma_mm,
                facing_sigma_rad=math.radians(b.tag_in_base.sigma_deg),
                height_sigma_mm=b.height_sigma_mm,
            )
            for b in self.bases
        }


def read_setup(path: Path) -> Setup:
    """Read a set-up file.

    Raises:
        BadInput: it is not there, not TOML, or does not fit; one sentence says where.

    """
    return read_toml(path, Setup)
