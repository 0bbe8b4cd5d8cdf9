"""Reprocessing with what is known now: a recorded video looked at again with another lens, table file or set-up."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assistant.errors import BadInput
from assistant.features.camera.markers import build_markers
from assistant.files.documents import read_json
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.writer import Journal
from assistant.recording.video.reader import read_runs
from assistant.replay.playback import read_first_state
from assistant.replay.reprocess.reprocessor import reprocess_recording
from assistant.replay.reprocess.result import Anew
from assistant.replay.verification_notice import refuse_changed
from assistant.setup.file import read_setup
from calibration.lens.file import LensFile
from calibration.table.file import TableFile
from vision.markers import Markers
from vision.pipeline import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """Files that take the place of what the pipeline was told of the table then."""

    setup: Path | None
    lens: Path | None
    table: Path | None


def reprocess_with(
    recording: Path, substitution: Substitution, to: Path | None, progress: Callable[[float], None]
) -> Anew:
    """Look at the video of a recording again, and return what comes out otherwise.

    Args:
        recording: the recording.
        substitution: with what it is looked at.
        to: where the game is recorded as it is seen now; None for nowhere.
        progress: is told the share that is done.

    Raises:
        BadInput: it has no video, or none that fits what it is to be looked at with.

    """
    about = read_about(recording)
    refuse_changed(recording, "it is not looked at again: take another copy, from where it was recorded")
    change = _build_change(recording, substitution)
    read_runs(recording)  # what is wrong with the video is said before anything is written
    title = f"{about.get('title', recording.stem)}, looked at again"
    about = {key: value for key, value in about.items() if key != "format"} | {"title": title}
    with _record_to(to, about) if to else nullcontext() as journal:
        return reprocess_recording(
            recording,
            eyes=lambda markers: Pipeline(markers=markers),
            change_markers=change,
            journal=journal,
            progress=progress,
        )


@contextmanager
def _record_to(path: Path, about: dict[str, str]) -> Iterator[Journal]:
    """Yield a new journal, of which nothing is left where what is to be recorded in it fails."""
    journal = Journal(path, about=about)
    try:
        with journal:
            yield journal
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _build_change(recording: Path, substitution: Substitution) -> Callable[[Markers], Markers]:
    """Return what the eyes are told in place of what they were told then."""
    lens = read_json(substitution.lens, LensFile).lens if substitution.lens else None
    if substitution.setup is not None:
        setup = read_setup(substitution.setup)
        if substitution.table:
            camera = setup.camera.model_copy(update={"table": str(substitution.table.resolve())})
            setup = setup.model_copy(update={"camera": camera})
        terrain = read_first_state(recording, read_about(recording)).terrain
        markers, _ = build_markers(setup, substitution.setup, substitution.lens, terrain)
        return lambda _: markers
    table = read_json(substitution.table, TableFile) if substitution.table else None

    def changed(markers: Markers) -> Markers:
        if table is not None:
            markers = _replace_anchors(markers, table, str(substitution.table))
        return replace(markers, lens=lens) if lens is not None else markers

    return changed


def _replace_anchors(markers: Markers, file: TableFile, name: str) -> Markers:
    """Return markers with the anchors where a table file has them.

    Raises:
        BadInput: it has an anchor that is not among them.

    """
    known = [anchor.tag for anchor in markers.anchors]
    if strange := next((place.tag for place in file.anchors if place.tag not in known), None):
        raise BadInput(f"{name}: it was made with anchor {strange}, which was not on the table of this recording")
    placed = {place.tag: place for place in file.anchors}
    anchors = tuple(
        replace(anchor, x_mm=at.x_mm, y_mm=at.y_mm, facing_rad=np.radians(at.facing_deg))
        if (at := placed.get(anchor.tag))
        else anchor
        for anchor in markers.anchors
    )
    spread = np.zeros((3 * len(anchors), 3 * len(anchors))) if markers.placement is None else markers.placement.copy()
    rows = np.concatenate([3 * known.index(tag) + np.arange(3) for tag in placed])
    spread[rows, :] = spread[:, rows] = 0.0
    spread[np.ix_(rows, rows)] = file.placement
    return replace(markers, anchors=anchors, placement=spread if spread.any() else None)
