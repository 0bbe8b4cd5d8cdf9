"""`overtable calibrate lens`: a lens from pictures of a board."""

from pathlib import Path

import click
from pydantic import BaseModel

from assistant.cli.frames import frames_of
from assistant.cli.output import as_json
from assistant.errors import BadInput
from calibration.errors import Unsolvable
from calibration.lens import BoardView, LensFit, solve_lens
from calibration.store import LensFile
from vision.board import parse_board
from vision.pipeline import as_grey

_FILES = click.Path(path_type=Path)


@click.command("lens")
@click.option("--board", required=True, help="charuco:11x8:25:18:5X5_100[:legacy], chess:9x6:25, or printed.")
@click.option("--out", required=True, type=_FILES, help="The lens file to write.")
@click.argument("images", nargs=-1, required=True, type=_FILES)
@as_json
def lens(board: str, out: Path, images: tuple[Path, ...], as_json: bool) -> None:
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
        for frame in frames_of(path):
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
