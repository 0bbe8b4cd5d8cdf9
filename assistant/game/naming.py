"""Names of units and models: what people call them, and sentences that say so in place of ids.

Rules, events and programs go by ids; whoever reads a sentence goes by the names of an army list.
"""

import re
from collections.abc import Iterable, Mapping

from assistant.game.state import Unit

_WORD = re.compile(r"\w+(?:-\w+)*")
"""Ids are words, perhaps joined by hyphens."""


def list_names(units: Iterable[Unit]) -> dict[str, str]:
    """Return what people call units and their models, by id; whose id says it is left out.

    A unit's only model is called as the unit is, and others by their number in it; an id of a person's own is kept.

    >>> from assistant.game.state import Model, Unit
    >>> models = tuple(Model(id=f"war-dogs-b-{number}", base=None, pose=None) for number in (1, 2))
    >>> list_names([Unit(id="war-dogs-b", player="red", models=models, name="War Dogs 2")])
    {'war-dogs-b': 'War Dogs 2', 'war-dogs-b-1': 'War Dogs 2 #1', 'war-dogs-b-2': 'War Dogs 2 #2'}
    """
    names = dict[str, str]()
    for unit in units:
        called = unit.name or unit.id.replace("-", " ")
        names[unit.id] = called
        for model in unit.models:
            of_unit, own = model.id.startswith(f"{unit.id}-"), model.id.removeprefix(f"{unit.id}-")
            if of_unit and own.isdecimal():
                names[model.id] = called if len(unit.models) == 1 else f"{called} #{own}"
            elif of_unit:
                names[model.id] = f"{called} {own.replace('-', ' ')}"
    return {name: called for name, called in names.items() if called != name}


def name_ids(text: str, names: Mapping[str, str]) -> str:
    """Return a sentence with names where it says ids.

    >>> name_ids("scouts-1 stops beside raider", {"scouts-1": "Scouts #1"})
    'Scouts #1 stops beside raider'
    """
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text)
