"""Rulebooks: tables of data, and small functions that turn a question into constraints.

The rule table has a row for every rule, with what becomes of it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from assistant.game.state import GameState, Setting, Terrain, Unit
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.coherency import Coherency
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import LengthFormatter
from assistant.rules.verdict import Effect, Finding, Outcome


class RuleCoverage(StrEnum):
    """What becomes of a rule here."""

    JUDGED = "judged"
    REPORTED = "reported"
    """As an effect: a person carries it out."""
    TRACKED = "tracked"
    """By the session that plays the game."""
    NOT_COVERED = "not covered"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEntry:
    """One row of the rule table."""

    id: str
    kind: str
    """``G`` measured, ``O`` which actions may be chosen, ``E`` effect, ``S`` sequence, ``X`` outside the chapter."""
    statement: str
    coverage: RuleCoverage
    reason: str = ""
    """Why it is not covered."""
    never: Mapping[Outcome, str] = field(default_factory=dict)
    """The outcomes that a finding of this rule never has though the rule is measured, each with the reason."""
    sum_of: str = ""
    """Of which rules it is but the sum, so that no situation is an example of this one by itself; empty if of none."""


_COVERAGE_BY_KIND = {
    "G": RuleCoverage.JUDGED,
    "O": RuleCoverage.JUDGED,
    "X": RuleCoverage.JUDGED,
    "E": RuleCoverage.REPORTED,
    "S": RuleCoverage.TRACKED,
}


def parse_rule_table(
    rows: str,
    elsewhere: Mapping[str, str] | None = None,
    *,
    never: Mapping[tuple[str, Outcome], str] | None = None,
    sums: Mapping[str, str] | None = None,
) -> tuple[RuleEntry, ...]:
    """Return a rule table from lines of id, kind and statement.

    What is outside the chapter (``X``) and is covered nevertheless is judged, through a parameter.

    Args:
        rows: the lines.
        elsewhere: why rules are not covered here, by id.
        never: why a rule that is measured never has an outcome, by id and outcome: then no situation need show it.
        sums: of which rules another is but the sum, by its id.

    """
    reasons, told = elsewhere or {}, sums or {}
    excused: dict[str, dict[Outcome, str]] = {}
    for (name, outcome), reason in (never or {}).items():
        excused.setdefault(name, {})[outcome] = reason

    def rule(line: str) -> RuleEntry:
        name, kind, statement = line.split(maxsplit=2)
        coverage = RuleCoverage.NOT_COVERED if name in reasons else _COVERAGE_BY_KIND[kind[0]]
        return RuleEntry(
            id=name,
            kind=kind,
            statement=statement,
            coverage=coverage,
            reason=reasons.get(name, ""),
            never=excused.get(name, {}),
            sum_of=told.get(name, ""),
        )

    table = tuple(map(rule, rows.strip().splitlines()))
    assert {*reasons, *excused, *told} <= {rule.id for rule in table}, "what is said of a rule names one of the table"
    return table


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
class Lists:
    """A setting that holds a list of words for some things of a situation, by id."""

    word: str
    """What has a list, such as ``terrain``."""
    among: Callable[[GameState], Iterable[str]]
    """The ids of all that may have one."""
    words: tuple[str, ...]
    """What a list may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameChoices:
    """Whom a field of a move may name, by id."""

    word: str
    """What they are, such as ``enemy model``."""
    among: Callable[[RuleContext], Iterable[str]]
    """All of them."""
    offered: Callable[[RuleContext], Iterable[str]]
    """Those that a player is asked to choose from, the likeliest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A parameter, a profile key or a field of a move's intent."""

    name: str
    values: Number | Choice | Lists | type[str] | type[bool] | type[tuple[str, ...]]
    """``str``: any text, such as an id; ``bool``: true or false; ``tuple``: some ids."""
    statement: str
    default: Setting | None = None
    names: NameChoices | None = None
    """Whom a field of a move names; None if it names nobody, or anything goes."""


def build_number_key(name: str, statement: str, low: float, high: float, default: float | None = None) -> Key:
    """Return a key that holds a number."""
    return Key(name=name, values=Number(low=low, high=high), statement=statement, default=default)


