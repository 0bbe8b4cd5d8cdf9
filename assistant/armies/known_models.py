"""Known models: bases, moves and keywords that a list does not name, but its owner said before, or somebody published.

The owner's own answers come first, those on the same unit as what they are.  All else is a guess, and marked as one
until somebody agrees to it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from assistant.armies.army import Army, ArmyUnit
from assistant.armies.own_bases import OwnBases, name_own_unit
from assistant.armies.published_units import PublishedUnits, find_published_units
from assistant.files.open_bundle import CREDIT
from assistant.game.base_spec import BaseSpec
from assistant.rules.books import find_rulebook

ANOTHER_UNIT = "your own, of another unit"
MOVE = "move_in"
CAPACITY = "capacity"
HEADINGS = frozenset({"battleline", "character", "dedicated transport", "epic hero", "transport"})
"""Keywords that the headings of a list give; one that has no others does not say what its units are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """What is known of a kind of model."""

    base: BaseSpec | None = None
    base_guess: str = ""
    """Where the base comes from, where it is a guess."""
    profile: Mapping[str, float] = field(default_factory=dict)
    """By the rulebook's profile key, as far as it was published: a guess of `CREDIT`, as the keywords are."""
    keywords: tuple[str, ...] = ()
    note: str = ""
    """What more is to be said of the base; a sentence."""

    def add_keywords(self, named: Collection[str]) -> tuple[str, ...]:
        """Return the keywords that a list names, with those that are known where it names none but its headings."""
        return tuple(named) if set(named) - HEADINGS else tuple(dict.fromkeys((*named, *self.keywords)))


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
        printed = self.published.find_of(name, unit) if self.published else None
        known = KnownModel()
        if printed is not None:
            figures = {MOVE: printed.find_move(name), CAPACITY: printed.capacity}
            asked = {key.name for key in find_rulebook(self.game).profile}
            profile = {key: value for key, value in figures.items() if value is not None and key in asked}
            stands = printed.find_base(name)
            guess = CREDIT if stands.base else ""
            known = KnownModel(
                base=stands.base, base_guess=guess, profile=profile, keywords=printed.keywords, note=stands.note
            )
        elif self.published and (renamed := self.published.find_renamed(unit)):
            stands = renamed.find_base(name)
            guess = f"{CREDIT}, as {renamed.name}" if stands.base else ""
            known = KnownModel(base=stands.base, base_guess=guess, note=stands.note)
        return replace(known, base=own[0], base_guess="" if own[1] else ANOTHER_UNIT, note="") if own else known


def find_known_models(game: str, own: OwnBases) -> KnownModels:
    """Return what is known of the models of a game."""
    return KnownModels(game=game, own=own, published=find_published_units(game))


def fill_army(army: Army, known: KnownModels) -> Army:
    """Return an army with the bases, moves and keywords that are known and that its list does not name."""
    return army.model_copy(update={"units": tuple(_fill_unit(unit, known) for unit in army.units)})


def _fill_unit(unit: ArmyUnit, known: KnownModels) -> ArmyUnit:
    model = known.find(unit.name, unit.part_of)
    keywords = model.add_keywords(unit.keywords)
    changes: dict[str, object] = {"profile": {**model.profile, **unit.profile}, "keywords": keywords}
    guesses = [CREDIT] if model.profile.keys() - unit.profile.keys() or keywords != unit.keywords else []
    if unit.base is None:
        changes["base"] = model.base
        guesses = [model.base_guess, *guesses]
        if model.note:
            changes["remark"] = " ".join(filter(None, (unit.remark, model.note)))
    changes["guess"] = ", ".join(dict.fromkeys(filter(None, (unit.guess, *guesses))))
    return unit.model_copy(update=changes)
