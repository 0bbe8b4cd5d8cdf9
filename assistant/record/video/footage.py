"""Reading the video beside a journal: every picture with its number and its exact capture time."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput
from assistant.record.eyes import EyesTold
from assistant.record.reading import about_of, opened, query
from assistant.record.rows import read_filmed
from assistant.record.seen import VideoKept
from assistant.record.video.coding import decoded
from assistant.record.video.filming import segment_of
from hardware.frame import Frame
from vision.markers import Markers

OTHERWISE = "take another copy, from where it was recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was filmed by one process, from its beginning to its end."""

    told: tuple[tuple[int, Markers], ...]
    """What the eyes were told, each from a capture time on; the first from the beginning."""
    pieces: tuple[tuple[int, VideoKept], ...]
    """The row, and what was written."""

    @property
    def count(self) -> int:
        """How many pictures there are."""
        return sum(len(kept.pictures) for _, kept in self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A time of which pictures are lacking that were looked at."""

    from_ns: int
    until_ns: int
    """Capture times of the pictures before and after."""
    pictures: int | None
    """How many are lacking; None where nobody counted."""


def runs_of(path: Path) -> tuple[Run, ...]:
    """Return what was filmed of a recorded game.

    Raises:
        BadInput: there is no such recording, it has no video, or some of its video is not where it belongs.

    """
    runs: list[tuple[list[tuple[int, Markers]], list[tuple[int, VideoKept]]]] = []
    with opened(path) as db:
        about_of(db, path)
        rows = "SELECT id, captured_ns, kind, body FROM events WHERE kind IN ('VideoKept', 'EyesTold') ORDER BY id"
        for row, captured_ns, kind, body in query(db, path, rows):
            try:
                what = read_filmed(kind, body)
            except BadInput as error:
                raise BadInput(f"{path}: event {row}: {error}") from None
            if isinstance(what, EyesTold):
                if what.began or not runs:
                    runs.append(([], []))
                runs[-1][0].append((captured_ns, what.markers))
            elif runs:
                runs[-1][1].append((row, what))
    found = tuple(Run(told=tuple(told), pieces=tuple(pieces)) for told, pieces in runs if pieces)
    if not found:
        raise BadInput(f"{path}: this recording has no video to look at again; one is made with: overtable run --video")
    _check_there(path, found)
    return found


def gaps_in(runs: Sequence[Run]) -> tuple[Gap, ...]:
    """Return where pictures are lacking: the table's computer was too slow or full, or it was begun anew."""
    gaps, before_ns = [], None
    for run in runs:
        for at, (_, kept) in enumerate(run.pieces):
            first_ns = kept.began_ns
            before_ns = first_ns if before_ns is None else before_ns
            if kept.lost or (at == 0 and run is not runs[0]):
                gaps.append(Gap(from_ns=before_ns, until_ns=first_ns, pictures=kept.lost or None))
            before_ns = first_ns + kept.pictures[-1][1]
    return tuple(gaps)


def frames_of(path: Path, run: Run) -> Iterator[Frame]:
    """Yield the pictures of a run as the camera gave them, but for what the encoding took.

    Raises:
        BadInput: the video is not what was recorded, or cannot be decoded here.

    """
    for row, kept in run.pieces:
        count = 0
        for image, (number, since_ns) in zip(
            decoded(piece_of(path, row, kept), kept.size), kept.pictures, strict=False
        ):
            yield Frame(camera="video", sequence=number, captured_ns=kept.began_ns + since_ns, image=image)
            count += 1
        if count < len(kept.pictures):
            name = segment_of(path, kept.segment)
            raise BadInput(f"{name}: this computer's OpenCV cannot decode all of it; use the version that recorded it")


def piece_of(path: Path, row: int, kept: VideoKept) -> bytes:
    """Return a piece of the video as it was written.

    Raises:
        BadInput: it is not there, or not what was written.

    """
    name = segment_of(path, kept.segment)
    try:
        with name.open("rb") as file:
            file.seek(kept.at_byte)
            data = file.read(kept.bytes)
    except OSError as error:
        raise BadInput(f"{name}: this part of the video cannot be read ({error.strerror}); {OTHERWISE}") from None
    if hashlib.sha256(data).hexdigest() != kept.sha256:
        raise BadInput(f"{name}: this part of the video is not what was recorded (event {row}); {OTHERWISE}")
    return data


def _check_there(path: Path, runs: Sequence[Run]) -> None:
    ends: dict[int, int] = {}
    for run in runs:
        for _, kept in run.pieces:
            ends[kept.segment] = max(ends.get(kept.segment, 0), kept.at_byte + kept.bytes)
    for number, end in ends.items():
        name = segment_of(path, number)
        try:
            size = name.stat().st_size
        except OSError:
            raise BadInput(
                f"{name}: this part of the video is not there; copy the folder {name.parent.name} with {path.name}"
            ) from None
        if size < end:
            raise BadInput(f"{name}: this part of the video is cut short ({size:,} of {end:,} bytes); {OTHERWISE}")
