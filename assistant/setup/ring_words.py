"""Words of rings as a file: which ring has which cells light, and where its band lies (`overtable.rings/1`)."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from assistant.errors import BadInput
from assistant.files.documents import Format, Place, check, read_json_object
from hardware.rings.words import RingList, read_ring_list

CellCount = Annotated[int, Field(ge=8, le=64)]
RingNumber = Annotated[str, Field(pattern=r"^\d{1,5}$")]
Word = Annotated[str, Field(pattern="^[01]{8,64}$")]


class OpenFormat(Format):
    """A part of a format that may have keys that we know nothing of."""

    model_config = ConfigDict(extra="allow")


class BandForm(OpenFormat):
    """Where the cells of a kind of ring lie; distances from the base's outline, outward positive."""

    inner_mm: Place
    outer_mm: Place
    height_mm: Annotated[float, Field(ge=0, le=1000)] | None
    """Above what the base stands on; null: at the top of the base."""
    width_mm: float | None = None
    gap_mm: float | None = None
    """Between the cells and the base's outline."""


class BorderForm(OpenFormat):
    """A plain line beside the cells; distances from the base's outline, outward positive."""

    kind: Literal["halo", "rim"]
    from_mm: Place
    to_mm: Place
    light: bool


class KindsForm(OpenFormat):
    """The kinds of rings there are."""

    halo: BandForm
    rim: BandForm


class WordsForm(OpenFormat):
    """The words of one kind of base, and what is known of them."""

    cells: CellCount
    ids: dict[RingNumber, Word]
    """By ring: a 0 (dark) or 1 (light) for each cell."""
    seed: int | None = None
    count: int | None = None
    light_cells: tuple[int, int] | None = None
    longest_run: int | None = None
    distances: tuple[int, ...] = ()
    proven_distances: tuple[int, ...] = ()
    draws: tuple[int, ...] = ()


class WordListsForm(OpenFormat):
    """The words of round bases and those of every other shape."""

    round: WordsForm
    other: WordsForm


class RingsForm(OpenFormat):
    """All that somebody needs who draws a ring, or reads one."""

    format: Literal["overtable.rings/1"]
    first_cell: str = ""
    direction: str = ""
    kinds: KindsForm
    borders: tuple[BorderForm, ...] = ()
    script: str = ""
    """That found the words."""
    words: WordListsForm


def read_ring_words(path: Path) -> RingList:
    """Read a list of words of rings.

    Raises:
        BadInput: it is not there, not JSON, or does not fit `overtable.rings/1`; one sentence says where.

    """
    document = read_json_object(path)
    check(document, RingsForm, str(path))
    try:
        return read_ring_list(document)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
