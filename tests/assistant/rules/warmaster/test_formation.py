"""Column, line or irregular, by hand-worked places: why, and what two sigma leave open."""

import math

import pytest

from assistant.geometry.shapes import Base, Round
from assistant.rules.books.warmaster_revolution.formation import Formation, Kind, formation, formation_of
from tests.assistant.rules.warmaster.stands import CAVALRY, INFANTRY, Place, asked, stands, unit

FIVE = math.radians(5)


def formed(*places: Place, base: Base = INFANTRY, sigma_mm: float = 0.0) -> Formation:
    return formation_of(stands(*places, base=base, sigma_mm=sigma_mm), touch_mm=1.0, tolerance_rad=FIVE)


# -- regular


@pytest.mark.parametrize(
    ("places", "base", "order"),
    [
        ([(300, 300), (280, 300), (260, 300)], INFANTRY, "b1 b2 b3"),
        ([(300, 300), (260, 300), (220, 300)], CAVALRY, "b1 b2 b3"),
        ([(260, 300), (300, 300), (280, 300)], INFANTRY, "b2 b3 b1"),  # whatever the order of the file
        ([(300, 300), (280, 315)], INFANTRY, "b1 b2"),  # shifted, but edge to edge
        ([(300, 300), (280, 340), (260, 380)], INFANTRY, "b1 b2 b3"),  # corner to corner
        ([(300, 300), (279, 300)], INFANTRY, "b1 b2"),  # exactly 1 mm
        ([(300, 300), (281, 300)], INFANTRY, "b1 b2"),  # 1 mm of overlap
    ],
)
def test_columns(places: list[Place], base: Base, order: str) -> None:
    found = formed(*places, base=base)
    assert (found.kind, found.sure, found.regular) == (Kind.COLUMN, True, True)
    assert found.order == tuple(order.split())
    assert (found.reason, found.doubt) == (f"a column of {len(places)}", "")


@pytest.mark.parametrize(
    ("places", "base", "order"),
    [
        ([(300, 300), (300, 340), (300, 380)], INFANTRY, "b1 b2 b3"),
        ([(300, 300), (300, 320), (300, 340)], CAVALRY, "b1 b2 b3"),
        ([(300, 300), (300, 260)], INFANTRY, "b2 b1"),  # from the right
        ([(300, 300, 90), (260, 300, 90)], INFANTRY, "b1 b2"),
        ([(300, 300), (300.5, 340.5)], INFANTRY, "b1 b2"),
        ([(300, 300, 179), (300, 260, -179)], INFANTRY, "b1 b2"),  # 2 degrees apart, about the half turn
    ],
)
def test_lines(places: list[Place], base: Base, order: str) -> None:
    found = formed(*places, base=base)
    assert (found.kind, found.sure) == (Kind.LINE, True)
    assert found.order == tuple(order.split())
    assert found.reason == f"a line of {len(places)}"


def wheeled(turn_deg: float) -> Formation:
    """Return two stands of which the rear left corner of one, (290, 320), is the front right corner of the other."""
    turn = math.radians(turn_deg)
    x = 290 - 10 * math.cos(turn) - 20 * math.sin(turn)
    y = 320 - 10 * math.sin(turn) + 20 * math.cos(turn)
    return formed((300, 300), (x, y, turn_deg))


@pytest.mark.parametrize("turn_deg", [-45, -30, 0, 30, 45])
def test_a_column_may_wheel_by_45_degrees(turn_deg: float) -> None:
    assert wheeled(turn_deg).kind is Kind.COLUMN


def test_more_than_45_degrees_is_no_column() -> None:
    found = wheeled(46)
    assert (found.kind, found.sure) == (Kind.IRREGULAR, True)
    assert found.reason == "irregular: b2 is turned by 46° from b1, more than 45° for a column"


def test_a_column_may_wind_until_it_faces_back() -> None:
    """Five stands, each turned by 45 degrees, its front right corner at the rear left corner of the one before."""
    places: list[Place] = [(600.0, 600.0, 0.0)]
    for n in range(1, 5):
        x, y, facing = (*places[-1], 0.0)[:3]
        old, new = math.radians(facing), math.radians(facing + 45)
        # The rear left corner, then from a front right corner to the middle.
        x, y = x - 10 * math.cos(old) - 20 * math.sin(old), y - 10 * math.sin(old) + 20 * math.cos(old)
        places.append(
            (x - 10 * math.cos(new) - 20 * math.sin(new), y - 10 * math.sin(new) + 20 * math.cos(new), 45 * n)
        )
    found = formed(*places)
    assert (found.kind, found.sure) == (Kind.COLUMN, True)
    assert found.order == ("b1", "b2", "b3", "b4", "b5")


def test_one_stand_alone_is_regular_and_so_is_the_last_on_the_table() -> None:
    alone = formed((300, 300))
    assert (alone.kind, alone.sure, alone.regular, alone.reason) == (Kind.ALONE, True, True, "a single stand")
    left = formation(asked(unit(stands((300, 300), None, base=Round(radius_mm=20)))))
    assert (left.kind, left.order) == (Kind.ALONE, ("b1",))


def test_stands_off_the_table_are_left_out() -> None:
    found = formation(asked(unit(stands((300, 300), None, (300, 340)))))
    assert (found.kind, found.order) == (Kind.LINE, ("b1", "b3"))


