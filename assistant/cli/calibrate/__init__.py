"""`overtable calibrate`: everything that is measured before a game; one file a command."""

import click

from assistant.cli.calibrate.compare import compare
from assistant.cli.calibrate.lens import lens
from assistant.cli.calibrate.projector import projector
from assistant.cli.calibrate.table import table


@click.group()
def calibrate() -> None:
    """Measure the camera, the table and the projector."""


calibrate.add_command(lens)
calibrate.add_command(table)
calibrate.add_command(compare)
calibrate.add_command(projector)

commands: list[click.Command] = [calibrate]
