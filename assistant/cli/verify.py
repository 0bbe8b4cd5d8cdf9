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
    result = checked(recording, head=head, video=True)
    if as_json:
        intact = not (result.broken or result.video_broken)
        print_json({"recording": str(recording), "intact": intact, **asdict(result)})
    else:
        click.echo(f"{recording}: {_describe_result(result)}")


def _describe_result(result: VerificationResult) -> str:
    if result.broken is not None and result.broken.captured_ns is None:  # nothing in it is known to have been changed
        return f"not shown to be whole: {result.broken.what}; its {result.events} events fit together"
    if result.broken is not None:
        return f"{describe_break(result.broken)}; the {result.events} events before are as they were recorded"
    since = f"; {result.since_head} of them after the head that you gave" if result.since_head else ""
    video = f", {result.filmed} pictures of video" if result.filmed else ""
    if result.video_missing:
        video += (
            f" (of its video, files that are not there: {len(result.video_missing)}, {result.video_missing[0]} first)"
        )
    if result.video_broken is not None:
        return (
            f"its video was {describe_break(result.video_broken)}; the game is intact: {result.events} events,"
            f" {result.pictures} pictures{video}{since}; head {result.head}"
        )
    return f"intact: {result.events} events, {result.pictures} pictures{video}{since}; head {result.head}"


commands: list[click.Command] = [verify]
