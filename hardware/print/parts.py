"""What several sheets have in common: tags, the ruler, marks to cut along."""

from collections.abc import Iterator

import shapely
from shapely.geometry.polygon import orient

from hardware.print.page import MARGIN_MM, Area, Line, Mark, Paper, Ring, Spot, Words
from hardware.tag36h11 import INNER, MODULES, white_modules

RIM = MODULES / INNER
"""A tag with its white rim is this much wider than its black square."""
RULER_MM = 100
FOOT_MM = 20.0
"""The lowest part of a sheet is the ruler's."""


def tag(number: int, spot: Spot, size_mm: float) -> Area:
    """Return a tag centred on a spot, its x along the spot's; ``size_mm`` is the edge of its black square.

    Its black modules are one area: no printer or viewer can leave a hairline between two of them.
    """
    module_mm = size_mm / INNER
    half = INNER / 2
    black = shapely.union_all(
        [
            shapely.box(column - half, half - row - 1, column - half + 1, half - row)
            for row, line in enumerate(white_modules(number))
            for column, white in enumerate(line)
            if not white
        ]
    )
    polygons = [part for part in shapely.get_parts(black) if isinstance(part, shapely.Polygon)]
    rings = [
        ring.simplify(0.0) for polygon in polygons for ring in (orient(polygon).exterior, *orient(polygon).interiors)
    ]
    scaled = (((x * module_mm, y * module_mm) for x, y in ring.coords[:-1]) for ring in rings)
    return Area(rings_mm=tuple(spot.place(ring) for ring in scaled))


def square(spot: Spot, edge_mm: float) -> Ring:
    """Return a square centred on a spot."""
    half = edge_mm / 2
    return spot.place([(-half, -half), (half, -half), (half, half), (-half, half)])


def cut_marks(spot: Spot, edge_mm: float) -> Iterator[Line]:
    """Mark the corners of a square, from outside, so that nothing of the marks stays on what is cut out."""
    half, gap, long = edge_mm / 2, 0.3, 1.5
    for x in (-1, 1):
        for y in (-1, 1):
            along = [(x * (half + gap), y * half), (x * (half + gap + long), y * half)]
            up = [(x * half, y * (half + gap)), (x * half, y * (half + gap + long))]
            yield Line(points_mm=spot.place(along), width_mm=0.1)
            yield Line(points_mm=spot.place(up), width_mm=0.1)


def ruler(paper: Paper) -> Iterator[Mark]:
    """Draw a ruler at the foot of a sheet, to check the print with."""
    left_mm, foot_mm = (paper.width_mm - RULER_MM) / 2, MARGIN_MM + 4.5
    for at in range(RULER_MM + 1):
        height = 4.0 if at % 10 == 0 else 2.8 if at % 5 == 0 else 1.8
        x = left_mm + at
        yield Line(points_mm=((x, foot_mm), (x, foot_mm + height)), width_mm=0.15)
    yield Line(points_mm=((left_mm, foot_mm), (left_mm + RULER_MM, foot_mm)), width_mm=0.15)
    for at in range(0, RULER_MM + 1, 20):
        yield Words(text=str(at), x_mm=left_mm + at, y_mm=foot_mm - 2.8, size_mm=2.4, centred=True)
    yield Words(text="mm", x_mm=left_mm + RULER_MM + 4, y_mm=foot_mm - 2.8, size_mm=2.4)
    yield Words(
        text="Print at 100 %, without fitting to the page; then measure: this line must be 100 mm long.",
        x_mm=paper.width_mm / 2,
        y_mm=MARGIN_MM - 1.5,
        size_mm=2.6,
        centred=True,
    )


def arrow(spot: Spot, length_mm: float, width_mm: float) -> Area:
    """Return an arrow head whose foot is centred on a spot, pointing along the spot's x."""
    return Area(rings_mm=(spot.place([(0, -width_mm / 2), (length_mm, 0), (0, width_mm / 2)]),))
