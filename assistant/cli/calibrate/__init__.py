"""`overtable calibrate`: everything that is measured before a game; one file a command."""

import click

from assistant.cli.calibrate.lens import lens


@click.group()
def calibrate() -> None:
    """Measure the camera."""


calibrate.add_command(lens)

commands: list[click.Command] = [calibrate]
