"""A recorded game as a film of the table from above, each picture with what the referee says beside it."""

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.game.naming import list_names, name_ids
from assistant.game.state import GameState, Table
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.palette import FELT, GROUND, PALETTE
from assistant.overlay.raster import Warp, paint_over, paint_ring, parse_bgr, warp_from_homography
from assistant.overlay.shapes import Layer, OverlayShape, trace_outline
from assistant.overlay.terrain_kinds import find_kind, sort_for_drawing
from assistant.recording.journal.row_types import ObservationRow
from assistant.recording.poses import pose_from_entry
from assistant.replay.event_descriptions import describe_event
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.exports.film_writer import FilmWriter, find_h264_encoder, is_webm, open_film_writer
from assistant.replay.formatting import OUTCOMES, SECOND_NS, format_clock
from assistant.replay.lettering import measure_width, write_text
from assistant.replay.playback import play_recording, read_first_state
from assistant.replay.recorded_game import RecordedGame
from assistant.rules.verdict import Outcome, apply_rulings, find_deciding_finding
from assistant.table.restore import draw_restoring
from assistant.table.session import GameSession

BgrImage = NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, pixels."""

UNDER = {Layer.DEPLOYMENT, Layer.OBJECTIVE, Layer.ZONE, Layer.THREAT, Layer.ENGAGEMENT, Layer.COHERENCY}
"""What lies under the models, as on the pages."""
EDGE, WORDS, QUIET = "#4d5d57", "#f2efe9", "#aeb4b3"
FOOT_MM = 304.8
SHARE = 0.745
"""Of the picture's width, at most, is the table's; what is said stands at the right of it."""
MARGIN = 0.017
"""Around both, in heights of the picture."""
LETTER = 0.022
"""The height of what is written, in heights of the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StillRenderer:
    """Draws pictures of one size of one table."""

    table: Table
    size: tuple[int, int]
    """Width and height, pixels."""
    title: str

    def draw(self, session: GameSession, clock: str, event: str) -> BgrImage:
        """Return a picture, (height, width, 3) BGR.

        Args:
            session: the game at a moment.
            clock: the moment, as it is written.
            event: what happened last.

        """
        width, height = self.size
        picture = np.full((height, width, 3), parse_bgr(GROUND), dtype=np.uint8)
        warp, scale = self._build_warp(), self._compute_scale()
        state, shapes = session.state, session.consult_referee().shapes
        self._draw_ground(picture, warp, state)
        paint_over(picture, (s for s in shapes if s.layer in UNDER), projector_from_table=warp)
        placed = dict(_list_models(session))
        line_px = max(1, round(2 * height / 720))
        for side, at in placed.values():
            paint = PALETTE[f"side-{side % 4}"]
            paint_ring(
                picture,
                trace_outline(at),
                projector_from_table=warp,
                fill=paint.fill,
                stroke=paint.stroke,
                width_px=line_px,
            )
            _draw_front(picture, warp, at, max(3.0, 9.0 * scale), line_px)
        over = [shape for shape in shapes if shape.layer not in UNDER]
        over += draw_restoring(state, session.compare_placements())
        paint_over(picture, over, projector_from_table=warp)
        self._draw_names(picture, warp, state, placed, over)
        self._draw_panel(picture, session, clock, event)
        return picture

    def _compute_scale(self) -> float:
        """Pixels a millimetre."""
        width, height = self.size
        edge = MARGIN * height
        return min((height - 2 * edge) / self.table.depth_mm, (SHARE * width - 2 * edge) / self.table.width_mm)

    def _build_warp(self) -> Warp:
        scale, (_, height) = self._compute_scale(), self.size
        top = (height + scale * self.table.depth_mm) / 2
        return warp_from_homography(np.array([[scale, 0, MARGIN * height], [0, -scale, top], [0, 0, 1]]))

    def _draw_ground(self, picture: BgrImage, warp: Warp, state: GameState) -> None:
        width_mm, depth_mm = self.table.width_mm, self.table.depth_mm
        table = ((0.0, 0.0), (width_mm, 0.0), (width_mm, depth_mm), (0.0, depth_mm))
        paint_ring(picture, table, projector_from_table=warp, fill=FELT, stroke=EDGE, width_px=1)
        for at_mm in np.arange(FOOT_MM, max(width_mm, depth_mm), FOOT_MM):
            for a, b in (((at_mm, 0), (at_mm, depth_mm)), ((0, at_mm), (width_mm, at_mm))):
                if b[0] <= width_mm and b[1] <= depth_mm:
                    (x0, y0), (x1, y1) = warp(np.array([a, b], dtype=float)).round().astype(int).tolist()
                    cv2.line(picture, (x0, y0), (x1, y1), parse_bgr("#2a3733"), 1)
        for piece in sort_for_drawing(state.terrain):
            paint = PALETTE[f"terrain-{find_kind(piece)}"]
            paint_ring(
                picture, piece.outline_mm, projector_from_table=warp, fill=paint.fill, stroke=paint.stroke, width_px=1
            )

    def _draw_names(
        self,
        picture: BgrImage,
        warp: Warp,
        state: GameState,
        placed: dict[str, tuple[int, PlacedShape]],
        shapes: list[OverlayShape],
    ) -> None:
        """Write the units' names and the shapes' labels, each where it covers neither a base nor another."""
        boxes = {model: _find_box(warp(np.array(trace_outline(at)))) for model, (_, at) in placed.items()}
        taken = list(boxes.values())
        labels = [
            (shape.label, _find_middle_box(warp, shape), PALETTE[shape.style].stroke) for shape in shapes if shape.label
        ]
        for unit in state.units:
            own = [boxes[model.id] for model in unit.models if model.id in boxes]
            if own:
                lefts, tops, rights, bottoms = zip(*own, strict=True)
                labels.append((unit.words, (min(lefts), min(tops), max(rights), max(bottoms)), WORDS))
        size_px = 0.9 * LETTER * self.size[1]
        edge = _find_box(warp(np.array([(0.0, 0.0), (self.table.width_mm, self.table.depth_mm)])))
        for text, around, colour in labels:
            wide = measure_width(text, size_px)
            for box in _list_label_boxes(around, wide, 1.6 * size_px):
                inside = box[0] >= edge[0] and box[1] >= edge[1] and box[2] <= edge[2] and box[3] <= edge[3]
                if inside and not any(_is_overlapping(box, other) for other in taken):
                    taken.append(box)
                    at = (box[0], box[3] - 0.45 * size_px)
                    for aside, down in ((-1, -1), (-1, 1), (1, -1), (1, 1)):  # a thicker letter would be wider, too
                        write_text(picture, text, (at[0] + aside, at[1] + down), size_px, "#000000")
                    write_text(picture, text, at, size_px, colour)
                    break

    def _draw_panel(self, picture: BgrImage, session: GameSession, clock: str, event: str) -> None:
        width, height = self.size
        size_px = LETTER * height
        left = 2 * MARGIN * height + self._compute_scale() * self.table.width_mm
        letters = max(8, int((width - left - MARGIN * height) / (measure_width("m" * 20, size_px) / 20 * 0.72)))
        y = MARGIN * height + 1.4 * size_px
        for text, colour, bold in _list_panel_lines(session, self.title, clock, event):
            for line in textwrap.wrap(text, letters) or [""]:
                write_text(picture, line, (left, y), size_px, colour, bold=bold)
                y += 1.7 * size_px
            y += 0.7 * size_px


