"""The plan of a table: what a camera will give over it, reckoned before anything is bought (`overtable.plan/1`).

The geometry follows from published angles and sizes, the noise from the light that reaches a pixel, what is read from
what the virtual table has shown (`assistant.features.camera.marker_sizes`), and the millimetres from the covariance
that a solve of the camera's place would leave (`calibration.design_prediction`).  `python -m tests.benchmarks plan`
holds all of it to renders of such cameras.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from assistant.features.camera.marker_sizes import (
    CELL_PX,
    USUAL_BLUR_PX,
    find_cell_mm,
    find_halo_band,
    find_least_tag_px,
    find_safe_tag_px,
)
from assistant.features.diagnosis.camera_table import USUAL_F_NUMBER, CameraSpec, Price
from assistant.files.documents import Format
from assistant.game.base_spec import BaseSpec
from calibration.design_prediction import (
    RULE_SIGMA_MM,
    SQUARE,
    TableDesign,
    assume_calibrated,
    map_error,
    predict_camera,
)
from calibration.spaces import CameraOverTable, Floats, Lens
from hardware.rings.words import load_ring_list

MARGIN_MM = 40.0
"""So much around the table is to be in the picture as well."""
ROUNDED_MM = 10.0
"""Heights are told in such steps."""
LOWEST_MM, HIGHEST_MM = 100.0, 6000.0
DISTORTION = (-0.1, 0.01, 0.0, 0.0, 0.0)
"""Of a webcam's lens, k1, k2, p1, p2, k3; without it corners would seem to be seen as fine as the middle."""
ANCHOR_MM, ANCHOR_INSET_MM = 40.0, 60.0
"""Four anchors, one in each corner of the table."""
CORNER_PX = 0.05
"""How well an anchor's corner is seen, averaged over some pictures, one standard deviation."""
TAG_FLOOR_PX = 0.03
"""How well a tag's middle is seen, where its edges fall among the pixels, one standard deviation."""
ROUND_BASES_MM = (25.0, 28.5, 32.0, 40.0, 50.0, 60.0)
"""Of which the smallest is named that may have a ring."""
USUAL_TAG_MM = 10.0
SMEAR_SHARE = 0.8
"""A smear keeps tags from being read as a blur does that is so much wider; measured by the benchmark."""
LAMP_MS = 10.0
"""Exposures are whole multiples of a lamp's beat, so that it does not flicker (50 Hz mains)."""
LONGEST_MS = 30.0
"""No longer exposure is chosen: hands would smear too far."""
ENOUGH_NOISE = 5.0
"""The exposure is the shortest with no more noise than this, grey levels."""
SPEED_MM_S = 150.0
"""How fast a hand slides a model."""
PHOTONS = 9e15
"""A second, a square metre and a lux, of white light."""
QUANTUM_SHARE = 0.2
"""Of the photons on a pixel, what is counted: a third passes its colour filter, of that six tenths tell."""
PAPER = 0.8
"""Of the light that falls on white paper, what it throws back."""
READ_ELECTRONS = 3.0
WHITE = 200.0
"""Grey level at which white paper is exposed."""
LEARNED_SHARE = 0.1
"""Of a rolling shutter's readout time, by how much the eyes still have it wrong, one standard deviation, after some
pictures in which much moves; measured by the benchmark."""
LOOK_MS, LOOK_MS_PER_MPX = 15.0, 3.0
"""What the eyes, and a picture's decoding, take of one core of a usual machine while ten of a hundred bases move: the
bases take as long in a small picture as in a large one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Where the camera is to hang."""

    table_mm: tuple[float, float]
    """The longer and the shorter side of the table."""
    height_mm: float | None
    """Of the camera above it; None: as low as it may hang."""
    lux: float
    """Light on the table: 100 is a dim living room, 300 a well lit one, 500 an office."""


