"""The set-up file: which camera looks at which table, and which markers it will find there (`overtable.setup/1`)."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from assistant.files.documents import Degrees, Format, Id, Length, Place, Sigma, check, read_toml
from assistant.setup.bases import BaseSection, MarkedTerrain, RingedBase, TaggedBase, TagId
from assistant.setup.ring_words import read_ring_words
from calibration.table.anchor_layout import Corner, StatedAnchor, TableSize, turn_sigma
from hardware.camera.address import redact_address
from hardware.printing.page import RIM
from hardware.rings.words import RingList, load_ring_list
from vision.marker_numbers import is_ring, name_marker
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import Anchor, EnrolledTag

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
    readout_ms: Annotated[float, Field(ge=-100, le=100)] | None = None
    """How long the camera takes from a picture's first row to its last, 0 for all rows at once, below 0 where the last
    comes first; without it moving tags and lamps that flicker tell."""

    @property
    def shown(self) -> str:
        """The source as people may see it, without what is secret in an address."""
        return redact_address(self.source)


class TagsSection(Format):
    """Which tags are printed."""

    family: Literal["tag36h11"] = "tag36h11"


class RingsSection(Format):
    """Which rings are printed."""

    words: Id | None = None
    """A list of words (`overtable.rings/1`), relative to the set-up file; without it the program's own."""
    _read: RingList | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _read_words(self, info: ValidationInfo) -> Self:
        if self.words is not None and isinstance(info.context, Path):
            self._read = read_ring_words(info.context / self.words)
        return self

    @property
    def ring_list(self) -> RingList:
        """The words and bands of all rings there are."""
        return self._read or load_ring_list()


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
    def placed_anchor(self) -> Anchor | None:
        """The anchor as vision takes it; None where its place is not given."""
        if self.x_mm is None or self.y_mm is None:
            return None
        return Anchor(
            tag=self.tag,
            x_mm=self.x_mm,
            y_mm=self.y_mm,
            facing_rad=math.radians(self.facing_deg or 0.0),
            size_mm=self.size_mm,
            z_mm=self.z_mm,
        )

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


class ProjectorSection(Format):
    """What lights the table."""

    calibration: Id | None = None
    """A projector file, relative to the set-up file; without it the projector page fits the table into its window."""


class HallSection(Format):
    """The hall that the table belongs to."""

    file: Id
    """A hall file, or a picture of the sheet with its code, relative to the set-up file."""


class Setup(Format):
    """A set-up file."""

    format: Literal["overtable.setup/1"]
    table: TableSection
    camera: CameraSection
    tags: TagsSection = TagsSection()
    rings: RingsSection = RingsSection()
    projector: ProjectorSection = ProjectorSection()
    anchors: tuple[AnchorSection, ...] = ()
    bases: tuple[BaseSection, ...] = ()
    terrain: tuple[MarkedTerrain, ...] = ()
    """Pieces of terrain with a mark, which are followed."""
    bridges: dict[Id, dict[str, Any]] = Field(default={})
    """Other programs that are told of the game, by the bridge's name; what each takes, it checks itself."""
    hall: HallSection | None = None
    """The tournament's hall that the game is told to."""

    @model_validator(mode="after")
    def _check_markers(self) -> Self:
        if not self.anchors:
            raise ValueError("there are no [[anchors]]; at least one tag at a known place on the table is needed")
        owners: dict[int, str] = {}
        for marker, owner in [
            *((anchor.tag, "an anchor") for anchor in self.anchors),
            *((base.marker, f"model {base.model!r}") for base in self.bases),
            *((mark.marker, f"terrain {mark.model!r}") for mark in self.terrain_marks),
        ]:
            if marker in owners:
                name, kind = name_marker(marker), "ring" if is_ring(marker) else "tag"
                raise ValueError(f"{name} is used twice, by {owners[marker]} and by {owner}; every {kind} is used once")
            owners[marker] = owner
        models = [base.model for base in self.bases]
        if twice := next((model for model in models if models.count(model) > 1), None):
            raise ValueError(f"model {twice!r} is enrolled twice, with different markers; give each model one")
        pieces = [each.piece for each in self.terrain]
        if twice := next((piece for piece in pieces if pieces.count(piece) > 1), None):
            raise ValueError(f"terrain {twice!r} has two marks; give each piece one")
        for owner, marked in (("model", self.bases), ("terrain", self.terrain_marks)):
            for base in marked:
                try:
                    if isinstance(base, RingedBase):
                        base.check_ring(self.rings.ring_list)
                except ValueError as error:
                    raise ValueError(f"{owner} {base.model!r}: {error}") from None
        return self

    @property
    def tagged_bases(self) -> tuple[TaggedBase, ...]:
        """The models that have a tag."""
        return tuple(base for base in self.bases if isinstance(base, TaggedBase))

    @property
    def ringed_bases(self) -> tuple[RingedBase, ...]:
        """The models that have a ring."""
        return tuple(base for base in self.bases if isinstance(base, RingedBase))

    @property
    def anchor_tags(self) -> tuple[Anchor, ...]:
        """The anchors whose place the set-up gives, as vision takes them."""
        return tuple(anchor for section in self.anchors if (anchor := section.placed_anchor) is not None)

    @property
    def stated_anchors(self) -> tuple[StatedAnchor, ...]:
        """What is said of all anchors, as calibration takes it."""
        return tuple(anchor.stated_anchor for anchor in self.anchors)

    @property
    def table_size(self) -> TableSize:
        """The table's measures, as calibration takes them."""
        return TableSize(width_mm=self.table.width_mm, depth_mm=self.table.depth_mm, sigma_mm=self.table.sigma_mm)

    @property
    def terrain_marks(self) -> tuple[TaggedBase | RingedBase, ...]:
        """The marks on terrain as those of bases that are named like the pieces."""
        return tuple(each.marked for each in self.terrain)

    @property
    def enrolled_bases(self) -> dict[int, EnrolledTag | EnrolledRing]:
        """The bases as vision takes them, by marker."""
        return self._enrol(self.bases)

    @property
    def enrolled_terrain(self) -> dict[int, EnrolledTag | EnrolledRing]:
        """The marked pieces of terrain as vision takes them, by marker."""
        return self._enrol(self.terrain_marks)

    def _enrol(self, marked: Iterable[TaggedBase | RingedBase]) -> dict[int, EnrolledTag | EnrolledRing]:
        rings = self.rings.ring_list
        return {
            base.marker: base.enrolled_tag if isinstance(base, TaggedBase) else base.enroll_ring(rings)
            for base in marked
        }


def read_setup(path: Path) -> Setup:
    """Read a set-up file.

    Raises:
        BadInput: it, or the list of words that it names, is not there, not whole, or does not fit; one sentence says
            where.

    """
    return read_toml(path, Setup, beside=path.parent)


def check_setup(data: object, path: Path) -> Setup:
    """Return what a set-up file holds, or is to hold, as a set-up; errors as in `read_setup`."""
    return check(data, Setup, str(path), beside=path.parent)
