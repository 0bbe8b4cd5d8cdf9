"""What happened, as sentences that a player understands."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from assistant.calibrated import change_said, slip_said
from assistant.game.events import (
    Accepted,
    Bumped,
    CalibrationChanged,
    Declared,
    Event,
    Exchanged,
    ModelPlaced,
    ModelSettled,
    ModelsRemoved,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    SourceChanged,
    StatusSet,
    StepBegan,
    Swapped,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Pose, Ruling
from assistant.record.journal import NotRecorded
from assistant.rules.judge import rulebook
from assistant.rules.words import inches
from vision.types import ChangeKind

Kind = Literal[
    "place",
    "move",
    "told",
    "accept",
    "turn",
    "status",
    "undo",
    "camera",
    "calibrated",
    "calibration",
    "ruling",
    "differs",
]

OUTCOMES = {
    "legal": "legal",
    "illegal": "not legal",
    "too-close": "too close to call",
    "unobserved": "not seen",
    "note": "a note",
    "unjudged": "not judged",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What kind of thing happened, and the sentence that tells it."""

    kind: Kind
    text: str
    units: tuple[str, ...] = ()
    """Whom it is about."""


def gap_said(from_ns: int, gap: NotRecorded) -> str:
    """Tell what the record lacks of the time when it could not be written."""
    seconds = max(1, round((gap.until_ns - from_ns) / 1e9))
    counts = (
        (gap.lost_poses, "pictures' poses"),
        (gap.lost_events, "events"),
        (gap.lost_pictures, "camera pictures"),
    )
    lost = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"For {seconds} s nothing could be recorded ({gap.why}); lost: {lost or 'nothing'}."


def said(event: Event, before: GameState) -> Said:
    """Tell an event of a game in which everything stood as ``before``."""
    match event:
        case ModelPlaced(model=model):
            return Said(kind="place", text=f"{model} was seen on the table.", units=_of(before, (model,)))
        case ModelSettled():
            way = _length(before, event.path)
            unseen = "" if event.observed else ", not all of it seen"
            text = f"{event.model} moved {way}{unseen}."
            return Said(kind="move", text=text, units=_of(before, (event.model,)))
        case Declared(declaration=declaration):
            return Said(kind="told", text=f"{declared_said(before, declaration)}.", units=(declaration.unit,))
        case Withdrawn():
            told = before.declared
            text = f"The announcement of {told.unit} was taken back." if told else "The announcement was taken back."
            return Said(kind="told", text=text, units=(told.unit,) if told else ())
        case Accepted():
            return _accepted(event, before)
        case Ruled(ruling=ruling):
            units = (ruling.unit,) if ruling.unit else _of(before, ruling.subjects)
            return Said(kind="ruling", text=ruling_said(before, ruling), units=units)
        case Bumped(models=models):
            text = f"{_listed(models)} pushed by mistake: no move."
            return Said(kind="status", text=text, units=_of(before, models))
        case PutBack(models=models):
            text = f"{', '.join(models)} went back to where they stood: no move."
            return Said(kind="status", text=text, units=_of(before, models))
        case Swapped(models=models):
            return Said(kind="status", text=swapped_said(event), units=_of(before, models))
        case Exchanged(models=(one, two) as models):
            text = f"From here on {one} and {two} are told apart as was found out later."
            return Said(kind="status", text=text, units=_of(before, models))
        case RestoringBegan(restoring=restoring):
            text = f"The table is being put back to {restoring.when}: what moves models meanwhile is no move."
            return Said(kind="status", text=text)
        case Restored(back=back, stay=stay):
            rest = f" {_listed(stay)} not: {'it stays' if len(stay) == 1 else 'they stay'}." if stay else ""
            stood = f"{len(back)} model{' stands' if len(back) == 1 else 's stand'} where {_they(back)} stood."
            return Said(kind="status", text=f"The table was put back: {stood}{rest}", units=_of(before, (*back, *stay)))
        case TurnBegan(player=player, step=step):
            number = before.turn.number + 1 if before.turn else 1
            return Said(kind="turn", text=f"Turn {number} of {player} began with {_step(before, step)}.")
        case StepBegan(step=step, player=player):
            whose = f" of {player}" if player else ""
            return Said(kind="turn", text=f"{_step(before, step)}{whose} began.")
        case StatusSet(unit=unit, status=status):
            text = f"{unit} is {', '.join(status)}." if status else f"{unit} has no status any more."
            return Said(kind="status", text=text, units=(unit,))
        case ModelsRemoved(models=models):
            return Said(kind="status", text=f"{_listed(models)} destroyed.", units=_of(before, models))
        case Undone(ruling=taken_back):
            if taken_back is None:
                return Said(kind="undo", text="The last decision was taken back.")
            units = (taken_back.unit,) if taken_back.unit else ()
            text = f"This ruling was taken back: {ruling_said(before, taken_back)}"
            return Said(kind="undo", text=text, units=units)
        case SourceChanged(state=state, text=text):
            return Said(kind="camera", text=_camera(state, text))
        case CalibrationChanged():
            return Said(kind="calibration", text=_calibration(event))


