"""The calibration: lens, anchors, the error in millimetres, and what would improve it most."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.cli.doctor.report import FINE_MM, Check, ErrorForm, RemedyForm, bad, fair, good, remedy_form
from assistant.cli.doctor.sight import Sight
from assistant.cli.pairing import CalibrationFile
from calibration.errors import Unsolvable
from calibration.outlook import Setting, calibrated, error_map, lens_share_mm, remedies
from calibration.pairing import CameraMark, Match, Matched, matched
from calibration.spaces import CameraOverTable, Floats, Lens
from calibration.table import guess_lens, solve_table, without_bleed
from vision.locate import Anchor
from vision.markers import Markers

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
class Outlook:
    """What is reckoned of the calibration."""

    error: ErrorForm
    improve: tuple[RemedyForm, ...]
    lens_share_mm: float
    lens_apart: float
    """Squared distance, in sigma of both, of the lens file from the lens that the anchors tell alone; 9 are free."""


def outlook(markers: Markers, sight: Sight, *, width_mm: float, depth_mm: float) -> Outlook | None:
    """Return the error today and what would lessen it; None where the camera's place is not known."""
    camera = sight.pipeline.camera
    if camera is None:
        return None
    known = sight.pipeline.markers.lens
    lens = known or guess_lens(sight.image_size)
    seen, hidden = _seen(markers, sight)
    wrong = [anchor for anchor in seen if anchor.tag in sight.pipeline.calibrated.examined.left_out]
    seen = [anchor for anchor in seen if anchor not in wrong]
    now = error_map(camera, width_mm=width_mm, depth_mm=depth_mm)
    noise_px, placement_mm = _parts(camera, sight)
    setting = Setting(
        camera=camera,
        lens=lens,
        squares_mm=_squares(seen),
        sigma_px=noise_px,
        placement_mm=placement_mm,
        width_mm=width_mm,
        depth_mm=depth_mm,
    )
    found = remedies(
        setting,
        known_lens=None if known else calibrated(camera.lens),
        covered_mm=_squares(hidden),
        wrong_mm=_squares(wrong),
    )
    tags = [anchor.tag for anchor in hidden], [anchor.tag for anchor in wrong]
    return Outlook(
        error=ErrorForm.of(now),
        improve=tuple(remedy_form(remedy, now.worst_mm, *tags) for remedy in found),
        lens_share_mm=lens_share_mm(setting),
        lens_apart=0.0 if known is None else _apart(known, seen, sight),
    )


def _apart(lens: Lens, seen: Sequence[Anchor], sight: Sight) -> float:
    """Return how far a lens file is from what the anchors tell without it; 0 where they are too few to tell."""
    if len(seen) < FEW_ANCHORS:
        return 0.0
    squares_px = np.array([sight.pipeline.calibrated.anchors_px[anchor.tag] for anchor in seen])
    try:
        alone = solve_table(lens=guess_lens(sight.image_size), squares_mm=_squares(seen), squares_px=squares_px).lens
    except Unsolvable:
        return 0.0
    off = lens.parameters - alone.parameters
    return float(off @ np.linalg.solve(lens.covariance + alone.covariance, off))


def _parts(camera: CameraOverTable, sight: Sight) -> tuple[float, float]:
    """Return what of the anchors' residuals is noise (px), and what must be that they lie elsewhere (mm)."""
    if not sight.fits:
        return camera.sigma_px, 0.0
    stated = float(np.median([np.sqrt(np.trace(fit.covariance_px2) / 8) for fit in sight.fits]))
    noise_px = max(LEAST_NOISE_PX, stated)
    if camera.sigma_px < UNEXPLAINED * noise_px:
        return camera.sigma_px, 0.0
    px_per_mm = float(camera.lens.parameters[0]) / camera.height_mm
    return noise_px, float(np.sqrt(camera.sigma_px**2 - noise_px**2)) / px_per_mm


def lens(
    named: str | None, files: Sequence[CalibrationFile], mark: CameraMark | None, reckoned: Outlook | None
) -> Iterator[Check]:
    """Say whether there is a lens file, whether it is this camera's, and what it leaves open.

    Without a camera, whose mark would be compared, only the first can be told.
    """
    how = "overtable calibrate lens IMAGES... --board printed --out lens.json"
    if not files:
        fact = "there is no lens file" if named is None else f"{named} is not there yet"
        yield fair("lens", f"{fact}: the lens is solved from the anchors", f"calibrate it: {how}")
        return
    (file,) = files
    if mark is None:
        yield good("lens", f"{file.path} is there; whether it is this camera's is told once the camera is there")
        return
    found = matched(file.made_with, mark)
    if found.match is Match.DIFFERENT:
        yield bad("lens", f"{file.path} {found.reason}", f"calibrate this camera as it is set: {how}")
        return
    if reckoned is not None and reckoned.lens_apart > ANOTHER_LENS:
        fact = (
            f"{file.path} does not agree with the anchors: it is of another lens, focus or zoom, or they lie elsewhere"
        )
        yield bad("lens", fact, f"see the places below; if they are good, calibrate this camera as it is set: {how}")
        return
    share = "" if reckoned is None else f"; it leaves {reckoned.lens_share_mm:.2f} mm open where the error is largest"
    yield _paired(file, found, share)


