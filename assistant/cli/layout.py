"""`overtable layout`: the layouts there are, their pictures, and taking in those of other people."""

from pathlib import Path

import click

from assistant.armies.unit_entry import describe_count
from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.files.documents import write_atomically
from assistant.files.output_path import check_target, is_svg
from assistant.layouts.checking import find_faults
from assistant.layouts.imports import import_layouts
from assistant.layouts.layout import encode_layout, write_layout
from assistant.layouts.packs import SUFFIX, PackedLayout, find_layout, find_own_folder, list_faulty, list_layouts
from assistant.layouts.picture import draw_layout
from assistant.layouts.placing import place_layout
from assistant.rules.books import find_rulebook

_FILE = click.Path(path_type=Path)
_RULEBOOK = click.option("--rulebook", help="By whose words terrain has its traits; by the layout's own without it.")


@click.group()
def layout() -> None:
    """Layouts: what stands on a table, objective markers and deployment zones."""


@layout.command("list")
@click.option("--rulebook", help="Only those that were made for it.")
@add_json_option
def list_command(*, rulebook: str | None, as_json: bool) -> None:
    """List the layouts that come with the program, and your own."""
    if rulebook is not None:
        find_rulebook(rulebook)
    found = [one for one in list_layouts() if rulebook in (None, one.layout.rulebook)]
    if as_json:
        print_json({"format": "overtable.layouts/1", "layouts": [_summarise(one) for one in found]})
        return
    for one in found:
        click.echo(f"{one.name:<24} {_describe(one)}")
    for fault in list_faulty():
        click.echo(f"left out: {fault}", err=True)
    click.echo(f"Your own are kept in {find_own_folder()}")


@layout.command("show")
@click.argument("name")
@_RULEBOOK
@click.option("--out", type=_FILE, help="The picture to write, as SVG.")
@add_json_option
def show_command(name: str, *, rulebook: str | None, out: Path | None, as_json: bool) -> None:
    """Show what stands where on the layout NAME, or on the one in a file, and what is wrong with it."""
    one = find_layout(name)
    if rulebook is not None:
        find_rulebook(rulebook)
    placed, faults = place_layout(one.layout, rulebook), find_faults(one.layout, rulebook)
    if out is not None:
        check_target(out, "picture", replaces=is_svg)
        write_atomically(out, draw_layout(placed, one.layout.title).encode())
    if as_json:
        pieces = [
            {
                "id": piece.id,
                "outline_mm": piece.outline_mm,
                "height_mm": piece.height_mm,
                "traits": sorted(piece.traits),
            }
            for piece in placed.terrain
        ]
        print_json({**_summarise(one), "terrain": pieces, "faults": faults, "layout": encode_layout(one.layout)})
        return
    click.echo(f"{one.layout.title}: {_describe(one)}")
    for feature in placed.features:
        x_mm, y_mm = feature.area.centroid.coords[0]
        height_mm = max(piece.height_mm for piece in feature.pieces)
        traits = ", ".join(sorted({trait for piece in feature.pieces for trait in piece.traits}))
        click.echo(
            f"  {feature.id:<24} {feature.what:<10} at ({x_mm:.0f}, {y_mm:.0f}), {height_mm:g} mm high; {traits}"
        )
    for objective in placed.objectives:
        reach = "" if objective.range_mm is None else f", range {objective.range_mm:g} mm"
        click.echo(f"  objective {objective.id:<14} at ({objective.x_mm:.0f}, {objective.y_mm:.0f}){reach}")
    for zone in placed.deployment:
        click.echo(f"  deployment zone {zone.id}, side {zone.player}")
    for fault in faults:
        click.echo(f"  {fault}")
    if out is not None:
        click.echo(f"Its picture is {out}")


@layout.command("import")
@click.argument("files", nargs=-1, required=True)
@click.option("--to", "folder", type=_FILE, help="The folder to keep them in; that of your own layouts without it.")
@add_json_option
def import_command(files: tuple[str, ...], *, folder: Path | None, as_json: bool) -> None:
    """Take in layouts from FILEs: overtable.layout/1, or the open data of 40kdc.

    The open data are terrain-layouts.json with terrain-templates.json and deployment-patterns.json beside it among
    the FILEs, one bundle of all, or the word wh40kdc where that package is installed.
    """
    own = folder or find_own_folder()
    found, remarks = import_layouts(files)
    kept = []
    for name, one in found:
        path = own / f"{name}{SUFFIX}"
        before = write_layout(path, one)
        kept.append((name, path, before, find_faults(one)))
    if as_json:
        layouts = [{"name": name, "path": str(path), "faults": faults} for name, path, _, faults in kept]
        print_json({"format": "overtable.layouts/1", "layouts": layouts, "remarks": remarks})
        return
    for name, path, before, faults in kept:
        note = f"; what was there is {before.name} now" if before else ""
        click.echo(f"{name}: {path}{note}")
        for fault in faults:
            click.echo(f"  {fault}")
    for remark in remarks:
        click.echo(remark)
    if not kept:
        raise BadInput(f"{', '.join(files)}: there is no layout in it that could be taken in")
    click.echo(f"{describe_count(len(kept), 'layout')} taken in.")


def _summarise(one: PackedLayout) -> dict[str, object]:
    table = one.layout.table
    return {
        "name": one.name,
        "title": one.layout.title,
        "rulebook": one.layout.rulebook,
        "credit": one.layout.credit,
        "table": {"width_mm": table.width_mm, "depth_mm": table.depth_mm},
        "path": str(one.path),
    }


def _describe(one: PackedLayout) -> str:
    layout = one.layout
    placed = place_layout(layout)
    counts = ((len(placed.features), "feature"), (len(placed.objectives), "objective"))
    said = ", ".join(describe_count(count, what) for count, what in counts)
    table = f"{layout.table.width_mm:g} x {layout.table.depth_mm:g} mm"
    return f"{table}, {said}, {layout.rulebook or 'any rulebook'}"


commands: list[click.Command] = [layout]
