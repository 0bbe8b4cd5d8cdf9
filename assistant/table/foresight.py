"""Foresight: where models may go that a hand may touch next, worked out before it does.

What is drawn at a touch takes several times as long as a picture of a page lasts.  While the table is still it is
worked out for the models of whoever's turn it is, in a process of its own that yields to all others, so that no picture
waits for it.
"""

import pickle
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState, Unit
from assistant.overlay.composition import draw_band, draw_zone
from assistant.overlay.shapes import OverlayShape
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import Referee
from assistant.table.declared_move import Pick
from assistant.table.zone_query import ZoneRequest, build_zone_request, list_bands, refine_zone

MOST_FORESEEN = 80
"""Models; all of them take half a megabyte to every page that may touch them."""
WITHIN_MM = 0.5
"""How far off what is foreseen may be drawn: less than a pixel of a tablet that shows the whole table."""
ZONE_S = 0.3
"""A zone that takes longer, because its base may turn, is shown as far as it is known by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What would be drawn if a model were picked."""

    limit_mm: float | None
    """As of a zone."""
    shapes: tuple[OverlayShape, ...]
    """Its zone and bands, up to `WITHIN_MM` off."""


def list_likely_picks(state: GameState) -> tuple[Pick, ...]:
    """Return what may be touched next, the likeliest first: the announced unit, then a model of each unit in turn."""
    if state.rulebook == NO_RULEBOOK or state.restoring is not None:
        return ()
    declared, turn = state.declared, state.turn
    units = [unit for unit in state.units if turn is None or unit.player == turn.player]
    units.sort(key=lambda unit: turn is not None and unit.id in turn.done)
    announced = [unit for unit in units if declared and unit.id == declared.unit]
    others = [_list_picks(state, unit) for unit in units if unit not in announced]
    picks = chain(*(_list_picks(state, unit) for unit in announced), *zip_longest(*others))
    return tuple(pick for pick in picks if pick is not None)[:MOST_FORESEEN]


def _list_picks(state: GameState, unit: Unit) -> list[Pick]:
    stands = (model.id for model in unit.models if model.pose is not None or model.id in state.tracks)
    return [Pick(unit=unit.id, model=model) for model in stands]


def select_standing(models: Iterable[str], before: GameState, after: GameState) -> set[str]:
    """Return the models for which what was foreseen of one state may be drawn until it is of another.

    Their own units stand and act as they did; what has changed elsewhere shows once the table answers a touch.
    """
    if (before.rulebook, before.parameters, before.terrain) != (after.rulebook, after.parameters, after.terrain):
        return set()
    likely = {pick.model: pick.unit for pick in list_likely_picks(after)}
    stands = {unit: _list_own(before, unit) == _list_own(after, unit) for unit in set(likely.values())}
    return {model for model in models if model in likely and stands[likely[model]]}


def _list_own(state: GameState, unit: str) -> tuple[object, ...]:
    """Return what a state has of a unit alone."""
    own = next((each for each in state.units if each.id == unit), None)
    tracks = [state.tracks.get(model.id) for model in own.models] if own else []
    return own, tracks, state.declared if state.declared and state.declared.unit == unit else None


def foresee(referee: Referee, pick: Pick) -> Foreseen | None:
    """Return what would be drawn if something were picked; None where nothing would.

    Raises:
        BadInput: the game does not fit its rulebook.

    """
    request = build_zone_request(referee, pick)
    zone = request and _find_zone(request)
    if not zone:
        return None
    shapes = list(draw_zone(zone, WITHIN_MM))
    for number, asked in enumerate(list_bands(referee, pick, request)):
        if (band := _find_zone(asked.zone)) is not None:
            shapes += draw_band(number, band, asked.label, WITHIN_MM)
    return Foreseen(limit_mm=zone.limit_mm, shapes=tuple(shapes))


def _find_zone(request: ZoneRequest) -> MovementZone | None:
    """Return a zone as far as it is known before long; None where its action lacks something."""
    until_s = time.perf_counter() + ZONE_S
    known: MovementZone | None = None
    with suppress(BadInput):
        for better in refine_zone(request):
            known = better
            if time.perf_counter() > until_s:
                break
    return known


def foresee_all(pickled: bytes, picks: Iterable[Pick]) -> dict[str, Foreseen]:
    """Return what would be drawn of picks that show anything, by model; to be called in another process.

    Args:
        pickled: the state of the game.
        picks: of it.

    """
    return dict(_foresee_each(pickled, picks))


def _foresee_each(pickled: bytes, picks: Iterable[Pick]) -> Iterator[tuple[str, Foreseen]]:
    for pick in picks:
        with suppress(BadInput):  # which the report says
            if foreseen := foresee(_prepare(pickled), pick):
                yield pick.model, foreseen


@lru_cache(maxsize=1)
def _prepare(pickled: bytes) -> Referee:
    state: GameState = pickle.loads(pickled)  # noqa: S301 - it comes from this program itself
    return Referee(state)
