"""Plug-ins: what other packages bring, found by their entry points beside what is built in.

Both come in by the same door: the value that a built-in module holds is the value that an entry point names.  What is
built in is found by looking, so that there is no list of it to keep.
"""

import importlib
import logging
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

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
    """The package in whose modules the built-in ones are."""
    attribute: str
    """What a module of it calls its own; a module without one is no matter of this door."""
    kind: type[T]
    names: Callable[[T], Iterable[str]]
    """The names by which one of them is known; no two may share one."""

    def find(self) -> tuple[T, ...]:
        """Return the built-in ones and then those of other packages.

        One that cannot be used is left out, and so is one whose name is taken already; a sentence in the log names the
        package that brings it, and why.
        """
        taken: dict[str, str] = {}
        found: list[T] = []
        for one in self._list_built_in():
            taken |= dict.fromkeys(self.names(one), "built in")
            found.append(one)
        for point in sorted(entry_points(group=self.group), key=lambda point: (_name_owner(point), point.name)):
            try:
                one = self._load(point, taken)
            except Exception as fault:
                reason = str(fault) if isinstance(fault, _Unusable) else f"{type(fault).__name__}: {fault}"
                _log.warning("%s: its %s %r is left out: %s", _name_owner(point), self.word, point.name, reason)
                continue
            taken |= dict.fromkeys(self.names(one), f"brought by {_name_owner(point)}")
            found.append(one)
        return tuple(found)

    def _list_built_in(self) -> Iterator[T]:
        path = importlib.import_module(self.package).__path__
        for entry in pkgutil.iter_modules(path):
            one = getattr(importlib.import_module(f"{self.package}.{entry.name}"), self.attribute, None)
            if one is not None:
                assert isinstance(one, self.kind), f"{entry.name}.{self.attribute} is no {self.word}"
                yield one

    def _load(self, point: EntryPoint, taken: dict[str, str]) -> T:
        one = point.load()
        if not isinstance(one, self.kind):
            raise _Unusable(f"{point.value} is no {self.kind.__name__}")
        for name in self.names(one):
            if name in taken:
                raise _Unusable(f"there is a {self.word} {name!r} already, {taken[name]}")
        return one


class _Unusable(Exception):
    """What an entry point names cannot be let in; the message says why."""


def _name_owner(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