ROUNDS = "rounds"


def build_rounds_key(usual: int = 0) -> Key:
    """Return the parameter `ROUNDS`: how many rounds a game has, as its mission says; pages offer its end by it.

    Args:
        usual: how many most missions have; 0 where they differ.

    """
    return build_number_key(ROUNDS, "how many rounds the game has, as its mission says; 0: nobody knows", 0, 20, usual)


PREMEASURING = Key(
    name="premeasuring",
    values=bool,
    statement="players may measure at any time, a house rule where the rules do not say",
    default=True,
)
"""A parameter of rulebooks that do not say it themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """The dice that an action needs."""

    sides: int
    least: int
    most: int
    """More than the least where the move itself decides how many: then none or all of them are given."""
    key: str = ""
    """The profile key by which the unit says how many, the least without it; empty where that is the same for all."""

    def resolve(self, unit: Unit) -> "Dice":
        """Return the dice that a unit needs."""
        if not self.key:
            return self
        count = unit.profile.get(self.key, self.least)
        assert isinstance(count, int), "a number of dice is whole"
        return replace(self, least=count, most=count)


NO_DICE = Dice(sides=6, least=0, most=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletedMove:
    """What an action's effects depend on."""

    asked: RuleContext
    after: SituationIndex
    """Where everybody stands once it is done."""
    walks: tuple[Walk, ...]
    """How they moved, in order."""
    models: tuple[str, ...]
    """Those that moved, in order."""
    crossed: tuple[str, ...]
    """Those of them that crossed a model which may be crossed at a price."""
    doubtful: tuple[str, ...]
    """Those of which that is not known."""


def give_nothing(_: object) -> tuple[()]:
    """Ask for nothing, or give nothing."""
    return ()


def give_effects(*effects: tuple[str, str]) -> Callable[[CompletedMove], Iterable[Effect]]:
    """Return a function that gives a unit some effects: rule and effect each."""
    return lambda moved: [Effect(rule=r, subjects=(moved.asked.unit.id,), effect=effect) for r, effect in effects]


def find_nothing_wrong(_: GameState) -> None:
    """Find nothing wrong with a situation."""


def keep_terrain(terrain: tuple[Terrain, ...]) -> tuple[Terrain, ...]:
    """Return terrain unchanged."""
    return terrain


def answer_no(_: object) -> bool:
    """Return that something is never so."""
    return False


def say_nothing(_: object) -> str:
    """Say nothing."""
    return ""


def keep_status(asked: RuleContext) -> tuple[str, ...]:
    """Return the unit's own status."""
    return asked.unit.status


