"""Enrolled bases in the set-up file: which marker a model's base has, and where.

A base has a tag on it, or a coded ring: around it on the table (a halo), or on it along its edge (a rim).
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

import numpy as np
import shapely
from numpy.typing import NDArray
from pydantic import Field, ModelWrapValidatorHandler, WrapValidator, model_validator

from assistant.files.documents import Degrees, Format, Id, Length, Place, Sigma, convert_lists_to_tuples
from assistant.game.base_spec import BaseSpec
from assistant.game.state import TerrainPlace
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round
from hardware.rings.layout import RingBand, RingKind, RingLayout
from hardware.rings.words import RingList, RingWords
from vision.marker_numbers import number_ring
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import EnrolledTag

TagId = Annotated[int, Field(ge=0, le=586)]
"""tag36h11 has 587 tags."""
RingId = Annotated[int, Field(ge=0, le=99_999)]
"""Which there are says the list of words."""
RingKindName = Literal["halo", "rim"]
OUTLINE_WITHIN_MM = 0.002
"""How far the polygon that a ring is laid around may be from a curved outline: nothing beside how surely it is seen."""
LEAST_CELL_MM = 0.5
"""A shorter cell is neither printed nor seen."""
LEAST_BAND_MM, LARGEST_BAND_MM = 0.5, 20.0
"""How wide a band may be."""


class TagInBase(Format):
    """The tag's centre and turn in the base's frame."""

    x_mm: Place = 0.0
    y_mm: Place = 0.0
    facing_deg: Degrees = 0.0
    sigma_mm: Sigma = 0.0
    """One standard deviation of its place along each axis, as enrolment measured it."""
    sigma_deg: Sigma = 0.0
    """One standard deviation of its turn."""


class RingInBase(TagInBase):
    """Where the ring's middle and its nose are in the base's frame: all 0 where it is laid exactly."""


class EnrolledModel(Format):
    """What is said of an enrolled model, whatever marker it has."""

    model: Id
    base: BaseSpec
    height_mm: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """Of the tag, or of the ringed base's top, above what the base stands on."""
    height_sigma_mm: Sigma = 0.0
    """One standard deviation of that."""


class TaggedBase(EnrolledModel):
    """A model with a tag on its base."""

    tag: TagId
    size_mm: Length
    """Edge of the black square."""
    tag_in_base: TagInBase = TagInBase()

    @property
    def marker(self) -> int:
        """The number of its marker."""
        return self.tag

    @property
    def enrolled_tag(self) -> EnrolledTag:
        """The tag as vision takes it."""
        return EnrolledTag(
            tag=self.tag,
            model=self.model,
            size_mm=self.size_mm,
            x_mm=self.tag_in_base.x_mm,
            y_mm=self.tag_in_base.y_mm,
            facing_rad=math.radians(self.tag_in_base.facing_deg),
            height_mm=self.height_mm,
            offset_sigma_mm=self.tag_in_base.sigma_mm,
            facing_sigma_rad=math.radians(self.tag_in_base.sigma_deg),
            height_sigma_mm=self.height_sigma_mm,
        )


