"""The table of a moment as a picture from above, with what the referee says beside it."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.game.state import GameState, Table
from assistant.geometry.shapes import Placed
from assistant.overlay.outline import outline_mm
from assistant.overlay.palette import GROUND, PALETTE
from assistant.overlay.raster import Warp, flat, paint_over, paint_ring
from assistant.overlay.shapes import Layer, OverlayShape
from assistant.past.said import OUTCOMES
from assistant.poses import pose_of
from assistant.restoring import restoring_shapes
from assistant.rules.overruled import as_ruled, deciding
from assistant.rules.verdict import Outcome
from assistant.session import Session

Picture = NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, pixels."""

UNDER = {Layer.ZONE, Layer.THREAT, Layer.ENGAGEMENT, Layer.COHERENCY}
"""What lies under the models, as on the pages."""
FELT, EDGE, WORDS, QUIET = "#1c2623", "#4d5d57", "#f2efe9", "#aeb4b3"
STONE, STONE_EDGE = "#3a3f3c", "#6f776f"
FOOT_MM = 304.8
SHARE = 0.745
"""Of the picture's width, at most, is the table's; what is said stands at the right of it."""
MARGIN = 0.017
"""Around both, in heights of the picture."""
LETTER = 0.022
"""The height of what is written, in heights of the picture."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_PX = 22.0
"""How high its letters are at scale 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """Draws pictures of one size of one table."""

    table: Table
    size: tuple[int, int]
    """Width and height, pixels."""
    title: str

    def draw(self, session: Session, clock: str, told: str) -> Picture:
        """Return a picture, (height, width, 3) BGR.

        Args:
            session: the game at a moment.
            clock: the moment, as it is written.
            told: what happened last.

        """
        width, height = self.size
        picture = np.full((height, width, 3), _bgr(GROUND), dtype=np.uint8)
        warp, scale = self._warp(), self._scale()
        state, shapes = session.state, session.answer().shapes
        self._ground(picture, warp, state)
        paint_over(picture, (s for s in shapes if s.layer in UNDER), projector_from_table=warp)
        placed = dict(_models(session))
        line_px = max(1, round(2 * height / 720))
        for side, at in placed.values():
            paint = PALETTE[f"side-{side % 4}"]
            paint_ring(
                picture,
                outline_mm(at),
                projector_from_table=warp,
                fill=paint.fill,
                stroke=paint.stroke,
                width_px=line_px,
            )
            _front(picture, warp, at, max(3.0, 9.0 * scale), line_px)
        over = [shape for shape in shapes if shape.layer not in UNDER]
        over += restoring_shapes(state, session.compared())
        paint_over(picture, over, projector_from_table=warp)
        self._names(picture, warp, state, placed, over)
        self._panel(picture, session, clock, told)
        return picture

    def _scale(self) -> float:
        """Pixels a millimetre."""
        width, height = self.size
        edge = MARGIN * height
        return min((height - 2 * edge) / self.table.depth_mm, (SHARE * width - 2 * edge) / self.table.width_mm)

    def _warp(self) -> Warp:
        scale, (_, height) = self._scale(), self.size
        top = (height + scale * self.table.depth_mm) / 2
        return flat(np.array([[scale, 0, MARGIN * height], [0, -scale, top], [0, 0, 1]]))

    def _ground(self, picture: Picture, warp: Warp, state: GameState) -> None:
        width_mm, depth_mm = self.table.width_mm, self.table.depth_mm
        table = ((0.0, 0.0), (width_mm, 0.0), (width_mm, depth_mm), (0.0, depth_mm))
        paint_ring(picture, table, projector_from_table=warp, fill=FELT, stroke=EDGE, width_px=1)
        for at_mm in np.arange(FOOT_MM, max(width_mm, depth_mm), FOOT_MM):
            for a, b in (((at_mm, 0), (at_mm, depth_mm)), ((0, at_mm), (width_mm, at_mm))):
                if b[0] <= width_mm and b[1] <= depth_mm:
                    (x0, y0), (x1, y1) = warp(np.array([a, b], dtype=float)).round().astype(int).tolist()
                    cv2.line(picture, (x0, y0), (x1, y1), _bgr("#2a3733"), 1)
        for piece in state.terrain:
            paint_ring(picture, piece.outline_mm, projector_from_table=warp, fill=STONE, stroke=STONE_EDGE, width_px=1)

    def _names(
        self,
        picture: Picture,
        warp: Warp,
        state: GameState,
        placed: dict[str, tuple[int, Placed]],
        shapes: list[OverlayShape],
    ) -> None:
        """Write the units' names and the shapes' labels, each where it covers neither a base nor another."""
        boxes = {model: _box(warp(np.array(outline_mm(at)))) for model, (_, at) in placed.items()}
        taken = list(boxes.values())
        labels = [
            (shape.label, _around_middle(warp, shape), PALETTE[shape.style].stroke) for shape in shapes if shape.label
        ]
        for unit in state.units:
            own = [boxes[model.id] for model in unit.models if model.id in boxes]
            if own:
                lefts, tops, rights, bottoms = zip(*own, strict=True)
                labels.append((unit.id, (min(lefts), min(tops), max(rights), max(bottoms)), WORDS))
        size_px = 0.9 * LETTER * self.size[1]
        edge = _box(warp(np.array([(0.0, 0.0), (self.table.width_mm, self.table.depth_mm)])))
        for text, around, colour in labels:
            wide = _wide(text, size_px)
            for box in _places(around, wide, 1.6 * size_px):
                inside = box[0] >= edge[0] and box[1] >= edge[1] and box[2] <= edge[2] and box[3] <= edge[3]
                if inside and not any(_overlap(box, other) for other in taken):
                    taken.append(box)
                    at = (box[0], box[3] - 0.45 * size_px)
                    for aside, down in ((-1, -1), (-1, 1), (1, -1), (1, 1)):  # a thicker letter would be wider, too
                        _write(picture, text, (at[0] + aside, at[1] + down), size_px, "#000000")
                    _write(picture, text, at, size_px, colour)
                    break

    def _panel(self, picture: Picture, session: Session, clock: str, told: str) -> None:
        width, height = self.size
        size_px = LETTER * height
        left = 2 * MARGIN * height + self._scale() * self.table.width_mm
        letters = max(8, int((width - left - MARGIN * height) / (_wide("m" * 20, size_px) / 20 * 0.72)))
        y = MARGIN * height + 1.4 * size_px
        for text, colour, bold in _said(session, self.title, clock, told):
            for line in textwrap.wrap(text, letters) or [""]:
                _write(picture, line, (left, y), size_px, colour, bold=bold)
                y += 1.7 * size_px
            y += 0.7 * size_px


