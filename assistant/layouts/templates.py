"""Templates: pieces of scenery as people own them, each a footprint with walls, floors or tiers, in its own frame.

A template's length lies along its x axis and its middle is the origin; it may be made in other sizes than the usual.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Points = tuple[tuple[float, float], ...]
WALL_MM = 8.0
"""How thick a ruin's walls are."""
STOREY_MM = 76.2
"""From a floor to the next."""
RIM_MM = 10.0
"""From a ruin's walls to the edge of what it stands on."""
LEAST_MM, GREATEST_MM = 20.0, 3000.0
"""A template's length or width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a feature in its own frame."""

    name: str
    """Empty for the footprint."""
    substance: str
    """What it is, in a word that rulebooks have traits for."""
    outline_mm: Points
    height_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A piece of scenery that may be made in many sizes."""

    title: str
    usual_mm: tuple[float, float]
    """Length and width."""
    make: Callable[[float, float], tuple[Part, ...]]
    least_mm: float = LEAST_MM
    """Of either."""

    def build(self, size_mm: tuple[float, float] | None = None) -> tuple[Part, ...]:
        """Return its parts in a size, or in its usual one; the footprint is the first."""
        return self.make(*(size_mm or self.usual_mm))

    def check_size(self, size_mm: tuple[float, float] | None) -> None:
        """Raise ValueError where it cannot be made in a size."""
        for mm in size_mm or ():
            if not self.least_mm <= mm <= GREATEST_MM:
                raise ValueError(f"size_mm: expected from {self.least_mm:g} to {GREATEST_MM:g} mm each way, not {mm:g}")


def _box(left: float, near: float, right: float, far: float) -> Points:
    return ((left, near), (right, near), (right, far), (left, far))


def _centre_box(length: float, width: float) -> Points:
    return _box(-length / 2, -width / 2, length / 2, width / 2)


def _grow_round(length: float, width: float, *, lobes: int, depth: float) -> Points:
    """Return an outline as nature makes them, which just fits into a length and a width; lobes are even in number.

    Then it is its own image by a half turn and by either mirror, and may stand in the middle of a table.
    """
    turns = [math.tau * at / 24 for at in range(24)]
    radii = [1 - depth + depth * math.cos(lobes * at) for at in turns]
    raw = [(r * math.cos(at), r * math.sin(at)) for at, r in zip(turns, radii, strict=True)]
    xs, ys = zip(*raw, strict=True)
    wide, deep = max(xs) - min(xs), max(ys) - min(ys)
    return tuple(
        (
            round((x - (max(xs) + min(xs)) / 2) / wide * length, 2),
            round((y - (max(ys) + min(ys)) / 2) / deep * width, 2),
        )
        for x, y in raw
    )


def _make_ruin(length: float, width: float) -> tuple[Part, ...]:
    """Return two walls that meet in a corner, and a floor above half of the ground between them."""
    left, far, thick = -length / 2 + RIM_MM, width / 2 - RIM_MM, WALL_MM
    right, near = length / 2 - RIM_MM, -width / 2 + RIM_MM
    walls = (
        (left, near),
        (left + thick, near),
        (left + thick, far - thick),
        (right, far - thick),
        (right, far),
        (left, far),
    )
    inner_left, inner_far = left + thick, far - thick
    floor = _box(inner_left, inner_far - 0.5 * (inner_far - near), inner_left + 0.45 * (right - inner_left), inner_far)
    return (
        Part(name="", substance="ruin", outline_mm=_centre_box(length, width)),
        Part(name="walls", substance="wall", outline_mm=walls, height_mm=127.0),
        Part(name="floor", substance="floor", outline_mm=floor, height_mm=STOREY_MM),
    )


def _make_shell(length: float, width: float) -> tuple[Part, ...]:
    """Return a ruin whose long side and both ends still stand, with no floor left."""
    left, far, thick = -length / 2 + RIM_MM, width / 2 - RIM_MM, WALL_MM
    right, near = length / 2 - RIM_MM, 0.0
    walls = (
        (left, near),
        (left + thick, near),
        (left + thick, far - thick),
        (right - thick, far - thick),
        (right - thick, near),
        (right, near),
        (right, far),
        (left, far),
    )
    return (
        Part(name="", substance="ruin", outline_mm=_centre_box(length, width)),
        Part(name="walls", substance="wall", outline_mm=walls, height_mm=127.0),
    )


def _make_hill(length: float, width: float) -> tuple[Part, ...]:
    return (
        Part(name="", substance="hill", outline_mm=_grow_round(length, width, lobes=4, depth=0.05), height_mm=38.1),
        Part(
            name="top",
            substance="hill",
            outline_mm=_grow_round(0.55 * length, 0.55 * width, lobes=4, depth=0.05),
            height_mm=STOREY_MM,
        ),
    )


def _make_building(length: float, width: float) -> tuple[Part, ...]:
    """Return a storey with a flat roof, and a second one over half of it."""
    upper = _box(-length / 2 + 0.05 * length, -width / 2 + 0.1 * width, 0.1 * length, width / 2 - 0.1 * width)
    return (
        Part(name="", substance="building", outline_mm=_centre_box(length, width), height_mm=STOREY_MM),
        Part(name="storey-2", substance="building", outline_mm=upper, height_mm=2 * STOREY_MM),
    )


def _make_bend(substance: str) -> Callable[[float, float], tuple[Part, ...]]:
    """Return what makes a strip that swings a little to either side within its width."""

    def make(length: float, width: float) -> tuple[Part, ...]:
        swing, half = 0.18 * width, 0.32 * width
        along = [-0.5 + at / 16 for at in range(17)]
        middle = [(length * at, swing * math.sin(math.tau * at)) for at in along]
        near = [(round(x, 2), round(y - half, 2)) for x, y in middle]
        far = [(round(x, 2), round(y + half, 2)) for x, y in reversed(middle)]
        return (Part(name="", substance=substance, outline_mm=(*near, *far)),)

    return make


def _make_plain(
    substance: str, height_mm: float = 0.0, *, lobes: int = 0, depth: float = 0.1
) -> Callable[[float, float], tuple[Part, ...]]:
    """Return what makes a single part: a rectangle, or an outline as nature makes them."""

    def make(length: float, width: float) -> tuple[Part, ...]:
        outline = _grow_round(length, width, lobes=lobes, depth=depth) if lobes else _centre_box(length, width)
        return (Part(name="", substance=substance, outline_mm=outline, height_mm=height_mm),)

    return make


TEMPLATES: Mapping[str, Template] = {
    "ruin": Template(title="Ruin, a corner with a floor", usual_mm=(250, 160), make=_make_ruin, least_mm=80),
    "shell": Template(title="Ruin, three walls", usual_mm=(220, 140), make=_make_shell, least_mm=80),
    "building": Template(title="Building with two storeys", usual_mm=(180, 130), make=_make_building, least_mm=60),
    "house": Template(title="House", usual_mm=(130, 90), make=_make_plain("building", STOREY_MM)),
    "woods": Template(title="Woods", usual_mm=(220, 160), make=_make_plain("woods", lobes=6, depth=0.07), least_mm=40),
    "hill": Template(title="Hill with two tiers", usual_mm=(320, 220), make=_make_hill, least_mm=80),
    "rocks": Template(title="Rocks", usual_mm=(110, 80), make=_make_plain("rocks", 63.5, lobes=4, depth=0.07)),
    "crates": Template(title="Crates", usual_mm=(70, 50), make=_make_plain("crates", 38.1)),
    "barricade": Template(title="Barricade", usual_mm=(150, 20), make=_make_plain("barricade", 25.4)),
    "wall": Template(title="Wall", usual_mm=(150, 12), make=_make_plain("wall", 50.0), least_mm=5),
    "crater": Template(title="Crater", usual_mm=(150, 130), make=_make_plain("crater", lobes=8, depth=0.03)),
    "pond": Template(title="Pond", usual_mm=(170, 120), make=_make_plain("pond", lobes=2, depth=0.12)),
    "field": Template(title="Field", usual_mm=(240, 170), make=_make_plain("field")),
    "river": Template(title="River", usual_mm=(600, 120), make=_make_bend("river")),
    "road": Template(title="Road", usual_mm=(600, 90), make=_make_bend("road")),
    "bridge": Template(title="Bridge", usual_mm=(150, 90), make=_make_plain("bridge")),
}
"""By the name that layouts give; nobody needs to be told of a new one here."""
