"""Ring search: where rings may be in a picture, or in parts of one, of which nothing is known yet.

`search_rings(camera, grey, regions, rings, surfaces)` returns hypotheses for `decoding.decode_rings()`, the likeliest
first.  The picture is drawn anew as a map of the table, so that a base's band has its own shape and size wherever it
lies.  Then three steps, each dearer than the one before and left to do with fewer places:

1. *Edges.* Where the picture changes by much of what is brightest around it, and in which direction.
2. *Votes.* Every shape is laid over the map of edges at each place and in each turn: a band is where edges run along
   its middle line or across it, nearly all around.  Edges are counted by cell and direction beforehand, and shifted
   maps of bytes added up, as LINE-2D does (Hinterstoisser et al., 2012): its cost does not depend on the picture.
3. *Cells.* Around what got most votes, the band is unrolled at places and turns close by.  Where it lies right, dark
   and light change at the ends of cells and not between, and do so alike all across the band.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.enrolled_ring import EnrolledRing, RingShape, count_symmetries
from vision.rings.word_proposals import RingHypothesis
from vision.table_map import TableMap, draw_table_map
from vision.tags.detection import ImageRegion
from vision.tracking.surfaces import OVERHANG_MM, Surface

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]

CELL_PX = 2.7
"""The map shows the shortest cell of all rings by so many pixels."""
BRIGHTEST_WITHIN_MM = 4.0
EDGE_SHARE = 0.13
"""An edge is where the grey level changes by this share of the brightest around, from pixel to pixel of the map."""
DARKEST = 44
"""Grey levels that count as brightness where it is dark, so that noise shows no edges."""
SMOOTHING_PX = 0.9
"""Standard deviation by which the map is smoothed before edges are taken: in a dim room noise has more of them."""
MOST_EDGES = 200_000
"""Where there would be more, only the sharpest are taken."""
VOTE_MM = 3.0
"""Votes are counted by squares of this size,"""
DIRECTIONS = 24
"""by directions of half a turn,"""
MOST_VOTES = 3
"""and no more than so many in one square and direction."""
TURN_MM = 6.0
"""A shape is turned in steps that move its farthest point by so much,"""
TURN_RAD = math.radians(8.0)
"""and no more than this."""
LEAST_VOTES = 0.25
"""For each step of VOTE_MM along the band."""
MOST_SQUARES = 1500
"""Of one shape; where there would be more, only those with most votes are looked at."""
MOST_VOTED, MOST_ALIGNED, MOST_READ = (800, 900), (500, 450), (300, 130)
"""Places of all round shapes, and of all others, that are left after each step; the latter are tried in many turns."""
RIVAL_VOTES = 0.55
"""A place that has a smaller share of the votes than another, at which no base could stand beside it, is dropped."""
CELL_SAMPLES = 4
CIRCLES = (0.17, 0.5, 0.83)
"""Where across the band it is unrolled."""
MIDDLE_CIRCLE, ALL_CIRCLES = slice(1, 2), slice(0, 3)
STEP_CELLS, STEP_MM = 0.33, 0.9
"""Places that are tried lie so far apart: a share of a cell, but no more than this."""
FAR, NEAR = (2, 1.0), (1, 0.4)
"""How many steps are tried to either side, and how long they are: first farther, then closer."""
DARK_PERCENTILE, LIGHT_PERCENTILE = 15, 90
LEAST_CONTRAST = 8.0
"""Grey levels."""
LEAST_SCORE = 0.02
RIVAL_SCORE = 0.5
"""As RIVAL_VOTES, once the cells have been looked at."""
HIGHEST_SCALE = 1.15
"""A base on a hill is seen no more than so much larger."""
OVERLAP_MM = 4.0
"""Bases that stand beside each other may seem to overlap by so much."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pattern:
    """What the search needs of a layout."""

    layout: RingLayout
    is_round: bool
    turns: int
    """Turns in which the band is tried: half a turn of an oval says as much as the other half."""
    step_rad: float
    line_mm: Floats
    """(m, 2) points of the middle line, VOTE_MM apart."""
    normals_rad: Floats
    """(m,)"""
    unrolled_mm: Singles
    """(circles, columns, 2)"""
    reach_mm: float
    inside_mm: float
    """Radius of the largest disc about the middle that lies in the base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """How many edges there are by direction and square."""

    votes: Bytes
    """(DIRECTIONS, rows, columns): of edges in a direction or across it."""
    corner_mm: Floats
    """(2,) of the first square's middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finds:
    """Where bands of one pattern may be; n of them."""

    pattern: _Pattern
    surface_mm: float
    height_mm: float
    """Of the band above the table."""
    places_mm: Floats
    """(n, 2) on the map."""
    turns_rad: Floats
    """(n,)"""
    votes: Floats
    """(n,) for each step of VOTE_MM along the band."""
    scores: Floats
    """(n,) by what is known of them so far."""

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "_Finds":
        """Return some of them."""
        return replace(
            self,
            places_mm=self.places_mm[which],
            turns_rad=self.turns_rad[which],
            votes=self.votes[which],
            scores=self.scores[which],
        )


