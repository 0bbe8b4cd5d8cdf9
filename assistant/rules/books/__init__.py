"""Rulebook discovery: one file or folder a rulebook, found by looking here; each holds its rulebook under ``BOOK``."""

import importlib
import pkgutil
from functools import cache

from assistant.errors import BadInput
from assistant.rules.rulebook import Rulebook


@cache
def list_rulebooks() -> tuple[Rulebook, ...]:
    """Return every rulebook, in the order of their ids."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    return tuple(sorted((module.BOOK for module in modules), key=lambda book: book.id))


def find_rulebook(book_id: str) -> Rulebook:
    """Return the rulebook with this id.

    Raises:
        BadInput: there is none.

    """
    for book in list_rulebooks():
        if book.id == book_id:
            return book
    known = ", ".join(book.id for book in list_rulebooks())
    raise BadInput(f"rulebook: there is no rulebook {book_id!r}; expected one of {known}")
