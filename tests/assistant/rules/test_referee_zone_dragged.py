"""Zones while a hand drags a model: made of what was kept of those before, they are the same polygons."""

from collections.abc import Iterator

import pytest
import shapely

from assistant.game.state import GameState, Model, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.rules.constraints import allowance
from assistant.rules.engine import end_region, minkowski_regions, reachability
from assistant.rules.referee import Referee

KEPT = (
    allowance._measure_away_mm,
    allowance._shrink_from_places,
    end_region._cut_out_others,
    end_region._find_taken,
    minkowski_regions.find_obstacles,
    reachability._find_region,
)
ACTIONS = {
    "warhammer-40k-10e": "normal",
    "priority-skirmish": "move",
    "warhammer-40k-5e": "move",
    "activation-skirmish": "normal",
    "warmaster-revolution": "order",
}
STAND = Rect(length_mm=20, width_mm=40)
BASES: tuple[Base, ...] = (Round(radius_mm=16), Oval(length_mm=60, width_mm=35), Rect(length_mm=40, width_mm=25))


def make_state(rulebook: str) -> GameState:
    """Three models side by side, a friend ahead, an enemy further off, and terrain that is climbed or costs."""
    stands = rulebook == "warmaster-revolution"

    def make_unit(unit: str, player: str, *places: tuple[float, float]) -> Unit:
        profile: dict[str, Setting] = {"troop": "infantry"} if stands else {"move_in": 6}
        models = [
            Model(id=f"{unit}{k}", base=STAND if stands else BASES[k], pose=Pose(x_mm=x, y_mm=y, facing_rad=0.3 * k))
            for k, (x, y) in enumerate(places)
        ]
        return Unit(id=unit, player=player, profile=profile, models=tuple(models))

    corners = ((260.0, 330.0), (330.0, 330.0), (330.0, 390.0), (260.0, 390.0))
    traits = frozenset({"difficult"} if rulebook == "priority-skirmish" else ())
    return GameState(
        rulebook=rulebook,
        table=Table(width_mm=900, depth_mm=900),
        terrain=(Terrain(id="ruin", outline_mm=corners, height_mm=0.0 if traits else 60.0, traits=traits),),
        units=(
            make_unit("u", "red", (300, 200), (360, 200), (420, 205)),
            make_unit("f", "red", (400, 300)),
            make_unit("e", "blue", (380, 560)),
        ),
    )


def drag(state: GameState) -> Iterator[GameState]:
    """The first model pushed past its mates, from before to behind them."""
    for step in range(4):
        pose = Pose(x_mm=300.0 + 15 * step, y_mm=245.0 - 3 * step, facing_rad=0.1 * step)
        yield state.place_models({"u0": pose})


def ask_zones(referee: Referee, action: str) -> list[shapely.MultiPolygon]:
    return [
        referee.find_zone(model=model, action=action, facing="keep", alone=True).region for model in ("u0", "u1", "u2")
    ]


@pytest.mark.parametrize("rulebook", ACTIONS)
def test_zones_that_follow_a_hand_are_those_that_are_asked_for_afresh(rulebook: str) -> None:
    state, action = make_state(rulebook), ACTIONS[rulebook]
    referee, followed = Referee(state), list[list[shapely.MultiPolygon]]()
    for now in (state, *drag(state)):
        referee = referee.follow(now)
        followed.append(ask_zones(referee, action))
    assert not all(zone.is_empty for zone in followed[-1])
    assert followed[-1][1] != followed[0][1], "the dragged model is in its mate's way"
    for now, zones in zip((state, *drag(state)), followed, strict=True):
        for kept in KEPT:
            kept.cache_clear()
        assert ask_zones(Referee(now), action) == zones


def test_no_way_is_looked_for_again_while_a_mate_is_dragged_that_is_in_no_ones_way() -> None:
    state = make_state("warhammer-40k-10e")
    referee = Referee(state)
    ask_zones(referee, "normal")
    looked = reachability._find_region.cache_info().misses
    for now in drag(state):
        for model in ("u1", "u2"):
            referee.follow(now).find_zone(model=model, action="normal", facing="keep", alone=True)
    assert reachability._find_region.cache_info().misses == looked


def test_no_rule_is_asked_what_is_in_the_way_again_while_a_mate_is_dragged_that_may_be_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = make_state("warhammer-40k-10e")
    referee = Referee(state)
    before = ask_zones(referee, "normal")
    monkeypatch.delattr(reachability, "find_way_blocks")
    for now in drag(state):
        referee = referee.follow(now)
        zones = [
            referee.find_zone(model=model, action="normal", facing="keep", alone=True).region for model in ("u1", "u2")
        ]
    assert zones[0] != before[1], "but it is in the way of where they end"
    assert referee.follow(state).find_zone(model="u1", action="normal", facing="keep", alone=True).region == before[1]


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("rulebook", ACTIONS)
def test_whatever_else_changes_is_seen_by_those_who_know_a_zone(rulebook: str, alone: bool) -> None:
    """An enemy comes near, a mate is lifted, one goes up, the model itself is moved, and then all is as it was."""
    state, action = make_state(rulebook), ACTIONS[rulebook]
    near = state.place_models({"e0": Pose(x_mm=385.0, y_mm=330.0)})
    lifted = near.place_models({"u0": None})
    up = lifted.place_models({"u2": Pose(x_mm=295.0, y_mm=360.0, z_mm=60.0)})
    moved = up.place_models({"u1": Pose(x_mm=350.0, y_mm=215.0, facing_rad=0.2)})
    referee = Referee(state)
    for now in (state, near, lifted, up, moved, state):
        referee = referee.follow(now)
        zones = [
            each.find_zone(model="u1", action=action, facing="keep", alone=alone).region
            for each in (referee, Referee(now))
        ]
        assert zones[0] == zones[1]
