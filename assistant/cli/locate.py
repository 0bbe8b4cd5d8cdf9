"""`overtable locate`: pictures in, numbers out."""

from collections.abc import Iterator
from pathlib import Path

import click

from assistant.cli.output import add_json_option
from assistant.errors import BadInput
from assistant.features.camera.frame_sources import iterate_frames, read_frames
from assistant.features.camera.markers import build_markers, print_notice
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.recording.poses import PoseEntry, Poses, build_poses_document
from assistant.setup.file import read_setup
from hardware.camera import PlaybackPace, has_known_kind, open_source
from hardware.camera.address import redact_address
from hardware.camera.file import is_still
from hardware.camera.frame_source import Identity, read_identity_beside
from hardware.frame import Frame
from overtable_errors import OvertableError
from vision.markers import Markers
from vision.pipeline import Pipeline, locate_bases_in_image

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
    read = read_setup(setup)
    markers, notice = build_markers(read, setup, lens)
    files = find_calibration_files(read, setup, lens)
    notices = [notice]
    for image in images:
        pairing = Pairing(files)
        for found in _locate_in(markers, image, pairing):
            click.echo(found.model_dump_json() if as_json else describe_poses(found))
        notices.append(pairing.notice)
    for text in dict.fromkeys(notices):
        print_notice(text)


def _locate_in(markers: Markers, image: str, pairing: Pairing) -> Iterator[Poses]:
    path = Path(image)
    if has_known_kind(image) and not path.exists():
        return _locate_in_source(markers, image, pairing)
    return (_locate_in_still if is_still(path) else _locate_in_video)(markers, path, pairing)


def _locate_in_still(markers: Markers, path: Path, pairing: Pairing) -> Iterator[Poses]:
    (frame,) = read_frames(path)
    try:
        pairing.check(read_identity_beside(path), frame.image)
        snapshot = locate_bases_in_image(markers, frame.image, frame.captured_ns)
    except OvertableError as error:
        raise BadInput(f"{path}: {error}") from None
    yield build_poses_document(snapshot, source=path.name, frame=0, captured_ns=None)


def _locate_in_video(markers: Markers, path: Path, pairing: Pairing) -> Iterator[Poses]:
    return _follow(markers, read_frames(path), read_identity_beside(path), pairing, name=str(path), source=path.name)


def _locate_in_source(markers: Markers, spec: str, pairing: Pairing) -> Iterator[Poses]:
    source = open_source(spec, folder=Path(), pace=PlaybackPace.FREE)
    shown = redact_address(spec)
    return _follow(markers, iterate_frames(source), source.identify(), pairing, name=shown, source=shown)


def _follow(
    markers: Markers, frames: Iterator[Frame], identity: Identity, pairing: Pairing, *, name: str, source: str
) -> Iterator[Poses]:
    """Yield what each frame shows, followed from one to the next."""
    pipeline = Pipeline(markers=markers)
    for frame in frames:
        try:
            pairing.check(identity, frame.image)
            snapshot = pipeline.step(frame)
        except OvertableError as error:
            raise BadInput(f"{name}: {error}") from None
        yield build_poses_document(snapshot, source=source, frame=frame.sequence, captured_ns=frame.captured_ns)


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
