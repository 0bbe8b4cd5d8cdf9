"""Warhammer 40,000, tenth edition: the rulebook of its Movement phase.

It holds the rule table (every row, in our own words, and what becomes of it here), the parameters and ``BOOK``.
Figures beyond the chapter (engagement range, coherency, pivots) are parameters.
"""

from assistant.rules.books.warhammer_40k_10e.common import (
    build_coherency,
    build_engagement_range,
    constrain_end,
    is_absent,
)
from assistant.rules.books.warhammer_40k_10e.moves import ADVANCE, FALL_BACK, NORMAL, SET_UP, STATIONARY
from assistant.rules.books.warhammer_40k_10e.transports import DISEMBARK, EMBARK, ESCAPE, TRANSPORT, check_transports
from assistant.rules.constraints.allowance import Pivot
from assistant.rules.lengths import format_inches
from assistant.rules.rulebook import (
    PREMEASURING,
    Choice,
    Key,
    Rulebook,
    TurnStep,
    build_number_key,
    build_rounds_key,
    parse_rule_table,
)
from assistant.rules.verdict import Outcome

_ROWS = """
10e-01 S   units move first, reserves arrive when all units are done
10e-02 S   one unit at a time, finished before the next
10e-03 O   outside engagement range a unit may make a Normal move, Advance or Remain Stationary
10e-04 O   within engagement range a unit may only Remain Stationary or Fall Back
10e-05 S   any of a unit's models move, in any order
10e-06 G   any path, with pivots on the way
10e-07 G   no part of a base crosses an enemy model
10e-08 G   no part of a base crosses the edge of the table
10e-09 G   friendly models may be passed over
10e-10 G   no model ends on top of another
10e-11 G   a Monster or Vehicle does not pass over a friendly Monster or Vehicle
10e-12 G   the part of the base that travels furthest is measured, along its path
10e-13 G   without a base the part of the model that travels furthest is measured
10e-14 G   Remain Stationary: no model of the unit moves
10e-15 G   Normal move: each model at most its Move
10e-16 G   Normal move: never within engagement range of an enemy
10e-17 G   Advance: each model at most its Move and the roll
10e-18 G   Advance: never within engagement range of an enemy
10e-19 E   after an Advance the unit neither shoots nor charges this turn
10e-20 G   Fall Back: each model at most its Move
10e-21 G   Fall Back may pass through engagement range
10e-22 G/O Fall Back ends outside engagement range, or cannot be chosen
10e-23 E   after a Fall Back the unit neither shoots nor charges this turn
10e-24 G/E Fall Back may cross enemy models, with a Desperate Escape test for each model that does
10e-25 E   a Battle-shocked unit that Falls Back tests for every model
10e-26 E   a test of 1 or 2 destroys a model of the unit
10e-27 E   a model causes at most one test a phase
10e-28 G   over terrain, never through it
10e-29 G   terrain of up to 2" is moved over as if absent
10e-30 G   on higher terrain the way up and down counts
10e-31 G   no model ends its move in mid-climb
10e-32 G   Fly: over enemy models and through engagement range
10e-33 G   a Monster or Vehicle that can Fly passes over Monsters and Vehicles
10e-34 G   Fly ends neither on a model nor within engagement range
10e-35 G   Fly that starts or ends on terrain is measured through the air
10e-36 S   reserves arrive in the Reinforcements step, one unit at a time
10e-37 G   the distance for setting up comes from the rule that allows it
10e-38 G   distances of reserves to enemies are horizontal
10e-39 E   an arrived unit counts as having made a Normal move
10e-40 E   still in reserve at the end of the battle is destroyed
10e-41 O   a transport carries certain kinds of models, and so many
10e-42 S   starting embarked is declared before the transport is set up
10e-43 E   Firing Deck: so many embarked models lend a weapon
10e-44 G/O a unit embarks when every model ends within 3" of the transport
10e-45 O   no embarking after disembarking in the same phase
10e-46 S   an embarked unit is off the table
10e-47 O   only a unit that began the phase embarked disembarks
10e-48 G   disembarking: wholly within 3", outside engagement range, every model or none
10e-49 E   out of a transport that has not moved a unit acts as usual
10e-50 O   a disembarked unit may not Remain Stationary
10e-51 E   out of a transport that made a Normal move a unit neither moves nor charges
10e-52 O   no disembarking from a transport that Advanced or Fell Back
10e-53 S   units disembark before a destroyed transport is removed
10e-54 E   they are not hurt by its Deadly Demise
10e-55 E   each disembarking model rolls: a 1 is a mortal wound on its unit
10e-56 E   the unit is Battle-shocked until its next Command phase
10e-57 E   the unit counts as having made a Normal move and does not charge
10e-58 G   emergency: wholly within 6", outside engagement range
10e-59 E   emergency: wounds on 1 to 3, and a model without a place is destroyed
10e-60 G   unit coherency at the end of every move
"""
_ELSEWHERE = {
    "10e-40": "a battle's end is not part of the Movement phase; the players remove what never arrived",
    "10e-42": "deploying comes before the Movement phase; a unit begins with the status embarked:<id>",
    "10e-43": "shooting is not part of the Movement phase",
}

