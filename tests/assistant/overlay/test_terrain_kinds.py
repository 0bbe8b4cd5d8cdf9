"""Terrain kinds: what pieces are drawn as, and that what is drawn on them stands out."""

from itertools import combinations

import pytest

from assistant.features.demo.catalogue import DEMOS, read_demo
from assistant.game.state import Terrain
from assistant.layouts.packs import list_layouts
from assistant.layouts.placing import place_layout
from assistant.layouts.templates import TEMPLATES
from assistant.overlay.palette import FELT, ON_PAPER, PALETTE, PALETTES, PAPER, compute_contrast, put_on_paper
from assistant.overlay.terrain_kinds import KINDS, PLAIN, find_kind, sort_for_drawing

LEAST_ON_TERRAIN = 3.0
"""The least contrast of a line to what it lies on (WCAG 2.2, non-text contrast)."""


def put(name: str, *traits: str, kind: str = "", height_mm: float = 0.0) -> Terrain:
    return Terrain(id=name, outline_mm=(), height_mm=height_mm, traits=frozenset(traits), kind=kind)


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        (put("west-wall", "impassable"), "wall"),
        (put("House-by-Ben 2"), "building"),
        (put("river-house", "impassable"), "building"),
        (put("a", "difficult", "woods"), "woods"),
        (put("a", "ruin", "floor"), "floor"),
        (put("a", "impassable"), "rocks"),
        (put("wall", "woods", kind="pond"), "pond"),
        (put("wall", kind="something of another package"), "wall"),
        (put("a", "strange"), PLAIN),
    ],
)
def test_a_piece_is_what_it_is_said_to_be_or_what_its_name_or_its_traits_say(piece: Terrain, kind: str) -> None:
    assert find_kind(piece) == kind


def test_every_kind_has_a_paint_and_every_template_is_of_kinds() -> None:
    assert {f"terrain-{kind}" for kind in (*KINDS, PLAIN)} == {name for name in PALETTE if name.startswith("terrain-")}
    assert {part.substance for template in TEMPLATES.values() for part in template.build()} <= set(KINDS)


@pytest.mark.parametrize("demo", sorted(path.parent.name for path in DEMOS.glob("*/situation.json")))
def test_every_piece_of_the_demos_is_of_some_kind(demo: str) -> None:
    assert PLAIN not in {find_kind(piece) for piece in read_demo(demo).state.terrain}


def test_a_layout_tells_what_its_pieces_are_whatever_a_rulebook_calls_them() -> None:
    for packed in list_layouts():
        for rulebook in (None, "priority-skirmish", "warmaster-revolution"):
            assert all(piece.kind in KINDS for piece in place_layout(packed.layout, rulebook).terrain)


def test_what_is_high_is_drawn_over_what_is_flat_and_a_bridge_over_its_river() -> None:
    pieces = [put("walls", height_mm=90), put("bridge"), put("river"), put("floor", height_mm=76)]
    assert [piece.id for piece in sort_for_drawing(pieces)] == ["river", "bridge", "floor", "walls"]


@pytest.mark.parametrize("palette", PALETTES)
def test_lines_and_bases_stand_out_from_every_kind(palette: str) -> None:
    paints = PALETTES[palette].paints
    lines = [paint.stroke for name, paint in paints.items() if not name.startswith(("terrain-", "restore-back"))]
    for kind in (*KINDS, PLAIN):
        paint = paints[f"terrain-{kind}"]
        assert compute_contrast(paint.stroke, FELT) >= LEAST_ON_TERRAIN, kind
        assert min(compute_contrast(line, paint.fill) for line in lines) >= LEAST_ON_TERRAIN, kind


def test_kinds_differ_in_fill_or_line_but_for_water() -> None:
    for one, other in combinations(KINDS, 2):
        looks = [(PALETTE[f"terrain-{kind}"].fill, PALETTE[f"terrain-{kind}"].stroke) for kind in (one, other)]
        assert looks[0] != looks[1] or {one, other} == {"river", "pond"}


def test_paper_takes_the_same_hues_as_tints_that_words_are_read_on() -> None:
    for kind in (*KINDS, PLAIN):
        paint = put_on_paper(PALETTE[f"terrain-{kind}"])
        assert compute_contrast(paint.stroke, PAPER) >= ON_PAPER
        assert compute_contrast("#000000", paint.fill) >= 10
