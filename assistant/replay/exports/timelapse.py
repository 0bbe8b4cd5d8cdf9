"""The timelapse: the table from straight above while something moved, everything else cut out, as WebM.

Of a game with a video it shows what the camera saw; of others the table is drawn, and models slide along their ways.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.game.events import Accepted, ModelSettled, TurnBegan
from assistant.game.naming import list_names, name_ids
from assistant.game.state import GameState, Pose
from assistant.overlay.palette import GROUND
from assistant.overlay.raster import parse_bgr
from assistant.recording.journal.row_types import VideoKept
from assistant.recording.video.codec import decode_piece
from assistant.recording.video.reader import read_piece
from assistant.replay.event_descriptions import describe_event
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.exports.film_writer import FilmWriter, is_webm, open_film_writer
from assistant.replay.formatting import format_clock
from assistant.replay.lettering import measure_width, write_text
from assistant.replay.past_table import TablePhotographer
from assistant.replay.playback import play_events
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.battle_map import MapCanvas, write_outlined

BgrImage = NDArray[np.uint8]
FPS, LONGEST_S, WIDTH_PX = 12, 60, 960
BEFORE_NS, AFTER_NS = 2_500_000_000, 700_000_000
"""So long before a model comes to rest its way is shown, and so long after it."""
TITLE_FRAMES, LAST_FRAMES = 18, 18
SLIDE_FRAMES = 8
"""Of a model's way, where it is drawn."""
NOISE = 7
"""Grey levels by which a camera's pictures of the same differ at most, on the mean of 25 pixels."""
BAR_PX, WORDS, QUIET = 48, "#f2efe9", "#aeb4b3"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happening:
    """What is written from a time on."""

    at_ns: int
    turn: str
    text: str
    settled: tuple[str, tuple[Pose, ...]] | None
    """A model that came to rest, and its way."""
    state: GameState
    """After it."""


def write_timelapse(recording: Path, out: Path, progress: Callable[[float], None]) -> float:
    """Write a timelapse.

    Args:
        recording: the game.
        out: the WebM file.
        progress: is told the share of the film that is done.

    Returns:
        how long it is, seconds.

    Raises:
        BadInput: the recording cannot be read, nothing moves in it, or this OpenCV writes no such film.

    """
    past = RecordedGame(recording)
    happened = list(_list_happenings(recording))
    settled = [each for each in happened if each.settled]
    if not settled:
        raise BadInput(f"{recording}: nothing moves in this game, so there is no film to be made of it")
    photographer, table = TablePhotographer.open(past), past.first.table
    pieces = _choose_pieces(photographer, [past.began_ns + each.at_ns for each in settled])
    canvas = MapCanvas(table=table, width_px=WIDTH_PX)
    high = round(WIDTH_PX * table.depth_mm / table.width_mm)
    size = WIDTH_PX, high + BAR_PX + (high + BAR_PX) % 2
    count = 0
    frames = _film(photographer, pieces) if pieces else _draw(canvas, settled, past.first)
    expected = sum(len(piece.pictures) for _, piece in pieces) if pieces else _count_drawn(settled)
    with open_film_writer(out, size, FPS) as writer:
        picture: BgrImage | None = None
        steady: BgrImage | None = None
        at = 0
        for at_ns, table_picture in frames:
            while at + 1 < len(happened) and happened[at + 1].at_ns <= at_ns:
                at += 1
            steady = _keep_still(steady, table_picture)
            picture = _compose(steady, size, happened[at], at_ns)
            if count == 0:
                count += _write(writer, _add_title(picture, past.title), TITLE_FRAMES)
            count += _write(writer, picture, 1)
            progress(min(1.0, count / (expected + TITLE_FRAMES)))
        if picture is None:
            raise BadInput(f"{recording}: its video shows no table; was it calibrated?")
        count += _write(writer, picture, LAST_FRAMES)
    return count / FPS


def _list_happenings(recording: Path) -> Iterator[_Happening]:
    turn, text = "", ""
    for step in play_events(recording):
        event, state = step.entry.what, step.session.state
        if state.turn is not None:
            turn = f"Turn {state.turn.number}, {state.turn.player}"
        if isinstance(event, Accepted | TurnBegan):
            text = name_ids(describe_event(event, step.before).text, list_names(step.before.units))
        settled = (event.model, event.path) if isinstance(event, ModelSettled) and len(event.path) > 1 else None
        if settled and state.declared is not None and step.before.restoring is None:
            text = f"{state.name_unit(state.declared.unit)} moves"
        yield _Happening(at_ns=step.at_ns, turn=turn, text=text, settled=settled, state=state)


