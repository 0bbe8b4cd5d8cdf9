"""`overtable calibrate projector`: from tags of light on the table to the file that overlays are warped by."""

from pathlib import Path

import click

from assistant.cli.calibrate.lens import describe_written
from assistant.cli.output import add_json_option
from assistant.cli.serving_options import add_serving_options
from assistant.runtime.live_calibration import measure_projector
from assistant.runtime.page_server import ServingOptions
from calibration.projector.file import ProjectorFile

DOUBTFUL_MM = 0.5
"""Two standard deviations below this are not worth a word."""
_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--setup", "setup_path", required=True, type=_FILE, help="The set-up file; the projector is named in it.")
@click.option("--situation", type=_FILE, help="The game on the table: no tag of light is thrown on its terrain.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--dry-run", is_flag=True, help="Say what was found and write nothing.")
@add_serving_options
@add_json_option
def projector(
    *, setup_path: Path, situation: Path | None, lens: Path | None, dry_run: bool, where: ServingOptions, as_json: bool
) -> None:
    """Measure where the projector's light lands.

    Open the projector page on the projector, full screen; tags of light are thrown on the table, and the camera finds
    them.  Nothing but the table's anchors has to lie there.  The calibration before is kept beside the new one.
    """
    measured, written, before = measure_projector(
        setup_path, situation=situation, lens=lens, keep=not dry_run, where=where
    )
    click.echo(measured.model_dump_json() if as_json else describe_projector(measured, written, before))


def describe_projector(calibration: ProjectorFile, written: Path | None, before: Path | None) -> str:
    """Return what a person is told of a calibration."""
    held_out = calibration.held_out
    assert held_out is not None
    x_mm, y_mm = held_out.worst_at_mm
    width, height = calibration.image_size
    error = (
        f"Light lands within {held_out.mean_mm:.2f} mm of where it belongs on average, {held_out.worst_mm:.2f} mm at"
        f" the worst (near x {x_mm:.0f} mm, y {y_mm:.0f} mm): measured at {held_out.tags} tags of light, each held"
        " out of the fit that foretold it."
    )
    lines = [
        error,
        f"The camera's own place adds {held_out.camera_sigma_mm:.2f} mm, which moves light and models alike.",
        f"It holds for a projector page of {width} x {height} pixels; lens: {calibration.lens}.",
    ]
    if 2 * held_out.doubt_mm > max(held_out.worst_mm, DOUBTFUL_MM):
        x_mm, y_mm = held_out.doubt_at_mm
        lines.append(
            f"Away from those tags it may be off by {2 * held_out.doubt_mm:.1f} mm (near x {x_mm:.0f} mm, y {y_mm:.0f}"
            " mm): clear the table there, or lower the camera's exposure, and measure again."
        )
    if calibration.dropped:
        lines.append(f"{len(calibration.dropped)} tags did not belong to the others and were left out.")
    lines.append("Nothing was written." if written is None else describe_written(written, before))
    return "\n".join(lines)
