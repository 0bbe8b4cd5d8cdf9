"""How every command prints: for people, or with --json for programs."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

C = TypeVar("C", bound=Callable[..., object])


def as_json(command: C) -> C:
    """Give a command the flag --json, as the argument ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of words.")(command)


def print_json(document: Any) -> None:  # noqa: ANN401 - JSON is anything
    """Print one JSON document on a line of its own."""
    click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))
