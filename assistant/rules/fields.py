"""What a move may say that it means to do: the fields that its action takes, and whom each may name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from assistant.game.state import GameState, Setting
from assistant.rules.books import rulebook
from assistant.rules.rulebook import Choice, Key, Question
from assistant.rules.validity import ask, find_action


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOption:
    """A field of a move that its action takes, and what a player may choose for it."""

    name: str
    statement: str
    kind: Literal["flag", "one", "several"]
    offered: tuple[str, ...]
    """Ids or words to choose from, the likeliest first, and whatever else is chosen already; empty for a flag."""
    value: Setting | None
    """None while nothing is said."""
    names: bool
    """What is chosen are ids of models or units."""

    @property
    def label(self) -> str:
        """The field's name as players read it."""
        return self.name.replace("_", " ").capitalize()

    @property
    def chosen(self) -> tuple[str, ...]:
        """What is chosen of those on offer."""
        return _chosen(self.value)


def fields(
    state: GameState, unit: str, action: str, *, intent: Mapping[str, Setting] | None = None
) -> tuple[FieldOption, ...]:
    """Return the fields of an action that a player can choose something for, in the action's order.

    Raises:
        BadInput: there is no such unit or action, or the situation does not fit the rulebook.

    """
    book = rulebook(state.rulebook)
    taken = find_action(book, action, "action").intent
    asked = ask(book, state, unit, "unit", intent=intent)
    keys = {key.name: key for key in book.intent}
    found = (_option(keys[name], asked) for name in taken)
    return tuple(option for option in found if option.kind == "flag" or option.offered)


def _option(key: Key, asked: Question) -> FieldOption:
    value = asked.intent.get(key.name)
    return FieldOption(
        name=key.name,
        statement=key.statement,
        kind="flag" if key.values is bool else "several" if key.values is tuple else "one",
        offered=tuple(dict.fromkeys((*_on_offer(key, asked), *_chosen(value)))),
        value=value,
        names=key.names is not None,
    )


def _on_offer(key: Key, asked: Question) -> Iterable[str]:
    if isinstance(key.values, Choice):
        return key.values.words
    return key.names.offered(asked) if key.names is not None else ()


def _chosen(value: Setting | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
