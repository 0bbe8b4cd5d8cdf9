"""Charges and evades by initiative: which enemy they may be made on or from, and why not another (wm-36 to wm-47)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assistant.errors import MissingField
from assistant.game.state import GameState, Unit
from assistant.rules.books.warmaster_revolution.barrier import may_be_ignored
from assistant.rules.books.warmaster_revolution.foes import Foe, foes, is_character
from assistant.rules.books.warmaster_revolution.sighting import View, view
from assistant.rules.rulebook import Question
from assistant.rules.ruling import measured, outcome_of, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.words import apart

RANGE_MM = 200.0
_GRAVITY = list(Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What is done by initiative."""

    verb: str
    all_round: bool
    """Units with all-round vision use it."""


_CHARGE = _Kind(verb="charges", all_round=False)
_EVADE = _Kind(verb="evades from", all_round=True)


def orders_begun(state: GameState) -> bool:
    """Return whether an order has been given in this turn, as people say or as the turn that is counted shows."""
    return state.orders_begun or (state.turn is not None and "order" in state.turn.done.values())


def may_order(asked: Question) -> Iterator[Finding]:
    """Yield why a unit is given no order: one that used its initiative, and characters."""
    if is_character(asked.unit):
        yield _refused("wm-57", asked.unit, "is a character: it moves after the units, and neither with nor like them")
    elif "initiative-moved" in asked.unit.status:
        yield _refused("wm-40", asked.unit, "has moved by initiative: it is given no orders this turn")


def may_charge(asked: Question) -> Iterator[Finding]:
    """Yield what the rules say of a charge: by order, or by initiative on the enemy that the move names.

    Raises:
        MissingField: a move names no enemy.

    """
    unit = asked.unit
    if asked.intent.get("ordered", False):
        yield from may_order(asked)
    elif not is_character(unit) and not orders_begun(asked.state) and unit.profile["troop"] == "artillery":
        yield _refused("wm-45", unit, "is artillery: it does not charge by initiative")
    else:
        yield from _by_initiative(asked, _CHARGE)


def may_evade(asked: Question) -> Iterator[Finding]:
    """Yield what the rules say of an evade from the enemy that the move names; errors as in `may_charge`."""
    yield from _by_initiative(asked, _EVADE)


def _by_initiative(asked: Question, kind: _Kind) -> Iterator[Finding]:
    if is_character(asked.unit):
        yield from may_order(asked)
    elif orders_begun(asked.state):
        yield _refused("wm-39", asked.unit, "comes too late: initiative ends with the first order of the turn")
    elif "toward" in asked.intent:
        yield from _of_the_named(asked, kind, str(asked.intent["toward"]))
    elif asked.paths is not None:
        raise MissingField("toward", f"the enemy unit that {asked.unit.id} {kind.verb}")
    else:
        yield from _of_anyone(asked, kind)


def _of_the_named(asked: Question, kind: _Kind, name: str) -> list[Finding]:
    known = foes(asked)
    foe = next((foe for foe in known if foe.unit.id == name), None)
    if foe is None:
        text = f"{asked.unit.id} and {name} are not both on the table"
        return [Finding(rule="wm-36", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id, name), text=text)]
    ignored = asked.intent.get("ignores", ())
    assert isinstance(ignored, tuple)
    return _judged(asked, kind, foe, known, lambda unit: unit.id in ignored)


def nameable(asked: Question) -> list[str]:
    """Return the enemies that a unit may charge or evade from by initiative, or may, the closest first."""
    known = foes(asked)
    named = {foe.unit.id for kind in (_CHARGE, _EVADE) for foe in _nameable(asked, kind, known)}
    return [foe.unit.id for foe in known if foe.unit.id in named]


def _of_anyone(asked: Question, kind: _Kind) -> list[Finding]:
    """Return why no enemy may be named: the reason about the closest; nothing if one may."""
    known = foes(asked)
    if not known:
        text = f"there is no enemy that {asked.unit.id} could see"
        return [Finding(rule="wm-36", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)]
    return [] if any(True for _ in _nameable(asked, kind, known)) else _judged(asked, kind, known[0], known, _anyone)


def _nameable(asked: Question, kind: _Kind, known: Sequence[Foe]) -> Iterator[Foe]:
    """Yield the enemies that may be named, or of whom it is too close to call, if all are ignored that may be."""
    for foe in known:
        if within_range(asked, foe).outcome is Outcome.ILLEGAL:
            return
        if all(found.outcome is not Outcome.ILLEGAL for found in _judged(asked, kind, foe, known, _anyone)):
            yield foe


# -- one enemy


def _judged(
    asked: Question, kind: _Kind, foe: Foe, known: Sequence[Foe], ignored: Callable[[Unit], bool]
) -> list[Finding]:
    """Return the first of the reasons why an enemy may not be named, or else what leaves it open, or that it may."""
    found = [within_range(asked, foe)]
    if found[0].outcome is not Outcome.ILLEGAL:
        found.append(_in_sight(asked, kind, foe))
    if all(each.outcome is not Outcome.ILLEGAL for each in found):
        found.append(_closest(asked, kind, foe, known, ignored))
    worst = min(found, key=lambda each: _GRAVITY.index(each.outcome))
    return found if worst.outcome is Outcome.LEGAL else [worst]


