"""Laid rings: how a ring, or a tag, lies in its base that a person has put there by eye.

A hand slides a halo under a base, or sticks a rim on it, to a few tenths of a millimetre, and turns a model on the spot
no better: so nothing is measured, and that much is reckoned with.
"""

import math

import numpy as np

from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import RingedBase, RingInBase, TaggedBase, TagInBase, trace_base
from hardware.rings.layout import RingKind
from vision.enrolment.enrolment_sheet import HeightPrior

LAID_SIGMA_MM = 0.3
"""How well a hand centres a ring on a base, one standard deviation along each axis."""
NOSE_SIGMA_DEG = 3.0
"""How well the nose of a round ring is turned to where a figure looks, by eye."""
BASE_MM, BASE_SIGMA_MM = 4.0, 1.0
"""How high a base is of which nobody has said it, and how well that is known."""
MIDDLE_SIGMA_MM = 1.0
"""How well a tag is glued into the middle of a base by eye, one standard deviation along each axis."""
MIDDLE_SIGMA_DEG = 3.0
"""How well it is turned toward the model's front."""
HINT = "A ring needs no measuring: laid by hand it is centred to within 0.3 mm, and that is what is reckoned with."


def lay_ring_by_hand(base: BaseSpec) -> RingInBase:
    """Return where a ring lies that a person has laid: in its place, as surely as a hand does it.

    A round one is turned by eye, any other by its base's own outline.
    """
    sigma_deg = NOSE_SIGMA_DEG
    if base.round_mm is None:
        reach_mm = float(np.ptp(trace_base(base.shape), axis=0).max() / 2)
        sigma_deg = round(min(NOSE_SIGMA_DEG, math.degrees(math.sqrt(2) * LAID_SIGMA_MM / reach_mm)), 2)
    return RingInBase(sigma_mm=LAID_SIGMA_MM, sigma_deg=sigma_deg)


def build_ringed_base(
    model: str, base: BaseSpec, kind: RingKind, ring: int, *, height: HeightPrior | None
) -> RingedBase:
    """Return the entry of a set-up file for a model with a ring that a hand has laid."""
    height = height or HeightPrior(mm=BASE_MM, sigma_mm=BASE_SIGMA_MM)
    return RingedBase(
        ring=ring,
        ring_kind="halo" if kind is RingKind.HALO else "rim",
        model=model,
        base=base,
        ring_in_base=lay_ring_by_hand(base),
        height_mm=height.mm,
        height_sigma_mm=height.sigma_mm,
    )


def build_eyed_tag(model: str, base: BaseSpec, tag: int, size_mm: float) -> TaggedBase:
    """Return the entry of a set-up file for a model with a tag that was glued into its middle by eye."""
    return TaggedBase(
        tag=tag,
        size_mm=size_mm,
        model=model,
        base=base,
        tag_in_base=TagInBase(sigma_mm=MIDDLE_SIGMA_MM, sigma_deg=MIDDLE_SIGMA_DEG),
        height_mm=BASE_MM,
        height_sigma_mm=BASE_SIGMA_MM,
    )
