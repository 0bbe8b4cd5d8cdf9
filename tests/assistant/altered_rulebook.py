"""An altered rulebook for tests: the tenth edition with another order of play."""

from dataclasses import replace
from typing import Any

import pytest

from assistant.rules import books
from assistant.rules.books.warhammer_40k_10e import BOOK
from assistant.rules.rulebook import Rulebook, TurnStep, keep_status

ID = "made-up"
MOVES = (TurnStep(id="move-units", label="Move", rule="x-turns"),)
"""A turn that is nothing but moving."""


def add_rulebook(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Rulebook:
    """Add a rulebook under ``ID`` for one test: in it no status forbids another move, and turns have one step."""
    free = tuple(
        replace(a, status=keep_status, intent=("transport",)) if a.id in {"normal", "advance"} else a
        for a in BOOK.actions
    )
    made = replace(BOOK, **{"id": ID, "actions": free, "steps": MOVES} | changes)
    known = books.list_rulebooks()
    monkeypatch.setattr(books, "list_rulebooks", lambda: (*known, made))
    return made
