"""What a line can be built from while a set-up is still being entered."""

from pathlib import Path

from assistant.cli.anchors import anchors_of
from assistant.cli.setting_up.gluing import on_virtual_table
from assistant.draft.reading import ANCHORS, Reading, laid_out, tags_in
from assistant.draft.table import FILE
from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.projection import projector_of
from assistant.setup import AnchorSection, BaseSection, CameraSection, ProjectorSection, Setup, TableSection, read_setup

USUAL_MM = (1524.0, 1117.6)
"""The table before anybody has said how large it is: 60 by 44 inches."""
NO_CAMERA = "no camera"


def usable(path: Path, reading: Reading, *, lens: bool) -> tuple[Setup, str, str]:
    """Return a set-up that a line can be built from, why anchors have no place in it, and its lens file's name.

    Args:
        path: the set-up file, read where the entries make one.
        reading: what was understood of the entries.
        lens: whether the lens file that it names can be used with the camera.

    """
    if reading.whole:
        setup = without_faults(read_setup(path), path, lens=lens)
    else:
        width_mm, depth_mm = reading.table_mm or USUAL_MM
        ids = reading.ids or tuple(tags_in(ANCHORS))
        anchors = reading.anchors or tuple(AnchorSection(tag=tag, size_mm=40.0) for tag in ids)
        setup = Setup(
            format="overtable.setup/1",
            table=TableSection(width_mm=width_mm, depth_mm=depth_mm),
            camera=CameraSection(source=reading.source or NO_CAMERA),
            anchors=laid_out(anchors, width_mm, depth_mm),
        )
    unplaced = ""
    try:
        anchors_of(setup, path)
    except BadInput:
        again = ": the table or its anchors have changed since that was done" if setup.camera.table else ""
        unplaced = f"it is to be told from a picture where the anchors lie{again}"
        placed = tuple(anchor for anchor in setup.anchors if anchor.x_mm is not None)
        camera = setup.camera.model_copy(update={"table": None})
        setup = setup.model_copy(update={"anchors": placed, "camera": camera})
    named = setup.camera.lens or ""
    return setup, unplaced, named if named and (path.parent / named).exists() else ""


def without_faults(setup: Setup, path: Path, *, lens: bool) -> Setup:
    """Return a set-up without the files that it names but that cannot be used with it."""
    if not lens:
        setup = setup.model_copy(update={"camera": setup.camera.model_copy(update={"lens": None})})
    try:
        projector_of(setup, path)
    except BadInput:
        setup = setup.model_copy(update={"projector": ProjectorSection()})
    return setup


def enrolments(path: Path, shelved: tuple[BaseSection, ...], *, virtual: bool) -> tuple[BaseSection, ...]:
    """Return the enrolments there are; what the wizard glued on a virtual table says nothing of a real one."""
    there: tuple[BaseSection, ...] = ()
    if path.exists():
        setup = read_setup(path)
        if setup.camera.source.startswith("virtual:") == virtual:
            there = setup.bases
    models = {base.model for base in there}
    return (*there, *(base for base in shelved if base.model not in models))


def on_table(setup: Setup, reading: Reading, state: GameState | None) -> Setup:
    """Return what truly lies on a virtual table."""
    table = setup.table
    anchors = laid_out(reading.anchors or setup.anchors, table.width_mm, table.depth_mm)
    bases = on_virtual_table(state, setup.bases) if state else ()
    return setup.model_copy(update={"anchors": anchors, "bases": bases})


def stamps(folder: Path) -> tuple[int, ...]:
    """Return when the files that calibrations write were last written."""
    return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in (folder / FILE, folder / "lens.json"))
