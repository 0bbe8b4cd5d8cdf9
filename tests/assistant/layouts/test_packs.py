"""Packs: every layout that comes with the program is fair and fits its rulebook; the user's own go before them."""

import json
from pathlib import Path

import numpy as np
import pytest
import shapely

from assistant.armies.army import Army
from assistant.armies.game_composition import GAME, compose_situation
from assistant.errors import BadInput
from assistant.features.demo.catalogue import DEMOS
from assistant.game.base_spec import BaseSpec
from assistant.game.situation_file import parse_situation, read_situation
from assistant.game.state import Table
from assistant.layouts.checking import find_faults
from assistant.layouts.packs import SHIPPED, PackedLayout, find_layout, list_faulty, list_layouts, name_file
from assistant.layouts.picture import draw_layout
from assistant.layouts.placing import build_image, place_layout
from assistant.rules.books import list_rulebooks
from assistant.rules.referee import Referee
from tests.assistant.layouts.sample_layouts import build_document

PACKED = list_layouts(SHIPPED / "nowhere")


def test_every_rulebook_has_a_pack_of_two_or_more() -> None:
    assert list_faulty(SHIPPED / "nowhere") == ()
    for book in list_rulebooks():
        mine = [one for one in PACKED if one.layout.rulebook == book.id]
        assert len(mine) >= 2
        assert all(one.pack == book.id for one in mine)
    assert len({one.name for one in PACKED}) == len(PACKED) == len(list(SHIPPED.glob("*/*.json")))


@pytest.mark.parametrize("packed", PACKED, ids=lambda one: one.name)
def test_a_packed_layout_is_fair(packed: PackedLayout) -> None:
    layout, placed = packed.layout, place_layout(packed.layout)
    assert find_faults(layout) == ()
    image = build_image(layout)
    assert image is not None
    for things in (
        [shapely.Polygon(piece.outline_mm) for piece in placed.terrain],
        [shapely.Point(one.x_mm, one.y_mm).buffer(one.radius_mm, quad_segs=64) for one in placed.objectives],
        [shapely.Polygon(zone.outline_mm) for zone in placed.deployment],
    ):
        whole = shapely.union_all(things)
        other = shapely.transform(whole, lambda points: np.array([image(x, y) for x, y in points]))
        assert things
        assert whole.symmetric_difference(other).area < 0.01 * whole.length + 1
    assert sorted(zone.player or "" for zone in placed.deployment) == ["1", "2"]
    assert packed.objectives == len(placed.objectives)


@pytest.mark.parametrize("packed", PACKED, ids=lambda one: one.name)
def test_a_game_on_a_packed_layout_is_judged_by_its_rulebook(packed: PackedLayout) -> None:
    book = packed.layout.rulebook
    assert book is not None
    placed = place_layout(packed.layout)
    demo = read_situation(DEMOS / book / "situation.json").state
    units = [
        {
            "name": unit.id,
            "base": BaseSpec.from_shape(unit.models[0].base),
            "profile": dict(unit.profile),
            "keywords": tuple(unit.keywords),
        }
        for unit in demo.units
        if not unit.status
    ]
    armies = [Army.model_validate({"player": player, "units": tuple(units[:3])}) for player in ("Anna", "Ben")]
    document = compose_situation(
        placed.table,
        book,
        armies,
        placed.terrain,
        objectives=placed.objectives,
        deployment=placed.name_players(["Anna", "Ben"]),
        placed=True,
    )
    state = parse_situation(document, GAME).state
    assert state.terrain == placed.terrain
    assert state.objectives == placed.objectives
    zones = {zone.player: shapely.Polygon(zone.outline_mm) for zone in state.deployment}
    for unit, model in state.iterate_models():
        assert model.pose is not None
        assert zones[unit.player].covers(shapely.Point(model.pose.x_mm, model.pose.y_mm))
    verdict = Referee(state).judge(None)
    assert [finding.text for finding in verdict.findings if finding.outcome == "illegal"] == []


def test_a_layout_of_the_users_goes_before_one_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "supply-yard.json").write_text(json.dumps(build_document(title="Mine")))
    (tmp_path / "broken.json").write_text("{")
    assert find_layout("supply-yard", tmp_path).layout.title == "Mine"
    assert len(list_layouts(tmp_path)) == len(PACKED)
    (fault,) = list_faulty(tmp_path)
    assert "broken.json" in fault
    assert find_layout(str(tmp_path / "mine" / "supply-yard.json")).pack == "mine"
    with pytest.raises(BadInput, match="there is no layout 'nowhere'; expected a file, or one of supply-yard, "):
        find_layout("nowhere", tmp_path)


def test_a_layout_fits_tables_of_its_size() -> None:
    one = find_layout("supply-yard")
    assert one.fits(Table(width_mm=1120, depth_mm=760))
    assert not one.fits(Table(width_mm=1118, depth_mm=914))


def test_a_title_becomes_the_name_of_a_file() -> None:
    assert name_file("Two Ruins, and a crater!") == "two-ruins-and-a-crater"
    assert name_file("!?") == "layout"


def test_the_picture_has_every_piece_and_every_objective_by_name() -> None:
    one = find_layout("crossed-streets")
    placed = place_layout(one.layout)
    svg = draw_layout(placed, "Streets & <more>")
    assert svg.count("<polygon") == len(placed.terrain) + len(placed.deployment)
    assert svg.count("<text") == len(placed.objectives)
    assert "Streets &amp; &lt;more&gt;" in svg
