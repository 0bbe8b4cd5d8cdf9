"""`overtable token`: what other programs carry to use the interface for programs."""

from typing import get_args

import click
import platformdirs
from pydantic import TypeAdapter, ValidationError

from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.web.auth import pairings
from assistant.web.auth.pairings import (
    FORGOTTEN,
    LONGEST_NAME,
    MOST_ORIGINS,
    Origin,
    Pairing,
    Pairings,
    make_program_token,
)
from assistant.web.messages.message import Role

_ORIGIN: TypeAdapter[str] = TypeAdapter(Origin)


@click.group()
def token() -> None:
    """Let other programs use this table: by a token each, for a role, which can be withdrawn.

    They send it with every request to the addresses below /api/1, as `Authorization: Bearer TOKEN`.
    """


@token.command("make")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(get_args(Role)[::-1]),
    default="viewer",
    show_default=True,
    help="What the program may do: as much as a person of that role.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="A web site whose pages may use it, such as https://club.example; without one no page of any other may.",
)
@add_json_option
def make_token(*, name: str, role: Role, origins: tuple[str, ...], as_json: bool) -> None:
    """Make a token for a program, and print it once: what is kept tells nobody what it is.

    NAME says whose it is, such as "lamps".
    """
    if not (name.strip() and name.isprintable() and len(name) <= LONGEST_NAME):
        raise BadInput(f"token: NAME: expected 1 to {LONGEST_NAME} letters that can be shown")
    if len(origins) > MOST_ORIGINS:
        raise BadInput(f"token: --origin: expected at most {MOST_ORIGINS}; make another token for the others")
    origins = tuple(map(_check_origin, origins))
    kept, made = _open(), make_program_token()
    program = kept.add_program(made, role, name, origins)
    if as_json:
        print_json({"token": made, **_describe(program)})
        return
    click.echo(made)
    click.echo(
        f"Keep it: it is shown only now. A program in use for {FORGOTTEN.days} days no more is forgotten.", err=True
    )


@token.command("list")
@add_json_option
def list_tokens(*, as_json: bool) -> None:
    """List the programs that have a token, with the id by which it is withdrawn."""
    made = [each for each in _open().list() if each.program]
    if as_json:
        print_json({"tokens": [_describe(each) for each in made]})
        return
    for each in made:
        sites = f", for pages of {', '.join(each.origins)}" if each.origins else ""
        click.echo(f"{each.id}  {each.role:<6}  {each.name}, since {each.since}, last seen {each.seen}{sites}")
    if not made:
        click.echo("No program has a token.")


@token.command("withdraw")
@click.argument("id", metavar="ID")
def withdraw_token(*, id: str) -> None:  # noqa: A002 - as people call it
    """Withdraw a token, by its ID as the list has it; a program that is connected is cut off."""
    if not _open().withdraw(lambda each: each.program and each.id == id):
        raise BadInput(f"token: no program has the id {id!r}; `overtable token list` has them")
    click.echo("It is withdrawn.")


def _check_origin(text: str) -> str:
    try:
        return _ORIGIN.validate_python(text.lower().removesuffix("/"))
    except ValidationError:
        raise BadInput(
            f"token: --origin {text}: expected how a browser names a web site, such as https://club.example, "
            "without a path"
        ) from None


def _describe(each: Pairing) -> dict[str, object]:
    return {"id": each.id, **each.model_dump(mode="json", exclude={"digest", "program"})}


def _open() -> Pairings:
    return Pairings(platformdirs.user_state_path("overtable") / pairings.FILE)


commands: list[click.Command] = [token]
