"""`overtable password`: the password by which other devices do what else only this machine may."""

import sys

import click
import platformdirs

from assistant.errors import BadInput
from assistant.web.auth import pairings
from assistant.web.auth.pairings import Pairings
from assistant.web.auth.password import FILE, HostPassword


@click.group()
def password() -> None:
    """Let other devices do what else only this machine may: set up, choose cameras, end games.

    Who has the password opens the pages by their encrypted address and chooses "Run the table from this device".
    """


@password.command("set")
def set_password() -> None:
    """Set the password; it is asked for twice, or read from a line of the standard input."""
    if sys.stdin.isatty():
        entered = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        entered = sys.stdin.readline().rstrip("\r\n")
    try:
        _open().keep(entered)
    except OSError as error:
        raise BadInput(f"the password cannot be kept ({error.strerror or error})") from None
    _withdraw_hosts()
    click.echo(
        "The password is set. A table that runs takes it at once; devices that stay joined have to enter it anew."
    )


@password.command("remove")
def remove_password() -> None:
    """Remove the password: only this machine itself is the host then."""
    kept = _open()
    there = kept.is_set
    try:
        kept.remove()
    except OSError as error:
        raise BadInput(f"the password cannot be removed ({error.strerror or error})") from None
    _withdraw_hosts()
    click.echo("The password is removed." if there else "There was no password.")


def _open() -> HostPassword:
    return HostPassword(platformdirs.user_state_path("overtable") / FILE)


def _withdraw_hosts() -> None:
    """Let no device stay a host by the password before."""
    kept = Pairings(platformdirs.user_state_path("overtable") / pairings.FILE)
    kept.withdraw(lambda each: each.role == "host" and not each.program)


commands: list[click.Command] = [password]
