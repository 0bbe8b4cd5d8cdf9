"""Rulebooks for tests: the tenth edition with another order of play."""

from dataclasses import replace
from typing import Any

import pytest

from assistant.rules import books
from assistant.rules.books.warhammer_40k_10e import BOOK
from assistant.rules.rulebook import Rulebook, Step, unchanged

ID = "made-up"
MOVES = (Step(id="move-units", label="Move", rule="x-turns"),)
"""A turn that is nothing but moving."""


def play(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Rulebook:
    """Add a rulebook under ``ID`` for one test: in it no status forbids another move, and turns have one step."""
    free = tuple(
        replace(a, status=unchanged, intent=("transport",)) if a.id in {"normal", "advance"} else a
        for a in BOOK.actions
    )
    made = replace(BOOK, **{"id": ID, "actions": free, "steps": MOVES} | changes)
    known = books.rulebooks()
    monkeypatch.setattr(books, "rulebooks", lambda: (*known, made))
    return made
