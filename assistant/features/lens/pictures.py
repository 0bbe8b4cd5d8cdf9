"""A lens from pictures: solved from files that show a board, judged, and compared with other lenses."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assistant.errors import BadInput
from assistant.features.camera.frame_sources import read_frames
from assistant.features.camera.pairing import read_mark
from assistant.files.documents import read_json
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
from calibration.lens.solve import LensFit, solve_lens
from calibration.spaces import Lens
from vision.boards.detection import Board, Grey
from vision.boards.recognition import recognise_board
from vision.images import convert_to_grey


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturedLens:
    """A lens that was solved from pictures, and how good it is."""

    file: LensFile
    fit: LensFit
    error_map: LensErrorMap
    judgement: LensJudgement
    pair: PairForm | None
    """How it differs from another lens of the same camera; None where there is none to compare with."""


def solve_lens_from_pictures(
    pattern: Board,
    board_name: str,
    images: tuple[Path, ...],
    *,
    out: Path,
    setup: Path | None,
    same_camera_as: Path | None,
) -> PicturedLens:
    """Solve a lens.

    Args:
        pattern: the board that the pictures show.
        board_name: what a person called it.
        images: the files; those that do not fit the others are left out.
        out: what the lens file will be called.
        setup: a set-up whose table its errors are told for; None for the usual one.
        same_camera_as: a lens file to compare with.

    Raises:
        BadInput: a file cannot be read, the pictures show another board or tell no lens, or lenses cannot be compared.

    """
    other = None if same_camera_as is None else read_json(same_camera_as, LensFile).lens
    views, size = _find_views(pattern, images)
    mark = read_mark(images, size)
    fit = _fit_lens(pattern, board_name, images, views, size)
    stand = _build_stand(fit.lens, setup)
    error_map = map_lens_error(fit.lens, stand, misfit_px=fit.misfit_px)
    try:
        comparison = None if other is None else compare_lens_pair(other, fit.lens, stand)
    except Unsolvable as error:
        raise BadInput(f"{same_camera_as}: {error}") from None
    judgement = judge_lens(fit, error_map, comparison)
    pair = None if comparison is None else PairForm.from_comparison(str(same_camera_as), str(out), comparison)
    file = LensFile.from_fit(fit, mark, board=str(pattern), on_table=error_map, verdict=judgement, same_camera=pair)
    return PicturedLens(file=file, fit=fit, error_map=error_map, judgement=judgement, pair=pair)


def compare_lens_files(paths: Sequence[Path], setup: Path | None) -> tuple[ComparisonForm, list[Path]]:
    """Return how two lens files or more differ on a table, and which of them do not say how sure they are.

    Raises:
        BadInput: a file is not as it should be, or the lenses cannot be compared.

    """
    files = [read_json(path, LensFile) for path in paths]
    stand = _build_stand(files[0].lens, setup)
    pairs: list[PairForm] = []
    for (one, first), (other, second) in itertools.combinations(zip(paths, files, strict=True), 2):
        try:
            comparison = compare_lens_pair(first.lens, second.lens, stand)
        except Unsolvable as error:
            raise BadInput(f"{one} and {other}: {error}") from None
        pairs.append(PairForm.from_comparison(str(one), str(other), comparison))
    outcome = max((pair.outcome for pair in pairs), key=LENS_AGREEMENTS.index)
    form = ComparisonForm(outcome=outcome, table_mm=stand.table_mm, height_mm=stand.height_mm, pairs=tuple(pairs))
    return form, [path for path, file in zip(paths, files, strict=True) if file.covariance is None]


def _build_stand(lens: Lens, setup: Path | None) -> TableUnderCamera:
    """Return the table and the anchors of a set-up, or the usual ones, under a camera whose picture the table fills.

    Raises:
        BadInput: the set-up file is not as it should be.

    """
    if setup is None:
        return place_table_under(lens)
    setup_file = read_setup(setup)
    anchors_mm = np.concatenate([anchor.square_mm for anchor in setup_file.anchor_tags])
    return place_table_under(
        lens, table_mm=(setup_file.table.width_mm, setup_file.table.depth_mm), anchors_mm=anchors_mm
    )


def _fit_lens(
    pattern: Board, board_name: str, images: tuple[Path, ...], views: list[BoardView], size: tuple[int, int]
) -> LensFit:
    count = sum(len(view.points_mm) > 0 for view in views)
    if 2 * count < len(views):
        _refuse_other_board(pattern, board_name, images)
    if not count:
        raise BadInput(
            f"--board {board_name}: no board is seen in {_join_names([view.name for view in views])};"
            " show the whole of it, lit evenly and sharp"
        )
    try:
        fit = solve_lens(views, size)
    except Unsolvable as error:
        _refuse_other_board(pattern, board_name, images)
        raise BadInput(f"--board {board_name}: {error}") from None
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


def _refuse_other_board(pattern: Board, board_name: str, images: tuple[Path, ...]) -> None:
    """Refuse pictures that show another board than was said, or show it mirrored."""
    greys = (grey for path in _spread_out(images) for _, grey in _read_pictures(path))
    recognised = recognise_board(greys, pattern)
    if recognised is None:
        return
    if recognised.mirrored:
        board = "" if recognised.board == pattern else f" (and the board in them is {recognised.board})"
        raise BadInput(
            f"{images[0]}: the pictures are mirrored{board}; switch mirroring off in the camera or in the program that"
            " took them, and take them again"
        )
    if recognised.board != pattern:
        raise BadInput(
            f"--board {board_name}: the pictures show another board; it looks like --board {recognised.board}"
        )


def _spread_out(images: tuple[Path, ...]) -> Iterator[Path]:
    """Yield pictures from all over a list, the likeliest to be good first."""
    return iter((*images[len(images) // 2 :: 3], *images[: len(images) // 2 : 3]))


def _join_names(names: list[str]) -> str:
    """List names, not too many."""
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
