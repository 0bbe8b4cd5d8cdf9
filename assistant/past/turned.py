"""What was recorded, with models and units called by other names: those that they are known to have had."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from assistant.game.events import (
    Accepted,
    Bumped,
    Declared,
    Event,
    ModelPlaced,
    ModelSettled,
    ModelsRemoved,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    StatusSet,
    Swapped,
)
from assistant.game.state import Declaration, Setting
from assistant.record.called import Called
from assistant.record.journal import PosesSeen, Seen

Known = Callable[[str], str]
"""The name that a model is known to have had; of anything else its own."""


def seen_otherwise(seen: Seen, known: Known) -> Seen:
    """Return what was seen, or called, of the models that it is known to have been."""
    match seen:
        case PosesSeen(poses=poses):
            turned = (pose.model_copy(update={"model": known(pose.model)}) for pose in poses)
            return seen.model_copy(update={"poses": tuple(turned)})
        case Called(findings=findings, effects=effects):
            return seen.model_copy(
                update={
                    "findings": tuple(
                        f.model_copy(update={"subjects": _all(f.subjects, known), "text": _said(f.text, known)})
                        for f in findings
                    ),
                    "effects": tuple(e.model_copy(update={"subjects": _all(e.subjects, known)}) for e in effects),
                }
            )
        case _:
            return seen


def named_otherwise(event: Event, known: Known, units: Mapping[str, str]) -> Event:
    """Return an event with its models, and its unit where that is another, called by their known names.

    Args:
        event: as it was recorded.
        known: of each model.
        units: whose move it is known to have been, by the unit whose it was thought to be.

    """
    match event:
        case ModelPlaced() | ModelSettled():
            return replace(event, model=known(event.model))
        case Declared(declaration=told):
            return Declared(declaration=_declared(told, known, units))
        case Accepted():
            return replace(
                event,
                models=_all(event.models, known),
                unit=units.get(event.unit, event.unit) if event.unit else None,
                status={units.get(unit, unit): status for unit, status in event.status.items()},
                off=_all(event.off, known),
                lost=_all(event.lost, known),
            )
        case Ruled(ruling=ruling):
            unit = units.get(ruling.unit, ruling.unit) if ruling.unit else None
            return Ruled(ruling=replace(ruling, subjects=_all(ruling.subjects, known), unit=unit))
        case Bumped() | PutBack() | ModelsRemoved():
            return replace(event, models=_all(event.models, known))
        case Swapped(models=(one, two), tags=tags):
            return replace(
                event, models=(known(one), known(two)), tags={tag: known(model) for tag, model in tags.items()}
            )
        case RestoringBegan(restoring=restoring):
            places = {known(model): stood for model, stood in restoring.places.items()}
            return RestoringBegan(restoring=replace(restoring, places=places))
        case Restored():
            return replace(event, back=_all(event.back, known), stay=_all(event.stay, known))
        case StatusSet():
            return replace(event, off=_all(event.off, known))
        case _:
            return event


def _declared(told: Declaration, known: Known, units: Mapping[str, str]) -> Declaration:
    intent = {name: _meant(value, known) for name, value in told.intent.items()}
    return replace(told, unit=units.get(told.unit, told.unit), intent=intent, lost=_all(told.lost, known))


def _meant(value: Setting, known: Known) -> Setting:
    if isinstance(value, str):
        return known(value)
    return _all(value, known) if isinstance(value, tuple) else value


def _all(models: Iterable[str], known: Known) -> tuple[str, ...]:
    return tuple(known(model) for model in models)


def _said(text: str, known: Known) -> str:
    """Return a sentence about models by their known names."""
    return re.sub(r"[\w-]+", lambda word: known(word.group()), text)
