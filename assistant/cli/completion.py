"""`overtable completion`: the script that lets a shell complete commands and options at a TAB."""

import click
from click.shell_completion import get_completion_class

WHERE = {
    "bash": "~/.local/share/bash-completion/completions/overtable",
    "zsh": "~/.zfunc/_overtable (with fpath+=~/.zfunc before compinit in ~/.zshrc)",
    "fish": "~/.config/fish/completions/overtable.fish",
}
"""The file that each shell reads it from."""


@click.command(epilog="\b\nIt belongs in:\n" + "\n".join(f"{shell:<6}{path}" for shell, path in WHERE.items()))
@click.argument("shell", type=click.Choice(list(WHERE)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands and options."""
    kind = get_completion_class(shell)
    assert kind is not None, shell
    click.echo(kind(context.find_root().command, {}, "overtable", "_OVERTABLE_COMPLETE").source())


commands: list[click.Command] = [completion]
