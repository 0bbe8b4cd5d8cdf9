"""Light settings of a table: brightness, line width, which layers are shown, and where each player sits.

They lie in a file of their own beside the set-up file (`overtable.light/1`), because players change them in play.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Format, Id, read_json, write_atomically

TableEdge = Literal["near", "far", "left", "right"]
"""Of the table, as one stands at its near edge."""
HideableLight = Literal["deployment", "objective", "zone", "threat", "engagement", "coherency", "labels"]
"""What may be left out of the light: layers of the overlay by their names, and all that is written."""
Brightness = Annotated[float, Field(ge=0.2, le=1)]
LightColours = Literal["mat", "usual"]
"""Chosen by the mat's colour as the camera sees it, or those of the pages."""
LineWidth = Annotated[float, Field(ge=0.5, le=3)]
_SEATS = get_args(TableEdge)
"""Where the first player sits, the second, ..., where nobody says otherwise."""


class LightFile(Format):
    """A file of light settings."""

    format: Literal["overtable.light/1"] = "overtable.light/1"
    brightness: Brightness = 1.0
    """Share of the projector's light."""
    line_width: LineWidth = 1.0
    """Times as wide as lines are drawn otherwise."""
    hidden: tuple[HideableLight, ...] = ()
    colours: LightColours = "mat"
    """Chosen by the mat's colour as the camera sees it, or those of the pages."""
    seats: dict[Id, TableEdge] = Field(default={})
    """By player; the first sits near, the second far, unless it is said here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLighting:
    """How the light is set."""

    brightness: float = 1.0
    line_width: float = 1.0
    hidden: tuple[HideableLight, ...] = ()
    colours: LightColours = "mat"
    seats: Mapping[str, TableEdge] = field(default_factory=dict)
    """Only of players who do not sit where they would anyway."""

    def find_seat(self, player: str, players: Sequence[str]) -> TableEdge:
        """Return at which edge of the table a player sits, of all players in their order."""
        return self.seats.get(player, _SEATS[players.index(player) % len(_SEATS)])

    def seat_players(self, seats: Mapping[str, TableEdge], players: Sequence[str]) -> "TableLighting":
        """Return the same with some players at other edges.

        Raises:
            BadInput: there is no such player.

        """
        for player in seats:
            if player not in players:
                raise BadInput(f"there is no player {player!r} in this game; expected one of {', '.join(players)}")
        return replace(self, seats={**self.seats, **seats})


def find_lighting_file(setup: Path) -> Path:
    """Return where the light settings of a set-up file's table are."""
    return setup.with_name(f"{setup.stem}.light.json")


def read_lighting(setup: Path) -> TableLighting:
    """Read how the light over a set-up file's table is set; as it comes where nobody set it.

    Raises:
        BadInput: the file does not fit its format.

    """
    path = find_lighting_file(setup)
    if not path.exists():
        return TableLighting()
    file = read_json(path, LightFile)
    return TableLighting(
        brightness=file.brightness,
        line_width=file.line_width,
        hidden=file.hidden,
        colours=file.colours,
        seats=file.seats,
    )


def write_lighting(setup: Path, lights: TableLighting) -> None:
    """Write how the light over a set-up file's table is set.

    Raises:
        BadInput: it cannot be written there.

    """
    file = LightFile(
        brightness=lights.brightness,
        line_width=lights.line_width,
        hidden=lights.hidden,
        colours=lights.colours,
        seats=dict(lights.seats),
    )
    write_atomically(find_lighting_file(setup), (file.model_dump_json(indent=1) + "\n").encode())
