"""The anchors' layout: where anchors are said to lie, and about where they do lie, from pictures alone.

An anchor is said to lie at a place, in a corner of the table, or somewhere; what is said is a Gaussian prior.  The
estimate from pictures is where a solve may begin.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.spaces import Floats, Lens, flatten

Corner = Literal["near-left", "near-right", "far-left", "far-right"]

EXACT_MM, EXACT_RAD = 1e-4, 1e-6
"""What is said to be exact is known so well: better than anything that could be told from a picture."""
PRINT_SIGMA = 0.005
"""By which share all prints may be larger than they are said to be: printers scale."""
SAME_SIGMA = 0.001
"""By which share one print may be larger than the others: paper swells, and cameras sharpen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    """The table as it was measured."""

    width_mm: float
    depth_mm: float
    sigma_mm: float
    """One standard deviation of either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedAnchor:
    """What is known of where an anchor lies before any picture was looked at."""

    tag: int
    size_mm: float
    """Edge of the black square."""
    z_mm: float = 0.0
    x_mm: float | None = None
    y_mm: float | None = None
    """The place of its centre; None where it lies in a corner or somewhere."""
    turn_rad: float | None = None
    """In a corner without it, the print lies with any of its four edges along the table's."""
    corner: Corner | None = None
    inset_mm: float = 0.0
    """From the table's edges to the tag's centre, for an anchor in a corner."""
    sigma_mm: float = 0.0
    """One standard deviation of the place along each axis; 0 is exact."""
    sigma_rad: float = 0.0
    size_is_known: bool = True

    @property
    def is_open(self) -> bool:
        """Whether only pictures can tell where it lies."""
        return self.x_mm is None and self.corner is None

    def find_centre_mm(self, width_mm: float, depth_mm: float) -> complex:
        """Return the place where it is said to lie, on a table of this size; only for one that is not open."""
        if self.corner is None:
            assert self.x_mm is not None
            assert self.y_mm is not None
            return complex(self.x_mm, self.y_mm)
        x_mm = width_mm - self.inset_mm if "right" in self.corner else self.inset_mm
        y_mm = depth_mm - self.inset_mm if "far" in self.corner else self.inset_mm
        return complex(x_mm, y_mm)

    def find_turn_near(self, seen_rad: float) -> float:
        """Return the turn in which it is said to lie, the nearest of those that are possible."""
        if self.turn_rad is not None:
            return seen_rad + math.remainder(self.turn_rad - seen_rad, math.tau)
        quarter = math.pi / 2
        return round(seen_rad / quarter) * quarter if self.corner else seen_rad


def build_prior(stated: Sequence[StatedAnchor], table: TableSize, places: Floats) -> tuple[Floats, Floats]:
    """Return mean (p,) and information (p, p) of what is said of a table and the anchors on it.

    The parameters are the table's width and depth, by which share all prints are larger than said, then x, y (mm) and
    turn (rad) of each of the n anchors, then by which share each is larger than the others.  ``places`` (n, 3) is about
    where the anchors lie: it tells full turns apart, and how a print lies in a corner.  Nothing is known of an open
    place.
    """
    count = len(stated)
    size = 3 + 4 * count
    mean = np.concatenate([[table.width_mm, table.depth_mm, 0.0], places.ravel(), np.zeros(count)])
    rows: list[Floats] = []

    def say(sigma: float, at: int, goes_with: int | None = None) -> None:
        row = np.zeros(size)
        row[at] = 1.0
        if goes_with is not None:
            row[goes_with] = -1.0
        rows.append(row / sigma)

    say(max(table.sigma_mm, EXACT_MM), 0)
    say(max(table.sigma_mm, EXACT_MM), 1)
    say(PRINT_SIGMA, 2)
    for i, anchor in enumerate(stated):
        say(SAME_SIGMA if anchor.size_is_known else 1.0, 3 + 3 * count + i)
        if anchor.is_open:
            continue
        at, corner = 3 + 3 * i, anchor.corner or ""
        centre = anchor.find_centre_mm(table.width_mm, table.depth_mm)
        mean[at : at + 3] = centre.real, centre.imag, anchor.find_turn_near(float(places[i, 2]))
        sigma_mm = max(anchor.sigma_mm, EXACT_MM)
        say(sigma_mm, at, 0 if "right" in corner else None)  # a corner goes with the table's measures
        say(sigma_mm, at + 1, 1 if "far" in corner else None)
        say(max(anchor.sigma_rad, EXACT_RAD), at + 2)
    weights = np.array(rows)
    return mean, np.asarray(weights.T @ weights)


def turn_sigma(sigma_mm: float, size_mm: float) -> float:
    """Return the standard deviation (rad) of a turn if the ends of an edge of ``size_mm`` are laid to ``sigma_mm``."""
    return sigma_mm * math.sqrt(2) / size_mm


def forget_place(anchor: StatedAnchor) -> StatedAnchor:
    """Return an anchor of whose place nothing is said."""
    return replace(anchor, x_mm=None, y_mm=None, turn_rad=None, corner=None)


Spots = NDArray[np.complex128]
"""(4,) the corners of a square on the table."""

CORNERS = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])
"""Of a square with an edge of 2 in its own frame, as they are counted everywhere."""


