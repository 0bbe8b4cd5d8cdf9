"""What can happen in a game.  The journal keeps events; the state is what they add up to."""

from dataclasses import dataclass

from assistant.game.state import Declaration, Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlaced:
    """A model was seen at rest for the first time, or put on the table: it stands here, no move is judged."""

    model: str
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettled:
    """A model came to rest after it had moved."""

    model: str
    path: tuple[Pose, ...]
    """From where it stood when it began to move to where it stands now."""
    observed: bool
    """False when the path between its ends was not seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A player announced an action for a unit."""

    declaration: Declaration


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The announcement was taken back; the models stay where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The players accept what stands: the present places of these models are their new starting places."""

    models: tuple[str, ...]
    """Models of the declared unit; with nothing declared, every model that has moved."""
    outcome: str
    """The verdict's outcome when it was accepted; what happened is recorded, legal or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChanged:
    """The camera was lost, came back, or came to its end."""

    state: str
    text: str


Event = ModelPlaced | ModelSettled | Declared | Withdrawn | Accepted | SourceChanged


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """An event and when it happened."""

    captured_ns: int
    event: Event
