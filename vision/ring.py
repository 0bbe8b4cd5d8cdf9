"""The sheet with the ring of tags in a picture, and the model inside it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable
from calibration.table import without_bleed
from hardware.print.enrol import RING_TAGS, RingTag
from vision.locate import SIDES
from vision.types import TagFit

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

UNIT: Complexes = np.asarray(SIDES / 2, dtype=np.complex128)
"""The corners of a tag in its own frame as complex numbers, for an edge of 1."""
LEAST_RING = 4
"""So many tags of the ring must be seen."""
CORNER_MM = 0.8
"""A tag of the ring with a corner farther from its place than this is partly hidden, or the sheet is not flat."""
SCALE_LIMIT = 0.012
"""A ring larger or smaller than this share was not printed true to scale."""
LEAST_SIGMA_PX = 0.02
"""Noise of one coordinate of a small tag's corner in the cleanest of pictures."""
SHAPE_LIMIT = 5.0
"""The model's tag must be a square to so many times the noise of the ring's."""
SAME_PX = 1.5
"""Pictures in which no corner is farther off than this show the model at one place."""


class NothingInside(Unsolvable):
    """The sheet is seen, but no model's tag inside its ring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Where the sheet with the ring lies."""

    x_mm: float
    y_mm: float
    turn_rad: float
    """The place and front of its outline on the table."""
    tags: frozenset[int]
    """Those that lie as they must."""

    def of_table(self, places: Complexes) -> Complexes:
        """Return places on the table in the outline's frame."""
        return np.asarray((places - complex(self.x_mm, self.y_mm)) * np.exp(-1j * self.turn_rad))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A model in the ring at one place of the table, as one camera sees it."""

    camera: CameraOverTable
    sheet: Sheet
    ring_px: Mapping[int, Floats]
    """(4, 2) corners by tag, only of those that lie as they must."""
    tag: int
    corners_px: Floats
    """(4, 2) of the model's tag."""


def find_sheet(camera: CameraOverTable, ring: Sequence[RingTag], fits: Sequence[TagFit]) -> Sheet:
    """Return where the sheet lies.

    Raises:
        Unsolvable: too little of the ring is seen, or it is not the ring of this base, flat and true to scale.

    """
    seen = {tag.tag: tag.corners_px for tag in fits if tag.tag in RING_TAGS}
    known = [tag for tag in ring if tag.tag in seen]
    if len(known) < LEAST_RING:
        raise Unsolvable(
            f"{len(known)} of the sheet's {len(ring)} tags are seen; at least {LEAST_RING} are needed: lay the sheet"
            " flat where the camera sees it, and take hands away"
        )
    model = np.array([square(complex(tag.x_mm, tag.y_mm), 0.0, tag.size_mm) for tag in known])
    corners = np.array([seen[tag.tag] for tag in known])
    places = on_plane(camera, corners, 0.0)
    kept = np.ones(len(known), dtype=bool)
    while True:
        centre, ratio = similarity(model[kept].ravel(), places[kept].ravel())
        off_mm = np.where(kept[:, None], np.abs(places - centre - ratio * model), 0.0).max(axis=1)
        if off_mm.max() <= CORNER_MM:
            break
        kept[np.argmax(off_mm)] = False
        if kept.sum() < LEAST_RING:
            raise Unsolvable(
                "the sheet's tags do not lie as they must: it has to be the sheet of this very base, printed at 100 %,"
                " flat on the table"
            )
    if abs(abs(ratio) - 1) > SCALE_LIMIT:
        raise Unsolvable(
            f"the sheet's ring looks {100 * abs(ratio):.1f} % of its size: it has to be printed at 100 %, without"
            " fitting to the page, and lie flat on the table"
        )
    return Sheet(
        x_mm=float(centre.real),
        y_mm=float(centre.imag),
        turn_rad=float(np.angle(ratio)),
        tags=frozenset(tag.tag for tag, keep in zip(known, kept, strict=True) if keep),
    )


