"""Warmaster Revolution: the rulebook of its Movement chapter.

It holds the rule table (every row in our own words, and what becomes of it here), the parameters and ``BOOK``.
Stands of 40 by 20 mm in units; formation sets a unit's pace, and initiative, evades and the gap rule bind what moves.
"""

import re

from assistant.errors import BadInput
from assistant.game.state import GameState, Unit
from assistant.rules.books.warmaster_revolution.coherency import build_coherency
from assistant.rules.books.warmaster_revolution.initiative import IGNORES, ORDERED, TOWARD
from assistant.rules.books.warmaster_revolution.movement_limits import build_combat_contact
from assistant.rules.books.warmaster_revolution.moves import CHARACTER, CHARGE, EVADE, HOLD, ORDER, constrain_standing
from assistant.rules.books.warmaster_revolution.pace import describe_arrangement
from assistant.rules.books.warmaster_revolution.parties import is_character
from assistant.rules.books.warmaster_revolution.terrain import AGREED_TERRAIN, subtract_bridges
from assistant.rules.books.warmaster_revolution.troops import PROFILE, check_troops
from assistant.rules.constraints.coherency import Coherency
from assistant.rules.context import RuleContext
from assistant.rules.lengths import format_centimetres
from assistant.rules.rulebook import (
    PREMEASURING,
    Key,
    Rulebook,
    TurnStep,
    build_number_key,
    build_rounds_key,
    parse_rule_table,
)
from assistant.rules.verdict import Outcome

_ROWS = """
wm-01 G   each troop has a full and a half pace, in centimetres
wm-02 G   a pace is the most that a unit goes, not what it must
wm-03 G   every stand of a unit touches another of it, along an edge or at a point
wm-04 G   charges and evades are at full pace in any formation
wm-05 G   a unit of which any stand starts fortified goes half pace, unless it charges or evades
wm-06 G   a column, each stand behind another, goes full pace
wm-07 G   a line, all stands side by side and facing one way, goes full pace
wm-08 G   any other formation goes half pace
wm-09 G   moves by dice or by the result of combat ignore formation
wm-10 S   stands are moved one at a time, each to those placed before it
wm-11 G   how the stands end up arranged is free
wm-12 G   every stand has a clear way to where it ends
wm-13 G   stands move in any direction and turn as they like
wm-14 G   no part of a stand moves further than the pace, the part that moves most included
wm-15 G   no stand goes through a stand of another unit
wm-16 G   own stands that have not moved, and do not fight, may be passed
wm-17 G   own stands that have moved or fight may not
wm-18 G   evaders that burst through friends are the exception
wm-19 G   characters may always be passed
wm-20 G   a stand passes through any gap as wide as its shortest edge
wm-21 G   beside an enemy a gap must be wider than the stand's frontage
wm-22 G   a charge passes between the stands that it is made on
wm-23 G   infantry enters any terrain at no cost
wm-24 G   cavalry and monsters enter hills, bridges, fords, fields and low obstacles only
wm-25 G   chariots and artillery enter hills and bridges only
wm-26 G   machines enter what chariots enter
wm-27 E   a unit in dense terrain is harder to command
wm-28 G   other features stop all but infantry, unless the players agreed otherwise
wm-29 G   steep, rocky and wooded hills are for infantry only
wm-30 G   exceptional features stop everyone
wm-31 G   who must go into terrain that it cannot enter halts at its edge
wm-32 E   who is driven back into such terrain may be confused
wm-33 E   who retreats into such terrain may lose stands
wm-34 G   high walls, towers and large buildings stop everyone but flyers
wm-35 G   only assaulting infantry crosses an intact wall
wm-36 O   by initiative a unit charges or evades from the closest visible enemy within 20 cm
wm-37 G   a unit sees from the front edges of its stands
wm-38 G   stands and high terrain block sight, characters do not
wm-39 S   initiative comes before the first order
wm-40 O   who moved by initiative is given no order this turn
wm-41 O   for anything but the closest enemy it takes an order
wm-42 S   units move one at a time, and each looks at the table as it is then
wm-43 O   of enemies equally close the player chooses
wm-44 G   all-round vision serves to evade; a charge needs a front edge
wm-45 O   artillery does not charge by initiative
wm-46 O   fortified infantry and artillery may be ignored
wm-47 O   so may enemies past a barrier that neither side comes round
wm-48 G   an evade goes at least 1 cm and at most full pace
wm-49 G   directly away: along the shortest line between the closest two stands
wm-50 G   the closest stand evades first, in a straight line
wm-51 G   the others follow one by one, and turning counts
wm-52 O   light cavalry may evade in any direction
wm-53 G   no evade through closed terrain, enemies or combats
wm-54 G/O an evade ends at least 5 cm from enemies and combats
wm-55 G/E evaders may burst through friends, if they come out of them; the friends are confused
wm-56 S   characters move after the units
wm-57 S   in the Command phase characters move by themselves
wm-58 G   a character moves once, at most 60 cm, or 100 flying
wm-59 G   characters treat terrain as infantry, unless they ride a monster
wm-60 S   a character needs no command to move
wm-61 G   a character passes through its own side
wm-62 G   a stand even partly off the table takes its unit off
wm-63 E   who leaves the table in a retreat is destroyed
wm-64 E   else a die decides when, and whether, it comes back
wm-65 G   it comes back as it left, at the same place
wm-66 E   characters that joined it share its fate
wm-67 E   a General who leaves may end the battle
"""
_ELSEWHERE = {
    "wm-09": "such moves come of other chapters; none of the actions here is one",
    "wm-32": "being driven back belongs to shooting, and confusion to its own chapter",
    "wm-33": "retreats belong to combat",
    "wm-35": "assaults on walls belong to the chapter on sieges",
    "wm-63": "retreats belong to combat; the players remove what is destroyed",
    "wm-65": "the players put back what returns, as the photograph of the turn before shows it",
}
_NEVER = {
    ("wm-02", Outcome.TOO_CLOSE): "a pace is the most: what is near to it is wm-01's",
    ("wm-04", Outcome.ILLEGAL): "a permission: full pace, and beyond it is wm-14",
    ("wm-04", Outcome.TOO_CLOSE): "a permission: no formation is asked after",
    ("wm-11", Outcome.ILLEGAL): "a permission: stands that do not touch are wm-03",
    ("wm-11", Outcome.TOO_CLOSE): "a permission: nothing is measured",
    ("wm-13", Outcome.ILLEGAL): "a permission: how far a stand turns and goes is wm-14",
    ("wm-13", Outcome.TOO_CLOSE): "a permission: nothing is measured",
    ("wm-16", Outcome.ILLEGAL): "a permission: what may not be passed is wm-17",
    ("wm-16", Outcome.TOO_CLOSE): "a permission: nothing is measured",
    ("wm-19", Outcome.ILLEGAL): "a permission: who passes through characters breaks nothing",
    ("wm-19", Outcome.TOO_CLOSE): "a permission: nothing is measured",
    ("wm-23", Outcome.ILLEGAL): "a permission: what stops infantry, too, is wm-30 and wm-34",
    ("wm-23", Outcome.TOO_CLOSE): "a permission: nothing is measured",
    ("wm-31", Outcome.ILLEGAL): "to halt at the edge is no offence, and to go on is wm-24 and the like",
    ("wm-31", Outcome.TOO_CLOSE): "whether a stand is in it is too close by wm-24 and the like",
    ("wm-62", Outcome.ILLEGAL): "to leave the table is noted and no offence",
}
_SUMS = {"wm-18": "what wm-55 says of evaders, which is reported"}
RULES = parse_rule_table(_ROWS, _ELSEWHERE, never=_NEVER, sums=_SUMS)
SAYINGS = {
    "battle-may-end": "the General has left: unless {who} comes back at once the battle is over",
    "command-worse-by-1": "commands to {who} are at -1: it is in dense terrain",
    "confused": "{who} is confused: evaders burst through it",
    "off-table-test": "{who} leaves the table: roll a die for it {what}",
    "shares-fate": "{who} shares the fate of {what}",
}
"""How an effect is said: by its name before any colon, with what stands after that."""


