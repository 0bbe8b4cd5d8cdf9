"""`overtable print`: true-to-scale sheets as PDF, and as SVG where machines cut them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from assistant.armies.formats import read_armies
from assistant.cli.output import FiniteFloat
from assistant.errors import BadInput
from assistant.features.coded_ring_sheets import (
    RingOrder,
    build_coded_ring_sheets,
    order_army_rings,
    order_setup_rings,
)
from assistant.features.sheets import (
    build_anchor_card,
    build_anchor_sheets,
    build_enrolment_sheets,
    build_tag_sheets,
    list_sheet_bases,
)
from assistant.files.documents import write_atomically
from assistant.files.output_path import check_target, is_json_of, is_pdf, is_svg
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import TaggedBase
from assistant.setup.draft import ANCHOR_MM, ANCHORS, parse_tags
from assistant.setup.file import read_setup
from hardware.printing.coded_rings import Cutter
from hardware.printing.page import PAPERS, Page
from hardware.printing.pdf import render_pdf
from hardware.printing.sheets import TagCard, build_board_page
from hardware.printing.svg import render_svg
from hardware.rings.layout import RingKind
from hardware.rings.words import load_ring_list, read_ring_document

_FILE = click.Path(path_type=Path)
USUAL = (
    *(f"round:{mm}" for mm in (25, 28, 32, 40, 50, 60)),
    *(f"oval:{mm}" for mm in ("60x35", "75x42", "90x52", "105x70", "120x92", "170x105")),
    *(f"rect:{mm}" for mm in ("20x20", "25x25", "25x50", "50x25", "50x50", "20x40", "40x20")),
)
"""The bases whose sheets are printed where none is named."""

MOST_RINGS = 1000
"""That one range may name."""

C = TypeVar("C", bound=Callable[..., object])


@click.group("print")
def print_() -> None:
    """Make sheets to print: tags, coded rings, anchors, a calibration board, and rings of tags to enrol models in.

    Print them at 100 %, without fitting to the page, and check the ruler at their foot.
    """


def _add_print_options(command: C) -> C:
    """Give a command the options of every sheet."""
    paper = click.option("--paper", default="a4", show_default=True, type=click.Choice(sorted(PAPERS)))
    out = click.option("--out", required=True, type=_FILE, help="The PDF to write.")
    return paper(out(command))


@print_.command()
@click.option("--setup", type=_FILE, help="A set-up file: the tags of its bases and its terrain, at their sizes.")
@click.option("--tags", "ids", help="Which tags instead, such as 0-39 or 1,5,9-12.")
@click.option("--size", "size_mm", type=FiniteFloat(2, 200), help="Edge of their black squares, mm.")
@_add_print_options
def tags(setup: Path | None, ids: str | None, size_mm: float | None, out: Path, paper: str) -> None:
    """Make the tags for bases, with marks to cut along, their ids, and the models' names."""
    if (setup is None) == (ids is None):
        raise BadInput("print tags: expected either --setup FILE or --tags IDS with --size MM")
    if setup is not None:
        read = read_setup(setup)
        bases = [mark for mark in (*read.bases, *read.terrain_marks) if isinstance(mark, TaggedBase)]
        cards = [TagCard(tag=b.tag, size_mm=size_mm or b.size_mm, label=b.model) for b in bases]
        if not cards:
            raise BadInput(f"{setup}: it has no [[bases]] whose tags could be printed; name some with --tags")
    elif size_mm is None:
        raise BadInput("--size is missing; expected the edge of the tags' black squares in millimetres, such as 12")
    else:
        cards = [TagCard(tag=tag, size_mm=size_mm) for tag in _parse_ids(ids or "")]
    _write(out, build_tag_sheets(cards, PAPERS[paper]), "overtable tags")


@print_.command()
@click.option("--setup", type=_FILE, help="A set-up file: its anchors, at their sizes.")
@click.option("--tags", "ids", default=ANCHORS, show_default=True, help="Which tags, where no set-up is given.")
@click.option("--size", "size_mm", type=FiniteFloat(2, 200), help="Edge of their black squares, mm.  [default: 40]")
@_add_print_options
def anchors(setup: Path | None, ids: str, size_mm: float | None, out: Path, paper: str) -> None:
    """Make the tags that lie on the table, so that the camera knows where it is."""
    if setup is not None:
        cards = [build_anchor_card(anchor, size_mm or anchor.size_mm) for anchor in read_setup(setup).anchors]
    else:
        cards = [TagCard(tag=tag, size_mm=size_mm or ANCHOR_MM, label="anchor") for tag in _parse_ids(ids)]
    _write(out, build_anchor_sheets(cards, PAPERS[paper]), "overtable tags")


@print_.command()
@_add_print_options
def board(out: Path, paper: str) -> None:
    """Make the board that `calibrate lens --board printed` expects."""
    _write(out, [build_board_page(PAPERS[paper])], "overtable board")


@print_.command()
@click.option("--base", "bases", multiple=True, help="round:32, oval:60x35 or rect:25x50; the usual sizes if none.")
@click.option("--setup", type=_FILE, help="A set-up file: the bases of its models.")
@_add_print_options
def enrol(bases: tuple[str, ...], setup: Path | None, out: Path, paper: str) -> None:
    """Make sheets with a ring of tags round a base's outline, a page for each base."""
    named_bases = {name: BaseSpec.parse(name) for name in bases}
    named_bases |= list_sheet_bases(read_setup(setup).bases if setup else ())
    if setup and not named_bases:
        raise BadInput(f"{setup}: it has no [[bases]]; name some with --base, or leave --setup out for the usual sizes")
    sheets, too_large = build_enrolment_sheets(
        named_bases or {name: BaseSpec.parse(name) for name in USUAL}, PAPERS[paper]
    )
    if named_bases and too_large:
        raise BadInput(
            f"base {too_large[0]}: the ring round it is larger than {paper} paper; such a base is enrolled by turning"
            " it on the spot (overtable enrol --turn)"
        )
    _write(out, sheets, "overtable enrolment")


