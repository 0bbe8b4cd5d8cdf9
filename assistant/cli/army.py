"""`overtable army`: armies as files and rosters, checked, and made into a game."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from assistant.armies.base_sizes import name_base
from assistant.armies.formats.army_file import Army, ArmyUnit, read_army
from assistant.armies.formats.roster import parse_roster
from assistant.armies.game_composition import compose_situation
from assistant.armies.unit_entry import describe_count, unit_from_entry
from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.files.documents import write_version
from assistant.files.output_path import check_target, is_json_of
from assistant.game.situation_file import read_situation
from assistant.game.state import Table
from assistant.rules.books import find_rulebook, list_rulebooks
from assistant.rules.rulebook import Rulebook
from assistant.setup.file import read_setup

_FILE = click.Path(path_type=Path)
_RULEBOOK = click.option(
    "--rulebook", help="Whose profile keys a roster has; without it those of any rulebook are understood."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadFile:
    """What a file was found to say."""

    armies: tuple[Army, ...]
    remarks: tuple[str, ...]
    """What was passed over or not understood, each with its line."""


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
    found = [_read(path, book) for path in files]
    if as_json:
        print_json(
            {
                "format": "overtable.armies/1",
                "armies": [one.model_dump(mode="json", exclude_none=True) for each in found for one in each.armies],
                "remarks": [remark for each in found for remark in each.remarks],
            }
        )
        return
    for path, each in zip(files, found, strict=True):
        for one in each.armies:
            models = sum(unit.size for unit in one.units)
            click.echo(
                f"{path}: {one.player}, {describe_count(len(one.units), 'unit')}, {describe_count(models, 'model')}"
            )
            for unit in one.units:
                click.echo(f"  {_describe_unit(unit)}")
        for remark in each.remarks:
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
    armies = [one for path in files for one in _read(path, book).armies]
    document = compose_situation(
        Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm),
        rulebook,
        armies,
        read_situation(terrain).state.terrain if terrain else (),
        placed=placed,
        avoid_mm=[tuple((x, y) for x, y, _ in anchor.square_mm.tolist()) for anchor in setup.anchor_tags],
    )
    before = write_version(out, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())
    kept = f"; what was there is {before.name} now" if before else ""
    models = sum(unit.size for one in armies for unit in one.units)
    click.echo(f"{out}: {describe_count(len(armies), 'player')}, {describe_count(models, 'model')} by {rulebook}{kept}")


def _find_book(named: str | None) -> Rulebook | None:
    return None if named is None else find_rulebook(named)


def _read(path: Path, book: Rulebook | None) -> _ReadFile:
    """Read an army file, or else a roster."""
    if path.suffix.lower() == ".toml":
        return _ReadFile(armies=(read_army(path),), remarks=())
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: this is not a text file; expected a roster, or an army in TOML") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    return _read_roster(path, text, book)


def _read_roster(path: Path, text: str, book: Rulebook | None) -> _ReadFile:
    books: Sequence[Rulebook] = (book,) if book else list_rulebooks()
    units: dict[str, list[ArmyUnit]] = {}
    remarks = []
    for line in parse_roster(text, books):
        if line.note:
            remarks.append(f"{line.text!r}: {line.note}")
        if line.entry is None:
            continue
        unit, problems = unit_from_entry(line.entry, book)
        if unit is None:
            raise BadInput(f"{path}: {line.text!r}: {problems[0].text}")
        units.setdefault(line.player or path.stem, []).append(unit)
    if not units:
        raise BadInput(f"{path}: there is no unit in it; expected lines such as: 5 Scouts 32mm")
    named = book.id if book else None
    armies = tuple(Army(player=player, rulebook=named, units=tuple(members)) for player, members in units.items())
    return _ReadFile(armies=armies, remarks=tuple(remarks))


def _describe_unit(unit: ArmyUnit) -> str:
    more = [f"{key} {value}" for key, value in unit.profile.items()] + [*unit.keywords, *unit.status]
    return f"{unit.size:>3} {unit.name:<24} base {name_base(unit.base)}{'; ' if more else ''}{', '.join(more)}"


commands: list[click.Command] = [army]
