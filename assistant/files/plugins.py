"""Plug-ins: what other packages bring, found by their entry points beside what is built in.

Both come in by the same door: the value that a built-in module holds is the value that an entry point names.  What
cannot be used is left out, and a sentence in the log names the package that brings it, and why.
"""

import importlib
import logging
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from assistant.errors import BadInput

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Door(Generic[T]):
    """Where things of one kind come in, from this program and from other packages."""

    word: str
    """What one of them is called, such as ``rulebook``."""
    group: str
    """The entry points under which other packages name theirs."""
    package: str
    """The package in whose modules the built-in ones are, found by looking: there is no list of them to keep."""
    attribute: str
    """What a module of it calls its own; a module without one is no matter of this door."""
    kind: type[T]
    names: Callable[[T], Iterable[str]]
    """The names by which one of them is known; no two may share one."""

    def find(self) -> tuple[T, ...]:
        """Return the built-in ones and then those of other packages whose names are not taken."""
        taken: dict[str, str] = {}
        found: list[T] = []
        for one in self._list_built_in():
            taken |= dict.fromkeys(self.names(one), "built in")
            found.append(one)
        for point in list_entry_points(self.group):
            try:
                one = self._load(point, taken)
            except BadInput as fault:
                _log.warning("%s", fault)
                continue
            taken |= dict.fromkeys(self.names(one), f"brought by {_name_owner(point)}")
            found.append(one)
        return tuple(found)

    def _load(self, point: EntryPoint, taken: Mapping[str, str]) -> T:
        one = load_entry_point(point, self.word, self.kind)
        for name in self.names(one):
            if name in taken:
                raise BadInput(describe_fault(point, self.word, f"{name!r} is {taken[name]} already"))
        return one

    def _list_built_in(self) -> Iterator[T]:
        path = importlib.import_module(self.package).__path__
        for entry in pkgutil.iter_modules(path):
            one = getattr(importlib.import_module(f"{self.package}.{entry.name}"), self.attribute, None)
            if one is not None:
                assert isinstance(one, self.kind), f"{entry.name}.{self.attribute} is no {self.word}"
                yield one


def list_entry_points(group: str) -> list[EntryPoint]:
    """Return what other packages bring under a name, in the same order on every machine; nothing is loaded yet."""
    return sorted(entry_points(group=group), key=lambda point: (_name_owner(point), point.name))


def add_entry_points(built_in: Iterable[EntryPoint], group: str, word: str) -> dict[str, EntryPoint]:
    """Return what is built in and what other packages bring, by name; nothing is loaded yet."""
    known = {point.name: point for point in built_in}
    for point in list_entry_points(group):
        if point.name in known:
            owner = f"brought by {_name_owner(known[point.name])}" if known[point.name].dist else "built in"
            _log.warning("%s", describe_fault(point, word, f"{point.name!r} is {owner} already"))
        else:
            known[point.name] = point
    return known


def load_entry_point(point: EntryPoint, word: str, kind: type[T]) -> T:
    """Return what an entry point names.

    Raises:
        BadInput: it cannot be loaded, or is something else; the sentence names the package that brings it.

    """
    try:
        one = point.load()
    except Exception as fault:
        raise BadInput(describe_fault(point, word, f"{type(fault).__name__}: {fault}")) from fault
    if not isinstance(one, kind):
        raise BadInput(describe_fault(point, word, f"{point.value} is no {kind.__name__}"))
    return one


def describe_fault(point: EntryPoint, word: str, reason: str) -> str:
    """Return a sentence that says which package's entry point cannot be used, and why."""
    return f"{_name_owner(point)}: its {word} {point.name!r} cannot be used: {reason}"


def _name_owner(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
