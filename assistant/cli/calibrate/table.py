"""`overtable calibrate table`: where the anchors lie and where the camera stands, from pictures of the table."""

import math
from collections.abc import Sequence
from pathlib import Path

import click

from assistant.cli.calibrate.lens import describe_written
from assistant.cli.output import add_json_option
from assistant.errors import BadInput
from assistant.features.camera.frame_sources import read_frames
from assistant.features.camera.markers import find_lens, print_notice, solve_table_file
from assistant.features.camera.pairing import find_calibration_files, read_mark
from assistant.files.documents import write_version
from assistant.files.output_path import check_target, is_json_of
from assistant.setup.file import Setup, read_setup
from calibration.camera_match import require_same_camera
from calibration.errors import WrongPairing
from calibration.spaces import Lens
from calibration.table.bundle_adjustment import AnchorSighting
from calibration.table.file import AnchorPlace, TableFile
from vision.anchors.camera_pose import merge_sightings, observe_anchors
from vision.images import check_size, convert_to_grey

_FILES = click.Path(path_type=Path)
MOST_FRAMES = 30
"""Of a film, so many frames are looked at, evenly spread."""


@click.command("table")
@click.option("--setup", "setup_path", required=True, type=_FILES, help="The set-up file: table and anchors.")
@click.option("--lens", "lens_path", type=_FILES, help="A lens file, in place of the one that the set-up names.")
@click.option("--out", required=True, type=_FILES, help="The table file to write.")
@click.argument("images", nargs=-1, required=True, type=_FILES)
@add_json_option
def table(setup_path: Path, lens_path: Path | None, out: Path, images: tuple[Path, ...], as_json: bool) -> None:
    """Solve where the anchors lie and where the camera stands.

    One picture of the table will do; several, from different places with the same lens, know more.  Anchors without a
    place in the set-up (in a corner, or anywhere) get one; a set-up that names the file as `table` under [camera] takes
    it from there.
    """
    check_target(out, "table file", replaces=is_json_of("overtable.table"))
    setup = read_setup(setup_path)
    lens, notice = find_lens(setup, setup_path, lens_path)
    pictures, size = _find_sightings(setup, lens, images)
    mark = read_mark(images, size)
    files = find_calibration_files(setup, setup_path, lens_path)
    notices = [notice, *(require_same_camera(str(file.path), file.made_with, mark) for file in files)]
    file = solve_table_file(setup, setup_path, lens, pictures, size)
    before = write_version(out, (file.model_dump_json(indent=1) + "\n").encode())
    click.echo(file.model_dump_json() if as_json else f"{describe_table(file)}\n{describe_written(out, before)}")
    for text in notices:
        print_notice(text)


def _find_sightings(
    setup: Setup, lens: Lens | None, images: Sequence[Path]
) -> tuple[list[AnchorSighting], tuple[int, int]]:
    """Return what the pictures show of the anchors, and their common size."""
    tags = frozenset(anchor.tag for anchor in setup.anchors)
    found: list[AnchorSighting] = []
    sizes: dict[tuple[int, int], Path] = {}
    for path in images:
        frames = [convert_to_grey(frame.image) for frame in read_frames(path)]
        every = math.ceil(len(frames) / MOST_FRAMES)
        for grey in frames[::every]:
            height, width = grey.shape
            sizes.setdefault((width, height), path)
            try:
                check_size(lens, grey)
            except WrongPairing as error:
                raise BadInput(f"{path}: {error}") from None
            seen = observe_anchors(path.name, grey, tags)
            if seen.shown_twice:
                twice = ", ".join(map(str, seen.shown_twice))
                raise BadInput(f"{path}: anchor {twice} is in the picture twice: take one print away")
            if seen.sighting.squares_px:
                found.append(seen.sighting)
        if path.name not in {sighting.name for sighting in found}:
            expected = ", ".join(map(str, sorted(tags)))
            raise BadInput(f"{path}: none of the anchors ({expected}) is seen in it; leave it out, or take it anew")
    if len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        raise BadInput(
            f"{second}: this picture is {other[0]}x{other[1]}, but {first} is {one[0]}x{one[1]};"
            " all must come from one camera at one resolution"
        )
    (size,) = sizes
    return merge_sightings(found), size


def describe_table(file: TableFile) -> str:
    """Return what a person is told of a table."""
    lines = [_describe_anchor(anchor) for anchor in file.anchors]
    whole = f"Left over {file.residual_mm:.2f} mm in all"
    if file.held_out_mm is not None:
        whole += f"; anchors held out of it are predicted to {file.held_out_mm:.2f} mm"
    lines.append(f"{whole}.")
    if any(anchor.said.corner for anchor in file.anchors):
        (width, depth), (wide, deep) = file.table.solved_mm, file.table.solved_sigma_mm
        lines.append(f"The table is {width:.1f} mm (± {wide:.1f}) by {depth:.1f} mm (± {deep:.1f}).")
    for camera in file.cameras:
        x_mm, y_mm, z_mm = camera.eye_mm
        middle, *corners = [sigma_mm for *_, sigma_mm in camera.sigma_map_mm]
        lines.append(
            f"{camera.picture}: camera at x {x_mm:.0f}, y {y_mm:.0f}, z {z_mm:.0f} mm (± {camera.height_sigma_mm:.0f});"
            f" places are known to ± {middle:.2f} mm in the middle, ± {max(corners):.2f} mm in the worst corner."
        )
    return "\n".join([*lines, *(f"Look: {warning}." for warning in file.warnings)])


def _describe_anchor(anchor: AnchorPlace) -> str:
    held = ""
    if anchor.held_out_mm is not None and anchor.held_out_sigma_mm is not None:
        held = f"  held out {anchor.held_out_mm:.2f} mm (± {anchor.held_out_sigma_mm:.2f})"
    return (
        f"  {anchor.tag:<4} x {anchor.x_mm:8.2f}  y {anchor.y_mm:8.2f} mm (± {max(anchor.sigma_mm):.2f})"
        f"  facing {anchor.facing_deg:7.2f}° (± {anchor.sigma_deg:.2f})  left over {anchor.residual_mm:.2f} mm{held}"
    )
