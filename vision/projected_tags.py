"""Projected tags: where a projector shows tags of light in its picture, and where a camera sees them on the table.

They are averaged while they lie still; the projector is calibrated from them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hardware.tag36h11 import INNER, MODULES
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import assume_detection, detect_tags, group_prints, select_whole
from vision.types import TagFit

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

CELL = 180
"""A tag's cell is this part of the picture's height: a tag is large enough for a 1080p camera over a whole table."""
LEAST_CELL_PX = 4
PITCH = 2.8
"""From tag to tag, in widths of a tag with its rim: the dark between them keeps the light of one off the next."""
MOST_ASTRAY = 0.12
"""A tag of whose area a larger share shows something else lies half on something."""
MOVED_PX = 1.0
"""Light that goes farther from picture to picture moves, or the camera does."""
CONFIRMED_SHARE = 0.66
"""Where a smaller share of the tags is seen again at its place, the light moves, or something before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectorTag:
    """A tag in the projector's picture, its white rim included: whole cells on whole pixels."""

    tag: int
    left_px: int
    top_px: int
    """The rim's top left pixel."""
    cell_px: int

    @property
    def corners_px(self) -> Floats:
        """(4, 2) of the dark square, in the order of a detection, the centre of the picture's first pixel at (0, 0)."""
        left, top = self.left_px + self.cell_px - 0.5, self.top_px + self.cell_px - 0.5
        side = INNER * self.cell_px
        return np.array([[left, top + side], [left + side, top + side], [left + side, top], [left, top]])

    @property
    def rim_px(self) -> Floats:
        """(4, 2) of the white rim, likewise."""
        left, top, side = self.left_px - 0.5, self.top_px - 0.5, MODULES * self.cell_px
        return np.array([[left, top + side], [left + side, top + side], [left + side, top], [left, top]])


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectorTagSighting:
    """A tag of light as the camera saw it in some pictures."""

    corners_px: Floats
    """(4, 2) their mean."""
    covariance_px2: Floats
    """(8, 8) of one picture, as last stated."""
    noise_px2: Floats
    """(8, 8) what of it averages out."""
    count: int

    @property
    def mean_covariance_px2(self) -> Floats:
        """(8, 8) of the mean."""
        return np.asarray(self.covariance_px2 - self.noise_px2 * (1 - 1 / self.count))


def lay_out_tags(
    image_size: tuple[int, int], tags: Sequence[int], *, shifted: bool = False
) -> tuple[ProjectorTag, ...]:
    """Lay tags in rows over a projector's picture, as many as fit and as there are ids for.

    Args:
        image_size: width and height, px.
        tags: the ids that may be used.
        shifted: the rows lie between those of the other layout.

    """
    width, height = image_size
    cell_px = choose_cell_px(image_size)
    pitch_px = PITCH
    places: list[tuple[int, int]] = []
    while not places or len(places) > len(tags):
        places = list(_list_places(width, height, MODULES * cell_px, pitch_px * MODULES * cell_px, shifted=shifted))
        pitch_px *= 1.1
    return tuple(
        ProjectorTag(tag=tag, left_px=left, top_px=top, cell_px=cell_px)
        for tag, (left, top) in zip(tags, places, strict=False)
    )


def choose_cell_px(image_size: tuple[int, int]) -> int:
    """Return how large a tag's cells are in a projector's picture."""
    return max(LEAST_CELL_PX, round(min(image_size) / CELL))


def _list_places(width: int, height: int, side: int, pitch: float, *, shifted: bool) -> Iterator[tuple[int, int]]:
    across, down = (max(2, int((size - 1.2 * side) / pitch) + 1) for size in (width, height))
    xs, ys = np.linspace(0.1 * side, width - 1.1 * side, across), np.linspace(0.1 * side, height - 1.1 * side, down)
    if shifted:
        xs, ys = (xs[1:] + xs[:-1]) / 2, (ys[1:] + ys[:-1]) / 2
    for y in ys:
        for x in xs:
            yield int(x), int(y)


def observe_tags(
    grey: Grey, projected: Sequence[ProjectorTag], before: Mapping[int, ProjectorTagSighting], *, thorough: bool
) -> tuple[dict[int, ProjectorTagSighting], bool]:
    """Return what is known of tags of light after one more picture, and whether they lie where they lay.

    Args:
        grey: (height, width) picture.
        projected: what the projector shows.
        before: by tag, what earlier pictures of the same light told.
        thorough: look all over the picture, and not only where tags have been seen.

    """
    if thorough:
        prints = group_prints(detect_tags(grey, [select_whole(grey)], frozenset(tag.tag for tag in projected)))
        detections = [same_tag[0] for same_tag in prints.values() if len(same_tag) == 1]
    else:
        detections = [assume_detection(tag, known.corners_px) for tag, known in before.items()]
    after = dict(before)
    confirmed = 0
    for fit in refine_corners(grey, detections):
        if fit.astray > MOST_ASTRAY:
            continue
        known = before.get(fit.tag)
        if known is None:
            after[fit.tag] = _begin_sighting(fit)
        elif np.abs(fit.corners_px - known.corners_px).max() <= MOVED_PX:
            confirmed += 1
            mean = known.corners_px + (fit.corners_px - known.corners_px) / (known.count + 1)
            after[fit.tag] = replace(_begin_sighting(fit), corners_px=mean, count=known.count + 1)
    return after, confirmed >= CONFIRMED_SHARE * len(before)


def _begin_sighting(fit: TagFit) -> ProjectorTagSighting:
    return ProjectorTagSighting(
        corners_px=fit.corners_px, covariance_px2=fit.covariance_px2, noise_px2=fit.noise_px2, count=1
    )


def is_mirrored(grey: Grey, projected: Sequence[ProjectorTag]) -> bool:
    """Whether tags of light are seen in a picture's mirror image: the projector is set to throw from behind."""
    return bool(
        detect_tags(np.ascontiguousarray(grey[:, ::-1]), [select_whole(grey)], frozenset(tag.tag for tag in projected))
    )
