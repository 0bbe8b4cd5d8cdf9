"""`overtable calibrate lens`: a lens from pictures of a board."""

from collections.abc import Iterator
from pathlib import Path

import click

from assistant.cli.calibrate.said import judgement_in_words, map_in_words, pair_in_words, stand_of, written_in_words
from assistant.cli.frames import frames_of
from assistant.cli.lens_live import calibrate_live
from assistant.cli.output import Finite, as_json
from assistant.cli.pairing import mark_beside
from assistant.cli.serving import Serving, serving
from assistant.errors import BadInput
from assistant.files import read_json, write_version
from assistant.target import check_target, is_json_of
from calibration.compare import compare
from calibration.errors import Unsolvable
from calibration.judgement import judge_lens
from calibration.lens import BoardView, LensFit, solve_lens
from calibration.lens_forms import PairForm
from calibration.lens_map import lens_map
from calibration.store import LensFile
from hardware.print.parts import RULER_MM
from vision.board import Board, CharucoBoard, Grey, parse_board
from vision.grey import as_grey
from vision.recognise import recognise

_FILES = click.Path(path_type=Path)
MOST_STRETCH = 0.06
"""A printer that fits a page to its paper makes it up to this part smaller or larger; more is a wrong measurement."""


@click.command("lens")
@click.option("--board", required=True, help="charuco:11x8:25:18:5X5_100[:legacy], chess:9x6:25, or printed.")
@click.option("--measured-mm", type=Finite(), help="How long the printed board's ruler of 100 mm really is.")
@click.option("--out", type=_FILES, help="The lens file to write; with --live it is named by the set-up.")
@click.option("--live", is_flag=True, help="Look through the camera of --setup: a page leads from view to view.")
@click.option("--setup", type=_FILES, help="The set-up whose table the errors are told for; otherwise 60 by 44 inches.")
@click.option("--same-camera-as", type=_FILES, help="A lens file of the same camera, to compare with.")
@click.argument("images", nargs=-1, type=_FILES)
@as_json
@serving
def lens(
    *,
    board: str,
    measured_mm: float | None,
    out: Path | None,
    live: bool,
    setup: Path | None,
    same_camera_as: Path | None,
    images: tuple[Path, ...],
    as_json: bool,
    where: Serving,
) -> None:
    """Solve the lens from pictures of a flat board, taken from different places and at different tilts.

    Pictures that do not fit the others are named and left out.  The answer says how far off the lens will be on the
    table, in millimetres.
    """
    pattern = _board(board, measured_mm)
    if live:
        path = _live_setup(setup, [out, same_camera_as, *images], as_json=as_json)
        calibrate_live(path, board if measured_mm is None else str(pattern), where)
        return
    if out is None or not images:
        raise BadInput("--out and pictures of the board are needed, or --live and --setup to look through the camera")
    check_target(out, "lens file", replaces=is_json_of("overtable.lens"))
    other = None if same_camera_as is None else read_json(same_camera_as, LensFile).lens
    views, size = _views(pattern, images)
    mark = mark_beside(images, size)
    fit = _fit(pattern, board, images, views, size)
    stand = stand_of(fit.lens, setup)
    on_table = lens_map(fit.lens, stand, misfit_px=fit.misfit_px)
    try:
        comparison = None if other is None else compare(other, fit.lens, stand)
    except Unsolvable as error:
        raise BadInput(f"{same_camera_as}: {error}") from None
    verdict = judge_lens(fit, on_table, comparison)
    pair = None if comparison is None else PairForm.of(str(same_camera_as), str(out), comparison)
    file = LensFile.of(fit, mark, board=str(pattern), on_table=on_table, verdict=verdict, same_camera=pair)
    before = write_version(out, (file.model_dump_json(indent=1) + "\n").encode())
    if as_json:
        click.echo(file.model_dump_json())
        return
    click.echo("\n".join([*_in_words(fit), *map_in_words(on_table)]))
    if pair is not None:
        click.echo("\n".join(pair_in_words(pair)))
    click.echo("\n".join([*judgement_in_words(verdict), written_in_words(out, before)]))


def _live_setup(setup: Path | None, others: list[Path | None], *, as_json: bool) -> Path:
    if setup is None:
        raise BadInput("--live: --setup is missing; it says which camera to look through, and there the lens is named")
    if as_json or any(others):
        raise BadInput("--live: it takes no pictures, --out, --same-camera-as or --json; the page shows the result")
    return setup


