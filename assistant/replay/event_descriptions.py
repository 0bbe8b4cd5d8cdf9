"""Event descriptions: what happened, as sentences that a player understands."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

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
    ParametersSet,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    ScoreSet,
    SourceChanged,
    StatusSet,
    StepBegan,
    Swapped,
    TerrainSettled,
    TerrainTaken,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Pose, Ruling, Setting, TerrainPlace
from assistant.game.terrain_places import is_in_place
from assistant.recording.journal.row_types import NotRecorded
from assistant.replay.formatting import OUTCOMES, RULED_OUTCOMES, SECOND_NS, format_length
from assistant.rules.books import find_rulebook
from assistant.table.observations import describe_change, describe_slip
from assistant.table.terrain_watch import describe_shift
from vision.types import ChangeKind

HappeningKind = Literal[
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDescription:
    """What kind of thing happened, and the sentence that tells it."""

    kind: HappeningKind
    text: str
    units: tuple[str, ...] = ()
    """Whom it is about."""


def describe_gap(from_ns: int, gap: NotRecorded) -> str:
    """Tell what the record lacks of the time when it could not be written."""
    seconds = max(1, round((gap.until_ns - from_ns) / SECOND_NS))
    counts = (
        (gap.lost_poses, "pictures' poses"),
        (gap.lost_events, "events"),
        (gap.lost_pictures, "camera pictures"),
    )
    lost = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"For {seconds} s nothing could be recorded ({gap.why}); lost: {lost or 'nothing'}."


def describe_event(event: Event, before: GameState) -> EventDescription:
    """Tell an event of a game in which everything stood as ``before``."""
    match event:
        case ModelPlaced(model=model):
            return EventDescription(
                kind="place", text=f"{model} was seen on the table.", units=find_units(before, (model,))
            )
        case ModelSettled():
            way = _format_path_length(before, event.path)
            unseen = "" if event.observed else ", not all of it seen"
            text = f"{event.model} moved {way}{unseen}."
            return EventDescription(kind="move", text=text, units=find_units(before, (event.model,)))
        case Declared(declaration=declaration):
            return EventDescription(
                kind="told", text=f"{describe_declaration(before, declaration)}.", units=(declaration.unit,)
            )
        case Withdrawn():
            units: tuple[str, ...] = (before.declared.unit,) if before.declared else ()
            whose = f" of {before.name_unit(units[0])}" if units else ""
            text = f"The announcement{whose} was taken back."
            return EventDescription(kind="told", text=text, units=units)
        case Accepted():
            return _describe_acceptance(event, before)
        case Ruled(ruling=ruling):
            units = (ruling.unit,) if ruling.unit else find_units(before, ruling.subjects)
            return EventDescription(kind="ruling", text=describe_ruling(before, ruling), units=units)
        case Bumped(models=models):
            text = f"{_list_models(models)} pushed by mistake: no move."
            return EventDescription(kind="status", text=text, units=find_units(before, models))
        case PutBack(models=models):
            text = f"{', '.join(models)} went back to where they stood: no move."
            return EventDescription(kind="status", text=text, units=find_units(before, models))
        case Swapped(models=models):
            return EventDescription(kind="status", text=describe_swap(event), units=find_units(before, models))
        case Exchanged(models=(one, two) as models):
            text = f"From here on {one} and {two} are told apart as was found out later."
            return EventDescription(kind="status", text=text, units=find_units(before, models))
        case RestoringBegan(restoring=restoring):
            text = f"The table is being put back to {restoring.when}: what moves models meanwhile is no move."
            return EventDescription(kind="status", text=text)
        case Restored(back=back, stay=stay):
            rest = f" {_list_models(stay)} not: {'it stays' if len(stay) == 1 else 'they stay'}." if stay else ""
            stood = "1 model stands where it" if len(back) == 1 else f"{len(back)} models stand where they"
            return EventDescription(
                kind="status",
                text=f"The table was put back: {stood} stood.{rest}",
                units=find_units(before, (*back, *stay)),
            )
        case TurnBegan(player=player, step=step):
            number = before.turn.number + 1 if before.turn else 1
            return EventDescription(
                kind="turn", text=f"Turn {number} of {player} began with {_find_step_label(before, step)}."
            )
        case StepBegan(step=step, player=player):
            whose = f" of {player}" if player else ""
            return EventDescription(kind="turn", text=f"{_find_step_label(before, step)}{whose} began.")
        case ParametersSet(parameters=parameters):
            return EventDescription(kind="status", text=_describe_parameters(before, parameters))
        case ScoreSet(player=player, score=score):
            of = f" with {score.army}" if score.army else ""
            points = "1 point" if score.points == 1 else f"{score.points} points"
            return EventDescription(kind="status", text=f"{player}{of} has {points}.")
        case StatusSet(unit=unit, status=status):
            name = before.name_unit(unit)
            text = f"{name} is {', '.join(status)}." if status else f"{name} has no status any more."
            return EventDescription(kind="status", text=text, units=(unit,))
        case ModelsRemoved(models=models):
            return EventDescription(
                kind="status", text=f"{_list_models(models)} destroyed.", units=find_units(before, models)
            )
        case TerrainSettled(piece=piece, place=place):
            return EventDescription(kind="status", text=_describe_terrain(before, piece, place))
        case TerrainTaken(pieces=pieces, place=place):
            text = f"{_describe_terrain(before, pieces[0], place)} It was taken as it lies."
            return EventDescription(kind="status", text=text)
        case Undone(ruling=taken_back):
            if taken_back is None:
                return EventDescription(kind="undo", text="The last decision was taken back.")
            units = (taken_back.unit,) if taken_back.unit else ()
            text = f"This ruling was taken back: {describe_ruling(before, taken_back)}"
            return EventDescription(kind="undo", text=text, units=units)
        case SourceChanged(state=state, text=text):
            return EventDescription(kind="camera", text=_describe_camera(state, text))
        case CalibrationChanged():
            return EventDescription(kind="calibration", text=_describe_calibration(event))


def describe_swap(event: Swapped) -> str:
    """Tell that two models carry each other's markers, as a sentence."""
    one, two = event.models
    before = ", and did before: the record of that time is wrong about them" if event.since_ns is not None else ""
    return f"{one} and {two} carry each other's markers{before}; what is seen of one now counts for the other."


