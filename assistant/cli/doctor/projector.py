"""The projector: whether it was calibrated, and how far its light lands from where it belongs."""

from pathlib import Path

from assistant.cli.doctor.report import Check, bad, fair, good
from assistant.files import read_json
from assistant.setup import Setup
from calibration.projector_file import ProjectorFile

FINE_MM, ENOUGH_MM = 1.0, 2.0
"""How far light may land from its place at worst: a line is as wide."""
HOW = "overtable calibrate projector --setup"


def projector(setup: Setup, path: Path) -> Check:
    """Say how good the projector's calibration is.

    Raises:
        BadInput: the projector file does not fit its format.

    """
    if setup.projector.calibration is None:
        return good("projector", f"none is calibrated; if one lights the table: {HOW} {path}")
    named = path.parent / setup.projector.calibration
    if not named.exists():
        return fair("projector", f"{named} is not there yet: the page fits the table into its window", f"{HOW} {path}")
    file = read_json(named, ProjectorFile)
    if (file.table.width_mm, file.table.depth_mm) != (setup.table.width_mm, setup.table.depth_mm):
        then, now = (f"{table.width_mm:g} x {table.depth_mm:g} mm" for table in (file.table, setup.table))
        return bad("projector", f"{named} was made for a table of {then}, but this one is {now}", f"{HOW} {path}")
    size = f"a page of {file.image_size[0]}x{file.image_size[1]} px (today's is known once it is open)"
    if file.held_out is None:
        return fair("projector", f"{named} is for {size}, and does not say how good it is", f"{HOW} {path}")
    held = file.held_out
    lands = f"light lands {held.mean_mm:.2f} mm from its place, {held.worst_mm:.2f} mm at worst where tags told"
    x_mm, y_mm = held.doubt_at_mm
    fact = (
        f"{lands}, within {held.doubt_mm:.2f} mm (one sigma) at x {x_mm:.0f} mm, y {y_mm:.0f} mm, by {named} for {size}"
    )
    worst_mm = max(held.worst_mm, 2 * held.doubt_mm)
    if worst_mm <= FINE_MM:
        return good("projector", fact)
    again = f"calibrate it again, in less light and with the picture focused: {HOW} {path}"
    return (fair if worst_mm <= ENOUGH_MM else bad)("projector", fact, again)
