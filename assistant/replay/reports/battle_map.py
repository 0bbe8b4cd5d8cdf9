"""The battle map: the table with an arrow for every move, on its camera's picture from straight above if there is one.

Without a picture it is drawn, with terrain in the colours of its kinds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.game.state import GameState, Table
from assistant.overlay.palette import FELT, PALETTE
from assistant.overlay.raster import Warp, paint_ring, parse_bgr, warp_from_homography
from assistant.overlay.shapes import trace_outline
from assistant.overlay.terrain_kinds import find_kind, sort_for_drawing
from assistant.replay.lettering import measure_width, write_text
from assistant.replay.reports.battle import ToldMove

BgrImage = NDArray[np.uint8]
Points = NDArray[np.float64]
GRID, INK, PAPER = "#2a3733", "#101314", "#f2efe9"
FOOT_MM = 304.8
LEAST_MM = 3.0
"""Who went less far gets no arrow."""
DIM = 0.82
"""How much of its brightness a camera's picture keeps under arrows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCanvas:
    """Draws one table, at one width."""

    table: Table
    width_px: int

    @property
    def scale(self) -> float:
        """Pixels a millimetre."""
        return self.width_px / self.table.width_mm

    @property
    def warp(self) -> Warp:
        """From the table to the picture."""
        scale = self.scale
        return warp_from_homography(np.array([[scale, 0, 0], [0, -scale, scale * self.table.depth_mm], [0, 0, 1]]))

    def draw_ground(self, photo: BgrImage | None, state: GameState) -> BgrImage:
        """Return the table without models: a picture of it, or drawn with its terrain."""
        if photo is not None:
            return np.asarray(cv2.convertScaleAbs(photo, alpha=DIM), dtype=np.uint8)
        height_px = round(self.scale * self.table.depth_mm)
        picture = np.full((height_px, self.width_px, 3), parse_bgr(FELT), dtype=np.uint8)
        for at_px in np.arange(FOOT_MM, max(self.table.width_mm, self.table.depth_mm), FOOT_MM) * self.scale:
            cv2.line(picture, (round(at_px), 0), (round(at_px), height_px), parse_bgr(GRID), 1)
            cv2.line(
                picture, (0, height_px - round(at_px)), (self.width_px, height_px - round(at_px)), parse_bgr(GRID), 1
            )
        for piece in sort_for_drawing(state.terrain):
            paint = PALETTE[f"terrain-{find_kind(piece)}"]
            self._paint(picture, piece.outline_mm, paint.fill, paint.stroke, 2)
        for marker in state.objectives:
            paint, (x, y) = PALETTE["objective"], self.warp(np.array([[marker.x_mm, marker.y_mm]]))[0].tolist()
            radius_px = max(4, round(marker.radius_mm * self.scale))
            cv2.circle(picture, (round(x), round(y)), radius_px, parse_bgr(paint.stroke), self.line_px, cv2.LINE_AA)
        return picture

    @property
    def line_px(self) -> int:
        """How wide a thin line is."""
        return max(1, round(self.width_px / 700))

    def draw_models(self, picture: BgrImage, state: GameState, *, over_photo: bool) -> None:
        """Draw every model that stands on the table, in its side's colours; over a picture of it only its edge."""
        sides = list(dict.fromkeys(unit.player for unit in state.units))
        for unit, model in state.iterate_models():
            if model.pose is None:
                continue
            paint, ring = PALETTE[f"side-{sides.index(unit.player) % 4}"], trace_outline(model.place_base())
            self._paint(picture, ring, "" if over_photo else paint.fill, INK, 2 * self.line_px + 2)
            self._paint(picture, ring, "", paint.stroke, 2 * self.line_px)

    def draw_arrows(self, picture: BgrImage, moves: Sequence[ToldMove]) -> None:
        """Draw the way of every model that moved, and the number of each move where its longest way begins."""
        for told in moves:
            paint = PALETTE[f"side-{told.side % 4}"]
            for way in self._list_ways(told):
                self._draw_arrow(picture, way, paint.stroke)
        taken: list[tuple[float, float]] = []
        for told in moves:
            ways = self._list_ways(told)
            if ways:
                self._draw_badge(picture, str(told.number), ways[0], PALETTE[f"side-{told.side % 4}"].fill, taken)

    def draw_names(self, picture: BgrImage, state: GameState, size_px: float) -> None:
        """Write every unit's name under its models, unless it would cover another or leave the picture."""
        taken: list[tuple[float, float, float, float]] = []
        for unit in state.units:
            rings = [trace_outline(model.place_base()) for model in unit.models if model.pose is not None]
            if not rings:
                continue
            points = self.warp(np.array([point for ring in rings for point in ring], dtype=float))
            (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
            wide = measure_width(unit.id, size_px)
            x = min(max((left + right - wide) / 2, 2.0), self.width_px - wide - 2.0)
            for y in (bottom + 1.15 * size_px, top - 0.35 * size_px):
                box = (x, y - size_px, x + wide, y + 0.3 * size_px)
                clear = all(
                    box[0] > other[2] or box[2] < other[0] or box[1] > other[3] or box[3] < other[1] for other in taken
                )
                if clear and box[1] > 0 and box[3] < picture.shape[0]:
                    taken.append(box)
                    write_outlined(picture, unit.id, (x, y), size_px, PAPER)
                    break

    def _paint(
        self, picture: BgrImage, ring_mm: Sequence[tuple[float, float]], fill: str, stroke: str, px: int
    ) -> None:
        paint_ring(picture, tuple(ring_mm), projector_from_table=self.warp, fill=fill, stroke=stroke, width_px=px)

    def _list_ways(self, told: ToldMove) -> list[Points]:
        """Return the ways of a move's models in pixels, the longest first."""
        ways = []
        for model in told.move.state.find_unit(told.move.unit).models:
            track = told.move.state.tracks.get(model.id)
            if track is not None and model.pose is not None:
                ways.append(np.array([(pose.x_mm, pose.y_mm) for pose in track.poses], dtype=float))
        far = [way for way in ways if float(np.hypot(*(way[-1] - way[0]))) >= LEAST_MM]
        return [self.warp(way) for way in sorted(far, key=lambda way: -float(np.hypot(*(way[-1] - way[0]))))]

    def _draw_arrow(self, picture: BgrImage, way: Points, colour: str) -> None:
        thin = self.line_px
        # The head looks along the last part of the way that is longer than itself.
        tip, long_px = way[-1], 9.0 * thin
        far = [point for point in way[:-1] if float(np.hypot(*(tip - point))) >= long_px]
        direction = tip - (far[-1] if far else way[0])
        direction = direction / max(1e-6, float(np.hypot(*direction)))
        across = np.array([-direction[1], direction[0]])
        head = np.array(
            [
                tip,
                tip - direction * long_px + across * long_px / 2.4,
                tip - direction * long_px - across * long_px / 2.4,
            ]
        )
        shaft = np.vstack([way[:-1], tip - direction * long_px * 0.8])
        for stroke, wide in ((INK, 3 * thin + 3), (colour, 3 * thin)):
            cv2.polylines(picture, [_fix(shaft)], False, parse_bgr(stroke), wide, cv2.LINE_AA, shift=_BITS)
            if stroke == INK:
                cv2.polylines(picture, [_fix(head)], True, parse_bgr(INK), 4, cv2.LINE_AA, shift=_BITS)
        cv2.fillPoly(picture, [_fix(head)], parse_bgr(colour), cv2.LINE_AA, shift=_BITS)

    def _draw_badge(
        self, picture: BgrImage, number: str, way: Points, fill: str, taken: list[tuple[float, float]]
    ) -> None:
        """Draw a move's number where a way begins, clear of other numbers."""
        radius_px = max(9.0, self.width_px / 95)
        along = (way[-1] - way[0]) / max(1e-6, float(np.hypot(*(way[-1] - way[0]))))
        across = np.array([-along[1], along[0]])
        spots = [way[0] - back * along * radius_px + side * across * radius_px for back, side in _SPOTS]
        height, width = picture.shape[:2]
        spot = next(
            (s for s in spots if all(np.hypot(s[0] - x, s[1] - y) > 2.1 * radius_px for x, y in taken)), spots[0]
        ).clip([radius_px, radius_px], [width - radius_px, height - radius_px])
        taken.append((float(spot[0]), float(spot[1])))
        centre = (round(float(spot[0])), round(float(spot[1])))
        cv2.circle(picture, centre, round(radius_px) + 1, parse_bgr(PAPER), -1, cv2.LINE_AA)
        cv2.circle(picture, centre, round(radius_px) - 1, parse_bgr(fill), -1, cv2.LINE_AA)
        size_px = radius_px * (1.25 if len(number) < 3 else 0.95)
        x = spot[0] - measure_width(number, size_px, bold=True) / 2
        write_text(picture, number, (x, spot[1] + 0.36 * size_px), size_px, PAPER, bold=True)


def draw_battle_map(state: GameState, moves: Sequence[ToldMove], photo: BgrImage | None, width_px: int) -> BgrImage:
    """Return how a part of a game went, on the table as it stood at its end.

    Args:
        state: the game at the end of it.
        moves: that were made in it.
        photo: the table then from straight above, of that width; None to draw it.
        width_px: of the picture.

    """
    canvas = MapCanvas(table=state.table, width_px=width_px)
    picture = canvas.draw_ground(photo, state)
    canvas.draw_models(picture, state, over_photo=photo is not None)
    canvas.draw_arrows(picture, moves)
    canvas.draw_names(picture, state, max(11.0, width_px / 80))
    return picture


def write_outlined(picture: BgrImage, text: str, at: tuple[float, float], size_px: float, colour: str) -> None:
    """Write a line of text that can be read on any ground."""
    off = max(1, round(size_px / 14))
    for aside, down in ((-off, -off), (-off, off), (off, -off), (off, off)):
        write_text(picture, text, (at[0] + aside, at[1] + down), size_px, "#000000")
    write_text(picture, text, at, size_px, colour)


_BITS = 4
_SPOTS = ((1.2, 0.0), (1.2, 2.2), (1.2, -2.2), (3.4, 0.0), (3.4, 2.2), (3.4, -2.2))
"""Where a number may stand: so many of its radii behind the beginning of a way, and beside it."""


def _fix(points: Points) -> NDArray[np.int32]:
    return np.asarray(np.round(points * (1 << _BITS)), dtype=np.int32)