def within_range(asked: Question, foe: Foe) -> Finding:
    """Return whether an enemy is near enough for initiative."""
    unit, other = asked.unit.id, foe.unit.id
    length, limit = apart(asked.say, foe.gap.mm, RANGE_MM)

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{unit} is {length} from {other}, within {limit}"
            case Outcome.TOO_CLOSE:
                return (
                    f"{unit} is {length} from {other}, too close to {limit} to call whether it may use its initiative"
                )
            case _:
                return f"{unit} is {length} from {other}: initiative reaches no further than {limit}"

    return measured(
        "wm-36",
        (unit, other),
        measured_mm=foe.gap.mm,
        limit_mm=RANGE_MM,
        margin_mm=RANGE_MM - foe.gap.mm,
        sigma_mm=foe.sigma_mm,
        witness_mm=(foe.gap.near, foe.gap.far),
        text=text,
    )


def _in_sight(asked: Question, kind: _Kind, foe: Foe) -> Finding:
    unit, other = asked.unit.id, foe.unit.id
    found = _view(asked, kind, foe)
    if found.seen:
        return Finding(rule="wm-37", outcome=Outcome.LEGAL, subjects=(unit, other), text=f"{unit} sees {other}")
    if not kind.all_round and _sees_all_round(asked.unit) and _view(asked, _EVADE, foe).seen != found.seen:
        rule, text = "wm-44", f"{unit} sees {other} from no front edge: a charge needs one, whatever it sees all round"
    elif found.before:
        rule, text = "wm-38", f"{unit} does not see {other}: something stands in every line between them"
    else:
        rule, text = "wm-37", f"{unit} does not see {other}: it is before no edge that looks"
    if found.seen is None:
        text = f"it is too close to call whether {unit} sees {other}{' from a front edge' if rule == 'wm-44' else ''}"
        return Finding(rule=rule, outcome=Outcome.TOO_CLOSE, subjects=(unit, other), text=text)
    return Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(unit, other), text=text)


def _closest(asked: Question, kind: _Kind, foe: Foe, known: Sequence[Foe], ignored: Callable[[Unit], bool]) -> Finding:
    """Return whether no visible enemy is closer, but for those that are rightly ignored; equally close is free."""
    unit, other = asked.unit.id, foe.unit.id
    doubt: Finding | None = None
    for rival in known:
        sigma_mm = together(rival.sigma_mm, foe.sigma_mm)
        margin_mm = rival.gap.mm - foe.gap.mm
        if rival.unit.id == other or outcome_of(margin_mm, sigma_mm) is Outcome.LEGAL:
            continue
        counts = _counts(asked, kind, rival, ignored)
        if counts is False:
            continue
        finding = _rivalled(asked, foe, rival, sure=counts is True)
        if finding.outcome is Outcome.ILLEGAL:
            return finding
        doubt = doubt or finding
    text = f"{other} is the closest enemy that {unit} sees and does not ignore"
    return doubt or Finding(rule="wm-41", outcome=Outcome.LEGAL, subjects=(unit, other), text=text)


def _counts(asked: Question, kind: _Kind, rival: Foe, ignored: Callable[[Unit], bool]) -> bool | None:
    """Return whether an enemy is seen and not rightly ignored; None where that is open."""
    seen = _view(asked, kind, rival).seen
    if seen is False or not ignored(rival.unit):
        return seen
    rightly = may_be_ignored(asked, rival.unit)
    return False if rightly else None if rightly is None else seen


def _rivalled(asked: Question, foe: Foe, rival: Foe, *, sure: bool) -> Finding:
    """Return what a closer enemy comes to, or one that may be closer."""
    unit, other, closer = asked.unit.id, foe.unit.id, rival.unit.id
    near, far = apart(asked.say, rival.gap.mm, foe.gap.mm)
    if not sure:
        text = f"{closer}, {near} from {unit}, is closer than {other}: it is too close to call whether it counts"
        return Finding(rule="wm-41", outcome=Outcome.TOO_CLOSE, subjects=(unit, other), text=text)
    doubt = ", too close to call which is closer" if near != far else ""
    return measured(
        "wm-41",
        (unit, other),
        measured_mm=foe.gap.mm,
        limit_mm=rival.gap.mm,
        margin_mm=rival.gap.mm - foe.gap.mm,
        sigma_mm=together(rival.sigma_mm, foe.sigma_mm),
        witness_mm=(foe.gap.near, foe.gap.far),
        text=lambda outcome: (
            f"{closer} is {near} from {unit} and {other} {far}{doubt}"
            if outcome is Outcome.TOO_CLOSE
            else f"{closer} is closer to {unit} than {other}, {near} against {far}: "
            "for any but the closest it takes an order"
        ),
    )


# -- figures and predicates


def _view(asked: Question, kind: _Kind, foe: Foe) -> View:
    return view(
        asked.scene,
        asked.unit.id,
        foe.unit.id,
        all_round=kind.all_round and _sees_all_round(asked.unit),
        touch_mm=asked.number("touch_mm"),
    )


def _sees_all_round(unit: Unit) -> bool:
    return "all-round-vision" in unit.keywords


def _anyone(_: Unit) -> bool:
    return True


def _refused(rule: str, unit: Unit, why: str) -> Finding:
    return Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(unit.id,), text=f"{unit.id} {why}")
