"""The commands of the command line: each parses what was asked, calls what does it, and prints the answer."""

import io
import logging
import sys
from importlib import import_module

import click

from assistant.runtime.logs import LEVELS, Level, configure_logs, describe_log
from overtable_errors import OvertableError

BUG, BAD_INPUT, NOT_THERE, INTERRUPTED = 1, 2, 3, 130
MOST_LETTERS = 700
"""Of the line that says what went wrong."""
_log = logging.getLogger(__name__)


MODULES = {
    "demo": "run",
    "setup": "setup",
    "run": "run",
    "replay": "replay",
    "export": "export",
    "stats": "stats",
    "report": "report",
    "verify": "verify",
    "locate": "locate",
    "calibrate": "calibrate",
    "enrol": "enrol",
    "army": "army",
    "layout": "layout",
    "print": "sheets",
    "judge": "referee",
    "zone": "referee",
    "actions": "referee",
    "rulebooks": "referee",
    "cases": "cases",
    "doctor": "doctor",
    "schema": "schema",
}
"""Which module holds a command.  It is loaded when the command is asked for, so that a verdict waits for no camera."""


class Commands(click.Group):
    """The commands, in the order in which a person meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return every command's name."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return a command, or None if there is none of this name."""
        if cmd_name not in MODULES:
            return None
        commands: list[click.Command] = import_module(f"assistant.cli.{MODULES[cmd_name]}").commands
        return next(command for command in commands if command.name == cmd_name)


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


def main() -> None:
    """Run a command and leave with its exit status; what went wrong is one line on stderr."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr: a name that the terminal cannot show is no bug
    try:
        status = overtable.main(standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
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
    except OSError as error:
        _log.error("The answer could not be written.", exc_info=True)
        _leave(f"the answer could not be written ({error.strerror or error})", BAD_INPUT)
    except Exception as error:
        _log.critical("The command was ended by a bug.", exc_info=True)
        _leave(f"something went wrong inside ({type(error).__name__}). {describe_log() or 'There is no log.'}", BUG)
    sys.exit(status or 0)


def _leave(sentence: str, status: int) -> None:
    words = " ".join(sentence.split())
    if len(words) > MOST_LETTERS:  # what was given is told whole, however long
        words = f"{words[: MOST_LETTERS // 2]} … {words[-MOST_LETTERS // 2 :]}"
    print(f"overtable: {words}", file=sys.stderr)
    sys.exit(status)
