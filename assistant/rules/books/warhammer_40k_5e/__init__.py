"""Warhammer 40,000, fifth edition: the Movement phase of infantry on foot.

Vehicles, jump and mounted infantry have chapters of their own: their moves are noted, and measured by the profile.
"""

from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.rules.books.warhammer_40k_5e.common import chain, inch, touching
from assistant.rules.books.warhammer_40k_5e.moves import HOLD, MOVE, RANDOM, standing
from assistant.rules.books.warhammer_40k_5e.table import RULES, SAYINGS
from assistant.rules.rulebook import Key, Rulebook, Step, number
from assistant.rules.words import inches


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
    steps=(Step(id="movement", label="Movement", rule="5e-01"),),
    actions=(HOLD, MOVE, RANDOM),
    profile=(
        number("move_in", "the most that a model moves, inches; infantry on foot if left out", 0, 100, 6),
        number("random_dice", "how many dice a random move takes", 1, 6, 1),
    ),
    statuses=("broken", "pinned"),
    passing=(),
    one_unit="5e-02",
    acts_once="5e-02",
    sayings=SAYINGS,
    parameters=(
        number("keep_out_in", "how near to enemies nobody moves, inches", 0, 24, 1.0),
        number("coherency_in", "the longest link of a coherent unit, inches", 0, 24, 2.0),
        number("level_in", "models whose heights differ by more do not meet, inches", 0, 24, 2.0),
        number("direction_tolerance_deg", "how far off straight at the closest enemy still is straight", 0, 45, 3.0),
        number("short_by_mm", "how far short of as far as it goes still is as far, millimetres", 0, 50, 1.0),
    ),
    intent=(
        Key(name="instead", values=bool, statement="the roll is all that a random move has, without the Move"),
        Key(
            name="toward_closest",
            values=bool,
            statement="the unit must go straight at the closest enemy, as far as it goes",
        ),
    ),
    say=inches,
    check=_check_dice,
    standing=standing,
    engagement=touching,
    ring=inch,
    coherency=chain,
)
