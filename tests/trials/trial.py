"""Trials: what runs by seed, under a name, and says what it asked and what contradicts itself."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]
"""A situation file's JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two answers of the referee that cannot both be right, or an answer that is none."""

    kind: str
    """In a word or two what it is about, such as the rules whose findings differ; minimising keeps it."""
    what: str
    """A sentence."""
    document: Document
    """The situation, and the move if there is one."""
    look: "Callable[[Document], Contradiction | None]"
    """Look at another situation in the same way: a contradiction of it, if there is one."""
    list_smaller: "Callable[[Document], Iterator[Document]] | None" = None
    """How smaller situations are made of it; None for one that is whole, by leaving out what it can do without."""


Trial = Callable[[int], Iterator[str | Contradiction]]
"""Runs by a seed; yields a word for each thing that it asked or could not ask, to be counted, and contradictions."""

ROOMS: tuple[str, ...] = ("relations", "zones", "fuzz", "commands", "loaders", "messages", "kills")
"""The modules of this folder that hold trials: importing one registers them."""

TRIALS: dict[str, Trial] = {}
"""Every trial by its name."""


def load_trials() -> Mapping[str, Trial]:
    """Return every trial by its name, once the modules that hold them are imported."""
    for room in ROOMS:
        importlib.import_module(f"tests.trials.{room}")
    return TRIALS


def register(name: str) -> Callable[[Trial], Trial]:
    """Return a decorator that registers a trial."""

    def add(trial: Trial) -> Trial:
        assert name not in TRIALS, f"there are two trials {name}"
        TRIALS[name] = trial
        return trial

    return add
