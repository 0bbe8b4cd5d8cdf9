"""Transports in warhammer-40k-10e: what contradicts itself, and what the effects leave behind."""

import pytest

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Move, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Rect, Round
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Outcome


def make_boarding(
    *, models: int = 3, capacity: int = 10, squad: tuple[str, ...] = (), carrier: tuple[str, ...] = ()
) -> GameState:
    """A squad beside a transport, or in it."""
    inside = any(status.startswith("embarked:") for status in squad)
    men = tuple(
        Model(id=f"a{i}", base=Round(radius_mm=16), pose=None if inside else Pose(x_mm=380 + 34 * i, y_mm=440))
        for i in range(models)
    )
    truck = Model(id="t1", base=Rect(length_mm=120, width_mm=70), pose=Pose(x_mm=400, y_mm=360))
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=1000, depth_mm=1000),
        units=(
            Unit(
                id="a", player="red", keywords=frozenset({"infantry"}), profile={"move_in": 6}, status=squad, models=men
            ),
            Unit(
                id="t",
                player="red",
                keywords=frozenset({"vehicle", "transport"}),
                profile={"move_in": 10, "capacity": capacity},
                status=carrier,
                models=(truck,),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("squad", "carrier", "sentence"),
    [
        (("embarked:x",), (), 'units[0].status: there is no model "x"; expected the transport that carries it'),
        (("embarked:a1",), (), 'units[0].status: "a" is embarked in itself; expected another unit\'s transport'),
        (("embarked:t1",), ("embarked:a0",), 'units[0].status: "a" is embarked in itself; expected another unit'),
    ],
)
def test_a_transport_is_not_inside_itself(squad: tuple[str, ...], carrier: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        judge(make_boarding(squad=squad, carrier=carrier), None)
    assert str(error.value).startswith(sentence)


def test_the_only_transport_near_need_not_be_named() -> None:
    state = make_boarding(squad=("normal-moved",))
    option = next(option for option in Referee(state).list_options("a") if option.action == "embark")
    assert option.allowed
    verdict = judge(state, Move(unit="a", action="embark"))
    assert verdict.outcome is Outcome.LEGAL
    assert [(e.rule, e.subjects, e.effect) for e in verdict.effects] == [("10e-44", ("a",), "embarked:t1")]
    crowded = make_boarding(squad=("normal-moved",), capacity=2)
    option = next(option for option in Referee(crowded).list_options("a") if option.action == "embark")
    assert option.because == (("10e-41", "a has 3 models; t1 carries 2 and has 0 aboard"),)


def test_who_is_aboard_stands_nowhere() -> None:
    state = make_boarding(squad=("embarked:t1",))
    over = Move(unit="t", action="normal", paths={"t1": (Pose(x_mm=400, y_mm=360), Pose(x_mm=400, y_mm=440))})
    assert judge(state, over).outcome is Outcome.LEGAL
    assert Referee(state).find_zone(model="a0", action="normal").region.is_empty
    out = Referee(state).find_zone(model="a0", action="disembark", alone=True)
    assert out.limit_mm is None
    assert not out.region.is_empty
    left, near, right, far = out.region.bounds
    # Wholly within 3 inches of a 120 x 70 base: the middle of a 16 mm disc is at most 76.2 - 16 from it.
    assert right - left == pytest.approx(120 + 2 * 60.2, abs=0.2)
    assert far - near == pytest.approx(70 + 2 * 60.2, abs=0.2)


def test_no_emergency_while_there_is_room() -> None:
    state = make_boarding(squad=("embarked:t1",), carrier=("destroyed",))
    allowed = {option.action: option for option in Referee(state).list_options("a")}
    assert allowed["disembark"].allowed
    assert allowed["emergency-disembark"].because == (("10e-58", 'a can disembark wholly within 3" of t1'),)
