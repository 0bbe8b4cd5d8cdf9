"""A camera's own focus and exposure, where it lets a program set them: read, set, and read back."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

Turn = float | Literal["hold", "auto"]
"""A value in the driver's own steps; ``hold``: stay at what is set now; ``auto``: the camera decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a camera says of itself; None where it does not tell."""

    focus: float | None = None
    """In the driver's own steps."""
    autofocus: bool | None = None
    """The camera changes its focus by itself."""
    exposure: float | None = None
    """In the driver's own steps; Linux counts 100 microseconds."""
    autoexposure: bool | None = None

    @property
    def locked(self) -> bool:
        """Whether neither focus nor exposure changes by itself, as far as the camera has them."""
        return not self.autofocus and not self.autoexposure and self.can

    @property
    def can(self) -> bool:
        """Whether there is anything that a program could set."""
        return self.focus is not None or self.exposure is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a camera is asked to do; None leaves it as it is."""

    focus: Turn | None = None
    exposure: Turn | None = None

    def over(self, before: "Wanted") -> "Wanted":
        """Return what is wanted after another wish."""
        return Wanted(focus=_over(self.focus, before.focus), exposure=_over(self.exposure, before.exposure))

    def as_set(self, settings: Settings) -> "Wanted":
        """Return the same with the values that are held, so that a camera that comes back holds them again."""
        focus = settings.focus if self.focus == "hold" else self.focus
        return Wanted(focus=focus, exposure=settings.exposure if self.exposure == "hold" else self.exposure)


def _over(turn: Turn | None, before: Turn | None) -> Turn | None:
    """Return what is wanted after another wish; a value that was wanted is what is held."""
    return before if turn is None or (turn == "hold" and isinstance(before, float | int)) else turn


@runtime_checkable
class Adjustable(Protocol):
    """A source whose camera has controls; asked in the thread that reads it."""

    def settings(self) -> Settings:
        """Return what is set now."""
        ...

    def adjust(self, wanted: Wanted) -> Settings:
        """Set what is wanted, as far as the camera lets itself be set, and return what it then says of itself."""
        ...
