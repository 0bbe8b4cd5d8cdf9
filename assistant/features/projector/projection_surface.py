"""The projection surface: where a table is flat and free for a tag of light, and why a tag of light is not seen."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.overlay.shapes import Points
from calibration.projector.model import ProjectorOverTable
from calibration.spaces import CameraOverTable
from hardware.tag36h11 import COUNT, MODULES
from vision.projected_tags import PITCH, ProjectorTag, choose_cell_px
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import Anchor, EnrolledTag

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

ANCHOR_RIM = 10 / 8
"""A tag's white rim, as a share of its black square: it is kept dark with it."""
CLEAR_MM = 6.0
"""Between a tag of light and what is not flat or not free."""
STEPS = (0.0, 0.2, -0.2, 0.4, -0.4)
"""A tag that has no room moves by these shares of the pitch along each axis."""
BRIGHT = 250
FAINT = 12.0
"""Grey levels between dark and light below which a pattern does not stand out."""


@dataclass(frozen=True, kw_only=True)
class ProjectionSurface:
    """A table and what is on it."""

    table_mm: tuple[float, float]
    """Width and depth."""
    anchors: tuple[Anchor, ...]
    occupied_mm: tuple[Points, ...]
    """Outlines of bases with their halos, and of terrain: light falls higher there than on the
    table, or hides markers."""
    used_tags: frozenset[int]

    @property
    def free_tags(self) -> list[int]:
        """The ids that nothing on the table has."""
        return [tag for tag in range(COUNT) if tag not in self.used_tags]

    @cached_property
    def raised(self) -> shapely.Geometry:
        """Where light does not fall flat on the table, as one shape."""
        return shapely.unary_union([shapely.Polygon(ring).buffer(0) for ring in self.occupied_mm])

    @cached_property
    def taken(self) -> shapely.Geometry:
        """Where no tag of light may be: the above and the anchors, with a margin."""
        rims = [shapely.Polygon(ring) for ring in outline_rims(self.anchors)]
        taken = shapely.union(self.raised, shapely.unary_union(rims)).buffer(CLEAR_MM)
        shapely.prepare(taken)
        return taken


def find_reach_mm(ring: EnrolledRing) -> float:
    """Return how far outside of its base a ring may reach; 0 where it lies on it."""
    reach_mm = ring.layout.band.reach_mm
    return round(reach_mm + math.hypot(ring.x_mm, ring.y_mm) + 2 * ring.offset_sigma_mm, 2) if reach_mm > 0 else 0.0


def outline_rims(anchors: Sequence[Anchor]) -> tuple[Points, ...]:
    """Return the outlines of anchors with their white rims."""
    grown = (_grow_square(anchor.square_mm[:, :2], ANCHOR_RIM) for anchor in anchors)
    return tuple(tuple((float(x), float(y)) for x, y in square) for square in grown)


def outline_raised(mark: EnrolledTag | EnrolledRing, piece: Floats, eye_mm: Floats) -> Points:
    """Return where light falls on a mark that lies high above the table, for a projector beside the camera.

    Args:
        mark: on a piece of terrain.
        piece: (3,) where the piece lies and how it is turned.
        eye_mm: (3,) the camera's place.

    """
    if isinstance(mark, EnrolledTag):
        height_mm, reach_mm = mark.height_mm, mark.size_mm / 2 * ANCHOR_RIM
    else:
        height_mm, reach_mm = mark.ring_height_mm, float(mark.corners_mm.max())
    x, y, turn = piece
    middle = complex(x, y) + complex(mark.x_mm, mark.y_mm) * np.exp(1j * turn)
    half = reach_mm * np.array([1 + 1j, -1 + 1j, -1 - 1j, 1 - 1j]) * np.exp(1j * (turn + mark.facing_rad))
    eye = complex(eye_mm[0], eye_mm[1])
    behind = eye + (middle + half - eye) * eye_mm[2] / (eye_mm[2] - height_mm)  # what it hides of the table
    places = np.concatenate([middle + half, behind])
    hull = shapely.MultiPoint(np.column_stack([places.real, places.imag])).convex_hull
    return tuple((round(x), round(y)) for x, y in hull.buffer(CLEAR_MM, join_style="mitre").exterior.coords[:-1])


def lies_flat(places_mm: Floats, surface: ProjectionSurface) -> bool:
    """Whether a tag of light seen at (4, 2) corners lies whole on the table itself."""
    width_mm, depth_mm = surface.table_mm
    on_table = bool((places_mm >= 0).all() and (places_mm <= (width_mm, depth_mm)).all())
    return on_table and not shapely.intersects(surface.raised, shapely.Polygon(places_mm))