def search_rings(
    camera: CameraOverTable,
    grey: Bytes,
    regions: Sequence[ImageRegion],
    rings: Collection[EnrolledRing],
    surfaces: Sequence[Surface] = (),
) -> list[RingHypothesis]:
    """Return where rings may be, the likeliest first.

    Several hypotheses may be about one place: shapes that are hardly told from each other by their size.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        regions: parts of the picture to search; a ring is found that lies in one of them for the most part.
        rings: those that are searched for; the fewer shapes they have, the faster it goes.
        surfaces: the tops of terrain that bases may stand on.

    """
    heights_mm: dict[RingLayout, set[float]] = {}
    for ring in rings:
        heights_mm.setdefault(ring.layout, set()).add(ring.height_mm)
    # Bases of one outline differ so little in height that one search does for all.
    shapes = {
        layout: RingShape(layout=layout, height_mm=sum(sorted(each)) / len(each)) for layout, each in heights_mm.items()
    }
    found: list[tuple[float, RingHypothesis]] = []
    if not shapes:
        return []
    shortest_mm = min(layout.cell_mm for layout in shapes)
    for region in regions:
        table = draw_table_map(camera, grey, region, pixel_mm=shortest_mm / CELL_PX)
        if table is None:
            continue
        voted = _take_best(_collect_votes(table, shapes, surfaces), MOST_VOTED)
        voted = _take_best(_drop_rivals(voted, RIVAL_VOTES), MOST_ALIGNED)
        far = [_align(table, some, _lay_grid(some.pattern, *FAR), MIDDLE_CIRCLE) for some in voted]
        near = [_align(table, some, _lay_grid(some.pattern, *NEAR), ALL_CIRCLES) for some in _take_best(far, MOST_READ)]
        jumped = [_align(table, some, _lay_jumps(some.pattern), ALL_CIRCLES) for some in near]
        finds = _drop_rivals(jumped, RIVAL_SCORE)
        for some in finds:
            likely = some.take(some.scores >= LEAST_SCORE)
            found += _write_hypotheses(table, likely, shapes[some.pattern.layout])
    return [hypothesis for _, hypothesis in sorted(found, key=lambda pair: -pair[0])]


def _write_hypotheses(table: TableMap, finds: _Finds, shape: RingShape) -> list[tuple[float, RingHypothesis]]:
    places_mm = table.raise_to(finds.places_mm, finds.height_mm)
    return [
        (
            float(score),
            RingHypothesis(
                shape=shape,
                x_mm=float(x_mm),
                y_mm=float(y_mm),
                facing_rad=None if finds.pattern.is_round else float(turn_rad),
                surface_mm=finds.surface_mm,
            ),
        )
        for (x_mm, y_mm), turn_rad, score in zip(places_mm, finds.turns_rad, finds.scores, strict=True)
    ]


