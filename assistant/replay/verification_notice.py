"""Notices of a recording that was changed: what people who look at it are told, and what is refused."""

from pathlib import Path

from assistant.errors import BadInput
from assistant.recording.verification import Mismatch, verify
from assistant.replay.formatting import format_clock


def describe_break(broken: Mismatch) -> str:
    """Tell what was changed in a recording, and when in the game."""
    when = "" if broken.at_ns is None else f", {format_clock(broken.at_ns)} into the game"
    return f"changed after it was recorded: {broken.what}{when}"


def find_notice(recording: Path) -> str:
    """Return what a person should know who looks at a recording that was changed or cannot be checked; else nothing.

    Ask for it once the recording was read: what makes that impossible, too, has then been said already.
    """
    try:
        broken = verify(recording).broken
    except BadInput as error:
        return f"This recording cannot be vouched for: {error}."
    return f"This recording was {describe_break(broken)}." if broken else ""


def refuse_changed(recording: Path, instead: str) -> None:
    """Raise BadInput for a recording that was changed, is damaged or cannot be checked.

    Args:
        recording: the journal.
        instead: what is not done with one that was changed, and what to do, as the end of the sentence.

    """
    if broken := verify(recording).broken:
        raise BadInput(f"{recording}: {describe_break(broken)}; {instead}")
