"""Priority skirmish: the rulebook of a skirmish in which the side with priority moves first; the Move phase.

It holds the rule table (every row, in our own words, and what becomes of it here), the parameters and ``BOOK``.
Figures that are not the chapter's (what counts as contact, when heights are one level) are parameters.
"""

from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.rules.books.priority_skirmish.coherency import build_coherency
from assistant.rules.books.priority_skirmish.common import build_contact, build_keep_out
from assistant.rules.books.priority_skirmish.moves import DEFENSIVE, HOLD, MOVE, STEALTH, constrain_standing
from assistant.rules.books.priority_skirmish.terrain import ANY_PART, CENTRE
from assistant.rules.lengths import format_inches
from assistant.rules.presets import ENEMY_MODELS
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
pri-01 S   the Move phase comes after the roll for priority
pri-02 S   the side with priority makes all its moves, then the other side
pri-03 G   a model goes no further than its movement; less or nothing will do
pri-04 S   models move in any order
pri-05 G   a path may bend; its whole length counts
pri-06 G/E a Defensive move takes a shield, goes half as far, and betters the save by 1
pri-07 G/E a Stealth move takes a cloak, goes half as far, and worsens attackers' perception by 1
pri-08 G   an incline under 2" is ignored; a higher one is difficult terrain, up and down
pri-09 G   difficult terrain counts double; a climb that takes more than the whole move is impassable
pri-10 G   a gap under 3" is ignored; a wider one is difficult terrain
pri-11 G   a gap that takes more than the whole move is impassable, and nobody stands over one
pri-12 G   no model goes through an enemy
pri-13 G   friendly models step aside
pri-14 G   no model ends on top of another
pri-15 G   no nearer than 1" to an enemy that the model does not mean to engage
pri-16 G   to engage an enemy is to end in base contact with it
pri-17 O   models in base contact do not move again this phase
pri-18 G   turning is free at any time
pri-19 G   no model leaves the table, unless a retreat or a scenario lets it
pri-20 G   in coherency: within 1" and 6" of height of another model of the unit
pri-21 E   a model in coherency adds its Integrity to Martial
pri-22 E   a group in which an Integrity is negative suffers the greatest negative
pri-23 E   a model out of coherency has none of its benefits this turn
pri-24 X   a unit may have a coherency range of its own
pri-25 X   impassable terrain is not entered; what other words of the glossary do is not known here
"""

_NEVER = {
    ("pri-13", Outcome.ILLEGAL): "a permission: who passes through friends breaks nothing",
    ("pri-13", Outcome.TOO_CLOSE): "a permission: nothing is measured",
    ("pri-20", Outcome.ILLEGAL): "to be out of coherency is a status, noted and no offence",
    ("pri-20", Outcome.TOO_CLOSE): "whether in coherency is noted, too, where it is too close to call",
}
RULES = parse_rule_table(_ROWS, never=_NEVER)
MOST_INTEGRITY = 20
SAYINGS = {
    "save-better-by-1": "{who}: save better by 1 (5+ becomes 4+)",
    "attackers-perception-worse-by-1": "whoever attacks {who}: perception worse by 1 (5+ becomes 6+)",
    "cannot-move": "engaged, as near as counts as touching, and moving no more this phase: {who}",
    "left-table": "{who} has left the table",
    "out-of-coherency": "out of coherency, and without its benefits this turn: {who}",
    "coherency-undecided": "too close to call whether in coherency: {who}",
    **{f"martial+{n}": f"{{who}}: Martial +{n}, from Integrity in coherency" for n in range(1, MOST_INTEGRITY + 1)},
    **{f"martial-{n}": f"{{who}}: Martial {-n}, from negative Integrity" for n in range(1, MOST_INTEGRITY + 1)},
}
"""How an effect is said."""


def _check_integrity(state: GameState) -> None:
    for index, unit in enumerate(state.units):
        integrity = unit.profile.get("integrity", 0)
        if isinstance(integrity, float) and not integrity.is_integer():
            raise BadInput(f"units[{index}].profile.integrity: expected a whole number, not {integrity!r}")
    for index, terrain in enumerate(state.terrain):
        if "gap" in terrain.traits and terrain.gap_mm is None:
            raise BadInput(f'terrain[{index}]: "{terrain.id}" is a gap without gap_mm; expected how wide it is')


BOOK = Rulebook(
    id="priority-skirmish",
    title="Priority skirmish, Move phase",
    rules=RULES,
    steps=(TurnStep(id="move", label="Move", rule="pri-02"),),
    actions=(HOLD, MOVE, DEFENSIVE, STEALTH),
    profile=(
        build_number_key("move_in", "movement, inches", 0, 100),
        build_number_key(
            "integrity", "Integrity, a whole number; 0 if it is not given", -MOST_INTEGRITY, MOST_INTEGRITY
        ),
        build_number_key("coherency_in", "the unit's own coherency, horizontal, inches", 0, 24),
        build_number_key("coherency_vertical_in", "the unit's own coherency, vertical, inches", 0, 24),
    ),
    statuses=(),
    passing=(),
    parameters=(
        build_number_key(
            "keep_out_in", "distance from enemies that a model does not mean to engage, inches", 0, 24, 1.0
        ),
        build_number_key("coherency_in", "coherency, horizontal, inches", 0, 24, 1.0),
        build_number_key("coherency_vertical_in", "coherency, vertical, inches", 0, 24, 6.0),
        Key(
            name="difficult_by",
            values=Choice(words=(CENTRE, ANY_PART)),
            statement="what of a base must be inside difficult terrain for half movement",
            default=CENTRE,
        ),
        build_number_key(
            "contact_mm",
            "bases up to so far apart count as touching, since no camera measures exactly nothing, millimetres",
            0,
            10,
            1.0,
        ),
        build_number_key("level_in", "models whose heights differ by more do not meet, inches", 0, 24, 2.0),
        Key(
            name="leaving",
            values=str,
            statement="the retreat or scenario rule by which models may leave the table; empty if there is none",
            default="",
        ),
        build_rounds_key(),
        PREMEASURING,
    ),
    intent=(
        Key(name="engages", values=tuple, statement="the enemy models that it means to engage", names=ENEMY_MODELS),
    ),
    say=format_inches,
    check=_check_integrity,
    standing=constrain_standing,
    engagement=build_contact,
    ring=build_keep_out,
    coherency=build_coherency,
    priority="pri-01",
    moves_once="pri-03",
    sayings=SAYINGS,
)
