"""Warhammer 40,000, fifth edition: the rulebook of the Movement phase of infantry on foot.

It holds the rule table (every row, in our own words, and what becomes of it here), the parameters and ``BOOK``.
Vehicles, jump and mounted infantry have chapters of their own: their moves are noted, and measured by the profile.
"""

from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.rules.books.warhammer_40k_5e.common import build_coherency, build_contact, build_keep_out
from assistant.rules.books.warhammer_40k_5e.moves import HOLD, MOVE, RANDOM, constrain_standing
from assistant.rules.lengths import format_inches
from assistant.rules.rulebook import (
    PREMEASURING,
    Key,
    Rulebook,
    TurnStep,
    build_number_key,
    build_rounds_key,
    parse_rule_table,
)

_ROWS = """
5e-01 S   all, some or none of a player's units move
5e-02 S   one unit at a time, finished before the next; no earlier one is changed
5e-03 G   infantry on foot at most 6", or what the profile says; each model by itself
5e-04 G   not into or through a friendly model
5e-05 G   not through a gap between friendly models that is narrower than the base
5e-06 G   no enemy model is touched in this phase
5e-07 G   never within 1" of an enemy model; wrecks are ignored
5e-08 G   coherency at the end of the unit's move: one chain of links of at most 2"
5e-09 O   a broken unit that can restore its coherency must do so
5e-10 E   a broken unit that cannot neither shoots nor assaults until it is coherent
5e-11 E   a pinned unit does not move, and restores its coherency at its first chance
5e-12 G   turning is free
5e-13 S   infantry may turn to face its targets in the Shooting phase
5e-14 G/E random moves, and compulsory ones straight at the closest enemy, obey difficult and dangerous terrain
5e-15 G   a random move that difficult terrain slows: half the roll, rounded up
5e-16 X   vehicles, jump and mounted infantry, and difficult or dangerous terrain on an ordinary move
5e-17 G   no part of a base crosses the table's edge or impassable terrain
"""
_ELSEWHERE = {
    "5e-13": "shooting is not part of the Movement phase, and nothing in it asks how a model faces",
    "5e-16": "the chapters on these units and on terrain say; such a move is noted, and measured as on open ground"
    " against the profile's move_in",
}

RULES = parse_rule_table(_ROWS, _ELSEWHERE)
SAYINGS = {
    "cannot-assault": "{who} cannot launch an assault until it is coherent again",
    "cannot-shoot": "{who} cannot shoot until it is coherent again",
    "dangerous-terrain-test": "a dangerous terrain test for {who}",
    "must-restore-coherency": "{who} must restore its coherency as soon as it can move",
}
"""How an effect is said."""


def _check_dice(state: GameState) -> None:
    """Raise BadInput where a number of dice is not whole."""
    for index, unit in enumerate(state.units):
        dice = unit.profile.get("random_dice", 1)
        if not isinstance(dice, int):
            raise BadInput(f"units[{index}].profile.random_dice: expected a whole number from 1 to 6, not {dice!r}")


BOOK = Rulebook(
    id="warhammer-40k-5e",
    title="Warhammer 40,000 (5th edition), Movement phase",
    rules=RULES,
    steps=(TurnStep(id="movement", label="Movement", rule="5e-01"),),
    actions=(HOLD, MOVE, RANDOM),
    profile=(
        build_number_key("move_in", "the most that a model moves, inches; infantry on foot if left out", 0, 100, 6),
        build_number_key("random_dice", "how many dice a random move takes", 1, 6, 1),
    ),
    statuses=("broken", "pinned"),
    passing=(),
    one_unit="5e-02",
    acts_once="5e-02",
    sayings=SAYINGS,
    parameters=(
        build_number_key("keep_out_in", "how near to enemies nobody moves, inches", 0, 24, 1.0),
        build_number_key("coherency_in", "the longest link of a coherent unit, inches", 0, 24, 2.0),
        build_number_key("level_in", "models whose heights differ by more do not meet, inches", 0, 24, 2.0),
        build_number_key(
            "direction_tolerance_deg", "how far off straight at the closest enemy still is straight", 0, 45, 3.0
        ),
        build_number_key("short_by_mm", "how far short of as far as it goes still is as far, millimetres", 0, 50, 1.0),
        build_rounds_key(),
        PREMEASURING,
    ),
    intent=(
        Key(name="instead", values=bool, statement="the roll is all that a random move has, without the Move"),
        Key(
            name="toward_closest",
            values=bool,
            statement="the unit must go straight at the closest enemy, as far as it goes",
        ),
    ),
    say=format_inches,
    check=_check_dice,
    standing=constrain_standing,
    engagement=build_contact,
    ring=build_keep_out,
    coherency=build_coherency,
)
