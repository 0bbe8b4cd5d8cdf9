"""Checks of the calibration: lens, anchors and projector, the error in millimetres, and what would improve it most."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assistant.features.camera.pairing import CalibrationFile
from assistant.features.camera.sight_reasons import explain_no_camera
from assistant.features.diagnosis.camera import SampleAnalysis
from assistant.features.diagnosis.report import (
    FINE_MM,
    Check,
    ErrorForm,
    RemedyForm,
    build_remedy,
    report_bad,
    report_fair,
    report_good,
)
from assistant.files.documents import read_json
from assistant.setup.file import Setup
from calibration.camera_match import CameraComparison, CameraMark, CameraMatch, match_cameras
from calibration.design_prediction import (
    TableDesign,
    assume_calibrated,
    find_remedies,
    map_error,
    measure_lens_share_mm,
)
from calibration.errors import Unsolvable
from calibration.projector.file import ProjectorFile
from calibration.spaces import CameraOverTable, Floats, Lens
from calibration.table.camera_pose import guess_lens, remove_bleed, solve_table
from vision.markers import Markers
from vision.tags.pose_estimation import Anchor

ENOUGH_MM = 1.5
"""The largest error of the calibration up to which it will do."""
FITTING_MM, TOLERABLE_MM = 0.4, 1.5
"""How far anchors may lie from where the set-up says, in root mean square."""
FEW_ANCHORS = 4
ANOTHER_LENS = 40.0
"""Squared sigma, of which 9 are free: a lens that is this one is so far away once in a hundred thousand times."""
LEAST_NOISE_PX = 0.03
"""No corner is seen better."""
UNEXPLAINED = 2.5
"""Anchors that are so many times farther off than their corners are noisy are not where they are said to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationOutlook:
    """What is reckoned of the calibration."""

    error: ErrorForm
    improve: tuple[RemedyForm, ...]
    lens_share_mm: float
    lens_apart: float
    """Squared distance, in sigma of both, of the lens file from the lens that the anchors tell alone; 9 are free."""


def predict_outlook(
    markers: Markers, sight: SampleAnalysis, *, width_mm: float, depth_mm: float
) -> CalibrationOutlook | None:
    """Return the error today and what would lessen it; None where the camera's place is not known."""
    camera = sight.pipeline.camera
    if camera is None:
        return None
    known = sight.pipeline.markers.lens
    lens = known or guess_lens(sight.image_size)
    visible, hidden = _split_seen(markers, sight)
    wrong = [anchor for anchor in visible if anchor.tag in sight.pipeline.calibrated.examined.left_out]
    visible = [anchor for anchor in visible if anchor not in wrong]
    now = map_error(camera, width_mm=width_mm, depth_mm=depth_mm)
    noise_px, placement_mm = _split_residuals(camera, sight, _stack_squares(visible))
    setting = TableDesign(
        camera=camera,
        lens=lens,
        squares_mm=_stack_squares(visible),
        sigma_px=noise_px,
        placement_mm=placement_mm,
        width_mm=width_mm,
        depth_mm=depth_mm,
    )
    remedies = find_remedies(
        setting,
        known_lens=None if known else assume_calibrated(camera.lens),
        covered_mm=_stack_squares(hidden),
        wrong_mm=_stack_squares(wrong),
    )
    tags = [anchor.tag for anchor in hidden], [anchor.tag for anchor in wrong]
    return CalibrationOutlook(
        error=ErrorForm.from_map(now),
        improve=tuple(build_remedy(remedy, now.worst_mm, *tags) for remedy in remedies),
        lens_share_mm=measure_lens_share_mm(setting),
        lens_apart=0.0 if known is None else _measure_lens_distance(known, visible, sight),
    )


def _measure_lens_distance(lens: Lens, anchors: Sequence[Anchor], sight: SampleAnalysis) -> float:
    """Return how far a lens file is from what the anchors tell without it; 0 where they are too few to tell."""
    if len(anchors) < FEW_ANCHORS:
        return 0.0
    squares_px = np.array([sight.pipeline.calibrated.anchors_px[anchor.tag] for anchor in anchors])
    try:
        alone = solve_table(
            lens=guess_lens(sight.image_size), squares_mm=_stack_squares(anchors), squares_px=squares_px
        ).lens
    except Unsolvable:
        return 0.0
    off = lens.parameters - alone.parameters
    return float(off @ np.linalg.solve(lens.covariance + alone.covariance, off))


