"""`overtable verify`: whether a recording is as it was recorded."""

import re
from dataclasses import asdict
from pathlib import Path

import click

from assistant.cli.output import as_json, print_json
from assistant.errors import BadInput
from assistant.past.incident import clock_said
from assistant.record.chain import BYTES
from assistant.record.verify import Break, Checked
from assistant.record.verify import verify as checked


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--head", metavar="HEX", help="A head that was written down: proves that nothing up to it was cut off.")
@as_json
def verify(*, recording: Path, head: str | None, as_json: bool) -> None:
    """Say whether a recording is as it was recorded, or where it was first changed.

    Every event carries a digest over itself and all before it. Whoever changes the file with care can make all of them
    anew, but not to a head that you wrote down: keep the head that is printed here, and give it with --head.

    Exit status: 0 it was checked, whatever came of it (--json says so as "intact"), 2 it cannot be checked.
    """
    if head is not None and not re.fullmatch(rf"[0-9a-fA-F]{{{2 * BYTES}}}", head):
        raise BadInput(f"--head {head}: expected {2 * BYTES} hexadecimal digits, as verify prints them")
    found = checked(recording, head=head, video=True)
    if as_json:
        print_json({"recording": str(recording), "intact": not (found.broken or found.video_broken), **asdict(found)})
    else:
        click.echo(f"{recording}: {_said(found)}")


def changed_said(broken: Break) -> str:
    """Tell what was changed in a recording, and when in the game."""
    when = "" if broken.at_ns is None else f", {clock_said(broken.at_ns)} into the game"
    return f"changed after it was recorded: {broken.what}{when}"


def notice_of(recording: Path) -> str:
    """Return what a person should know who looks at a recording that was changed or cannot be checked; else nothing.

    Ask for it once the recording was read: what makes that impossible, too, has then been said already.
    """
    try:
        broken = checked(recording).broken
    except BadInput as error:
        return f"This recording cannot be vouched for: {error}."
    return f"This recording was {changed_said(broken)}." if broken else ""


def refuse_changed(recording: Path, instead: str) -> None:
    """Raise BadInput for a recording that was changed, is damaged or cannot be checked.

    Args:
        recording: the journal.
        instead: what is not done with one that was changed, and what to do, as the end of the sentence.

    """
    if broken := checked(recording).broken:
        raise BadInput(f"{recording}: {changed_said(broken)}; {instead}")


def _said(found: Checked) -> str:
    if found.broken is not None and found.broken.captured_ns is None:  # nothing in it is known to have been changed
        return f"not shown to be whole: {found.broken.what}; its {found.events} events fit together"
    if found.broken is not None:
        return f"{changed_said(found.broken)}; the {found.events} events before are as they were recorded"
    since = f"; {found.since_head} of them after the head that you gave" if found.since_head else ""
    video = f", {found.filmed} pictures of video" if found.filmed else ""
    if found.video_missing:
        video += (
            f" (of its video, files that are not there: {len(found.video_missing)}, {found.video_missing[0]} first)"
        )
    if found.video_broken is not None:
        return (
            f"its video was {changed_said(found.video_broken)}; the game is intact: {found.events} events,"
            f" {found.pictures} pictures{video}{since}; head {found.head}"
        )
    return f"intact: {found.events} events, {found.pictures} pictures{video}{since}; head {found.head}"


commands: list[click.Command] = [verify]