class CameraPlan(Format):
    """What one camera gives."""

    camera: str
    picture_px: tuple[int, int]
    price: Price
    fits: bool
    """The whole table is in the picture."""
    height_mm: float
    least_height_mm: float | None
    """From which height on it is; None: not below any ceiling."""
    seen_mm: tuple[float, float]
    """The part of the table, about its middle, that is in the picture; of it all figures are."""
    px_per_mm: tuple[float, float]
    """In the middle, and in the corners of the table."""
    tag_mm: float
    """Edge of the smallest tag's black square that is read all over the table, at rest."""
    ring_base_mm: float | None
    """The smallest round base of which a halo is read; None: of none of the usual ones."""
    ring_band_mm: float | None
    """How wide that halo's band is."""
    exposure_ms: float
    noise: float
    """One standard deviation of a pixel, grey levels."""
    rest_mm: tuple[float, float]
    """Where a resting base is placed, one standard deviation, in the middle and at worst."""
    smear_mm: float
    """How far a model that slides at a usual speed goes while the shutter is open."""
    moving_mm: float | None
    """How far along its way it is placed wrongly then, one standard deviation, once tags that moved have told the
    shutter's row times; None: tags are not read at that speed, and it is placed once it rests."""
    first_moving_mm: float | None
    """The same before they have: the shutter is taken for one that exposes all rows at once."""
    fastest_mm_s: float
    """The speed up to which half of the tags of that size, or of the usual 10 mm, are read."""
    lag_ms: float
    """From a move to its being shown, on average."""


class Plan(Format):
    """What cameras would give over one table."""

    format: Literal["overtable.plan/1"] = "overtable.plan/1"
    table_mm: tuple[float, float]
    height_mm: float | None
    """As asked for; None: each camera as low as it may hang."""
    lux: float
    speed_mm_s: float = SPEED_MM_S
    """Of the models that are said to move."""
    cameras: tuple[CameraPlan, ...]


def plan_table(room: Room, cameras: Iterable[CameraSpec]) -> Plan:
    """Return what each of some cameras would give."""
    return Plan(
        table_mm=room.table_mm,
        height_mm=room.height_mm,
        lux=room.lux,
        cameras=tuple(plan_camera(room, camera) for camera in cameras),
    )


def plan_camera(room: Room, camera: CameraSpec) -> CameraPlan:
    """Return what one camera would give."""
    least_mm = find_least_height(camera, room.table_mm)
    height_mm = room.height_mm or least_mm or HIGHEST_MM
    fits = least_mm is not None and height_mm >= least_mm
    seen_mm = room.table_mm if fits else _find_seen_part(camera, room.table_mm, height_mm)
    over = hang_camera(camera, seen_mm, height_mm)
    places = np.array([[seen_mm[0] / 2, seen_mm[1] / 2, 0.0], [0.0, 0.0, 0.0]])
    middle, corner = (float(scale) for scale in over.patch_scale_px_per_mm(places))
    exposure_ms, noise = choose_exposure(camera, room.lux)
    tag_mm = math.ceil(2 * find_safe_tag_px() / corner) / 2
    ring_base_mm, ring_band_mm = _find_ring(corner)
    rest_mm = predict_rest(over, seen_mm, (middle, corner))
    fastest_mm_s = _find_fastest(max(tag_mm, USUAL_TAG_MM) * corner, corner, exposure_ms)
    is_read = fastest_mm_s >= SPEED_MM_S
    # A pose is that of the first row's moment, and the row that sees it comes anything up to the readout time later.
    shutter_mm = SPEED_MM_S * camera.longest_readout_ms / 1e3 / math.sqrt(3)
    return CameraPlan(
        camera=camera.name,
        picture_px=camera.picture_px,
        price=camera.price,
        fits=fits,
        height_mm=height_mm,
        least_height_mm=least_mm,
        seen_mm=seen_mm,
        px_per_mm=(round(middle, 2), round(corner, 2)),
        tag_mm=tag_mm,
        ring_base_mm=ring_base_mm,
        ring_band_mm=ring_band_mm,
        exposure_ms=round(exposure_ms, 1),
        noise=round(noise, 1),
        rest_mm=(round(rest_mm[0], 2), round(rest_mm[1], 2)),
        smear_mm=round(SPEED_MM_S * exposure_ms / 1e3, 1),
        moving_mm=round(math.hypot(rest_mm[1], LEARNED_SHARE * shutter_mm), 2) if is_read else None,
        first_moving_mm=round(math.hypot(rest_mm[1], shutter_mm), 2) if is_read else None,
        fastest_mm_s=fastest_mm_s,
        lag_ms=round(_estimate_lag(camera, exposure_ms)),
    )


