"""`overtable enrol`: where a model's tag is in its base, from pictures."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from assistant.cli.output import FiniteFloat, add_json_option
from assistant.errors import BadInput
from assistant.features.camera.frame_sources import read_frames
from assistant.features.camera.markers import build_markers, print_notice
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.features.enrolment.state import RULED_SIGMA_MM, build_ring
from assistant.game.base_spec import BaseSpec
from assistant.setup.editing import EnrolmentForm, enrol_base, keep_enrolment, section_from_enrolment
from assistant.setup.file import BaseSection, Setup, read_setup
from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable
from calibration.table.camera_pose import guess_lens
from hardware.camera.file import is_still
from hardware.camera.frame_source import read_identity_beside
from hardware.printing.sheets import ENROLMENT_TAGS
from vision.anchors.camera_pose import solve_trusted_camera
from vision.enrolment.printed_ring import (
    Enrolment,
    HeightPrior,
    RingPlacement,
    find_placement,
    find_sheet,
    merge_placements,
    solve_ring,
)
from vision.enrolment.spin import find_turning_tag, solve_spin
from vision.images import convert_to_grey
from vision.markers import Markers
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, select_whole
from vision.tracking.search import choose_regions_near_known
from vision.types import TagFit

_FILE = click.Path(path_type=Path)
PAUSE_NS = 150_000_000
"""Of a video, not every frame is looked at."""


@click.command()
@click.option("--setup", "setup_path", required=True, type=_FILE, help="The set-up file to write to.")
@click.option("--model", required=True, help="The model's id.")
@click.option("--base", help="round:32, oval:60x35 or rect:25x50; needed for a model without an entry.")
@click.option("--size", "size_mm", type=FiniteFloat(2, 200), help="Edge of the tag's black square, mm; likewise.")
@click.option("--height", "height_mm", type=FiniteFloat(0, 1000), help="Of the tag above the table, mm, if measured.")
@click.option("--turn", is_flag=True, help="The model is turned on the spot, its front to the far edge at first.")
@click.option("--front", type=click.Choice(["first", "last"]), default="first", show_default=True,
              help="With --turn: when its front points to the far edge.")  # fmt: skip
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--dry-run", is_flag=True, help="Say what was found and write nothing.")
@click.argument("images", nargs=-1, required=True, type=_FILE)
@add_json_option
def enrol(
    *,
    setup_path: Path,
    model: str,
    base: str | None,
    size_mm: float | None,
    height_mm: float | None,
    turn: bool,
    front: str,
    lens: Path | None,
    dry_run: bool,
    images: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Measure where a model's tag is in its base, and how high, and write it to the set-up file.

    Print the ring for its base (overtable print enrol), lay it flat, set the model inside, its front on the arrow, and
    take a picture; then turn the sheet half round, set the model in again, and take another.  Or turn the model on the
    spot, without a sheet, and give a video or the pictures in their order with --turn.
    """
    setup = read_setup(setup_path)
    entry = next((known for known in setup.bases if known.model == model), None)
    spec = _find_base(entry, base, model, setup_path)
    size_mm = size_mm or (entry.size_mm if entry else None)
    if size_mm is None:
        raise BadInput(f"--size is missing; {setup_path} has no model {model!r} yet, so the size of its tag is needed")
    height = None if height_mm is None else HeightPrior(mm=height_mm, sigma_mm=RULED_SIGMA_MM)
    markers, notice = build_markers(setup, setup_path, lens)
    pairing = Pairing(find_calibration_files(setup, setup_path, lens))
    places = 0
    try:
        if turn:
            result = _measure_turn(markers, pairing, images, size_mm, height, front_last=front == "last")
        else:
            shown = merge_placements([_find_place(markers, pairing, path, spec) for path in images])
            result, places = solve_ring(shown, build_ring(spec), size_mm, height), len(shown)
    except Unsolvable as error:
        raise BadInput(f"{model}: {error}") from None
    section = section_from_enrolment(model, spec, result)
    _check_owner(setup, section)
    enrol_base(setup, section, str(setup_path))
    if not dry_run:
        keep_enrolment(setup_path, section)
    found = EnrolmentForm(found=section, places=places, advice=result.advice, written=not dry_run)
    click.echo(found.model_dump_json(exclude_none=True) if as_json else _describe_enrolment(found, result, setup_path))
    for text in (notice, pairing.notice):
        print_notice(text)


