"""Foresight: what may be touched next, and that it is drawn as the touch would draw it."""

import pickle
from dataclasses import replace

import pytest
import shapely

from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Restoring, Turn
from assistant.overlay.shapes import OverlayShape
from assistant.rules.referee import Referee
from assistant.table.declared_move import Pick
from assistant.table.foresight import WITHIN_MM, foresee, foresee_all, list_likely_picks
from assistant.table.referee_report import RefereeDesk
from tests.assistant.snapshot_script import build_game


def list_models(state: GameState) -> list[str]:
    return [pick.model for pick in list_likely_picks(state)]


def test_the_announced_unit_is_touched_first_and_then_one_model_of_each_unit() -> None:
    state = build_game()
    assert list_models(state) == ["s1", "w1", "s2"]
    assert list_models(replace(state, declared=Declaration(unit="scouts", action="normal"))) == ["s1", "s2", "w1"]
    assert list_models(replace(state, turn=Turn(number=1, player="blue", step="movement"))) == ["w1"]
    assert list_models(replace(state, rulebook=NO_RULEBOOK)) == []
    assert list_models(replace(state, restoring=Restoring(when="then", places={}))) == []


def merge_rings(shapes: tuple[OverlayShape, ...], key: str) -> shapely.Geometry:
    rings = [ring for shape in shapes if shape.key.startswith(key) for ring in shape.rings_mm]
    assert rings
    return shapely.union_all([shapely.Polygon(ring) for ring in rings])


@pytest.mark.parametrize("action", [None, "advance"])
def test_what_is_foreseen_is_what_a_pick_draws(action: str | None) -> None:
    state, pick = build_game(), Pick(unit="scouts", model="s2")
    if action:
        state = replace(state, declared=Declaration(unit="scouts", action=action, rolls=(4,)))
    foreseen = foresee(Referee(state), pick)
    assert foreseen is not None
    drawn = RefereeDesk().report(state, pick)
    assert drawn.zone is not None
    assert foreseen.limit_mm == drawn.zone.limit_mm
    kinds = {shape.key.rpartition(":")[0] for shape in drawn.shapes if shape.layer == "zone"}
    assert (
        {shape.key.rpartition(":")[0] for shape in foreseen.shapes}
        == kinds
        == ({"zone"} if action else {"zone", "band:0", "band:1"})
    )
    for kind in kinds:
        one, other = merge_rings(foreseen.shapes, kind), merge_rings(drawn.shapes, kind)
        assert shapely.hausdorff_distance(one, other) < 2 * WITHIN_MM
    labels = [sorted(shape.label for shape in each.shapes if shape.layer == "zone") for each in (foreseen, drawn)]
    assert labels[0] == labels[1]


def test_a_game_that_does_not_fit_its_rulebook_is_foreseen_nothing_of() -> None:
    state = build_game()
    picks = list_likely_picks(state)
    assert set(foresee_all(pickle.dumps(state), picks)) == {"s1", "s2", "w1"}
    assert foresee_all(pickle.dumps(replace(state, rulebook="warmaster-revolution")), picks) == {}
