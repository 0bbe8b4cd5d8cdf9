"""`overtable export`: a recorded game for others, in one file."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from assistant.cli.output import FiniteFloat, show_progress
from assistant.errors import BadInput
from assistant.features.notices import print_notice
from assistant.files.documents import replace_atomically
from assistant.files.output_path import check_target
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.second_process import collect_seldom
from assistant.replay.verification_notice import find_notice
from assistant.runtime.exporters import list_exporters, load_exporter

_FILE = click.Path(path_type=Path)


class PictureSize(click.ParamType):  # type: ignore[type-arg]  # generic for newer clicks only
    """A picture's width and height."""

    name = "size"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return them, pixels; codecs take even numbers only."""
        if isinstance(value, tuple):
            return value
        width, _, height = value.partition("x")
        if not (width.isdecimal() and height.isdecimal()):
            self.fail(f"{value} is no size; expected WIDTHxHEIGHT, such as 1280x720.", param, ctx)
        size = int(width), int(height)
        if any(side % 2 or not 240 <= side <= 4320 for side in size):
            self.fail(f"{value}: expected even numbers from 240 to 4320.", param, ctx)
        return size


@click.command()
@click.argument("recording", type=_FILE)
@click.option("--to", "kind", required=True, type=click.Choice(list(list_exporters())), help="What to make of it.")
@click.option("--out", required=True, type=_FILE, help="The file to write.")
@click.option("--replace", "replaces", is_flag=True, help="Write over a file of the same kind.")
@click.option("--at", help="situation: when, from the game's beginning: 754.5 (seconds), 12:34.5 or 1:02:03.")
@click.option("--move", type=click.IntRange(min=1), help="situation: which move, by its number in --to moves.")
@click.option("--speed", type=FiniteFloat(0.1, 100), help="mp4, webm: 2 plays twice as fast.")
@click.option(
    "--size",
    type=PictureSize(),
    metavar="WIDTHxHEIGHT",
    help="mp4, webm: of the picture, such as 1920x1080.  [1280x720]",
)
@click.option("--verdicts", is_flag=True, help="json: also what the referee says, whenever that changes.")
@click.option("--poses", is_flag=True, help="json: also where every model was seen, and the calibrations.")
def export(*, recording: Path, kind: str, out: Path, replaces: bool, **options: object) -> None:
    """Make one file of a recorded game, to share it.

    html: a replay that opens from disk in a browser. mp4: a film of the table from above, waits shortened, for
    players of films, and where ffmpeg is installed for browsers and chats. webm: the same film, which browsers play
    everywhere, and which takes longer to make. timelapse: a minute's film of what moved, as WebM. json: what
    happened, as JSON Lines. mcap: the same with poses and verdicts, for robotics tools. moves: the moves in words.
    situation: a moment to judge again with `overtable judge`, or to make a test case of. corrected: a recording in
    which models that had carried each other's markers are told apart from where that began, to replay and judge
    like any other.
    """
    exporter = load_exporter(kind)
    for name, value in options.items():
        if value and name not in exporter.options:
            raise BadInput(f"--{name}: means nothing with --to {kind}; leave it out")
    if exporter.suffix and out.suffix.lower() != exporter.suffix:
        raise BadInput(f"--out {out}: expected a name that ends with {exporter.suffix}, by which players know it")
    RecordedGame(recording)  # what is wrong with it is said before anything is written
    collect_seldom()
    _check_out(out, recording, exporter, replaces=replaces)
    # Beside it, not before: whoever shares the work on a long game with another process waits for that in the end.
    with ThreadPoolExecutor(1) as beside:
        notice = beside.submit(find_notice, recording)
        with replace_atomically(out) as aside, show_progress(exporter.activity) as progress:
            description = exporter.export(recording, aside, ExportOptions(progress=progress, **options))  # type: ignore[arg-type]
        print_notice(notice.result())
    click.echo(f"{out}: {description}")


def _check_out(out: Path, recording: Path, exporter: Exporter, *, replaces: bool) -> None:
    own = recording.resolve()
    beside = {own.with_name(own.name + ending) for ending in ("", "-wal", "-shm", "-journal", ".lock")}
    if out.resolve() in beside or (out.exists() and out.samefile(recording)):
        raise BadInput(f"--out {out}: this is the recording itself, or a part of it; choose another name")
    if out.exists() and exporter.recognises is None:
        raise BadInput(f"--out {out}: there is such a file already, and a {exporter.name} is never written over")
    check_target(out, exporter.name, replaces=exporter.recognises or (lambda _: False))
    if out.exists() and not replaces:
        raise BadInput(f"--out {out}: there is such a file already; choose another name, or give --replace")


commands: list[click.Command] = [export]