def _find_base(entry: BaseSection | None, base: str | None, model: str, path: Path) -> BaseSpec:
    given = None if base is None else BaseSpec.parse(base)
    if entry is not None and given is not None and given != entry.base:
        raise BadInput(f"--base {base}: {path} says that {model} has the base {entry.base.name}; change it there first")
    spec = entry.base if entry is not None else given
    if spec is None:
        raise BadInput(f"--base is missing; {path} has no model {model!r} yet, so its base is needed, such as round:32")
    return spec


def _check_owner(setup: Setup, section: BaseSection) -> None:
    owner = next((base.model for base in setup.bases if base.tag == section.tag), section.model)
    if owner != section.model:
        raise BadInput(f"tag {section.tag} is that of {owner}; is it really {section.model} that the pictures show?")


def _find_place(markers: Markers, pairing: Pairing, path: Path, spec: BaseSpec) -> RingPlacement:
    if path.is_file() and not is_still(path):
        raise BadInput(f"{path}: this is not a still picture; expected pictures of the model in the ring, or --turn")
    tags = build_ring(spec)
    try:
        ((grey, _),) = _read_pictures(pairing, path)
        found = refine_corners(grey, detect_tags(grey, [select_whole(grey)]))
        camera = _solve_camera(markers, grey, found)
        return find_placement(camera, tags, find_sheet(camera, tags, found), found, _list_anchors(markers))
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
        for look, (grey, captured_ns) in enumerate(_read_pictures(pairing, path)):
            if captured_ns - last_ns < PAUSE_NS:
                continue
            last_ns = captured_ns
            last_px = {tag: corners_px[-1] for tag, corners_px in seen_px.items()}
            found = refine_corners(
                grey,
                detect_tags(
                    grey, choose_regions_near_known(grey, last_px, look) if camera and look else [select_whole(grey)]
                ),
            )
            camera = camera or _solve_camera(markers, grey, found)
            for tag in found:
                if tag.tag not in _list_anchors(markers) and tag.tag not in ENROLMENT_TAGS:
                    seen_px.setdefault(tag.tag, []).append(tag.corners_px)
    assert camera is not None
    turned = find_turning_tag(camera, seen_px)
    return solve_spin(camera, turned, seen_px[turned], size_mm, height, front_last=front_last)


def _solve_camera(markers: Markers, grey: NDArray[np.uint8], found: Sequence[TagFit]) -> CameraOverTable:
    seen_px = {tag.tag: tag.corners_px for tag in found}
    lens = markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
    return solve_trusted_camera(markers, lens, seen_px, {tag.tag: tag.covariance_px2 for tag in found})[1]


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


def _describe_enrolment(form: EnrolmentForm, result: Enrolment, path: Path) -> str:
    found, tag = form.found, form.found.tag_in_base
    sigma_mm, sigma_deg = result.offset_sigma_mm, math.degrees(result.facing_sigma_rad)
    height = f"{found.height_mm:.1f} mm high (± {found.height_sigma_mm:.1f})"
    place = f"at x {tag.x_mm:.2f} mm, y {tag.y_mm:.2f} mm (± {sigma_mm:.2f})"
    lines = [
        f"{found.model}: tag {found.tag} {place}, turned {tag.facing_deg:.1f}° (± {sigma_deg:.1f}), {height}.",
        *([form.advice] if form.advice else []),
        f"Written to {path}." if form.written else "Nothing was written.",
    ]
    return "\n".join(lines)


commands: list[click.Command] = [enrol]