def _split_residuals(camera: CameraOverTable, sight: SampleAnalysis, squares_mm: Floats) -> tuple[float, float]:
    """Return what of the anchors' residuals is noise (px), and what must be that they lie elsewhere (mm)."""
    if not sight.fits:
        return camera.sigma_px, 0.0
    stated = float(np.median([np.sqrt(np.trace(fit.covariance_px2) / 8) for fit in sight.fits]))
    noise_px = max(LEAST_NOISE_PX, stated)
    if camera.sigma_px < UNEXPLAINED * noise_px:
        return camera.sigma_px, 0.0
    px_per_mm = float(np.median(camera.patch_scale_px_per_mm(squares_mm.reshape(-1, 3))))
    return noise_px, float(np.sqrt(camera.sigma_px**2 - noise_px**2)) / px_per_mm


def check_lens(
    named: str | None, files: Sequence[CalibrationFile], mark: CameraMark | None, outlook: CalibrationOutlook | None
) -> Iterator[Check]:
    """Say whether there is a lens file, whether it is this camera's, and what it leaves open.

    Without a camera, whose mark would be compared, only the first can be told.
    """
    how = "overtable calibrate lens IMAGES... --board printed --out lens.json"
    if not files:
        fact = "there is no lens file" if named is None else f"{named} is not there yet"
        yield report_fair("lens", f"{fact}: the lens is solved from the anchors", f"calibrate it: {how}")
        return
    (file,) = files
    if mark is None:
        yield report_good("lens", f"{file.path} is there; whether it is this camera's is told once the camera is there")
        return
    comparison = match_cameras(file.made_with, mark)
    if comparison.match is CameraMatch.DIFFERENT:
        yield report_bad("lens", f"{file.path} {comparison.reason}", f"calibrate this camera as it is set: {how}")
        return
    if outlook is not None and outlook.lens_apart > ANOTHER_LENS:
        fact = (
            f"{file.path} does not agree with the anchors: it is of another lens, focus or zoom, or they lie elsewhere"
        )
        yield report_bad(
            "lens", fact, f"see the places below; if they are good, calibrate this camera as it is set: {how}"
        )
        return
    share = "" if outlook is None else f"; it leaves {outlook.lens_share_mm:.2f} mm open where the error is largest"
    yield _check_pairing(file, comparison, share)


def check_anchors(markers: Markers, sight: SampleAnalysis) -> Iterator[Check]:
    """Say which anchors are seen, and whether they lie where the set-up says."""
    visible, hidden = _split_seen(markers, sight)
    fact = f"{len(visible)} of {len(markers.anchors)} are seen"
    missing = f"not seen: {', '.join(str(anchor.tag) for anchor in hidden)}"
    camera = sight.pipeline.camera
    if camera is None:
        seen, trouble = sight.snapshot.anchors_seen, sight.pipeline.calibrated.trouble
        reason = explain_no_camera(seen, markers, trouble, sight.clues)
        yield report_bad("anchors", reason.fact, reason.advice)
        return
    if hidden:
        yield report_fair("anchors", f"{fact}; {missing}", "uncover them, or mend their numbers in the set-up")
    elif len(visible) < FEW_ANCHORS:
        yield report_fair("anchors", fact, "lay four or more, near the corners: then one that slips is noticed")
    else:
        yield report_good("anchors", fact)
    yield _check_places(visible, camera, sight)


def check_error(error: ErrorForm | None) -> Check:
    """Say how good the set-up is today."""
    if error is None:
        return report_bad("error", "cannot be told: the camera's place over the table is not known", "see the anchors")
    fact = f"{error.centre_mm:.2f} mm in the middle of the table, {error.worst_mm:.2f} mm at worst (one sigma)"
    if error.worst_mm <= FINE_MM:
        return report_good("error", fact)
    return (report_fair if error.worst_mm <= ENOUGH_MM else report_bad)(
        "error", fact, "what would improve it most stands below"
    )


def _check_pairing(file: CalibrationFile, comparison: CameraComparison, share: str) -> Check:
    if comparison.match is CameraMatch.CANNOT_TELL:
        advice = "if it was made with another camera, or another focus, calibrate anew"
        return report_fair("lens", f"{file.path} {comparison.reason}{share}", advice)
    return report_good("lens", f"{file.path} is this camera's{share}")


