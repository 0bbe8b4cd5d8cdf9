import math

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.projector.model import Nudge, ProjectorOverTable, cast_light
from calibration.projector.solve import ProjectedTag, ProjectorFit, solve_projector

Floats = NDArray[np.float64]

SIZE, TABLE_MM = (1920, 1080), (1524.0, 1118.0)
STRAIGHT = np.array([0.95, 0.03, 200, 0.02, -0.93, 1060, 2e-5, 6e-5, 959.5, 539.5, 0, 0, 0, 0])
LENS = np.array([1010.0, 860.0, -0.02, 0.002, 0.0, 0.0])
BENT = np.concatenate([STRAIGHT[:8], LENS])
EVERYWHERE = np.stack(np.meshgrid(np.linspace(40, 1480, 7), np.linspace(40, 1080, 6)), axis=-1).reshape(-1, 2)


def build_projector(parameters: Floats) -> ProjectorOverTable:
    return ProjectorOverTable(image_size=SIZE, parameters=parameters, covariance=np.zeros((14, 14)))


def throw_tags(
    true: ProjectorOverTable, rng: np.random.Generator, *, across: int = 7, down: int = 5, sigma_mm: float = 0.08
) -> list[ProjectedTag]:
    """Tags all over the table, each seen a little beside where it falls."""
    tags: list[ProjectedTag] = []
    for y in np.linspace(60, 1050, down):
        for x in np.linspace(60, 1460, across):
            middle = true.projector_from_table([(x, y)])[0].round()
            pixels = middle + 24 * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
            places = true.table_from_projector(pixels) + rng.normal(0, sigma_mm, 2)
            tags.append(
                ProjectedTag(
                    tag=len(tags), pixels=pixels, places_mm=places, covariance_mm2=sigma_mm**2 * 1e-2 * np.eye(8)
                )
            )
    return tags


def solve_simulated(parameters: Floats, **how: float) -> ProjectorFit:
    rng = np.random.default_rng(3)
    return solve_projector(throw_tags(build_projector(parameters), rng, **how), SIZE, TABLE_MM)  # type: ignore[arg-type]


def measure_off_mm(fit: ProjectorFit, true: ProjectorOverTable) -> Floats:
    return true.table_from_projector(fit.projector.projector_from_table(EVERYWHERE)) - EVERYWHERE


def test_light_comes_back_from_where_it_falls() -> None:
    bent = build_projector(BENT)
    pixels = bent.projector_from_table(EVERYWHERE)
    assert bent.table_from_projector(pixels) == pytest.approx(EVERYWHERE, abs=1e-6)


def test_slopes_are_the_derivatives() -> None:
    bent = build_projector(BENT + np.array([*[0.0] * 12, 0.004, -0.003]))
    _, slope = cast_light(EVERYWHERE, bent.parameters, bent.radius_px)
    for at, value in enumerate(bent.parameters):
        step = np.zeros(14)
        step[at] = 1e-6 * max(1e-3, abs(value))
        ahead, behind = (cast_light(EVERYWHERE, bent.parameters + s, bent.radius_px)[0] for s in (step, -step))
        assert slope[:, :, at] == pytest.approx((ahead - behind) / (2 * step[at]), rel=2e-4, abs=2e-2)
    for axis in range(2):
        step = np.eye(2)[axis] * 0.01
        moved = bent.projector_from_table(EVERYWHERE + step) - bent.projector_from_table(EVERYWHERE - step)
        assert bent.scale_px_per_mm(EVERYWHERE)[:, :, axis] == pytest.approx(moved / 0.02, abs=1e-5)


def test_a_lens_is_fitted_where_there_is_one() -> None:
    fit = solve_simulated(BENT)
    assert fit.lens.startswith("off-axis")
    assert fit.tried_mm["flat"] > 3 * fit.tried_mm[fit.lens]
    assert np.linalg.norm(measure_off_mm(fit, build_projector(BENT)), axis=1).max() < 0.25


def test_no_lens_is_fitted_where_there_is_none() -> None:
    fit = solve_simulated(STRAIGHT)
    assert fit.lens == "flat"
    assert len(fit.tried_mm) > 3
    assert fit.mean_mm < 0.2