class RingedBase(EnrolledModel):
    """A model with a coded ring around its base, or along its edge."""

    ring: RingId
    ring_kind: RingKindName
    ring_in_base: RingInBase = RingInBase()
    band_mm: tuple[Place, Place] | None = None
    """From where to where the cells are, outward from the base's outline; None: as the kind has it."""

    @model_validator(mode="after")
    def _check_band(self) -> Self:
        if self.ring_kind == "rim" and "height_mm" not in self.model_fields_set:
            raise ValueError("height_mm is missing: how high the base is, on the top of which a rim lies")
        if self.band_mm is None:
            return self
        inner_mm, outer_mm = self.band_mm
        if not LEAST_BAND_MM <= outer_mm - inner_mm <= LARGEST_BAND_MM:
            raise ValueError(
                f"band_mm goes from {inner_mm:g} to {outer_mm:g}; expected the inner edge, then the outer one,"
                f" {LEAST_BAND_MM:g} to {LARGEST_BAND_MM:g} mm farther out"
            )
        if self.ring_kind == "halo" and inner_mm < 0:
            raise ValueError(f"band_mm begins at {inner_mm:g}, but a halo lies outside of the base: expected 0 or more")
        if self.ring_kind == "rim" and outer_mm > 0:
            raise ValueError(f"band_mm ends at {outer_mm:g}, but a rim lies on the base: expected 0 or less")
        return self

    @property
    def marker(self) -> int:
        """The number of its marker."""
        return number_ring(self.ring)

    @property
    def is_round(self) -> bool:
        """Whether it has one of the words for round bases."""
        return self.base.round_mm is not None

    def find_words(self, rings: RingList) -> RingWords:
        """Return the words of which it has one."""
        return rings.choose_words(is_round=self.is_round)

    def find_band(self, rings: RingList) -> RingBand:
        """Return where its cells and borders lie: as its kind has it, or as it is said here."""
        band = rings.bands[RingKind(self.ring_kind)]
        return band if self.band_mm is None else band.resize(*self.band_mm)

    def lay_ring(self, rings: RingList) -> RingLayout:
        """Return its cells.

        Raises:
            ValueError: its base has no room for it; one sentence says why.

        """
        return lay_ring(self.base.shape, self.find_band(rings), self.find_words(rings).cells)

    def enroll_ring(self, rings: RingList) -> EnrolledRing:
        """Return the ring as vision takes it."""
        inside = self.ring_in_base
        return EnrolledRing(
            marker=self.marker,
            model=self.model,
            layout=self.lay_ring(rings),
            word=self.find_words(rings).ids[self.ring],
            x_mm=inside.x_mm,
            y_mm=inside.y_mm,
            facing_rad=math.radians(inside.facing_deg),
            height_mm=self.height_mm,
            offset_sigma_mm=inside.sigma_mm,
            facing_sigma_rad=math.radians(inside.sigma_deg),
            height_sigma_mm=self.height_sigma_mm,
        )

    def check_ring(self, rings: RingList) -> None:
        """Check that its ring is on a list, and that it has room.

        Raises:
            ValueError: it has not; one sentence says what was expected.

        """
        words, shapes = self.find_words(rings), "round bases" if self.is_round else "bases that are not round"
        if self.ring not in words.ids:
            listed = f"{min(words.ids)} to {max(words.ids)}" if words.ids else "none"
            raise ValueError(f"there is no ring {self.ring} for {shapes}; expected one of {listed}")
        self.lay_ring(rings)


@lru_cache(maxsize=1024)
def lay_ring(shape: Base, band: RingBand, cells: int) -> RingLayout:
    """Lay a ring around a base or along its edge.

    Raises:
        ValueError: it has no room; one sentence says why.

    """
    outline_mm = trace_base(shape)
    wide_mm, deep_mm = np.ptp(outline_mm, axis=0)
    sizes = f"{wide_mm:.3g} x {deep_mm:.3g} mm"
    band_name = f"a {band.kind} from {band.inner_mm:g} to {band.outer_mm:g} mm"
    within = shapely.Polygon(outline_mm).buffer(min(0.0, band.inner_mm))
    if within.is_empty or within.geom_type != "Polygon":
        raise ValueError(
            f"{band_name} has no room on a base of {sizes}: more than {-2 * band.inner_mm:g} mm are needed everywhere;"
            " use a halo or a narrower band_mm"
        )
    try:
        layout = RingLayout.build(outline_mm, band, cells)
    except ValueError as error:
        raise ValueError(f"{band_name} has no room on a base of {sizes}: {error}") from None
    if layout.cell_mm < LEAST_CELL_MM:
        raise ValueError(
            f"the {cells} cells of a {band.kind} on a base of {sizes} are {layout.cell_mm:.2f} mm long each;"
            f" {LEAST_CELL_MM:g} mm are needed: use a {'halo or a ' if band.kind is RingKind.RIM else ''}larger base"
        )
    return layout


def trace_base(shape: Base) -> NDArray[np.float64]:
    """Return (n, 2) the outline of a base in its own frame, curves within OUTLINE_WITHIN_MM."""
    match shape:
        case Round(radius_mm=radius):
            return _trace_oval(radius, radius)
        case Oval(length_mm=length, width_mm=width):
            return _trace_oval(length / 2, width / 2)
        case Rect(length_mm=length, width_mm=width):
            return np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]) * (length / 2, width / 2)
        case Outline(points_mm=points):
            return np.array(points)