def lay_free_tags(
    projector: ProjectorOverTable, surface: ProjectionSurface, *, leaving_out: Collection[int]
) -> tuple[ProjectorTag, ...]:
    """Lay tags of light all over a table up to its edges, where it is flat and free.

    Args:
        projector: what is known of where its pixels land; some millimetres will do.
        surface: the table.
        leaving_out: ids that were thrown before.

    """
    cell_px = choose_cell_px(projector.image_size)
    side_mm = MODULES * cell_px / _find_px_per_mm(projector, surface.table_mm)
    tags = [tag for tag in surface.free_tags if tag not in leaving_out]
    places: list[tuple[int, int]] = []
    pitch_mm = PITCH * side_mm
    while not places or len(places) > len(tags):
        places = list(_find_free_places(projector, surface, cell_px, side_mm, pitch_mm))
        pitch_mm *= 1.1
        if pitch_mm > max(surface.table_mm):
            break
    return tuple(
        ProjectorTag(tag=tag, left_px=left, top_px=top, cell_px=cell_px)
        for tag, (left, top) in zip(tags, places, strict=False)
    )


def _find_free_places(
    projector: ProjectorOverTable, surface: ProjectionSurface, cell_px: int, side_mm: float, pitch_mm: float
) -> Iterator[tuple[int, int]]:
    width, height = projector.image_size
    side_px = MODULES * cell_px
    inset_mm = 0.75 * side_mm + CLEAR_MM
    xs, ys = (
        np.linspace(inset_mm, size - inset_mm, max(2, int((size - 2 * inset_mm) / pitch_mm) + 1))
        for size in surface.table_mm
    )
    for place in np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2):
        for right in STEPS:
            for up in STEPS:
                moved = place + pitch_mm * np.array([right, up])
                left, top = (projector.projector_from_table(moved)[0] - (side_px - 1) / 2).round().astype(int).tolist()
                if not (0 <= left <= width - side_px and 0 <= top <= height - side_px):
                    continue
                rim = ProjectorTag(tag=0, left_px=left, top_px=top, cell_px=cell_px).rim_px
                square = projector.table_from_projector(rim)
                if lies_flat(square, surface) and not shapely.intersects(surface.taken, shapely.Polygon(square)):
                    break
            else:
                continue
            yield left, top
            break


def explain_unseen(
    missing: Sequence[ProjectorTag],
    projector: ProjectorOverTable,
    grey: Grey,
    camera: CameraOverTable,
    surface: ProjectionSurface,
) -> str:
    """Say in half a sentence why tags of light are not seen; empty where there is nothing to say."""
    reasons: Counter[str] = Counter()
    height, width = grey.shape
    table_mm = np.array(surface.table_mm)
    for tag in missing:
        square = projector.table_from_projector(tag.corners_px)
        if not ((square >= 0).all() and (square <= table_mm).all()):
            reasons["off the table"] += 1
            continue
        pixels = camera.image_from_table(np.column_stack([square, np.zeros(4)]))
        if not ((pixels >= 0).all() and (pixels <= (width - 1, height - 1)).all()):
            reasons["out of the camera's picture"] += 1
            continue
        (left, top), (right, bottom) = pixels.min(axis=0).astype(int), pixels.max(axis=0).astype(int) + 1
        patch = grey[top:bottom, left:right]
        dark, light = np.percentile(patch, [15, 85])
        if shapely.intersects(surface.taken, shapely.Polygon(square)):
            reasons["on models, terrain or fixed tags"] += 1
        elif light >= BRIGHT:
            reasons[f"too bright {_describe_place(square.mean(axis=0), table_mm)}"] += 1
        elif light - dark < FAINT:
            reasons[f"too faint {_describe_place(square.mean(axis=0), table_mm)}"] += 1
        else:
            reasons[f"hidden or blurred {_describe_place(square.mean(axis=0), table_mm)}"] += 1
    return "".join(f"; {count} {reason}" for reason, count in reasons.most_common(3))


def describe_bare_parts(places_mm: Floats, surface: ProjectionSurface) -> str:
    """Say which parts of a table had no tag of light, of nine; empty where each had one."""
    table_mm = np.array(surface.table_mm)
    middles = [(np.array([column, row]) + 0.5) / 3 * table_mm for row in range(3) for column in range(3)]
    lit = {_describe_place(place, table_mm) for place in places_mm}
    bare = [where for where in (_describe_place(middle, table_mm) for middle in middles) if where not in lit]
    return f" There was none {', '.join(bare)}: light is less sure to land well there." if bare else ""


def _describe_place(place_mm: Floats, table_mm: Floats) -> str:
    """Say where on the table, as one stands at its near edge."""
    column, row = np.minimum(2, 3 * place_mm / table_mm).astype(int)
    if (column, row) == (1, 1):
        return "in the middle"
    return "at the " + " ".join(
        word for word in (("near", "", "far")[row], ("left", "middle", "right")[column]) if word
    )


def _grow_square(square: Floats, by: float) -> Floats:
    middle = square.mean(axis=0)
    return np.asarray(middle + by * (square - middle))


def _find_px_per_mm(projector: ProjectorOverTable, table_mm: tuple[float, float]) -> float:
    (scale,) = projector.scale_px_per_mm([(table_mm[0] / 2, table_mm[1] / 2)])
    return float(np.sqrt(abs(np.linalg.det(scale))))