def _choose_pieces(photographer: TablePhotographer, settled_ns: Sequence[int]) -> list[tuple[int, VideoKept]]:
    """Return the pieces of the video in which something moves, no more than the film has room for."""
    moments = np.array(sorted(settled_ns))
    chosen = []
    for run in photographer.runs:
        for row, piece in run.pieces:
            first_ns, last_ns = piece.began_ns - AFTER_NS, piece.began_ns + piece.pictures[-1][1] + BEFORE_NS
            at = int(np.searchsorted(moments, first_ns))
            if at < len(moments) and moments[at] <= last_ns:
                chosen.append((row, piece))
    pictures = sum(len(piece.pictures) for _, piece in chosen)
    share = min(1.0, LONGEST_S * FPS / max(1, pictures))
    return [each for at, each in enumerate(chosen) if int((at + 1) * share) > int(at * share)]


def _film(photographer: TablePhotographer, pieces: Sequence[tuple[int, VideoKept]]) -> Iterator[tuple[int, BgrImage]]:
    """Yield what the camera saw in some pieces of the video."""
    began_ns = photographer.past.began_ns
    for row, piece in pieces:
        images = decode_piece(read_piece(photographer.past.path, row, piece), piece.size)
        for image, (_, since_ns) in zip(images, piece.pictures, strict=False):
            at_ns = piece.began_ns + since_ns - began_ns
            table = photographer.rectify(image, at_ns, WIDTH_PX)
            if table is not None:
                yield at_ns, table


def _count_drawn(settled: Sequence[_Happening]) -> int:
    return min(LONGEST_S * FPS, SLIDE_FRAMES * len(settled))


def _draw(canvas: MapCanvas, settled: Sequence[_Happening], first: GameState) -> Iterator[tuple[int, BgrImage]]:
    """Yield the table as it is drawn, models on their ways."""
    ground = canvas.draw_ground(None, first)
    whole, done = _count_drawn(settled), 0
    for at, each in enumerate(settled, 1):
        assert each.settled is not None
        model, way = each.settled
        standing = each.state.apply_tracks()
        due = whole * at // len(settled)
        for frame in range(done, due):
            pose = _find_on_way(way, (frame + 1 - done) / (due - done))
            picture = ground.copy()
            canvas.draw_models(picture, standing.place_models({model: pose}), over_photo=False)
            yield each.at_ns, picture
        done = due


def _find_on_way(way: Sequence[Pose], share: float) -> Pose:
    """Return where a model is after a share of its way."""
    places = np.array([(pose.x_mm, pose.y_mm) for pose in way])
    far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(places, axis=0).T))])
    x_mm, y_mm = (float(np.interp(share * far[-1], far, along)) for along in places.T)
    return replace(way[-1], x_mm=x_mm, y_mm=y_mm)


def _keep_still(before: BgrImage | None, now: BgrImage) -> BgrImage:
    """Return a picture with what differs from the one before by no more than noise taken from that.

    OpenCV lets nobody choose how many bits a film has, and would spend most of them on the noise.
    """
    if before is None:
        return now
    apart = cv2.blur(cv2.cvtColor(cv2.absdiff(before, now), cv2.COLOR_BGR2GRAY), (5, 5))
    has_changed = cv2.dilate((apart > NOISE).astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    steady = before.copy()
    steady[has_changed] = now[has_changed]
    return steady


def _compose(table: BgrImage, size: tuple[int, int], now: _Happening, at_ns: int) -> BgrImage:
    """Return the table with what is said of it below."""
    width, height = size
    picture = np.full((height, width, 3), parse_bgr(GROUND), dtype=np.uint8)
    picture[: table.shape[0]] = table
    y, clock = table.shape[0] + 0.65 * BAR_PX, format_clock(at_ns)[:-2]
    write_text(picture, clock, (width - measure_width(clock, 20) - 16, y), 20, QUIET)
    x = 16.0
    if now.turn:
        write_text(picture, now.turn, (x, y), 20, WORDS, bold=True)
        x += measure_width(now.turn, 20, bold=True) + 20
    room, text = width - x - measure_width(clock, 20) - 40, now.text
    while text and measure_width(text, 18) > room:
        text = f"{text[:-2]}…"
    write_text(picture, text, (x, y), 18, QUIET if now.turn else WORDS)
    return picture


def _add_title(picture: BgrImage, title: str) -> BgrImage:
    titled = np.asarray(cv2.convertScaleAbs(picture, alpha=0.55), dtype=np.uint8)
    size_px = min(64.0, 64.0 * 0.9 * picture.shape[1] / max(1.0, measure_width(title, 64)))
    x = (picture.shape[1] - measure_width(title, size_px)) / 2
    write_outlined(titled, title, (x, picture.shape[0] / 2), size_px, WORDS)
    return titled


def _write(writer: FilmWriter, picture: BgrImage, times: int) -> int:
    for _ in range(times):
        writer.write(picture)
    return times


def export_timelapse(recording: Path, out: Path, options: ExportOptions) -> str:
    """Write a recorded game as a timelapse."""
    seconds = write_timelapse(recording, out, options.progress)
    return f"a timelapse of {seconds:.0f} seconds"


EXPORTER = Exporter(
    name="timelapse",
    export=export_timelapse,
    suffix=".webm",
    recognises=is_webm,
    activity="Filming",
)
