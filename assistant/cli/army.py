"""`overtable army`: armies as files and rosters, checked, and made into a game."""

import json
from pathlib import Path

import click

from assistant.armies.army import ArmyUnit
from assistant.armies.base_sizes import name_base
from assistant.armies.formats import read_armies
from assistant.armies.game_composition import compose_situation
from assistant.armies.unit_entry import describe_count
from assistant.cli.output import add_json_option, print_json
from assistant.files.documents import write_version
from assistant.files.output_path import check_target, is_json_of
from assistant.game.situation_file import read_situation
from assistant.game.state import Table
from assistant.rules.books import find_rulebook
from assistant.rules.rulebook import Rulebook
from assistant.setup.file import read_setup

_FILE = click.Path(path_type=Path)
_RULEBOOK = click.option(
    "--rulebook", help="Whose profile keys a roster has; without it those of any rulebook are understood."
)


@click.group()
def army() -> None:
    """Check armies, and make a game of them."""


@army.command("check")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_RULEBOOK
@add_json_option
def check_command(files: tuple[Path, ...], *, rulebook: str | None, as_json: bool) -> None:
    """Say what army FILEs hold: overtable.army/1 (.toml), or rosters as text.

    A line of a roster is a unit, such as: 5 Scouts 32mm move 6", infantry.
    """
    book = _find_book(rulebook)
    contents = [read_armies(path, book) for path in files]
    if as_json:
        print_json(
            {
                "format": "overtable.armies/1",
                "armies": [
                    one.model_dump(mode="json", exclude_none=True) for content in contents for one in content.armies
                ],
                "remarks": [remark for content in contents for remark in content.remarks],
            }
        )
        return
    for path, content in zip(files, contents, strict=True):
        for one in content.armies:
            models = sum(unit.size for unit in one.units)
            click.echo(
                f"{path}: {one.player}, {describe_count(len(one.units), 'unit')}, {describe_count(models, 'model')}"
            )
            for unit in one.units:
                click.echo(f"  {_describe_unit(unit)}")
        for remark in content.remarks:
            click.echo(f"  {remark}")


@army.command("compose")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option("--setup", "setup_path", required=True, type=_FILE, help="Whose table it is played on.")
@click.option("--rulebook", required=True, help="Which rules are played.")
@click.option("--terrain", type=_FILE, help="A situation whose terrain stands on the table.")
@click.option("--placed", is_flag=True, help="Give the models places in rows, so that they can be set up so.")
@click.option("--out", required=True, type=_FILE, help="The situation to write.")
def compose_command(
    files: tuple[Path, ...], *, setup_path: Path, rulebook: str, terrain: Path | None, placed: bool, out: Path
) -> None:
    """Make a game of army FILEs, to play with overtable run --situation.

    Its models wait to be seen by the camera, and have ids such as scouts-1, which the set-up's [[bases]] name.
    """
    setup, book = read_setup(setup_path), _find_book(rulebook)
    check_target(out, "situation", replaces=is_json_of("overtable.situation"))
    armies = [one for path in files for one in read_armies(path, book).armies]
    document = compose_situation(
        Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm),
        rulebook,
        armies,
        read_situation(terrain).state.terrain if terrain else (),
        placed=placed,
        avoid_mm=[tuple((x, y) for x, y, _ in anchor.square_mm.tolist()) for anchor in setup.anchor_tags],
    )
    before = write_version(out, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())
    note = f"; what was there is {before.name} now" if before else ""
    models = sum(unit.size for one in armies for unit in one.units)
    click.echo(f"{out}: {describe_count(len(armies), 'player')}, {describe_count(models, 'model')} by {rulebook}{note}")


def _find_book(named: str | None) -> Rulebook | None:
    return None if named is None else find_rulebook(named)


def _describe_unit(unit: ArmyUnit) -> str:
    more = [f"{key} {value}" for key, value in unit.profile.items()] + [*unit.keywords, *unit.status]
    return f"{unit.size:>3} {unit.name:<24} base {name_base(unit.base)}{'; ' if more else ''}{', '.join(more)}"


commands: list[click.Command] = [army]
