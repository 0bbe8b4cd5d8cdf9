"""Messages: what a table and its hall tell each other beside the rows, and the subjects that they write to.

A table tells every few seconds how it fares, and is told what stands on its tablet.  Both say all there is to say each
time, so that one that is lost on the way is made up for by the next.
"""

from typing import Annotated, Literal

from pydantic import Field, ValidationError

from assistant.errors import BadInput
from assistant.files.documents import F, Format, describe_validation_error

STREAM = "HALL"
MOST_TOLD_BYTES = 64 * 1024
STATE_S = 2.0
"""A table tells how it fares so often, and at once when something changes."""
SILENT_S = 8.0
"""A table that has said nothing for so long is cut off."""
Name = Annotated[str, Field(max_length=100)]
Text = Annotated[str, Field(max_length=500)]
Row = Annotated[int, Field(ge=-1, lt=2**53)]
Moment = Annotated[int, Field(ge=0, lt=2**63)]
RecordingName = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


def name_rows_subject(table: str) -> str:
    """Return where a table's rows go; the broker keeps them until the hall has them.

    >>> name_rows_subject("7")
    'overtable.rows.7'
    """
    return f"overtable.rows.{table}"


def name_state_subject(table: str) -> str:
    """Return where a table tells how it fares; nobody keeps it."""
    return f"overtable.state.{table}"


def name_order_subject(table: str) -> str:
    """Return where a table is told what concerns it, and no other table may read it."""
    return f"overtable.orders.{table}"


class Summons(Format):
    """That a table asks for a judge."""

    about: Text
    since_s: Annotated[int, Field(ge=0, lt=2**40)]
    """By the table's clock, seconds since 1970."""


class TableState(Format):
    """How a table fares."""

    format: Literal["overtable.table-state/1"] = "overtable.table-state/1"
    clock_ns: Moment
    """Its clock as it writes this."""
    recording: RecordingName | Literal[""] = ""
    """Which recording it plays; empty before there is one."""
    row: Row = -1
    """The last row there is; the hall may not have them all yet."""
    title: Name = ""
    camera: Literal["starting", "live", "lost", "ended"] = "starting"
    camera_text: Text = ""
    """What is wrong with it, as the table's pages say it."""
    trouble: Text = ""
    """What else a judge should know, such as a disk that is full."""
    summons: Summons | None = None


class DeskRuling(Format):
    """A judge's ruling from the desk, until the table's record has it."""

    judge: Name
    captured_ns: Moment
    """The moment that it is about."""
    outcome: Literal["legal", "illegal"]
    note: Text = ""


class RoundClock(Format):
    """The clock of the round at one table."""

    round: Annotated[int, Field(ge=0, le=99)]
    left_s: Annotated[int, Field(ge=-(10**6), le=10**6)]
    """Until the end of the round at this table; negative after it."""
    running: bool
    dice_down: bool = False
    """Nothing new is begun."""


class TableOrders(Format):
    """What a table is told, all of it each time."""

    format: Literal["overtable.table-orders/1"] = "overtable.table-orders/1"
    event: Name
    players: Annotated[tuple[Name, ...], Field(max_length=8)] = ()
    clock: RoundClock | None = None
    coming: Name = ""
    """Which judge is on the way; empty for nobody."""
    coming_s: Annotated[int, Field(ge=0, le=10**6)] = 0
    """Since how long."""
    answered_s: Annotated[int, Field(ge=0, lt=2**40)] = 0
    """The summons that was answered, by when it came; 0 for none: the table may call again."""
    rulings: Annotated[tuple[DeskRuling, ...], Field(max_length=100)] = ()
    """Those that the table's record does not have yet, as far as the hall knows."""
    recent: Annotated[tuple[DeskRuling, ...], Field(max_length=5)] = ()
    """The latest rulings from the desk on the game that is played."""
    again: RecordingName | Literal[""] = ""
    """A recording of which the hall lacks rows that it once had; empty where it lacks none."""
    again_after: Row = -1
    """The last row of it that is there: what comes after is to be sent again."""


def encode_message(message: Format) -> bytes:
    """Return a message as it is sent."""
    return message.model_dump_json().encode()


def decode_message(data: bytes, form: type[F]) -> F:
    """Return a message.

    Raises:
        BadInput: it is none of this form.

    """
    if len(data) > MOST_TOLD_BYTES:
        raise BadInput(f"a message of {len(data)} bytes is longer than any")
    try:
        return form.model_validate_json(data)
    except ValidationError as error:
        raise BadInput(describe_validation_error(error)) from None
