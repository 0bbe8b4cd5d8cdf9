"""`overtable calibrate`: everything that is measured before a game."""

import click

from assistant.cli.calibrate.lens import compare_command, lens
from assistant.cli.calibrate.projector import projector
from assistant.cli.calibrate.refine import refine
from assistant.cli.calibrate.table import table


@click.group()
def calibrate() -> None:
    """Measure the camera, the table and the projector."""


calibrate.add_command(lens)
calibrate.add_command(table)
calibrate.add_command(compare_command)
calibrate.add_command(projector)
calibrate.add_command(refine)

commands: list[click.Command] = [calibrate]
