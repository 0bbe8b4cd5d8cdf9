"""A skirmish in which the side with priority moves first: the Move phase.

Figures that are not the chapter's (what counts as contact, when heights are one level) are parameters.
"""

from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.rules.books.priority_skirmish.common import in_contact, ring
from assistant.rules.books.priority_skirmish.company import coherency
from assistant.rules.books.priority_skirmish.ground import ANY_PART, CENTRE
from assistant.rules.books.priority_skirmish.moves import DEFENSIVE, HOLD, MOVE, STEALTH, standing
from assistant.rules.books.priority_skirmish.table import MOST_INTEGRITY, RULES, SAYINGS
from assistant.rules.naming import ENEMY_MODELS
from assistant.rules.rulebook import Choice, Key, Rulebook, Step, number
from assistant.rules.words import inches


def _check(state: GameState) -> None:
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
    steps=(Step(id="move", label="Move", rule="pri-02"),),
    actions=(HOLD, MOVE, DEFENSIVE, STEALTH),
    profile=(
        number("move_in", "movement, inches", 0, 100),
        number("integrity", "Integrity, a whole number; 0 if it is not given", -MOST_INTEGRITY, MOST_INTEGRITY),
        number("coherency_in", "the unit's own coherency, horizontal, inches", 0, 24),
        number("coherency_vertical_in", "the unit's own coherency, vertical, inches", 0, 24),
    ),
    statuses=(),
    passing=(),
    parameters=(
        number("keep_out_in", "distance from enemies that a model does not mean to engage, inches", 0, 24, 1.0),
        number("coherency_in", "coherency, horizontal, inches", 0, 24, 1.0),
        number("coherency_vertical_in", "coherency, vertical, inches", 0, 24, 6.0),
        Key(
            name="difficult_by",
            values=Choice(words=(CENTRE, ANY_PART)),
            statement="what of a base must be inside difficult terrain for half movement",
            default=CENTRE,
        ),
        number("contact_mm", "bases this near to each other are in contact, millimetres", 0, 10, 1.0),
        number("level_in", "models whose heights differ by more do not meet, inches", 0, 24, 2.0),
        Key(
            name="leaving",
            values=str,
            statement="the retreat or scenario rule by which models may leave the table; empty if there is none",
            default="",
        ),
    ),
    intent=(
        Key(name="engages", values=tuple, statement="the enemy models that it means to engage", names=ENEMY_MODELS),
    ),
    say=inches,
    check=_check,
    standing=standing,
    engagement=in_contact,
    ring=ring,
    coherency=coherency,
    priority="pri-01",
    moves_once="pri-03",
    sayings=SAYINGS,
)
