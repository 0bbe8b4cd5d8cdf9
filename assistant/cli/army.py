"""`overtable army`: armies as files and rosters, checked, and made into a game."""

import json
from pathlib import Path

import click

from assistant.armies.army import ArmyUnit
from assistant.armies.base_sizes import name_base
from assistant.armies.formats import read_armies
from assistant.armies.formats.army_file import is_army_file, write_army
from assistant.armies.game_composition import compose_situation, slugify
from assistant.armies.known_models import fill_army, find_known_models
from assistant.armies.own_bases import are_own_bases, find_own_file, keep_own_bases, read_own_bases
from assistant.armies.unit_entry import describe_count, label_key
from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.files.documents import write_version
from assistant.files.output_path import check_target, is_json_of
from assistant.game.situation_file import read_situation
from assistant.game.state import Table
from assistant.layouts.packs import find_layout
from assistant.rules.books import find_rulebook
from assistant.rules.rulebook import Rulebook
from assistant.setup.file import read_setup

_FILE = click.Path(path_type=Path)
_BASES = click.option("--bases", type=_FILE, help="The file of known bases; your own without it.")
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


@army.command("import")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option("--rulebook", required=True, help="Which rules are played.")
@click.option("--to", "folder", type=_FILE, default=Path(), help="The folder to write to; this one without it.")
@_BASES
def import_command(files: tuple[Path, ...], *, rulebook: str, folder: Path, bases: Path | None) -> None:
    """Make army files of lists in FILEs, from whichever program they are.

    Bases that a list does not name are those that overtable army bases knows, or those of published data where
    overtable[40k] is installed, which are marked as guesses; or they are left out, to be entered.
    """
    book, known = find_rulebook(rulebook), find_known_models(rulebook, read_own_bases(bases or find_own_file()))
    for path in files:
        content = read_armies(path, book)
        for one in content.armies:
            filled = fill_army(one, known)
            out = folder / f"{slugify(one.player)}.toml"
            check_target(out, "army", replaces=is_army_file)
            write_version(out, write_army(filled).encode())
            click.echo(f"{out}: {one.player}, {describe_count(len(one.units), 'unit')}")
            for unit in filled.units:
                click.echo(f"  {_describe_unit(unit)}")
        for remark in content.remarks:
            click.echo(f"  {remark}")


@army.command("bases")
@click.argument("files", nargs=-1, type=_FILE)
@_BASES
def bases_command(files: tuple[Path, ...], *, bases: Path | None) -> None:
    """Keep the bases that army FILEs name, for lists that name none; without FILEs say what is known, as JSON.

    Each FILE says for which rulebook it is, or is such JSON, from another machine.
    """
    path = bases or find_own_file()
    known = read_own_bases(path)
    if not files:
        print_json(known.model_dump(mode="json", exclude_none=True))
        return
    for file in files:
        if file.is_file() and are_own_bases(file.read_bytes()):
            known = known.add(read_own_bases(file).bases)
            continue
        for one in read_armies(file, None).armies:
            if one.rulebook is None:
                raise BadInput(f"{file}: it names no rulebook, so it is not known of which game these bases are")
            known = known.learn(one.rulebook, one)
    keep_own_bases(path, known)
    click.echo(f"{path}: {len(known.bases)} bases are known")


@army.command("compose")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option("--setup", "setup_path", required=True, type=_FILE, help="Whose table it is played on.")
@click.option("--rulebook", required=True, help="Which rules are played.")
@click.option("--terrain", type=_FILE, help="A situation whose terrain stands on the table.")
@click.option("--layout", "named", help="The layout that is laid: one that overtable layout list has, or a file.")
@click.option("--placed", is_flag=True, help="Give the models places in rows, so that they can be set up so.")
@click.option("--out", required=True, type=_FILE, help="The situation to write.")
def compose_command(
    files: tuple[Path, ...],
    *,
    setup_path: Path,
    rulebook: str,
    terrain: Path | None,
    named: str | None,
    placed: bool,
    out: Path,
) -> None:
    """Make a game of army FILEs, to play with overtable run --situation.

    Its models wait to be seen by the camera, and have ids such as scouts-1, which the set-up's [[bases]] name.
    """
    if terrain is not None and named is not None:
        raise BadInput("--terrain, --layout: give one of them, for either says what stands on the table")
    setup, book = read_setup(setup_path), _find_book(rulebook)
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    laid = find_layout(named).lay_on(table, rulebook) if named is not None else None
    check_target(out, "situation", replaces=is_json_of("overtable.situation"))
    armies = [one for path in files for one in read_armies(path, book).armies]
    document = compose_situation(
        table,
        rulebook,
        armies,
        laid.terrain if laid else read_situation(terrain).state.terrain if terrain else (),
        objectives=laid.objectives if laid else (),
        deployment=laid.name_players([one.player for one in armies]) if laid else (),
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
    base = f"base {name_base(unit.base) if unit.base else 'not known'}"
    figures = [base, *(f"{label_key(key)} {_describe_value(value)}" for key, value in unit.profile.items())]
    guess = f" (a guess: {unit.guess})" if unit.guess else ""
    more = [*unit.keywords, *unit.status]
    more += ([f"part of {unit.part_of}"] if unit.part_of else []) + ([unit.remark] if unit.remark else [])
    return f"{unit.size:>3} {unit.name:<24} {', '.join(figures)}{guess}{'; ' if more else ''}{', '.join(more)}"


def _describe_value(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


commands: list[click.Command] = [army]
