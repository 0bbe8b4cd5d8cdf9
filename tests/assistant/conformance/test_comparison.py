from dataclasses import replace
from typing import Any

import pytest

from assistant.conformance.case import Case
from assistant.conformance.comparison import list_differences

FINDING = {"rule": "r-1", "outcome": "illegal", "subjects": ["a"], "margin_mm": -2.0}
VERDICT = {"outcome": "illegal", "findings": [FINDING], "effects": []}
SQUARE = [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]], [[4, 4], [6, 4], [6, 6], [4, 6], [4, 4]]]


def make_case(command: str, **expect: Any) -> Case:
    return Case(name="r-1-x", rules=("r-1",), situation={"rulebook": "b"}, ask={"command": command}, expect=expect)


JUDGE = make_case("judge", outcome="illegal", findings=[FINDING])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (VERDICT, []),
        (VERDICT | {"findings": [FINDING | {"margin_mm": -2.009}]}, []),
        (
            VERDICT | {"findings": [FINDING | {"margin_mm": -2.02}]},
            ["margin of r-1 illegal of a is -2.02 mm, not -2.0"],
        ),
        (VERDICT | {"findings": [FINDING | {"margin_mm": None}]}, ["margin of r-1 illegal of a is None mm"]),
        (VERDICT | {"outcome": "legal"}, ["outcome is legal, not illegal"]),
        (VERDICT | {"findings": []}, ["there is no finding r-1 illegal of a"]),
        (
            VERDICT | {"findings": [FINDING, FINDING | {"rule": "r-2", "text": "too near"}]},
            ["not expected, r-2 illegal of a: too near"],
        ),
        (VERDICT | {"findings": [FINDING, FINDING | {"rule": "r-2", "outcome": "legal"}]}, []),
    ],
)
def test_a_verdict_is_held_to_what_is_expected(answer: dict[str, Any], said: list[str]) -> None:
    differences = list_differences(JUDGE, answer)
    assert len(differences) == len(said)
    assert all(part in difference for part, difference in zip(said, differences, strict=True))


def test_effects_count_only_where_a_case_has_them() -> None:
    effect = {"rule": "r-9", "subjects": ["u"], "effect": "tired"}
    answer = VERDICT | {"effects": [effect]}
    assert list_differences(JUDGE, answer) == []
    strict = replace(JUDGE, expect={**JUDGE.expect, "effects": []})
    assert list_differences(strict, answer) == ["the effects are [('r-9', ('u',), 'tired')], not []"]


def test_where_a_move_stops_is_compared_part_by_part() -> None:
    stop = {"x_mm": 1.0, "y_mm": 2.0, "z_mm": 0.0, "facing_deg": 90.0}
    case = make_case("judge", outcome="illegal", findings=[FINDING | {"stops_at": stop}])
    assert list_differences(case, VERDICT | {"findings": [FINDING | {"stops_at": stop | {"x_mm": 1.001}}]}) == []
    (said,) = list_differences(case, VERDICT | {"findings": [FINDING | {"stops_at": stop | {"facing_deg": 91.0}}]})
    assert "stops at" in said
    (said,) = list_differences(case, VERDICT)
    assert "stops at no place" in said


def test_a_zone_holds_places_and_has_holes() -> None:
    zone = {"limit_mm": 10.0, "zone": {"coordinates": [SQUARE]}}
    case = make_case("zone", inside=[[1, 1], [9, 5]], outside=[[5, 5], [11, 5], [-1, 0.5]], limit_mm=10.0)
    assert list_differences(case, zone) == []
    case = make_case("zone", inside=[[5, 5]], outside=[[1, 1]], limit_mm=20.0)
    assert list_differences(case, zone) == [
        "the limit is 10.0 mm, not 20.0",
        "(5, 5) is not inside of the zone",
        "(1, 1) is not outside of the zone",
    ]


def test_actions_are_allowed_or_refused_by_rules() -> None:
    answer = {
        "actions": [
            {"action": "run", "allowed": False, "because": [{"rule": "r-3"}, {"rule": "r-4"}]},
            {"action": "hold", "allowed": True, "because": []},
        ]
    }
    assert list_differences(make_case("actions", allowed=["hold"], refused={"run": ["r-4"]}), answer) == []
    assert list_differences(make_case("actions", allowed=["run"], refused={"hold": ["r-1"]}), answer) == [
        "run is refused by r-3, r-4; it is allowed",
        "hold is allowed; it is refused by r-1",
    ]
    (said,) = list_differences(make_case("actions", refused={"run": ["r-7"]}), answer)
    assert said == "run is refused by r-3, r-4, not by r-7"
