"""The set-up file: which camera looks at which table, and which tags it will find there (`overtable.setup/1`)."""

import math
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from assistant.files.documents import Degrees, Format, Id, Length, Place, Sigma, read_toml
from assistant.game.base_spec import BaseSpec
from calibration.table.anchor_layout import Corner, StatedAnchor, TableSize, turn_sigma
from hardware.camera.address import redact_address
from hardware.printing.page import RIM
from vision.tags.pose_estimation import Anchor, EnrolledTag

TagId = Annotated[int, Field(ge=0, le=586)]
"""tag36h11 has 587 tags."""
CORNER_SIGMA_MM = 0.5
"""How well a card is cut and laid flush with the table's edges."""


class TableSection(Format):
    """The playing surface."""

    width_mm: Length
    depth_mm: Length
    sigma_mm: Sigma = 1.0
    """One standard deviation of either measure; anchors in the table's corners rest on them."""


class CameraSection(Format):
    """Where the pictures come from."""

    source: Id
    lens: Id | None = None
    """A lens file, relative to the set-up file; without it the lens is solved from the anchors."""
    table: Id | None = None
    """A table file, relative to the set-up file: where the anchors lie that the set-up gives no place."""
    focus: Annotated[float, Field(ge=-1e4, le=1e5)] | None = None
    """Held when the camera opens, in its driver's own steps; without it the camera focuses as it likes."""
    exposure: Annotated[float, Field(ge=-1e4, le=1e5)] | None = None
    """The same of the exposure."""

    @property
    def shown(self) -> str:
        """The source as people may see it, without what is secret in an address."""
        return redact_address(self.source)


class TagsSection(Format):
    """Which tags are printed."""

    family: Literal["tag36h11"] = "tag36h11"


class AnchorSection(Format):
    """A tag that is fixed on the table: at a place, in a corner of the table, or lying flat somewhere.

    Where it lies in a corner or somewhere is solved from pictures by `overtable calibrate table`.
    """

    tag: TagId
    x_mm: Place | None = None
    y_mm: Place | None = None
    facing_deg: Degrees | None = None
    """0 where x_mm and y_mm are given.  A print in a corner may be turned in any of four ways, unless it is given."""
    corner: Corner | None = None
    """The card that `overtable print anchors` makes, cut along its marks, is laid flush with both edges of the table
    that meet there: the tag's centre is 5/8 of size_mm away from either."""
    size_mm: Length
    """Edge of the black square."""
    z_mm: Place = 0.0
    sigma_mm: Sigma | None = None
    """One standard deviation of the place along each axis; 0 where x_mm and y_mm are given, 0.5 in a corner."""
    sigma_deg: Sigma | None = None
    """One standard deviation of the turn; by default what sigma_mm leaves to the ends of the print."""

    @model_validator(mode="after")
    def _check_placing(self) -> Self:
        if (self.x_mm is None) != (self.y_mm is None):
            raise ValueError("expected both x_mm and y_mm, or neither")
        if self.corner is not None and self.x_mm is not None:
            raise ValueError("expected either x_mm and y_mm or corner, not both")
        if self.is_open and (self.facing_deg, self.sigma_mm, self.sigma_deg) != (None, None, None):
            raise ValueError("an anchor without x_mm and y_mm or corner lies anywhere: leave out facing_deg and sigmas")
        if self.corner is not None and self.facing_deg is not None and self.facing_deg % 90:
            raise ValueError("in a corner facing_deg is a multiple of 90: the print lies flush with both edges")
        return self

    @property
    def is_open(self) -> bool:
        """Whether only pictures can tell where it lies."""
        return self.x_mm is None and self.corner is None

    @property
    def stated_anchor(self) -> StatedAnchor:
        """What is said of it, as calibration takes it."""
        card_mm = RIM * self.size_mm
        sigma_mm = self.sigma_mm if self.sigma_mm is not None else CORNER_SIGMA_MM if self.corner else 0.0
        sigma_rad = turn_sigma(sigma_mm, card_mm) if self.sigma_deg is None else math.radians(self.sigma_deg)
        facing_deg = 0.0 if self.facing_deg is None and self.x_mm is not None else self.facing_deg
        return StatedAnchor(
            tag=self.tag,
            size_mm=self.size_mm,
            z_mm=self.z_mm,
            x_mm=self.x_mm,
            y_mm=self.y_mm,
            turn_rad=None if facing_deg is None else math.radians(facing_deg),
            corner=self.corner,
            inset_mm=card_mm / 2,
            sigma_mm=sigma_mm,
            sigma_rad=sigma_rad,
        )


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
    def _check_tags_differ(self) -> Self:
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
        """The anchors whose place the set-up gives, as vision takes them."""
        return tuple(
            Anchor(
                tag=a.tag,
                x_mm=a.x_mm,
                y_mm=a.y_mm,
                facing_rad=math.radians(a.facing_deg or 0.0),
                size_mm=a.size_mm,
                z_mm=a.z_mm,
            )
            for a in self.anchors
            if a.x_mm is not None and a.y_mm is not None
        )

    @property
    def stated_anchors(self) -> tuple[StatedAnchor, ...]:
        """What is said of all anchors, as calibration takes it."""
        return tuple(anchor.stated_anchor for anchor in self.anchors)

    @property
    def table_size(self) -> TableSize:
        """The table's measures, as calibration takes them."""
        return TableSize(width_mm=self.table.width_mm, depth_mm=self.table.depth_mm, sigma_mm=self.table.sigma_mm)

    @property
    def enrolled_tags(self) -> dict[int, EnrolledTag]:
        """The bases as vision takes them, by tag."""
        return {
            b.tag: EnrolledTag(
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
