"""`overtable calibrate table`: where the anchors lie and where the camera stands, from pictures of the table."""

from pathlib import Path

import click

from assistant.cli.calibrate.lens import describe_written
from assistant.cli.output import add_json_option
from assistant.features.camera.pictures import solve_table_from_pictures
from assistant.features.notices import print_notice
from assistant.files.documents import write_version
from assistant.files.output_path import check_target, is_json_of
from calibration.table.file import AnchorPlace, TableFile

_FILES = click.Path(path_type=Path)


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
    file, notices = solve_table_from_pictures(setup_path, images, lens=lens_path)
    before = write_version(out, (file.model_dump_json(indent=1) + "\n").encode())
    click.echo(file.model_dump_json() if as_json else f"{describe_table(file)}\n{describe_written(out, before)}")
    for text in notices:
        print_notice(text)


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