def _list_panel_lines(session: GameSession, title: str, clock: str, event: str) -> Iterator[tuple[str, str, bool]]:
    """Yield what stands beside the table: words, their colour, and whether they are bold."""
    state, verdict = session.state, session.consult_referee().verdict
    yield title, WORDS, True
    yield clock, QUIET, False
    if state.turn is not None:
        yield f"Turn {state.turn.number}, {state.turn.player}", WORDS, False
    if state.declared is not None and verdict is not None:
        outcome = apply_rulings(verdict, state.rulings)
        outcome = Outcome.LEGAL if outcome is Outcome.NOTE else outcome
        yield OUTCOMES[outcome].capitalize(), PALETTE[f"witness-{outcome}"].stroke, True
        finding = find_deciding_finding(verdict) if verdict.outcome not in {Outcome.LEGAL, Outcome.NOTE} else None
        if finding is not None:
            yield name_ids(finding.text, list_names(state.units)), WORDS, False
    yield event, QUIET, False


def _list_models(session: GameSession) -> Iterator[tuple[str, tuple[int, PlacedShape]]]:
    """Yield every model on the table by its id: its side, and where it was last seen."""
    state = session.state
    players = list(dict.fromkeys(unit.player for unit in state.units))
    for unit, model in state.iterate_models():
        entry = session.poses.get(model.id)
        if model.pose is not None or model.id in state.tracks:
            track = state.tracks.get(model.id)
            pose = pose_from_entry(entry) if entry is not None else track.poses[-1] if track else model.pose
            yield model.id, (players.index(unit.player), model.place_base(pose))


def _draw_front(picture: BgrImage, warp: Warp, at: PlacedShape, length_px: float, width_px: int) -> None:
    """Draw a line from the middle of a base to its front."""
    direction = np.array([np.cos(at.facing_rad), np.sin(at.facing_rad)])
    (x, y), (u, v) = warp(np.array([(at.x_mm, at.y_mm), np.array([at.x_mm, at.y_mm]) + direction])).tolist()
    long_px = float(np.hypot(u - x, v - y)) or 1.0
    end = (round(x + (u - x) / long_px * length_px), round(y + (v - y) / long_px * length_px))
    cv2.line(picture, (round(x), round(y)), end, parse_bgr(WORDS), width_px, cv2.LINE_AA)


