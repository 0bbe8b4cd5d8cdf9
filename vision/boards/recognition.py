"""Board recognition: which calibration board pictures show, where it is not the one that was specified."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boards.detection import Board, CharucoBoard, ChessBoard, Grey

FAMILIES = ("4X4", "5X5", "6X6", "7X7")
SIZES = (50, 100, 250, 1000)
"""Of the dictionaries; each begins with the next smaller one's markers."""
MARKERS_A_FAMILY = 250
"""Markers of each family: a board has its first ones, and seldom more; looking for all takes four times as long."""
MOST_PICTURES = 3
"""Pictures; one board is in all of them."""
WIDEST_PX = 1280
"""More pixels than this across only take time."""
LEAST_MARKERS = 4
CERTAIN_MARKERS = 8
"""So many markers of one family in a picture are no accident."""
RANSAC_TRIES = 200
"""At a homography; with most markers in place a few do."""
MISPLACED_SHARE = 0.2
"""A marker further from its place than this part of its edge is not where the board has it."""
MOST_MISCOUNTED = 2
"""How many columns or rows a board may have more or fewer than the one about which is looked."""
SEARCH_STEPS = 4
"""Each looks about the best board of the one before; a person may have taken the specification from anywhere."""

GUESS_FLAGS = (cv2.CALIB_CB_NORMALIZE_IMAGE, 0)
SIZE_FLAGS = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_FAST_CHECK

MarkerCorners = dict[int, NDArray[np.float64]]
"""The (4, 2) corners of the markers in a picture, px."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedBoard:
    """What pictures show."""

    board: Board
    mirrored: bool


def recognise_board(greys: Iterable[Grey], stated: Board) -> RecognisedBoard | None:
    """Return the board that pictures show, as far from the one that was said as they demand; None if none is seen.

    Lengths cannot be seen; they are those that were said.
    """
    pictures = [_shrink(grey) for grey in itertools.islice(greys, MOST_PICTURES)]
    if recognised := _recognise_by_markers(pictures, stated):
        return recognised
    size = _find_chess_size(pictures, (stated.columns, stated.rows) if isinstance(stated, ChessBoard) else None)
    if size is None:
        return None
    if isinstance(stated, ChessBoard) and set(size) == {stated.columns, stated.rows}:
        return RecognisedBoard(board=stated, mirrored=False)
    return RecognisedBoard(board=ChessBoard(columns=size[0], rows=size[1], square_mm=stated.square_mm), mirrored=False)


def _shrink(grey: Grey) -> Grey:
    scale = WIDEST_PX / max(grey.shape)
    return grey if scale >= 1 else np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))


def _find_chess_size(pictures: Sequence[Grey], stated: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return how many inner corners the chessboard in pictures has, the greater number first; None if none is seen.

    A grid that grows from one corner outward stops at a shadow, or goes on beyond the board; so what it comes to is
    only a guess, and a size counts if the outline of a board of just that size is found, which no other size passes.
    A board without its last row passes now and then, so larger ones are tried as well.
    """
    guesses = [size for grey in pictures for flags in GUESS_FLAGS if (size := _guess_chess_size(grey, flags))]
    sizes = dict.fromkeys([stated] if stated else [])
    sizes |= dict.fromkeys(sorted(set(guesses), key=guesses.count, reverse=True))
    tried: dict[tuple[int, int], int] = {}

    def count_seen(size: tuple[int, int]) -> int:
        many, few = max(size), min(size)
        if (many, few) not in tried:
            tried[many, few] = sum(cv2.findChessboardCorners(grey, size, flags=SIZE_FLAGS)[0] for grey in pictures)
        return tried[many, few]

    found = next((size for size in sizes if 2 * count_seen(size) > len(pictures)), None)
    if found is None:
        around = {
            (c + dc, r + dr) for c, r in sizes for dc in (-1, 0, 1) for dr in (-1, 0, 1) if min(c + dc, r + dr) > 2
        }
        found = max(sorted(around), key=count_seen, default=None)
        if found is None or not count_seen(found):
            return None
    while larger := next(
        (
            more
            for more in ((found[0] + 1, found[1]), (found[0], found[1] + 1))
            if count_seen(more) >= count_seen(found)
        ),
        None,
    ):
        found = larger
    return max(found), min(found)


