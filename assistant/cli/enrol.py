"""`overtable enrol`: where a model's tag is in its base, or which ring it has, from pictures."""

from pathlib import Path
from typing import Literal

import click

from assistant.cli.output import FiniteFloat, add_json_option
from assistant.errors import BadInput
from assistant.features.enrolment.laid_rings import HINT, build_ringed_base
from assistant.features.enrolment.pictures import measure_from_pictures, read_height, read_shown_ring
from assistant.features.notices import print_notice
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import BaseSection, TaggedBase
from assistant.setup.editing import EnrolmentForm, enrol_base, keep_enrolment, section_from_enrolment
from assistant.setup.file import Setup, read_setup
from calibration.errors import Unsolvable
from hardware.rings.layout import RingKind
from vision.marker_numbers import name_marker

_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--setup", "setup_path", required=True, type=_FILE, help="The set-up file to write to.")
@click.option("--model", required=True, help="The model's id.")
@click.option("--base", help="round:32, oval:60x35 or rect:25x50; needed for a model without an entry.")
@click.option("--size", "size_mm", type=FiniteFloat(2, 200), help="Edge of the tag's black square, mm; likewise.")
@click.option(
    "--height",
    "height_mm",
    type=FiniteFloat(0, 1000),
    help="Of the tag, or of a ringed base's top, above the table, mm.",
)
@click.option("--ring", "ring_kind", type=click.Choice(["halo", "rim"]), help="It has a ring, which the pictures show.")
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
    ring_kind: Literal["halo", "rim"] | None,
    turn: bool,
    front: Literal["first", "last"],
    lens: Path | None,
    dry_run: bool,
    images: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Measure where a model's tag is in its base, and how high, and write it to the set-up file.

    Print the sheet for its base (overtable print enrol), lay it flat, set the model inside, its front on the arrow, and
    take a picture; then turn the sheet half round, set the model in again, and take another.  Or turn the model on the
    spot, without a sheet, and give a video or the pictures in their order with --turn.

    A ring needs no measuring: with --ring the pictures show it, and its number is read.
    """
    setup = read_setup(setup_path)
    entry = next((section for section in setup.bases if section.model == model), None)
    spec = _find_base(entry, base, model, setup_path)
    try:
        if ring_kind is not None:
            if turn or size_mm is not None:
                raise BadInput(f"--ring {ring_kind}: leave out --turn and --size, which are about a tag")
            kind = RingKind(ring_kind)
            ring, notices = read_shown_ring(setup, setup_path, images, model=model, base=spec, kind=kind, lens=lens)
            section: BaseSection = build_ringed_base(model, spec, kind, ring, height=read_height(height_mm))
            places, advice = 0, ""
        else:
            size_mm = size_mm or (entry.size_mm if isinstance(entry, TaggedBase) else None)
            if size_mm is None:
                raise BadInput(
                    f"--size is missing; {setup_path} has no model {model!r} with a tag yet, so the size of its tag is"
                    " needed, or --ring"
                )
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
            section = section_from_enrolment(model, spec, measured.result)
            places, advice, notices = measured.places, measured.result.advice, measured.notices
    except Unsolvable as error:
        raise BadInput(f"{model}: {error}") from None
    _check_owner(setup, section)
    enrol_base(setup, section, str(setup_path))
    if not dry_run:
        keep_enrolment(setup_path, section)
    form = EnrolmentForm(found=section, places=places, advice=advice, written=not dry_run)
    click.echo(form.model_dump_json(exclude_none=True) if as_json else _describe_enrolment(form, setup_path))
    for text in notices:
        print_notice(text)


def _find_base(entry: BaseSection | None, base: str | None, model: str, path: Path) -> BaseSpec:
    stated = None if base is None else BaseSpec.parse(base)
    if entry is not None and stated is not None and stated != entry.base:
        raise BadInput(f"--base {base}: {path} says that {model} has the base {entry.base.name}; change it there first")
    spec = entry.base if entry is not None else stated
    if spec is None:
        raise BadInput(f"--base is missing; {path} has no model {model!r} yet, so its base is needed, such as round:32")
    return spec


def _check_owner(setup: Setup, section: BaseSection) -> None:
    owner = next((base.model for base in setup.bases if base.marker == section.marker), section.model)
    if owner != section.model:
        name = name_marker(section.marker)
        raise BadInput(f"{name} is that of {owner}; is it really {section.model} that the pictures show?")


def _describe_enrolment(form: EnrolmentForm, path: Path) -> str:
    section = form.found
    inside = section.tag_in_base if isinstance(section, TaggedBase) else section.ring_in_base
    height = f"{section.height_mm:.1f} mm high (± {section.height_sigma_mm:.1f})"
    place = f"at x {inside.x_mm:.2f} mm, y {inside.y_mm:.2f} mm (± {inside.sigma_mm:.2f})"
    turn = f"turned {inside.facing_deg:.1f}° (± {inside.sigma_deg:.1f})"
    lines = [
        f"{section.model}: {name_marker(section.marker)} {place}, {turn}, {height}.",
        *([] if isinstance(section, TaggedBase) else [HINT]),
        *([form.advice] if form.advice else []),
        f"Written to {path}." if form.written else "Nothing was written.",
    ]
    return "\n".join(lines)


commands: list[click.Command] = [enrol]
