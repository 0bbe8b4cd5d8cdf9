"""The commands of the command line: each parses what was asked, calls what does it, and prints the answer."""

import io
import logging
import os
import re
import sys
from importlib import import_module
from typing import NoReturn

import click
from click.shell_completion import CompletionItem

from assistant.runtime.interrupts import interrupt_at_signals
from assistant.runtime.logs import LEVELS, Level, configure_logs, describe_log
from overtable_errors import OvertableError

BUG, BAD_INPUT, NOT_THERE, INTERRUPTED = 1, 2, 3, 130
MOST_LETTERS = 700
"""Of the line that says what went wrong."""
LINEAR_ALGEBRA = "OPENBLAS_NUM_THREADS"
"""How many threads NumPy's and SciPy's linear algebra takes, read when they are loaded.

Ours is done on thousands of small matrices: threads are done with one before the other has begun, and wait for each
other at full load.  That took as much again as the eyes' own work, from whatever else the machine has to do.
"""
_log = logging.getLogger(__name__)


COMMANDS = {
    "demo": ("run", "Play on a virtual table, where a script shows what the referee says until you take over."),
    "setup": ("setup", "Set up a table in the browser, and play on it."),
    "run": ("run", "Play on a real or a filmed table."),
    "replay": ("replay", "Play a recorded game in the browser, with a bar to pause, step and look around in it."),
    "export": ("export", "Make one file of a recorded game, to share it."),
    "stats": ("stats", "Say what a recorded game comes to: distances, times, close calls and rulings."),
    "report": (
        "report",
        "Write down an incident: the picture, the figures, the rule, the calibration and its error, and rulings.",
    ),
    "verify": ("verify", "Say whether a recording is as it was recorded, or where it was first changed."),
    "locate": ("locate", "Say where the bases stand in pictures."),
    "calibrate": ("calibrate", "Measure the camera, the table and the projector."),
    "enrol": ("enrol", "Measure where a model's tag is in its base, and how high, and write it to the set-up file."),
    "army": ("army", "Check armies, and make a game of them."),
    "layout": ("layout", "Layouts: what stands on a table, objective markers and deployment zones."),
    "print": (
        "sheets",
        "Make sheets to print: tags, coded rings, anchors, a calibration board, and rings of tags to enrol models in.",
    ),
    "judge": ("referee", "Say what the rules make of a SITUATION."),
    "zone": ("referee", "Say where a model may end an action, or any model of a unit."),
    "actions": ("referee", "Say which actions a unit may choose."),
    "rulebooks": ("referee", "List the rulebooks."),
    "cases": ("cases", "Hold a rules engine to cases worked out by hand."),
    "doctor": (
        "doctor",
        "Say what of camera, calibration, disk and browser works, how good it is in millimetres, and what to do.",
    ),
    "hall": ("hall", "Gather a tournament of many tables in one place."),
    "service": ("service", "Let a table start with the machine, and go on with its last game."),
    "password": (
        "password",
        "Let other devices do what else only this machine may: set up, choose cameras, end games.",
    ),
    "token": ("token", "Let other programs use this table: by a token each, for a role, which can be withdrawn."),
    "schema": ("schema", "Print the JSON Schema of a file format, or of what is said on the live socket."),
    "completion": ("completion", "Print the script that lets a shell complete commands and options."),
    "manual": ("manual", "Print the manual page: all commands with their options, for man."),
}
"""Which module holds a command, and its first sentence.

The module is loaded when the command is asked for: a verdict waits for no camera, and the list of them for nothing.
"""


class Commands(click.Group):
    """The commands, in the order in which a person meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return every command's name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return a command, or None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        commands: list[click.Command] = import_module(f"assistant.cli.{COMMANDS[cmd_name][0]}").commands
        return next(command for command in commands if command.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the list of commands into a help text."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return what a shell may complete a word to: commands where it is none yet, else options."""
        found = [
            CompletionItem(name, help=summary) for name, (_, summary) in COMMANDS.items() if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="overtable")
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="info",
    show_default=True,
    help="How much is written to the log; with debug, it is shown here as well.",
)
@click.pass_context
def overtable(context: click.Context, log_level: Level) -> None:
    """Watch a gaming table through a camera, and know the rules."""
    configure_logs(log_level)
    _log.debug("overtable %s", context.invoked_subcommand)


def main(*, kept: bool = True) -> None:
    """Run a command and leave with its exit status; what went wrong is one line on stderr.

    What serves a table is kept by a process of its own (`assistant.runtime.keeper`) unless `kept` is false.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr: a name that the terminal cannot show is no bug
    os.environ.setdefault(LINEAR_ALGEBRA, "1")  # before a command loads what reads it
    try:
        with interrupt_at_signals():
            status = overtable.main(prog_name="overtable", standalone_mode=False, obj=kept)
    except (click.Abort, KeyboardInterrupt):
        _end_children()
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; Python would complain about that at exit
        sys.exit(0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "overtable"
        _leave(f"{error.format_message()} ({command} --help lists what there is)", BAD_INPUT)
    except OvertableError as error:
        _leave(str(error), error.exit_status)
    except ImportError as error:
        if missing := describe_missing(error):
            _leave(missing, NOT_THERE)
        _leave_by_bug(error)
    except OSError as error:
        _log.error("The answer could not be written.", exc_info=True)
        _leave(f"the answer could not be written ({error.strerror or error})", BAD_INPUT)
    except Exception as error:
        _leave_by_bug(error)
    sys.exit(status or 0)


def _end_children() -> None:
    """End processes that an interrupt came upon as they were begun: nobody knows them, and Python waits for them."""
    if (begun := sys.modules.get("multiprocessing.process")) is not None:
        for child in begun.active_children():
            child.kill()


LIBRARIES = {"libGL.so": "libgl1", "libglib-2.0.so": "libglib2.0-0", "libgthread-2.0.so": "libglib2.0-0"}
"""Debian's packages of what OpenCV wants from the system: servers and small images come without them."""
_LIBRARY = re.compile(r"^(lib[^\s:/]{1,60}?\.so)[.0-9]*: cannot open shared object")


def describe_missing(error: ImportError) -> str:
    """Return in one sentence which part of the system is missing, and how to get it; empty where none is."""
    if found := _LIBRARY.match(str(error)):
        package = LIBRARIES.get(found[1])
        way = f"sudo apt install {package}" if package else "install the system's package that has it"
        return f"{found[1]} is missing on this machine, which OpenCV needs: {way}"
    if isinstance(error, ModuleNotFoundError) and error.name == "pupil_apriltags":
        return (
            "the package pupil-apriltags is missing, which reads the tags: pip install pupil-apriltags; where it has "
            "no wheel for this machine, that needs cmake and a C compiler"
        )
    return ""


def _leave_by_bug(error: Exception) -> NoReturn:
    _log.critical("The command was ended by a bug.", exc_info=error)
    _leave(f"something went wrong inside ({type(error).__name__}). {describe_log() or 'There is no log.'}", BUG)


def _leave(sentence: str, status: int) -> NoReturn:
    words = " ".join(sentence.split())
    if len(words) > MOST_LETTERS:  # what was given is told whole, however long
        words = f"{words[: MOST_LETTERS // 2]} … {words[-MOST_LETTERS // 2 :]}"
    print(f"overtable: {words}", file=sys.stderr)
    sys.exit(status)
