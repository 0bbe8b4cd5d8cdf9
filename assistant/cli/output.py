"""Output and options that commands share: words for people or JSON for programs, finite numbers, progress."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click


class FiniteFloat(click.FloatRange):
    """A number within limits; ``nan`` compares with nothing and would slip through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Return the number, or say what is wrong with it."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


C = TypeVar("C", bound=Callable[..., object])


def add_json_option(command: C) -> C:
    """Give a command the flag --json, as the argument ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of words.")(command)


def print_json(document: Any) -> None:  # noqa: ANN401 - JSON is anything
    """Print one JSON document on a line of its own."""
    click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))


@contextmanager
def show_progress(label: str) -> Iterator[Callable[[float], None]]:
    """Show a person a bar as long as it takes, to be told the share that is done; without a label there is none."""
    if not label or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=1000, label=label, file=sys.stderr) as bar:

        def progress(share: float) -> None:
            if (more := round(1000 * share) - bar.pos) > 0:
                bar.update(more)

        yield progress