def anchors(markers: Markers, sight: Sight) -> Iterator[Check]:
    """Say which anchors are seen, and whether they lie where the set-up says."""
    seen, hidden = _seen(markers, sight)
    fact = f"{len(seen)} of {len(markers.anchors)} are seen"
    missing = f"not seen: {', '.join(str(anchor.tag) for anchor in hidden)}"
    camera = sight.pipeline.camera
    if camera is None:
        fact = f"{sight.snapshot.anchors_seen} of {len(markers.anchors)} are seen"
        yield bad(
            "anchors",
            f"{fact}: {sight.pipeline.calibrated.trouble}",
            "print them with overtable print anchors, and lay them",
        )
        return
    if hidden:
        yield fair("anchors", f"{fact}; {missing}", "uncover them, or mend their numbers in the set-up")
    elif len(seen) < FEW_ANCHORS:
        yield fair("anchors", fact, "lay four or more, near the corners: then one that slips is noticed")
    else:
        yield good("anchors", fact)
    yield _fitting(seen, camera, sight)


def error(found: ErrorForm | None) -> Check:
    """Say how good the set-up is today."""
    if found is None:
        return bad("error", "cannot be told: the camera's place over the table is not known", "see the anchors")
    fact = f"{found.centre_mm:.2f} mm in the middle of the table, {found.worst_mm:.2f} mm at worst (one sigma)"
    if found.worst_mm <= FINE_MM:
        return good("error", fact)
    return (fair if found.worst_mm <= ENOUGH_MM else bad)("error", fact, "what would improve it most stands below")


def _paired(file: CalibrationFile, found: Matched, share: str) -> Check:
    if found.match is Match.CANNOT_TELL:
        advice = "if it was made with another camera, or another focus, calibrate anew"
        return fair("lens", f"{file.path} {found.reason}{share}", advice)
    return good("lens", f"{file.path} is this camera's{share}")


def _fitting(seen: Sequence[Anchor], camera: CameraOverTable, sight: Sight) -> Check:
    """Say how far the anchors lie from where they should: what is left beside the best camera."""
    examined = sight.pipeline.calibrated.examined
    trusted = [anchor for anchor in seen if anchor.tag not in examined.left_out]
    rms_mm = float(
        np.sqrt((residuals_mm(trusted, camera, sight.pipeline.calibrated.anchors_px) ** 2).sum(axis=2).mean())
    )
    if examined.texts:
        fact = f"{'; '.join(examined.texts)}; the others lie within {rms_mm:.2f} mm of where the set-up says"
        return bad("places", fact, "measure their places and sizes again, or see whether they slipped")
    fact = f"they lie within {rms_mm:.2f} mm of where the set-up says"
    if rms_mm <= FITTING_MM:
        return good("places", fact)
    return (fair if rms_mm <= TOLERABLE_MM else bad)("places", fact, "measure the anchors' places and sizes again")


def residuals_mm(seen: Sequence[Anchor], camera: CameraOverTable, anchors_px: Mapping[int, Floats]) -> Floats:
    """(n, 4, 2) how far the corners of anchors, seen at (4, 2) by tag, are from where they should be, on the table."""
    squares_px = without_bleed(np.array([anchors_px[anchor.tag] for anchor in seen]), camera.bleed_px)
    places_mm = camera.table_from_image(squares_px.reshape(-1, 2), np.repeat([a.z_mm for a in seen], 4))
    return np.asarray(places_mm.reshape(-1, 4, 2) - _squares(seen)[..., :2])


def _seen(markers: Markers, sight: Sight) -> tuple[list[Anchor], list[Anchor]]:
    there = sight.pipeline.calibrated.anchors_px
    return [a for a in markers.anchors if a.tag in there], [a for a in markers.anchors if a.tag not in there]


def _squares(anchors: Sequence[Anchor]) -> Floats:
    return np.array([anchor.square_mm for anchor in anchors]).reshape(-1, 4, 3)
