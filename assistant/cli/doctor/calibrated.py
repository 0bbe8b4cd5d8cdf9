"""The calibration: lens, anchors, the error in millimetres, and what would improve it most."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.cli.doctor.report import FINE_MM, Check, ErrorForm, RemedyForm, bad, fair, good, remedy_form
from assistant.cli.doctor.sight import Sight
from assistant.cli.pairing import CalibrationFile
from calibration.errors import Unsolvable
from calibration.outlook import Change, Remedy, Setting, calibrated, error_map, lens_share_mm, remedies
from calibration.pairing import CameraMark, Comparison, Match, compare
from calibration.spaces import CameraOverTable, Floats, Lens
from calibration.table import guess_lens, solve_table, without_bleed
from vision.locate import Anchor
from vision.pipeline import Markers

ENOUGH_MM = 1.5
"""The largest error of the calibration up to which it will do."""
FITTING_MM, TOLERABLE_MM = 0.4, 1.5
"""How far anchors may lie from where the set-up says, in root mean square."""
FEW_ANCHORS = 4
ANOTHER_LENS = 40.0
"""Squared sigma, of which 9 are free: a lens that is this one is so far away once in a hundred thousand times."""
AGREED = 0.5
"""Without the anchor that is wrong, the others are off by no larger share of what all are, or all but another."""
LEAST_NOISE_PX = 0.03
"""No corner is seen better."""
UNEXPLAINED = 2.5
"""Anchors that are so many times farther off than their corners are noisy are not where they are said to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """An anchor that is not where it is said to be."""

    tag: int
    off_mm: float
    without: CameraOverTable
    """The camera as the others place it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What is reckoned of the calibration."""

    error: ErrorForm
    improve: tuple[RemedyForm, ...]
    lens_share_mm: float
    lens_apart: float
    """Squared distance, in sigma of both, of the lens file from the lens that the anchors tell alone; 9 are free."""
    stray: Stray | None
    """The anchor that is not where it is said to be."""


def outlook(markers: Markers, sight: Sight, *, width_mm: float, depth_mm: float) -> Outlook | None:
    """Return the error today and what would lessen it; None where the camera's place is not known."""
    camera = sight.pipeline.camera
    if camera is None:
        return None
    known = sight.pipeline.markers.lens
    lens = known or guess_lens(sight.image_size)
    seen, hidden = _seen(markers, sight)
    now = error_map(camera, width_mm=width_mm, depth_mm=depth_mm)
    today, improve = ErrorForm.of(now), list[RemedyForm]()
    stray = stray_among(seen, sight, lens)
    if stray is not None:
        then = error_map(stray.without, width_mm=width_mm, depth_mm=depth_mm)
        gain = min(1.0, then.worst_mm / now.worst_mm)
        improve.append(remedy_form(Remedy(change=Change.MEND, map=then, gain=gain), now.worst_mm, [stray.tag]))
        # What else would help is reckoned as if that were done: an anchor that lies wrong spoils every other figure.
        camera, now = stray.without, then
        seen = [anchor for anchor in seen if anchor.tag != stray.tag]
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
        setting, known_lens=None if known else calibrated(camera.lens), covered_mm=_squares(hidden) if hidden else None
    )
    improve += [remedy_form(remedy, now.worst_mm, [anchor.tag for anchor in hidden]) for remedy in found]
    return Outlook(
        error=today,
        improve=tuple(improve),
        lens_share_mm=lens_share_mm(setting),
        lens_apart=0.0 if known is None else _apart(known, seen, sight),
        stray=stray,
    )


def stray_among(seen: Sequence[Anchor], sight: Sight, lens: Lens) -> Stray | None:
    """Return the one anchor without which all others agree, if there is one.

    The anchor that is farthest off beside the best camera need not be it: a wrong one pulls the camera along.
    """
    camera = sight.pipeline.camera
    if camera is None or len(seen) <= FEW_ANCHORS:
        return None
    without: list[tuple[float, Anchor, CameraOverTable]] = []
    for anchor in seen:
        others = [other for other in seen if other is not anchor]
        squares_px = np.array([sight.pipeline.anchors_px[other.tag] for other in others])
        try:
            solved = solve_table(lens=lens, squares_mm=_squares(others), squares_px=squares_px, before=camera)
        except Unsolvable:
            continue
        without.append((solved.sigma_px, anchor, solved))
    (best_px, anchor, solved), (next_px, *_), *_ = sorted(without, key=lambda each: each[0])
    if best_px > AGREED * camera.sigma_px or best_px > AGREED * next_px:
        return None
    off_mm = residuals_mm([anchor], solved, sight).mean(axis=(0, 1))
    return Stray(tag=anchor.tag, off_mm=float(np.hypot(*off_mm)), without=solved)