@print_.command()
@click.option("--words", is_flag=True, help="The list of words and where their cells lie, as JSON, and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="The same as --words, which is JSON with and without it.")
@click.option("--setup", type=_FILE, help="A set-up file: the rings of its models.")
@click.option("--army", "army_files", multiple=True, type=_FILE, help="An army file: a ring for each of its models.")
@click.option("--first", default=1, show_default=True, help="The first ring given out to an army.")
@click.option("--base", help="Or rings for such a base: round:32, oval:60x35 or rect:25x50.")
@click.option("--ids", help="Which rings for --base, such as 0-9 or 1,5,9-12.")
@click.option(
    "--kind",
    default="halo",
    show_default=True,
    type=click.Choice([one.value for one in RingKind]),
    help="For --army and --base.",
)
@click.option(
    "--for",
    "cutter",
    default="scissors",
    show_default=True,
    type=click.Choice([one.value for one in Cutter]),
    help="Cut by what.",
)
@click.option(
    "--open", "is_open", is_flag=True, help="Cut out the middle of halos, too, 2 mm inside of the base's edge."
)
@click.option("--paper", default="a4", show_default=True, type=click.Choice(sorted(PAPERS)))
@click.option("--out", type=_FILE, help="The PDF or SVG to write, an SVG a sheet; words are printed without it.")
def rings(
    *,
    words: bool,
    as_json: bool,
    setup: Path | None,
    army_files: tuple[Path, ...],
    first: int,
    base: str | None,
    ids: str | None,
    kind: str,
    cutter: str,
    is_open: bool,
    paper: str,
    out: Path | None,
) -> None:
    """Make coded rings: halos to lay under bases and rims to stick on them, with lines to cut along.

    They are those of a set-up's models, of an army's, or of a base and ids. An SVG has what is cut in a layer of its
    own. With --words: the list from which anybody can draw them.
    """
    ways = [setup is not None, bool(army_files), base is not None and ids is not None]
    if (words or as_json) and not any(ways):
        _write_words(out)
        return
    if words or as_json or sum(ways) != 1 or (base is None) != (ids is None) or out is None:
        raise BadInput(
            "print rings: expected --out FILE.pdf or FILE.svg and one of --setup FILE, --army FILE, --base BASE with"
            " --ids IDS; or --words"
        )
    ring_list, ring_kind = load_ring_list(), RingKind(kind)
    if setup is not None:
        read = read_setup(setup)
        ring_list, orders = read.rings.ring_list, order_setup_rings((*read.bases, *read.terrain_marks))
        if not orders:
            raise BadInput(f"{setup}: none of its [[bases]] has a ring; name some with --base and --ids")
    elif base is not None:
        spec = BaseSpec.parse(base)
        orders = [RingOrder(ring=ring, kind=ring_kind, base=spec) for ring in _parse_rings(ids or "")]
    else:
        armies = [one for path in army_files for one in read_armies(path, None).armies]
        orders = order_army_rings(armies, ring_kind, ring_list, first)
    pages = build_coded_ring_sheets(orders, ring_list, PAPERS[paper], Cutter(cutter), is_open=is_open)
    if out.suffix.lower() == ".svg":
        _write_svgs(out, pages)
    else:
        _write(out, pages, "overtable rings")


def _write_words(out: Path | None) -> None:
    text = read_ring_document()
    if out is None:
        click.echo(text, nl=False)
        return
    check_target(out, "list of rings", replaces=is_json_of("overtable.rings"))
    write_atomically(out, text.encode())
    click.echo(f"{out}: the words of all rings, and where their cells lie.")


def _write_svgs(out: Path, pages: Sequence[Page]) -> None:
    """Write an SVG for each sheet, numbered where there are several."""
    names = [out] if len(pages) == 1 else [out.with_stem(f"{out.stem}-{n}") for n in range(1, len(pages) + 1)]
    for name in names:
        check_target(name, "SVG", replaces=is_svg)
    for name, page in zip(names, pages, strict=True):
        write_atomically(name, render_svg(page, "overtable rings"))
        click.echo(f"{name}: one sheet, 1:1 in millimetres; what is cut is in the layer “cut”.")


def _parse_rings(text: str) -> list[int]:
    """Return the rings that a text such as 0-9,12 names; which there are the list says."""
    rings = dict[int, None]()
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*", part)
        start, end = (int(found[1]), int(found[2] or found[1])) if found else (0, -1)
        if start > end or end - start >= MOST_RINGS:
            raise BadInput(
                f"--ids {text}: {part.strip()!r} is neither a ring nor a range of at most {MOST_RINGS}, such as 0-39"
            )
        rings |= dict.fromkeys(range(start, end + 1))
    return list(rings)


def _parse_ids(text: str) -> list[int]:
    try:
        return list(dict.fromkeys(parse_tags(text)))
    except BadInput as error:
        raise BadInput(f"--tags {text}: {error}") from None


def _write(out: Path, pages: Sequence[Page], title: str) -> None:
    check_target(out, "PDF", replaces=is_pdf)
    write_atomically(out, render_pdf(pages, title))
    click.echo(f"{out}: {len(pages)} {'sheet' if len(pages) == 1 else 'sheets'}; print at 100 % and check the ruler.")


commands: list[click.Command] = [print_]