@cache
def _lay_pattern(layout: RingLayout) -> _Pattern:
    symmetries = count_symmetries(layout)
    is_round = symmetries == layout.cells
    count = math.ceil(layout.length_mm / VOTE_MM)
    along = np.arange(count) * layout.cells / count
    middle_mm = layout.band.middle_mm
    line_mm, outward_mm = (layout.place(along, np.full(count, at_mm)) for at_mm in (middle_mm, middle_mm + 1.0))
    columns = (np.arange(layout.cells * CELL_SAMPLES) + 0.5) / CELL_SAMPLES
    across = layout.band.inner_mm + np.array(CIRCLES) * (layout.band.outer_mm - layout.band.inner_mm)
    distances_mm = np.hypot(*layout.middle_line_mm.T)
    turns = 1
    if not is_round:
        turns = math.ceil(math.tau / symmetries / min(TURN_MM / distances_mm.max(), TURN_RAD))
    return _Pattern(
        layout=layout,
        is_round=is_round,
        turns=turns,
        step_rad=math.tau / symmetries / turns,
        line_mm=line_mm,
        normals_rad=np.arctan2(*(outward_mm - line_mm).T[::-1]),
        unrolled_mm=layout.place(*np.broadcast_arrays(columns, across[:, None])).astype(np.float32),
        reach_mm=float(distances_mm.max()),
        inside_mm=float(distances_mm.min()) - middle_mm,
    )


def _find_edges(table: TableMap) -> tuple[NDArray[np.intp], Singles]:
    """Return the flat indices of the map's pixels where edges are, and (n,) the directions of their gradients, rad."""
    smooth = cv2.GaussianBlur(table.grey, (5, 5), SMOOTHING_PX)
    right = cv2.Sobel(smooth, cv2.CV_16S, 1, 0)
    up = cv2.Sobel(smooth, cv2.CV_16S, 0, 1)
    size = 2 * round(BRIGHTEST_WITHIN_MM / table.pixel_mm) + 1
    brightest = cv2.dilate(smooth, np.ones((size, size), np.uint8))
    step = cv2.add(cv2.convertScaleAbs(right, alpha=0.25), cv2.convertScaleAbs(up, alpha=0.25))
    share = cv2.divide(step, cv2.add(brightest, np.full_like(brightest, DARKEST)), scale=250.0)
    counts = cv2.calcHist([share], [0], None, [256], [0, 256]).ravel()[::-1].cumsum()[::-1]
    # Hardly half of them are the steepest across an edge.
    least = max(round(250 * EDGE_SHARE), int(np.searchsorted(-counts, -2.5 * MOST_EDGES)))
    is_edge = np.asarray(share) >= least
    is_edge[[0, -1]] = False
    is_edge[:, [0, -1]] = False
    at = np.flatnonzero(is_edge)
    if not len(at):
        return at, np.empty(0, dtype=np.float32)
    turn = cv2.phase(right.ravel()[at].astype(np.float32), up.ravel()[at].astype(np.float32)).ravel()
    width = table.grey.shape[1]
    ahead = np.array([1, width + 1, width, width - 1])[
        (turn * np.float32(4 / np.pi) + np.float32(0.5)).astype(np.intp) & 3
    ]
    steps = step.ravel()
    is_steepest = (steps[at] >= steps[at + ahead]) & (steps[at] > steps[at - ahead])
    return at[is_steepest], turn[is_steepest]


