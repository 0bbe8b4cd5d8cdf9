"""Markers of a set-up: its anchors, tagged bases and lens, as the vision pipeline needs them.

An anchor lies where the table file has it that the set-up names, or else where the set-up does.  `solve_table_file`
makes such a file from pictures of the table.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.files.documents import read_json
from assistant.game.state import Terrain
from assistant.setup.file import AnchorSection, Setup
from assistant.table.surface_levels import list_surfaces
from calibration.errors import Unsolvable
from calibration.lens.file import LensFile
from calibration.spaces import Lens
from calibration.table.anchor_layout import TableSize
from calibration.table.bundle_adjustment import AnchorSighting, TableFit, solve_places
from calibration.table.camera_pose import guess_lens
from calibration.table.file import AnchorPlace, StatedAnchorForm, TableFile
from calibration.table.misplaced_anchors import examine_anchors
from calibration.table.quality import describe_weaknesses, hold_out_anchors, is_collinear, map_sigma_mm
from vision.markers import Markers
from vision.tags.pose_estimation import AT_ONCE, Anchor
from vision.tags.row_times import Readout

READOUT_SHARE = 0.03
"""By which share a readout time may be off that a set-up tells."""
MAKE = "make it with: overtable calibrate table --setup FILE IMAGES... --out {name}"


def place_anchors(setup: Setup, path: Path) -> tuple[tuple[Anchor, ...], NDArray[np.float64] | None, str]:
    """Return the anchors, the (3n, 3n) joint covariance of where they lie, and what a person should know of them.

    The covariance is None where every place is said to be exact.

    Raises:
        BadInput: an anchor has no place, or the table file was made for another set-up; one sentence says which.

    """
    file, notice = _read_table_file(setup, path)
    placed = {place.tag: place for place in file.anchors} if file else {}
    rows = {tag: row for row, tag in enumerate(placed)}
    anchors, spread = [], np.zeros((3 * len(setup.anchors), 3 * len(setup.anchors)))
    shared: list[int] = []
    source: list[int] = []
    for i, section in enumerate(setup.anchors):
        anchors.append(_place_anchor(section, placed.get(section.tag), path, setup))
        if section.tag in placed:
            shared += range(3 * i, 3 * i + 3)
            source += range(3 * rows[section.tag], 3 * rows[section.tag] + 3)
        else:
            laid = section.stated_anchor
            spread[range(3 * i, 3 * i + 3), range(3 * i, 3 * i + 3)] = (
                laid.sigma_mm**2,
                laid.sigma_mm**2,
                laid.sigma_rad**2,
            )
    if file:
        spread[np.ix_(shared, shared)] = file.placement[np.ix_(source, source)]
    return tuple(anchors), spread if spread.any() else None, notice


def _read_table_file(setup: Setup, path: Path) -> tuple[TableFile | None, str]:
    if setup.camera.table is None:
        return None, ""
    named = path.parent / setup.camera.table
    if not named.exists():
        return None, f"{named} is not there yet; {MAKE.format(name=named)}"
    file = read_json(named, TableFile)
    _check_table_file(setup, path, file, named)
    return file, ""


def _check_table_file(setup: Setup, path: Path, file: TableFile, named: Path) -> None:
    """Refuse a table file that was made for another table or other anchors than the set-up speaks of."""
    again = f"; {path} has changed since: {MAKE.format(name=named)}"
    then, now = file.table, setup.table
    if (then.width_mm, then.depth_mm) != (now.width_mm, now.depth_mm):
        raise BadInput(
            f"{named}: it was made for a table of {then.width_mm:g} x {then.depth_mm:g} mm, but this one is"
            f" {now.width_mm:g} x {now.depth_mm:g} mm{again}"
        )
    sections = {section.tag: section for section in setup.anchors}
    for place in file.anchors:
        if place.tag not in sections:
            raise BadInput(f"{named}: it was made with anchor {place.tag}, which is not among the [[anchors]]{again}")
        said, says = place.said, StatedAnchorForm.from_anchor(sections[place.tag].stated_anchor)
        if said != says:
            key = next(key for key in StatedAnchorForm.model_fields if getattr(said, key) != getattr(says, key))
            then_said, now_says = (_format_value(getattr(value, key)) for value in (said, says))
            raise BadInput(f"{named}: it was made when anchor {place.tag} had {key} {then_said}, not {now_says}{again}")


def _format_value(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _place_anchor(section: AnchorSection, place: AnchorPlace | None, path: Path, setup: Setup) -> Anchor:
    """Return an anchor where the table file has it, or else where the set-up does."""
    if place is not None:
        x_mm, y_mm, facing_deg = place.x_mm, place.y_mm, place.facing_deg
    elif section.x_mm is not None and section.y_mm is not None:
        x_mm, y_mm, facing_deg = section.x_mm, section.y_mm, section.facing_deg or 0.0
    elif setup.camera.table is None:
        raise BadInput(
            f"{path}: anchor {section.tag} has no place: name a table file under [camera], such as"
            f' table = "table.json", and {MAKE.format(name="table.json")}'
        )
    else:
        named = path.parent / setup.camera.table
        lacking = "it has no place for" if named.exists() else "it is not there yet, and nothing else has a place for"
        raise BadInput(f"{named}: {lacking} anchor {section.tag}; {MAKE.format(name=named)}")
    return Anchor(
        tag=section.tag,
        x_mm=x_mm,
        y_mm=y_mm,
        facing_rad=math.radians(facing_deg),
        size_mm=section.size_mm,
        z_mm=section.z_mm,
    )


def solve_table_file(
    setup: Setup, path: Path, lens: Lens | None, pictures: Sequence[AnchorSighting], size: tuple[int, int]
) -> TableFile:
    """Return where the anchors of a set-up lie, and where the camera stood, by what pictures of one size show.

    Raises:
        BadInput: they do not tell, or contradict the set-up; one sentence says how.

    """
    known, laid, measured = lens or guess_lens(size), setup.stated_anchors, setup.table_size
    try:
        examined = examine_anchors(lens=known, stated=laid, table=measured, pictures=pictures)
        if wrong := examined.blocking_text:
            raise BadInput(f"{path}: {wrong}")
        laid = tuple(anchor for anchor in laid if anchor.tag not in examined.left_out)
        fit = solve_places(lens=known, stated=laid, table=measured, pictures=pictures)
    except Unsolvable as error:
        raise BadInput(f"{path}: {error}") from None
    if is_collinear(fit):
        tags, worst_mm = ", ".join(str(anchor.tag) for anchor in fit.stated), _find_worst_mm(fit, measured)
        raise BadInput(
            f"{path}: the anchors seen ({tags}) lie on one line, so that the table's tilt about it is hardly told"
            f" (places are known to ± {worst_mm:.1f} mm at worst): lay one well off that line"
        )
    held = hold_out_anchors(lens=known, stated=laid, table=measured, pictures=pictures, fit=fit)
    return TableFile.from_fit(
        fit=fit,
        table=measured,
        pictures=[picture.name for picture in pictures],
        examined=examined,
        held_out=held,
        weak=[*_describe_unseen(setup, pictures), *describe_weaknesses(fit, measured, lens_known=lens is not None)],
    )


def _find_worst_mm(fit: TableFit, table: TableSize) -> float:
    return max(sigma_mm for camera in fit.cameras for *_, sigma_mm in map_sigma_mm(camera, table))


def _describe_unseen(setup: Setup, pictures: Sequence[AnchorSighting]) -> list[str]:
    tags = {tag for picture in pictures for tag in picture.squares_px}
    missing = [str(anchor.tag) for anchor in setup.anchors if anchor.tag not in tags]
    return [f"not seen in any picture: anchor {', '.join(missing)}"] if missing else []


def build_markers(setup: Setup, path: Path, lens: Path | None, terrain: Iterable[Terrain] = ()) -> tuple[Markers, str]:
    """Return the tags and the lens that a set-up speaks of, and what the person should know about them.

    A set-up may name a lens file that has not been made yet: then the anchors must do.  Bases may stand on the table,
    and on the terrain of the game that is played on it.

    Raises:
        BadInput: the lens or table file does not fit its format or this set-up, the lens file that was asked for is
            not there, or an anchor has no place.

    """
    solved, notice = find_lens(setup, path, lens)
    anchors, placement, unplaced = place_anchors(setup, path)
    terrain = tuple(terrain)
    markers = Markers(
        anchors=anchors,
        placement=placement,
        bases=setup.enrolled_bases,
        terrain=setup.enrolled_terrain,
        lens=solved,
        surfaces=list_surfaces(terrain),
        ring_words=setup.rings.ring_list.words,
        readout=_find_readout(setup),
    )
    return markers, "; ".join(filter(None, (notice, unplaced, _note_absent_terrain(setup, path, terrain))))


def _note_absent_terrain(setup: Setup, path: Path, terrain: Collection[Terrain]) -> str:
    """Say which marked pieces are not in the game; without terrain there is no game yet."""
    known = {piece.id for piece in terrain}
    absent = [each.piece for each in setup.terrain if known and each.piece not in known]
    return f"{path}: there is no terrain {', '.join(absent)} in this game, so its mark tells nothing" if absent else ""


def _find_readout(setup: Setup) -> Readout | None:
    """Return how long a set-up's camera takes from row to row; that of a simulation sees all rows at once."""
    told_ms = setup.camera.readout_ms
    if told_ms is None:
        return AT_ONCE if setup.camera.source.startswith("virtual:") else None
    return Readout(s=told_ms / 1e3, sigma_s=READOUT_SHARE * abs(told_ms) / 1e3)


def find_lens(setup: Setup, path: Path, lens: Path | None) -> tuple[Lens | None, str]:
    """Return the lens that a set-up names, or the one asked for, and what the person should know about it."""
    if lens is not None:
        return read_json(lens, LensFile).lens, ""
    if setup.camera.lens is None:
        return None, ""
    named = path.parent / setup.camera.lens
    if named.exists():
        return read_json(named, LensFile).lens, ""
    return None, (
        f"{named} is not there yet, so the lens is solved from the anchors and the figures are less sure;"
        " make it with: overtable calibrate lens IMAGES... --board B --out FILE"
    )