def hang_camera(camera: CameraSpec, table_mm: tuple[float, float], height_mm: float) -> CameraOverTable:
    """Return a camera that looks straight down at the middle of a table, its longer side along the table's."""
    tangent, pixels = camera.half_view
    k1, k2 = DISTORTION[:2]
    focal_px = pixels / (tangent * (1 + k1 * tangent**2 + k2 * tangent**4))
    centre_px = (np.array(camera.picture_px) - 1) / 2
    parameters = np.array([focal_px, focal_px, *centre_px, *DISTORTION])
    lens = Lens(image_size=camera.picture_px, parameters=parameters, covariance=np.zeros((9, 9)))
    down = np.diag([1.0, -1.0, -1.0])
    return CameraOverTable(
        lens=assume_calibrated(lens),
        rotation=np.asarray(cv2.Rodrigues(down)[0], dtype=np.float64).ravel(),
        translation_mm=-down @ np.array([table_mm[0] / 2, table_mm[1] / 2, height_mm]),
        covariance=np.zeros((15, 15)),
        bleed_px=0.0,
        sigma_px=CORNER_PX,
    )


def find_least_height(camera: CameraSpec, table_mm: tuple[float, float]) -> float | None:
    """Return from which height on the whole table is in the picture with a margin, mm; None: below no ceiling."""
    if not _sees_all(camera, table_mm, HIGHEST_MM):
        return None
    low, high = LOWEST_MM, HIGHEST_MM
    while high - low > 1:
        middle = (low + high) / 2
        low, high = (low, middle) if _sees_all(camera, table_mm, middle) else (middle, high)
    return math.ceil(high / ROUNDED_MM) * ROUNDED_MM


def _find_seen_part(camera: CameraSpec, table_mm: tuple[float, float], height_mm: float) -> tuple[float, float]:
    """Return the sides, mm, of the largest part of a table's shape about its middle that is in the picture."""
    shares = np.arange(1, 100) / 100
    seen = [share for share in shares if _sees_all(camera, (share * table_mm[0], share * table_mm[1]), height_mm)]
    share = max(seen, default=shares[0])
    return round(share * table_mm[0], 1), round(share * table_mm[1], 1)


def _sees_all(camera: CameraSpec, table_mm: tuple[float, float], height_mm: float) -> bool:
    """Whether a table and a margin are in the picture, and within the published angle of view."""
    tangent, pixels = camera.half_view
    over = hang_camera(camera, table_mm, height_mm)
    xs = np.array([-MARGIN_MM, table_mm[0] / 2, table_mm[0] + MARGIN_MM])
    ys = np.array([-MARGIN_MM, table_mm[1] / 2, table_mm[1] + MARGIN_MM])
    rim = np.array([(x, y, 0.0) for x in xs for y in ys])
    seen = over.image_from_table(rim)
    inside = ((seen >= 0) & (seen <= np.array(camera.picture_px) - 1)).all()
    # Beyond the corners of the picture the distortion of this model turns back, and would fold what is there into it.
    corner_px = math.hypot(*camera.picture_px) / 2
    widest = tangent * max(1.0, 1.15 * corner_px / pixels)
    reach = np.linalg.norm(rim[:, :2] - np.array(table_mm) / 2, axis=1).max() / height_mm
    return bool(inside and reach <= widest)