def find_place(
    camera: CameraOverTable,
    ring: Sequence[RingTag],
    sheet: Sheet,
    fits: Sequence[TagFit],
    anchors: Collection[int],
) -> Place:
    """Return what one picture says of the model inside the ring.

    Raises:
        Unsolvable: there is no tag inside the ring, more than one, or one that is partly hidden.

    """
    others = [tag for tag in fits if tag.tag not in RING_TAGS and tag.tag not in anchors]
    inside = [tag for tag in others if _is_inside(camera, ring, sheet, tag)]
    if not inside:
        raise NothingInside("no model's tag is seen inside the ring: put the model there, and leave its tag in view")
    if len(inside) > 1:
        ids = " and ".join(str(tag.tag) for tag in inside)
        raise Unsolvable(f"tags {ids} are inside the ring together; only the model that is being enrolled may be there")
    (tag,) = inside
    ring_px = {d.tag: d.corners_px for d in fits if d.tag in sheet.tags}
    noise_px = max(LEAST_SIGMA_PX, float(np.median([_off_square_px(camera, c) for c in ring_px.values()])))
    if _off_square_px(camera, tag.corners_px) > SHAPE_LIMIT * noise_px:
        raise Unsolvable(f"tag {tag.tag} inside the ring is partly hidden: clear the camera's view of it")
    return Place(camera=camera, sheet=sheet, ring_px=ring_px, tag=tag.tag, corners_px=tag.corners_px)


def joined(places: Sequence[Place]) -> list[Place]:
    """Return the places with those joined that show one and the same: a second picture is no second placing."""
    groups: list[list[Place]] = []
    for place in places:
        group = next((group for group in groups if is_same(group[0], place)), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return [mean(group) for group in groups]


def is_same(one: Place, other: Place) -> bool:
    """Tell whether two pictures show the model at one and the same place, at rest."""
    common = one.ring_px.keys() & other.ring_px.keys()
    if one.tag != other.tag or len(common) < LEAST_RING:
        return False
    off_px = [np.abs(one.ring_px[tag] - other.ring_px[tag]).max() for tag in common]
    return bool(max(*off_px, np.abs(one.corners_px - other.corners_px).max()) < SAME_PX)


def mean(group: Sequence[Place]) -> Place:
    """Return the place that some pictures of it show, their noise averaged.

    Raises:
        Unsolvable: too few of the ring's tags are in all of them.

    """
    common = [tag for tag in group[0].ring_px if all(tag in place.ring_px for place in group)]
    if len(common) < LEAST_RING:
        raise Unsolvable("too few tags of the ring are seen all the time: take what hides them away")
    return replace(
        group[0],
        ring_px={tag: np.mean([place.ring_px[tag] for place in group], axis=0) for tag in common},
        corners_px=np.mean([place.corners_px for place in group], axis=0),
    )


def _is_inside(camera: CameraOverTable, ring: Sequence[RingTag], sheet: Sheet, tag: TagFit) -> bool:
    centre = sheet.of_table(on_plane(camera, tag.corners_px[None], 0.0)[0]).mean()
    xs, ys = [t.x_mm for t in ring], [t.y_mm for t in ring]
    return bool(min(xs) < centre.real < max(xs) and min(ys) < centre.imag < max(ys))


def _off_square_px(camera: CameraOverTable, corners_px: Floats) -> float:
    """Return how far a tag's corners are from the best square, root mean square of one coordinate in px."""
    corners = on_plane(camera, corners_px[None], 0.0)[0]
    centre, ratio = similarity(UNIT, corners)
    off_mm = np.abs(corners - centre - ratio * UNIT)
    size_px = float(np.linalg.norm(corners_px[1] - corners_px[0]))
    return float(np.sqrt((off_mm**2).sum() / 4)) * size_px / abs(ratio)


def square(centre: complex, turn_rad: float, size_mm: float) -> Complexes:
    """Return (4,) the corners of a tag as complex numbers, in the order of its own frame."""
    return np.asarray(centre + UNIT * size_mm * np.exp(1j * turn_rad))


def on_plane(camera: CameraOverTable, corners_px: Floats, z_mm: float) -> Complexes:
    """(n, 4) places at a height, as complex numbers, of the corners (n, 4, 2) of tags, without their bleed."""
    flat = camera.table_from_image(without_bleed(corners_px, camera.bleed_px).reshape(-1, 2), z_mm)
    return np.asarray((flat[:, 0] + 1j * flat[:, 1]).reshape(-1, 4))


def similarity(model: Complexes, seen: Complexes) -> tuple[complex, complex]:
    """Return the shift, and the turn with scale, that bring a model nearest to what is seen: shift + turn * model."""
    middle, seen_middle = model.mean(), seen.mean()
    ratio = (seen - seen_middle) @ (model - middle).conj() / (np.abs(model - middle) ** 2).sum()
    return complex(seen_middle - ratio * middle), complex(ratio)
