"""Tag search: where to look for tags in the next picture.

Tags of known bases are looked for near their tracks (`predict_region`); tags that are missing, tile by tile, first
where the picture has changed (`TileScan`); and tags of which nothing is known yet, such as those of a model that is
being enrolled, around every tag that is known and in one part of the picture after another
(`choose_regions_near_known`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tags.candidates import find_candidates
from vision.tags.detection import ImageRegion, cut_tiles, select_around
from vision.tags.expected_tags import ExpectedTag
from vision.tags.pose_estimation import find_place_on_surface
from vision.tracking.rest_detection import subtract_poses
from vision.tracking.tracks import LEAST_LIFT_MM, Track

WIDENING_STEPS = (1.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0)
"""By how much more than its own motion the search for a tag allows, after so many frames that missed it."""
WIDEST_PX = 200.0
"""No search for one tag is wider, for the sake of large pictures."""
MOST_WIDE = 2
"""So many tags are searched for so widely in one frame, those missed last at first; the scan finds the others."""
MOST_CLOSE = 12
"""So many tags are looked for with more effort in one picture."""
CLOSE_PICTURES = 8
"""A tag is looked for so in every picture until it has been missed so many times."""
LONGEST_AHEAD = 6
"""What has been missed for so many pictures goes no farther,"""
STRAY_SHARE = 0.6
"""and may be off by this share of the way that it should have gone."""
SECOND_NS = 1e9
PUSH_SHARE = 0.01
"""The search for a missed tag allows for at least this share of the picture's width, before it is widened: a hand does
not go slower where tags are small."""


def choose_wide_searches(tracks: Mapping[int, Track]) -> set[int]:
    """Return the tags that may have been pushed away since they were last seen, a moment ago."""
    missed = sorted((track.missed, tag) for tag, track in tracks.items() if 0 < track.missed < len(WIDENING_STEPS))
    return {tag for _, tag in missed[:MOST_WIDE]}


def choose_close_looks(tracks: Mapping[int, Track]) -> list[int]:
    """Return which of some tags that were not found are looked for with more effort: ever more seldom."""
    due = [
        tag
        for tag, track in tracks.items()
        if track.missed < CLOSE_PICTURES or track.missed & (track.missed - 1) == 0 or track.missed % 64 == 0
    ]
    return sorted(due, key=lambda tag: (tracks[tag].missed, tag))[:MOST_CLOSE]


def predict_region(track: Track, grey: NDArray[np.uint8], *, wide: bool) -> ImageRegion:
    """Return where a base's tag may be in the next picture.

    It is wider at once for a tag that was missed, since a hand may have pushed it away faster than any margin grows.
    A tag that stays hidden is looked for where it was; the tiles find it elsewhere.
    """
    x, y = track.corners_px.T.tolist()
    size_px = max(max(x) - min(x), max(y) - min(y))
    ahead = track.corners_px if track.missed else track.corners_px + track.step_px
    margin_px = 0.35 * size_px + 3 + max(map(abs, track.step_px.tolist()))
    if wide:
        margin_px = min(WIDENING_STEPS[track.missed] * max(margin_px, PUSH_SHARE * grey.shape[1]), WIDEST_PX)
    return select_around(ahead, margin_px, grey)


def predict_corners(tracks: Sequence[Track]) -> NDArray[np.float64]:
    """(n, 4, 2) where bases' tags are in the next picture if they go and turn on as they did, or have not moved."""
    if not tracks:
        return np.empty((0, 4, 2))
    now_px = np.array([track.corners_px for track in tracks])
    before_px = np.array([track.corners_px if track.missed else track.recent[-2:][0][1].corners_px for track in tracks])
    step_px = np.array([(0.0, 0.0) if track.missed else track.step_px for track in tracks])
    middle_px = now_px.mean(axis=1, keepdims=True)
    arms, arms_before = (now_px - middle_px) @ (1, 1j), (before_px - before_px.mean(axis=1, keepdims=True)) @ (1, 1j)
    turn = (arms_before.conj() * arms).sum(axis=1, keepdims=True)
    there = arms * turn / np.abs(turn)
    return np.asarray(np.stack([there.real, there.imag], axis=2) + middle_px + step_px[:, None])


def predict_tag(track: Track, captured_ns: int, exposure_s: float) -> ExpectedTag:
    """Return where a base's tag must be by some time, and how it is smeared there, if it goes on as it did."""
    at_ns = track.recent[-1][0]
    pictures = track.missed + 1
    step = complex(*track.step_px.tolist())
    side_px = float(np.ptp(track.corners_px, axis=0).max())
    ahead = track.step_px * min(pictures, LONGEST_AHEAD)
    return ExpectedTag(
        tag=track.marker,
        corners_px=track.corners_px + ahead,
        smear_px=step * exposure_s * pictures / max((captured_ns - at_ns) / SECOND_NS, 1e-3),
        reach_px=0.2 * side_px + 2 + STRAY_SHARE * float(np.abs(ahead).max()),
    )