def _guess_chess_size(grey: Grey, flags: int) -> tuple[int, int] | None:
    is_found, _, places = cv2.findChessboardCornersSBWithMeta(grey, (3, 3), flags | cv2.CALIB_CB_LARGER)
    if not is_found or places is None:
        return None
    few, many = sorted(np.asarray(places).shape[:2])
    return many, few


def _recognise_by_markers(pictures: Sequence[Grey], stated: Board) -> RecognisedBoard | None:
    family, mirrored, views = _find_best_family(pictures, stated)
    if not views:
        return None
    best = _find_best_layout(stated, family, views)
    if _count_explained(best, views) < LEAST_MARKERS * len(views):
        return None
    if isinstance(stated, ChessBoard):
        best = replace(best, marker_mm=round(2 * stated.square_mm * _measure_marker_part(best, views)) / 2)
    return RecognisedBoard(board=best, mirrored=mirrored)


def _find_best_layout(stated: Board, family: str, views: Sequence[MarkerCorners]) -> CharucoBoard:
    """Return the board that explains the most markers."""

    def about(middle: Board) -> CharucoBoard:
        return min(
            _list_layouts(middle, family),
            key=lambda board: (-_count_explained(board, views), _rank_unlikeness(board, stated)),
        )

    best = about(stated)
    for _ in range(SEARCH_STEPS):
        if (further := about(best)) == best:
            break
        best = further
    return best


def _find_best_family(pictures: Sequence[Grey], stated: Board) -> tuple[str, bool, list[MarkerCorners]]:
    """Return the family of which the most markers are seen, whether the pictures are mirrored, and the markers."""
    stated_family = stated.dictionary.partition("_")[0] if isinstance(stated, CharucoBoard) else FAMILIES[0]
    best: tuple[int, str, bool, list[MarkerCorners]] = (0, stated_family, False, [])
    for mirrored in (False, True):
        markers_by_picture = [_detect_markers(np.fliplr(grey) if mirrored else grey) for grey in pictures]
        for family in sorted(FAMILIES, key=lambda name: name != stated_family):
            views = [markers[family] for markers in markers_by_picture if len(markers[family]) >= LEAST_MARKERS]
            if (count := sum(map(len, views))) > 1.5 * best[0]:  # small squares are easily taken for markers
                best = (count, family, mirrored, views)
        if best[0] > CERTAIN_MARKERS * len(pictures):
            break
    return best[1:]


def _detect_markers(grey: Grey) -> dict[str, MarkerCorners]:
    """Return the markers of every family."""
    names = [f"DICT_{family}_{MARKERS_A_FAMILY}" for family in FAMILIES]
    dictionaries = [cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name)) for name in names]
    detector = cv2.aruco.ArucoDetector(dictionaries)
    corners, ids, _, families = detector.detectMarkersMultiDict(np.ascontiguousarray(grey))
    markers: dict[str, MarkerCorners] = {family: {} for family in FAMILIES}
    # None where nothing is seen, whatever OpenCV's stubs say
    numbers, kinds = (np.ravel(np.asarray(output)).tolist() if len(corners) else [] for output in (ids, families))
    for at, number, kind in zip(corners, numbers, kinds, strict=True):
        markers[FAMILIES[int(kind)]][int(number)] = np.asarray(at, dtype=np.float64).reshape(4, 2)
    return markers


