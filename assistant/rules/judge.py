"""The referee's questions and answers; everything that calls the referee calls it here."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from assistant.errors import BadInput
from assistant.game.state import GameState, Move
from assistant.rules.books import rulebook, rulebooks
from assistant.rules.coherency import CoherencyLinks, coherency_finding, links
from assistant.rules.constraints import Allowance, Coherency, Constraint, Cross, KeepOut, Near, Own, Stay, Whole
from assistant.rules.crossing import crossing
from assistant.rules.fields import FieldOption, fields
from assistant.rules.measure import findings, left_behind
from assistant.rules.room import has_room
from assistant.rules.route import unseen_length
from assistant.rules.rulebook import Action, Arrangement, Moved, Question, Rulebook
from assistant.rules.ruling import gravest
from assistant.rules.sequence import announced_late, out_of_turn
from assistant.rules.standing import of_standing
from assistant.rules.stopping import stop
from assistant.rules.straightened import fewest_legs
from assistant.rules.validity import ask, check_move
from assistant.rules.verdict import Effect, Finding, Outcome, Verdict
from assistant.rules.walk import Walk
from assistant.rules.zone import Zone, unit_zone, zone

__all__ = [
    "ActionOption",
    "FieldOption",
    "Zone",
    "arrangement",
    "coherency_links",
    "cost",
    "engagement",
    "engagement_mm",
    "fields",
    "judge",
    "options",
    "rulebook",
    "rulebooks",
    "unit_zone",
    "way_finding",
    "zone",
]


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
    if move is not None and move.lost:
        return _after_losses(state, move, everything=everything)
    if move is None:
        effects: tuple[Effect, ...] = ()
        found = list(of_standing(book, state, everything=everything))
    else:
        action, asked = check_move(book, state, move)
        found, moved = _of_move(book, action, asked, move)
        effects = tuple(action.effects(moved))
    kept = [f for f in _one_each(found) if everything or f.outcome is not Outcome.LEGAL]
    order = list(Outcome)
    return Verdict(
        rulebook=book.id, findings=tuple(sorted(kept, key=lambda f: order.index(f.outcome))), effects=effects
    )


def cost(state: GameState, unit: str, verdict: Verdict) -> int:
    """Return how many models of a unit its failed tests cost: as many as it has, at most."""
    return min(sum(effect.lost for effect in verdict.effects), len(state.unit(unit).models))


def _after_losses(state: GameState, move: Move, *, everything: bool) -> Verdict:
    """Judge what tests cost, then the move of the models that they have left, if any."""
    rolled = judge(state, replace(move, lost=()))
    due = cost(state, move.unit, rolled)
    if len(move.lost) != due:
        raise BadInput(f"move.lost: the failed tests cost {due} of the models of {move.unit!r}, not {len(move.lost)}")
    left = state.bereft(move.lost)
    if not left.unit(move.unit).models:
        return replace(rolled, findings=())
    paths = {model: path for model, path in move.paths.items() if model not in move.lost}
    rest = judge(left, replace(move, paths=paths, rolls=(), lost=()), everything=everything)
    return replace(rolled, findings=rest.findings)


def way_finding(state: GameState, move: Move, model: str) -> Finding | None:
    """Return what `judge` says of the length of one model's way, without judging the rest of the move.

    None where the action measures no way, or there is none to measure.  Raises as `judge`.
    """
    action, asked = check_move(rulebook(state.rulebook), state, move)
    constraints = tuple(action.constraints(asked))
    lengths = [rule for rule in constraints if isinstance(rule, Allowance | Stay)]
    walk = next(each for each in _walks(action, asked, constraints, move) if each.model.id == model)
    found = _one_each(each for rule in lengths for each in _of_one(rule, constraints, walk))
    return next((finding for finding in found if finding.way), None)


def options(state: GameState, unit: str) -> tuple[ActionOption, ...]:
    """Return every action of the rulebook in its order, and whether the unit may choose it.

    Raises:
        BadInput: there is no such unit, or the situation does not fit the rulebook.

    """
    book, asked = _asked(state, unit)
    return tuple(_option(book, action, asked) for action in book.actions)


def coherency_links(state: GameState, unit: str) -> CoherencyLinks:
    """Return which models of a unit are near enough to each other, and which have too few near them."""
    book, asked = _asked(state, unit)
    rule = book.coherency(asked)
    return links(rule, asked.unit, asked.scene) if rule is not None else CoherencyLinks(links=(), breaking=())


def arrangement(state: GameState, unit: str) -> Arrangement | None:
    """Return how a unit's models are arranged, as it is drawn; None where the rulebook asks nothing about that."""
    book, asked = _asked(state, unit)
    return book.arrangement(asked)


def engagement(state: GameState, unit: str) -> KeepOut:
    """Return the range around an enemy of a unit that a rulebook asks to keep in mind."""
    book, asked = _asked(state, unit)
    return (book.ring or book.engagement)(asked)


