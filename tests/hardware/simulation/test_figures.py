import math

import numpy as np
import pytest

from hardware.simulation.figures import build_solids, fit_figure, mix_paints
from hardware.simulation.scene import FigureKind
from hardware.simulation.solids import Block, Limb, Paint, Sail, SolidFrame, cast_shadows, list_facets
from tests.hardware.simulation.base_outlines import build_oval_outline

OUTLINE = build_oval_outline(length_mm=32, width_mm=32)
FRAME = SolidFrame(origin_mm=(100.0, 200.0, 4.0), facing_rad=0.4, across_mm=(8.0, 8.0), height_mm=36.0)


@pytest.mark.parametrize("kind", FigureKind)
def test_a_figure_is_made_by_its_seed(kind: FigureKind) -> None:
    figures = [build_solids(kind, seed) for seed in range(8)]
    assert figures == [build_solids.__wrapped__(kind, seed) for seed in range(8)]
    assert len({repr(solids) for solids in figures}) > 1 or kind is FigureKind.VEHICLE


@pytest.mark.parametrize("kind", FigureKind)
def test_a_figure_stands_on_its_base_and_leans_out_no_farther_than_its_arms(kind: FigureKind) -> None:
    figure = fit_figure(kind, OUTLINE, seed=3, colour=(126, 74, 22))
    for seed in range(12):
        facets = list_facets(
            build_solids(kind, seed), FRAME, eye_mm=np.array([700.0, 500.0, 1800.0]), paints=mix_paints(figure)
        )
        corners = np.concatenate([facet.corners_mm for facet in facets]) - FRAME.origin_mm
        assert -3.0 < corners[:, 2].min() < 8.0
        assert corners[:, 2].max() < 1.4 * FRAME.height_mm
        assert np.hypot(corners[:, 0], corners[:, 1]).max() < 3.2 * 8.0
        assert np.hypot(*corners[:, :2].mean(axis=0)) < 8.0


def test_a_robed_figure_keeps_to_its_width() -> None:
    for seed in range(12):
        for solid in build_solids(FigureKind.ROBED, seed):
            assert isinstance(solid, Limb)
            for (x, y, _), radius in zip((solid.start, solid.end), solid.radii, strict=True):
                assert math.hypot(x, y) + radius < 1.15


def test_a_capsule_looks_like_two_discs_and_what_is_between_them() -> None:
    paints = dict.fromkeys(Paint, (100, 100, 100))
    lying = Limb((-1.0, 0.0, 0.5), (1.0, 0.0, 0.5), (0.5, 0.5), Paint.SKIN)
    standing = Limb((0.0, 0.0, 0.2), (0.0, 0.0, 0.8), (0.5, 0.25), Paint.SKIN)
    for limb, area_mm2 in ((lying, math.pi * 16 + 2 * 4 * 16), (standing, math.pi * 16)):
        outline = list_facets([limb], FRAME, eye_mm=np.array([100.0, 200.0, 1e7]), paints=paints)[0].corners_mm
        normal = np.cross(outline - outline[0], np.roll(outline, -1, axis=0) - outline[0]).sum(axis=0) / 2
        assert np.linalg.norm(normal) == pytest.approx(area_mm2, rel=0.1), "but for the corners of its outline"


def test_what_is_nearer_is_painted_later_and_its_shadow_falls_away_from_the_lamp() -> None:
    low = Block(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)), 0.0, 0.3, 0.9, Paint.METAL)
    high = Sail(((-0.5, -0.5, 0.9), (0.5, -0.5, 0.9), (0.5, 0.5, 0.9)), Paint.CLOTH)
    facets = list_facets(
        [high, low], FRAME, eye_mm=np.array([100.0, 200.0, 1800.0]), paints=dict.fromkeys(Paint, (90, 90, 90))
    )
    assert facets[-1].corners_mm[:, 2].min() > facets[0].corners_mm[:, 2].max()
    sail_shadow, block_shadow = cast_shadows([high, low], FRAME, floor_mm=0.0)
    assert sail_shadow[:, 2].max() == block_shadow[:, 2].max() == 0.0
    moved = sail_shadow.mean(axis=0) - facets[-1].corners_mm.mean(axis=0)
    assert (moved[0], moved[1]) == pytest.approx((0.42 * (0.9 * 36 + 4), -0.30 * (0.9 * 36 + 4)))
