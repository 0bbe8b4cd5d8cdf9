"""What the referee says of the table as it stands: everything that the pages show."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from assistant.announced import Pick, choices, missing_dice, starting
from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, Declaration, GameState
from assistant.judged import referred
from assistant.overlay.compose import compose, zone_shapes
from assistant.overlay.shapes import Layer, OverlayShape
from assistant.rules.judge import ActionOption, FieldOption, Zone, fields, rulebook
from assistant.rules.rulebook import Rulebook
from assistant.rules.sequence import moved_again
from assistant.rules.validity import ask, on_the_table
from assistant.rules.verdict import Finding, Verdict

RESTORING = "The table is being put back: nothing is judged until that is done."


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the referee says of the table as it stands."""

    verdict: Verdict | None
    options: tuple[ActionOption, ...]
    note: str
    """What is missing before more can be said, in one sentence; empty if nothing is."""
    shapes: tuple[OverlayShape, ...]
    zone: Zone | None = None
    """Where the picked model may end, once that is known."""
    tests: int = 0
    """How many dice the move's own tests take; they may be given, or rolled elsewhere."""
    costs: int = 0
    """How many models of the unit the failed tests destroy."""
    may: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The labels of the actions that each unit may still choose, by unit id; empty while nobody counts turns."""
    fields: tuple[FieldOption, ...] = ()
    """What the announced move may say that it means to do."""
    ways: tuple[Finding, ...] = ()
    """How long the way of each model that has moved is, against what it is allowed: the judge's own findings."""


def reaching(answer: Answer, zone: Zone | None) -> Answer:
    """Return an answer with another zone, which is often worked out after all the rest."""
    others = tuple(shape for shape in answer.shapes if shape.layer is not Layer.ZONE)
    return replace(answer, zone=zone, shapes=(*(zone_shapes(zone) if zone else ()), *others))


def refer(state: GameState, pick: Pick | None) -> Answer:
    """Ask the rulebook everything that the pages show besides the zone."""
    if state.restoring is not None:
        return Answer(verdict=None, options=(), note=RESTORING, shapes=())
    declared = state.declared
    now = state.as_it_stands()
    if state.rulebook == NO_RULEBOOK:
        shapes = compose(state=now, tracks=state.tracks, verdict=None, unit=None)
        return Answer(verdict=None, options=(), note="", shapes=shapes)
    book, missing = rulebook(state.rulebook), missing_dice(state)
    judged, trouble = referred(book, state, now)
    shown = _shown(book, now, declared)
    said = _fields(state, declared) if declared else ()
    ways = tuple(way for way in judged.ways if declared is None or way.subjects[0] not in declared.lost)
    notes = (missing, judged.note, _strangers(book, state), trouble)
    return Answer(
        verdict=judged.verdict,
        options=choices(state, pick.unit) if pick else (),
        note=" ".join(note for note in notes if note),
        shapes=compose(
            state=shown,
            # What is put on the table has come no way on it.
            tracks={m: track for m, track in shown.tracks.items() if not book.absent(state.unit_of(m))},
            verdict=judged.verdict,
            unit=pick.unit if pick else None,
            named={name: option.label for option in said if option.names for name in option.chosen},
            ways=ways,
        ),
        tests=judged.tests,
        costs=judged.costs,
        may={unit.id: _may(state, unit.id) for unit in state.units if unit.models} if state.turn else {},
        fields=said,
        ways=ways,
    )


def _fields(state: GameState, declared: Declaration) -> tuple[FieldOption, ...]:
    """Return the fields of the announced move, to be chosen from where its unit started."""
    return fields(starting(state, declared.unit), declared.unit, declared.action, intent=declared.intent)


def _may(state: GameState, unit: str) -> tuple[str, ...]:
    return tuple(option.label for option in choices(state, unit) if option.allowed)


def _strangers(book: Rulebook, state: GameState) -> str:
    """Return what there is to say of models which moved but do not belong to the declared unit."""
    again = moved_again(book, state)
    sentences = [f"{_have(again)} moved again after acting this turn ({book.acts_once})."] if again else []
    if state.declared is not None:
        mine = {model.id for model in state.unit(state.declared.unit).models}
        moved = [model for model in state.tracks if model not in mine and model not in again]
        sentences += [f"{_have(moved)} moved too, which is not part of this move and is not judged."] if moved else []
    return " ".join(sentences)


def _have(models: Sequence[str]) -> str:
    return f"{', '.join(models)} {'has' if len(models) == 1 else 'have'}"


def _shown(book: Rulebook, now: GameState, declared: Declaration | None) -> GameState:
    """Return what stands on the table: a unit that is being set up as if it had been, others only if they are there."""
    if declared is not None:
        action = book.action(declared.action)
        if action.sets_up and book.absent(now.unit(declared.unit)):
            asked = ask(book, now, declared.unit, "unit", rolls=declared.rolls, intent=declared.intent)
            with suppress(BadInput):  # which the note says
                now = now.having({declared.unit: action.status(asked)})
        now = now.bereft(declared.lost)
    return on_the_table(book, now)
