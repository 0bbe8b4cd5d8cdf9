"""`overtable replay --reprocess`: the video of a recording through the eyes again, and what comes out otherwise."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path

import click
import numpy as np

from assistant.cli.markers import markers_of
from assistant.cli.output import print_json, progress_bar
from assistant.cli.verify import refuse_changed
from assistant.errors import BadInput
from assistant.files import read_json
from assistant.past.anew.play import look_again
from assistant.past.anew.said import said
from assistant.past.playing import first_state
from assistant.record.journal import Journal, read_about
from assistant.record.video.footage import runs_of
from assistant.setup import read_setup
from calibration.store import LensFile
from calibration.table_file import TableFile
from vision.markers import Markers
from vision.pipeline import Pipeline

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reprocessing:
    """With what a video is looked at again."""

    setup: Path | None
    lens: Path | None
    table: Path | None
    to: Path | None


def reprocessing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of looking at a video again, as the argument ``anew``; None where it is not asked."""

    @click.option(
        "--reprocess", is_flag=True, help="Play the video through the eyes again; say what comes out otherwise."
    )
    @click.option("--setup", type=_FILE, help="reprocess: a set-up file in place of what the table was set up with.")
    @click.option("--lens", type=_FILE, help="reprocess: a lens file in place of the lens then.")
    @click.option("--table", type=_FILE, help="reprocess: a table file in place of where the anchors lay then.")
    @click.option("--to", type=_FILE, help="reprocess: record the game as it is seen now, to a new file.")
    @wraps(command)
    def asked(
        *,
        reprocess: bool,
        setup: Path | None,
        lens: Path | None,
        table: Path | None,
        to: Path | None,
        **others: object,
    ) -> None:
        given = {"--setup": setup, "--lens": lens, "--table": table, "--to": to}
        if not reprocess and (alone := next((name for name, value in given.items() if value is not None), None)):
            raise BadInput(f"{alone}: means nothing without --reprocess; add it, or leave {alone} out")
        anew = Reprocessing(setup=setup, lens=lens, table=table, to=to) if reprocess else None
        command(anew=anew, **others)

    return asked


def reprocess(recording: Path, asked: Reprocessing, *, as_json: bool) -> None:
    """Look at the video of a recording again, and print what comes out otherwise.

    Raises:
        BadInput: it has no video, or none that fits what it is to be looked at with.

    """
    about = read_about(recording)
    refuse_changed(recording, "it is not looked at again: take another copy, from where it was recorded")
    told = _told(recording, asked)
    runs_of(recording)  # what is wrong with the video is said before anything is written
    look = partial(look_again, recording, eyes=lambda markers: Pipeline(markers=markers), told=told)
    new = {**_without_format(about), "title": f"{about.get('title', recording.stem)}, looked at again"}
    with (
        _recorded(asked.to, new) if asked.to else nullcontext() as journal,
        progress_bar("Looking again") as progress,
    ):
        found = look(journal=journal, progress=progress)
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    for line in said(found):
        click.echo(line)
    if asked.to:
        click.echo(f"{asked.to}: the game as it is seen now")


@contextmanager
def _recorded(path: Path, about: dict[str, str]) -> Iterator[Journal]:
    """Yield a new journal, of which nothing is left where what is to be recorded in it fails."""
    journal = Journal(path, about=about)
    try:
        with journal:
            yield journal
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _without_format(about: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in about.items() if key != "format"}


def _told(recording: Path, asked: Reprocessing) -> Callable[[Markers], Markers]:
    """Return what the eyes are told in place of what they were told then."""
    lens = read_json(asked.lens, LensFile).lens if asked.lens else None
    if asked.setup is not None:
        setup = read_setup(asked.setup)
        if asked.table:
            camera = setup.camera.model_copy(update={"table": str(asked.table.resolve())})
            setup = setup.model_copy(update={"camera": camera})
        terrain = first_state(recording, read_about(recording)).terrain
        markers, _ = markers_of(setup, asked.setup, asked.lens, terrain)
        return lambda _: markers
    table = read_json(asked.table, TableFile) if asked.table else None

    def changed(markers: Markers) -> Markers:
        if table is not None:
            markers = _laid(markers, table, str(asked.table))
        return replace(markers, lens=lens) if lens is not None else markers

    return changed


def _laid(markers: Markers, file: TableFile, name: str) -> Markers:
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
