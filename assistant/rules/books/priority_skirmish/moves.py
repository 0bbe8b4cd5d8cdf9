"""Hold, the move, the Defensive and the Stealth move."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from assistant.errors import BadInput
from assistant.rules.books.priority_skirmish.common import in_contact, level_mm, mm, ring
from assistant.rules.books.priority_skirmish.company import benefits, coherency
from assistant.rules.books.priority_skirmish.engaging import engaging, engaging_ways, named
from assistant.rules.books.priority_skirmish.ground import costs, ground, impassable
from assistant.rules.books.priority_skirmish.staying import engaged_unit, stays
from assistant.rules.constraints import Constraint, OnTable, Own
from assistant.rules.edge import edge_finding
from assistant.rules.keepout import engagements
from assistant.rules.parties import enemies, everybody
from assistant.rules.rulebook import Action, Moved, Question
from assistant.rules.usual import across, by_centre, on_top
from assistant.rules.verdict import Effect, Finding, Outcome
from assistant.rules.walk import Walk

_EDGE = OnTable(rule="pri-19", leaving=True)


def standing(asked: Question) -> Iterator[Constraint]:
    """Yield what holds wherever a model stands, and of the unit as a whole."""
    yield from _ending(asked)
    yield impassable(on_the_way=False)


def _ending(asked: Question) -> Iterator[Constraint]:
    yield Own(findings=partial(_leaving, asked)) if asked.parameters["leaving"] else _EDGE
    yield on_top("pri-14", everybody, level_mm(asked))
    together = coherency(asked)
    if together is not None:
        yield together


def _leaving(asked: Question, walk: Walk) -> Iterator[Finding]:
    """Yield a note on a model that leaves the table by a rule that lets it."""
    found = edge_finding(_EDGE, walk)
    if found.outcome is not Outcome.LEGAL:
        text = f'{found.text}, as "{asked.parameters["leaving"]}" allows'
        yield replace(found, outcome=Outcome.NOTE, text=text)


# -- what is asked of a move


def _limit_mm(share: float, asked: Question) -> float | None:
    move_in = asked.unit.profile.get("move_in")
    return mm(move_in * share) if isinstance(move_in, int | float) else None


def _holding(asked: Question) -> Iterator[Constraint]:
    yield by_centre("pri-03", 0.0)
    yield from _ending(asked)


def _moving(rule: str, share: float, asked: Question) -> Iterator[Constraint]:
    """Yield what holds of a move of a share of the allowance, but for what is asked of one who means to engage."""
    limit_mm, names = _limit_mm(share, asked), named(asked)
    if limit_mm is None:
        raise BadInput(f'unit "{asked.unit.id}": profile.move_in is missing; a move is measured against it')
    yield by_centre(rule, limit_mm, costs(asked))
    yield across("pri-12", enemies, level_mm(asked))
    yield replace(ring(asked), among=lambda model: model not in names)
    yield stays(asked)
    yield from ground()
    yield from _ending(asked)


def _judged(rule: str, share: float, asked: Question) -> Iterator[Constraint]:
    yield from _moving(rule, share, asked)
    yield from engaging(asked)


def _ways(rule: str, share: float, asked: Question) -> Iterator[tuple[Constraint, ...]]:
    for way in engaging_ways(asked, _limit_mm(share, asked) or 0.0):
        yield (*_moving(rule, share, asked), *way)


def _may(rule: str, keyword: str, asked: Question) -> Iterator[Finding]:
    yield from engaged_unit(asked)
    if keyword not in asked.unit.keywords:
        text = f"{asked.unit.id} has no {keyword}, which this move takes"
        yield Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)


# -- what follows


def _followed(rule: str, keyword: str, effect: str, moved: Moved) -> Iterator[Effect]:
    unit = moved.asked.unit
    if keyword in unit.keywords:
        yield Effect(rule=rule, subjects=(unit.id,), effect=effect)
    yield from _follows(moved)


def _follows(moved: Moved) -> Iterator[Effect]:
    yield from _engaged(moved)
    yield from _left(moved)
    yield from benefits(moved)


def _engaged(moved: Moved) -> Iterator[Effect]:
    """Yield that a model that moved, and the enemies that it is surely in contact with, move no more."""
    met = list(engagements(in_contact(moved.asked), moved.after, moved.asked.unit, moved.models))
    for model in moved.models:
        sure = [f.subjects[1] for f in met if f.subjects[0] == model and f.outcome is Outcome.ILLEGAL]
        if sure:
            yield Effect(rule="pri-17", subjects=(model, *sure), effect="cannot-move")


def _left(moved: Moved) -> Iterator[Effect]:
    """Yield which models have left the table by a rule that lets them."""
    asked = moved.asked
    paths = asked.paths if asked.paths and asked.parameters["leaving"] else {}
    for model, path in paths.items():
        walk = asked.walk(asked.state.model(model), *path, observed=asked.observed)
        if edge_finding(_EDGE, walk).outcome is Outcome.ILLEGAL:
            yield Effect(rule="pri-19", subjects=(model,), effect="left-table")


# -- actions

HOLD = Action(id="hold", label="Hold", step="move", constraints=_holding, effects=_follows)
MOVE = Action(
    id="move",
    label="Move",
    step="move",
    intent=("engages",),
    may=engaged_unit,
    limit_mm=partial(_limit_mm, 1.0),
    constraints=partial(_judged, "pri-03", 1.0),
    ways=partial(_ways, "pri-03", 1.0),
    effects=_follows,
)
DEFENSIVE = Action(
    id="defensive",
    label="Defensive move",
    step="move",
    intent=("engages",),
    may=partial(_may, "pri-06", "shield"),
    limit_mm=partial(_limit_mm, 0.5),
    constraints=partial(_judged, "pri-06", 0.5),
    ways=partial(_ways, "pri-06", 0.5),
    effects=partial(_followed, "pri-06", "shield", "save-better-by-1"),
)
STEALTH = Action(
    id="stealth",
    label="Stealth move",
    step="move",
    intent=("engages",),
    may=partial(_may, "pri-07", "cloak"),
    limit_mm=partial(_limit_mm, 0.5),
    constraints=partial(_judged, "pri-07", 0.5),
    ways=partial(_ways, "pri-07", 0.5),
    effects=partial(_followed, "pri-07", "cloak", "attackers-perception-worse-by-1"),
)