def _apart(lens: Lens, seen: Sequence[Anchor], sight: Sight) -> float:
    """Return how far a lens file is from what the anchors tell without it; 0 where they are too few to tell."""
    if len(seen) < FEW_ANCHORS:
        return 0.0
    squares_px = np.array([sight.pipeline.anchors_px[anchor.tag] for anchor in seen])
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
    comparison = compare(file.made_with, mark)
    if comparison.match is Match.DIFFERENT:
        yield bad("lens", f"{file.path} {comparison.reason}", f"calibrate this camera as it is set: {how}")
        return
    if reckoned is not None and reckoned.lens_apart > ANOTHER_LENS:
        fact = (
            f"{file.path} does not agree with the anchors: it is of another lens, focus or zoom, or they lie elsewhere"
        )
        yield bad("lens", fact, f"see the places below; if they are good, calibrate this camera as it is set: {how}")
        return
    share = "" if reckoned is None else f"; it leaves {reckoned.lens_share_mm:.2f} mm open where the error is largest"
    yield _paired(file, comparison, share)


def anchors(markers: Markers, sight: Sight, reckoned: Outlook | None) -> Iterator[Check]:
    """Say which anchors are seen, and whether they lie where the set-up says."""
    seen, hidden = _seen(markers, sight)
    fact = f"{len(seen)} of {len(markers.anchors)} are seen"
    missing = f"not seen: {', '.join(str(anchor.tag) for anchor in hidden)}"
    camera = sight.pipeline.camera
    if camera is None:
        fact = f"{sight.snapshot.anchors_seen} of {len(markers.anchors)} are seen"
        yield bad(
            "anchors", f"{fact}: {sight.pipeline.trouble}", "print them with overtable print anchors, and lay them"
        )
        return
    if hidden:
        yield fair("anchors", f"{fact}; {missing}", "uncover them, or mend their numbers in the set-up")
    elif len(seen) < FEW_ANCHORS:
        yield fair("anchors", fact, "lay four or more, near the corners: then one that slips is noticed")
    else:
        yield good("anchors", fact)
    yield _fitting(seen, camera, sight, reckoned.stray if reckoned else None)


def error(found: ErrorForm | None) -> Check:
    """Say how good the set-up is today."""
    if found is None:
        return bad("error", "cannot be told: the camera's place over the table is not known", "see the anchors")
    fact = f"{found.centre_mm:.2f} mm in the middle of the table, {found.worst_mm:.2f} mm at worst (one sigma)"
    if found.worst_mm <= FINE_MM:
        return good("error", fact)
    return (fair if found.worst_mm <= ENOUGH_MM else bad)("error", fact, "what would improve it most stands below")


def _paired(file: CalibrationFile, comparison: Comparison, share: str) -> Check:
    if comparison.match is Match.CANNOT_TELL:
        advice = "if it was made with another camera, or another focus, calibrate anew"
        return fair("lens", f"{file.path} {comparison.reason}{share}", advice)
    return good("lens", f"{file.path} is this camera's{share}")


def _fitting(seen: Sequence[Anchor], camera: CameraOverTable, sight: Sight, stray: Stray | None) -> Check:
    """Say how far the anchors lie from where they should: what is left beside the best camera."""
    rms_mm = float(np.sqrt((residuals_mm(seen, camera, sight) ** 2).sum(axis=2).mean()))
    fact = f"they lie within {rms_mm:.2f} mm of where the set-up says"
    if stray is not None:
        fact += f"; by all others, {stray.tag} lies {stray.off_mm:.1f} mm from there"
        return bad("places", fact, f"measure the place and size of {stray.tag} again, or see whether it slipped")
    if rms_mm <= FITTING_MM:
        return good("places", fact)
    return (fair if rms_mm <= TOLERABLE_MM else bad)("places", fact, "measure the anchors' places and sizes again")


def residuals_mm(seen: Sequence[Anchor], camera: CameraOverTable, sight: Sight) -> Floats:
    """(n, 4, 2) how far the corners of anchors are seen from where they should be, on the table."""
    squares_px = without_bleed(np.array([sight.pipeline.anchors_px[anchor.tag] for anchor in seen]), camera.bleed_px)
    places_mm = camera.table_from_image(squares_px.reshape(-1, 2), np.repeat([a.z_mm for a in seen], 4))
    return np.asarray(places_mm.reshape(-1, 4, 2) - _squares(seen)[..., :2])


def _seen(markers: Markers, sight: Sight) -> tuple[list[Anchor], list[Anchor]]:
    there = sight.pipeline.anchors_px
    return [a for a in markers.anchors if a.tag in there], [a for a in markers.anchors if a.tag not in there]


def _squares(anchors: Sequence[Anchor]) -> Floats:
    return np.array([anchor.square_mm for anchor in anchors]).reshape(-1, 4, 3)