def swapped_said(event: Swapped) -> str:
    """Tell that two models carry each other's tags, as a sentence."""
    one, two = event.models
    before = ", and did before: the record of that time is wrong about them" if event.since_ns is not None else ""
    return f"{one} and {two} carry each other's tags{before}; what is seen of one now counts for the other."


def declared_said(state: GameState, told: Declaration) -> str:
    """Return an announcement as a sentence without its full stop."""
    dice = f" with {', '.join(map(str, told.rolls))} rolled" if told.rolls else ""
    meant = [f"{name} {_value(value)}" for name, value in told.intent.items()]
    means = f" ({'; '.join(meant)})" if meant else ""
    return f"{told.unit} announced {_label(state, told.action)}{dice}{means}"


def ruling_said(state: GameState, ruling: Ruling) -> str:
    """Return what people decided, and why, as sentences."""
    who = "The judge ruled" if ruling.by == "judge" else "The players agreed"
    what = {"legal": "legal", "illegal": "not legal", "again": "the move is made again"}[ruling.outcome]
    about = f", of: {ruling.text}" if ruling.text else ""
    agreed = f" Agreed on {length_said(state, ruling.agreed_mm)}." if ruling.agreed_mm is not None else ""
    note = f" {ruling.note[0].upper()}{ruling.note[1:].rstrip('.')}." if ruling.note else ""
    return f"{who}: {what}{about}.{agreed}{note}"


def lowered(sentence: str) -> str:
    """Return a sentence as the end of another, which has its own full stop."""
    return sentence[0].lower() + sentence[1:].rstrip(".")


def _accepted(event: Accepted, before: GameState) -> Said:
    if event.unit is None or event.action is None:
        where = "where it stands" if len(event.models) == 1 else "where they stand"
        text = f"{_listed(event.models)} accepted {where}." if event.models else "What stands was accepted."
        return Said(kind="accept", text=text, units=_of(before, event.models))
    outcome = OUTCOMES.get(event.outcome, event.outcome)
    text = f"{_label(before, event.action)} of {event.unit} was accepted: {outcome}."
    return Said(kind="accept", text=text, units=(event.unit,))


def length_said(state: GameState, mm: float, decimals: int = 2) -> str:
    """Return a length in the rulebook's unit."""
    return inches(mm, decimals) if state.rulebook == NO_RULEBOOK else rulebook(state.rulebook).say(mm, decimals)


def units_of(state: GameState, subjects: Iterable[str]) -> tuple[str, ...]:
    """Return the units that subjects, models or units, belong to."""
    return _of(state, subjects)


def _of(state: GameState, subjects: Iterable[str]) -> tuple[str, ...]:
    owners = {model.id: unit.id for unit, model in state.models()} | {unit.id: unit.id for unit in state.units}
    return tuple(dict.fromkeys(owners[name] for name in subjects if name in owners))


def _length(state: GameState, path: tuple[Pose, ...]) -> str:
    legs = (math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path))
    return length_said(state, sum(legs))


def _listed(models: tuple[str, ...]) -> str:
    return f"{', '.join(models)} {'was' if len(models) == 1 else 'were'}"


def _they(models: tuple[str, ...]) -> str:
    return "it" if len(models) == 1 else "they"


def _label(state: GameState, action: str) -> str:
    try:
        return rulebook(state.rulebook).action(action).label
    except KeyError:  # an older rulebook's
        return action


def _step(state: GameState, step: str) -> str:
    if state.rulebook == NO_RULEBOOK:
        return step
    return next((each.label for each in rulebook(state.rulebook).steps if each.id == step), step)


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _camera(state: str, text: str) -> str:
    what = {"live": "The camera delivers pictures", "lost": "The camera was lost", "ended": "The pictures ended"}
    return f"{what.get(state, 'The camera is ' + state)}{f': {text}' if text and state != 'live' else ''}."


def _calibration(event: CalibrationChanged) -> str:
    if event.what == ChangeKind.ANCHOR_SLIPPED and event.tag is not None:
        return slip_said(event.tag, event.moved_mm)
    return change_said(event) or f"The camera crept by {event.moved_mm:.1f} mm and was followed."
