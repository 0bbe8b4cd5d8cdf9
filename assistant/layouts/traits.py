"""Traits by rulebook: what each rulebook calls the substances of which scenery is made.

A rulebook that is not named here, such as one from another package, has the substance itself as the only trait.
"""

from collections.abc import Mapping

_DIFFICULT, _IMPASSABLE, _INCLINE = ("difficult",), ("impassable",), ("incline",)
TRAITS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "warhammer-40k-10e": {
        "floor": ("ruin", "floor"),
        "barricade": ("wall", "barricade"),
        "crates": ("obstacle",),
        "rocks": ("obstacle", "rocks"),
        "field": (),
        "road": ("road",),
    },
    "warhammer-40k-5e": {
        "ruin": ("ruin", *_DIFFICULT),
        "wall": ("wall", *_IMPASSABLE),
        "floor": ("ruin", *_DIFFICULT),
        "woods": ("woods", *_DIFFICULT),
        "crates": ("crates", *_DIFFICULT),
        "barricade": ("barricade", *_DIFFICULT),
        "river": ("river", *_DIFFICULT),
        "building": ("building", *_IMPASSABLE),
        "rocks": ("rocks", *_IMPASSABLE),
        "pond": ("pond", *_IMPASSABLE),
        "crater": ("crater", *_DIFFICULT),
    },
    "priority-skirmish": {
        "ruin": _DIFFICULT,
        "wall": _IMPASSABLE,
        "floor": _INCLINE,
        "woods": _DIFFICULT,
        "crates": _INCLINE,
        "barricade": _INCLINE,
        "hill": _INCLINE,
        "river": _DIFFICULT,
        "building": _IMPASSABLE,
        "rocks": _IMPASSABLE,
        "pond": _IMPASSABLE,
        "crater": _DIFFICULT,
        "field": (),
        "road": (),
        "bridge": (),
    },
    "activation-skirmish": {
        "wall": _IMPASSABLE,
        "crates": _IMPASSABLE,
        "barricade": _IMPASSABLE,
        "river": _IMPASSABLE,
        "building": _IMPASSABLE,
        "rocks": _IMPASSABLE,
        "pond": _IMPASSABLE,
    },
    "warmaster-revolution": {
        "woods": ("dense",),
        "crates": ("obstacle",),
        "barricade": ("obstacle",),
        "wall": ("wall", "low"),
        "rocks": _IMPASSABLE,
        "pond": _IMPASSABLE,
        "floor": ("ruin",),
        "bridge": ("bridge", "low"),
    },
}
"""By rulebook and substance; of a substance that is missing it is the word itself."""


def find_traits(substance: str, rulebook: str | None) -> tuple[str, ...]:
    """Return the traits that a rulebook has for what something is made of; of no rulebook, its own name.

    >>> find_traits("wall", "activation-skirmish")
    ('impassable',)
    >>> find_traits("wall", None)
    ('wall',)

    """
    return TRAITS.get(rulebook or "", {}).get(substance, (substance,))
