"""Rulebooks: one file or folder a rulebook, found by looking here; each holds its rulebook under ``BOOK``.

Other packages bring theirs by entry points of the group ``overtable.rulebooks``, each of which names a `Rulebook`.
"""

from functools import cache

from assistant.errors import BadInput
from assistant.files.plugins import Door
from assistant.rules.rulebook import Rulebook

DOOR = Door(
    word="rulebook",
    group="overtable.rulebooks",
    package=__name__,
    attribute="BOOK",
    kind=Rulebook,
    names=lambda book: (book.id,),
)


@cache
def list_rulebooks() -> tuple[Rulebook, ...]:
    """Return every rulebook, in the order of their ids."""
    return tuple(sorted(DOOR.find(), key=lambda book: book.id))


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