def estimate_layout(
    lens: Lens, stated: Sequence[StatedAnchor], table: TableSize, pictures: Sequence[Mapping[int, Floats]]
) -> Floats:
    """Return about where anchors lie: (n, 3) of x_mm, y_mm and turn_rad on the table.

    Args:
        lens: the lens, about.
        stated: what is said of the anchors, each of which is in some picture.
        table: the table's measures.
        pictures: (4, 2) corners in px by tag, of each picture.

    Raises:
        Unsolvable: pictures have no anchor in common with others, or nothing says where on the table they are.

    """
    if not any(anchor.is_open for anchor in stated) and all(anchor.turn_rad is not None for anchor in stated):
        return np.array([_take_stated_place(anchor, table, 0.0) for anchor in stated])
    sizes = {anchor.tag: anchor.size_mm for anchor in stated}
    together = _join_pictures([_rectify_picture(lens, picture, sizes) for picture in pictures])
    turn, shift = _align_with_table(stated, table, together)
    places = []
    for anchor in stated:
        spots = turn * together[anchor.tag] + shift
        turn_rad = float(np.angle((spots * CORNERS.conj()).sum()))
        centre = complex(spots.mean())
        pose = np.array([centre.real, centre.imag, turn_rad])
        places.append(pose if anchor.is_open else _take_stated_place(anchor, table, turn_rad))
    return np.array(places)


def _take_stated_place(anchor: StatedAnchor, table: TableSize, turn_rad: float) -> Floats:
    centre = anchor.find_centre_mm(table.width_mm, table.depth_mm)
    return np.array([centre.real, centre.imag, anchor.find_turn_near(turn_rad)])


def _rectify_picture(lens: Lens, picture: Mapping[int, Floats], sizes_mm: Mapping[int, float]) -> dict[int, Spots]:
    """Return the squares of one picture in a frame of their own plane, mm.

    Each small square tells the plane's slope, though not well and in two ways; the one is taken that explains the
    shapes and sizes of all.
    """
    tags = list(picture)
    sizes = np.array([sizes_mm[tag] for tag in tags])
    ideal = flatten(np.concatenate([picture[tag] for tag in tags]), lens.parameters, lens.model).reshape(-1, 4, 2)
    rays = np.concatenate([ideal, np.ones((len(tags), 4, 1))], axis=2)
    best, best_squares = np.inf, np.empty((0, 4), dtype=np.complex128)
    for upward in _list_plane_normals(ideal, sizes):
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
            best, best_squares = off, height_mm * spots
    if not len(best_squares):
        raise Unsolvable("no flat table explains how the anchors look: check that they lie flat, and their sizes")
    return dict(zip(tags, best_squares, strict=True))


def _list_plane_normals(ideal: Floats, sizes_mm: Floats) -> list[Floats]:
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


def _join_pictures(rectified: Sequence[dict[int, Spots]]) -> dict[int, Spots]:
    """Lay what the pictures show over each other by the anchors that they have in common."""
    waiting = list(range(len(rectified)))
    first = max(waiting, key=lambda i: len(rectified[i]))
    waiting.remove(first)
    together = dict(rectified[first])
    while waiting:
        following = max(waiting, key=lambda i: len(rectified[i].keys() & together.keys()))
        common = sorted(rectified[following].keys() & together.keys())
        if not common:
            raise Unsolvable(
                "some pictures have no anchor in common with the others:"
                " take one more picture that shows anchors of both"
            )
        turn, shift = _fit_rigid(
            np.concatenate([rectified[following][tag] for tag in common]), np.concatenate([together[t] for t in common])
        )
        waiting.remove(following)
        together = {tag: turn * spots + shift for tag, spots in rectified[following].items()} | together
    return together


def _align_with_table(
    stated: Sequence[StatedAnchor], table: TableSize, together: Mapping[int, Spots]
) -> tuple[complex, complex]:
    """Return turn and shift that lay the anchors where they are said to lie."""
    fixed = [anchor for anchor in stated if not anchor.is_open]
    if not fixed:
        raise Unsolvable(
            "nothing says where on the table the anchors lie: give one in the pictures a place (x_mm, y_mm,"
            ' facing_deg), or lay one into a corner (corner = "near-left"); two or more hold the table better'
        )
    layout_points, stated_points = [], []
    for anchor in fixed:
        centre = anchor.find_centre_mm(table.width_mm, table.depth_mm)
        if anchor.turn_rad is not None:
            layout_points.append(together[anchor.tag])
            stated_points.append(centre + CORNERS * anchor.size_mm / 2 * np.exp(1j * anchor.turn_rad))
        else:
            layout_points.append(np.array([together[anchor.tag].mean()]))
            stated_points.append(np.array([centre]))
    if len(fixed) > 1 or fixed[0].turn_rad is not None:
        return _fit_rigid(np.concatenate(layout_points), np.concatenate(stated_points))
    # A print that lies in a corner in any of four ways: the table is where the other anchors are.
    spots = together[fixed[0].tag]
    lies_rad = float(np.angle(((spots - spots.mean()) * CORNERS.conj()).sum()))
    ways = []
    for quarter in range(4):
        turn = complex(np.exp(1j * (quarter * np.pi / 2 - lies_rad)))
        shift = complex(stated_points[0][0] - turn * layout_points[0][0])
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


def _fit_rigid(points: Spots, targets: Spots) -> tuple[complex, complex]:
    """Return turn and shift that lay some points best over others."""
    turn = complex(((targets - targets.mean()) * (points - points.mean()).conj()).sum())
    turn = turn / abs(turn) if abs(turn) > 0 else 1 + 0j
    return turn, complex(targets.mean() - turn * points.mean())
