"""Enrolment by a spin: where a tag is in a base, from the circle that it describes while the model is turned.

The tag's own turn is read in every picture, so its centre is at c + w e^(i turn): linear in the base's centre c and in
the tag's offset w along its own axes, and solvable even for a tag in the very middle, which describes no circle.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable
from vision.enrolment.enrolment_sheet import (
    BLEED_SIGMA_PX,
    PRINT_SIGMA,
    UNIT,
    Enrolment,
    HeightPrior,
    fit_similarity,
    project_on_plane,
)

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

SECTORS = 24
"""A turn is cut into so many parts of equal weight: where the hand rested tells no more than where it went on."""
LEAST_SECTORS = 6
LEAST_TURN_RAD = math.radians(150.0)
ENOUGH_RAD = math.radians(270.0)
"""A hand that turns a model hides its tag for a part of the turn."""
ENOUGH_PICTURES = 16
"""So many of a tag's looks tell whether it turns."""
TURNS_RAD = math.radians(45.0)
"""A tag that was seen at turns this far apart is being turned."""
SIMILARITY_RATIO = 3.0
"""A base wanders slowly, so that so many neighbouring sectors are off together."""
SPOT_SIGMA_MM = 0.3
"""A hand does not turn a base about its very centre, and what is off turns with it, unseen: along each axis."""
FRONT_SIGMA_RAD = math.radians(1.5)
"""How well a person points a front at the far edge."""
FRONT_RAD = math.radians(3.0)
"""Pictures at the beginning that differ by less show the front as it was pointed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spin:
    """What pictures of one tag show while it is turned, on the plane of its height."""

    centres: Complexes
    turns: Complexes
    """Unit numbers, in the pictures' order."""
    scales: Floats
    """How large the tag looks, as a share of its size."""
    size_px: float

    @property
    def covered_rad(self) -> float:
        """How much of a whole turn was seen: all of it but for the largest gap."""
        angles = np.sort(np.angle(self.turns))
        gaps = np.diff(angles, append=angles[0] + math.tau)
        return math.tau - float(gaps.max())

    @property
    def sectors(self) -> NDArray[np.intp]:
        """(n,) in which part of the turn each picture is."""
        return np.asarray(np.floor(np.angle(self.turns) / math.tau * SECTORS), dtype=np.intp) % SECTORS


def spin_from_corners(camera: CameraOverTable, corners_px: Sequence[Floats], size_mm: float, height_mm: float) -> Spin:
    """Return what some pictures of one tag's (4, 2) corners show."""
    corners = project_on_plane(camera, np.array(corners_px), height_mm)
    fits = np.array([fit_similarity(UNIT * size_mm, square) for square in corners])
    edges_px = np.linalg.norm(np.array(corners_px) - np.roll(corners_px, 1, axis=1), axis=2)
    scales = np.abs(fits[:, 1])
    return Spin(centres=fits[:, 0], turns=fits[:, 1] / scales, scales=scales, size_px=float(edges_px.mean()))