def test_tags_held_out_tell_how_far_light_is_off() -> None:
    near, far = solve_simulated(STRAIGHT, sigma_mm=0.05), solve_simulated(STRAIGHT, sigma_mm=0.4)
    # One tag by itself is off by its own scatter and a little more, by the fit's.
    assert 0.05 < near.mean_mm < 0.1
    assert 7 < far.mean_mm / near.mean_mm < 9
    worst = near.places_mm[np.linalg.norm(near.held_out_mm, axis=1).argmax()]
    assert near.worst_at_mm == tuple(worst)


def test_bad_tags_are_named_and_bend_nothing() -> None:
    tags = throw_tags(build_projector(BENT), np.random.default_rng(4))
    for at, shift in ((8, (9.0, -4.0)), (20, (-3.0, 2.0))):
        bad = tags[at]
        tags[at] = ProjectedTag(
            tag=bad.tag, pixels=bad.pixels, places_mm=bad.places_mm + shift, covariance_mm2=bad.covariance_mm2
        )
    fit = solve_projector(tags, SIZE, TABLE_MM)
    assert fit.dropped == (8, 20)
    assert set(fit.tags) == set(range(35)) - {8, 20}
    assert np.linalg.norm(measure_off_mm(fit, build_projector(BENT)), axis=1).max() < 0.25


def test_light_that_spills_over_edges_does_not_move_them() -> None:
    tags: list[ProjectedTag] = []
    for tag in throw_tags(build_projector(STRAIGHT), np.random.default_rng(5)):
        middle = tag.places_mm.mean(axis=0)
        smaller = middle + 0.98 * (tag.places_mm - middle)
        tags.append(ProjectedTag(tag=tag.tag, pixels=tag.pixels, places_mm=smaller, covariance_mm2=tag.covariance_mm2))
    fit = solve_projector(tags, SIZE, TABLE_MM)
    assert np.linalg.norm(measure_off_mm(fit, build_projector(STRAIGHT)), axis=1).max() < 0.2
    assert fit.bleed_px == pytest.approx(0.02 * 24, rel=0.1)


def test_the_stated_covariance_is_that_of_the_errors() -> None:
    rng = np.random.default_rng(6)
    true, squares = build_projector(STRAIGHT), []
    for _ in range(12):
        fit = solve_projector(throw_tags(true, rng, across=4, down=3), SIZE, TABLE_MM)
        off = measure_off_mm(fit, true)[:, :, None]
        squares.append((off.transpose(0, 2, 1) @ np.linalg.inv(fit.projector.covariance_mm2(EVERYWHERE)) @ off).mean())
    assert 1.0 < np.mean(squares) < 4.0  # two degrees of freedom


def test_too_few_tags_are_refused() -> None:
    tags = throw_tags(build_projector(STRAIGHT), np.random.default_rng(0))
    with pytest.raises(Unsolvable, match="5 of the projected tags were seen"):
        solve_projector(tags[:5], SIZE, TABLE_MM)


def test_tags_along_a_line_are_refused() -> None:
    tags = throw_tags(build_projector(STRAIGHT), np.random.default_rng(0), across=12)
    with pytest.raises(Unsolvable, match="near one line"):
        solve_projector(tags[:12], SIZE, TABLE_MM)


def test_a_nudge_moves_the_light_by_as_much() -> None:
    bent, middle = build_projector(BENT), (762.0, 559.0)
    shifted = bent.apply_nudge(Nudge(x_mm=3, y_mm=-2), middle)
    landed = bent.table_from_projector(shifted.projector_from_table(EVERYWHERE))
    assert landed == pytest.approx(EVERYWHERE + np.array([3, -2]), abs=1e-6)
    turned = bent.apply_nudge(Nudge(turn_rad=math.radians(1), scale=1.01), middle)
    landed = bent.table_from_projector(turned.projector_from_table([(862.0, 559.0), middle]))
    assert landed[0] == pytest.approx((762 + 101 * math.cos(math.radians(1)), 559 + 101 * math.sin(math.radians(1))))
    assert landed[1] == pytest.approx(middle)
    assert Nudge(x_mm=1).combine(Nudge(x_mm=2, scale=2)) == Nudge(x_mm=3, scale=2)
