"""The one function that changes a game."""

from dataclasses import replace

from assistant.game.events import Accepted, Declared, Event, ModelPlaced, ModelSettled, SourceChanged, Withdrawn
from assistant.game.state import GameState, Track


def reduce(state: GameState, event: Event) -> GameState:
    """Return the state after an event.  Pure: the same events always add up to the same state.

    Raises:
        KeyError: the event names a unit or a model that is not in the game.

    """
    match event:
        case ModelPlaced(model=model, pose=pose):
            state.model(model)
            tracks = {key: track for key, track in state.tracks.items() if key != model}
            return replace(state.standing({model: pose}), tracks=tracks)
        case ModelSettled():
            return replace(state, tracks={**state.tracks, event.model: _track(state, event)})
        case Declared(declaration=declaration):
            state.unit(declaration.unit)
            return replace(state, declared=declaration)
        case Withdrawn():
            return replace(state, declared=None)
        case Accepted(models=models):
            ends = {model: state.tracks[model].poses[-1] for model in models}
            left = {model: track for model, track in state.tracks.items() if model not in ends}
            return replace(state.standing(ends), declared=None, tracks=left)
        case SourceChanged():
            return state


def _track(state: GameState, event: ModelSettled) -> Track:
    """Join what was just seen to what was seen before of the same model, from its accepted place on."""
    start = state.model(event.model).pose or event.path[0]
    before = state.tracks.get(event.model, Track(poses=(start,), observed=True))
    return Track(poses=before.poses + event.path[1:], observed=before.observed and event.observed)
