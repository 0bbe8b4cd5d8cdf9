"""The commands; the only place that builds cameras and pipelines."""

import sys

import click

from assistant.cli import live, locate, referee
from assistant.errors import BadInput
from calibration.errors import Unsolvable
from hardware.errors import BadSource, SourceLost

BAD_INPUT, NOT_THERE, INTERRUPTED = 2, 3, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="overtable")
def overtable() -> None:
    """Watch a gaming table through a camera, and know the rules."""


for _command in (*live.commands, *locate.commands, *referee.commands):
    overtable.add_command(_command)


def main() -> None:
    """Run a command and leave with its exit status; what went wrong is one line on stderr."""
    try:
        status = overtable.main(standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; Python would complain about that at exit
        sys.exit(0)
    except click.ClickException as error:
        _leave(f"{error.format_message()} (overtable --help lists what there is)", BAD_INPUT)
    except (BadInput, BadSource, Unsolvable) as error:
        _leave(str(error), BAD_INPUT)
    except SourceLost as error:
        _leave(str(error), NOT_THERE)
    sys.exit(status or 0)


def _leave(sentence: str, status: int) -> None:
    print(f"overtable: {' '.join(sentence.split())}", file=sys.stderr)
    sys.exit(status)
