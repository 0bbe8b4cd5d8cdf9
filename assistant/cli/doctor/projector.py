"""The projector: whether it was calibrated, and how far its light lands from where it belongs."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.cli.doctor.report import Check, bad, fair, good
from assistant.files import read_json
from assistant.setup import Setup

FINE_MM, ENOUGH_MM = 1.0, 2.0
"""How far light may land from its place at worst: a line is as wide."""
HOW = "overtable calibrate projector --setup"


class _Part(BaseModel):
    """What is looked at of a projector file; the rest is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


class _HeldOut(_Part):
    mean_mm: float
    worst_mm: float


class _Table(_Part):
    width_mm: float
    depth_mm: float


class _File(_Part):
    format: Literal["overtable.projector/1"]
    image_size: tuple[int, int]
    table: _Table
    held_out: _HeldOut | None = None


def projector(setup: Setup, path: Path) -> Check:
    """Say how good the projector's calibration is.

    Raises:
        BadInput: the projector file does not fit its format.

    """
    named = _named(path)
    if named is None:
        return good("projector", f"none is calibrated; if one lights the table: {HOW} {path}")
    if not named.exists():
        return fair("projector", f"{named} is not there yet: the page fits the table into its window", f"{HOW} {path}")
    file = read_json(named, _File)
    if (file.table.width_mm, file.table.depth_mm) != (setup.table.width_mm, setup.table.depth_mm):
        then, now = (f"{table.width_mm:g} x {table.depth_mm:g} mm" for table in (file.table, setup.table))
        return bad("projector", f"{named} was made for a table of {then}, but this one is {now}", f"{HOW} {path}")
    size = f"a page of {file.image_size[0]}x{file.image_size[1]} px (today's is known once it is open)"
    if file.held_out is None:
        return fair("projector", f"{named} is for {size}, and does not say how good it is", f"{HOW} {path}")
    lands = f"light lands {file.held_out.mean_mm:.2f} mm from its place, {file.held_out.worst_mm:.2f} mm at worst"
    fact = f"{lands}, by {named} for {size}"
    if file.held_out.worst_mm <= FINE_MM:
        return good("projector", fact)
    again = f"calibrate it again, in less light and with the picture focused: {HOW} {path}"
    return (fair if file.held_out.worst_mm <= ENOUGH_MM else bad)("projector", fact, again)


def _named(path: Path) -> Path | None:
    """Return the projector file that a set-up, which has been read, names."""
    section = tomllib.loads(path.read_text(encoding="utf-8-sig")).get("projector", {})
    named = section.get("calibration")
    return None if named is None else path.parent / named
