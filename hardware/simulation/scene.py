"""The virtual scene: what stands on the simulated table, as values."""

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from hardware.rings.layout import RingKind, RingLayout
from hardware.tag36h11 import COUNT

Outline = tuple[tuple[float, float], ...]
"""A simple polygon, (x_mm, y_mm) of each corner, either way round; may be concave."""

Colour = tuple[int, int, int]
"""Blue, green, red: the share of the light that comes back, 0 to 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a base stands: its centre, its facing, and the height of what it stands on (or is held at)."""

    x_mm: float
    y_mm: float
    facing_rad: float = 0.0
    z_mm: float = 0.0

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.x_mm, self.y_mm, self.facing_rad, self.z_mm))):
            raise ValueError(f"{self} is no place: expected finite numbers")


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualTagInBase:
    """The tag's centre and turn in the base's own frame, whose +x is the model's front."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    facing_rad: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualRing:
    """A coded ring, as it lies around a base or on its edge."""

    layout: RingLayout
    word: str
    """A 0 (dark) or 1 (light) for each cell, from the nose counter-clockwise."""
    x_mm: float = 0.0
    y_mm: float = 0.0
    facing_rad: float = 0.0
    """How far from the base's middle and front a hand has laid it, in the base's frame."""

    @property
    def is_halo(self) -> bool:
        """Whether it lies below the base."""
        return self.layout.band.kind is RingKind.HALO


class FigureKind(enum.StrEnum):
    """What a miniature is; `figures` knows how each is built."""

    ROBED = enum.auto()
    """It keeps to its shoulders' width all round."""
    INFANTRY = enum.auto()
    WINGED = enum.auto()
    CAVALRY = enum.auto()
    WALKER = enum.auto()
    MONSTER = enum.auto()
    VEHICLE = enum.auto()
    """It has no base of its own, and a flat roof."""
    RANKS = enum.auto()
    """Eight small men in two ranks, with room in the middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A miniature, upright on its base; it may lean out over the edge and hide part of the marker."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    """Where it stands, in the base's frame."""
    radius_mm: float
    """Half the width of its shoulders."""
    length_mm: float | None = None
    """From front to rear, of kinds that fill their base; by default twice the width of its shoulders."""
    height_mm: float
    """From the top of the base to the top of the head."""
    colour: Colour = (70, 90, 150)
    kind: FigureKind = FigureKind.ROBED
    seed: int = 0
    """No two that differ in it are quite the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintDamage:
    """What has happened to a print, each from 0 for nothing to 1; `print_damage` draws it."""

    seed: int
    """No two that differ in it are the same."""
    paint: float = 0.0
    """Of the base, over the edge of the print."""
    smudge: float = 0.0
    crease: float = 0.0
    curl_mm: float = 0.0
    """So high stands one corner of a tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualBase:
    """A base with a marker: a prism over its outline, with a tag on top or a ring.

    A vehicle's tag lies on its roof.
    """

    marker: int
    """One number for each on the table; a tag's is its own id."""
    outline_mm: Outline
    """In the base's frame."""
    ring: VirtualRing | None = None
    size_mm: float = 0.0
    """Edge of the tag's black square, where there is no ring."""
    height_mm: float
    """Of its top, where the tag is, above what the base stands on."""
    tag_in_base: VirtualTagInBase = field(default_factory=VirtualTagInBase)
    figure: Figure | None = None
    colour: Colour = (48, 46, 44)
    turf: Colour | None = None
    """What its top is covered with inside of its edge, if with anything."""
    damage: PrintDamage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualAnchor:
    """A tag fixed to the table."""

    tag: int
    x_mm: float
    y_mm: float
    size_mm: float
    facing_rad: float = 0.0
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualSheet:
    """A sheet of paper with tags and lines on it, which lies flat and can be moved."""

    outline_mm: Outline
    """Its edge, in its own frame, as is all that is on it."""
    tags: tuple[VirtualAnchor, ...] = ()
    lines_mm: tuple[Outline, ...] = ()
    """Closed."""


class TerrainLook(enum.StrEnum):
    """What covers a piece of scenery."""

    PLAIN = enum.auto()
    WOOD = enum.auto()
    BRUSH = enum.auto()
    RUIN = enum.auto()
    WALL = enum.auto()
    ROOF = enum.auto()
    CRATER = enum.auto()
    MINES = enum.auto()
    WATER = enum.auto()
    GAP = enum.auto()
    ROAD = enum.auto()
    BRIDGE = enum.auto()
    HILL = enum.auto()
    ROCK = enum.auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualTerrain:
    """A piece of scenery."""

    outline_mm: Outline
    """In the table frame."""
    height_mm: float
    colour: Colour = (95, 105, 112)
    raised: bool = False
    """A block with its top at `height_mm`, such as a hill.  Otherwise what can be walked into, such as a wood or a
    ruin: an area with a kerb, its height told by its shadow only."""
    look: TerrainLook = TerrainLook.PLAIN
    """What covers it; without a colour of its own, and without a kerb, unless it is plain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualScene:
    """A table and everything on it; the table frame's origin is the near-left corner, x right, y away, z up."""

    width_mm: float = 1524.0
    depth_mm: float = 1118.0
    bases: tuple[VirtualBase, ...] = ()
    anchors: tuple[VirtualAnchor, ...] = ()
    terrain: tuple[VirtualTerrain, ...] = ()
    placements: Mapping[int, Placement] = field(default_factory=dict)
    """Where each base stands at first, by marker; a base without a placement is not on the table yet."""

    def __post_init__(self) -> None:
        tags = [base.marker for base in self.bases if base.ring is None] + [anchor.tag for anchor in self.anchors]
        markers = tags + [base.marker for base in self.bases if base.ring is not None]
        for tag in tags:
            if not 0 <= tag < COUNT:
                raise ValueError(f"tag {tag} is not in tag36h11: expected 0 to {COUNT - 1}")
        for marker in markers:
            if markers.count(marker) > 1:
                raise ValueError(f"marker {marker} is used twice: expected one for each base and anchor")
        for marker in self.placements:
            if marker not in {base.marker for base in self.bases}:
                raise ValueError(f"marker {marker} is placed but belongs to no base of the scene")
