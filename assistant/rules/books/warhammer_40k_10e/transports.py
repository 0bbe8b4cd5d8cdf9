"""Transports: embarking, disembarking and emergency disembarkation."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from assistant.errors import BadInput, MissingField
from assistant.game.state import GameState, Model, Unit
from assistant.rules.books.warhammer_40k_10e.common import (
    EMBARKED,
    MM,
    MOVED,
    add_statuses,
    build_engagement_range,
    constrain_end,
    constrain_solid_terrain,
    find_carrier,
    refuse,
)
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.proximity import Proximity, are_all_near
from assistant.rules.constraints.whole_unit import WholeUnit
from assistant.rules.context import RuleContext
from assistant.rules.engine.placement import fits_together
from assistant.rules.presets import offer_models_of
from assistant.rules.rulebook import Action, CompletedMove, Key
from assistant.rules.selectors import is_any_unit, is_friend
from assistant.rules.verdict import Effect, Finding

_NEAR_MM, _EMERGENCY_MM = 3 * MM, 6 * MM
_FRIENDLY = offer_models_of(is_friend, word="friendly model")


def check_transports(state: GameState) -> None:
    """Raise BadInput where a unit is embarked in what cannot be: nothing known, itself, or one another."""
    for index, unit in enumerate(state.units):
        place = f"units[{index}].status"
        seen, inside = {unit.id}, find_carrier(unit)
        while inside is not None:
            try:
                carrier = state.find_unit_of(inside)
            except KeyError:
                raise BadInput(
                    f'{place}: there is no model "{inside}"; expected the transport that carries it'
                ) from None
            if carrier.id in seen:
                raise BadInput(f'{place}: "{unit.id}" is embarked in itself; expected another unit\'s transport')
            seen.add(carrier.id)
            inside = find_carrier(carrier)


def _find_transport(asked: RuleContext) -> tuple[Unit, Model] | None:
    """Return the transport that the move names, or that the unit is embarked in."""
    named = asked.intent.get("transport", find_carrier(asked.unit))
    if named is None:
        return None
    try:
        return asked.state.find_unit_of(str(named)), asked.state.find_model(str(named))
    except KeyError:
        raise BadInput(f'move.transport: there is no model "{named}" in this situation') from None


# -- embarking


def _require_near(model: str) -> Proximity:
    return Proximity(rule="10e-44", model=model, range_mm=_NEAR_MM, wholly=False, everyone=True)


def _list_refusals(asked: RuleContext, carrier: Unit, model: Model) -> Iterator[Finding]:
    """Yield why a unit may not embark in one transport, wherever it stands."""
    unit = asked.unit
    if carrier.id == unit.id:
        raise BadInput(f'move.transport: "{model.id}" belongs to the unit that is to embark; expected another one\'s')
    if carrier.player != unit.player or "transport" not in carrier.keywords:
        yield refuse("10e-44", unit, f"cannot embark in {model.id}, which is no friendly transport", model.id)
        return
    kind = carrier.profile.get("carries")
    if kind is not None and kind not in unit.keywords:
        yield refuse("10e-41", unit, f"cannot embark in {model.id}, which carries only {kind}", model.id)
    room = carrier.profile.get("capacity")
    aboard = sum(len(other.models) for other in asked.state.units if find_carrier(other) == model.id)
    if isinstance(room, int | float) and aboard + len(unit.models) > room:
        text = f"has {len(unit.models)} models; {model.id} carries {room:g} and has {aboard} aboard"
        yield refuse("10e-41", unit, text, model.id)


def _list_near_transports(asked: RuleContext) -> list[tuple[Unit, Model]]:
    """Return the friendly transports that a unit stands near enough to."""
    unit = asked.unit
    return [
        (carrier, model)
        for carrier, model in asked.state.iterate_models()
        if carrier.player == unit.player and "transport" in carrier.keywords and carrier.id != unit.id
        if model.pose is not None and are_all_near(_require_near(model.id), asked)
    ]


def _list_fitting_transports(asked: RuleContext) -> list[tuple[Unit, Model]]:
    """Return the transports that a unit may embark in where it stands."""
    return [pair for pair in _list_near_transports(asked) if not any(_list_refusals(asked, *pair))]


def _offer_transports(asked: RuleContext) -> list[str]:
    """Return the transports to choose from: a unit leaves the one that it is in, and embarks in the only one near."""
    if find_carrier(asked.unit) is not None:
        return []
    fitting = {model.id for _, model in _list_fitting_transports(asked)}
    return [model for model in _FRIENDLY.offered(asked) if model in fitting] if len(fitting) > 1 else []


def _choose_transport(asked: RuleContext) -> tuple[Unit, Model]:
    """Return the transport to embark in: the one that the move names, or the only one there is.

    Raises:
        BadInput: none is named, and it is not plain which one is meant.

    """
    named = _find_transport(asked) if "transport" in asked.intent else None
    fitting = _list_fitting_transports(asked)
    if named is None and len(fitting) != 1:
        raise MissingField("transport", "the transport to embark in")
    return named or fitting[0]


def _check_embark(asked: RuleContext) -> Iterator[Finding]:
    unit = asked.unit
    if "disembarked" in unit.status:
        yield refuse("10e-45", unit, "has disembarked in this phase")
    if find_carrier(unit) is not None:
        yield refuse("10e-44", unit, "is embarked already")
        return
    if not any(status in unit.status for status in MOVED):
        yield refuse("10e-44", unit, "embarks only after a Normal move, an Advance or a Fall Back")
    named = _find_transport(asked) if "transport" in asked.intent else None
    if named is not None:
        yield from _list_refusals(asked, *named)
        return
    near = _list_near_transports(asked)
    if not near:
        yield refuse("10e-44", unit, 'is not within 3" of a friendly transport')
    reasons = [tuple(_list_refusals(asked, *pair)) for pair in near]
    if reasons and all(reasons):
        yield from reasons[0]


def _constrain_embark(asked: RuleContext) -> Iterator[Constraint]:
    yield _require_near(_choose_transport(asked)[1].id)


def _list_embark_effects(moved: CompletedMove) -> Iterator[Effect]:
    _, transport = _choose_transport(moved.asked)
    yield Effect(rule="10e-44", subjects=(moved.asked.unit.id,), effect=f"{EMBARKED}{transport.id}")


def _add_embarked_status(asked: RuleContext) -> tuple[str, ...]:
    return add_statuses(asked.unit, f"{EMBARKED}{_choose_transport(asked)[1].id}")


# -- disembarking


def _is_transport_destroyed(asked: RuleContext) -> bool:
    named = _find_transport(asked)
    return named is not None and "destroyed" in named[0].status


def _check_embarked(asked: RuleContext) -> Iterator[Finding]:
    """Yield that a unit is not embarked in the transport that it is to leave."""
    named = _find_transport(asked)
    if named is None:
        yield refuse("10e-47", asked.unit, "is not embarked")
    elif named[1].id != find_carrier(asked.unit):
        yield refuse("10e-47", asked.unit, f"is not embarked in {named[1].id}", named[1].id)


def _check_disembark(asked: RuleContext) -> Iterator[Finding]:
    unit, named = asked.unit, _find_transport(asked)
    yield from _check_embarked(asked)
    if named is None or _is_transport_destroyed(asked):
        return
    inside = named[1].id
    if any(status in unit.status for status in MOVED):
        yield refuse("10e-47", unit, "embarked in this phase", inside)
    for status, word in (("advanced", "Advanced"), ("fell-back", "Fell Back")):
        if status in named[0].status:
            yield refuse("10e-52", unit, f"cannot disembark: {inside} {word} this turn", inside)


def _check_escape(asked: RuleContext) -> Iterator[Finding]:
    unit, named = asked.unit, _find_transport(asked)
    yield from _check_embarked(asked)
    if named is None:
        return
    inside = named[1].id
    if not _is_transport_destroyed(asked):
        yield refuse("10e-58", unit, f"cannot disembark in an emergency: {inside} is not destroyed", inside)
    elif fits_together(_build_exit_constraints(_NEAR_MM, "10e-48"), asked):
        yield refuse("10e-58", unit, f'can disembark wholly within 3" of {inside}', inside)


def _build_exit_constraints(range_mm: float, rule: str) -> Callable[[RuleContext], Iterable[Constraint]]:
    """Return what is asked of a unit that leaves a transport within a range."""

    def constraints(asked: RuleContext) -> Iterator[Constraint]:
        named = _find_transport(asked)
        if named is not None:
            yield Proximity(rule=rule, model=named[1].id, range_mm=range_mm, wholly=True)
        yield WholeUnit(rule=rule, if_room=rule == "10e-58")
        yield build_engagement_range(asked, rule=rule)
        yield from constrain_solid_terrain(asked.unit)
        yield from constrain_end(asked, models=len(asked.unit.models))

    return constraints


def _list_disembark_effects(moved: CompletedMove) -> Iterator[Effect]:
    named = _find_transport(moved.asked)
    unit = (moved.asked.unit.id,)
    if named is not None and "destroyed" in named[0].status:
        yield from _list_survivor_effects(moved, "10e-55", "mortal-wound-roll:1")
    elif named is not None and "normal-moved" in named[0].status:
        yield Effect(rule="10e-51", subjects=unit, effect="normal-moved")
        yield Effect(rule="10e-51", subjects=unit, effect="cannot-charge")
    else:
        yield Effect(rule="10e-49", subjects=unit, effect="acts-as-usual")


def _list_escape_effects(moved: CompletedMove) -> Iterator[Effect]:
    yield from _list_survivor_effects(moved, "10e-59", "mortal-wound-roll:3")
    left = tuple(model.id for model in moved.asked.unit.models if model.id not in moved.models)
    if left:
        yield Effect(rule="10e-59", subjects=left, effect="destroyed", destroys=True)


def _list_survivor_effects(moved: CompletedMove, rule: str, roll: str) -> Iterator[Effect]:
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


def _add_disembarked_status(asked: RuleContext) -> tuple[str, ...]:
    """Return the status of a unit that has left its transport."""
    named = _find_transport(asked)
    carried = named[0].status if named else ()
    more = ["normal-moved"] if {"normal-moved", "destroyed"}.intersection(carried) else []
    more += ["battle-shocked"] if "destroyed" in carried else []
    return add_statuses(asked.unit, "disembarked", *more, dropping=(EMBARKED,))


TRANSPORT = Key(
    name="transport",
    values=str,
    statement="the model to embark in or to disembark from",
    # Which of them is a transport, and of whom, the rules on embarking say.
    names=replace(offer_models_of(is_any_unit, word="model"), offered=_offer_transports),
)
EMBARK = Action(
    id="embark",
    label="Embark",
    step="move-units",
    intent=("transport",),
    may=_check_embark,
    constraints=_constrain_embark,
    moves=False,
    effects=_list_embark_effects,
    status=_add_embarked_status,
)
DISEMBARK = Action(
    id="disembark",
    label="Disembark",
    step="move-units",
    intent=("transport",),
    interrupts=_is_transport_destroyed,
    may=_check_disembark,
    constraints=_build_exit_constraints(_NEAR_MM, "10e-48"),
    sets_up=True,
    effects=_list_disembark_effects,
    status=_add_disembarked_status,
)
ESCAPE = Action(
    id="emergency-disembark",
    label="Emergency disembarkation",
    step="move-units",
    intent=("transport",),
    interrupts=_is_transport_destroyed,
    may=_check_escape,
    constraints=_build_exit_constraints(_EMERGENCY_MM, "10e-58"),
    sets_up=True,
    effects=_list_escape_effects,
    status=_add_disembarked_status,
)
