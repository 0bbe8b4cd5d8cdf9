"""Arc splines, against the support of the sets that they stand for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.shapes.convex import Array, Complexes, ConvexSet, Ellipse, hull
from assistant.geometry.shortest_path.arc_splines import ERROR_MM, ArcSpline, trace_boundary
from tests.assistant.geometry.shape_strategies import angles

axes = st.one_of(st.floats(0.002, 1.0), st.floats(1.0, 90.0))
ellipses = st.builds(lambda a, b, turn: (a, b, turn), axes, axes, angles)
polygons = st.sampled_from(
    (
        np.array([(3.0, -4.0)]),
        np.array([(0.0, 0.0), (30.0, 8.0)]),
        hull(np.array([(-20.0, -10.0), (20.0, -10.0), (25.0, 5.0), (0.0, 18.0), (-20.0, 10.0)])),
    )
)


def build_shape(corners: Array, radius_mm: float, grown_by: list[Ellipse], turn: float) -> ConvexSet:
    return ConvexSet(corners_mm=corners, radius_mm=radius_mm, ellipses=tuple(grown_by)).move(7.0, -9.0, turn)


def list_directions(spline: ArcSpline) -> tuple[Complexes, Complexes]:
    """Directions all along each arc, (k, 9) as complex numbers, and where each begins."""
    lows = np.roll(spline.outward, 1)
    widths = np.mod(np.angle(spline.outward * lows.conj()), 2 * math.pi)
    assert widths.sum() == pytest.approx(2 * math.pi)
    return lows[:, None] * np.exp(1j * widths[:, None] * np.linspace(0, 1, 9)), lows


@settings(max_examples=150)
@given(polygons, st.floats(0, 40), st.lists(ellipses, min_size=1, max_size=2), angles)
def test_arcs_lie_around_the_boundary_as_near_as_is_said(
    corners: Array, radius_mm: float, grown_by: list[Ellipse], turn: float
) -> None:
    shape = build_shape(corners, radius_mm, grown_by, turn)
    spline = trace_boundary(shape)
    directions, _ = list_directions(spline)
    furthest = (spline.centres[:, None] * directions.conj()).real + spline.radii_mm[:, None]
    exact = shape.support(directions.ravel().view(float).reshape(-1, 2)).reshape(directions.shape)
    assert (furthest - exact).min() >= -1e-6  # where two directions are as good as one, an arc turns on by a billionth
    assert (furthest - exact).max() <= len(grown_by) * ERROR_MM + 1e-6


@settings(max_examples=150)
@given(polygons, st.floats(0, 40), st.lists(ellipses, min_size=1, max_size=2), angles)
def test_each_arc_goes_on_as_the_next_or_as_an_edge_to_it(
    corners: Array, radius_mm: float, grown_by: list[Ellipse], turn: float
) -> None:
    spline = trace_boundary(build_shape(corners, radius_mm, grown_by, turn))
    _, lows = list_directions(spline)
    ends = spline.centres + spline.radii_mm * spline.outward + 1j * spline.outward * spline.lengths_mm
    begins = spline.centres + spline.radii_mm * lows
    assert np.abs(np.roll(begins, -1) - ends).max() < 1e-6
    assert (spline.radii_mm >= radius_mm).all()


def test_an_oval_takes_few_arcs_and_a_circle_four() -> None:
    point = np.zeros((1, 2))
    counts = [
        len(trace_boundary(ConvexSet(corners_mm=point, ellipses=((a, b, 0.3),))).centres)
        for a, b in ((52.5, 35.0), (35.0, 52.5), (30.0, 30.0), (60.0, 5.0))
    ]
    assert counts == [28, 28, 4, 36]


def test_a_needle_thinner_than_the_error_is_its_longer_axis_grown() -> None:
    for a, b, turn in ((40.0, 0.005, 0.4), (0.005, 40.0, 0.4 - math.pi / 2)):
        spline = trace_boundary(ConvexSet(corners_mm=np.zeros((1, 2)), radius_mm=12.0, ellipses=((a, b, turn),)))
        assert spline.lengths_mm == pytest.approx([80, 80])
        assert spline.radii_mm.tolist() == [12.005, 12.005]
