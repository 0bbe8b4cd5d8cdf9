"""`overtable export`: a recorded game for others, in one file."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from assistant.cli.output import FiniteFloat, show_progress
from assistant.cli.report import parse_clock
from assistant.errors import BadInput
from assistant.features.camera.markers import print_notice
from assistant.files.documents import replace_atomically
from assistant.files.output_path import check_target, is_json_of
from assistant.replay.exports.corrected_recording import write_corrected_copy
from assistant.replay.exports.film import write_film
from assistant.replay.exports.json_lines import export_lines
from assistant.replay.exports.mcap import MAGIC, write_mcap
from assistant.replay.exports.situation import export_situation
from assistant.replay.moves import find_move, format_moves, read_moves
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.verification_notice import find_notice
from assistant.web.replay_page import MARK, render_replay_page

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What is to be exported."""

    recording: Path
    at: str | None
    move: int | None
    verdicts: bool
    poses: bool
    speed: float | None
    size: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """A kind of file."""

    name: str
    ours: Callable[[bytes], bool]
    """Whether a file that begins so is of this kind, and may be replaced if that is asked for."""
    write: Callable[[ExportRequest, Path], str]
    """Writes it, and returns what is said of it."""
    takes: frozenset[str]
    """The options that mean something for it."""
    suffix: str = ""
    """What its name must end with."""


def _write_html(asked: ExportRequest, out: Path) -> str:
    with show_progress("Packing") as progress:
        page = render_replay_page(asked.recording, progress)
    out.write_text(page, encoding="utf-8")
    return f"a replay that any browser opens, {len(page) / 1e6:.1f} MB"


def _write_mp4(asked: ExportRequest, out: Path) -> str:
    with show_progress("Filming") as progress:
        seconds = write_film(
            asked.recording, out, size=asked.size or FILM_SIZE, speed=asked.speed or 1.0, progress=progress
        )
    return f"a film of {seconds:.0f} seconds"


def _write_json_lines(asked: ExportRequest, out: Path) -> str:
    whole_ns = max(1, RecordedGame(asked.recording).find_end_ns())
    with show_progress("Writing") as progress:

        def texts() -> Iterator[str]:
            for line in export_lines(asked.recording, verdicts=asked.verdicts, poses=asked.poses):
                progress(line.get("at_ns", 0) / whole_ns)
                yield json.dumps(line, ensure_ascii=False)

        return f"{_write_lines(out, texts())} lines"


def _write_mcap(asked: ExportRequest, out: Path) -> str:
    whole_ns = max(1, RecordedGame(asked.recording).find_end_ns())
    with show_progress("Writing") as progress:
        return f"{write_mcap(asked.recording, out, lambda at_ns: progress(at_ns / whole_ns))} messages"


def _write_moves(asked: ExportRequest, out: Path) -> str:
    made = read_moves(asked.recording)
    _write_lines(out, (f"{MOVES_OF} {RecordedGame(asked.recording).title}", "", *format_moves(made)))
    return f"{len(made)} moves"


def _write_situation(asked: ExportRequest, out: Path) -> str:
    if (asked.at is None) == (asked.move is None):
        raise BadInput("export: of which moment? give --at TIME or --move NUMBER, as --to moves lists them")
    if asked.move is not None:
        made, name = find_move(asked.recording, asked.move), f"{asked.recording}: move {asked.move}"
        document = export_situation(made.state, name)
    else:
        past = RecordedGame(asked.recording)
        state = past.find_moment(parse_clock(asked.at or "", past)).session.state
        document = export_situation(state, f"{asked.recording}: at {asked.at}")
    out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return "a move and where everything stood" if "move" in document else "where everything stood"


def _write_corrected(asked: ExportRequest, out: Path) -> str:
    out.unlink()  # a journal is begun where there is none
    mistakes = write_corrected_copy(asked.recording, out)
    told = (
        f"{' and '.join(m.models)} from {'the beginning' if m.whole else f'row {m.from_entry}'} on" for m in mistakes
    )
    return f"a recording of the game as it is known to have been: {'; '.join(told)} told apart"


