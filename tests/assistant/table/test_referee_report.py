"""The referee's report, and the zone in it that is often known only after all the rest."""

from dataclasses import replace

import pytest

from assistant.game.events import ModelSettled
from assistant.game.reduce import reduce
from assistant.game.state import Declaration, GameState, Model, Pose, Setting, Table, Turn, Unit
from assistant.geometry.shapes.base_shapes import Round
from assistant.overlay.shapes import Layer
from assistant.rules import referee, sequence
from assistant.rules.referee import Referee
from assistant.rules.rulebook import Rulebook
from assistant.rules.validation import check_state
from assistant.table.declared_move import Pick
from assistant.table.referee_report import RefereeDesk, compile_report, replace_zones
from assistant.table.zone_query import ImmediateZoneSolver, build_zone_request, compute_zone, skip_zone
from tests.assistant.snapshot_script import build_game


def build_crowd() -> GameState:
    """Return a counted turn with twelve units, of which one has announced and begun its move; an enemy was pushed."""
    units = tuple(
        Unit(
            id=f"u{number}",
            player=("red", "blue")[number % 2],
            profile={"move_in": 6},
            models=tuple(
                Model(id=f"u{number}{name}", base=Round(radius_mm=16), pose=Pose(x_mm=100 + 100 * number, y_mm=y_mm))
                for name, y_mm in (("a", 300.0), ("b", 340.0))
            ),
        )
        for number in range(12)
    )
    state = GameState(rulebook="warhammer-40k-10e", table=Table(width_mm=1524, depth_mm=1118), units=units)
    state = replace(state, turn=Turn(number=1, player="red", step="move-units"))
    state = replace(state, declared=Declaration(unit="u0", action="normal"))
    for model, x_mm in (("u0a", 130.0), ("u3b", 405.0)):
        pose = state.find_model(model).pose
        assert pose is not None
        state = reduce(state, ModelSettled(model=model, path=(pose, replace(pose, x_mm=x_mm)), observed=True))
    return state


def test_a_refresh_validates_the_situation_once(monkeypatch: pytest.MonkeyPatch) -> None:
    validated = list[GameState]()

    def count(book: Rulebook, state: GameState) -> dict[str, Setting]:
        validated.append(state)
        return check_state(book, state)

    for module in (referee, sequence):
        monkeypatch.setattr(module, "check_state", count)
    state, pick = build_crowd(), Pick(unit="u0", model="u0b")
    report = compile_report(state, pick)
    assert len(report.allowed_labels) == len(state.units) == 12
    assert report.verdict is not None
    assert report.ways
    assert report.zone_request is not None
    zone = ImmediateZoneSolver()(report.zone_request)
    assert zone is not None
    assert replace_zones(report, zone, ()).shapes != report.shapes
    assert len(validated) == 1


def test_a_zone_takes_the_place_of_the_one_before_and_of_nothing_else() -> None:
    pick = Pick(unit="scouts", model="s1")
    state = replace(build_game(), declared=Declaration(unit="scouts", action="normal"))
    answer = compile_report(state, pick)
    assert answer.zone is None
    assert answer.shapes
    request = build_zone_request(Referee(state), pick)
    assert request is not None
    zone = compute_zone(request, "keep")
    first = replace_zones(answer, zone, ())
    assert first.zone is zone
    zones = [shape for shape in first.shapes if shape.layer is Layer.ZONE]
    assert len(zones) == len(zone.region.geoms)
    assert first.shapes[len(zones) :] == answer.shapes
    assert replace_zones(first, zone, ()).shapes == first.shapes
    assert replace_zones(first, None, ()) == answer


def test_who_works_no_zone_out_is_asked_for_none() -> None:
    state, pick = replace(build_crowd(), declared=None, tracks={}), Pick(unit="u0", model="u0b")
    report, whole = RefereeDesk(skip_zone).report(state, pick), compile_report(state, pick)
    assert whole.zone_request is not None
    assert whole.band_requests
    assert report == replace(whole, zone_request=None, band_requests=(), basis=report.basis)