def predict_pose(track: Track, captured_ns: int) -> tuple[NDArray[np.float64], float]:
    """Return where a base must be by some time, x_mm, y_mm and facing_rad, and the height of what carries it, mm.

    It goes on as it went, for a few pictures that missed it too; then it is looked for where it was last seen.
    """
    at_ns, last = track.recent[-1]
    if not track.moving:
        return track.rest.pose, track.level_mm
    surface_mm = last.rise_mm if abs(last.rise_mm - track.level_mm) > LEAST_LIFT_MM else track.level_mm
    pose = np.array([*find_place_on_surface(last, surface_mm), last.facing_rad])
    if len(track.recent) > 1 and track.missed < LONGEST_AHEAD:
        before_ns, before = track.recent[-2]
        step = subtract_poses(pose, np.array([*find_place_on_surface(before, surface_mm), before.facing_rad]))
        pose = pose + step * min((captured_ns - at_ns) / (at_ns - before_ns), track.missed + 1.0)
    return pose, surface_mm


Grey = NDArray[np.uint8]

STRIDE_PX = 8
"""Every eighth pixel of every eighth row tells whether a tile has changed."""
TILE_PX = 64_000
"""Pixels in a tile: what the detector looks through in a few milliseconds."""
CHANGED_LEVELS = 25
"""Grey levels; a tag's black on white is far above."""
CHANGED_SIGMAS = 4.0
"""What differs by less is noise."""
CHANGED_PIXELS = 3
"""A tile with fewer changed pixels of the sample holds no new tag."""
MEANS_LEVELS, MEANS_SHARE = 10, 0.5
"""Where noise would hide in single pixels what changes, the means of their squares are compared: grey levels, which are
far above what is left of noise; and which share of the step of single pixels means have from square to square."""
WITHIN_FRAMES, WITHIN_NOISY = 25, 10
"""All changed tiles are looked at within so many pictures, and where means are compared: there a look finds less."""
MOST_TILES = 3
IDLE_FRAMES = 8
"""Without changes, one tile is looked at in so many pictures: a tag may come into focus where it lies."""
UNSEARCHED_FRAMES, BUSY_FRAMES = 4, 16
"""The same as long as there are tiles that have only been looked through hurriedly, and while much goes on."""

CLOSE_FRAMES = 32
"""Without changes, one tile is looked at more closely in so many pictures."""
FIRST_TILES, CLOSE_TILES = 64, 45
"""Of pictures with so many tiles each has time for a closer look, with more tiles only one in as many times more, for a
look costs as much, and tags are larger: at first while nothing changes, and later."""
CLOSE_EVERY = 3
"""One closer look in so many goes to a tile, the others to places that look like a tag; at first all go to tiles."""

_AROUND = np.ones((3, 3), dtype=np.uint8)
"""Within so many samples a marker is dark and light."""
RIM_SHARE = 0.25
"""A tag that is seen explains what is to be seen so far around it, as a share of its extent."""


