"""`overtable locate` and `overtable calibrate lens`: pictures in, numbers out."""

from collections.abc import Iterator
from pathlib import Path

import click
from pydantic import BaseModel

from assistant.cli.markers import markers_of, tell
from assistant.cli.output import as_json
from assistant.errors import BadInput
from assistant.poses import PoseEntry, Poses, poses_of
from assistant.setup import read_setup
from calibration.errors import Unsolvable
from calibration.lens import BoardView, LensFit, solve_lens
from calibration.store import LensFile
from hardware.camera.file import is_still, open_file
from hardware.errors import EndOfFrames
from hardware.frame import Frame
from vision.board import parse_board
from vision.pipeline import Markers, Pipeline, as_grey, locate_alone

_FILES = click.Path(path_type=Path)


@click.command()
@click.option("--setup", required=True, type=_FILES, help="The set-up file: table, anchors, bases, lens.")
@click.option("--lens", type=_FILES, help="A lens file, in place of the one that the set-up names.")
@click.argument("images", nargs=-1, required=True, type=_FILES)
@as_json
def locate(setup: Path, lens: Path | None, images: tuple[Path, ...], as_json: bool) -> None:
    """Say where the bases stand in pictures.

    Each picture is looked at by itself; a video is followed from frame to frame.  With --json there is one document
    for each picture and each frame, a line each.
    """
    markers, notice = markers_of(read_setup(setup), setup, lens)
    for path in images:
        for found in _in_still(markers, path) if is_still(path) else _in_video(markers, path):
            click.echo(found.model_dump_json() if as_json else in_words(found))
    tell(notice)


def _in_still(markers: Markers, path: Path) -> Iterator[Poses]:
    (frame,) = _frames(path)
    try:
        snapshot = locate_alone(markers, frame.image, frame.captured_ns)
    except ValueError as error:  # Unsolvable among them
        raise BadInput(f"{path}: {error}") from None
    yield poses_of(snapshot, source=path.name, frame=0, captured_ns=None)


def _in_video(markers: Markers, path: Path) -> Iterator[Poses]:
    pipeline = Pipeline(markers=markers)
    for frame in _frames(path):
        try:
            snapshot = pipeline.step(frame)
        except ValueError as error:
            raise BadInput(f"{path}: {error}") from None
        yield poses_of(snapshot, source=path.name, frame=frame.sequence, captured_ns=frame.captured_ns)


def _frames(path: Path) -> Iterator[Frame]:
    source = open_file(path, name=path.name)
    try:
        while True:
            yield source.read()
    except EndOfFrames:
        return
    finally:
        source.close()


def in_words(found: Poses) -> str:
    """Return what a person is told of a picture."""
    lines = [f"{found.source}, frame {found.frame}: {len(found.bases)} bases, {found.anchors_seen} anchors"]
    for b in found.bases:
        sigma_mm = max(b.sigma_mm)
        lines.append(
            f"  {b.model:<12} x {b.x_mm:8.2f} mm  y {b.y_mm:8.2f} mm  (± {sigma_mm:.2f})"
            f"  facing {b.facing_deg:7.1f}° (± {b.sigma_deg:.1f})" + _in_doubt(b)
        )
    if found.shown_twice:
        tags = ", ".join(map(str, found.shown_twice))
        lines.append(f"  in view twice: tag {tags}; take one print away")
    return "\n".join(lines)


def _in_doubt(base: PoseEntry) -> str:
    """Return what is worth saying of a base beyond its place."""
    said: list[str] = [base.state] if base.state != "seen" else []
    if base.z_mm or base.other_z_mm:
        others = "".join(f" or {z_mm:g}" for z_mm in base.other_z_mm)
        said.append(f"stands {base.z_mm:g}{others} mm high" if base.state != "lifted" else f"{base.z_mm:g} mm high")
    return f"  {', '.join(said)}" if said else ""


@click.group()
def calibrate() -> None:
    """Measure the camera."""


@calibrate.command("lens")
@click.option("--board", required=True, help="charuco:11x8:25:18:5X5_100[:legacy], chess:9x6:25, or printed.")
@click.option("--out", required=True, type=_FILES, help="The lens file to write.")
@click.argument("images", nargs=-1, required=True, type=_FILES)
@as_json
def calibrate_lens(board: str, out: Path, images: tuple[Path, ...], as_json: bool) -> None:
    """Solve the lens from pictures of a flat board, taken from different places and at different tilts."""
    fit = _lens_fit(board, images)
    file = LensFile.of(fit)
    _write(out, file)
    if as_json:
        click.echo(file.model_dump_json())
        return
    fx, fy, cx, cy = fit.lens.parameters[:4]
    sigma = fit.lens.covariance.diagonal() ** 0.5
    click.echo(
        f"{len(fit.views)} of {len(images)} pictures show the board well.\n"
        f"Focal length {fx:.1f} ± {sigma[0]:.1f} px (x), {fy:.1f} ± {sigma[1]:.1f} px (y);"
        f" centre {cx:.1f} ± {sigma[2]:.1f}, {cy:.1f} ± {sigma[3]:.1f} px.\n"
        f"Error in the pictures of the fit {fit.rms_px:.3f} px, in pictures held out of it {fit.held_out_px:.3f} px.\n"
        f"Written to {out}."
    )


def _lens_fit(board: str, images: tuple[Path, ...]) -> LensFit:
    try:
        pattern = parse_board(board)
    except ValueError as error:
        raise BadInput(f"--board: {error}") from None
    views: list[BoardView] = []
    sizes: dict[tuple[int, int], Path] = {}
    for path in images:
        for frame in _frames(path):
            grey = as_grey(frame.image)
            height, width = grey.shape
            sizes.setdefault((width, height), path)
            views.append(pattern.find(grey, path.name))
    if len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        raise BadInput(
            f"{second}: this picture is {other[0]}x{other[1]}, but {first} is {one[0]}x{one[1]};"
            " all must come from one camera at one resolution"
        )
    (size,) = sizes
    try:
        return solve_lens(views, size)
    except Unsolvable as error:
        raise BadInput(f"--board {board}: {error}") from None


def _write(path: Path, file: BaseModel) -> None:
    try:
        path.write_text(file.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from None


commands: list[click.Command] = [locate, calibrate]