def choose_exposure(camera: CameraSpec, lux: float) -> tuple[float, float]:
    """Return the exposure, ms, and the noise of white paper at it, grey levels: as short as the noise allows."""
    longest_ms = max(LAMP_MS, min(LONGEST_MS, camera.frame_ms))
    exposures = [LAMP_MS * n for n in range(1, int(longest_ms / LAMP_MS + 1e-9) + 1)]
    tried = [(exposure_ms, _estimate_noise(camera, lux, exposure_ms)) for exposure_ms in exposures]
    return next((choice for choice in tried if choice[1] <= ENOUGH_NOISE), tried[-1])


def _estimate_noise(camera: CameraSpec, lux: float, exposure_ms: float) -> float:
    on_sensor_lux = lux * PAPER / (4 * (camera.f_number or USUAL_F_NUMBER) ** 2)
    pixel_m2 = (1e-6 * camera.light_um) ** 2
    electrons = on_sensor_lux * PHOTONS * QUANTUM_SHARE * pixel_m2 * exposure_ms / 1e3
    return WHITE * math.sqrt(electrons + READ_ELECTRONS**2) / electrons


def build_anchor_squares(table_mm: tuple[float, float]) -> Floats:
    """(4, 4, 3) corners of an anchor in each corner of a table."""
    xs, ys = ((ANCHOR_INSET_MM, side - ANCHOR_INSET_MM) for side in table_mm)
    return np.array([[(*corner, 0.0) for corner in (x, y) + ANCHOR_MM * SQUARE] for x in xs for y in ys])


def predict_rest(
    over: CameraOverTable, table_mm: tuple[float, float], px_per_mm: tuple[float, float]
) -> tuple[float, float]:
    """Return the standard deviation of a resting base's place, mm, in the middle of the table and at worst.

    Args:
        over: the camera.
        table_mm: the table's width and depth.
        px_per_mm: how fine the camera sees the table's middle and its corners.

    """
    design = TableDesign(
        camera=over,
        lens=over.lens,
        squares_mm=build_anchor_squares(table_mm),
        sigma_px=CORNER_PX,
        placement_mm=RULE_SIGMA_MM,
        width_mm=table_mm[0],
        depth_mm=table_mm[1],
    )
    error = map_error(predict_camera(design), width_mm=table_mm[0], depth_mm=table_mm[1])
    middle_mm, corner_mm = (TAG_FLOOR_PX / scale for scale in px_per_mm)
    return math.hypot(error.centre_mm, middle_mm), math.hypot(error.worst_mm, corner_mm)


def _find_ring(px_per_mm: float) -> tuple[float | None, float | None]:
    """Return the smallest round base of which a halo is read, and how wide its band is, mm."""
    rings = load_ring_list()
    for edge_mm in ROUND_BASES_MM:
        base = BaseSpec(round_mm=edge_mm)
        band = find_halo_band(base, rings, px_per_mm)
        if find_cell_mm(base, band, rings) * px_per_mm >= CELL_PX:
            return edge_mm, round(band.outer_mm - band.inner_mm, 2)
    return None, None


def _find_fastest(edge_px: float, px_per_mm: float, exposure_ms: float) -> float:
    """Return the speed, mm/s in steps of ten, at which a tag is smeared so far that half are still read.

    A smear blurs one way only, but a tag has bits both ways.
    """
    most_px = (edge_px - find_least_tag_px(0.0)) / (find_least_tag_px(1.0) - find_least_tag_px(0.0))
    smear_px = SMEAR_SHARE * math.sqrt(12 * max(0.0, most_px**2 - USUAL_BLUR_PX**2))
    return math.floor(smear_px / px_per_mm / (exposure_ms / 1e3) / 10) * 10.0