@dataclass(kw_only=True)
class TileScan:
    """Remembers what each tile of the picture looked like when it was last looked through."""

    overlap_px: int
    most_tiles: int = MOST_TILES
    """In one picture."""
    tags_only: bool = False
    """Of what has changed, only what may be a tag is looked at."""
    least_step: int = 0
    """Where neighbours of the sample differ by fewer grey levels, a change has laid bare table: it holds no marker."""
    _samples: dict[bool, Grey] = field(default_factory=dict)
    """Single pixels, and means: those count that are compared at the time, and the others are older."""
    _of_means: bool = False
    """Means are compared: single pixels are too noisy."""
    _tiles: list[ImageRegion] = field(default_factory=list)
    """They overlap, so that every tag lies whole in one."""
    _cores: list[ImageRegion] = field(default_factory=list)
    """The same without the overlap."""
    _spans: NDArray[np.intp] = field(default_factory=lambda: np.empty((4, 0), dtype=np.intp))
    """(4, tiles) first and last row and column of the sample in each tile, the last excluded."""
    _searched_at: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """When each tile was last looked through, as a number of the picture."""
    _unread: list[int] = field(default_factory=list)
    """Tiles that are to be looked at more closely when there is time, the next one last."""
    _is_sorted: bool = False
    """Whether those in which most is to be seen come first."""
    _begun_at: int = 0
    """When it was begun to look at them."""
    _budget: float = 0.0
    """Tiles that may be looked through by now."""
    _frame_count: int = 0
    _is_busy: bool = False
    """Something has changed in the last picture."""

    def mark_whole_searched(self, grey: Grey, *, hurried: bool = False) -> None:
        """Take note that the whole picture has been looked through; hurriedly, so that every tile still is to be."""
        height, width = grey.shape
        across = max(1, round(np.sqrt(grey.size / TILE_PX * width / height)))
        down = max(1, round(grey.size / TILE_PX / across))
        self._tiles, self._cores = cut_tiles(grey, across, down, self.overlap_px), cut_tiles(grey, across, down, 0)
        self._searched_at = np.full(len(self._tiles), -1 if hurried else self._frame_count, dtype=np.intp)
        self.begin_close_looks()
        self._samples = {of_means: _sample(grey, of_means=of_means) for of_means in (False, True)}
        parts = [_select_samples(tile) for tile in self._tiles]
        spans = [(rows.start, rows.stop, columns.start, columns.stop) for rows, columns in parts]
        self._spans = np.array(spans, dtype=np.intp).T

    def begin_close_looks(self) -> None:
        """Look at every tile more closely once more: something else is looked for."""
        self._unread, self._is_sorted, self._begun_at = list(range(len(self._tiles))), False, self._frame_count

    def _mark_searched(self, samples: Grey, regions: Sequence[ImageRegion]) -> None:
        """Take note that some parts of a picture have been looked through, or hold nothing but what is known."""
        for region in regions:
            part = _select_samples(region)
            self._samples[self._of_means][part] = samples[part]

    def choose_regions(
        self, grey: Grey, extent_px: int, looked_at: Sequence[ImageRegion] = (), *, noise: float = 0.0
    ) -> list[ImageRegion]:
        """Return what to look through in this picture, and take it that this will be done.

        Args:
            grey: the picture.
            extent_px: of the largest tag that is looked for.
            looked_at: where this picture is looked through anyway.
            noise: by which a pixel differs from picture to picture, one sigma.

        """
        self._frame_count += 1
        self._of_means = CHANGED_SIGMAS * noise > CHANGED_LEVELS
        samples, before = _sample(grey, of_means=self._of_means), self._samples[self._of_means]
        self._mark_searched(samples, looked_at)
        levels, share = (MEANS_LEVELS, MEANS_SHARE) if self._of_means else (CHANGED_LEVELS, 1.0)
        of_noise = noise / STRIDE_PX if self._of_means else noise
        differs = cv2.absdiff(samples, before) > max(levels, CHANGED_SIGMAS * of_noise)
        changed = differs
        if self.least_step:
            changed = differs & (cv2.morphologyEx(samples, cv2.MORPH_GRADIENT, _AROUND) >= share * self.least_step)
            bare = differs & ~changed
            before[bare] = samples[bare]
        due = np.array([], dtype=np.intp)
        if changed.any():
            due = np.flatnonzero(self._sum_in_tiles(changed.view(np.uint8)) >= CHANGED_PIXELS)
        self._is_busy = len(due) > 0
        within = WITHIN_NOISY if self._of_means else WITHIN_FRAMES
        self._budget = min(self._budget + len(due) / within, self.most_tiles) if len(due) else 0.0
        searched = due[np.argsort(self._searched_at[due], kind="stable")[: math.ceil(self._budget)]]
        self._budget -= len(searched)
        regions = [self._select_around_changes(tile, changed, grey, extent_px) for tile in searched]
        if self.tags_only:
            # Tiles overlap: what lies in two is looked at once.
            regions = list(dict.fromkeys(each for region in regions for each in find_candidates(grey, region)))
        hurried = self._searched_at.min() < 0
        every = (UNSEARCHED_FRAMES if hurried else IDLE_FRAMES) if len(due) == 0 else BUSY_FRAMES if hurried else 0
        if every and self._frame_count % every == 0:
            longest_ago = np.argmin(self._searched_at)
            searched = np.union1d(searched, longest_ago)
            regions.append(self._tiles[longest_ago])
        self._searched_at[searched] = self._frame_count
        if len(due) or self._frame_count % CLOSE_FRAMES == 0:
            self._unread += [int(tile) for tile in searched if tile not in self._unread]
        self._mark_searched(samples, [self._cores[tile] for tile in searched])
        return regions

    def _sum_in_tiles(self, values: Grey) -> NDArray[np.int32]:
        """(tiles,) the sum of some values of the sample in each tile."""
        before = np.asarray(cv2.integral(values), dtype=np.int32)
        top, bottom, left, right = self._spans
        return np.asarray(before[bottom, right] - before[top, right] - before[bottom, left] + before[top, left])

    @property
    def is_noisy(self) -> bool:
        """Whether noise hides in single pixels what changes."""
        return self._of_means

    @property
    def has_time(self) -> bool:
        """Whether there is time for a closer look at something in this picture."""
        return self._frame_count % self._close_every == 0

    @property
    def _close_every(self) -> int:
        return max(1, len(self._tiles) // (FIRST_TILES if self._is_first else CLOSE_TILES))

    @property
    def _is_first(self) -> bool:
        """Whether the search has only begun, so that there is no time to be lost, and nothing else takes time."""
        every = max(1, len(self._tiles) // FIRST_TILES)
        since = self._frame_count - self._begun_at
        return since <= 2 * every * len(self._tiles) and (every == 1 or not self._is_busy)

    def choose_close_look(self, grey: Grey, known_px: Sequence[NDArray[np.float64]]) -> ImageRegion | None:
        """Return a tile to look at more closely, and take it that this will be done; None where none is due.

        Args:
            grey: the picture.
            known_px: (4, 2) corners of the tags that are seen.  The first looks go where most is to be seen beside.

        """
        if not self._is_sorted:
            beside = np.asarray(cv2.morphologyEx(self._samples[self._of_means], cv2.MORPH_GRADIENT, _AROUND), np.uint8)
            for corners_px in known_px:
                rim_px = RIM_SHARE * float(np.ptp(corners_px, axis=0).max())
                beside[_select_samples(select_around(corners_px, rim_px, grey))] = 0
            self._unread.sort(key=self._sum_in_tiles(beside).__getitem__)
            self._is_sorted = True
        if not self._is_first and self._frame_count // self._close_every % CLOSE_EVERY:
            return None
        return self._tiles[self._unread.pop()] if self._unread else None

    def _select_around_changes(self, tile: int, changed: NDArray[np.bool_], grey: Grey, extent_px: int) -> ImageRegion:
        """Return the part of a tile, and of what is around it, where a tag of which something has changed may lie."""
        part = _select_samples(self._tiles[tile])
        rows, columns = (np.flatnonzero(changed[part].any(axis=axis)) for axis in (1, 0))
        top, left = ((axis.start + first) * STRIDE_PX for axis, first in zip(part, (rows[0], columns[0]), strict=True))
        bottom, right = (
            (axis.start + last) * STRIDE_PX for axis, last in zip(part, (rows[-1], columns[-1]), strict=True)
        )
        return select_around(np.array([[left, top], [right, bottom]], dtype=np.float64), extent_px, grey)


def _sample(grey: Grey, *, of_means: bool) -> Grey:
    """Return one pixel of each square of STRIDE_PX, or what its pixels are in the mean."""
    if not of_means:
        return grey[::STRIDE_PX, ::STRIDE_PX].copy()
    height, width = (-(-size // STRIDE_PX) for size in grey.shape)
    return np.asarray(cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _select_samples(tile: ImageRegion) -> tuple[slice, slice]:
    """Return the part of the sample that lies in a tile."""
    return (
        slice(-(-tile.top // STRIDE_PX), -(-tile.bottom // STRIDE_PX)),
        slice(-(-tile.left // STRIDE_PX), -(-tile.right // STRIDE_PX)),
    )


PART_PX = 180_000
"""One part of the picture that is searched for what is new, so that its cost in one picture stays small."""
REACH_SHARE = 0.02
"""A tag may go so far from one look to the next, as a share of the picture's width, and half its own size more."""
OVERLAP_SHARE = 0.06
"""The parts overlap by this share of the picture's width: a tag is no larger."""


def choose_regions_near_known(
    grey: NDArray[np.uint8], known_px: Mapping[int, NDArray[np.float64]], picture_number: int
) -> list[ImageRegion]:
    """Return where to look: around every tag that is known, and in one part of the picture, another at every look.

    Args:
        grey: (height, width) picture.
        known_px: (4, 2) corners of tags where they were last seen, by tag.
        picture_number: counts the pictures.

    """
    width = grey.shape[1]
    near = [select_around(px, REACH_SHARE * width + np.ptp(px, axis=0).max() / 2, grey) for px in known_px.values()]
    parts = cut_into_parts(grey)
    return [*near, parts[picture_number % len(parts)]]


def cut_into_parts(grey: NDArray[np.uint8]) -> list[ImageRegion]:
    """Return the parts that together are the whole picture."""
    height, width = grey.shape
    across = max(1, round(np.sqrt(grey.size / PART_PX * width / height)))
    down = max(1, round(grey.size / PART_PX / across))
    return cut_tiles(grey, across, down, int(OVERLAP_SHARE * width))
