"""Checks of the markers: whether tags and rings are large enough in the picture, and how surely models are placed."""

from collections.abc import Iterator, Sequence

import numpy as np

from assistant.features.camera.marker_sizes import (
    CELL_PX,
    LEAST_CELL_PX,
    advise_on_cells,
    find_least_tag_px,
    find_safe_tag_px,
    format_px,
    measure_cell_mm,
    measure_sight,
)
from assistant.features.camera.sight_reasons import SightCircumstances, explain_sight, find_last_places
from assistant.features.diagnosis.camera import SampleAnalysis, measure_blur_px
from assistant.features.diagnosis.report import Check, report_bad, report_fair, report_good
from assistant.features.marker_choice import describe_base
from assistant.setup.bases import RingedBase
from assistant.setup.file import Setup
from calibration.spaces import CameraOverTable
from vision.marker_numbers import name_marker

NAMED = 6
"""So many markers are named, of more it is said how many."""


def check_tags(setup: Setup, camera: CameraOverTable, sight: SampleAnalysis) -> Check:
    """Say whether the tags are large enough to be read all over the table."""
    px_per_mm = measure_sight(camera, (setup.table.width_mm, setup.table.depth_mm)).px_per_mm
    blur_px = measure_blur_px(sight)
    least_px, safe_px = find_least_tag_px(blur_px), find_safe_tag_px(blur_px)
    safe_mm = np.ceil(safe_px / px_per_mm)
    if not setup.tagged_bases:
        return report_good(
            "tags", f"the set-up has no tagged bases yet; tags of {safe_mm:.0f} mm or more are read all over the table"
        )
    smallest = min(setup.tagged_bases, key=lambda base: base.size_mm)
    size_px = smallest.size_mm * px_per_mm
    fact = (
        f"the smallest, that of {smallest.model} with {smallest.size_mm:g} mm, is {size_px:.0f} px where it is farthest"
    )
    if size_px >= safe_px:
        return report_good("tags", fact)
    advice = f"use tags of {safe_mm:.0f} mm or more, or a camera with more pixels, or focus better"
    return (report_fair if size_px >= least_px else report_bad)("tags", fact, advice)


def check_rings(setup: Setup, camera: CameraOverTable, sight: SampleAnalysis) -> Iterator[Check]:
    """Say of each kind of ring how many pixels its cells have, and which of them are read now."""
    rings = setup.rings.ring_list
    table = measure_sight(camera, (setup.table.width_mm, setup.table.depth_mm))
    seen = {pose.model for pose in sight.snapshot.poses if pose.state == "seen"}
    for about, bases in _group_rings(setup).items():
        cell_px = measure_cell_mm(bases[0].lay_ring(rings)) * table.px_per_mm
        unread = [base.marker for base in bases if base.model not in seen]
        fact = (
            f"{about}: a cell is {format_px(cell_px)} px where it is farthest; {len(bases) - len(unread)} of"
            f" {len(bases)} are read"
        )
        if unread and len(unread) < len(bases):
            fact += f", not {_name_markers(unread)}"
        if cell_px < CELL_PX:
            report = report_fair if cell_px >= LEAST_CELL_PX else report_bad
            yield report("rings", fact, advise_on_cells(bases[0].base, rings, cell_px, table))
        elif unread:
            yield report_fair("rings", fact, "lay the others flat and uncovered, and turn away a lamp that they mirror")
        else:
            yield report_good("rings", fact)


def _group_rings(setup: Setup) -> dict[str, list[RingedBase]]:
    """Return the ringed bases by what people call their rings."""
    groups: dict[str, list[RingedBase]] = {}
    for base in setup.ringed_bases:
        band_mm = "" if base.band_mm is None else f" of {base.band_mm[1] - base.band_mm[0]:g} mm"
        groups.setdefault(f"{base.ring_kind}s{band_mm}, {describe_base(base.base)}", []).append(base)
    return groups


def check_bases(setup: Setup, sight: SampleAnalysis) -> Iterator[Check]:
    """Say how surely the models are placed now."""
    poses = [pose for pose in sight.snapshot.poses if pose.state == "seen"]
    still = [pose for pose in poses if not pose.moving]
    if not setup.bases:
        return
    fact = f"{len(poses)} of {len(setup.bases)} are seen"
    if still:
        sigmas_mm = [float(np.sqrt(np.linalg.eigvalsh(pose.covariance[:2, :2])[-1])) for pose in still]
        worst = still[int(np.argmax(sigmas_mm))]
        fact += (
            f", placed within {np.median(sigmas_mm):.2f} mm, {worst.model} within {max(sigmas_mm):.2f} mm (one sigma)"
        )
    if twice := sight.snapshot.shown_twice:
        yield report_bad("bases", f"{fact}; in view twice: {_name_markers(twice)}", "take one print of each away")
    elif poses:
        yield report_good("bases", fact)
    known = SightCircumstances(
        table_mm=(setup.table.width_mm, setup.table.depth_mm),
        places_mm=find_last_places(sight.pipeline),
        clues=sight.clues,
    )
    for reason in explain_sight(sight.snapshot, sight.pipeline.markers, known):
        if reason.about not in {"anchors", "flicker"}:
            yield report_fair("bases", reason.fact, reason.advice)


def check_terrain(setup: Setup, sight: SampleAnalysis) -> Iterator[Check]:
    """Say which marked pieces of terrain are seen, and whether the heights of their marks fit."""
    if not setup.terrain:
        return
    states = {pose.model: pose for pose in sight.snapshot.terrain}
    unseen = [each.piece for each in setup.terrain if each.piece not in states]
    fact = f"{len(states)} of {len(setup.terrain)} marked pieces are seen"
    lifted = [pose for pose in states.values() if pose.state == "lifted"]
    if lifted:
        high = ", ".join(f"{pose.model} by {pose.z_mm:.0f} mm" for pose in lifted)
        advice = (
            "where the piece lies, its height_mm in the set-up is too low by about that: measure the mark's height anew"
        )
        yield report_bad("terrain", f"{fact}; too high: {high}", advice)
    elif unseen:
        yield report_fair("terrain", f"{fact}, not {', '.join(unseen)}", "lay them so that the camera sees their marks")
    else:
        yield report_good("terrain", fact)


def _name_markers(markers: Sequence[int]) -> str:
    named = ", ".join(map(name_marker, markers[:NAMED]))
    return named if len(markers) <= NAMED else f"{named} and {len(markers) - NAMED} more"
