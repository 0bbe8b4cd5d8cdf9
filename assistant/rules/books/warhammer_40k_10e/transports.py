"""Embarking and disembarking."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from assistant.errors import BadInput, MissingField
from assistant.game.state import GameState, Model, Unit
from assistant.rules.books.warhammer_40k_10e.common import (
    EMBARKED,
    MM,
    MOVED,
    embarked_in,
    ending,
    engagement,
    gained,
    refused,
    solid,
)
from assistant.rules.constraints import Constraint, Near, Whole
from assistant.rules.naming import models_of
from assistant.rules.near import all_near
from assistant.rules.parties import everybody, friends
from assistant.rules.room import fits_together
from assistant.rules.rulebook import Action, Key, Moved, Question
from assistant.rules.verdict import Effect, Finding

_NEAR_MM, _EMERGENCY_MM = 3 * MM, 6 * MM
_FRIENDLY = models_of(friends, word="friendly model")


def check_transports(state: GameState) -> None:
    """Raise BadInput where a unit is embarked in what cannot be: nothing known, itself, or one another."""
    for index, unit in enumerate(state.units):
        place = f"units[{index}].status"
        seen, inside = {unit.id}, embarked_in(unit)
        while inside is not None:
            try:
                carrier = state.unit_of(inside)
            except KeyError:
                raise BadInput(
                    f'{place}: there is no model "{inside}"; expected the transport that carries it'
                ) from None
            if carrier.id in seen:
                raise BadInput(f'{place}: "{unit.id}" is embarked in itself; expected another unit\'s transport')
            seen.add(carrier.id)
            inside = embarked_in(carrier)


def _transport(asked: Question) -> tuple[Unit, Model] | None:
    """Return the transport that the move names, or that the unit is embarked in."""
    named = asked.intent.get("transport", embarked_in(asked.unit))
    if named is None:
        return None
    try:
        return asked.state.unit_of(str(named)), asked.state.model(str(named))
    except KeyError:
        raise BadInput(f'move.transport: there is no model "{named}" in this situation') from None


# -- embarking


def _near(model: str) -> Near:
    return Near(rule="10e-44", model=model, range_mm=_NEAR_MM, wholly=False, everyone=True)


def _refusals(asked: Question, carrier: Unit, model: Model) -> Iterator[Finding]:
    """Yield why a unit may not embark in one transport, wherever it stands."""
    unit = asked.unit
    if carrier.id == unit.id:
        raise BadInput(f'move.transport: "{model.id}" belongs to the unit that is to embark; expected another one\'s')
    if carrier.player != unit.player or "transport" not in carrier.keywords:
        yield refused("10e-44", unit, f"cannot embark in {model.id}, which is no friendly transport", model.id)
        return
    kind = carrier.profile.get("carries")
    if kind is not None and kind not in unit.keywords:
        yield refused("10e-41", unit, f"cannot embark in {model.id}, which carries only {kind}", model.id)
    room = carrier.profile.get("capacity")
    aboard = sum(len(other.models) for other in asked.state.units if embarked_in(other) == model.id)
    if isinstance(room, int | float) and aboard + len(unit.models) > room:
        text = f"has {len(unit.models)} models; {model.id} carries {room:g} and has {aboard} aboard"
        yield refused("10e-41", unit, text, model.id)


def _friendly(asked: Question) -> list[tuple[Unit, Model]]:
    """Return the friendly transports that a unit stands near enough to."""
    unit = asked.unit
    return [
        (carrier, model)
        for carrier, model in asked.state.models()
        if carrier.player == unit.player and "transport" in carrier.keywords and carrier.id != unit.id
        if model.pose is not None and all_near(_near(model.id), asked)
    ]


def _fitting(asked: Question) -> list[tuple[Unit, Model]]:
    """Return the transports that a unit may embark in where it stands."""
    return [pair for pair in _friendly(asked) if not any(_refusals(asked, *pair))]


def _offered(asked: Question) -> list[str]:
    """Return the transports to choose from: a unit leaves the one that it is in, and embarks in the only one near."""
    if embarked_in(asked.unit) is not None:
        return []
    fitting = {model.id for _, model in _fitting(asked)}
    return [model for model in _FRIENDLY.offered(asked) if model in fitting] if len(fitting) > 1 else []


def _boarded(asked: Question) -> tuple[Unit, Model]:
    """Return the transport to embark in: the one that the move names, or the only one there is.

    Raises:
        BadInput: none is named, and it is not plain which one is meant.

    """
    named = _transport(asked) if "transport" in asked.intent else None
    fitting = _fitting(asked)
    if named is None and len(fitting) != 1:
        raise MissingField("transport", "the transport to embark in")
    return named or fitting[0]


def _may_embark(asked: Question) -> Iterator[Finding]:
    unit = asked.unit
    if "disembarked" in unit.status:
        yield refused("10e-45", unit, "has disembarked in this phase")
    if embarked_in(unit) is not None:
        yield refused("10e-44", unit, "is embarked already")
        return
    if not any(status in unit.status for status in MOVED):
        yield refused("10e-44", unit, "embarks only after a Normal move, an Advance or a Fall Back")
    named = _transport(asked) if "transport" in asked.intent else None
    if named is not None:
        yield from _refusals(asked, *named)
        return
    near = _friendly(asked)
    if not near:
        yield refused("10e-44", unit, 'is not within 3" of a friendly transport')
    reasons = [tuple(_refusals(asked, *pair)) for pair in near]
    if reasons and all(reasons):
        yield from reasons[0]


def _embarking(asked: Question) -> Iterator[Constraint]:
    yield _near(_boarded(asked)[1].id)


def _embarked(moved: Moved) -> Iterator[Effect]:
    _, transport = _boarded(moved.asked)
    yield Effect(rule="10e-44", subjects=(moved.asked.unit.id,), effect=f"{EMBARKED}{transport.id}")


def _aboard(asked: Question) -> tuple[str, ...]:
    return gained(asked.unit, f"{EMBARKED}{_boarded(asked)[1].id}")


# -- disembarking


def _destroyed(asked: Question) -> bool:
    named = _transport(asked)
    return named is not None and "destroyed" in named[0].status


def _not_inside(asked: Question) -> Iterator[Finding]:
    """Yield that a unit is not embarked in the transport that it is to leave."""
    named = _transport(asked)
    if named is None:
        yield refused("10e-47", asked.unit, "is not embarked")
    elif named[1].id != embarked_in(asked.unit):
        yield refused("10e-47", asked.unit, f"is not embarked in {named[1].id}", named[1].id)


def _may_disembark(asked: Question) -> Iterator[Finding]:
    unit, named = asked.unit, _transport(asked)
    yield from _not_inside(asked)
    if named is None or _destroyed(asked):
        return
    inside = named[1].id
    if any(status in unit.status for status in MOVED):
        yield refused("10e-47", unit, "embarked in this phase", inside)
    for status, word in (("advanced", "Advanced"), ("fell-back", "Fell Back")):
        if status in named[0].status:
            yield refused("10e-52", unit, f"cannot disembark: {inside} {word} this turn", inside)


def _may_escape(asked: Question) -> Iterator[Finding]:
    unit, named = asked.unit, _transport(asked)
    yield from _not_inside(asked)
    if named is None:
        return
    inside = named[1].id
    if not _destroyed(asked):
        yield refused("10e-58", unit, f"cannot disembark in an emergency: {inside} is not destroyed", inside)
    elif fits_together(_out(_NEAR_MM, "10e-48"), asked):
        yield refused("10e-58", unit, f'can disembark wholly within 3" of {inside}', inside)


def _out(range_mm: float, rule: str) -> Callable[[Question], Iterable[Constraint]]:
    """Return what is asked of a unit that leaves a transport within a range."""

    def constraints(asked: Question) -> Iterator[Constraint]:
        named = _transport(asked)
        if named is not None:
            yield Near(rule=rule, model=named[1].id, range_mm=range_mm, wholly=True)
        yield Whole(rule=rule, if_room=rule == "10e-58")
        yield engagement(asked, rule=rule)
        yield from solid(asked.unit)
        yield from ending(asked, models=len(asked.unit.models))

    return constraints


def _disembarked(moved: Moved) -> Iterator[Effect]:
    named = _transport(moved.asked)
    unit = (moved.asked.unit.id,)
    if named is not None and "destroyed" in named[0].status:
        yield from _survived(moved, "10e-55", "mortal-wound-roll:1")
    elif named is not None and "normal-moved" in named[0].status:
        yield Effect(rule="10e-51", subjects=unit, effect="normal-moved")
        yield Effect(rule="10e-51", subjects=unit, effect="cannot-charge")
    else:
        yield Effect(rule="10e-49", subjects=unit, effect="acts-as-usual")


def _escaped(moved: Moved) -> Iterator[Effect]:
    yield from _survived(moved, "10e-59", "mortal-wound-roll:3")
    left = tuple(model.id for model in moved.asked.unit.models if model.id not in moved.models)
    if left:
        yield Effect(rule="10e-59", subjects=left, effect="destroyed", destroys=True)


def _survived(moved: Moved, rule: str, roll: str) -> Iterator[Effect]:
    """Yield what becomes of a unit whose transport was destroyed, by the numbers of the rules."""
    unit = (moved.asked.unit.id,)
    effects = [
        Effect(rule="10e-54", subjects=unit, effect="no-deadly-demise"),
        Effect(rule=rule, subjects=moved.models, effect=roll),
        Effect(rule="10e-56", subjects=unit, effect="battle-shocked"),
        Effect(rule="10e-57", subjects=unit, effect="normal-moved"),
        Effect(rule="10e-57", subjects=unit, effect="cannot-charge"),
    ]
    yield from sorted(effects, key=lambda effect: effect.rule)


def _afoot(asked: Question) -> tuple[str, ...]:
    """Return the status of a unit that has left its transport."""
    named = _transport(asked)
    carried = named[0].status if named else ()
    more = ["normal-moved"] if {"normal-moved", "destroyed"}.intersection(carried) else []
    more += ["battle-shocked"] if "destroyed" in carried else []
    return gained(asked.unit, "disembarked", *more, dropping=(EMBARKED,))


TRANSPORT = Key(
    name="transport",
    values=str,
    statement="the model to embark in or to disembark from",
    # Which of them is a transport, and of whom, the rules on embarking say.
    names=replace(models_of(everybody, word="model"), offered=_offered),
)
EMBARK = Action(
    id="embark",
    label="Embark",
    step="move-units",
    intent=("transport",),
    may=_may_embark,
    constraints=_embarking,
    moves=False,
    effects=_embarked,
    status=_aboard,
)
DISEMBARK = Action(
    id="disembark",
    label="Disembark",
    step="move-units",
    intent=("transport",),
    interrupts=_destroyed,
    may=_may_disembark,
    constraints=_out(_NEAR_MM, "10e-48"),
    sets_up=True,
    effects=_disembarked,
    status=_afoot,
)
ESCAPE = Action(
    id="emergency-disembark",
    label="Emergency disembarkation",
    step="move-units",
    intent=("transport",),
    interrupts=_destroyed,
    may=_may_escape,
    constraints=_out(_EMERGENCY_MM, "10e-58"),
    sets_up=True,
    effects=_escaped,
    status=_afoot,
)
