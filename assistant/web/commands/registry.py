"""Command registry: what each command of a page is for the table, who may give it, and which feature handles it.

Everything that differs by command derives from its entry: what pages may send, the table of roles, which feature is
asked, and what is refused.  The handler itself stands in the feature, marked by `assistant.features.feature.Handles`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from assistant.web.messages.message import Message, Role

Roles = frozenset[Role]
HOST: Roles = frozenset({"host"})
AT_THE_TABLE: Roles = frozenset({"host", "judge", "player"})
DECIDE: Roles = frozenset({"host", "judge"})
OWNERS: Roles = frozenset({"host", "player"})
EVERYONE: Roles = frozenset(get_args(Role))


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEntry:
    """What is known of one command beside its fields."""

    command: type[Message]
    feature: str
    """The name of the feature that handles it."""
    roles: Roles
    """Who may give it."""
    roles_of: Callable[[Any], Roles] | None = None
    """Who may give this very one, where that depends on what it says."""
    stops_script: bool = True
    """Whoever gives it wants the table for themselves: a demo's script ends."""
    is_optional: bool = False
    """It only tells something: where its feature is absent, that is no offence."""
    while_restoring: bool = True
    """It is also obeyed while the table is being put back."""


def enter(
    feature: str, roles: Roles, *commands: type[Message], while_restoring: bool = True
) -> tuple[CommandEntry, ...]:
    """Return the entries of commands of one feature that the same roles may give."""
    return tuple(
        CommandEntry(command=command, feature=feature, roles=roles, while_restoring=while_restoring)
        for command in commands
    )