FILM_SIZE = 1280, 720
MOVES_OF = "Moves of"
EXPORT_KINDS: Mapping[str, ExportKind] = {
    "html": ExportKind(name="replay", ours=lambda head: MARK.encode() in head, write=_write_html, takes=frozenset()),
    "mp4": ExportKind(
        name="film",
        ours=lambda head: head[4:8] == b"ftyp",
        write=_write_mp4,
        takes=frozenset({"speed", "size"}),
        suffix=".mp4",
    ),
    "json": ExportKind(
        name="file of events",
        ours=is_json_of("overtable.events"),
        write=_write_json_lines,
        takes=frozenset({"verdicts", "poses"}),
    ),
    "mcap": ExportKind(
        name="MCAP file", ours=lambda head: head.startswith(MAGIC), write=_write_mcap, takes=frozenset(), suffix=".mcap"
    ),
    "corrected": ExportKind(name="recording", ours=lambda _: False, write=_write_corrected, takes=frozenset()),
    "moves": ExportKind(
        name="list of moves",
        ours=lambda head: head.startswith(MOVES_OF.encode()),
        write=_write_moves,
        takes=frozenset(),
    ),
    "situation": ExportKind(
        name="situation file",
        ours=is_json_of("overtable.situation"),
        write=_write_situation,
        takes=frozenset({"at", "move"}),
    ),
}


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
@click.option("--to", "kind", required=True, type=click.Choice(list(EXPORT_KINDS)), help="What to make of it.")
@click.option("--out", required=True, type=_FILE, help="The file to write.")
@click.option("--replace", "replaces", is_flag=True, help="Write over a file of the same kind.")
@click.option("--at", help="situation: when, from the game's beginning: 754.5 (seconds), 12:34.5 or 1:02:03.")
@click.option("--move", type=click.IntRange(min=1), help="situation: which move, by its number in --to moves.")
@click.option("--speed", type=FiniteFloat(0.1, 100), help="mp4: 2 plays twice as fast.")
@click.option(
    "--size", type=PictureSize(), metavar="WIDTHxHEIGHT", help="mp4: of the picture, such as 1920x1080.  [1280x720]"
)
@click.option("--verdicts", is_flag=True, help="json: also what the referee says, whenever that changes.")
@click.option("--poses", is_flag=True, help="json: also where every model was seen, and the calibrations.")
def export(*, recording: Path, kind: str, out: Path, replaces: bool, **options: object) -> None:
    """Make one file of a recorded game, to share it.

    html: a replay that opens from disk in a browser. mp4: a film of the table from above, waits shortened, for players
    of films (browsers play html). json: what happened, as JSON Lines. mcap: the same with poses and verdicts, for
    robotics tools. moves: the moves in words. situation: a moment to judge again with `overtable judge`, or to make a
    test case of. corrected: a recording in which models that had carried each other's tags are told apart from where
    that began, to replay and judge like any other.
    """
    chosen = EXPORT_KINDS[kind]
    for name, value in options.items():
        if value and name not in chosen.takes:
            raise BadInput(f"--{name}: means nothing with --to {kind}; leave it out")
    if chosen.suffix and out.suffix.lower() != chosen.suffix:
        raise BadInput(f"--out {out}: expected a name that ends with {chosen.suffix}, by which players know it")
    RecordedGame(recording)  # what is wrong with it is said before anything is written
    print_notice(find_notice(recording))
    _check_out(out, recording, chosen, replaces=replaces)
    with replace_atomically(out) as aside:
        said = chosen.write(ExportRequest(recording=recording, **options), aside)  # type: ignore[arg-type]
    click.echo(f"{out}: {said}")


def _check_out(out: Path, recording: Path, kind: ExportKind, *, replaces: bool) -> None:
    own = recording.resolve()
    beside = {own.with_name(own.name + ending) for ending in ("", "-wal", "-shm", "-journal", ".lock")}
    if out.resolve() in beside or (out.exists() and out.samefile(recording)):
        raise BadInput(f"--out {out}: this is the recording itself, or a part of it; choose another name")
    if out.exists() and kind is EXPORT_KINDS["corrected"]:
        raise BadInput(f"--out {out}: there is such a file already, and a recording is never written over")
    check_target(out, kind.name, replaces=kind.ours)
    if out.exists() and not replaces:
        raise BadInput(f"--out {out}: there is such a file already; choose another name, or give --replace")


def _write_lines(out: Path, texts: Iterable[str]) -> int:
    count = 0
    with out.open("w", encoding="utf-8", newline="\n") as file:
        for text in texts:
            file.write(text + "\n")
            count += 1
    return count


commands: list[click.Command] = [export]
