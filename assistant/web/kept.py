"""What the pages were shown last, so that only what has changed is made anew and compared."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from assistant.web.messages.message import Message

M = TypeVar("M", bound=Message)

Given = tuple[Any, ...]
"""What a value is made of: the arguments of the function that makes it, none of which ever changes."""


class Kept:
    """Sections of a view, by name; while nothing has changed they stay the same objects, and so do their values."""

    def __init__(self) -> None:
        self._given: dict[str, Mapping[str, Given]] = {}
        self._made: dict[str, dict[str, Any]] = {}
        self._of: dict[str, Given] = {}

    def values(self, name: str, make: Callable[..., M], given: Mapping[str, Given]) -> dict[str, M]:
        """Return a section with one value a key, made of what is given for it; equal things make no new value."""
        known, before = self._given.get(name, {}), self._made.setdefault(name, {})
        made: dict[str, M] = {
            key: before[key] if key in before and known[key] == of else make(*of) for key, of in given.items()
        }
        self._given[name] = given
        if list(made) == list(before) and all(value is before[key] for key, value in made.items()):
            return before
        self._made[name] = made
        return made

    def section(self, name: str, make: Callable[..., dict[str, M]], *of: object) -> dict[str, M]:
        """Return a section that is made whole of other things: anew only when one of these is another object."""
        before = self._of.get(name)
        if before is None or any(a is not b for a, b in zip(before, of, strict=True)):
            self._of[name], self._made[name] = of, make(*of)
        return self._made[name]


_KEPT: WeakKeyDictionary[object, Kept] = WeakKeyDictionary()


def kept_for(shown: object) -> Kept:
    """Return what is kept of the views of a session, or of anything else that is shown again and again."""
    return _KEPT.setdefault(shown, Kept())
