"""`overtable calibrate refine`: a better lens from what a recorded game shows."""

from pathlib import Path

import click

from assistant.cli.calibrate.lens import describe_written
from assistant.cli.output import show_progress
from assistant.features.refinement.recording import build_lens_file, read_camera, refine_recording
from assistant.files.documents import write_version
from assistant.files.output_path import check_target, is_json_of
from calibration.table.play_refinement import PlayRefinement

_FILES = click.Path(path_type=Path)


@click.command("refine")
@click.option("--out", type=_FILES, help="The lens file to write if it is better; otherwise it is only said.")
@click.argument("recording", type=_FILES)
def refine(recording: Path, out: Path | None) -> None:
    """Refine the lens from a recorded game with video.

    Every tag that lies still is a square of known size, all over the table.  What they tell is compared with the lens
    that the game was played with, on tags that were held out.  It helps most where there was no lens file.
    """
    if out is not None:
        check_target(out, "lens file", replaces=is_json_of("overtable.lens"))
    with show_progress("Looking at the game") as progress:
        found = refine_recording(recording, progress)
    click.echo(describe_refinement(found))
    if out is not None and found.is_better:
        lens = build_lens_file(found, read_camera(recording))
        before = write_version(out, (lens.model_dump_json(indent=1) + "\n").encode())
        click.echo(f"{describe_written(out, before)} A set-up uses it once it names it as lens under [camera].")


def describe_refinement(found: PlayRefinement) -> str:
    """Return what a person is told of a refinement."""
    verdict = "The refined lens is better." if found.is_better else "That is no clear gain: keep the lens in use."
    return (
        f"{found.tags} tags lay still. The largest error to expect on the table is {found.before_mm:.2f} mm now and"
        f" {found.after_mm:.2f} mm with the refined lens;\n"
        f"tags that it was not made from are off squares by {found.held_out_before_mm:.3f} mm now and"
        f" {found.held_out_mm:.3f} mm then ({found.gain_sigmas:+.1f} sigma). {verdict}"
    )
