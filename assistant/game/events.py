"""Events: what can happen in a game.  The journal keeps events; the state is what they add up to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.game.state import Declaration, Pose, Restoring, Ruling, Score, Setting, TerrainPlace


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
    unseen: tuple[int, ...] = ()
    """Which legs of the path were not seen: the first is 0, from the first pose to the second.  Empty for a path that
    was not observed, as older journals have it, means that nobody knows which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainSettled:
    """A piece of terrain came to rest, elsewhere than the game has it or back there."""

    piece: str
    place: TerrainPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainTaken:
    """Players take a terrain feature as it lies: from now on it is there."""

    pieces: tuple[str, ...]
    """All that moved together, the one whose place it is first."""
    place: TerrainPlace


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
    unit: str | None = None
    """The unit that has now acted."""
    action: str | None = None
    status: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The new status of units, by unit id."""
    off: tuple[str, ...] = ()
    """Models that thereby left the table, and may come back."""
    lost: tuple[str, ...] = ()
    """Models that it destroyed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """People decided what a call comes to, of the move that is being made or of a moment that is past."""

    ruling: Ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class Bumped:
    """Models were pushed by mistake: where they stand now is their place, and how they came there was no move."""

    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """Models go back to where they were accepted: what moves them there is no move."""

    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapped:
    """People found that two models carry each other's markers: what is seen of one counts for the other from now on."""

    models: tuple[str, str]
    tags: Mapping[int, str]
    """Who carries which tag; a tag that was never seen is not known and left out."""
    since_ns: int | None = None
    """Captured time from which it was so already, and the record is wrong about the two; None for from now on."""
    rings: Mapping[int, str] = field(default_factory=dict)
    """Who carries which ring; likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """Two models turn out to stand where the other was thought to: in a corrected copy of a game, where it began."""

    models: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoringBegan:
    """The table is being put back to a moment: until that ends nothing that models do is a move."""

    restoring: Restoring


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The table was put back as far as people wanted: what moved models meanwhile was no move."""

    back: tuple[str, ...]
    """Models that are back: they stand exactly where they stood, whatever was measured of them since."""
    stay: tuple[str, ...] = ()
    """Models that are not: they stand where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegan:
    """A player's turn began, or one that the players share."""

    player: str
    step: str
    status: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The new status of units, by unit id: what ended with the turn before is gone."""
    order: tuple[str, ...] = ()
    """The players in the order in which they have each step of it; empty where it is one player's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan:
    """The next step of the turn began, or another player's part of it."""

    step: str
    player: str | None = None
    """Whose it is now; None where the turn is one player's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParametersSet:
    """The players agreed by what parameters of the rulebook they play from here on."""

    parameters: Mapping[str, Setting]
    """Those that changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSet:
    """A person said how many points a player has, and what the army is called."""

    player: str
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSet:
    """A person said what the status of a unit is: a test failed elsewhere, or a correction."""

    unit: str
    status: tuple[str, ...]
    off: tuple[str, ...] = ()
    """Models that thereby left the table, and may come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsRemoved:
    """Models were destroyed: they are out of the game."""

    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """The last thing that a person did, and that was not undone yet, is taken back; what was seen since stays seen."""

    ruling: Ruling | None = None
    """This ruling on the past instead, whenever it was made: nothing else rests on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChanged:
    """The camera was lost, came back, or came to its end."""

    state: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationChanged:
    """The camera was found to have been moved over the table, or the table under it, or an anchor on it."""

    what: str
    """camera-moved, camera-drifted (slowly, and followed all the time), anchor-slipped, anchor-back, or lens-changed
    (another lens file is used, by which the camera is so far from where it was taken to be)."""
    tag: int | None = None
    """The anchor, where it is about one."""
    moved_mm: float
    """How far the camera or the anchor went."""
    turned_rad: float = 0.0
    """By which angle the camera turned about any axis."""
    before: str
    after: str
    """The calibrations, as the poses name them."""


Decision = (
    Declared
    | Withdrawn
    | Accepted
    | Ruled
    | Bumped
    | PutBack
    | Swapped
    | RestoringBegan
    | Restored
    | TurnBegan
    | StepBegan
    | ParametersSet
    | ScoreSet
    | StatusSet
    | ModelsRemoved
    | TerrainTaken
)
"""What a person did, and may take back."""
Event = ModelPlaced | ModelSettled | TerrainSettled | Exchanged | SourceChanged | CalibrationChanged | Decision | Undone


def is_about_past(event: Event) -> bool:
    """Whether an event is a ruling on what is past, or takes one back: the game goes on as if it had not happened."""
    match event:
        case Ruled(ruling=ruling):
            return ruling.at_ns is not None
        case Undone(ruling=taken_back):
            return taken_back is not None
        case _:
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """An event and when it happened."""

    captured_ns: int
    event: Event
