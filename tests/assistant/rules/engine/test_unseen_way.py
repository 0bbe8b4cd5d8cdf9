"""Unseen ways of a body that turns as it goes: through gaps that it passes at some facings only."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.game.state import GameState, Model, Move, Pose, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round
from assistant.rules.referee import judge
from assistant.rules.verdict import EVERYTHING, Outcome

Point = tuple[float, float]


def judge_unseen(
    mover: Base, start: Pose, end: Pose, *, friends: tuple[Model, ...] = (), terrain: tuple[Terrain, ...] = ()
) -> tuple[Outcome, float | None]:
    """Return what the length of a move comes to that nobody saw, where turning is free."""
    state = GameState(
        rulebook="warhammer-40k-5e",
        table=Table(width_mm=1000, depth_mm=1000),
        terrain=terrain,
        units=(
            Unit(id="u", player="red", models=(Model(id="m", base=mover, pose=start),)),
            Unit(id="friends", player="red", models=friends),
        ),
    )
    verdict = judge(state, Move(unit="u", action="move", paths={"m": (start, end)}, observed=False), detail=EVERYTHING)
    (found,) = (finding for finding in verdict.findings if finding.rule == "5e-03")
    return found.outcome, found.measured_mm


@settings(max_examples=8, deadline=None)
@given(
    base=st.sampled_from(
        (Rect(length_mm=50, width_mm=25), Oval(length_mm=60, width_mm=35), Rect(length_mm=20, width_mm=60))
    ),
    spare_mm=st.floats(0.05, 8.0),
    tilt_deg=st.floats(0.0, 360.0),
    facings=st.tuples(st.floats(-180, 180), st.floats(-180, 180)),
)
def test_a_base_turns_to_pass_a_gap_that_is_wide_enough(
    base: Rect | Oval, spare_mm: float, tilt_deg: float, facings: tuple[float, float]
) -> None:
    half = (min(base.length_mm, base.width_mm) + spare_mm) / 2
    tilt = math.radians(tilt_deg)

    def place(ahead: float, aside: float, facing: float = 0.0) -> Pose:
        x, y = (
            500 + ahead * math.cos(tilt) - aside * math.sin(tilt),
            500 + ahead * math.sin(tilt) + aside * math.cos(tilt),
        )
        return Pose(x_mm=x, y_mm=y, facing_rad=math.radians(facing) + tilt)

    row = [sign * (half + 20 + 40 * step) for step in range(6) for sign in (1, -1)]
    friends = tuple(
        Model(id=f"f{index}", base=Round(radius_mm=20), pose=place(0, aside)) for index, aside in enumerate(row)
    )
    outcome, mm = judge_unseen(base, place(-70, 0, facings[0]), place(70, 0, facings[1]), friends=friends)
    assert outcome is Outcome.LEGAL
    assert mm == pytest.approx(140, abs=0.1)


def make_wall(name: str, *box: float) -> Terrain:
    left, near, right, far = box
    outline: tuple[Point, ...] = ((left, near), (right, near), (right, far), (left, far))
    return Terrain(id=name, outline_mm=outline, height_mm=0.0, traits=frozenset({"impassable"}))


ROOM = (
    make_wall("west below", 440, 0, 450, 485),
    make_wall("west above", 440, 515, 450, 1000),
    make_wall("south", 450, 440, 1000, 450),
    make_wall("north left", 450, 550, 485, 560),
    make_wall("north right", 515, 550, 1000, 560),
)
"""A room with a door of 30 mm to the west, around y 500, and one to the north, around x 500."""


def test_a_base_turns_between_two_gaps_that_it_passes_at_two_facings() -> None:
    lengthwise = Pose(x_mm=400, y_mm=500), Pose(x_mm=500, y_mm=545, facing_rad=math.pi / 2)
    outcome, mm = judge_unseen(Rect(length_mm=50, width_mm=25), *lengthwise, terrain=ROOM)
    assert outcome is Outcome.LEGAL
    assert mm is not None
    assert math.hypot(100, 45) < mm < 146


def test_without_room_to_turn_nobody_can_tell() -> None:
    """The disc in the base gets around the corner of a corridor; the base does not, whatever is tried."""
    corridor = (*ROOM, make_wall("north wall", 450, 515, 485, 550), make_wall("east", 515, 450, 1000, 550))
    ends = Pose(x_mm=400, y_mm=500), Pose(x_mm=500, y_mm=545, facing_rad=math.pi / 2)
    assert judge_unseen(Rect(length_mm=56, width_mm=28), *ends, terrain=corridor)[0] is not Outcome.LEGAL


def judge_into_yard(door_mm: float, tilt_deg: float) -> tuple[Outcome, float | None]:
    """Return what the way of a disc of 32 mm comes to into a yard with a door at its far side, all of it turned."""
    tilt, half = math.radians(tilt_deg), door_mm / 2

    def turn(*corners: Point) -> tuple[Point, ...]:
        cos, sin = math.cos(tilt), math.sin(tilt)
        return tuple((500 + x * cos - y * sin, 500 + x * sin + y * cos) for x, y in corners)

    sides: list[list[Point]] = [
        [(-60, -60), (-50, -60), (-50, 60), (-60, 60)],
        [(-60, -60), (-60, -70), (60, -70), (60, -60)],
        [(-60, 60), (60, 60), (60, 70), (-60, 70)],
        [(50, -60), (60, -60), (60, -half), (50, -half)],
        [(50, half), (60, half), (60, 60), (50, 60)],
    ]
    walls = tuple(
        Terrain(id=f"w{index}", outline_mm=turn(*side), height_mm=0.0, traits=frozenset({"impassable"}))
        for index, side in enumerate(sides)
    )
    start, end = turn((-100, 0), (-20, 0))
    ends = Pose(x_mm=start[0], y_mm=start[1]), Pose(x_mm=end[0], y_mm=end[1])
    return judge_unseen(Round(radius_mm=16), ends[0], ends[1], terrain=walls)


@pytest.mark.parametrize("tilt_deg", [0.0, 17.0, 90.0, 213.0])
def test_who_can_have_come_nowhere_is_told_from_who_came_too_far(tilt_deg: float) -> None:
    """A door as wide as the base lets it in, one narrower by a hair shuts it out: the yard is cut off."""
    for door_mm in (31.9, 31.999):
        assert judge_into_yard(door_mm, tilt_deg) == (Outcome.ILLEGAL, None)
    lengths = [judge_into_yard(door_mm, tilt_deg) for door_mm in (32.0001, 32.2, 40.0)]
    assert {outcome for outcome, _ in lengths} == {Outcome.ILLEGAL}
    assert lengths[0][1] == pytest.approx(lengths[1][1], abs=0.2)
    assert all(mm is not None and mm > 300 for _, mm in lengths)


ARROW = Outline(points_mm=((30, 0), (-20, 22), (-8, 0), (-20, -22)))


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("turn_deg", [0.0, 7.3, 101.0])
def test_a_way_around_a_corner_is_as_long_however_the_table_lies(turn_deg: float, mirrored: bool) -> None:
    """An arrow is as narrow across either of its long sides, and the chords of an arc are of one length."""
    turn, sign = math.radians(turn_deg), -1.0 if mirrored else 1.0

    def place(x: float, y: float) -> Point:
        x, y = sign * (x - 400), y - 320
        return 500 + x * math.cos(turn) - y * math.sin(turn), 500 + x * math.sin(turn) + y * math.cos(turn)

    facing = turn + math.radians(-75) if not mirrored else turn + math.radians(180 + 75)
    start, end = (Pose(x_mm=x, y_mm=y, facing_rad=facing) for x, y in (place(340, 364), place(378, 221)))
    corner = Terrain(
        id="t",
        outline_mm=(place(494, 371), place(434, 412), place(358, 299)),
        height_mm=0.0,
        traits=frozenset({"impassable"}),
    )
    outcome, mm = judge_unseen(ARROW, start, end, terrain=(corner,))
    assert outcome is Outcome.LEGAL
    assert mm == pytest.approx(150.7350706, abs=1e-6)


@pytest.mark.parametrize("turn_deg", range(0, 360, 24))
def test_a_base_in_contact_goes_round_its_mate_however_the_table_lies(turn_deg: int) -> None:
    """Side by side, 40 by 20: it may stand in its mate by a rounding, and would then be let straight through."""
    turn, (x, y) = math.radians(turn_deg), (500.0, 500.0)
    cos, sin = math.cos(turn), math.sin(turn)

    def place(along: float, beside: float) -> Pose:
        return Pose(x_mm=x + along * cos - beside * sin, y_mm=y + along * sin + beside * cos, facing_rad=turn)

    base = Rect(length_mm=40, width_mm=20)
    mover, mate = (Model(id=name, base=base, pose=place(0, at)) for name, at in (("m", 0.0), ("n", 20.0)))
    unit = Unit(id="u", player="red", profile={"move_in": 6.0}, models=(mover, mate), keywords=frozenset({"monster"}))
    state = GameState(rulebook="warhammer-40k-10e", table=Table(width_mm=1000, depth_mm=1000), units=(unit,))
    move = Move(unit="u", action="normal", paths={"m": (place(0, 0), place(10, 60))}, observed=False)
    (found,) = (each for each in judge(state, move, detail=EVERYTHING).findings if each.rule == "10e-15")
    # Its centre may not enter 80 by 40 around the mate's, on whose long side it stands: 40 ahead to the corner, 40
    # along the short side, and from there to 10 ahead and 60 beside.
    assert found.measured_mm == pytest.approx(40 + 40 + math.hypot(30, 20), abs=1e-4)
