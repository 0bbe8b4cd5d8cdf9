"""Warhammer 40,000, tenth edition: the Movement phase.

Figures beyond the chapter (engagement range, coherency, pivots) are parameters.
"""

from assistant.rules.books.warhammer_40k_10e.common import absent, coherency, ending, engagement
from assistant.rules.books.warhammer_40k_10e.moves import ADVANCE, FALL_BACK, NORMAL, STATIONARY
from assistant.rules.books.warhammer_40k_10e.reserves import SET_UP
from assistant.rules.books.warhammer_40k_10e.table import RULES, SAYINGS
from assistant.rules.books.warhammer_40k_10e.transports import DISEMBARK, EMBARK, ESCAPE, TRANSPORT, check_transports
from assistant.rules.constraints import Pivot
from assistant.rules.rulebook import Choice, Key, Rulebook, Step, number
from assistant.rules.words import inches

BOOK = Rulebook(
    id="warhammer-40k-10e",
    title="Warhammer 40,000 (10th edition), Movement phase",
    rules=RULES,
    steps=(
        Step(id="move-units", label="Move Units", rule="10e-01"),
        Step(id="reinforcements", label="Reinforcements", rule="10e-01"),
    ),
    actions=(STATIONARY, NORMAL, ADVANCE, FALL_BACK, SET_UP, EMBARK, DISEMBARK, ESCAPE),
    profile=(
        number("move_in", "Move, inches", 0, 100),
        number("capacity", "of a transport: how many models it carries", 0, 100),
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
        number("engagement_in", "engagement range, horizontal, inches", 0, 24, 1.0),
        number("engagement_vertical_in", "engagement range, vertical, inches", 0, 24, 5.0),
        number("coherency_in", "coherency, horizontal, inches", 0, 24, 2.0),
        number("coherency_vertical_in", "coherency, vertical, inches", 0, 24, 5.0),
        Key(
            name="pivot",
            values=Choice(words=(Pivot.FURTHEST_POINT, Pivot.FIXED, Pivot.FREE)),
            statement="how turning counts; a round base turns free",
            default=Pivot.FURTHEST_POINT.value,
        ),
        number("reserve_distance_in", "distance of arriving reserves from enemies, inches", 0, 100, 9.0),
    ),
    intent=(TRANSPORT,),
    say=inches,
    check=check_transports,
    standing=ending,
    engagement=engagement,
    coherency=coherency,
    absent=absent,
)
