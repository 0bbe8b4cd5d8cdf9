"""Device picks: what each device looks at, so that nobody takes a unit from anybody else's hand.

The table has a pick of its own, which is what its light and every page show that has picked nothing.  A device that
picks a unit keeps it, whatever is picked, moved or accepted elsewhere, until it is done with it: its move is accepted
or withdrawn, the turn goes on, or a unit of the same player is moved by hand.  A device that is alone follows any hand.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from assistant.errors import BadInput
from assistant.game.events import Accepted, Declared, Event, RestoringBegan, StepBegan, TurnBegan, Withdrawn
from assistant.game.state import GameState
from assistant.table.declared_move import Pick, keep_to_unit


@dataclass(slots=True, kw_only=True)
class DevicePicks:
    """The devices' own picks, and which device has announced what is announced."""

    own: dict[str, Pick | None] = field(default_factory=dict)
    """None for a device that has put down what the table shows, and looks at nothing."""
    picker: str = ""
    """Who has picked what the table shows; empty for a hand on the table."""
    announcer: str = ""
    """Empty while nothing is announced, or a hand has begun it on the table."""

    def follow(self, event: Event, before: GameState, after: GameState) -> None:
        """Take in what happened to a game that was one way before it and is another after it."""
        match event:
            case TurnBegan() | StepBegan() | RestoringBegan():
                self.own.clear()
            case Withdrawn() | Accepted():
                self._drop_units({before.declared.unit} if before.declared else _list_moved_units(before))
            case Declared(declaration=declaration):
                player = after.find_unit(declaration.unit).player
                if len(self.own) == 1:  # one device serves everybody
                    self.own.clear()
                self._drop_units({unit.id for unit in after.units if unit.player == player})
                self.own = {device: pick for device, pick in self.own.items() if pick is not None}
        if after.declared is None or before.declared is None or after.declared.unit != before.declared.unit:
            self.announcer = ""
        self.own = {device: pick and keep_to_unit(pick, after) for device, pick in self.own.items()}

    def _drop_units(self, units: Collection[str]) -> None:
        self.own = {device: pick for device, pick in self.own.items() if pick is None or pick.unit not in units}

    def keep_only(self, devices: Collection[str]) -> None:
        """Forget the devices that are not there any more."""
        self.own = {device: pick for device, pick in self.own.items() if device in devices}
        if self.announcer and self.announcer not in devices:
            self.announcer = ""

    def check_announcement(self, state: GameState, unit: str, device: str) -> None:
        """Hold an announcement of a device to what others have announced.

        Raises:
            BadInput: another unit's move is under way in somebody else's hand.

        """
        declared = state.declared
        if not device or declared is None or declared.unit == unit or self.announcer == device:
            return
        mover, moved = state.find_unit(declared.unit), has_begun(state)
        is_opponents = mover.player != state.find_unit(unit).player
        if self.announcer or (moved and is_opponents):
            raise BadInput(f"The move of {declared.unit} is being made: accept or cancel it first")


def _list_moved_units(state: GameState) -> set[str]:
    return {state.find_unit_of(model).id for model in state.tracks}


def has_begun(state: GameState) -> bool:
    """Return whether a model of the announced unit has moved."""
    declared = state.declared
    return declared is not None and any(m.id in state.tracks for m in state.find_unit(declared.unit).models)