def _check_places(anchors: Sequence[Anchor], camera: CameraOverTable, sight: SampleAnalysis) -> Check:
    """Say how far the anchors lie from where they should: what is left beside the best camera."""
    examined = sight.pipeline.calibrated.examined
    trusted = [anchor for anchor in anchors if anchor.tag not in examined.left_out]
    rms_mm = float(
        np.sqrt((residuals_mm(trusted, camera, sight.pipeline.calibrated.anchors_px) ** 2).sum(axis=2).mean())
    )
    if examined.texts:
        others = "the others" if examined.left_out else "they"
        fact = f"{'; '.join(examined.texts)}; {others} lie within {rms_mm:.2f} mm of where the set-up says"
        return report_bad("places", fact, "measure their places and sizes again, or see whether they slipped")
    fact = f"they lie within {rms_mm:.2f} mm of where the set-up says"
    if rms_mm <= FITTING_MM:
        return report_good("places", fact)
    return (report_fair if rms_mm <= TOLERABLE_MM else report_bad)(
        "places", fact, "measure the anchors' places and sizes again"
    )


def residuals_mm(anchors: Sequence[Anchor], camera: CameraOverTable, anchors_px: Mapping[int, Floats]) -> Floats:
    """(n, 4, 2) how far the corners of anchors, seen at (4, 2) by tag, are from where they should be, on the table."""
    squares_px = remove_bleed(np.array([anchors_px[anchor.tag] for anchor in anchors]), camera.bleed_px)
    places_mm = camera.table_from_image(squares_px.reshape(-1, 2), np.repeat([a.z_mm for a in anchors], 4))
    return np.asarray(places_mm.reshape(-1, 4, 2) - _stack_squares(anchors)[..., :2])


def _split_seen(markers: Markers, sight: SampleAnalysis) -> tuple[list[Anchor], list[Anchor]]:
    there = sight.pipeline.calibrated.anchors_px
    return [a for a in markers.anchors if a.tag in there], [a for a in markers.anchors if a.tag not in there]


def _stack_squares(anchors: Sequence[Anchor]) -> Floats:
    return np.array([anchor.square_mm for anchor in anchors]).reshape(-1, 4, 3)


FINE_LIGHT_MM, ENOUGH_LIGHT_MM = 1.0, 2.0
"""How far light may land from its place at worst: a line is as wide."""
CALIBRATE_PROJECTOR = "overtable calibrate projector --setup"


def check_projector(setup: Setup, path: Path) -> Check:
    """Say how good the projector's calibration is.

    Raises:
        BadInput: the projector file does not fit its format.

    """
    if setup.projector.calibration is None:
        return report_good("projector", f"none is calibrated; if one lights the table: {CALIBRATE_PROJECTOR} {path}")
    named = path.parent / setup.projector.calibration
    if not named.exists():
        return report_fair(
            "projector",
            f"{named} is not there yet: the page fits the table into its window",
            f"{CALIBRATE_PROJECTOR} {path}",
        )
    file = read_json(named, ProjectorFile)
    if (file.table.width_mm, file.table.depth_mm) != (setup.table.width_mm, setup.table.depth_mm):
        then, now = (f"{table.width_mm:g} x {table.depth_mm:g} mm" for table in (file.table, setup.table))
        return report_bad(
            "projector",
            f"{named} was made for a table of {then}, but this one is {now}",
            f"{CALIBRATE_PROJECTOR} {path}",
        )
    size = f"a page of {file.image_size[0]}x{file.image_size[1]} px (today's is known once it is open)"
    if file.held_out is None:
        return report_fair(
            "projector", f"{named} is for {size}, and does not say how good it is", f"{CALIBRATE_PROJECTOR} {path}"
        )
    held = file.held_out
    lands = f"light lands {held.mean_mm:.2f} mm from its place, {held.worst_mm:.2f} mm at worst where tags told"
    x_mm, y_mm = held.doubt_at_mm
    fact = (
        f"{lands}, within {held.doubt_mm:.2f} mm (one sigma) at x {x_mm:.0f} mm, y {y_mm:.0f} mm, by {named} for {size}"
    )
    worst_mm = max(held.worst_mm, 2 * held.doubt_mm)
    if worst_mm <= FINE_LIGHT_MM:
        return report_good("projector", fact)
    again = f"calibrate it again, in less light and with the picture focused: {CALIBRATE_PROJECTOR} {path}"
    return (report_fair if worst_mm <= ENOUGH_LIGHT_MM else report_bad)("projector", fact, again)
