"""Warmaster Revolution: the Movement chapter.

Stands of 40 by 20 mm in units; formation sets a unit's pace, and initiative, evades and the gap rule bind what moves.
"""

import re

from assistant.errors import BadInput
from assistant.game.state import GameState, Unit
from assistant.rules.books.warmaster_revolution.foes import is_character
from assistant.rules.books.warmaster_revolution.ground import AGREED_TERRAIN, bridged
from assistant.rules.books.warmaster_revolution.joining import joined
from assistant.rules.books.warmaster_revolution.moves import CHARACTER, CHARGE, EVADE, HOLD, ORDER, standing
from assistant.rules.books.warmaster_revolution.names import IGNORES, ORDERED, TOWARD
from assistant.rules.books.warmaster_revolution.pace import arrangement
from assistant.rules.books.warmaster_revolution.stands import combat
from assistant.rules.books.warmaster_revolution.table import RULES, SAYINGS
from assistant.rules.books.warmaster_revolution.troops import PROFILE, check_troops
from assistant.rules.constraints import Coherency
from assistant.rules.rulebook import Key, Question, Rulebook, Step, number
from assistant.rules.words import centimetres

_LOST, _JOINED = "lost-stands:", "joined:"
_COUNT = re.compile("[1-9][0-9]*")


def _check(state: GameState) -> None:
    """Raise BadInput where a unit does not say what it is, or a status names nothing."""
    check_troops(state)
    for index, unit in enumerate(state.units):
        for at, status in enumerate(unit.status):
            place, (name, _, what) = f"units[{index}].status[{at}]", status.partition(":")
            if f"{name}:" == _LOST:
                _check_lost(place, unit, what)
            elif f"{name}:" == _JOINED:
                _check_joined(place, state, unit, what)


def _check_lost(place: str, unit: Unit, count: str) -> None:
    if not _COUNT.fullmatch(count):
        raise BadInput(f'{place}: "{count}" is no number of stands; expected such as {_LOST}1')
    if sum(status.startswith(_LOST) for status in unit.status) > 1:
        raise BadInput(f'{place}: unit "{unit.id}" says twice how many stands it lost; expected it once')


def _check_joined(place: str, state: GameState, unit: Unit, name: str) -> None:
    if not is_character(unit):
        raise BadInput(f'{place}: unit "{unit.id}" is no character, and only characters join units')
    friends = [other.id for other in state.units if other.player == unit.player and not is_character(other)]
    if name not in friends:
        known = f"one of {', '.join(friends)}" if friends else "none, for there is none"
        raise BadInput(f'{place}: there is no friendly unit "{name}" to join; expected {known}')


def _coherency(asked: Question) -> Coherency | None:
    return None if is_character(asked.unit) else joined(asked)


BOOK = Rulebook(
    id="warmaster-revolution",
    title="Warmaster Revolution, Movement",
    rules=RULES,
    steps=(
        Step(id="initiative", label="Initiative moves", rule="wm-39"),
        Step(id="orders", label="Orders", rule="wm-39"),
        Step(id="characters", label="Characters", rule="wm-56"),
    ),
    actions=(HOLD, ORDER, CHARGE, EVADE, CHARACTER),
    profile=PROFILE,
    statuses=("initiative-moved", "confused", _LOST, _JOINED),
    passing=("initiative-moved",),
    parameters=(
        number("touch_mm", "stands this near to each other touch, millimetres", 0, 10, 1.0),
        number("line_tolerance_deg", "how far two facings of a line may differ, degrees", 0, 45, 5.0),
        Key(
            name="one_group",
            values=bool,
            statement="all stands of a unit hang together; else each touches some other",
            default=True,
        ),
        number("direction_tolerance_deg", "how far off directly away still is directly away, degrees", 0, 45, 3.0),
        AGREED_TERRAIN,
    ),
    intent=(TOWARD, ORDERED, IGNORES),
    arrangement=arrangement,
    say=centimetres,
    unit="cm",
    standing=standing,
    engagement=combat,
    coherency=_coherency,
    check=_check,
    ground=bridged,
    one_unit="wm-42",
    sayings=SAYINGS,
)