def _find_middle_box(warp: Warp, shape: OverlayShape) -> Box:
    points = warp(np.array([point for ring in shape.rings_mm for point in ring], dtype=float))
    if shape.closed:
        return _find_box(points)
    half = len(points) // 2
    return _find_box(points[max(0, half - 1) : half + 1].mean(axis=0, keepdims=True))


def _find_box(points: NDArray[np.float64]) -> Box:
    left, top = points.min(axis=0).tolist()
    right, bottom = points.max(axis=0).tolist()
    return left, top, right, bottom


def _list_label_boxes(around: Box, wide: float, high: float) -> Iterator[Box]:
    """Yield places for words below, above, right and left of something, then further off."""
    left, top, right, bottom = around
    x, y = (left + right - wide) / 2, (top + bottom - high) / 2
    for away in (3.0, 3.0 + high, 3.0 + 2 * high):
        for at_x, at_y in ((x, bottom + away), (x, top - away - high), (right + away, y), (left - away - wide, y)):
            yield at_x, at_y, at_x + wide, at_y + high


def _is_overlapping(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


FPS = 25
LONGEST_WAIT_NS = 2_000_000_000
"""Nothing happens for minutes while players think; who watches waits no longer than this."""
LAST_NS = 2_000_000_000
"""How long the end is shown."""


def write_film(
    recording: Path, out: Path, *, size: tuple[int, int], speed: float, progress: Callable[[float], None]
) -> float:
    """Write a film.

    Args:
        recording: the game.
        out: the MP4 or WebM file, by the ending of its name.
        size: width and height, pixels, both even.
        speed: 2 plays twice as fast.
        progress: is told the share of the game that is done.

    Returns:
        how long the film is, seconds.

    Raises:
        BadInput: the recording cannot be read, or this OpenCV writes no film.

    """
    past = RecordedGame(recording)
    still = StillRenderer(table=read_first_state(recording, past.about).table, size=size, title=past.title)
    whole_ns = max(1, past.find_end_ns())
    with open_film_writer(out, size, FPS) as writer:
        return _GameFilm(writer, still, speed, lambda at_ns: progress(at_ns / whole_ns)).write(recording)


class _GameFilm:
    """Writes the pictures of a game, as many as its time takes."""

    def __init__(self, writer: FilmWriter, still: StillRenderer, speed: float, progress: Callable[[int], None]) -> None:
        self._writer, self._still, self._speed, self._progress = writer, still, speed, progress
        self._film_ns, self._before_ns, self._written = 0.0, 0, 0
        self._told = ""
        self._picture: BgrImage | None = None
        """Of the present moment; None when something has happened since it was drawn."""

    def write(self, recording: Path) -> float:
        """Write the film of a game; return its length in seconds."""
        session = None
        for step in play_recording(recording, until=self._advance_to):
            session, self._picture = step.session, None
            if not isinstance(step.entry.what, ObservationRow):
                told = describe_event(step.entry.what, step.before).text
                self._told = name_ids(told, list_names(step.before.units))
        if session is not None:
            self._film_ns += LAST_NS
            self._write_pictures(session)
        return self._written / FPS

    def _advance_to(self, at_ns: int, session: GameSession) -> None:
        """Show the game as it stands until something happens at a time."""
        self._film_ns += min((at_ns - self._before_ns) / self._speed, LONGEST_WAIT_NS)
        self._write_pictures(session)
        self._before_ns = at_ns

    def _write_pictures(self, session: GameSession) -> None:
        due = int(self._film_ns * FPS / SECOND_NS)
        if due <= self._written:
            return
        if self._picture is None:
            self._picture = self._still.draw(session, format_clock(self._before_ns), self._told)
            self._progress(self._before_ns)
        while self._written < due:
            self._writer.write(self._picture)
            self._written += 1


FILM_SIZE = 1280, 720
"""Width and height of a film, pixels, where no other is asked for."""


def export_film(recording: Path, out: Path, options: ExportOptions) -> str:
    """Write a recorded game as a film."""
    seconds = write_film(
        recording, out, size=options.size or FILM_SIZE, speed=options.speed or 1.0, progress=options.progress
    )
    film = f"a film of {seconds:.0f} seconds"
    if out.suffix.lower() != ".mp4" or find_h264_encoder():
        return film
    return f"{film} for players of films; browsers and chats play --to webm, or this one where ffmpeg is installed"


EXPORTER = Exporter(
    name="film",
    export=export_film,
    suffix=".mp4",
    options=frozenset({"speed", "size"}),
    recognises=lambda head: head[4:8] == b"ftyp",
    activity="Filming",
)
WEBM_EXPORTER = replace(EXPORTER, name="WebM film", suffix=".webm", recognises=is_webm)
