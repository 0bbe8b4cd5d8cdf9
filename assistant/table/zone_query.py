"""Zone queries: which zone is to be drawn for the picked model, and what computes it."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from assistant.errors import BadInput
from assistant.game.state import Declaration, GameState, Setting
from assistant.rules.engine.end_region import Facing
from assistant.rules.movement_zone import MovementZone
from assistant.rules.premeasuring import find_premeasuring
from assistant.rules.referee import Referee
from assistant.rules.rulebook import Rulebook, give_no_limit
from assistant.table.declared_move import Pick, describe_missing_dice, find_plain_move, list_choices


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneRequest:
    """A zone to work out: where a model may end an action."""

    referee: Referee
    """Of the table with the model where it started."""
    model: str
    action: str
    rolls: tuple[int, ...]
    intent: Mapping[str, Setting]


class ZoneSolver(Protocol):
    """Knows zones, now or later."""

    def __call__(self, request: ZoneRequest, name: Hashable = "", /) -> MovementZone | None:
        """Return what is known of a zone so far; the same object while nothing more is known.

        A request takes the place of the one before under the same name.
        """

    def forget(self, name: Hashable, /) -> None:
        """Drop what is known under a name that nobody asks for any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BandRequest:
    """A zone to work out of an action that is not announced, to be drawn as a band around the one that is likeliest."""

    zone: ZoneRequest
    label: str
    """The action, and the dice that it takes to get so far."""


MOST_BANDS = 3


def list_bands(referee: Referee, pick: Pick, drawn: ZoneRequest | None) -> tuple[BandRequest, ...]:
    """Return the questions whose answers are drawn around a zone: where further actions of the unit lead.

    Of an action that takes dice it is how far it leads as often as not, and how far with the best of luck.  Once an
    action is announced there are none.
    """
    declared = referee.state.declared
    if drawn is None or (declared is not None and declared.unit == pick.unit):
        return ()
    book, unit = drawn.referee.book, drawn.referee.state.find_unit(pick.unit)
    bands = list[BandRequest]()
    for option in list_choices(drawn.referee, pick.unit):
        action = book.find_action(option.action)
        dice = action.dice.resolve(unit)
        is_other = option.allowed and action.moves and not action.sets_up and option.action != drawn.action
        if not is_other or action.limit_mm is give_no_limit or dice.most != dice.least:
            continue
        for total in _choose_totals(dice.least, dice.sides):
            rolls = _spread_total(total, dice.least, dice.sides)
            label = f"{option.label} with {total}+" if rolls else option.label
            zone = replace(drawn, action=option.action, rolls=rolls, intent={})
            bands.append(BandRequest(zone=zone, label=label))
    return tuple(bands[:MOST_BANDS])


def _choose_totals(count: int, sides: int) -> tuple[int, ...]:
    """Return the greatest total of dice that is reached as often as not, and one that is reached once in six times."""
    if count == 0:
        return (0,)
    ways = {0: 1}
    for _ in range(count):
        ways = {
            total: sum(ways.get(total - side, 0) for side in range(1, sides + 1))
            for total in range(min(ways) + 1, max(ways) + sides + 1)
        }
    reached = {total: sum(n for each, n in ways.items() if each >= total) / sides**count for total in ways}
    return tuple(max(total for total, share in reached.items() if share >= least - 1e-9) for least in (1 / 2, 1 / 6))


def _spread_total(total: int, count: int, sides: int) -> tuple[int, ...]:
    """Return dice that come to a total, the highest first."""
    rolls = list[int]()
    for left in range(count - 1, -1, -1):
        rolls.append(min(sides, total - sum(rolls) - left))
    return tuple(rolls)


def build_zone_request(referee: Referee, pick: Pick | None) -> ZoneRequest | None:
    """Return the question whose answer is the zone to draw; None if there is none to draw."""
    if pick is None:
        return None
    referee = _prepare_premeasuring(referee, pick)
    state, declared = referee.state, referee.state.declared
    if declared is None or pick.unit != declared.unit or pick.model in declared.lost:
        return None
    if describe_missing_dice(state) or declared.action not in {
        o.action for o in list_choices(referee, pick.unit) if o.allowed
    }:
        return None
    mover = state.find_model(pick.model)
    if mover.pose is None and not referee.book.find_action(declared.action).sets_up:
        return None
    # From where it started, among the others as they stand now; what has been seen of its own way changes nothing, and
    # of its mates' only who of them has moved before it.
    mates = {model.id for model in state.find_unit(declared.unit).models} - {mover.id}
    tracks = {model: track for model, track in state.tracks.items() if model in mates}
    now = replace(state.apply_tracks(), tracks=tracks, declared=None).place_models({mover.id: mover.pose})
    now = now.remove_models(declared.lost)
    return ZoneRequest(
        referee=referee.follow(now),
        model=mover.id,
        action=declared.action,
        rolls=_select_action_dice(referee.book, declared, state),
        intent=declared.intent,
    )


def compute_zone(request: ZoneRequest, facing: Facing) -> MovementZone:
    """Work a zone out.

    Raises:
        BadInput: the announced move lacks something that its action needs.

    """
    return request.referee.find_zone(
        model=request.model,
        action=request.action,
        rolls=request.rolls,
        intent=request.intent,
        facing=facing,
        alone=True,
    )


def refine_zone(request: ZoneRequest) -> Iterator[MovementZone]:
    """Yield what is known of a zone at any facing, at once and then more and more of it; errors as `compute_zone`.

    The places at which a base may end as it is turned come before the others.
    """
    return request.referee.refine_zone(
        model=request.model, action=request.action, rolls=request.rolls, intent=request.intent, alone=True
    )


class _NoZones:
    def __call__(self, _: ZoneRequest, _name: Hashable = "") -> MovementZone | None:
        return None

    def forget(self, name: Hashable) -> None:
        pass


skip_zone = _NoZones()
"""Works no zone out: a session with this solver does not even ask which one is to be drawn."""


class ImmediateZoneSolver:
    """Works zones out when they are asked for, with a base's own facing, and remembers the last."""

    def __init__(self) -> None:
        self._last = dict[Hashable, tuple[ZoneRequest, MovementZone | None]]()

    def __call__(self, request: ZoneRequest, name: Hashable = "") -> MovementZone | None:
        """Return the zone; None if the announced move lacks something that its action needs."""
        last = self._last.get(name)
        if last is None or last[0] != request:
            try:
                last = (request, compute_zone(request, "keep"))
            except BadInput:
                last = (request, None)
            self._last[name] = last
        return last[1]

    def forget(self, name: Hashable) -> None:
        """Drop what is known under a name."""
        self._last.pop(name, None)


def _prepare_premeasuring(referee: Referee, pick: Pick) -> Referee:
    """Return where to measure: of a unit for which nothing is announced a plain move in no one's turn, if one may."""
    declared_now = referee.state.declared
    is_announced = declared_now is not None and declared_now.unit == pick.unit
    if is_announced or not find_premeasuring(referee.state).allowed:
        return referee
    free = referee.follow(replace(referee.state, turn=None, declared=None))
    action = find_plain_move(free, pick.unit)
    declared = None if action is None else Declaration(unit=pick.unit, action=action)
    return free.follow(replace(free.state, declared=declared))


def _select_action_dice(book: Rulebook, declared: Declaration, state: GameState) -> tuple[int, ...]:
    """Return the dice that decide where models may go: not those of tests."""
    dice = book.find_action(declared.action).dice.resolve(state.find_unit(declared.unit))
    return declared.rolls[: dice.least]