def find_turning_tag(camera: CameraOverTable, seen_px: Mapping[int, Sequence[Floats]]) -> int:
    """Return which of some tags, each with its (4, 2) corners from picture to picture, was turned.

    Raises:
        Unsolvable: none was, or several were.

    """
    turned = []
    for tag, corners_px in sorted(seen_px.items()):
        some = corners_px[:: -(-len(corners_px) // ENOUGH_PICTURES)]  # so that many tags at rest cost little
        turns = spin_from_corners(camera, some, 1.0, 0.0).turns
        if np.abs(np.angle(turns / turns[0])).max() > TURNS_RAD:
            turned.append(tag)
    if not turned:
        raise Unsolvable(
            "no tag is seen to turn: point the model's front to the far edge of the table, then turn it on the spot,"
            " once round, with its tag in view"
        )
    if len(turned) > 1:
        raise Unsolvable(f"tags {turned[0]} and {turned[1]} were both turned; turn one model and leave the others")
    return turned[0]


def solve_spin(
    camera: CameraOverTable,
    tag: int,
    corners_px: Sequence[Floats],
    size_mm: float,
    height: HeightPrior | None = None,
    *,
    front_last: bool = False,
) -> Enrolment:
    """Solve where a tag is in a base that was turned on the spot; the height is known only from outside and by size.

    Args:
        camera: the camera, which stood still meanwhile.
        tag: the model's tag.
        corners_px: its (4, 2) corners from picture to picture, where it was seen.
        size_mm: edge of its black square.
        height: what is known of its height.
        front_last: the front pointed to the far edge (+y) at the end, not at the beginning.

    Raises:
        Unsolvable: it was turned too little.

    """
    height = height or HeightPrior()
    spin = spin_from_corners(camera, corners_px, size_mm, height.mm)
    if spin.covered_rad < LEAST_TURN_RAD or len(np.unique(spin.sectors)) < LEAST_SECTORS:
        raise Unsolvable(
            f"tag {tag} was seen over {math.degrees(spin.covered_rad):.0f}° of a turn; at least"
            f" {math.degrees(LEAST_TURN_RAD):.0f}° are needed in {LEAST_SECTORS} pictures or more, better once round"
        )
    arm, arm_variance = _fit_offset(spin)
    height_mm, height_sigma_mm = _estimate_height(camera, spin, height)
    # What is really nearer to the camera than was taken looks larger.
    arm *= (camera.height_mm - height_mm) / (camera.height_mm - height.mm)
    pointed = spin.turns[::-1] if front_last else spin.turns
    begun = np.abs(np.angle(pointed / pointed[0])) > FRONT_RAD
    facing = pointed[: int(np.argmax(begun))].sum() * -1j  # the front is at +y
    facing /= abs(facing)
    offset = arm * facing
    covariance = np.diag([arm_variance, arm_variance, FRONT_SIGMA_RAD**2, height_sigma_mm**2])
    # A tag whose turn in the base is misjudged is also misplaced about the base's centre.
    lever = np.array([[1, 0, -offset.imag, 0], [0, 1, offset.real, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    whole = spin.covered_rad >= ENOUGH_RAD
    return Enrolment(
        tag=tag,
        size_mm=size_mm,
        x_mm=float(offset.real),
        y_mm=float(offset.imag),
        facing_rad=float(np.angle(facing)),
        height_mm=height_mm,
        covariance=lever @ covariance @ lever.T,
        advice=_choose_advice(height_sigma_mm, arm_variance, whole=whole),
    )


def _fit_offset(spin: Spin) -> tuple[complex, float]:
    """Return the tag's offset along its own axes, mm, and the variance along each, mm^2."""
    sectors = spin.sectors
    parts = [sectors == sector for sector in np.unique(sectors)]
    # The relation is linear, so it holds for the means of each sector.
    centres = np.array([spin.centres[part].mean() for part in parts])
    design = np.array([[1.0, spin.turns[part].mean()] for part in parts])
    weight = np.ones(len(parts))
    for _ in range(20):
        gram = (design.conj().T * weight) @ design
        fitted = np.linalg.solve(gram, (design.conj().T * weight) @ centres)
        off_mm = np.abs(centres - design @ fitted)
        usual_mm = max(0.01, 1.4826 * float(np.median(off_mm)))
        weight = np.minimum(1.0, 1.5 * usual_mm / np.maximum(off_mm, 1e-9))
    freedom = max(1.0, 2.0 * len(parts) - 4.0)
    variance = SIMILARITY_RATIO * float((weight * off_mm**2).sum()) / freedom
    return complex(fitted[1]), variance * float(np.linalg.inv(gram)[1, 1].real) + SPOT_SIGMA_MM**2


def _estimate_height(camera: CameraOverTable, spin: Spin, known: HeightPrior) -> tuple[float, float]:
    """Join what is known of the height with what the tag's apparent size says of it; return it with its sigma."""
    over_mm = camera.height_mm - known.mm
    seen_mm = camera.height_mm - over_mm / float(np.median(spin.scales))
    sigma_mm = over_mm * math.hypot(2 * BLEED_SIGMA_PX / spin.size_px, PRINT_SIGMA)
    weight = known.sigma_mm**2 / (known.sigma_mm**2 + sigma_mm**2)
    return known.mm + weight * (seen_mm - known.mm), known.sigma_mm * math.sqrt(1 - weight)


def _choose_advice(height_sigma_mm: float, arm_variance: float, *, whole: bool) -> str:
    if not whole:
        return "Turn it once round: then what wanders averages out."
    if math.sqrt(arm_variance) > 2 * SPOT_SIGMA_MM:
        return "Once more, keeping the base on the spot: it wandered while it was turned."
    if height_sigma_mm > 1.0:
        return "Measure the tag's height with a ruler and give it: turning does not tell it."
    return ""
