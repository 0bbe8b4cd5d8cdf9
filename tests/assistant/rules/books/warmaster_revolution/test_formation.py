"""Column, line or irregular, by hand-worked places: why, and what two sigma leave open."""

import math

import pytest

from assistant.geometry.shapes.base_shapes import Base, Round
from assistant.rules.books.warmaster_revolution.formation import (
    Formation,
    FormationKind,
    classify_formation,
    find_formation,
)
from tests.assistant.rules.books.warmaster_revolution.stand_builders import (
    CAVALRY,
    INFANTRY,
    Place,
    build_question,
    build_stands,
    build_unit,
)

FIVE = math.radians(5)


def classify(*places: Place, base: Base = INFANTRY, sigma_mm: float = 0.0) -> Formation:
    return classify_formation(build_stands(*places, base=base, sigma_mm=sigma_mm), touch_mm=1.0, tolerance_rad=FIVE)


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
    found = classify(*places, base=base)
    assert (found.kind, found.sure, found.regular) == (FormationKind.COLUMN, True, True)
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
    found = classify(*places, base=base)
    assert (found.kind, found.sure) == (FormationKind.LINE, True)
    assert found.order == tuple(order.split())
    assert found.reason == f"a line of {len(places)}"


def classify_wheeled(turn_deg: float) -> Formation:
    """Return two stands of which the rear left corner of one, (290, 320), is the front right corner of the other."""
    turn = math.radians(turn_deg)
    x = 290 - 10 * math.cos(turn) - 20 * math.sin(turn)
    y = 320 - 10 * math.sin(turn) + 20 * math.cos(turn)
    return classify((300, 300), (x, y, turn_deg))


@pytest.mark.parametrize("turn_deg", [-45, -30, 0, 30, 45])
def test_a_column_may_wheel_by_45_degrees(turn_deg: float) -> None:
    assert classify_wheeled(turn_deg).kind is FormationKind.COLUMN


def test_more_than_45_degrees_is_no_column() -> None:
    found = classify_wheeled(46)
    assert (found.kind, found.sure) == (FormationKind.IRREGULAR, True)
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
    found = classify(*places)
    assert (found.kind, found.sure) == (FormationKind.COLUMN, True)
    assert found.order == ("b1", "b2", "b3", "b4", "b5")


def test_one_stand_alone_is_regular_and_so_is_the_last_on_the_table() -> None:
    alone = classify((300, 300))
    assert (alone.kind, alone.sure, alone.regular, alone.reason) == (FormationKind.ALONE, True, True, "a single stand")
    left = find_formation(build_question(build_unit(build_stands((300, 300), None, base=Round(radius_mm=20)))))
    assert (left.kind, left.order) == (FormationKind.ALONE, ("b1",))


def test_stands_off_the_table_are_left_out() -> None:
    found = find_formation(build_question(build_unit(build_stands((300, 300), None, (300, 340)))))
    assert (found.kind, found.order) == (FormationKind.LINE, ("b1", "b3"))


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
    found = classify(*places)
    assert (found.kind, found.sure, found.regular, found.doubt) == (FormationKind.IRREGULAR, True, False, "")
    assert found.reason == f"irregular: {reason}"
    assert sorted(found.order) == sorted(f"b{n + 1}" for n in range(len(places)))


def test_round_bases_have_no_edges_to_be_joined_at() -> None:
    found = classify((300, 300), (260, 300), base=Round(radius_mm=20))
    assert (found.kind, found.sure) == (FormationKind.IRREGULAR, True)
    assert found.reason == "irregular: the base of b1 has no edges"


def classify_turned_line(turn_deg: float) -> Formation:
    """Return two stands side by side, the second turned about the corner (310, 320) at which both meet."""
    turn = math.radians(-turn_deg)
    x = 310 - 10 * math.cos(turn) - 20 * math.sin(turn)
    y = 320 - 10 * math.sin(turn) + 20 * math.cos(turn)
    return classify((300, 300), (x, y, -turn_deg))


def test_a_line_may_face_five_degrees_apart() -> None:
    assert classify_turned_line(5).kind is FormationKind.LINE
    found = classify_turned_line(6)
    assert (found.kind, found.reason) == (
        FormationKind.IRREGULAR,
        "irregular: b1 and b2 face 6° apart, more than 5° for a line",
    )


def test_any_two_facings_of_a_line_are_compared() -> None:
    def place(n: int, turn_deg: float) -> Place:
        return (300, 300 + 40.2 * n, turn_deg)

    assert classify(place(0, -2), place(1, 0), place(2, 2)).kind is FormationKind.LINE
    fanned = classify(place(0, -3), place(1, 0), place(2, 3))
    assert fanned.reason == "irregular: b1 and b3 face 6° apart, more than 5° for a line"


# -- in doubt


@pytest.mark.parametrize(
    ("gap_mm", "kind", "sure"),
    [
        (0.5, FormationKind.COLUMN, True),  # 0.5 inside, two sigma 0.283
        (0.75, FormationKind.COLUMN, False),
        (0.98, FormationKind.COLUMN, False),
        (1.1, FormationKind.IRREGULAR, False),
        (1.25, FormationKind.IRREGULAR, False),
        (1.5, FormationKind.IRREGULAR, True),
    ],
)
def test_what_two_sigma_leave_open_is_open(gap_mm: float, kind: FormationKind, sure: bool) -> None:
    found = classify((300, 300), (280 - gap_mm, 300), sigma_mm=0.1)
    assert (found.kind, found.sure) == (kind, sure)
    open_to = f"if b2's front edge touches b1's rear edge it is a column: {gap_mm:g} mm of 1 mm"
    assert found.doubt == ("" if sure else open_to)


def test_a_shift_may_be_in_doubt_too() -> None:
    found = classify((300, 300), (301.1, 340.9), sigma_mm=0.1)
    assert (found.kind, found.sure) == (FormationKind.IRREGULAR, False)
    assert found.doubt == (
        "if b2's right edge touches b1's left edge and b2 is level with b1 it is a line: 0.9 mm and 1.1 mm of 1 mm"
    )


def test_one_joint_in_doubt_leaves_all_in_doubt_and_one_broken_decides() -> None:
    doubtful = classify((300, 300), (279.8, 300), (258.9, 300), sigma_mm=0.1)
    assert (doubtful.kind, doubtful.sure) == (FormationKind.COLUMN, False)
    assert doubtful.doubt == "if b3's front edge touches b2's rear edge it is a column: 0.9 mm of 1 mm"
    broken = classify((300, 300), (279.1, 300), (256.1, 300), sigma_mm=0.1)
    assert (broken.kind, broken.sure) == (FormationKind.IRREGULAR, True)


def test_touching_is_a_parameter() -> None:
    three = build_unit(build_stands((300, 300), (277.5, 300)))
    assert find_formation(build_question(three)).kind is FormationKind.IRREGULAR
    assert find_formation(build_question(three, touch_mm=3.0)).kind is FormationKind.COLUMN
    assert find_formation(
        build_question(build_unit(build_stands((300, 300), (300, 340.5, -4))), line_tolerance_deg=3.0)
    ).sure
