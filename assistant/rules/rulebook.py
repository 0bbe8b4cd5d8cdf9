"""What a rulebook is: tables of data, and small functions that turn a question into constraints."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.game.state import GameState, Setting, Unit
from assistant.rules.constraints import Coherency, Constraint, KeepOut
from assistant.rules.verdict import Finding


class Coverage(StrEnum):
    """What becomes of a rule here."""

    JUDGED = "judged"
    REPORTED = "reported"
    """As an effect: a person carries it out."""
    TRACKED = "tracked"
    """By the session that plays the game."""
    NOT_COVERED = "not covered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row of the rule table."""

    id: str
    kind: str
    """``G`` measured, ``O`` which actions may be chosen, ``E`` effect, ``S`` sequence, ``X`` outside the chapter."""
    statement: str
    coverage: Coverage
    reason: str = ""
    """Why it is not covered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A setting that is a number from ``low`` to ``high``."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A setting that is one of some words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A parameter, a profile key or a field of a move's intent."""

    name: str
    values: Number | Choice | type[str]
    """``str``: any text, such as an id."""
    statement: str
    default: Setting | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """The dice that an action needs."""

    count: int
    sides: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a rulebook's functions are asked about."""

    state: GameState
    unit: Unit
    parameters: Mapping[str, Setting]
    """All of the rulebook's, with the defaults filled in."""
    rolls: tuple[int, ...] = ()
    intent: Mapping[str, Setting] = field(default_factory=dict)

    def number(self, parameter: str) -> float:
        """Return a parameter that is a number."""
        value = self.parameters[parameter]
        assert isinstance(value, int | float)
        return value


def nothing(_: Question) -> tuple[()]:
    """Ask for nothing."""
    return ()


def no_limit(_: Question) -> None:
    """Return no limit."""
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that a unit can do."""

    id: str
    label: str
    dice: Dice | None = None
    may: Callable[[Question], tuple[Finding, ...]] = nothing
    """Whether the unit may choose it: a finding for each rule about that."""
    limit_mm: Callable[[Question], float | None] = no_limit
    """How far a model may go; None before the dice are rolled, or where that has no meaning."""
    constraints: Callable[[Question], tuple[Constraint, ...]] = nothing
    effects: tuple[tuple[str, str], ...] = ()
    """Rule and effect, on the unit."""
    not_judged: str = ""
    """Why it cannot be judged yet; empty if it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """A game's rules."""

    id: str
    title: str
    rules: tuple[Rule, ...]
    actions: tuple[Action, ...]
    profile: tuple[Key, ...]
    statuses: tuple[str, ...]
    """One that ends in ``:`` is followed by an id."""
    parameters: tuple[Key, ...]
    intent: tuple[Key, ...]
    """Fields that a move may have beyond those of every rulebook."""
    say: Callable[[float, int], str]
    """A length, millimetres, in the rulebook's unit with so many decimals at most."""
    standing: Callable[[Question], tuple[Constraint, ...]]
    """What is asked of a unit that merely stands."""
    engagement: Callable[[Question], KeepOut]
    """The range in which a model is engaged with an enemy."""
    coherency: Callable[[Question], Coherency | None]
    """What is asked of the unit as a whole."""

    def action(self, action_id: str) -> Action:
        """Return the action with this id; KeyError if there is none."""
        for action in self.actions:
            if action.id == action_id:
                return action
        raise KeyError(action_id)