def engagement_mm(state: GameState) -> float:
    """Return how far that range reaches; 0 without units."""
    return engagement(state, state.units[0].id).range_mm if state.units else 0.0


def _asked(state: GameState, unit: str) -> tuple[Rulebook, Question]:
    book = rulebook(state.rulebook)
    return book, ask(book, state, unit, "unit")


def _option(book: Rulebook, action: Action, asked: Question) -> ActionOption:
    may = (*out_of_turn(book, action, asked), *action.may(asked))
    because, dice = tuple((f.rule, f.text) for f in may if f.outcome is Outcome.ILLEGAL), action.dice.of(asked.unit)
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


def _one_each(found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the gravest of the findings that one rule has on one offending model, and every note."""
    groups: dict[tuple[str, tuple[str, ...]], list[Finding]] = {}
    for finding in found:
        party = finding.subjects if finding.outcome is Outcome.NOTE else finding.subjects[:1]
        groups.setdefault((finding.rule, party), []).append(finding)
    for group in groups.values():
        worst = gravest(group)
        assert worst is not None
        yield worst


def _of_move(book: Rulebook, action: Action, asked: Question, move: Move) -> tuple[list[Finding], Moved]:
    refusals = [*out_of_turn(book, action, asked), *action.may(asked)]
    found = [*refusals, *announced_late(book, action, asked)]
    constraints = tuple(action.constraints(asked))
    scene, walks, crossed, doubtful = asked.scene, list[Walk](), list[str](), list[str]()
    for walk in _walks(action, asked, constraints, move):
        model_id = walk.model.id
        walks.append(walk)
        known = len(found)
        for constraint in constraints:
            if isinstance(constraint, Cross):
                across = crossing(constraint, constraints, walk)
                found.append(across.finding)
                crossed += [model_id] if across.surely else []
                doubtful += [model_id] if across.surely is None else []
            elif not (isinstance(constraint, KeepOut) and constraint.settled):
                found += _of_one(constraint, constraints, walk)
        refused = any(f.subjects[0] in {model_id, move.unit} for f in refusals if f.outcome is Outcome.ILLEGAL)
        if action.stops and move.observed and not refused:
            found += stop(action.stops, constraints, walk, found[known:])
        scene = walk.scene.after(model_id, move.paths[model_id][-1])
    found += _of_the_whole(replace(asked, scene=scene), constraints, move)
    moved = Moved(
        asked=asked,
        after=scene,
        walks=tuple(walks),
        models=tuple(move.paths),
        crossed=tuple(crossed),
        doubtful=tuple(doubtful),
    )
    return found, moved


def _walks(action: Action, asked: Question, constraints: tuple[Constraint, ...], move: Move) -> Iterator[Walk]:
    """Yield each model's way in turn, those before it standing where theirs ended."""
    scene, moved = asked.scene, list[str]()
    for model_id, path in move.paths.items():
        poses = path[-1:] if action.sets_up else path
        observed = move.observed or action.sets_up
        walk = replace(asked, scene=scene).walk(asked.state.model(model_id), *poses, observed=observed)
        walk = replace(walk, moved=frozenset(moved))
        yield fewest_legs(constraints, walk) if action.straightened else walk
        scene = scene.after(model_id, path[-1])
        moved.append(model_id)


def _of_one(constraint: Constraint, constraints: tuple[Constraint, ...], walk: Walk) -> Iterator[Finding]:
    if isinstance(constraint, Allowance) and not walk.observed:
        yield unseen_length(constraint, constraints, walk)
    else:
        yield from findings(constraint, walk)


def _of_the_whole(asked: Question, constraints: tuple[Constraint, ...], move: Move) -> Iterator[Finding]:
    """Yield what binds the unit as a whole, and the models of it that do not move."""
    unit = asked.state.unit(move.unit)
    left = [model for model in unit.models if model.id not in move.paths]
    for constraint in constraints:
        if isinstance(constraint, Own):
            yield from constraint.after(asked.scene)
        match constraint:
            case Coherency() if any(model.pose is not None for model in unit.models):
                alone = asked.scene.alone(unit)
                yield coherency_finding(constraint, unit, alone, alone.gaps(constraint.range_mm), asked.say)
            case Whole(rule=rule, if_room=if_room):
                names = tuple(m.id for m in left if not if_room or has_room(constraints, asked, m))
                text = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} left out; every model takes part"
                if names:
                    yield Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=names, text=text)
            case KeepOut(settled=True):
                for model_id, path in move.paths.items():
                    stood = asked.walk(asked.state.model(model_id), path[-1], observed=True)
                    yield from findings(constraint, stood)
            case KeepOut(everyone=True) | Near(everyone=True) | Own():
                for model in left:
                    if model.pose is not None:
                        yield from left_behind(constraint, asked.walk(model, model.pose, observed=True))
