"""`overtable locate`: pictures in, numbers out."""

from collections.abc import Iterator
from pathlib import Path

import click

from assistant.cli.output import add_json_option
from assistant.errors import BadInput
from assistant.features.camera.frame_sources import read_frames
from assistant.features.camera.markers import build_markers, print_notice
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.recording.poses import PoseEntry, Poses, build_poses_document
from assistant.setup.file import read_setup
from hardware.camera.file import is_still
from hardware.camera.frame_source import read_identity_beside
from vision.markers import Markers
from vision.pipeline import Pipeline, locate_bases_in_image

_FILES = click.Path(path_type=Path)


@click.command()
@click.option("--setup", required=True, type=_FILES, help="The set-up file: table, anchors, bases, lens.")
@click.option("--lens", type=_FILES, help="A lens file, in place of the one that the set-up names.")
@click.argument("images", nargs=-1, required=True, type=_FILES)
@add_json_option
def locate(setup: Path, lens: Path | None, images: tuple[Path, ...], as_json: bool) -> None:
    """Say where the bases stand in pictures.

    Each picture is looked at by itself; a video is followed from frame to frame.  With --json there is one document
    for each picture and each frame, a line each.
    """
    read = read_setup(setup)
    markers, notice = build_markers(read, setup, lens)
    files = find_calibration_files(read, setup, lens)
    notices = [notice]
    for path in images:
        pairing = Pairing(files)
        look = _locate_in_still if is_still(path) else _locate_in_video
        for found in look(markers, path, pairing):
            click.echo(found.model_dump_json() if as_json else describe_poses(found))
        notices.append(pairing.notice)
    for text in dict.fromkeys(notices):
        print_notice(text)


def _locate_in_still(markers: Markers, path: Path, pairing: Pairing) -> Iterator[Poses]:
    (frame,) = read_frames(path)
    try:
        pairing.check(read_identity_beside(path), frame.image)
        snapshot = locate_bases_in_image(markers, frame.image, frame.captured_ns)
    except ValueError as error:  # Unsolvable among them
        raise BadInput(f"{path}: {error}") from None
    yield build_poses_document(snapshot, source=path.name, frame=0, captured_ns=None)


def _locate_in_video(markers: Markers, path: Path, pairing: Pairing) -> Iterator[Poses]:
    pipeline = Pipeline(markers=markers)
    identity = read_identity_beside(path)
    for frame in read_frames(path):
        try:
            pairing.check(identity, frame.image)
            snapshot = pipeline.step(frame)
        except ValueError as error:
            raise BadInput(f"{path}: {error}") from None
        yield build_poses_document(snapshot, source=path.name, frame=frame.sequence, captured_ns=frame.captured_ns)


def describe_poses(found: Poses) -> str:
    """Return what a person is told of a picture."""
    lines = [f"{found.source}, frame {found.frame}: {len(found.bases)} bases, {found.anchors_seen} anchors"]
    for b in found.bases:
        sigma_mm = max(b.sigma_mm)
        lines.append(
            f"  {b.model:<12} x {b.x_mm:8.2f} mm  y {b.y_mm:8.2f} mm  (± {sigma_mm:.2f})"
            f"  facing {b.facing_deg:7.1f}° (± {b.sigma_deg:.1f})" + _describe_doubt(b)
        )
    if found.shown_twice:
        tags = ", ".join(map(str, found.shown_twice))
        lines.append(f"  in view twice: tag {tags}; take one print away")
    lines += [f"  look: {sentence}" for sentence in found.wrong_anchors]
    return "\n".join(lines)


def _describe_doubt(base: PoseEntry) -> str:
    """Return what is worth saying of a base beyond its place."""
    said: list[str] = [base.state] if base.state != "seen" else []
    if base.z_mm or base.other_z_mm:
        others = "".join(f" or {z_mm:g}" for z_mm in base.other_z_mm)
        said.append(f"stands {base.z_mm:g}{others} mm high" if base.state != "lifted" else f"{base.z_mm:g} mm high")
    return f"  {', '.join(said)}" if said else ""


commands: list[click.Command] = [locate]