def _list_layouts(stated: Board, family: str) -> Iterator[CharucoBoard]:
    """Yield the boards that a person may have meant."""
    squares = (
        (stated.columns, stated.rows) if isinstance(stated, CharucoBoard) else (stated.columns + 1, stated.rows + 1)
    )
    marker_mm = stated.marker_mm if isinstance(stated, CharucoBoard) else 0.7 * stated.square_mm
    for columns, rows in (squares, squares[::-1]):
        for more, longer in itertools.product(range(-MOST_MISCOUNTED, MOST_MISCOUNTED + 1), repeat=2):
            count = (columns + more) * (rows + longer) // 2
            if min(columns + more, rows + longer) < 3 or count > SIZES[-1]:
                continue
            name = next(f"{family}_{size}" for size in SIZES if size >= count)
            if isinstance(stated, CharucoBoard) and stated.dictionary.startswith(family):
                name = name if count > int(stated.dictionary.partition("_")[2]) else stated.dictionary
            for legacy in (False, True):
                yield CharucoBoard(
                    columns=columns + more,
                    rows=rows + longer,
                    square_mm=stated.square_mm,
                    marker_mm=marker_mm,
                    dictionary=name,
                    legacy=legacy,
                )


def _rank_unlikeness(board: CharucoBoard, stated: Board) -> tuple[int, ...]:
    """Order boards that explain as much: the one that was said, or the smallest, or the least different."""
    if board == stated:
        return (0,)
    if isinstance(stated, ChessBoard):
        stated_columns, stated_rows, legacy = stated.columns + 1, stated.rows + 1, False
    else:
        stated_columns, stated_rows, legacy = stated.columns, stated.rows, stated.legacy
    turned = {board.columns, board.rows} != {stated_columns, stated_rows}
    miscounted = abs(board.columns - stated_columns) + abs(board.rows - stated_rows)
    return (1, board.columns * board.rows, turned + miscounted, board.legacy != legacy)


def _place_markers(board: CharucoBoard) -> MarkerCorners:
    """(4, 2) corners of the markers on a board, mm."""
    # White squares hold the markers, row by row; old boards with an even number of rows begin with one.
    first = 0 if board.legacy and board.rows % 2 == 0 else 1
    white = [(c, r) for r in range(board.rows) for c in range(board.columns) if (c + r) % 2 == first]
    rim = (board.square_mm - board.marker_mm) / 2
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * board.marker_mm + rim
    return {number: square + np.array(at) * board.square_mm for number, at in enumerate(white)}


def _count_explained(board: CharucoBoard, views: Iterable[MarkerCorners]) -> int:
    """Return how many markers are where the board has them, seen from any place."""
    places, count = _place_markers(board), 0
    for markers in views:
        both = sorted(markers.keys() & places.keys())
        if len(both) < LEAST_MARKERS:
            continue
        flat = np.array([places[number].mean(axis=0) for number in both])
        at = np.array([markers[number].mean(axis=0) for number in both])
        edge_px = float(np.median([np.linalg.norm(markers[n] - np.roll(markers[n], 1, axis=0), axis=1) for n in both]))
        homography, inside = cv2.findHomography(flat, at, cv2.RANSAC, MISPLACED_SHARE * edge_px, maxIters=RANSAC_TRIES)
        shape = np.asarray(homography)
        # A homography that turns the board over explains a mirrored or miscounted one; no camera sees that.
        if shape.shape == (3, 3) and np.linalg.det(shape) > 0:
            count += int(np.asarray(inside).sum())
    return count


def _measure_marker_part(board: CharucoBoard, views: Iterable[MarkerCorners]) -> float:
    """Return the edge of the markers as a part of the squares'."""
    places, parts = _place_markers(board), list[float]()
    for markers in views:
        both = sorted(markers.keys() & places.keys())
        at = np.array([markers[number].mean(axis=0) for number in both])
        homography, _ = cv2.findHomography(at, np.array([places[n].mean(axis=0) for n in both]), cv2.LMEDS)
        if homography is None:
            continue
        for number in both:
            corners = cv2.perspectiveTransform(markers[number].reshape(-1, 1, 2), np.asarray(homography)).reshape(4, 2)
            edge_mm = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()
            edge_px = np.linalg.norm(markers[number] - np.roll(markers[number], 1, axis=0), axis=1).mean()
            # The outline that is found runs along the middle of the outermost dark pixels.
            parts.append(float(edge_mm * (1 + 0.5 / edge_px)) / board.square_mm)
    return float(np.median(parts))
