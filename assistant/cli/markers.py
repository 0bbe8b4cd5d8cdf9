"""From a set-up file to what the line of vision needs."""

from collections.abc import Iterable
from pathlib import Path

import click

from assistant.cli.anchors import anchors_of
from assistant.files import read_json
from assistant.game.state import Terrain
from assistant.levels import surfaces_of
from assistant.setup import Setup
from calibration.spaces import Lens
from calibration.store import LensFile
from vision.markers import Markers


def markers_of(setup: Setup, path: Path, lens: Path | None, terrain: Iterable[Terrain] = ()) -> tuple[Markers, str]:
    """Return the tags and the lens that a set-up speaks of, and what the person should know about them.

    A set-up may name a lens file that has not been made yet: then the anchors must do.  Bases may stand on the table,
    and on the terrain of the game that is played on it.

    Raises:
        BadInput: the lens or table file does not fit its format or this set-up, the lens file that was asked for is
            not there, or an anchor has no place.

    """
    solved, notice = lens_of(setup, path, lens)
    anchors, placement, unplaced = anchors_of(setup, path)
    markers = Markers(
        anchors=anchors, placement=placement, bases=setup.enrolled, lens=solved, surfaces=surfaces_of(terrain)
    )
    return markers, "; ".join(filter(None, (notice, unplaced)))


def lens_of(setup: Setup, path: Path, lens: Path | None) -> tuple[Lens | None, str]:
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


def tell(notice: str) -> None:
    """Print what a person should know beside the answer, if there is anything."""
    if notice:
        click.echo(f"overtable: {notice}", err=True)
