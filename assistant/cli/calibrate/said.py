"""What a person is told of a calibration."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assistant.setup import read_setup
from calibration.judgement import Judgement
from calibration.lens_forms import PairForm
from calibration.lens_map import LensMap, Stand, stand_over
from calibration.spaces import Lens

OUTCOMES = {
    "agree": "can be of the same camera",
    "open": "may be of the same camera: they lie further apart than two standard deviations, but not than three",
    "disagree": "disagree: they are not of the same camera as it was, or one of them is not as good as it looks",
}


def stand_of(lens: Lens, setup: Path | None) -> Stand:
    """Return the table and the anchors of a set-up, or the usual ones, under a camera whose picture the table fills.

    Raises:
        BadInput: the set-up file is not as it should be.

    """
    if setup is None:
        return stand_over(lens)
    read = read_setup(setup)
    anchors_mm = np.concatenate([anchor.square_mm for anchor in read.anchor_tags])
    return stand_over(lens, table_mm=(read.table.width_mm, read.table.depth_mm), anchors_mm=anchors_mm)


def map_in_words(on_table: LensMap) -> Iterator[str]:
    """Yield the map as a grid, the far edge on top."""
    width, depth = on_table.stand.table_mm
    yield (
        f"Expected error on a table of {width:.0f} x {depth:.0f} mm that fills the picture"
        f" (camera {on_table.stand.height_mm:.0f} mm above it): {on_table.typical_mm:.2f} mm,"
        f" {on_table.worst_mm:.2f} mm where it is worst."
    )
    xs = on_table.places_mm[0, :, 0]
    yield "  y \\ x " + "".join(f"{x:7.0f}" for x in xs)
    for places, errors in zip(on_table.places_mm[::-1], on_table.errors_mm[::-1], strict=True):
        yield f"  {places[0, 1]:5.0f} " + "".join(f"{error:7.2f}" for error in errors)


def judgement_in_words(verdict: Judgement) -> Iterator[str]:
    """Yield the verdict and every reason, the weakest first."""
    yield f"This lens is {verdict.level}:"
    for reason in verdict.reasons:
        yield f"  {reason.level}: {reason.sentence}."


def pair_in_words(pair: PairForm) -> Iterator[str]:
    """Yield how two lenses differ."""
    yield f"{pair.one} and {pair.other} {OUTCOMES[pair.outcome]}."
    worst = sorted(pair.differences, key=lambda d: -abs(d.difference / d.sigma))[:4]
    yield "  furthest apart: " + ", ".join(
        f"{d.parameter} by {d.difference:+.4g} ({abs(d.difference / d.sigma):.1f} sigma)" for d in worst
    )
    yield f"  all nine together: chi-square {pair.chi2:.1f}, of which 9 is usual (chance {pair.probability:.2g})"
    yield (
        f"  on the table they lie {pair.typical_mm:.2f} mm apart ({pair.typical_px:.2f} px),"
        f" {pair.worst_mm:.2f} mm at worst ({pair.worst_px:.2f} px);"
        f" their uncertainty allows for {pair.expected_mm:.2f} mm"
    )


def written_in_words(path: Path, before: Path | None) -> str:
    """Return where a calibration is now, and where the one before it."""
    return f"Written to {path}." + (f" The one before it is {before.name} now." if before else "")