def _trace_oval(half_length_mm: float, half_width_mm: float) -> NDArray[np.float64]:
    reach_mm = max(half_length_mm, half_width_mm)
    corners = 4 * math.ceil(math.tau / math.sqrt(8 * OUTLINE_WITHIN_MM / reach_mm) / 4)
    turns = np.linspace(0, math.tau, max(corners, 64), endpoint=False)
    return np.column_stack([half_length_mm * np.cos(turns), half_width_mm * np.sin(turns)])


TAG_KEYS = ("size_mm", "tag_in_base")
RING_KEYS = ("ring_kind", "ring_in_base", "band_mm")


def _choose_section(value: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:  # noqa: ANN401 - whatever a file holds
    """Read a base as one with a tag or with a ring, whichever it names."""
    if isinstance(value, EnrolledModel):
        return handler(value)
    if not isinstance(value, Mapping):
        return TaggedBase.model_validate(value)  # which it is not, and that is said
    if "tag" in value and "ring" in value:
        raise ValueError("tag and ring are both given; a base has one of them")
    if "tag" not in value and "ring" not in value:
        raise ValueError("neither tag nor ring is given; a base has one of them, such as tag = 1 or ring = 1")
    has_ring = "ring" in value
    for key in TAG_KEYS if has_ring else RING_KEYS:
        if key in value:
            has, belongs = ("ring", "tag") if has_ring else ("tag", "ring")
            raise ValueError(f"{key} belongs to a {belongs}, but this base has a {has}: leave it out")
    form = RingedBase if has_ring else TaggedBase
    return form.model_validate(convert_lists_to_tuples(dict(value)))


BaseSection = Annotated[TaggedBase | RingedBase, WrapValidator(_choose_section)]
"""An enrolled model."""


class MarkInPiece(TagInBase):
    """The mark's centre and turn in the frame of a piece of terrain: from the middle of the box around its outline."""

    @classmethod
    def from_place(cls, place: TerrainPlace) -> Self:
        """Return a place in that frame with no more decimals than anybody knows."""
        return cls(
            x_mm=round(place.x_mm, 2) + 0.0,  # not -0.0
            y_mm=round(place.y_mm, 2) + 0.0,
            facing_deg=round(math.degrees(place.facing_rad), 2) + 0.0,
        )

    @property
    def place(self) -> TerrainPlace:
        """The same as a place."""
        return TerrainPlace(x_mm=self.x_mm, y_mm=self.y_mm, facing_rad=math.radians(self.facing_deg))


class MarkedTerrain(Format):
    """A piece of terrain with a tag, or a ring around a disc, that lies flat on it."""

    piece: Id
    """Its id in the game: a feature's of the layout."""
    tag: TagId | None = None
    size_mm: Length | None = None
    """Edge of the tag's black square."""
    ring: RingId | None = None
    round_mm: Length | None = None
    """Diameter of the disc that the ring goes around the edge of, inside."""
    mark_in_piece: MarkInPiece = MarkInPiece()
    height_mm: Annotated[float, Field(ge=0, le=1000)]
    """Of the mark above the table."""
    height_sigma_mm: Sigma = 1.0
    """One standard deviation of that, as rulers measure."""

    @model_validator(mode="after")
    def _check_mark(self) -> Self:
        if (self.tag is None) == (self.ring is None):
            raise ValueError("expected either tag, with size_mm, or ring, with round_mm")
        if self.tag is not None and (self.size_mm is None or self.round_mm is not None):
            raise ValueError("a tag has a size_mm, the edge of its black square, and no round_mm")
        if self.ring is not None and (self.round_mm is None or self.size_mm is not None):
            raise ValueError("a ring has a round_mm, the diameter of its disc, and no size_mm")
        return self

    @property
    def marked(self) -> TaggedBase | RingedBase:
        """The mark as that of a base with the piece's frame, which stands on the table."""
        known: dict[str, Any] = {
            "model": self.piece,
            "height_mm": self.height_mm,
            "height_sigma_mm": self.height_sigma_mm,
        }
        place = self.mark_in_piece.model_dump()
        if self.tag is not None:
            disc = BaseSpec(round_mm=self.size_mm)
            return TaggedBase(
                tag=self.tag, size_mm=self.size_mm or 0.0, base=disc, tag_in_base=TagInBase(**place), **known
            )
        disc = BaseSpec(round_mm=self.round_mm)
        return RingedBase(ring=self.ring or 0, ring_kind="rim", base=disc, ring_in_base=RingInBase(**place), **known)
