"""The move: what is being done, what may be done, and what the referee says of it."""

from typing import Literal

from assistant.web.messages.message import Message


class ActionView(Message):
    """An action that the picked unit may or may not choose, by action id."""

    label: str
    dice: int
    """How many dice it needs."""
    most: int
    """How many it may take, where the move itself decides that."""
    sides: int
    allowed: bool
    because: list[str]
    """Sentences that say why not."""
    limit_mm: float | None
    reason: str = ""
    """Why a model may go that far, where there is more than one answer."""
    sets_up: bool
    """It puts models on the table."""
    takes: list[str] = []
    """The fields of a move that may say what it means to do, by name."""


class FieldView(Message):
    """What the announced move may say that it means to do, by the field's name."""

    label: str
    statement: str
    kind: Literal["flag", "one", "several"]
    """True or false, one of what is offered, or any of it."""
    offered: list[str]
    """The likeliest first, whatever is chosen among them; empty for a flag."""
    value: str | bool | list[str] | None
    """What is said so far; None while nothing is."""


class MoveView(Message):
    """What is being done now; the only key is ``move``."""

    unit: str | None
    model: str | None
    """The model whose zone is shown."""
    action: str | None
    rolls: list[int]
    tests: int
    """How many dice the move's own tests take; they may be entered, or rolled elsewhere."""
    costs: int
    """How many models the failed tests cost."""
    lost: list[str]
    """The models chosen for that."""
    intent: dict[str, str | bool | list[str]]
    """The rulebook's fields of the move."""
    announced: str | None = None
    """The unit whose move is announced, whichever is looked at here: another one than ``unit`` has no action."""
    limit_mm: float | None = None
    """How far a model goes within the zone that is drawn; None where none is, or where that has no meaning."""
    moved: list[str]
    """Models that stand elsewhere than where they were last accepted."""
    returning: list[str] = []
    """Models among them that are to be put back there."""
    outcome: Literal["legal", "illegal", "too-close", "unobserved"] | None
    """The verdict on what stands now, as people have ruled; None while nothing can be judged."""
    note: str
    """A sentence for the player when something is missing, such as a die; empty otherwise."""
    can_undo: bool
    """Something that was decided may be taken back."""
    decided: int = 0
    """How often people have decided something, taking back included: what a page shows is about the game after that."""
    contenders: list[str] = []
    """The players of whom ``go-on`` names the one that goes first in the next turn; empty where it names none."""


class TurnView(Message):
    """Whose turn it is; the only key is ``turn``, which is missing while nobody keeps count."""

    number: int
    round: int
    """In which every player has one turn."""
    player: str
    step: str
    """In words."""
    following: str = ""
    """What ``go-on`` begins, in words; empty where it has to be said first who goes."""
    rounds: int | None = None
    """So many make up the game; None while nobody has said how many."""
    last: bool = False
    """The game ends with it."""
    done: list[str]
    """The units that have acted in this turn."""


class ScoreView(Message):
    """What is said of a player beside the moves, by player."""

    side: int
    """As of the player's units."""
    points: int
    army: str
    """What it is called; empty while nobody has said it."""


class ClockView(Message):
    """How long the game has been played; the only key is ``clock``, missing before anything has happened."""

    played_s: int
    turn_s: int | None
    """For how long the turn has been going on; None while nobody keeps count of turns."""
    turns_s: dict[str, int]
    """For how long each player has had the turn, by player; empty while nobody keeps count."""


class FindingView(Message):
    """A finding of the verdict, by its place in the verdict; the witness is among the shapes."""

    rule: str
    outcome: Literal["legal", "illegal", "too-close", "unobserved", "note"]
    subjects: list[str]
    measured_mm: float | None
    limit_mm: float | None
    margin_mm: float | None
    sigma_mm: float | None
    p_legal: float | None
    text: str
    rule_text: str = ""
    """The rule in its rulebook's words; empty where it has none."""


class ShownCallView(Message):
    """The call that somebody showed last; the only key is ``call``, missing while nobody has shown one."""

    number: int
    """From 1, in the order in which calls were shown."""
    rule: str
    subjects: list[str]
    at_ns: int | None
    """Of which moment it is, since the game's beginning; None where nothing is recorded."""
    past: bool
    """It is of a moment that was past when it was shown: the finding need not be among those of now."""


class SummonsView(Message):
    """That a judge is asked for; the only key is ``judge``, missing while none is."""

    about: str
    """A sentence on what is in doubt; empty if nobody said."""
    since_s: int
    """When, in seconds since 1970 by the table's clock."""


class RulingView(Message):
    """What people decided of the move that is being made, by its place among such."""

    by: Literal["players", "judge"]
    outcome: Literal["legal", "illegal", "again"]
    """``again``: the move is made again from where it began."""
    note: str
    rule: str | None
    """The finding that it is about, by its rule and its subjects; None for the verdict as a whole."""
    subjects: list[str]
    agreed_mm: float | None
    """The length that was agreed on in place of the measured one."""
    referee: str
    """The outcome that the referee had given."""
    text: str
    """What the referee had said of it."""


class EffectView(Message):
    """What the move costs or brings, by its place in the verdict."""

    rule: str
    text: str
    rule_text: str = ""
    """The rule in its rulebook's words; empty where it has none."""
