"""`overtable locate`: pictures in, numbers out."""

from pathlib import Path

import click

from assistant.cli.output import add_json_option
from assistant.features.camera.pictures import PictureLocator
from assistant.features.notices import print_notice
from assistant.recording.poses import PoseEntry, Poses
from vision.marker_numbers import name_marker

_FILES = click.Path(path_type=Path)


@click.command()
@click.option("--setup", required=True, type=_FILES, help="The set-up file: table, anchors, bases, lens.")
@click.option("--lens", type=_FILES, help="A lens file, in place of the one that the set-up names.")
@click.argument("images", nargs=-1, required=True, type=click.Path())
@add_json_option
def locate(setup: Path, lens: Path | None, images: tuple[str, ...], as_json: bool) -> None:
    """Say where the bases stand in pictures.

    Each picture is looked at by itself; a video is followed from frame to frame, and so is a camera source such as
    images:FOLDER, until it ends.  With --json there is one document for each picture and each frame, a line each.
    """
    locator = PictureLocator(setup, lens)
    for image in images:
        for document in locator.locate(image):
            click.echo(document.model_dump_json() if as_json else describe_poses(document))
    for notice in locator.notices:
        print_notice(notice)


def describe_poses(document: Poses) -> str:
    """Return what a person is told of a picture."""
    counted = ((len(document.bases), "base"), (document.anchors_seen, "anchor"))
    told = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counted)
    lines = [f"{document.source}, frame {document.frame}: {told}"]
    for base in (*document.bases, *document.terrain):
        sigma_mm = max(base.sigma_mm)
        lines.append(
            f"  {base.model:<12} x {base.x_mm:8.2f} mm  y {base.y_mm:8.2f} mm  (± {sigma_mm:.2f})"
            f"  facing {base.facing_deg:7.1f}° (± {base.sigma_deg:.1f})" + _describe_doubt(base)
        )
    if twice := document.markers_shown_twice:
        lines.append(f"  in view twice: {', '.join(map(name_marker, twice))}; take one print away")
    lines += [f"  look: {sentence}" for sentence in document.wrong_anchors]
    lines += [f"  why: {sentence}" for sentence in document.why]
    return "\n".join(lines)


def _describe_doubt(base: PoseEntry) -> str:
    """Return what is worth saying of a base beyond its place."""
    remarks: list[str] = [base.state] if base.state != "seen" else []
    if base.z_mm or base.other_z_mm:
        others = "".join(f" or {z_mm:g}" for z_mm in base.other_z_mm)
        remarks.append(f"stands {base.z_mm:g}{others} mm high" if base.state != "lifted" else f"{base.z_mm:g} mm high")
    return f"  {', '.join(remarks)}" if remarks else ""


commands: list[click.Command] = [locate]
