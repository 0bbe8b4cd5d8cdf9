"""`overtable calibrate lens` and `compare`: a lens from pictures of a board, and whether lenses are of one camera."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from assistant.cli.output import FiniteFloat, add_json_option
from assistant.cli.serving_options import add_serving_options
from assistant.errors import BadInput
from assistant.features.camera.frame_sources import read_frames
from assistant.features.camera.pairing import read_mark
from assistant.files.documents import read_json, write_version
from assistant.files.output_path import check_target, is_json_of
from assistant.runtime.live_calibration import calibrate_lens
from assistant.runtime.page_server import ServingOptions
from assistant.setup.file import read_setup
from calibration.errors import Unsolvable
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.file import ComparisonForm, LensFile, PairForm
from calibration.lens.quality import (
    LENS_AGREEMENTS,
    LensErrorMap,
    LensJudgement,
    TableUnderCamera,
    compare_lens_pair,
    judge_lens,
    map_lens_error,
    place_table_under,
)
from calibration.lens.quality import compare_lens_pair as compare_lenses
from calibration.lens.solve import LensFit, solve_lens
from calibration.spaces import Lens
from hardware.printing.page import RULER_MM
from vision.boards.detection import BadBoard, Board, CharucoBoard, Grey, parse_board
from vision.boards.recognition import recognise_board
from vision.images import convert_to_grey

COMPARISON_WORDS = {
    "agree": "can be of the same camera",
    "open": "may be of the same camera: they lie further apart than two standard deviations, but not than three",
    "disagree": "disagree: they are not of the same camera as it was, or one of them is not as good as it looks",
}


def build_stand(lens: Lens, setup: Path | None) -> TableUnderCamera:
    """Return the table and the anchors of a set-up, or the usual ones, under a camera whose picture the table fills.

    Raises:
        BadInput: the set-up file is not as it should be.

    """
    if setup is None:
        return place_table_under(lens)
    read = read_setup(setup)
    anchors_mm = np.concatenate([anchor.square_mm for anchor in read.anchor_tags])
    return place_table_under(lens, table_mm=(read.table.width_mm, read.table.depth_mm), anchors_mm=anchors_mm)


def describe_map(on_table: LensErrorMap) -> Iterator[str]:
    """Yield the map as a grid, the far edge on top."""
    width, depth = on_table.stand.table_mm
    yield (
        f"Expected error on a table of {width:.0f} x {depth:.0f} mm that fills the picture"
        f" (camera {on_table.stand.height_mm:.0f} mm above it): {on_table.typical_mm:.2f} mm,"
        f" {on_table.worst_mm:.2f} mm where it is worst."
    )
    xs = on_table.places_mm[0, :, 0]
    yield "  y \\ x " + "".join(f"{x:7.0f}" for x in xs)
    for places, errors in zip(on_table.places_mm[::-1], on_table.errors_mm[::-1], strict=True):
        yield f"  {places[0, 1]:5.0f} " + "".join(f"{error:7.2f}" for error in errors)


def describe_judgement(verdict: LensJudgement) -> Iterator[str]:
    """Yield the verdict and every reason, the weakest first."""
    yield f"This lens is {verdict.level}:"
    for reason in verdict.reasons:
        yield f"  {reason.level}: {reason.sentence}."


def describe_pair(pair: PairForm) -> Iterator[str]:
    """Yield how two lenses differ."""
    yield f"{pair.one} and {pair.other} {COMPARISON_WORDS[pair.outcome]}."
    worst = sorted(pair.differences, key=lambda d: -abs(d.difference / d.sigma))[:4]
    yield "  furthest apart: " + ", ".join(
        f"{d.parameter} by {d.difference:+.4g} ({abs(d.difference / d.sigma):.1f} sigma)" for d in worst
    )
    yield f"  all nine together: chi-square {pair.chi2:.1f}, of which 9 is usual (chance {pair.probability:.2g})"
    yield (
        f"  on the table they lie {pair.typical_mm:.2f} mm apart ({pair.typical_px:.2f} px),"
        f" {pair.worst_mm:.2f} mm at worst ({pair.worst_px:.2f} px);"
        f" their uncertainty allows for {pair.expected_mm:.2f} mm"
    )


def describe_written(path: Path, before: Path | None) -> str:
    """Return where a calibration is now, and where the one before it."""
    return f"Written to {path}." + (f" The one before it is {before.name} now." if before else "")


_LENS_FILES = click.Path(path_type=Path)


@click.command("compare")
@click.option("--setup", type=_LENS_FILES, help="The set-up whose table it is told for; otherwise 60 by 44 inches.")
@click.argument("lenses", nargs=-1, required=True, type=_LENS_FILES, metavar="LENS LENS...")
@add_json_option
def compare_command(setup: Path | None, lenses: tuple[Path, ...], as_json: bool) -> None:
    """Say whether lens files can be of the same camera, at the same focus.

    Two calibrations of one camera lie apart by chance, as far as their standard deviations say.  Lenses that lie
    further apart than that disagree, however small the error of each in its own pictures.
    """
    if len(lenses) < 2:
        raise BadInput(f"{lenses[0]}: one lens alone compares with nothing; expected two lens files or more")
    files = [read_json(path, LensFile) for path in lenses]
    stand = build_stand(files[0].lens, setup)
    pairs: list[PairForm] = []
    for (one, first), (other, second) in itertools.combinations(zip(lenses, files, strict=True), 2):
        try:
            pairs.append(PairForm.from_comparison(str(one), str(other), compare_lenses(first.lens, second.lens, stand)))
        except Unsolvable as error:
            raise BadInput(f"{one} and {other}: {error}") from None
    outcome = max((pair.outcome for pair in pairs), key=LENS_AGREEMENTS.index)
    answer = ComparisonForm(outcome=outcome, table_mm=stand.table_mm, height_mm=stand.height_mm, pairs=tuple(pairs))
    if as_json:
        click.echo(answer.model_dump_json())
        return
    for pair in pairs:
        click.echo("\n".join(describe_pair(pair)))
    for path, file in zip(lenses, files, strict=True):
        if file.covariance is None:
            click.echo(f"{path} does not say how sure it is; an ordinary calibration's uncertainty is taken.")


_FILES = click.Path(path_type=Path)
MOST_STRETCH = 0.06
"""A printer that fits a page to its paper makes it up to this part smaller or larger; more is a wrong measurement."""


@click.command("lens")
@click.option("--board", required=True, help="charuco:11x8:25:18:5X5_100[:legacy], chess:9x6:25, or printed.")
@click.option("--measured-mm", type=FiniteFloat(), help="How long the printed board's ruler of 100 mm really is.")
@click.option("--out", type=_FILES, help="The lens file to write; with --live it is named by the set-up.")
@click.option("--live", is_flag=True, help="Look through the camera of --setup: a page leads from view to view.")
@click.option("--setup", type=_FILES, help="The set-up whose table the errors are told for; otherwise 60 by 44 inches.")
@click.option("--same-camera-as", type=_FILES, help="A lens file of the same camera, to compare with.")
@click.argument("images", nargs=-1, type=_FILES)
@add_json_option
@add_serving_options
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
    where: ServingOptions,
) -> None:
    """Solve the lens from pictures of a flat board, taken from different places and at different tilts.

    Pictures that do not fit the others are named and left out.  The answer says how far off the lens will be on the
    table, in millimetres.
    """
    pattern = _read_board(board, measured_mm)
    if live:
        path = _require_live_setup(setup, [out, same_camera_as, *images], as_json=as_json)
        calibrate_lens(path, board if measured_mm is None else str(pattern), where)
        return
    if out is None or not images:
        raise BadInput("--out and pictures of the board are needed, or --live and --setup to look through the camera")
    check_target(out, "lens file", replaces=is_json_of("overtable.lens"))
    other = None if same_camera_as is None else read_json(same_camera_as, LensFile).lens
    views, size = _find_views(pattern, images)
    mark = read_mark(images, size)
    fit = _fit_lens(pattern, board, images, views, size)
    stand = build_stand(fit.lens, setup)
    on_table = map_lens_error(fit.lens, stand, misfit_px=fit.misfit_px)
    try:
        comparison = None if other is None else compare_lens_pair(other, fit.lens, stand)
    except Unsolvable as error:
        raise BadInput(f"{same_camera_as}: {error}") from None
    verdict = judge_lens(fit, on_table, comparison)
    pair = None if comparison is None else PairForm.from_comparison(str(same_camera_as), str(out), comparison)
    file = LensFile.from_fit(fit, mark, board=str(pattern), on_table=on_table, verdict=verdict, same_camera=pair)
    before = write_version(out, (file.model_dump_json(indent=1) + "\n").encode())
    if as_json:
        click.echo(file.model_dump_json())
        return
    click.echo("\n".join([*_describe_fit(fit), *describe_map(on_table)]))
    if pair is not None:
        click.echo("\n".join(describe_pair(pair)))
    click.echo("\n".join([*describe_judgement(verdict), describe_written(out, before)]))


def _require_live_setup(setup: Path | None, others: list[Path | None], *, as_json: bool) -> Path:
    if setup is None:
        raise BadInput("--live: --setup is missing; it says which camera to look through, and there the lens is named")
    if as_json or any(others):
        raise BadInput("--live: it takes no pictures, --out, --same-camera-as or --json; the page shows the result")
    return setup


def _read_board(said: str, measured_mm: float | None) -> Board:
    try:
        pattern = parse_board(said)
    except BadBoard as error:
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
    return pattern.scale(measured_mm / RULER_MM)


def _fit_lens(
    pattern: Board, said: str, images: tuple[Path, ...], views: list[BoardView], size: tuple[int, int]
) -> LensFit:
    seen = sum(len(view.points_mm) > 0 for view in views)
    if 2 * seen < len(views):
        _refuse_other_board(pattern, said, images)
    if not seen:
        raise BadInput(
            f"--board {said}: no board is seen in {_join_names([view.name for view in views])};"
            " show the whole of it, lit evenly and sharp"
        )
    try:
        fit = solve_lens(views, size)
    except Unsolvable as error:
        _refuse_other_board(pattern, said, images)
        raise BadInput(f"--board {said}: {error}") from None
    return fit


def _find_views(pattern: Board, images: tuple[Path, ...]) -> tuple[list[BoardView], tuple[int, int]]:
    views: list[BoardView] = []
    first, size = images[0], (0, 0)
    for path in images:
        for name, grey in _read_pictures(path):
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


def _read_pictures(path: Path) -> Iterator[tuple[str, Grey]]:
    """Yield the grey pictures of a file, each with its name."""
    for count, frame in enumerate(read_frames(path)):
        yield f"{path.name} frame {count}" if count else path.name, convert_to_grey(frame.image)


def _refuse_other_board(pattern: Board, said: str, images: tuple[Path, ...]) -> None:
    """Refuse pictures that show another board than was said, or show it mirrored."""
    greys = (grey for path in _spread_out(images) for _, grey in _read_pictures(path))
    found = recognise_board(greys, pattern)
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


def _spread_out(images: tuple[Path, ...]) -> Iterator[Path]:
    """Yield pictures from all over a list, the likeliest to be good first."""
    return iter((*images[len(images) // 2 :: 3], *images[: len(images) // 2 : 3]))


def _join_names(names: list[str]) -> str:
    """List names, not too many."""
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _describe_fit(fit: LensFit) -> Iterator[str]:
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