# -- irregular, and why


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ([(300, 300), (280, 300), (350, 340)], "b3's rear edge touches nobody's front edge"),
        ([(300, 300), (280, 300), (200, 400)], "b3's front edge touches nobody's rear edge"),
        ([(300, 300), (300, 340), (300, 500)], "b3's right edge touches nobody's left edge"),
        ([(300, 300), (300, 340), (280, 320)], "b1 and b2 are both ahead of b3"),
        ([(280, 300), (280, 340), (300, 320)], "b1 and b2 are both behind b3"),
        ([(300, 300), (277, 300)], "b2's front edge is 3 mm from b1's rear edge, more than 1 mm"),
        ([(300, 300), (298.5, 340)], "b2 is shifted by 1.5 mm against b1, more than 1 mm"),
        ([(300, 300), (300, 340, 180)], "b2 is turned by 180° from b1, more than 45° for a column"),
        ([(300, 300), (300, 340), (280, 300), (280, 340)], "b2's front edge touches nobody's rear edge"),
        ([(300, 300), (330, 370, 90)], "b1's front edge touches nobody's rear edge"),
    ],
)
def test_an_irregular_unit_says_why(places: list[Place], reason: str) -> None:
    found = formed(*places)
    assert (found.kind, found.sure, found.regular, found.doubt) == (Kind.IRREGULAR, True, False, "")
    assert found.reason == f"irregular: {reason}"
    assert sorted(found.order) == sorted(f"b{n + 1}" for n in range(len(places)))


def test_round_bases_have_no_edges_to_be_joined_at() -> None:
    found = formed((300, 300), (260, 300), base=Round(radius_mm=20))
    assert (found.kind, found.sure) == (Kind.IRREGULAR, True)
    assert found.reason == "irregular: the base of b1 has no edges"


def line_turned(turn_deg: float) -> Formation:
    """Return two stands side by side, the second turned about the corner (310, 320) at which both meet."""
    turn = math.radians(-turn_deg)
    x = 310 - 10 * math.cos(turn) - 20 * math.sin(turn)
    y = 320 - 10 * math.sin(turn) + 20 * math.cos(turn)
    return formed((300, 300), (x, y, -turn_deg))


def test_a_line_may_face_five_degrees_apart() -> None:
    assert line_turned(5).kind is Kind.LINE
    found = line_turned(6)
    assert (found.kind, found.reason) == (Kind.IRREGULAR, "irregular: b1 and b2 face 6° apart, more than 5° for a line")


def test_any_two_facings_of_a_line_are_compared() -> None:
    def place(n: int, turn_deg: float) -> Place:
        return (300, 300 + 40.2 * n, turn_deg)

    assert formed(place(0, -2), place(1, 0), place(2, 2)).kind is Kind.LINE
    fanned = formed(place(0, -3), place(1, 0), place(2, 3))
    assert fanned.reason == "irregular: b1 and b3 face 6° apart, more than 5° for a line"


# -- in doubt


@pytest.mark.parametrize(
    ("gap_mm", "kind", "sure"),
    [
        (0.5, Kind.COLUMN, True),  # 0.5 inside, two sigma 0.283
        (0.75, Kind.COLUMN, False),
        (0.98, Kind.COLUMN, False),
        (1.1, Kind.IRREGULAR, False),
        (1.25, Kind.IRREGULAR, False),
        (1.5, Kind.IRREGULAR, True),
    ],
)
def test_what_two_sigma_leave_open_is_open(gap_mm: float, kind: Kind, sure: bool) -> None:
    found = formed((300, 300), (280 - gap_mm, 300), sigma_mm=0.1)
    assert (found.kind, found.sure) == (kind, sure)
    open_to = f"if b2's front edge touches b1's rear edge it is a column: {gap_mm:g} mm of 1 mm"
    assert found.doubt == ("" if sure else open_to)


def test_a_shift_may_be_in_doubt_too() -> None:
    found = formed((300, 300), (301.1, 340.9), sigma_mm=0.1)
    assert (found.kind, found.sure) == (Kind.IRREGULAR, False)
    assert found.doubt == (
        "if b2's right edge touches b1's left edge and b2 is level with b1 it is a line: 0.9 mm and 1.1 mm of 1 mm"
    )


def test_one_joint_in_doubt_leaves_all_in_doubt_and_one_broken_decides() -> None:
    doubtful = formed((300, 300), (279.8, 300), (258.9, 300), sigma_mm=0.1)
    assert (doubtful.kind, doubtful.sure) == (Kind.COLUMN, False)
    assert doubtful.doubt == "if b3's front edge touches b2's rear edge it is a column: 0.9 mm of 1 mm"
    broken = formed((300, 300), (279.1, 300), (256.1, 300), sigma_mm=0.1)
    assert (broken.kind, broken.sure) == (Kind.IRREGULAR, True)


def test_touching_is_a_parameter() -> None:
    three = unit(stands((300, 300), (277.5, 300)))
    assert formation(asked(three)).kind is Kind.IRREGULAR
    assert formation(asked(three, touch_mm=3.0)).kind is Kind.COLUMN
    assert formation(asked(unit(stands((300, 300), (300, 340.5, -4))), line_tolerance_deg=3.0)).sure
