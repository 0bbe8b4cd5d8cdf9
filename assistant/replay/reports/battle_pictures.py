"""The pictures of a battle report: its cover, a map of each chapter, and its closest calls from near."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.overlay.palette import PALETTE
from assistant.overlay.raster import parse_bgr
from assistant.replay.past_table import TablePhotographer
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.battle import Battle, Chapter, ClosestCall
from assistant.replay.reports.battle_map import MapCanvas, draw_battle_map

BgrImage = NDArray[np.uint8]
WIDTH_PX, NEAR_WIDTH_PX = 1600, 3200
"""Of a map, and of the table of which a part is shown from near."""
CALL_PX, CALL_SHAPE = 720, 0.62
"""How wide a call's picture is, and how high in its widths."""
CALL_MM = 260.0
"""How much of the table it shows, across."""
QUALITY = 84


class BattlePictures:
    """Draws what a battle report shows, each picture once."""

    def __init__(self, past: RecordedGame, battle: Battle) -> None:
        self._photographer = TablePhotographer.open(past)
        self._battle = battle
        self._drawn: dict[str, bytes] = {}

    def draw_cover(self) -> bytes:
        """Return a JPEG of the table at the end of the game."""
        last = self._battle.chapters[-1]
        return self._draw(replace(last, key="cover", moves=()))

    def draw_chapter(self, chapter: Chapter) -> bytes:
        """Return a JPEG of the map of a chapter."""
        return self._draw(chapter)

    def _draw(self, chapter: Chapter) -> bytes:
        if chapter.key not in self._drawn:
            photo = self._photographer.draw(chapter.end_ns, WIDTH_PX)
            picture = draw_battle_map(chapter.after, chapter.moves, photo, WIDTH_PX)
            self._drawn[chapter.key] = _encode(picture)
        return self._drawn[chapter.key]

    def draw_call(self, told: ClosestCall) -> bytes:
        """Return a JPEG of what a call was about, from near, as the table stood when its move ended."""
        key = f"call {told.call.move}"
        if key not in self._drawn:
            self._drawn[key] = _encode(self._draw_near(told))
        return self._drawn[key]

    def _draw_near(self, told: ClosestCall) -> BgrImage:
        state = told.move.state.apply_tracks()
        photo = self._photographer.draw(told.stood_ns, NEAR_WIDTH_PX)
        canvas = MapCanvas(table=state.table, width_px=NEAR_WIDTH_PX)
        picture = canvas.draw_ground(photo, state)
        canvas.draw_models(picture, state, over_photo=photo is not None)
        paint = PALETTE[f"witness-{told.call.outcome}"]
        places = np.array(told.witness_mm or [_find_middle(told)], dtype=float)
        points = canvas.warp(places)
        if len(points) > 1:
            line = [np.round(points).astype(np.int32)]
            cv2.polylines(picture, line, False, (0, 0, 0), 14, cv2.LINE_AA)
            cv2.polylines(picture, line, False, parse_bgr(paint.stroke), 7, cv2.LINE_AA)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        span_px = max(CALL_MM * canvas.scale, 1.5 * float(np.ptp(points, axis=0).max()))
        return _cut(picture, middle, span_px)


def _find_middle(told: ClosestCall) -> tuple[float, float]:
    poses = [track.poses[-1] for track in told.move.state.tracks.values()] or [
        model.pose for model in told.move.state.find_unit(told.move.unit).models if model.pose is not None
    ]
    table = told.move.state.table
    if not poses:
        return table.width_mm / 2, table.depth_mm / 2
    return float(np.mean([pose.x_mm for pose in poses])), float(np.mean([pose.y_mm for pose in poses]))


def _cut(picture: BgrImage, middle: NDArray[np.float64], span_px: float) -> BgrImage:
    """Return a part of a picture in the size of a call's, as near to a middle as its edges let."""
    height, width = picture.shape[:2]
    wide = min(span_px, width, height / CALL_SHAPE)
    high = wide * CALL_SHAPE
    left = float(np.clip(middle[0] - wide / 2, 0, width - wide))
    top = float(np.clip(middle[1] - high / 2, 0, height - high))
    part = picture[round(top) : round(top + high), round(left) : round(left + wide)]
    return np.asarray(cv2.resize(part, (CALL_PX, round(CALL_PX * CALL_SHAPE)), interpolation=cv2.INTER_AREA), np.uint8)


def _encode(picture: BgrImage) -> bytes:
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])