def _said(session: Session, title: str, clock: str, told: str) -> Iterator[tuple[str, str, bool]]:
    """Yield what stands beside the table: words, their colour, and whether they are bold."""
    state, verdict = session.state, session.answer().verdict
    yield title, WORDS, True
    yield clock, QUIET, False
    if state.turn is not None:
        yield f"Turn {state.turn.number}, {state.turn.player}", WORDS, False
    if state.declared is not None and verdict is not None:
        outcome = as_ruled(verdict, state.rulings)
        outcome = Outcome.LEGAL if outcome is Outcome.NOTE else outcome
        yield OUTCOMES[outcome].capitalize(), PALETTE[f"witness-{outcome}"].stroke, True
        found = deciding(verdict) if verdict.outcome not in {Outcome.LEGAL, Outcome.NOTE} else None
        if found is not None:
            yield found.text, WORDS, False
    yield told, QUIET, False


def _models(session: Session) -> Iterator[tuple[str, tuple[int, Placed]]]:
    """Yield every model on the table by its id: its side, and where it was last seen."""
    state = session.state
    players = list(dict.fromkeys(unit.player for unit in state.units))
    for unit, model in state.models():
        entry = session.poses.get(model.id)
        if model.pose is not None or model.id in state.tracks:
            track = state.tracks.get(model.id)
            pose = pose_of(entry) if entry is not None else track.poses[-1] if track else model.pose
            yield model.id, (players.index(unit.player), model.placed(pose))


def _front(picture: Picture, warp: Warp, at: Placed, length_px: float, width_px: int) -> None:
    """Draw a line from the middle of a base to its front."""
    way = np.array([np.cos(at.facing_rad), np.sin(at.facing_rad)])
    (x, y), (u, v) = warp(np.array([(at.x_mm, at.y_mm), np.array([at.x_mm, at.y_mm]) + way])).tolist()
    long_px = float(np.hypot(u - x, v - y)) or 1.0
    end = (round(x + (u - x) / long_px * length_px), round(y + (v - y) / long_px * length_px))
    cv2.line(picture, (round(x), round(y)), end, _bgr(WORDS), width_px, cv2.LINE_AA)


def _around_middle(warp: Warp, shape: OverlayShape) -> Box:
    points = warp(np.array([point for ring in shape.rings_mm for point in ring], dtype=float))
    if shape.closed:
        return _box(points)
    half = len(points) // 2
    return _box(points[max(0, half - 1) : half + 1].mean(axis=0, keepdims=True))


def _box(points: NDArray[np.float64]) -> Box:
    left, top = points.min(axis=0).tolist()
    right, bottom = points.max(axis=0).tolist()
    return left, top, right, bottom


def _places(around: Box, wide: float, high: float) -> Iterator[Box]:
    """Yield places for words below, above, right and left of something, then further off."""
    left, top, right, bottom = around
    x, y = (left + right - wide) / 2, (top + bottom - high) / 2
    for away in (3.0, 3.0 + high, 3.0 + 2 * high):
        for at_x, at_y in ((x, bottom + away), (x, top - away - high), (right + away, y), (left - away - wide, y)):
            yield at_x, at_y, at_x + wide, at_y + high


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _plain(text: str) -> str:
    """Return what the font can write."""
    return text.replace("±", "+-").replace("–", "-").encode("ascii", "replace").decode()


def _wide(text: str, size_px: float) -> float:
    return float(cv2.getTextSize(_plain(text), _FONT, size_px / _FONT_PX, 1)[0][0])


def _write(
    picture: Picture, text: str, at: tuple[float, float], size_px: float, colour: str, *, bold: bool = False
) -> None:
    place, line_px = (round(at[0]), round(at[1])), 2 if bold else 1
    cv2.putText(picture, _plain(text), place, _FONT, size_px / _FONT_PX, _bgr(colour), line_px, cv2.LINE_AA)


def _bgr(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return blue, green, red