def give_no_limit(_: RuleContext) -> None:
    """Return no limit."""
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that a unit can do."""

    id: str
    label: str
    step: str = ""
    """The step of a turn that it belongs to; empty for any."""
    interrupts: Callable[[RuleContext], bool] = answer_no
    """Whether it happens now whosever turn it is."""
    dice: Dice = NO_DICE
    intent: tuple[str, ...] = ()
    """The fields of a move that it takes, of the rulebook's."""
    may: Callable[[RuleContext], Iterable[Finding]] = give_nothing
    """Whether the unit may choose it: a finding for each rule about that."""
    limit_mm: Callable[[RuleContext], float | None] = give_no_limit
    """How far a model may go; None before the dice are rolled, or where that has no meaning."""
    reason: Callable[[RuleContext], str] = say_nothing
    """Why that far, where there is more than one answer; empty if there is nothing to say."""
    constraints: Callable[[RuleContext], Iterable[Constraint]] = give_nothing
    ways: Callable[[RuleContext], Iterable[Iterable[Constraint]]] = give_nothing
    """Where the way itself decides what holds of it: all that may hold; a model may end where it keeps any of them."""
    sets_up: bool = False
    """Models are put on the table: only where they end counts, not where they were."""
    moves: bool = True
    """Models change their places; else they are judged where they stand."""
    straightened: bool = False
    """A seen path counts as the fewest straight legs between its poses that keep what holds on the way."""
    stops: str = ""
    """The rule by which a path that turns illegal ends at its furthest legal place; empty if there is none."""
    effects: Callable[[CompletedMove], Iterable[Effect]] = give_nothing
    status: Callable[[RuleContext], tuple[str, ...]] = keep_status
    """The unit's status once it has done it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStep:
    """A part of a player's turn."""

    id: str
    label: str
    rule: str
    """The rule that gives it its place in the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """How a unit's models are arranged, where a rulebook asks about that."""

    order: tuple[str, ...]
    """The models, as one follows another."""
    text: str
    """What they are, in a few words."""
    outcome: Outcome
    """Legal where they are arranged well, illegal where they are not, too close where that is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """A game's rules."""

    id: str
    title: str
    rules: tuple[RuleEntry, ...]
    steps: tuple[TurnStep, ...]
    """Of one turn, in order."""
    actions: tuple[Action, ...]
    profile: tuple[Key, ...]
    statuses: tuple[str, ...]
    """One that ends in ``:`` is followed by an id."""
    passing: tuple[str, ...]
    """The statuses that end when the next turn of the unit's player begins."""
    parameters: tuple[Key, ...]
    intent: tuple[Key, ...]
    """Fields that a move may have beyond those of every rulebook."""
    say: LengthFormatter
    """A length, millimetres, in the rulebook's unit with so many decimals at most."""
    standing: Callable[[RuleContext], Iterable[Constraint]]
    """What is asked of a unit that merely stands."""
    engagement: Callable[[RuleContext], KeepOut]
    """The range in which a model is engaged with an enemy."""
    coherency: Callable[[RuleContext], Coherency | None]
    """What is asked of the unit as a whole."""
    check: Callable[[GameState], None] = find_nothing_wrong
    """Raises BadInput where a situation contradicts itself in the rulebook's words.

    It does not look at where models stand: when nothing but that has changed it is not asked again.
    """
    ground: Callable[[tuple[Terrain, ...]], tuple[Terrain, ...]] = keep_terrain
    """Terrain as the rules see it, such as a river without what a bridge covers."""
    absent: Callable[[Unit], bool] = answer_no
    """Whether a unit is off the table, wherever its models were last seen."""
    arrangement: Callable[[RuleContext], Arrangement | None] = give_no_limit
    """How a unit stands, as it is drawn; None where nothing is asked about that."""
    unit: Literal["in", "cm"] = "in"
    """What pages say lengths in."""
    ring: Callable[[RuleContext], KeepOut] | None = None
    """The range that is drawn around enemies, where it is not that of engagement."""
    one_unit: str = ""
    """The rule by which a unit is finished before the next; empty if there is none."""
    sayings: Mapping[str, str] = field(default_factory=dict)
    """Sentences for effects, by name, with ``{who}`` and, for what follows a colon, ``{what}``."""
    acts_once: str = ""
    """The rule by which a unit acts once a turn, whatever its status; empty if there is none."""
    moves_once: str = ""
    """The rule by which a model moves once a turn, its unit in as many parts as one likes; empty if there is none."""
    priority: str = ""
    """The rule by which all players share a turn, each having every step of it, and people say who goes first as it
    begins; empty where turns are one player's each.  As a shared turn begins, ``passing`` statuses of all units end."""
    announced: str = ""
    """The rule by which an action is announced before a model moves; empty if there is none."""
    premeasured: str = ""
    """The rule by which anything may be measured at any time; where there is none it is the parameter `PREMEASURING`,
    or else nobody may."""

    def describe_effect(self, effect: Effect) -> str:
        """Return an effect as a sentence that a player understands."""
        name, _, what = effect.effect.partition(":")
        who, saying = ", ".join(effect.subjects), self.sayings.get(name)
        return saying.format(who=who, what=what) if saying else f"{who}: {effect.effect}"

    def find_action(self, action_id: str) -> Action:
        """Return the action with this id; KeyError if there is none."""
        for action in self.actions:
            if action.id == action_id:
                return action
        raise KeyError(action_id)
