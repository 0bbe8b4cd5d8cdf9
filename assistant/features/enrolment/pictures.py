"""Enrolment from pictures: where a model's tag is in its base, on the sheet or turned, or which ring it has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.features.camera.frame_sources import read_frames
from assistant.features.camera.markers import build_markers
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.features.enrolment.ring_reading import find_rings, list_candidates
from assistant.features.enrolment.state import RULED_SIGMA_MM, build_sheet_tags
from assistant.game.base_spec import BaseSpec
from assistant.setup.file import Setup
from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable
from calibration.table.camera_pose import guess_lens
from hardware.camera.file import is_still
from hardware.camera.frame_source import read_identity_beside
from hardware.printing.sheets import ENROLMENT_TAGS
from hardware.rings.layout import RingKind
from vision.anchors.camera_pose import solve_trusted_camera
from vision.enrolment.enrolment_sheet import (
    Enrolment,
    HeightPrior,
    SheetPlacement,
    find_placement,
    find_sheet,
    merge_placements,
    solve_sheet,
)
from vision.enrolment.spin import find_turning_tag, solve_spin
from vision.images import convert_to_grey
from vision.marker_numbers import get_ring, name_marker
from vision.markers import Markers
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, select_whole
from vision.tracking.search import choose_regions_near_known
from vision.types import TagFit

PAUSE_NS = 150_000_000
"""Of a video, not every frame is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturedEnrolment:
    """What pictures tell of a model's tag."""

    result: Enrolment
    places: int
    """Of the sheet on the table; 0 where the model was turned."""
    notices: tuple[str, ...]
    """What a person should know beside it; some may be empty."""


def measure_from_pictures(
    setup: Setup,
    setup_path: Path,
    images: Sequence[Path],
    base: BaseSpec,
    *,
    size_mm: float,
    height_mm: float | None,
    front: Literal["first", "last"] | None,
    lens: Path | None,
) -> PicturedEnrolment:
    """Measure where a tag is in a base.

    Args:
        setup: where the anchors lie.
        setup_path: its file.
        images: stills of the model on the sheet, or pictures and videos of it being turned on the spot.
        base: the model's.
        size_mm: edge of the tag's black square.
        height_mm: of the tag above the table, if it was measured.
        front: when the model that is turned has its front to the far edge; None on the sheet.
        lens: a lens file in place of the set-up's.

    Raises:
        BadInput: a file is not as it should be.
        Unsolvable: the pictures do not tell.

    """
    height = read_height(height_mm)
    markers, notice = build_markers(setup, setup_path, lens)
    pairing = Pairing(find_calibration_files(setup, setup_path, lens))
    placements: Sequence[SheetPlacement] = ()
    if front is not None:
        result = _measure_turn(markers, pairing, images, size_mm, height, front_last=front == "last")
    else:
        placements = merge_placements([_find_place(markers, pairing, path, base) for path in images])
        result = solve_sheet(placements, build_sheet_tags(base), size_mm, height)
    return PicturedEnrolment(result=result, places=len(placements), notices=(notice, pairing.notice))


def read_height(height_mm: float | None) -> HeightPrior | None:
    """Return what is known of a height by a person's ruler; None where nobody measured it."""
    return None if height_mm is None else HeightPrior(mm=height_mm, sigma_mm=RULED_SIGMA_MM)


