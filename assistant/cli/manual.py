"""`overtable manual`: the manual page of all commands, as `man` shows it."""

from collections.abc import Iterator
from importlib.metadata import version

import click

WHERE = "~/.local/share/man/man1/overtable.1"
STATUS = {
    0: "done",
    1: "a bug",
    2: "bad input",
    3: "hardware, or a part of the system, that is not there",
    130: "interrupted",
}


@click.command(epilog=f"It belongs in {WHERE}.")
@click.pass_context
def manual(context: click.Context) -> None:
    """Print the manual page: all commands with their options, for man."""
    click.echo("\n".join(write_manual(context.find_root())))


def write_manual(root: click.Context) -> Iterator[str]:
    """Yield the lines of the page in the macros of man(7)."""
    program = root.command
    yield f'.TH OVERTABLE 1 "" "overtable {version("overtable")}" "User commands"'
    yield ".SH NAME"
    yield f"overtable \\- {_escape((program.help or '').rstrip('.').lower())}"
    yield ".SH SYNOPSIS"
    yield r".B overtable"
    yield r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGS\fR]..."
    yield ".SH OPTIONS"
    yield from _list_options(root)
    yield ".SH COMMANDS"
    for context in _walk(root):
        if context is not root:
            yield from _describe(context)
    yield ".SH EXIT STATUS"
    for number, meaning in STATUS.items():
        yield from (".TP", str(number), _escape(meaning))


def _walk(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            assert command is not None, name
            yield from _walk(click.Context(command, info_name=name, parent=context))


def _describe(context: click.Context) -> Iterator[str]:
    usage = " ".join(context.command.collect_usage_pieces(context))
    yield f'.SS "{_escape(context.command_path.partition(" ")[2] + " " + usage)}"'
    for number, paragraph in enumerate((context.command.help or "").split("\n\n")):
        if number:
            yield ".PP"
        yield _escape(" ".join(paragraph.replace("\b", "").split()))
    yield from _list_options(context)


def _list_options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield from (".TP", rf"\fB{_escape(record[0])}\fR", _escape(record[1]))


def _escape(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


commands: list[click.Command] = [manual]
