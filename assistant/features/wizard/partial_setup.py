"""The partial set-up: what a live table can be built from while a set-up is still being entered."""

from collections.abc import Sequence
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.camera.marker_sizes import CELL_PX, estimate_sight, measure_cell_mm
from assistant.features.camera.markers import place_anchors
from assistant.features.demo.catalogue import LEAST_IN_1080P_MM, TAG_HEIGHT_MM, glue_tag
from assistant.game.state import GameState, Model
from assistant.setup.bases import BaseSection, RingInBase, TaggedBase
from assistant.setup.draft import ANCHORS, DraftReading, lay_out_anchors, parse_tags
from assistant.setup.editing import SETUP_FILE, read_projector
from assistant.setup.file import (
    AnchorSection,
    CameraSection,
    ProjectorSection,
    Setup,
    TableSection,
    read_setup,
)
from assistant.setup.hall_file import HallFile, read_hall_file


def place_on_virtual_table(state: GameState, given: Sequence[BaseSection]) -> tuple[BaseSection, ...]:
    """Return where the markers truly are on a virtual table, whatever was measured of them."""
    known = {base.model: base for base in given}
    return tuple(_place_truly(known[model.id], model) for _, model in state.iterate_models() if model.id in known)


def _place_truly(base: BaseSection, model: Model) -> BaseSection:
    if isinstance(base, TaggedBase):
        return glue_tag(base.tag, model, base.size_mm)
    return base.model_copy(update={"ring_in_base": RingInBase(), "height_mm": TAG_HEIGHT_MM})


def needs_4k(setup: Setup) -> bool:
    """Whether a virtual table's markers are so small that its camera has to be a finer one."""
    rings, sight = setup.rings.ring_list, estimate_sight(USUAL_PICTURE_PX, (setup.table.width_mm, setup.table.depth_mm))
    cells_px = [measure_cell_mm(base.lay_ring(rings)) * sight.px_per_mm for base in setup.ringed_bases]
    return any(base.size_mm < LEAST_IN_1080P_MM for base in setup.tagged_bases) or any(px < CELL_PX for px in cells_px)


USUAL_PICTURE_PX = (1920, 1080)
"""Of a camera that has not been seen yet, and of the virtual one."""
USUAL_MM = (1524.0, 1117.6)
"""The table before anybody has said how large it is: 60 by 44 inches."""
NO_CAMERA = "no camera"


def build_partial_setup(path: Path, reading: DraftReading, *, lens: bool) -> tuple[Setup, str, str]:
    """Return a set-up that a line can be built from, why anchors have no place in it, and its lens file's name.

    Args:
        path: the set-up file, read where the entries make one.
        reading: what was understood of the entries.
        lens: whether the lens file that it names can be used with the camera.

    """
    if reading.is_complete:
        setup = drop_faulty_files(read_setup(path), path, lens=lens)
    else:
        width_mm, depth_mm = reading.table_mm or USUAL_MM
        ids = reading.ids or tuple(parse_tags(ANCHORS))
        anchors = reading.anchors or tuple(AnchorSection(tag=tag, size_mm=40.0) for tag in ids)
        setup = Setup(
            format="overtable.setup/1",
            table=TableSection(width_mm=width_mm, depth_mm=depth_mm),
            camera=CameraSection(source=reading.source or NO_CAMERA),
            anchors=lay_out_anchors(anchors, width_mm, depth_mm),
        )
    unplaced = ""
    try:
        place_anchors(setup, path)
    except BadInput:
        again = ": the table or its anchors have changed since that was done" if setup.camera.table else ""
        unplaced = f"it is to be told from a picture where the anchors lie{again}"
        placed = tuple(anchor for anchor in setup.anchors if anchor.x_mm is not None)
        camera = setup.camera.model_copy(update={"table": None})
        setup = setup.model_copy(update={"anchors": placed, "camera": camera})
    named = setup.camera.lens or ""
    return setup, unplaced, named if named and (path.parent / named).exists() else ""


def read_hall(path: Path) -> HallFile | None:
    """Return the tournament's hall that a set-up file names; None for none, or no set-up.

    Raises:
        BadInput: what it names is no hall file.

    """
    named = read_setup(path).hall if path.exists() else None
    return read_hall_file(path.parent / named.file) if named else None


def drop_faulty_files(setup: Setup, path: Path, *, lens: bool) -> Setup:
    """Return a set-up without the files that it names but that cannot be used with it."""
    try:
        read_hall(path)
    except BadInput:
        setup = setup.model_copy(update={"hall": None})
    if not lens:
        setup = setup.model_copy(update={"camera": setup.camera.model_copy(update={"lens": None})})
    try:
        read_projector(setup, path)
    except BadInput:
        setup = setup.model_copy(update={"projector": ProjectorSection()})
    return setup


def list_enrolments(path: Path, shelved: tuple[BaseSection, ...], *, virtual: bool) -> tuple[BaseSection, ...]:
    """Return the enrolments there are; what the wizard glued on a virtual table says nothing of a real one."""
    there: tuple[BaseSection, ...] = ()
    if path.exists():
        setup = read_setup(path)
        if setup.camera.source.startswith("virtual:") == virtual:
            there = setup.bases
    models = {base.model for base in there}
    return (*there, *(base for base in shelved if base.model not in models))


def list_terrain_marks(path: Path) -> frozenset[int]:
    """Return the markers that lie on terrain, which no model gets."""
    return frozenset(mark.marker for mark in read_setup(path).terrain_marks) if path.exists() else frozenset()


def build_virtual_setup(setup: Setup, reading: DraftReading, state: GameState | None) -> Setup:
    """Return what truly lies on a virtual table."""
    table = setup.table
    anchors = lay_out_anchors(reading.anchors or setup.anchors, table.width_mm, table.depth_mm)
    bases = place_on_virtual_table(state, setup.bases) if state else ()
    return setup.model_copy(update={"anchors": anchors, "bases": bases})


def read_stamps(folder: Path) -> tuple[int, ...]:
    """Return when the files that calibrations write were last written."""
    return tuple(
        path.stat().st_mtime_ns if path.exists() else 0 for path in (folder / SETUP_FILE, folder / "lens.json")
    )
