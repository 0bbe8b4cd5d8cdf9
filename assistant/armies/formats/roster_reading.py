"""Reading of rosters: from plain data of any kind to an army."""

from pathlib import PurePath

from assistant.armies.army import Army
from assistant.armies.formats.army_format import ArmyReading
from assistant.armies.roster_tree import read_tree
from assistant.armies.roster_units import list_units
from assistant.armies.unit_entry import LONGEST
from assistant.errors import BadInput
from assistant.rules.rulebook import Rulebook


def read_roster_tree(data: object, name: str, book: Rulebook | None) -> ArmyReading:
    """Return the army in a roster's data; errors as in `ArmyReader`."""
    tree = read_tree(data, name)
    units, remarks = list_units(tree, book)
    if not units:
        raise BadInput(f"{name}: there is no unit in it")
    player = (tree.name or PurePath(name).stem)[:LONGEST] or "Player"
    return ArmyReading(armies=(Army(player=player, rulebook=book.id if book else None, units=units),), remarks=remarks)
