"""About how anchors lie, from pictures alone: where a solve may begin."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.places import Laid, TableSize
from calibration.spaces import Floats, Lens

Spots = NDArray[np.complex128]
"""(4,) the corners of a square on the table."""

CORNERS = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])
"""Of a square with an edge of 2 in its own frame, as they are counted everywhere."""


def layout(lens: Lens, laid: Sequence[Laid], table: TableSize, pictures: Sequence[Mapping[int, Floats]]) -> Floats:
    """Return about where anchors lie: (n, 3) of x_mm, y_mm and turn_rad on the table.

    Args:
        lens: the lens, about.
        laid: what is said of the anchors, each of which is in some picture.
        table: the table's measures.
        pictures: (4, 2) corners in px by tag, of each picture.

    Raises:
        Unsolvable: pictures have no anchor in common with others, or nothing says where on the table they are.

    """
    if not any(anchor.is_open for anchor in laid) and all(anchor.turn_rad is not None for anchor in laid):
        return np.array([_as_said(anchor, table, 0.0) for anchor in laid])
    sizes = {anchor.tag: anchor.size_mm for anchor in laid}
    together = _together([_seen_from_above(lens, picture, sizes) for picture in pictures])
    turn, shift = _onto_the_table(laid, table, together)
    places = []
    for anchor in laid:
        spots = turn * together[anchor.tag] + shift
        turn_rad = float(np.angle((spots * CORNERS.conj()).sum()))
        centre = complex(spots.mean())
        seen = np.array([centre.real, centre.imag, turn_rad])
        places.append(seen if anchor.is_open else _as_said(anchor, table, turn_rad))
    return np.array(places)


def _as_said(anchor: Laid, table: TableSize, turn_rad: float) -> Floats:
    centre = anchor.centre_mm(table.width_mm, table.depth_mm)
    return np.array([centre.real, centre.imag, anchor.turn_near(turn_rad)])


def _seen_from_above(lens: Lens, picture: Mapping[int, Floats], sizes_mm: Mapping[int, float]) -> dict[int, Spots]:
    """Return the squares of one picture in a frame of their own plane, mm.

    Each small square tells the plane's slope, though not well and in two ways; the one is taken that explains the
    shapes and sizes of all.
    """
    tags = list(picture)
    sizes = np.array([sizes_mm[tag] for tag in tags])
    ideal = np.asarray(
        cv2.undistortPoints(
            np.concatenate([picture[tag] for tag in tags]).reshape(-1, 1, 2), lens.matrix, lens.distortion
        ),
        dtype=np.float64,
    ).reshape(-1, 4, 2)
    rays = np.concatenate([ideal, np.ones((len(tags), 4, 1))], axis=2)
    best, found = np.inf, np.empty((0, 4), dtype=np.complex128)
    for upward in _slopes(ideal, sizes):
        across = np.cross(upward, [0.0, 1.0, 0.0])
        across /= np.linalg.norm(across)
        depth = rays @ upward
        if not (depth < 0).all():  # no plane that faces the camera reaches all of them
            continue
        on_plane = rays / -depth[..., None]
        spots = on_plane @ across + 1j * (on_plane @ np.cross(upward, across))
        arms = spots - spots.mean(axis=1, keepdims=True)
        fitted = (arms * CORNERS.conj()).mean(axis=1) / 2
        height_mm = float(np.median(sizes / 2 / np.abs(fitted)))
        squares = CORNERS * (fitted / np.abs(fitted) * sizes / 2)[:, None]
        off = float((np.abs(height_mm * arms - squares) ** 2).sum())
        if off < best:
            best, found = off, height_mm * spots
    if not len(found):
        raise Unsolvable("no flat table explains how the anchors look: check that they lie flat, and their sizes")
    return dict(zip(tags, found, strict=True))


def _slopes(ideal: Floats, sizes_mm: Floats) -> list[Floats]:
    """Return unit normals of the table in the camera's frame that single squares speak for."""
    slopes = [np.array([0.0, 0.0, -1.0])]
    for corners, size_mm in zip(ideal, sizes_mm, strict=True):
        # OpenCV counts such a square's corners from the upper left, clockwise.
        square = size_mm / 2 * np.array([(-1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, -1.0, 0.0)])
        _, turns, _, _ = cv2.solvePnPGeneric(
            square, corners[[3, 2, 1, 0]].reshape(-1, 1, 2), np.eye(3), np.zeros(5), flags=cv2.SOLVEPNP_IPPE_SQUARE
        )
        slopes += [np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)[:, 2] for turn in turns]
    # One square's slope is rough where it is small: the middle of those that agree does better.
    middle = np.median([slope for slope in slopes[1:] if slope[2] < 0] or slopes, axis=0)
    return [*slopes, middle / np.linalg.norm(middle)]