_LOST, _JOINED = "lost-stands:", "joined:"
_COUNT = re.compile("[1-9][0-9]*")


def _check_state(state: GameState) -> None:
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


def _build_unit_coherency(asked: RuleContext) -> Coherency | None:
    return None if is_character(asked.unit) else build_coherency(asked)


BOOK = Rulebook(
    id="warmaster-revolution",
    title="Warmaster Revolution, Movement",
    rules=RULES,
    steps=(
        TurnStep(id="initiative", label="Initiative moves", rule="wm-39"),
        TurnStep(id="orders", label="Orders", rule="wm-39"),
        TurnStep(id="characters", label="Characters", rule="wm-56"),
    ),
    actions=(HOLD, ORDER, CHARGE, EVADE, CHARACTER),
    profile=PROFILE,
    statuses=("initiative-moved", "confused", _LOST, _JOINED),
    passing=("initiative-moved",),
    parameters=(
        build_number_key("touch_mm", "stands this near to each other touch, millimetres", 0, 10, 1.0),
        build_number_key("line_tolerance_deg", "how far two facings of a line may differ, degrees", 0, 45, 5.0),
        Key(
            name="one_group",
            values=bool,
            statement="all stands of a unit hang together; else each touches some other",
            default=True,
        ),
        build_number_key(
            "direction_tolerance_deg", "how far off directly away still is directly away, degrees", 0, 45, 3.0
        ),
        AGREED_TERRAIN,
        build_rounds_key(),
        PREMEASURING,
    ),
    intent=(TOWARD, ORDERED, IGNORES),
    arrangement=describe_arrangement,
    say=format_centimetres,
    unit="cm",
    standing=constrain_standing,
    engagement=build_combat_contact,
    coherency=_build_unit_coherency,
    check=_check_state,
    ground=subtract_bridges,
    one_unit="wm-42",
    sayings=SAYINGS,
)
