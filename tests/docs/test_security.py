"""The table in SECURITY.md says who is trusted with what, as the program has it."""

import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import get_args

import pytest

from assistant.web.auth.roles import OPEN, ROUTES, SECTIONS
from assistant.web.commands import REGISTRY
from assistant.web.commands.registry import Roles
from tests.docs.source_names import ROOT

HEADING = "| roles | addresses, and what lies below them | parts of the view | commands |"
EVERYBODY = "nobody needs to have joined"


def list_rows() -> list[tuple[str, list[list[str]]]]:
    """Return the first cell of each row, and what the others name."""
    lines = (ROOT / "SECURITY.md").read_text(encoding="utf-8").split(HEADING)[1].splitlines()[2:]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[: lines.index("")]]
    return [(roles, [re.findall(r"`([^`]+)`", cell) for cell in more]) for roles, *more in cells]


ROWS = list_rows()


def find_roles(column: int, name: str) -> list[Roles | None]:
    """Return the roles of all rows that name this, None for a device that has not joined."""
    return [
        None if roles == EVERYBODY else frozenset(roles.split(", "))  # type: ignore[arg-type]
        for roles, named in ROWS
        if any(fnmatchcase(name, pattern) for pattern in named[column])
    ]


def list_commands() -> list[tuple[str, Roles | None]]:
    return [
        (name, entry.roles)
        for command, entry in REGISTRY.items()
        for name in get_args(command.model_fields["type"].annotation)
    ]


@pytest.mark.parametrize(
    ("column", "listed"),
    [
        (0, lambda: [*ROUTES.items(), *((path, None) for path in OPEN)]),
        (1, SECTIONS.items),
        (2, list_commands),
    ],
    ids=["addresses", "parts of the view", "commands"],
)
def test_each_stands_in_the_row_of_its_roles_and_in_no_other(
    column: int, listed: Callable[[], Iterable[tuple[str, Roles | None]]]
) -> None:
    known = dict(listed())
    assert {name: find_roles(column, name) for name in known} == {name: [roles] for name, roles in known.items()}
    patterns = [pattern for _, named in ROWS for pattern in named[column] if pattern != "resync"]
    assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in known)] == []