def describe_declaration(state: GameState, declaration: Declaration) -> str:
    """Return an announcement as a sentence without its full stop."""
    dice = f" with {', '.join(map(str, declaration.rolls))} rolled" if declaration.rolls else ""
    meant = [f"{name} {_format_value(value)}" for name, value in declaration.intent.items()]
    means = f" ({'; '.join(meant)})" if meant else ""
    return f"{state.name_unit(declaration.unit)} announced {_find_action_label(state, declaration.action)}{dice}{means}"


def describe_ruling(state: GameState, ruling: Ruling) -> str:
    """Return what people decided, and why, as sentences."""
    who = "The judge ruled" if ruling.by == "judge" else "The players agreed"
    about = f", of: {ruling.text}" if ruling.text else ""
    agreed = f" Agreed on {format_length(state, ruling.agreed_mm)}." if ruling.agreed_mm is not None else ""
    note = f" {ruling.note[0].upper()}{ruling.note[1:].rstrip('.')}." if ruling.note else ""
    return f"{who}: {RULED_OUTCOMES[ruling.outcome]}{about}.{agreed}{note}"


def _describe_acceptance(event: Accepted, before: GameState) -> EventDescription:
    if event.unit is None or event.action is None:
        where = "where it stands" if len(event.models) == 1 else "where they stand"
        text = f"{_list_models(event.models)} accepted {where}." if event.models else "What stands was accepted."
        return EventDescription(kind="accept", text=text, units=find_units(before, event.models))
    outcome = OUTCOMES.get(event.outcome, event.outcome)
    text = f"{_find_action_label(before, event.action)} of {before.name_unit(event.unit)} was accepted: {outcome}."
    return EventDescription(kind="accept", text=text, units=(event.unit,))


def find_units(state: GameState, subjects: Iterable[str]) -> tuple[str, ...]:
    """Return the units that subjects, models or units, belong to."""
    owners = {model.id: unit.id for unit, model in state.iterate_models()} | {unit.id: unit.id for unit in state.units}
    return tuple(dict.fromkeys(owners[name] for name in subjects if name in owners))


def _format_path_length(state: GameState, path: tuple[Pose, ...]) -> str:
    legs = (math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path))
    return format_length(state, sum(legs))


def _list_models(models: tuple[str, ...]) -> str:
    return f"{', '.join(models)} {'was' if len(models) == 1 else 'were'}"


def _find_action_label(state: GameState, action: str) -> str:
    try:
        return find_rulebook(state.rulebook).find_action(action).label
    except KeyError:  # an older rulebook's
        return action


def _describe_parameters(before: GameState, parameters: Mapping[str, Setting]) -> str:
    statements = {key.name: key.statement for key in find_rulebook(before.rulebook).parameters}
    said = "; ".join(f"{statements[name]}: {_describe_setting(value)}" for name, value in parameters.items())
    return f"The players agreed. {said[0].upper()}{said[1:]}."


def _describe_setting(value: Setting) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _find_step_label(state: GameState, step: str) -> str:
    if state.rulebook == NO_RULEBOOK:
        return step
    return next((each.label for each in find_rulebook(state.rulebook).steps if each.id == step), step)


def _format_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _describe_terrain(before: GameState, piece: str, place: TerrainPlace) -> str:
    known = next((each for each in before.terrain if each.id == piece), None)
    if known is None:
        return f"{piece} was moved."
    return f"{piece} lies in its place again." if is_in_place(known, place) else describe_shift(known, place)


def _describe_camera(state: str, text: str) -> str:
    what = {"live": "The camera delivers pictures", "lost": "The camera was lost", "ended": "The pictures ended"}
    return f"{what.get(state, 'The camera is ' + state)}{f': {text}' if text and state != 'live' else ''}."


def _describe_calibration(event: CalibrationChanged) -> str:
    if event.what == ChangeKind.ANCHOR_SLIPPED and event.tag is not None:
        return describe_slip(event.tag, event.moved_mm)
    return describe_change(event) or f"The camera crept by {event.moved_mm:.1f} mm and was followed."