def read_shown_ring(
    setup: Setup,
    setup_path: Path,
    images: Sequence[Path],
    model: str,
    base: BaseSpec,
    *,
    kind: RingKind,
    lens: Path | None,
) -> tuple[int, tuple[str, ...]]:
    """Return which ring pictures show that is nobody's yet, or the model's, and what a person should know beside it.

    Raises:
        BadInput: a file is not as it should be, or the base has no room for a ring.
        Unsolvable: the pictures do not tell.

    """
    markers, notice = build_markers(setup, setup_path, lens)
    pairing = Pairing(find_calibration_files(setup, setup_path, lens))
    try:
        candidates = list_candidates(base, kind, setup.rings.ring_list)
    except ValueError as error:
        raise BadInput(f"{model}: {error}") from None
    owners = {section.marker: section.model for section in setup.bases}
    read: set[int] = set()
    for path in images:
        for grey, _ in _read_pictures(pairing, path):
            fits = refine_corners(grey, detect_tags(grey, [select_whole(grey)]))
            read |= find_rings(_solve_camera(markers, grey, fits), grey, [select_whole(grey)], candidates)
    own = sorted(marker for marker in read if owners.get(marker, model) == model)
    if len(own) > 1:
        names = ", ".join(map(name_marker, own))
        raise Unsolvable(f"{names} are seen and are nobody's yet; show one ring at a time")
    if not own:
        others = f"; seen are those of {', '.join(sorted(owners[marker] for marker in read))}" if read else ""
        raise Unsolvable(f"no {kind} for a base {base.name} is read that is nobody's yet{others}")
    return get_ring(own[0]), (notice, pairing.notice)


def _find_place(markers: Markers, pairing: Pairing, path: Path, spec: BaseSpec) -> SheetPlacement:
    if path.is_file() and not is_still(path):
        raise BadInput(f"{path}: this is not a still picture; expected pictures of the model on the sheet, or --turn")
    tags = build_sheet_tags(spec)
    try:
        ((grey, _),) = _read_pictures(pairing, path)
        fits = refine_corners(grey, detect_tags(grey, [select_whole(grey)]))
        camera = _solve_camera(markers, grey, fits)
        return find_placement(camera, tags, find_sheet(camera, tags, fits), fits, _list_anchors(markers))
    except Unsolvable as error:
        raise BadInput(f"{path}: {error}") from None


def _measure_turn(
    markers: Markers,
    pairing: Pairing,
    images: Sequence[Path],
    size_mm: float,
    height: HeightPrior | None,
    *,
    front_last: bool,
) -> Enrolment:
    camera: CameraOverTable | None = None
    seen_px: dict[int, list[NDArray[np.float64]]] = {}
    for path in images:
        last_ns = -PAUSE_NS
        for number, (grey, captured_ns) in enumerate(_read_pictures(pairing, path)):
            if captured_ns - last_ns < PAUSE_NS:
                continue
            last_ns = captured_ns
            last_px = {tag: corners_px[-1] for tag, corners_px in seen_px.items()}
            regions = choose_regions_near_known(grey, last_px, number) if camera and number else [select_whole(grey)]
            fits = refine_corners(grey, detect_tags(grey, regions))
            camera = camera or _solve_camera(markers, grey, fits)
            for fit in fits:
                if fit.tag not in _list_anchors(markers) and fit.tag not in ENROLMENT_TAGS:
                    seen_px.setdefault(fit.tag, []).append(fit.corners_px)
    assert camera is not None
    turned = find_turning_tag(camera, seen_px)
    return solve_spin(camera, turned, seen_px[turned], size_mm, height, front_last=front_last)


def _solve_camera(markers: Markers, grey: NDArray[np.uint8], fits: Sequence[TagFit]) -> CameraOverTable:
    seen_px = {fit.tag: fit.corners_px for fit in fits}
    lens = markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
    return solve_trusted_camera(markers, lens, seen_px, {fit.tag: fit.covariance_px2 for fit in fits})[1]


def _list_anchors(markers: Markers) -> frozenset[int]:
    return frozenset(anchor.tag for anchor in markers.anchors)


def _read_pictures(pairing: Pairing, path: Path) -> Iterator[tuple[NDArray[np.uint8], int]]:
    identity = read_identity_beside(path)
    for frame in read_frames(path):
        grey = convert_to_grey(frame.image)
        pairing.check(identity, grey)
        if pairing.trouble:
            raise BadInput(f"{path}: {pairing.trouble}")
        yield grey, frame.captured_ns
