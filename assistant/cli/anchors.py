"""Where the anchors of a set-up lie: as it says, and as the table file says that it names."""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.files import read_json
from assistant.setup import AnchorSection, Setup
from calibration.table_file import AnchorPlace, Said, TableFile
from vision.locate import Anchor

MAKE = "make it with: overtable calibrate table --setup FILE IMAGES... --out {name}"


def anchors_of(setup: Setup, path: Path) -> tuple[tuple[Anchor, ...], NDArray[np.float64] | None, str]:
    """Return the anchors, the (3n, 3n) joint covariance of where they lie, and what a person should know of them.

    The covariance is None where every place is said to be exact.

    Raises:
        BadInput: an anchor has no place, or the table file was made for another set-up; one sentence says which.

    """
    file, notice = _table_file(setup, path)
    placed = {place.tag: place for place in file.anchors} if file else {}
    rows = {tag: row for row, tag in enumerate(placed)}
    anchors, spread = [], np.zeros((3 * len(setup.anchors), 3 * len(setup.anchors)))
    shared: list[int] = []
    source: list[int] = []
    for i, section in enumerate(setup.anchors):
        anchors.append(_placed(section, placed.get(section.tag), path, setup))
        if section.tag in placed:
            shared += range(3 * i, 3 * i + 3)
            source += range(3 * rows[section.tag], 3 * rows[section.tag] + 3)
        else:
            laid = section.laid
            spread[range(3 * i, 3 * i + 3), range(3 * i, 3 * i + 3)] = (
                laid.sigma_mm**2,
                laid.sigma_mm**2,
                laid.sigma_rad**2,
            )
    if file:
        spread[np.ix_(shared, shared)] = file.placement[np.ix_(source, source)]
    return tuple(anchors), spread if spread.any() else None, notice


def _table_file(setup: Setup, path: Path) -> tuple[TableFile | None, str]:
    if setup.camera.table is None:
        return None, ""
    named = path.parent / setup.camera.table
    if not named.exists():
        return None, f"{named} is not there yet; {MAKE.format(name=named)}"
    file = read_json(named, TableFile)
    _insist(setup, path, file, named)
    return file, ""


def _insist(setup: Setup, path: Path, file: TableFile, named: Path) -> None:
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
        said, says = place.said, Said.of(sections[place.tag].laid)
        if said != says:
            key = next(key for key in Said.model_fields if getattr(said, key) != getattr(says, key))
            then_said, now_says = (_value(getattr(value, key)) for value in (said, says))
            raise BadInput(f"{named}: it was made when anchor {place.tag} had {key} {then_said}, not {now_says}{again}")


def _value(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _placed(section: AnchorSection, place: AnchorPlace | None, path: Path, setup: Setup) -> Anchor:
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
