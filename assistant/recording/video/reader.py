"""The video reader: every picture beside a journal with its number and its exact capture time."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput
from assistant.recording.journal.cursor import read_rows
from assistant.recording.journal.reader import open_journal, query_about
from assistant.recording.journal.row_encoding import decode_video_row
from assistant.recording.journal.row_types import EyesTold, VideoKept
from assistant.recording.video.codec import decode_piece
from assistant.recording.video.recorder import locate_segment
from hardware.frame import Frame
from vision.markers import Markers

COPY_ADVICE = "take another copy, from where it was recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoRun:
    """What was filmed by one process, from its beginning to its end."""

    markers: tuple[tuple[int, Markers], ...]
    """What the eyes were told, each from a capture time on; the first from the beginning."""
    pieces: tuple[tuple[int, VideoKept], ...]
    """The row, and what was written."""

    @property
    def count(self) -> int:
        """How many pictures there are."""
        return sum(len(piece.pictures) for _, piece in self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoGap:
    """A time of which pictures are lacking that were looked at."""

    from_ns: int
    until_ns: int
    """Capture times of the pictures before and after."""
    pictures: int | None
    """How many are lacking; None where nobody counted."""


def read_runs(path: Path) -> tuple[VideoRun, ...]:
    """Return what was filmed of a recorded game.

    Raises:
        BadInput: there is no such recording, it has no video, or some of its video is not where it belongs.

    """
    runs: list[tuple[list[tuple[int, Markers]], list[tuple[int, VideoKept]]]] = []
    with open_journal(path) as db:
        query_about(db, path)
        rows = "SELECT id, captured_ns, kind, body FROM events WHERE kind IN ('VideoKept', 'EyesTold') ORDER BY id"
        for row, captured_ns, kind, body in read_rows(db, path, rows):
            try:
                what = decode_video_row(kind, body)
            except BadInput as error:
                raise BadInput(f"{path}: event {row}: {error}") from None
            if isinstance(what, EyesTold):
                if what.began or not runs:
                    runs.append(([], []))
                runs[-1][0].append((captured_ns, what.markers))
            elif runs:
                runs[-1][1].append((row, what))
    filmed = tuple(VideoRun(markers=tuple(markers), pieces=tuple(pieces)) for markers, pieces in runs if pieces)
    if not filmed:
        raise BadInput(f"{path}: this recording has no video to look at again; one is made with: overtable run --video")
    _check_segments(path, filmed)
    return filmed


def find_gaps(runs: Sequence[VideoRun]) -> tuple[VideoGap, ...]:
    """Return where pictures are lacking: the table's computer was too slow or full, or it was begun anew."""
    gaps, before_ns = [], None
    for run in runs:
        for at, (_, piece) in enumerate(run.pieces):
            first_ns = piece.began_ns
            before_ns = first_ns if before_ns is None else before_ns
            if piece.lost or (at == 0 and run is not runs[0]):
                gaps.append(VideoGap(from_ns=before_ns, until_ns=first_ns, pictures=piece.lost or None))
            before_ns = first_ns + piece.pictures[-1][1]
    return tuple(gaps)


def read_frames(path: Path, run: VideoRun) -> Iterator[Frame]:
    """Yield the pictures of a run as the camera gave them, but for what the encoding took.

    Raises:
        BadInput: the video is not what was recorded, or cannot be decoded here.

    """
    for row, piece in run.pieces:
        count = 0
        for image, (number, since_ns) in zip(
            decode_piece(read_piece(path, row, piece), piece.size), piece.pictures, strict=False
        ):
            yield Frame(camera="video", sequence=number, captured_ns=piece.began_ns + since_ns, image=image)
            count += 1
        if count < len(piece.pictures):
            segment = locate_segment(path, piece.segment)
            raise BadInput(
                f"{segment}: this computer's OpenCV cannot decode all of it; use the version that recorded it"
            )


def read_piece(path: Path, row: int, piece: VideoKept) -> bytes:
    """Return a piece of the video as it was written.

    Raises:
        BadInput: it is not there, or not what was written.

    """
    segment = locate_segment(path, piece.segment)
    try:
        with segment.open("rb") as file:
            file.seek(piece.at_byte)
            data = file.read(piece.bytes)
    except OSError as error:
        raise BadInput(f"{segment}: this part of the video cannot be read ({error.strerror}); {COPY_ADVICE}") from None
    if hashlib.sha256(data).hexdigest() != piece.sha256:
        raise BadInput(f"{segment}: this part of the video is not what was recorded (event {row}); {COPY_ADVICE}")
    return data


def _check_segments(path: Path, runs: Sequence[VideoRun]) -> None:
    ends: dict[int, int] = {}
    for run in runs:
        for _, piece in run.pieces:
            ends[piece.segment] = max(ends.get(piece.segment, 0), piece.at_byte + piece.bytes)
    for number, end in ends.items():
        segment = locate_segment(path, number)
        try:
            size = segment.stat().st_size
        except OSError:
            raise BadInput(
                f"{segment}: this part of the video is not there;"
                f" copy the folder {segment.parent.name} with {path.name}"
            ) from None
        if size < end:
            raise BadInput(f"{segment}: this part of the video is cut short ({size:,} of {end:,} bytes); {COPY_ADVICE}")
