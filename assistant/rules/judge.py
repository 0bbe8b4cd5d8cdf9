"""The referee's questions and answers; everything that calls the referee calls it here."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assistant.game.state import GameState, Move, Unit
from assistant.rules.books import rulebook, rulebooks
from assistant.rules.coherency import CoherencyLinks, coherency_finding, links
from assistant.rules.constraints import Allowance, Coherency, Constraint
from assistant.rules.keepout import clear_of_enemies
from assistant.rules.measure import findings
from assistant.rules.route import unseen_length
from assistant.rules.rulebook import Action, Question, Rulebook
from assistant.rules.validity import check_move, check_state, check_unit
from assistant.rules.verdict import Effect, Finding, Outcome, Verdict
from assistant.rules.walk import Walk
from assistant.rules.zone import Zone, zone

__all__ = [
    "ActionOption",
    "Zone",
    "coherency_links",
    "engagement_mm",
    "judge",
    "options",
    "rulebook",
    "rulebooks",
    "zone",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOption:
    """An action of the rulebook, and whether a unit may choose it now."""

    action: str
    label: str
    dice: int
    """How many dice it needs."""
    allowed: bool
    limit_mm: float | None
    """How far a model may go; None if it may not be chosen, before the dice are rolled, or without meaning."""
    because: tuple[tuple[str, str], ...]
    """Rule and sentence for each reason why it may not be chosen."""


def judge(state: GameState, move: Move | None, *, everything: bool = False) -> Verdict:
    """Return what the rulebook says of a move, or without one of the standing situation.

    Args:
        state: the game as it stood before the move.
        move: the move, its paths in the order in which the models moved.
        everything: keep the findings on rules that are kept, too.

    Raises:
        BadInput: the situation or the move does not fit the rulebook.

    """
    book = rulebook(state.rulebook)
    found = tuple(_of_standing(book, state) if move is None else _of_move(book, state, move))
    effects: tuple[Effect, ...] = ()
    if move is not None:
        given = book.action(move.action).effects
        effects = tuple(Effect(rule=rule, subjects=(move.unit,), effect=effect) for rule, effect in given)
    kept = found if everything else tuple(f for f in found if f.outcome is not Outcome.LEGAL)
    order = list(Outcome)
    return Verdict(
        rulebook=book.id, findings=tuple(sorted(kept, key=lambda f: order.index(f.outcome))), effects=effects
    )


def options(state: GameState, unit: str) -> tuple[ActionOption, ...]:
    """Return every action of the rulebook in its order, and whether the unit may choose it.

    Raises:
        BadInput: there is no such unit, or the situation does not fit the rulebook.

    """
    book = rulebook(state.rulebook)
    question = Question(state=state, unit=check_unit(state, unit, "unit"), parameters=check_state(book, state))
    return tuple(_option(action, question) for action in book.actions)


def coherency_links(state: GameState, unit: str) -> CoherencyLinks:
    """Return which models of a unit are near enough to each other, and which have too few near them."""
    book, question = _asked(state, unit)
    rule = book.coherency(question)
    return links(rule, question.unit) if rule is not None else CoherencyLinks(links=(), breaking=())


def engagement_mm(state: GameState) -> float:
    """Return the range around an enemy in which a model is engaged, in any rulebook; 0 without units."""
    if not state.units:
        return 0.0
    book, question = _asked(state, state.units[0].id)
    return book.engagement(question).range_mm


def _asked(state: GameState, unit: str) -> tuple[Rulebook, Question]:
    book = rulebook(state.rulebook)
    return book, Question(state=state, unit=check_unit(state, unit, "unit"), parameters=check_state(book, state))


def _option(action: Action, question: Question) -> ActionOption:
    dice = action.dice.count if action.dice else 0
    if action.not_judged:
        because: tuple[tuple[str, str], ...] = ((action.not_judged, f"{action.label} is not judged yet"),)
    else:
        because = tuple((f.rule, f.text) for f in action.may(question) if f.outcome is Outcome.ILLEGAL)
    limit = None if because else action.limit_mm(question)
    return ActionOption(
        action=action.id, label=action.label, dice=dice, allowed=not because, limit_mm=limit, because=because
    )


def _of_standing(book: Rulebook, state: GameState) -> Iterator[Finding]:
    parameters = check_state(book, state)
    for index, unit in enumerate(state.units):
        question = Question(state=state, unit=unit, parameters=parameters)
        # A pair that overlaps is named once: each unit is held against itself and the units after it.
        later = replace(state, units=state.units[index:])
        for constraint in book.standing(question):
            yield from _of_unit(constraint, later, unit, book)
        yield from _engaged(book, question)


def _of_unit(constraint: Constraint, state: GameState, unit: Unit, book: Rulebook) -> Iterator[Finding]:
    if isinstance(constraint, Coherency):
        yield coherency_finding(constraint, unit, book.say)
        return
    remaining = state
    for model in unit.models:
        if model.pose is not None:
            path = (model.pose,)
            walk = Walk(state=remaining, unit=unit, model=model, path=path, observed=True, say=book.say)
            yield from findings(constraint, walk)
            remaining = remaining.standing({model.id: None})


def _engaged(book: Rulebook, question: Question) -> Iterator[Finding]:
    rule = book.engagement(question)
    for model in question.unit.models:
        alone = replace(question, unit=replace(question.unit, models=(model,)))
        found = clear_of_enemies(rule, alone)
        if found.outcome is not Outcome.LEGAL:
            yield replace(found, outcome=Outcome.NOTE)


def _of_move(book: Rulebook, state: GameState, move: Move) -> Iterator[Finding]:
    action, question = check_move(book, state, move)
    yield from action.may(question)
    constraints = action.constraints(question)
    now = state
    for model_id, path in move.paths.items():
        model = now.model(model_id)
        walk = Walk(state=now, unit=question.unit, model=model, path=path, observed=move.observed, say=book.say)
        for constraint in constraints:
            if isinstance(constraint, Allowance) and not move.observed:
                yield unseen_length(constraint, constraints, walk)
            else:
                yield from findings(constraint, walk)
        now = now.standing({model_id: path[-1]})
    for constraint in constraints:
        if isinstance(constraint, Coherency):
            yield coherency_finding(constraint, now.unit(move.unit), book.say)