_NEVER = {
    ("10e-09", Outcome.ILLEGAL): "a permission: who passes over friends breaks nothing",
    ("10e-09", Outcome.TOO_CLOSE): "a permission: nothing is measured",
    ("10e-24", Outcome.ILLEGAL): "to cross an enemy costs a test and is no offence",
}
RULES = parse_rule_table(_ROWS, _ELSEWHERE, never=_NEVER)
SAYINGS = {
    "acts-as-usual": "{who} may act as usual",
    "battle-shocked": "{who} is Battle-shocked",
    "cannot-charge": "{who} cannot charge this turn",
    "cannot-shoot": "{who} cannot shoot this turn",
    "desperate-escape-test": "a Desperate Escape test, one die each, for {who}",
    "destroyed": "destroyed: {who}",
    "embarked": "{who} is embarked in {what}",
    "lose-models": "{who} loses models to failed tests: {what}",
    "mortal-wound-roll": "a die each for {who}; up to {what} it is a mortal wound on the unit",
    "no-deadly-demise": "{who} is not hurt by the transport's Deadly Demise",
    "normal-moved": "{who} counts as having made a Normal move",
    "stationary": "{who} remains stationary for the rest of the phase",
}
"""How an effect is said: by its name before any colon, with what stands after that."""


BOOK = Rulebook(
    id="warhammer-40k-10e",
    title="Warhammer 40,000 (10th edition), Movement phase",
    rules=RULES,
    steps=(
        TurnStep(id="move-units", label="Move Units", rule="10e-01"),
        TurnStep(id="reinforcements", label="Reinforcements", rule="10e-01"),
    ),
    actions=(STATIONARY, NORMAL, ADVANCE, FALL_BACK, SET_UP, EMBARK, DISEMBARK, ESCAPE),
    profile=(
        build_number_key("move_in", "Move, inches", 0, 100),
        build_number_key("capacity", "of a transport: how many models it carries", 0, 100),
        Key(name="carries", values=str, statement="of a transport: the keyword that a unit must have to embark"),
    ),
    statuses=(
        "battle-shocked",
        "advanced",
        "fell-back",
        "normal-moved",
        "stationary",
        "disembarked",
        "embarked:",
        "reserves",
        "destroyed",
    ),
    passing=("advanced", "fell-back", "normal-moved", "stationary", "disembarked", "battle-shocked"),
    one_unit="10e-02",
    sayings=SAYINGS,
    parameters=(
        build_number_key("engagement_in", "engagement range, horizontal, inches", 0, 24, 1.0),
        build_number_key("engagement_vertical_in", "engagement range, vertical, inches", 0, 24, 5.0),
        build_number_key("coherency_in", "coherency, horizontal, inches", 0, 24, 2.0),
        build_number_key("coherency_vertical_in", "coherency, vertical, inches", 0, 24, 5.0),
        Key(
            name="pivot",
            values=Choice(words=(Pivot.FURTHEST_POINT, Pivot.FIXED, Pivot.FREE)),
            statement="how turning counts; a round base turns free",
            default=Pivot.FURTHEST_POINT.value,
        ),
        build_number_key("reserve_distance_in", "distance of arriving reserves from enemies, inches", 0, 100, 9.0),
        build_rounds_key(5),
        PREMEASURING,
    ),
    intent=(TRANSPORT,),
    say=format_inches,
    check=check_transports,
    standing=constrain_end,
    engagement=build_engagement_range,
    coherency=build_coherency,
    absent=is_absent,
)