def _estimate_lag(camera: CameraSpec, exposure_ms: float) -> float:
    """Return how long after a move it is shown, ms: exposed, read out, sent while the next is taken, looked at."""
    return (exposure_ms + camera.longest_readout_ms + camera.frame_ms) / 2 + camera.frame_ms + estimate_look_ms(camera)


def estimate_look_ms(camera: CameraSpec) -> float:
    """Return how long it takes to decode a picture and to look at it, ms."""
    return LOOK_MS + LOOK_MS_PER_MPX * camera.picture_px[0] * camera.picture_px[1] / 1e6


def describe_plan(plan: Plan) -> str:
    """Return what a person is told."""
    wide = max(len("camera"), *(len(each.camera) for each in plan.cameras))
    hung = "as low as each sees all of it" if plan.height_mm is None else f"{plan.height_mm:g} mm above it"
    lines = [
        f"A table of {plan.table_mm[0]:g} x {plan.table_mm[1]:g} mm in light of {plan.lux:g} lux, the camera {hung}:",
        "",
        f"{'camera':<{wide}}  price   hangs at     px/mm        tag  ring on       at rest     sliding      up to  lag",
        f"{'':<{wide}}          mm           mid/corner   mm   mm            mid/worst   first/later  mm/s   ms",
    ]
    lines += [_describe_row(each, wide) for each in plan.cameras]
    lines += ["", *_explain_columns(plan)]
    lines += [sentence for each in plan.cameras if (sentence := _describe_misfit(each, plan))]
    return "\n".join(lines)


def _describe_row(each: CameraPlan, wide: int) -> str:
    ring = "none" if each.ring_base_mm is None else f"{each.ring_base_mm:g} ({each.ring_band_mm:g} wide)"
    hangs = f"{each.height_mm:.0f}{'' if each.fits else ' (!)'}"
    scale = f"{each.px_per_mm[0]:.2f}/{each.px_per_mm[1]:.2f}"
    rest = f"{each.rest_mm[0]:.2f}/{each.rest_mm[1]:.2f}"
    moving = "held" if each.moving_mm is None else f"{each.first_moving_mm:.2f}/{each.moving_mm:.2f}"
    return (
        f"{each.camera:<{wide}}  {each.price:<6}  {hangs:<11}  {scale:<11}  {each.tag_mm:<3g}  {ring:<12}  {rest:<10}"
        f"  {moving:<11}  {each.fastest_mm_s:<5.0f}  {each.lag_ms:.0f}"
    )


def _explain_columns(plan: Plan) -> list[str]:
    noisy = [each for each in plan.cameras if each.noise > ENOUGH_NOISE]
    lines = [
        "tag: edge of the smallest that is read all over the table; ring on: the smallest round base whose halo is.",
        "at rest: one standard deviation, with a calibrated lens and four anchors placed to 0.2 mm.",
        f"sliding: at worst, along the way of a model that slides at {plan.speed_mm_s:g} mm/s, until moving tags have",
        "told the shutter's row times, and from then on; held: it is not read then, and placed once it rests.",
        "up to: the speed up to which half of such tags (10 mm or larger) are read.",
    ]
    if noisy:
        named = ", ".join(each.camera for each in noisy)
        worst = max(each.noise for each in noisy)
        lines.append(
            f"More light would help {named}: up to {worst:.1f} grey levels of noise, {ENOUGH_NOISE:g} are good."
        )
    return lines


def _describe_misfit(each: CameraPlan, plan: Plan) -> str:
    if each.fits:
        return ""
    if each.least_height_mm is None:
        return f"(!) {each.camera} does not see the whole table from below any ceiling: choose a wider lens."
    return (
        f"(!) {each.camera} does not see the whole table from {plan.height_mm:g} mm: hang it at"
        f" {each.least_height_mm:.0f} mm or higher, or choose a wider lens. What is told is of the"
        f" {each.seen_mm[0]:.0f} x {each.seen_mm[1]:.0f} mm in its middle that it sees."
    )