def _count_edges(table: TableMap, margin_mm: float) -> _Evidence:
    """Count the edges by squares, with so much room around the map as no middle of a band lies farther outside."""
    at, turn = _find_edges(table)
    if not len(at):
        return _Evidence(votes=np.zeros((DIRECTIONS, 1, 1), dtype=np.uint8), corner_mm=table.corner_mm)
    pixels = np.stack(np.divmod(at, table.grey.shape[1])[::-1])
    margin = math.ceil(margin_mm / VOTE_MM) + 1
    # No square is counted farther out than the outermost edges ask for: there may be much floor around a table.
    column, row = (pixels * (table.pixel_mm / VOTE_MM) + 0.5).astype(np.intp)
    left, bottom = column.min() - margin, row.min() - margin
    column, row = column - left, row - bottom
    width, height = int(column.max()) + margin + 1, int(row.max()) + margin + 1
    square = row * width + column
    direction = (turn * np.float32(DIRECTIONS / np.pi) + np.float32(0.5)).astype(np.intp) % DIRECTIONS
    order = np.argsort(direction.astype(np.uint8), kind="stable")
    ends = np.searchsorted(direction[order], np.arange(DIRECTIONS + 1))
    counts = np.empty((DIRECTIONS, height, width), dtype=np.uint8)
    for number in range(DIRECTIONS):
        inside = square[order[ends[number] : ends[number + 1]]]
        counts[number] = np.minimum(np.bincount(inside, minlength=height * width), MOST_VOTES).reshape(height, width)
    # A direction takes the votes of its neighbours, too; and an edge along a band tells as much as one across.
    near = counts + np.roll(counts, 1, axis=0) + np.roll(counts, -1, axis=0)
    votes = np.minimum(near + np.roll(near, DIRECTIONS // 2, axis=0), MOST_VOTES)
    return _Evidence(votes=votes, corner_mm=table.corner_mm + np.array([left, bottom]) * VOTE_MM)


def _collect_votes(
    table: TableMap, shapes: Mapping[RingLayout, RingShape], surfaces: Sequence[Surface]
) -> list[_Finds]:
    """Return where each shape has more votes than beside it, on the table and on the tops of terrain."""
    reach_mm = max(_lay_pattern(layout).reach_mm for layout in shapes)
    evidence = _count_edges(table, HIGHEST_SCALE * reach_mm)
    finds = []
    for layout, shape in shapes.items():
        ring_mm = shape.ring_height_mm
        finds.append(_find_peaks(table, evidence, _lay_pattern(layout), 0.0, ring_mm))
        for top in surfaces:
            part = _cut_to_top(table, evidence, top, HIGHEST_SCALE * reach_mm)
            if part is not None:
                on_top = _find_peaks(table, part, _lay_pattern(layout), top.height_mm, ring_mm)
                over = shapely.Polygon(top.outline_mm).buffer(OVERHANG_MM)
                middles_mm = table.raise_to(on_top.places_mm, on_top.height_mm)
                finds.append(on_top.take(shapely.contains_xy(over, middles_mm[:, 0], middles_mm[:, 1])))
    return finds


def _cut_to_top(table: TableMap, evidence: _Evidence, top: Surface, margin_mm: float) -> _Evidence | None:
    """Return the evidence around the top of a piece of terrain; None where it is not to be seen."""
    outline_mm = table.lower(np.array(top.outline_mm), top.height_mm)
    room_mm = margin_mm + OVERHANG_MM
    size = np.array(evidence.votes.shape[:0:-1])
    first, end = (
        np.clip(np.rint((ends_mm - evidence.corner_mm) / VOTE_MM).astype(int), 0, size)
        for ends_mm in (outline_mm.min(axis=0) - room_mm, outline_mm.max(axis=0) + room_mm)
    )
    if (first >= end).any():
        return None
    votes = np.ascontiguousarray(evidence.votes[:, first[1] : end[1], first[0] : end[0]])
    return _Evidence(votes=votes, corner_mm=evidence.corner_mm + first * VOTE_MM)


def _find_peaks(
    table: TableMap, evidence: _Evidence, pattern: _Pattern, surface_mm: float, ring_height_mm: float
) -> _Finds:
    """Lay one pattern over the evidence everywhere and in every turn; return where it has more votes than beside."""
    stack = _add_votes(evidence.votes, pattern, table.compute_scale(surface_mm + ring_height_mm))
    count = len(pattern.line_mm)
    turn, row, column = _find_maxima(stack, round(LEAST_VOTES * count))
    value = stack[turn + 1, row, column].astype(np.float64)

    def interpolate(before: Bytes, after: Bytes) -> Floats:
        bend = np.maximum(2 * value - before - after, 1e-3)
        return np.asarray(np.clip((after.astype(np.float64) - before) / 2 / bend, -0.5, 0.5))

    right = column + interpolate(stack[turn + 1, row, column - 1], stack[turn + 1, row, column + 1])
    up = row + interpolate(stack[turn + 1, row - 1, column], stack[turn + 1, row + 1, column])
    turned = turn + interpolate(stack[turn, row, column], stack[turn + 2, row, column])
    return _Finds(
        pattern=pattern,
        surface_mm=surface_mm,
        height_mm=surface_mm + ring_height_mm,
        places_mm=evidence.corner_mm + np.column_stack([right, up]) * VOTE_MM,
        turns_rad=turned * pattern.step_rad,
        votes=value / count,
        scores=value / count,
    )


def _add_votes(votes: Bytes, pattern: _Pattern, scale: float) -> Bytes:
    """Return (turns + 2, rows, columns) the votes along a pattern's band about each square.

    The last turn is repeated before the first, and the first after the last, where the pattern has several.
    """
    _, rows, columns = votes.shape
    margin = math.ceil(scale * pattern.reach_mm / VOTE_MM) + 1
    start, end = margin * columns, (rows - margin) * columns
    sums = np.zeros((pattern.turns + 2, rows, columns), dtype=np.uint8)
    if start < end and columns > 2 * margin:
        flat = votes.reshape(DIRECTIONS, 1, -1)
        for turn in range(pattern.turns):
            turn_rad = turn * pattern.step_rad
            cosine, sine = math.cos(turn_rad) * scale / VOTE_MM, math.sin(turn_rad) * scale / VOTE_MM
            x, y = np.rint(pattern.line_mm @ np.array([[cosine, sine], [-sine, cosine]])).astype(int).T
            bins = np.rint((pattern.normals_rad + turn_rad) * DIRECTIONS / np.pi).astype(int) % DIRECTIONS
            total = sums[turn + 1].reshape(1, -1)[:, start:end]
            for shift, direction in zip((y * columns + x).tolist(), bins.tolist(), strict=True):
                cv2.add(total, flat[direction, :, start + shift : end + shift], total)
            sums[turn + 1] = cv2.blur(sums[turn + 1], (3, 3))
    if pattern.turns > 1:
        sums[0], sums[-1] = sums[-2], sums[1]
    return sums


def _find_maxima(stack: Bytes, least: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return turn, row and column of what has at least so many votes and no neighbour has more."""
    turns, _, columns = stack.shape
    inner = stack[1:-1].max(axis=0)
    inner[[0, -1]] = 0
    inner[:, [0, -1]] = 0
    counts = np.bincount(inner.ravel(), minlength=256)[::-1].cumsum()[::-1]
    least = max(least, int(np.searchsorted(-counts, -MOST_SQUARES)))
    squares = np.flatnonzero(inner >= least)
    turn, which = np.nonzero(stack.reshape(turns, -1)[1:-1, squares] >= least)
    row, column = np.divmod(squares[which], columns)
    value = stack[turn + 1, row, column]
    is_highest = np.ones(len(value), dtype=bool)
    for t in (0, 1, 2):
        for r in (-1, 0, 1):
            for c in (-1, 0, 1):
                beside = stack[turn + t, row + r, column + c]
                # Of neighbours that have as many the last is taken.
                is_highest &= value > beside if (t, r, c) > (1, 0, 0) else value >= beside
    return turn[is_highest], row[is_highest], column[is_highest]


def _drop_rivals(finds: Sequence[_Finds], share: float) -> list[_Finds]:
    """Leave out what another find, so much stronger, leaves no room for."""
    if not finds:
        return []
    places = np.concatenate([some.places_mm for some in finds])
    scores = np.concatenate([some.scores for some in finds])
    inside = np.concatenate([np.full(len(some.scores), some.pattern.inside_mm) for some in finds])
    keep = np.ones(len(scores), dtype=bool)
    weakest = scores.min(initial=np.inf)
    for number in np.argsort(-scores, kind="stable"):
        if share * scores[number] <= weakest:
            break
        if keep[number]:
            apart = np.hypot(*(places - places[number]).T)
            has_room = apart > inside + inside[number] - OVERLAP_MM
            keep &= has_room | (scores >= share * scores[number])
    kept, first = [], 0
    for some in finds:
        kept.append(some.take(keep[first : first + len(some.scores)]))
        first += len(some.scores)
    return kept


def _take_best(finds: Sequence[_Finds], most: tuple[int, int]) -> list[_Finds]:
    """Leave out the weakest where there are more than so many of round shapes, or of others."""
    taken: list[_Finds] = []
    for is_round, many in zip((True, False), most, strict=True):
        alike = [some for some in finds if some.pattern.is_round == is_round]
        scores = np.concatenate([np.zeros(0), *(some.scores for some in alike)])
        least = np.partition(scores, -many)[-many] if len(scores) > many else 0.0
        taken += [some.take(some.scores >= least) for some in alike]
    return taken


def _lay_grid(pattern: _Pattern, steps: int, length: float) -> Floats:
    """Return (g, 3) moves along a band's own axes, and turns, that are tried about a find."""
    step_mm = length * min(STEP_CELLS * pattern.layout.cell_mm, STEP_MM)
    moves = np.arange(-steps, steps + 1) * step_mm
    turns = np.zeros(1) if pattern.is_round else np.arange(-1, 2) * step_mm / (0.8 * pattern.reach_mm)
    return np.stack(np.meshgrid(moves, moves, turns, indexing="ij"), axis=-1).reshape(-1, 3)


def _lay_jumps(pattern: _Pattern) -> Floats:
    """Return (g, 3) moves by a cell: along straight sides the cells lie right again."""
    axes = np.array([(-1, 0, 0), (0, -1, 0), (0, 0, 0), (0, 1, 0), (1, 0, 0)])
    return (axes[2:3] if pattern.is_round else axes) * pattern.layout.cell_mm


def _align(table: TableMap, finds: _Finds, grid: Floats, circles: slice) -> _Finds:
    """Move finds to where their bands look most like cells; the scores tell how much they do."""
    pattern, count = finds.pattern, len(finds.scores)
    if not count:
        return finds
    each = np.arange(count)
    moves = (grid[:, 0] + 1j * grid[:, 1]) * np.exp(1j * finds.turns_rad)[:, None]
    tried_mm = finds.places_mm[:, None] + np.stack([moves.real, moves.imag], axis=-1)
    tried_rad = finds.turns_rad[:, None] + grid[:, 2]
    bands = _unroll(table, finds, tried_mm, tried_rad, circles)
    middle = bands[:, len(grid) // 2].reshape(count, -1)
    dark, light = np.percentile(middle, [DARK_PERCENTILE, LIGHT_PERCENTILE], axis=1).astype(np.float32)
    contrast = np.maximum(light - dark, LEAST_CONTRAST)[:, None, None]
    rhythm = _measure_rhythm(bands.mean(axis=2, dtype=np.float32), contrast)
    best = rhythm.argmax(axis=1)
    changes = np.clip(_subtract_neighbours(bands[each, best]), -contrast, contrast)
    agreement = (changes.mean(axis=1) ** 2).sum(axis=1) / np.maximum((changes**2).mean(axis=1).sum(axis=1), 1e-6)
    strength = np.sqrt(rhythm[each, best] / pattern.layout.cells) / (light + DARKEST)
    return replace(
        finds,
        places_mm=tried_mm[each, best],
        turns_rad=tried_rad[each, best],
        scores=finds.votes * strength * agreement,
    )


def _unroll(table: TableMap, finds: _Finds, places_mm: Floats, turns_rad: Floats, circles: slice) -> Bytes:
    """(n, g, circles, columns) the map along bands at (n, g) places and turns."""
    unrolled = finds.pattern.unrolled_mm[circles] * np.float32(table.compute_scale(finds.height_mm) / table.pixel_mm)
    middles = ((places_mm - table.corner_mm) / table.pixel_mm).astype(np.float32)
    x, y = unrolled[..., 0], unrolled[..., 1]
    if finds.pattern.is_round:
        across, down = x + middles[:, :, None, None, 0], y + middles[:, :, None, None, 1]
    else:
        cosine, sine = (f(turns_rad).astype(np.float32)[:, :, None, None] for f in (np.cos, np.sin))
        across = cosine * x - sine * y + middles[:, :, None, None, 0]
        down = sine * x + cosine * y + middles[:, :, None, None, 1]
    shape = across.shape
    sampled = cv2.remap(
        table.grey,
        across.reshape(shape[0], -1),
        down.reshape(shape[0], -1),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(sampled, dtype=np.uint8).reshape(shape)


def _subtract_neighbours(bands: NDArray[np.uint8] | Singles) -> Singles:
    """Return by how much the grey level changes along a band, at each column."""
    values = bands.astype(np.float32)
    steps: Singles = np.empty_like(values)
    steps[..., 1:-1] = values[..., 2:] - values[..., :-2]
    steps[..., 0] = values[..., 1] - values[..., -1]
    steps[..., -1] = values[..., 0] - values[..., -2]
    return steps


def _measure_rhythm(bands: Singles, contrast: Singles) -> Singles:
    """(...) how much of what changes along (..., columns) bands does so once a cell, grey levels squared."""
    steps = np.minimum(np.abs(_subtract_neighbours(bands)), contrast) ** 2
    by_phase = steps.reshape(*steps.shape[:-1], -1, CELL_SAMPLES).sum(axis=-2)
    return np.asarray(np.hypot(by_phase[..., 0] - by_phase[..., 2], by_phase[..., 1] - by_phase[..., 3]))
