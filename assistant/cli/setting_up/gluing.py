"""Which tag is on which model: what was measured, what is given out, and what is said of a tag in the middle."""

from collections.abc import Mapping, Sequence

from assistant.cli.demos import glued
from assistant.errors import BadInput
from assistant.game.base import BaseSpec
from assistant.game.state import GameState
from assistant.setup import BaseSection, TagInBase
from hardware.print.enrol import FIRST_TAG

MIDDLE_SIGMA_MM = 1.0
"""How well a tag is glued into the middle of a base by eye, one standard deviation along each axis."""
MIDDLE_SIGMA_DEG = 3.0
"""How well it is turned toward the model's front."""
HEIGHT_SIGMA_MM = 1.0
"""How well anybody knows how high a tag is who has not measured it."""


def given_out(state: GameState, known: Sequence[BaseSection], taken: frozenset[int]) -> tuple[BaseSection, ...]:
    """Return a tag for every model of a game: the one that it has, or the next that is free.

    Args:
        state: the game.
        known: the enrolments there are, of this game's models or of others.
        taken: tags that lie on the table.

    Raises:
        BadInput: there are more models than tags.

    """
    models = [model for _, model in state.models()]
    has = {base.model: base for base in known}
    kept = {m.id: has[m.id] for m in models if m.id in has and has[m.id].base == BaseSpec.of(m.base)}
    kept = {model: base for model, base in kept.items() if base.tag not in taken}
    used = taken | {base.tag for base in kept.values()}
    free = (tag for tag in range(1, FIRST_TAG) if tag not in used)
    found: list[BaseSection] = []
    for model in models:
        if model.id in kept:
            found.append(kept[model.id])
        elif (tag := next(free, None)) is not None:
            found.append(glued(tag, model))
        else:
            raise BadInput(f"there are more models than tags: {len(models)} of at most {FIRST_TAG - 1}")
    return tuple(found)


def in_the_middle(base: BaseSection, *, height_mm: float, stretch: float) -> BaseSection:
    """Return a base whose tag is said to be glued in its middle, as well as that is done by eye.

    Args:
        base: its tag as it was given out.
        height_mm: of the tag above what the base stands on.
        stretch: how much larger than meant tags are printed.

    """
    return base.model_copy(
        update={
            "size_mm": round(base.size_mm * stretch, 2),
            "tag_in_base": TagInBase(sigma_mm=MIDDLE_SIGMA_MM, sigma_deg=MIDDLE_SIGMA_DEG),
            "height_mm": height_mm,
            "height_sigma_mm": HEIGHT_SIGMA_MM,
        }
    )


def measured(base: BaseSection) -> bool:
    """Whether somebody has measured where the tag of a base is."""
    return 0 < base.tag_in_base.sigma_mm < MIDDLE_SIGMA_MM


def on_virtual_table(state: GameState, given: Sequence[BaseSection]) -> tuple[BaseSection, ...]:
    """Return where the tags truly are on a virtual table, whatever was measured of them."""
    tags: Mapping[str, int] = {base.model: base.tag for base in given}
    return tuple(glued(tags[model.id], model) for _, model in state.models() if model.id in tags)
