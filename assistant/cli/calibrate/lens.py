"""`overtable calibrate lens` and `compare`: a lens from pictures of a board, and whether lenses are of one camera."""

from collections.abc import Iterator
from pathlib import Path

import click

from assistant.cli.output import FiniteFloat, add_json_option
from assistant.cli.serving_options import add_serving_options
from assistant.errors import BadInput
from assistant.features.lens.pictures import compare_lens_files, solve_lens_from_pictures
from assistant.files.documents import write_version
from assistant.files.output_path import check_target, is_json_of
from assistant.runtime.live_calibration import calibrate_lens
from assistant.runtime.page_server import ServingOptions
from calibration.lens.file import PairForm
from calibration.lens.quality import LensErrorMap, LensJudgement
from calibration.lens.solve import LensFit
from calibration.spaces import LensModel
from hardware.printing.page import RULER_MM
from vision.boards.detection import BadBoard, Board, CharucoBoard, parse_board

_FILES = click.Path(path_type=Path)
COMPARISON_WORDS = {
    "agree": "can be of the same camera",
    "open": "may be of the same camera: they lie further apart than two standard deviations, but not than three",
    "disagree": "disagree: they are not of the same camera as it was, or one of them is not as good as it looks",
}


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


@click.command("compare")
@click.option("--setup", type=_FILES, help="The set-up whose table it is told for; otherwise 60 by 44 inches.")
@click.argument("lenses", nargs=-1, required=True, type=_FILES, metavar="LENS LENS...")
@add_json_option
def compare_command(setup: Path | None, lenses: tuple[Path, ...], as_json: bool) -> None:
    """Say whether lens files can be of the same camera, at the same focus.

    Two calibrations of one camera lie apart by chance, as far as their standard deviations say.  Lenses that lie
    further apart than that disagree, however small the error of each in its own pictures.
    """
    if len(lenses) < 2:
        raise BadInput(f"{lenses[0]}: one lens alone compares with nothing; expected two lens files or more")
    comparison, unsure = compare_lens_files(lenses, setup)
    if as_json:
        click.echo(comparison.model_dump_json())
        return
    for pair in comparison.pairs:
        click.echo("\n".join(describe_pair(pair)))
    for path in unsure:
        click.echo(f"{path} does not say how sure it is; an ordinary calibration's uncertainty is taken.")


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
    solved = solve_lens_from_pictures(pattern, board, images, out=out, setup=setup, same_camera_as=same_camera_as)
    before = write_version(out, (solved.file.model_dump_json(indent=1) + "\n").encode())
    if as_json:
        click.echo(solved.file.model_dump_json())
        return
    click.echo("\n".join([*_describe_fit(solved.fit), *describe_map(solved.error_map)]))
    if solved.pair is not None:
        click.echo("\n".join(describe_pair(solved.pair)))
    click.echo("\n".join([*describe_judgement(solved.judgement), describe_written(out, before)]))


def _require_live_setup(setup: Path | None, others: list[Path | None], *, as_json: bool) -> Path:
    if setup is None:
        raise BadInput("--live: --setup is missing; it says which camera to look through, and there the lens is named")
    if as_json or any(others):
        raise BadInput("--live: it takes no pictures, --out, --same-camera-as or --json; the page shows the result")
    return setup


def _read_board(name: str, measured_mm: float | None) -> Board:
    try:
        pattern = parse_board(name)
    except BadBoard as error:
        raise BadInput(f"--board: {error}") from None
    if measured_mm is None:
        return pattern
    if name != "printed" or not isinstance(pattern, CharucoBoard):
        raise BadInput(
            "--measured-mm: only the board that `overtable print board` makes (--board printed) has a ruler;"
            f" give the measured lengths in --board, as in {parse_board(name)}"
        )
    if not abs(measured_mm / RULER_MM - 1) <= MOST_STRETCH:
        raise BadInput(
            f"--measured-mm {measured_mm:g}: expected the length of the ruler on the sheet, which is {RULER_MM} mm in a"
            f" true print and within {100 * MOST_STRETCH:.0f} % of it in any; measure it in millimetres, or print the"
            " sheet again at 100 %"
        )
    return pattern.scale(measured_mm / RULER_MM)


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
    if fit.lens.model is LensModel.FISHEYE:
        yield "It is a fisheye lens: as one it foretells pictures that it has not seen better than as an ordinary one."
    yield f"Distortion k1 {k1}, k2 {k2}, p1 {p1}, p2 {p2}, k3 {k3}."
    yield f"The pictures tell {', '.join(fit.estimated)}; what else there is is taken as lenses usually have it."
    yield (
        f"Error in pictures held out of the fit {fit.held_out_px:.3f} px, in pictures of the fit {fit.rms_px:.3f} px."
    )
