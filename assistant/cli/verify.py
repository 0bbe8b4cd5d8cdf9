"""`overtable verify`: whether a recording is as it was recorded."""

import re
from dataclasses import asdict
from pathlib import Path

import click

from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.recording.journal.hash_chain import DIGEST_BYTES
from assistant.recording.verification import VerificationResult
from assistant.recording.verification import verify as checked
from assistant.replay.verification_notice import describe_break


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--head", metavar="HEX", help="A head that was written down: proves that nothing up to it was cut off.")
@add_json_option
def verify(*, recording: Path, head: str | None, as_json: bool) -> None:
    """Say whether a recording is as it was recorded, or where it was first changed.

    Every event carries a digest over itself and all before it. Whoever changes the file with care can make all of them
    anew, but not to a head that you wrote down: keep the head that is printed here, and give it with --head.

    Exit status: 0 it was checked, whatever came of it (--json says so as "intact"), 2 it cannot be checked.
    """
    if head is not None and not re.fullmatch(rf"[0-9a-fA-F]{{{2 * DIGEST_BYTES}}}", head):
        raise BadInput(f"--head {head}: expected {2 * DIGEST_BYTES} hexadecimal digits, as verify prints them")
    found = checked(recording, head=head, video=True)
    if as_json:
        print_json({"recording": str(recording), "intact": not (found.broken or found.video_broken), **asdict(found)})
    else:
        click.echo(f"{recording}: {_describe_result(found)}")


def _describe_result(found: VerificationResult) -> str:
    if found.broken is not None and found.broken.captured_ns is None:  # nothing in it is known to have been changed
        return f"not shown to be whole: {found.broken.what}; its {found.events} events fit together"
    if found.broken is not None:
        return f"{describe_break(found.broken)}; the {found.events} events before are as they were recorded"
    since = f"; {found.since_head} of them after the head that you gave" if found.since_head else ""
    video = f", {found.filmed} pictures of video" if found.filmed else ""
    if found.video_missing:
        video += (
            f" (of its video, files that are not there: {len(found.video_missing)}, {found.video_missing[0]} first)"
        )
    if found.video_broken is not None:
        return (
            f"its video was {describe_break(found.video_broken)}; the game is intact: {found.events} events,"
            f" {found.pictures} pictures{video}{since}; head {found.head}"
        )
    return f"intact: {found.events} events, {found.pictures} pictures{video}{since}; head {found.head}"


commands: list[click.Command] = [verify]