def _together(seen: Sequence[dict[int, Spots]]) -> dict[int, Spots]:
    """Lay what the pictures show over each other by the anchors that they have in common."""
    waiting = list(range(len(seen)))
    first = max(waiting, key=lambda i: len(seen[i]))
    waiting.remove(first)
    together = dict(seen[first])
    while waiting:
        following = max(waiting, key=lambda i: len(seen[i].keys() & together.keys()))
        common = sorted(seen[following].keys() & together.keys())
        if not common:
            raise Unsolvable(
                "some pictures have no anchor in common with the others:"
                " take one more picture that shows anchors of both"
            )
        turn, shift = _rigid(
            np.concatenate([seen[following][tag] for tag in common]), np.concatenate([together[t] for t in common])
        )
        waiting.remove(following)
        together = {tag: turn * spots + shift for tag, spots in seen[following].items()} | together
    return together


def _onto_the_table(laid: Sequence[Laid], table: TableSize, together: Mapping[int, Spots]) -> tuple[complex, complex]:
    """Return turn and shift that lay the anchors where they are said to lie."""
    fixed = [anchor for anchor in laid if not anchor.is_open]
    if not fixed:
        raise Unsolvable(
            "nothing says where on the table the anchors lie: give one in the pictures a place (x_mm, y_mm,"
            ' facing_deg), or lay one into a corner (corner = "near-left"); two or more hold the table better'
        )
    own, said = [], []
    for anchor in fixed:
        centre = anchor.centre_mm(table.width_mm, table.depth_mm)
        if anchor.turn_rad is not None:
            own.append(together[anchor.tag])
            said.append(centre + CORNERS * anchor.size_mm / 2 * np.exp(1j * anchor.turn_rad))
        else:
            own.append(np.array([together[anchor.tag].mean()]))
            said.append(np.array([centre]))
    if len(fixed) > 1 or fixed[0].turn_rad is not None:
        return _rigid(np.concatenate(own), np.concatenate(said))
    # A print that lies in a corner in any of four ways: the table is where the other anchors are.
    spots = together[fixed[0].tag]
    lies_rad = float(np.angle(((spots - spots.mean()) * CORNERS.conj()).sum()))
    ways = []
    for quarter in range(4):
        turn = complex(np.exp(1j * (quarter * np.pi / 2 - lies_rad)))
        shift = complex(said[0][0] - turn * own[0][0])
        centres = np.array([turn * square.mean() + shift for square in together.values()])
        beyond = np.maximum(0, -centres.real) + np.maximum(0, centres.real - table.width_mm)
        beyond += np.maximum(0, -centres.imag) + np.maximum(0, centres.imag - table.depth_mm)
        ways.append((float(beyond.sum()), turn, shift))
    (off_mm, turn, shift), (next_mm, _, _), *_ = sorted(ways, key=lambda way: way[0])
    if next_mm - off_mm < fixed[0].size_mm:  # a guess would turn the whole table
        raise Unsolvable(
            f"anchor {fixed[0].tag} alone is seen of those whose place is said, and nothing tells which way it lies"
            " in its corner: show one more in the pictures, near another corner, or give its facing_deg"
        )
    return turn, shift


def _rigid(own: Spots, there: Spots) -> tuple[complex, complex]:
    """Return turn and shift that lay some points best over others."""
    turn = complex(((there - there.mean()) * (own - own.mean()).conj()).sum())
    turn = turn / abs(turn) if abs(turn) > 0 else 1 + 0j
    return turn, complex(there.mean() - turn * own.mean())
