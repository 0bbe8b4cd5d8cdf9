"""The referee of one situation: verdicts, zones, options and move fields, from one validation and one index.

The zone is where a model may end an action: the same constraints that the verdict is given by, as a region.
The fields of a move say what it means to do: those that its action takes, and whom each may name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal

from assistant.errors import BadInput
from assistant.game.state import GameState, Move, Pose, Setting, Unit
from assistant.rules.books import find_rulebook
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.constraints.coherency import CoherencyLinks, find_links
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.context import RuleContext
from assistant.rules.engine.end_region import Facing
from assistant.rules.engine.situation_index import SituationIndex, index_situation
from assistant.rules.judged_walks import JudgedWalks, judge_move, list_walks
from assistant.rules.movement_zone import (
    MovementZone,
    ZoneParts,
    ZoneQuestion,
    join_zones,
    refine_zone_parts,
)
from assistant.rules.rulebook import Action, Arrangement, Choice, Key, Rulebook
from assistant.rules.sequence import check_turn_order
from assistant.rules.standing_situation import StandingFindings, check_standing_situation
from assistant.rules.validation import (
    apply_rulebook,
    check_intent,
    check_move,
    check_rolls,
    check_state,
    check_unit,
    find_action,
    has_same_settings,
)
from assistant.rules.verdict import BREACHES, DECIDED_SIGMAS, Detail, Effect, Finding, Outcome, Verdict, find_gravest


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOption:
    """A field of a move that its action takes, and what a player may choose for it."""

    name: str
    statement: str
    kind: Literal["flag", "one", "several"]
    offered: tuple[str, ...]
    """Ids or words to choose from, the likeliest first, and whatever else is chosen already; empty for a flag."""
    value: Setting | None
    """None while nothing is said."""
    names: bool
    """What is chosen are ids of models or units."""

    @property
    def label(self) -> str:
        """The field's name as players read it."""
        return self.name.replace("_", " ").capitalize()

    @property
    def chosen(self) -> tuple[str, ...]:
        """What is chosen of those on offer."""
        return _list_chosen(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOption:
    """An action of the rulebook, and whether a unit may choose it now."""

    action: str
    label: str
    dice: int
    """How many dice it needs."""
    most: int
    """More than that where the move itself decides how many."""
    allowed: bool
    limit_mm: float | None
    """How far a model may go; None if it may not be chosen, before the dice are rolled, or without meaning."""
    because: tuple[tuple[str, str], ...]
    """Rule and sentence for each reason why it may not be chosen."""
    reason: str = ""
    """Why a model may go that far, where there is more than one answer."""


ZoneKey = tuple[str, str, tuple[int, ...]]
"""A model, an action, and its dice."""


@dataclass(slots=True)
class _Memory:
    """What was judged last, for the referees of what a situation becomes: what holds still is not judged again."""

    stood: StandingFindings | None = None
    walked: JudgedWalks | None = None


class Referee:
    """One situation, held to its rulebook and indexed once; answers everything that is asked about it.

    Immutable.  Referees of equal situations are equal.

    Args:
        state: the situation.
        before: a referee of the same game: what it has checked or judged and has stayed the same is not done again.

    Raises:
        BadInput: the situation does not fit the rulebook.

    """

    def __init__(self, state: GameState, *, before: "Referee | None" = None) -> None:
        """Hold a situation to its rulebook."""
        self.state = state
        self.book = find_rulebook(state.rulebook)
        if before is not None and has_same_settings(state, before.state):
            self.parameters: Mapping[str, Setting] = before.parameters
            self._zones: dict[ZoneKey, ZoneParts] = before._zones
            self._memory: _Memory = before._memory
        else:
            self.parameters = check_state(self.book, state)
            self._zones, self._memory = {}, _Memory()
        self._choices: dict[tuple[str, str], tuple[tuple[object, ...], bool]] = {}

    def __eq__(self, other: object) -> bool:
        """Whether the other is a referee of an equal situation."""
        return isinstance(other, Referee) and self.state == other.state

    __hash__ = None  # type: ignore[assignment]  # a situation has none

    @cached_property
    def scene(self) -> SituationIndex:
        """The models on the table, indexed; those of units that are off it have no place there."""
        return index_situation(apply_rulebook(self.book, self.state))

    def follow(self, state: GameState) -> "Referee":
        """Return the referee of what the situation has become, such as with models elsewhere or in no one's turn.

        What is checked does not look at where models stand, so it is checked again only where something else changed.
        """
        return self if _is_same(state, self.state) else Referee(state, before=self)

    def find_owner(self, model: str) -> Unit:
        """Return the unit that a model belongs to; BadInput if there is no such model."""
        try:
            return self.state.find_unit_of(model)
        except KeyError:
            raise BadInput(f'model: there is no model "{model}" in this situation') from None

    def remove_lost(self, unit: str, lost: Sequence[str]) -> "Referee":
        """Return the referee once models of a unit are gone that failed tests cost, before the others move.

        How many they cost is known only of a whole move; `judge` holds it to that.

        Raises:
            BadInput: there is no such unit, or it has no such model, or one is named twice.

        """
        own = [model.id for model in check_unit(self.state, unit, "unit").models]
        for place, model in enumerate(lost):
            if model not in own or model in lost[:place]:
                raise BadInput(f'lost[{place}]: expected a model of "{unit}", once, not "{model}"')
        return self.follow(self.state.remove_models(lost))

    def build_context(
        self, unit: str, place: str = "unit", *, rolls: Sequence[int] = (), intent: Mapping[str, Setting] | None = None
    ) -> RuleContext:
        """Return what a rulebook's functions are asked about a unit; BadInput names the place if there is none."""
        check_unit(self.state, unit, place)
        return RuleContext(
            scene=self.scene,
            unit=self.scene.state.find_unit(unit),
            parameters=self.parameters,
            say=self.book.say,
            rolls=tuple(rolls),
            intent=dict(intent or {}),
        )

    def judge(self, move: Move | None = None, *, detail: Detail = BREACHES) -> Verdict:
        """Return what the rulebook says of a move, or without one of the standing situation.

        Args:
            move: the move, its paths in the order in which the models moved.
            detail: which findings on rules that are kept there are, too.

        Raises:
            BadInput: the move does not fit the situation or the rulebook.

        """
        if move is not None and move.lost:
            return self._judge_after_losses(move, detail)
        if move is None:
            effects: tuple[Effect, ...] = ()
            everything, before = detail.sigmas > DECIDED_SIGMAS, self._memory.stood
            stood = check_standing_situation(
                self.book, self.scene, self.parameters, everything=everything, before=before
            )
            findings, self._memory.stood = stood.findings, stood
        else:
            action, asked = self._check_move(move)
            findings, moved, self._memory.walked = judge_move(
                self.book, action, replace(asked, detail=detail), move, before=self._memory.walked
            )
            effects = tuple(action.effects(moved))
        kept = [finding for finding in _keep_gravest(findings) if detail.tells(finding)]
        order = list(Outcome)
        return Verdict(
            rulebook=self.book.id, findings=tuple(sorted(kept, key=lambda f: order.index(f.outcome))), effects=effects
        )

    def _judge_after_losses(self, move: Move, detail: Detail) -> Verdict:
        """Judge what tests cost, then the move of the models that they have left, if any."""
        rolled = self.judge(replace(move, lost=()))
        due = count_losses(self.state, move.unit, rolled)
        if len(move.lost) != due:
            raise BadInput(
                f"move.lost: the failed tests cost {due} of the models of {move.unit!r}, not {len(move.lost)}"
            )
        left = self.remove_lost(move.unit, move.lost)
        if not left.state.find_unit(move.unit).models:
            return replace(rolled, findings=())
        paths = {model: path for model, path in move.paths.items() if model not in move.lost}
        rest = left.judge(replace(move, paths=paths, rolls=(), lost=()), detail=detail)
        return replace(rolled, findings=rest.findings)

    def judge_way_length(self, move: Move, model: str) -> Finding | None:
        """Return what `judge` says of the length of one model's way, without judging the rest of the move.

        None where the action measures no way, or there is none to measure.  Raises as `judge`.
        """
        action, asked = self._check_move(move)
        constraints = ConstraintSet(action.constraints(asked))
        walk = next(each for each in list_walks(action, asked, constraints, move) if each.model.id == model)
        lengths = (rule for rule in constraints if rule.measures_way)
        kept = _keep_gravest(finding for rule in lengths for finding in rule.check(walk, constraints))
        return next((finding for finding in kept if finding.way), None)

    def list_options(self, unit: str) -> tuple[ActionOption, ...]:
        """Return every action of the rulebook in its order, and whether the unit may choose it.

        Raises:
            BadInput: there is no such unit.

        """
        asked = self.build_context(unit)
        return tuple(_build_action_option(self.book, action, asked) for action in self.book.actions)

    def list_fields(
        self, unit: str, action: str, *, intent: Mapping[str, Setting] | None = None
    ) -> tuple[FieldOption, ...]:
        """Return the fields of an action that a player can choose something for, in the action's order.

        Raises:
            BadInput: there is no such unit or action.

        """
        taken = find_action(self.book, action, "action").intent
        asked = self.build_context(unit, intent=intent)
        keys = {key.name: key for key in self.book.intent}
        options = (_build_field_option(keys[name], asked) for name in taken)
        return tuple(option for option in options if option.kind == "flag" or option.offered)

    def find_zone(
        self,
        *,
        model: str,
        action: str,
        rolls: Sequence[int] = (),
        facing: Facing = "any",
        alone: bool = False,
        intent: Mapping[str, Setting] | None = None,
        lost: Sequence[str] = (),
    ) -> MovementZone:
        """Return where a model may end an action, given where every other model stands now.

        A place is in the zone exactly when `judge` calls the unseen move to it legal or unobserved, up to the zone's
        error.

        Args:
            model: the model that moves.
            action: the rulebook's action.
            rolls: the dice that the action needs.
            facing: ``keep`` for the present facing; ``any`` for some facing at which the base may end there.
            alone: leave aside what binds the unit as a whole.
            intent: the rulebook's fields of the move.
            lost: models of the unit that failed tests cost, gone before the others move; the dice were those tests'.

        Raises:
            BadInput: there is no such model or action, or the dice are not those that it needs.

        """
        if lost:
            left = self.remove_lost(self.find_owner(model).id, lost)
            return left.find_zone(model=model, action=action, facing=facing, alone=alone, intent=intent)
        *_, last = self._refine_zone_parts(
            ZoneQuestion(
                model=model, action=action, rolls=tuple(rolls), facing=facing, alone=alone, intent=dict(intent or {})
            )
        )
        return last.join()

    def refine_zone(
        self,
        *,
        model: str,
        action: str,
        rolls: Sequence[int] = (),
        facing: Facing = "any",
        alone: bool = False,
        intent: Mapping[str, Setting] | None = None,
    ) -> Iterator[MovementZone]:
        """Yield what is known of a zone, sooner and later: each holds the one before, the last is the whole.

        Arguments and errors as for `find_zone`.
        """
        question = ZoneQuestion(
            model=model, action=action, rolls=tuple(rolls), facing=facing, alone=alone, intent=dict(intent or {})
        )
        for known in self._refine_zone_parts(question):
            yield known.join()

    def _refine_zone_parts(self, question: ZoneQuestion) -> Iterator[ZoneParts]:
        """Yield what is known of a zone; the whole is kept for referees of what the situation becomes."""
        action = find_action(self.book, question.action, "action")
        unit = self.find_owner(question.model)
        asked = self.build_context(unit.id, rolls=question.rolls, intent=question.intent)
        check_rolls(action, unit, question.rolls, "roll")
        check_intent(self.book, action, asked, "intent")
        mover = asked.state.find_model(question.model)
        if mover.pose is None and not action.sets_up and not self.book.absent(unit):
            raise BadInput(f'model: "{question.model}" is not on the table')
        found = ZoneParts(state=self.state, question=question)
        if not self._may_choose(action, asked):
            yield found
            return
        # Of a model off the table, only how it is turned and how surely it will be seen counts.
        start = mover.pose or replace(
            self.state.find_model(mover.id).pose or Pose(x_mm=0.0, y_mm=0.0), x_mm=0.0, y_mm=0.0, z_mm=0.0
        )
        key = mover.id, question.action, question.rolls
        asked, known = replace(asked, model=mover), self._zones.get(key)
        if known is not None and known.question != question:
            known = None
        for found in refine_zone_parts(self.state, question, action, asked, start=start, known=known):
            yield found
        self._zones[key] = found

    def _may_choose(self, action: Action, asked: RuleContext) -> bool:
        """Return whether a unit may choose an action beyond doubt; all of its models have one answer."""
        key, how = (asked.unit.id, action.id), (asked.rolls, asked.intent)
        known = self._choices.get(key)
        if known is None or known[0] != how:
            may = (*check_turn_order(self.book, action, asked), *action.may(asked))
            known = self._choices[key] = how, all(finding.outcome is Outcome.LEGAL for finding in may)
        return known[1]

    def find_unit_zone(
        self,
        *,
        unit: str,
        action: str,
        rolls: Sequence[int] = (),
        facing: Facing = "any",
        intent: Mapping[str, Setting] | None = None,
        lost: Sequence[str] = (),
    ) -> MovementZone:
        """Return where any model of a unit may end an action, each alone; arguments and errors as for `find_zone`."""
        if lost:
            left = self.remove_lost(unit, lost)
            return left.find_unit_zone(unit=unit, action=action, facing=facing, intent=intent)
        try:
            models = [model.id for model in self.state.find_unit(unit).models if model.pose is not None]
        except KeyError:
            raise BadInput(f'unit: there is no unit "{unit}" in this situation') from None
        if not models:
            raise BadInput(f'unit: "{unit}" has no model on the table')
        each = [
            self.find_zone(model=model, action=action, rolls=rolls, facing=facing, alone=True, intent=intent)
            for model in models
        ]
        return join_zones(unit, action, each)

    def find_engagement_rule(self, unit: str) -> KeepOut:
        """Return the range around an enemy of a unit that a rulebook asks to keep in mind."""
        return (self.book.ring or self.book.engagement)(self.build_context(unit))

    def find_engagement_mm(self) -> float:
        """Return how far that range reaches; 0 without units."""
        units = self.state.units
        return self.find_engagement_rule(units[0].id).range_mm if units else 0.0

    def find_coherency_mm(self, unit: str) -> float:
        """Return how near models of a unit must be to another of it; 0 where nothing is asked of that."""
        rule = self.book.coherency(self.build_context(unit))
        return 0.0 if rule is None else rule.range_mm

    def find_coherency_links(self, unit: str) -> CoherencyLinks:
        """Return which models of a unit are near enough to each other, and which have too few near them."""
        asked = self.build_context(unit)
        rule = self.book.coherency(asked)
        return find_links(rule, asked.unit, asked.scene) if rule is not None else CoherencyLinks(links=(), breaking=())

    def find_arrangement(self, unit: str) -> Arrangement | None:
        """Return how a unit's models are arranged, as it is drawn; None where nothing is asked about that."""
        return self.book.arrangement(self.build_context(unit))

    def _check_move(self, move: Move) -> tuple[Action, RuleContext]:
        """Return a move's action, and what is asked about it; BadInput if it does not fit."""
        asked = self.build_context(move.unit, "move.unit", rolls=move.rolls, intent=move.intent)
        asked = replace(asked, paths=move.paths, observed=move.observed)
        return check_move(self.book, asked, move), asked


def judge(state: GameState, move: Move | None, *, detail: Detail = BREACHES) -> Verdict:
    """Return what `Referee.judge` says of one move, or of the standing situation, where nothing else is asked."""
    return Referee(state).judge(move, detail=detail)


def _is_same(state: GameState, before: GameState) -> bool:
    """Whether two states hold the very same things."""
    others = (field.name for field in fields(GameState) if field.name != "units")
    return (
        len(state.units) == len(before.units)
        and all(now is then for now, then in zip(state.units, before.units, strict=True))
        and all(getattr(state, name) is getattr(before, name) for name in others)
    )


def count_losses(state: GameState, unit: str, verdict: Verdict) -> int:
    """Return how many models of a unit its failed tests cost: as many as it has, at most."""
    return min(sum(effect.lost for effect in verdict.effects), len(state.find_unit(unit).models))


def _build_field_option(key: Key, asked: RuleContext) -> FieldOption:
    value = asked.intent.get(key.name)
    return FieldOption(
        name=key.name,
        statement=key.statement,
        kind="flag" if key.values is bool else "several" if key.values is tuple else "one",
        offered=tuple(dict.fromkeys((*_list_offered(key, asked), *_list_chosen(value)))),
        value=value,
        names=key.names is not None,
    )


def _list_offered(key: Key, asked: RuleContext) -> Iterable[str]:
    if isinstance(key.values, Choice):
        return key.values.words
    return key.names.offered(asked) if key.names is not None else ()


def _list_chosen(value: Setting | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()


def _build_action_option(book: Rulebook, action: Action, asked: RuleContext) -> ActionOption:
    may = (*check_turn_order(book, action, asked), *action.may(asked))
    because, dice = (
        tuple((f.rule, f.text) for f in may if f.outcome is Outcome.ILLEGAL),
        action.dice.resolve(asked.unit),
    )
    return ActionOption(
        action=action.id,
        label=action.label,
        dice=dice.least,
        most=dice.most,
        allowed=not because,
        limit_mm=None if because else action.limit_mm(asked),
        because=because,
        reason="" if because else action.reason(asked),
    )


def _keep_gravest(found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the gravest of the findings that one rule has on one offending model, and every note."""
    groups: dict[tuple[str, tuple[str, ...]], list[Finding]] = {}
    for finding in found:
        party = finding.subjects if finding.outcome is Outcome.NOTE else finding.subjects[:1]
        groups.setdefault((finding.rule, party), []).append(finding)
    for group in groups.values():
        worst = find_gravest(group)
        assert worst is not None
        yield worst
