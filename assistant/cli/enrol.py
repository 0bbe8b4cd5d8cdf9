"""`overtable enrol`: where a model's tag is in its base, from pictures."""

import math
from pathlib import Path
from typing import Literal

import click

from assistant.cli.output import FiniteFloat, add_json_option
from assistant.errors import BadInput
from assistant.features.camera.markers import print_notice
from assistant.features.enrolment.pictures import measure_from_pictures
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import BaseSection, TaggedBase
from assistant.setup.editing import EnrolmentForm, enrol_base, keep_enrolment, section_from_enrolment
from assistant.setup.file import Setup, read_setup
from calibration.errors import Unsolvable
from vision.enrolment.printed_ring import Enrolment

_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--setup", "setup_path", required=True, type=_FILE, help="The set-up file to write to.")
@click.option("--model", required=True, help="The model's id.")
@click.option("--base", help="round:32, oval:60x35 or rect:25x50; needed for a model without an entry.")
@click.option("--size", "size_mm", type=FiniteFloat(2, 200), help="Edge of the tag's black square, mm; likewise.")
@click.option("--height", "height_mm", type=FiniteFloat(0, 1000), help="Of the tag above the table, mm, if measured.")
@click.option("--turn", is_flag=True, help="The model is turned on the spot, its front to the far edge at first.")
@click.option("--front", type=click.Choice(["first", "last"]), default="first", show_default=True,
              help="With --turn: when its front points to the far edge.")  # fmt: skip
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--dry-run", is_flag=True, help="Say what was found and write nothing.")
@click.argument("images", nargs=-1, required=True, type=_FILE)
@add_json_option
def enrol(
    *,
    setup_path: Path,
    model: str,
    base: str | None,
    size_mm: float | None,
    height_mm: float | None,
    turn: bool,
    front: Literal["first", "last"],
    lens: Path | None,
    dry_run: bool,
    images: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Measure where a model's tag is in its base, and how high, and write it to the set-up file.

    Print the ring for its base (overtable print enrol), lay it flat, set the model inside, its front on the arrow, and
    take a picture; then turn the sheet half round, set the model in again, and take another.  Or turn the model on the
    spot, without a sheet, and give a video or the pictures in their order with --turn.
    """
    setup = read_setup(setup_path)
    entry = next((section for section in setup.bases if section.model == model), None)
    spec = _find_base(entry, base, model, setup_path)
    size_mm = size_mm or (entry.size_mm if isinstance(entry, TaggedBase) else None)
    if size_mm is None:
        raise BadInput(f"--size is missing; {setup_path} has no model {model!r} yet, so the size of its tag is needed")
    try:
        measured = measure_from_pictures(
            setup,
            setup_path,
            images,
            spec,
            size_mm=size_mm,
            height_mm=height_mm,
            front=front if turn else None,
            lens=lens,
        )
    except Unsolvable as error:
        raise BadInput(f"{model}: {error}") from None
    result = measured.result
    section = section_from_enrolment(model, spec, result)
    _check_owner(setup, section)
    enrol_base(setup, section, str(setup_path))
    if not dry_run:
        keep_enrolment(setup_path, section)
    form = EnrolmentForm(found=section, places=measured.places, advice=result.advice, written=not dry_run)
    click.echo(form.model_dump_json(exclude_none=True) if as_json else _describe_enrolment(form, result, setup_path))
    for text in measured.notices:
        print_notice(text)


def _find_base(entry: BaseSection | None, base: str | None, model: str, path: Path) -> BaseSpec:
    stated = None if base is None else BaseSpec.parse(base)
    if entry is not None and stated is not None and stated != entry.base:
        raise BadInput(f"--base {base}: {path} says that {model} has the base {entry.base.name}; change it there first")
    spec = entry.base if entry is not None else stated
    if spec is None:
        raise BadInput(f"--base is missing; {path} has no model {model!r} yet, so its base is needed, such as round:32")
    return spec


def _check_owner(setup: Setup, section: TaggedBase) -> None:
    owner = next((base.model for base in setup.tagged_bases if base.tag == section.tag), section.model)
    if owner != section.model:
        raise BadInput(f"tag {section.tag} is that of {owner}; is it really {section.model} that the pictures show?")


def _describe_enrolment(form: EnrolmentForm, result: Enrolment, path: Path) -> str:
    section, tag = form.found, form.found.tag_in_base
    sigma_mm, sigma_deg = result.offset_sigma_mm, math.degrees(result.facing_sigma_rad)
    height = f"{section.height_mm:.1f} mm high (± {section.height_sigma_mm:.1f})"
    place = f"at x {tag.x_mm:.2f} mm, y {tag.y_mm:.2f} mm (± {sigma_mm:.2f})"
    lines = [
        f"{section.model}: tag {section.tag} {place}, turned {tag.facing_deg:.1f}° (± {sigma_deg:.1f}), {height}.",
        *([form.advice] if form.advice else []),
        f"Written to {path}." if form.written else "Nothing was written.",
    ]
    return "\n".join(lines)


commands: list[click.Command] = [enrol]
