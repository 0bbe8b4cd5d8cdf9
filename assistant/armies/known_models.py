"""Known models: bases and moves that a list does not name, from what its owner said before or what was published.

The owner's own answers come first, those on the same unit as what they are.  All else is a guess, and marked as one
until somebody agrees to it.
"""

from dataclasses import dataclass

from assistant.armies.army import Army, ArmyUnit
from assistant.armies.own_bases import OwnBases, name_own_unit
from assistant.armies.published_units import PublishedUnits, find_published_units
from assistant.files.open_bundle import CREDIT
from assistant.game.base_spec import BaseSpec
from assistant.rules.books import find_rulebook

ANOTHER_UNIT = "your own, of another unit"
MOVE = "move_in"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """What is known of a kind of model."""

    base: BaseSpec | None = None
    base_guess: str = ""
    """Where the base comes from, where it is a guess."""
    move: float | None = None
    """Inches, where it was published: a guess of `CREDIT`."""
    note: str = ""
    """What more is to be said of the base; a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModels:
    """All that is known of the models of a game."""

    game: str
    own: OwnBases
    published: PublishedUnits | None

    def find(self, name: str, part_of: str | None) -> KnownModel:
        """Return what is known of models of this name, which are a unit, or part of one."""
        unit = name_own_unit(name, part_of)
        own = self.own.find(self.game, unit, name)
        printed = self.published.find(unit) if self.published else None
        move = printed.find_move(name) if printed else None
        if own is not None:
            return KnownModel(base=own[0], base_guess="" if own[1] else ANOTHER_UNIT, move=move)
        stands = printed.find_base(name) if printed else None
        if stands is None:
            return KnownModel(move=move)
        return KnownModel(base=stands.base, base_guess=CREDIT if stands.base else "", move=move, note=stands.note)


def find_known_models(game: str, own: OwnBases) -> KnownModels:
    """Return what is known of the models of a game."""
    return KnownModels(game=game, own=own, published=find_published_units(game))


def fill_army(army: Army, known: KnownModels) -> Army:
    """Return an army with the bases and moves that are known and that its list does not name."""
    return army.model_copy(update={"units": tuple(_fill_unit(unit, known) for unit in army.units)})


def _fill_unit(unit: ArmyUnit, known: KnownModels) -> ArmyUnit:
    model = known.find(unit.name, unit.part_of)
    changes: dict[str, object] = {}
    guesses: list[str] = []
    if unit.base is None:
        changes["base"] = model.base
        guesses.append(model.base_guess)
        if model.note:
            changes["remark"] = " ".join(filter(None, (unit.remark, model.note)))
    if model.move is not None and MOVE not in unit.profile and has_move(known.game):
        changes["profile"] = {**unit.profile, MOVE: model.move}
        guesses.append(CREDIT)
    changes["guess"] = ", ".join(dict.fromkeys(filter(None, (unit.guess, *guesses))))
    return unit.model_copy(update=changes)


def has_move(game: str) -> bool:
    """Return whether the rulebook of a game asks how far a unit moves, inches."""
    return any(key.name == MOVE for key in find_rulebook(game).profile)