def _board(said: str, measured_mm: float | None) -> Board:
    try:
        pattern = parse_board(said)
    except ValueError as error:
        raise BadInput(f"--board: {error}") from None
    if measured_mm is None:
        return pattern
    if said != "printed" or not isinstance(pattern, CharucoBoard):
        raise BadInput(
            "--measured-mm: only the board that `overtable print board` makes (--board printed) has a ruler;"
            f" give the measured lengths in --board, as in {parse_board(said)}"
        )
    if not abs(measured_mm / RULER_MM - 1) <= MOST_STRETCH:
        raise BadInput(
            f"--measured-mm {measured_mm:g}: expected the length of the ruler on the sheet, which is {RULER_MM} mm in a"
            f" true print and within {100 * MOST_STRETCH:.0f} % of it in any; measure it in millimetres, or print the"
            " sheet again at 100 %"
        )
    return pattern.scaled(measured_mm / RULER_MM)


def _fit(pattern: Board, said: str, images: tuple[Path, ...], views: list[BoardView], size: tuple[int, int]) -> LensFit:
    seen = sum(len(view.points_mm) > 0 for view in views)
    if 2 * seen < len(views):
        _say_what_is_seen(pattern, said, images)
    if not seen:
        raise BadInput(
            f"--board {said}: no board is seen in {_named([view.name for view in views])};"
            " show the whole of it, lit evenly and sharp"
        )
    try:
        fit = solve_lens(views, size)
    except Unsolvable as error:
        _say_what_is_seen(pattern, said, images)
        raise BadInput(f"--board {said}: {error}") from None
    return fit


def _views(pattern: Board, images: tuple[Path, ...]) -> tuple[list[BoardView], tuple[int, int]]:
    views: list[BoardView] = []
    first, size = images[0], (0, 0)
    for path in images:
        for name, grey in _pictures(path):
            height, width = grey.shape
            if size == (0, 0):
                first, size = path, (width, height)
            if (width, height) != size:
                raise BadInput(
                    f"{path}: this picture is {width}x{height}, but {first} is {size[0]}x{size[1]};"
                    " all must come from one camera at one resolution"
                )
            views.append(pattern.find(grey, name))
    return views, size


def _pictures(path: Path) -> Iterator[tuple[str, Grey]]:
    """Yield the grey pictures of a file, each with its name."""
    for count, frame in enumerate(frames_of(path)):
        yield f"{path.name} frame {count}" if count else path.name, as_grey(frame.image)


def _say_what_is_seen(pattern: Board, said: str, images: tuple[Path, ...]) -> None:
    """Refuse pictures that show another board than was said, or show it mirrored."""
    greys = (grey for path in _spaced(images) for _, grey in _pictures(path))
    found = recognise(greys, pattern)
    if found is None:
        return
    if found.mirrored:
        board = "" if found.board == pattern else f" (and the board in them is {found.board})"
        raise BadInput(
            f"{images[0]}: the pictures are mirrored{board}; switch mirroring off in the camera or in the program that"
            " took them, and take them again"
        )
    if found.board != pattern:
        raise BadInput(f"--board {said}: the pictures show another board; it looks like --board {found.board}")


def _spaced(images: tuple[Path, ...]) -> Iterator[Path]:
    """Yield pictures from all over a list, the likeliest to be good first."""
    return iter((*images[len(images) // 2 :: 3], *images[: len(images) // 2 : 3]))


def _named(names: list[str]) -> str:
    """List names, not too many."""
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _in_words(fit: LensFit) -> Iterator[str]:
    fx, fy, cx, cy = fit.lens.parameters[:4]
    sigma = fit.lens.covariance.diagonal() ** 0.5
    yield f"The fit rests on {len(fit.views)} pictures of the board."
    for drop in fit.dropped:
        yield f"Left out: {drop.view}: {drop.reason}."
    if fit.corners_dropped:
        corners = "1 corner that does" if fit.corners_dropped == 1 else f"{fit.corners_dropped} corners that do"
        yield f"Left out: {corners} not fit the others of the same picture."
    yield (
        f"Focal length {fx:.1f} ± {sigma[0]:.1f} px (x), {fy:.1f} ± {sigma[1]:.1f} px (y);"
        f" centre {cx:.1f} ± {sigma[2]:.1f}, {cy:.1f} ± {sigma[3]:.1f} px."
    )
    k1, k2, p1, p2, k3 = (f"{v:.4f} ± {s:.4f}" for v, s in zip(fit.lens.distortion, sigma[4:], strict=True))
    yield f"Distortion k1 {k1}, k2 {k2}, p1 {p1}, p2 {p2}, k3 {k3}."
    yield (
        f"Error in pictures held out of the fit {fit.held_out_px:.3f} px, in pictures of the fit {fit.rms_px:.3f} px."
    )
