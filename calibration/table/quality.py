"""Table quality: how good a table's calibration is, in millimetres: what is left over, predicted, and weak."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable, Floats, Lens
from calibration.table.anchor_layout import StatedAnchor, TableSize
from calibration.table.bundle_adjustment import AnchorSighting, TableFit, solve_places

ANYWHERE_MM, ANYWHERE_RAD = 1e4, 10.0
"""The sigma of a place of which nothing is known."""
WEAK_MM = 2.0
"""A table whose places are known less well than this somewhere, one sigma, is weakly held."""
WEAK_PERCENT = 1.0
"""A focal length that is known less well than this, one sigma, is weakly known."""
UNUSUAL_PX = 0.2
"""Corners of anchors are off by a tenth of a pixel where one lens took the pictures and the anchors lie flat."""
LINE_SHARE = 0.05
"""Anchors are on one line whose spread across it is less than this share of that along it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutAnchor:
    """Where an anchor lies by all the others, against where it is said to lie."""

    off_mm: float
    sigma_mm: float
    """One standard deviation of that along the way to there, of the prediction and of the laying together."""


def measure_residuals_mm(fit: TableFit) -> dict[int, float]:
    """Return by tag the root mean square distance, mm on the table, between an anchor's corners seen and predicted."""
    squares: dict[int, list[Floats]] = {}
    for camera, off_px in zip(fit.cameras, fit.off_px, strict=True):
        for anchor, place in zip(fit.stated, fit.places, strict=True):
            if anchor.tag in off_px:
                spot = np.array([[place[0], place[1], anchor.z_mm]])
                off_mm = off_px[anchor.tag] @ np.linalg.inv(camera.scale_px_per_mm(spot)[0]).T
                squares.setdefault(anchor.tag, []).append((off_mm**2).sum(axis=1))
    return {tag: float(np.sqrt(np.mean(squared_mm2))) for tag, squared_mm2 in squares.items()}


def hold_out_anchors(
    *, lens: Lens, stated: Sequence[StatedAnchor], table: TableSize, pictures: Sequence[AnchorSighting], fit: TableFit
) -> dict[int, HeldOutAnchor]:
    """Return by tag where each anchor that has a place lies by all the others, if they tell.

    Args:
        lens: as it was given to the solve of ``fit``; so are the next three.
        stated: what is said of the anchors.
        table: the table's measures.
        pictures: what is seen of them.
        fit: the solution with all of them.

    """
    fixed = [anchor for anchor in fit.stated if not anchor.is_open]
    held_out = {}
    for anchor_out in fixed if len(fixed) > 1 else ():
        free = replace(anchor_out, sigma_mm=ANYWHERE_MM, sigma_rad=ANYWHERE_RAD)
        others = [free if anchor.tag == anchor_out.tag else anchor for anchor in stated]
        try:
            without = solve_places(
                lens=lens,
                stated=others,
                table=table,
                pictures=pictures,
                floor_px=max(fit.floor_px, 0.01),
                start=fit.places,
            )
        except Unsolvable:
            continue
        i = next(i for i, anchor in enumerate(without.stated) if anchor.tag == anchor_out.tag)
        off = (without.places - without.stated_places)[i, :2]
        way = off / max(float(np.hypot(*off)), 1e-9)
        spread = without.stated_covariance[i, :2, :2] + anchor_out.sigma_mm**2 * np.eye(2)
        sigma_mm = float(np.sqrt(way @ spread @ way))
        if sigma_mm < ANYWHERE_MM / 10:
            held_out[anchor_out.tag] = HeldOutAnchor(off_mm=float(np.hypot(*off)), sigma_mm=sigma_mm)
    return held_out


def map_sigma_mm(camera: CameraOverTable, table: TableSize) -> list[tuple[float, float, float]]:
    """Return x, y and the larger standard deviation of places, mm, at the table's middle and corners."""
    width, depth = table.width_mm, table.depth_mm
    spots = [(width / 2, depth / 2), (0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth)]
    spreads = camera.covariance_mm2([(x, y, 0.0) for x, y in spots])
    worst = np.sqrt(np.linalg.eigvalsh(spreads)[:, -1])
    return [(x, y, float(sigma_mm)) for (x, y), sigma_mm in zip(spots, worst, strict=True)]


def describe_weaknesses(fit: TableFit, table: TableSize, *, lens_known: bool) -> tuple[str, ...]:
    """Return what holds a table weakly, a sentence each, with what would help."""
    reasons = []
    fixed = [anchor.tag for anchor in fit.stated if not anchor.is_open]
    x_mm, y_mm, worst_mm = max(
        (max(map_sigma_mm(camera, table), key=lambda spot: spot[2]) for camera in fit.cameras), key=lambda s: s[2]
    )
    if worst_mm > WEAK_MM:
        where = f"places near x {x_mm:.0f}, y {y_mm:.0f} mm are known to ± {worst_mm:.1f} mm only"
        if len(fit.stated) == 1:
            reasons.append(f"{where}: anchor {fixed[0]} is alone; lay three more, near the other corners")
        elif len(fixed) == 1:
            reasons.append(f"{where}: anchor {fixed[0]} alone holds the table; lay another into a corner far from it")
        elif len(fixed) == 2:
            reasons.append(
                f"{where}: anchors {fixed[0]} and {fixed[1]} alone hold the table; lay another into a corner"
            )
        else:
            reasons.append(f"{where}: lay an anchor near there")
    camera = fit.cameras[0]
    share = 100 * math.sqrt(camera.lens.covariance[0, 0]) / float(camera.lens.parameters[0])
    if not lens_known and share > WEAK_PERCENT:
        reasons.append(
            f"without a lens file the focal length is known to ± {share:.1f} % and the camera's height to"
            f" ± {camera.height_sigma_mm:.0f} mm, so that what stands higher than the anchors is placed less surely:"
            " make one with overtable calibrate lens, or from a recorded game with overtable calibrate refine"
        )
    if (off_px := max(camera.sigma_px for camera in fit.cameras)) > UNUSUAL_PX:
        reasons.append(
            f"the anchors' corners are {off_px:.1f} px off what fits them best, where 0.1 px is usual, and the figures"
            f" above may be too good: {_explain_offsets(len(fit.cameras), lens_known=lens_known)}"
        )
    return tuple(reasons)


def _explain_offsets(pictures: int, *, lens_known: bool) -> str:
    """Return what may put corners off beyond their noise, the likeliest first."""
    lens = "the lens file is of another lens, zoom or focus, "
    zoom = "the pictures were not all taken with one zoom and focus, "
    flat = "a picture is shaken, or anchors do not lie flat or have another size than was said"
    return (lens if lens_known else "") + (zoom if pictures > 1 else "") + flat


def is_collinear(fit: TableFit) -> bool:
    """Whether three or more anchors lie on one line, so that the table's tilt about it is told by their size only."""
    centres_mm = fit.places[:, :2]
    spread = np.linalg.svd(centres_mm - centres_mm.mean(axis=0), compute_uv=False)
    return len(centres_mm) > 2 and bool(spread[-1] < LINE_SHARE * spread[0])
