"""Whether stands touch after the move (wm-03) and joined those placed before them (wm-10), hand-worked."""

from collections.abc import Mapping

import pytest

from assistant.game.state import Model, Pose
from assistant.rules.books.warmaster_revolution.coherency import build_coherency, judge_joining
from assistant.rules.engine.situation_index import index_situation
from assistant.rules.verdict import Finding, Outcome
from tests.assistant.rules.books.warmaster_revolution.stand_builders import (
    Place,
    build_pose,
    build_question,
    build_stands,
    build_unit,
)

START = ((300, 300), (300, 340), (300, 380), (300, 420))


def judge_after(models: tuple[Model, ...], ends: Mapping[str, Place], *, one_group: bool = True) -> list[Finding]:
    """Return the findings on a move from where models stand, in the order of their ends."""
    paths: dict[str, tuple[Pose, ...]] = {}
    for model in models:
        assert model.pose is not None
    for stand, end in ends.items():
        start = next(model.pose for model in models if model.id == stand)
        assert start is not None
        paths[stand] = (start, build_pose(end, start.sigma_mm))
    here = build_question(build_unit(models, troop="infantry"), paths=paths, one_group=one_group)
    there = index_situation(here.state.place_models({stand: path[-1] for stand, path in paths.items()}))
    return list(judge_joining(here, there))


def list_offences(found: list[Finding]) -> list[tuple[str, Outcome, tuple[str, ...]]]:
    return [(each.rule, each.outcome, each.subjects) for each in found if each.outcome is not Outcome.LEGAL]


def test_a_line_that_advances_joins_at_each_step() -> None:
    found = judge_after(build_stands(*START[:3]), {"b1": (400, 300), "b2": (400, 340.5), "b3": (400, 381)})
    assert list_offences(found) == []
    assert [(each.rule, each.subjects[0]) for each in found] == [("wm-03", "b1"), ("wm-10", "b2"), ("wm-10", "b3")]
    assert [each.margin_mm for each in found] == pytest.approx([0.5, 0.5, 0.5])
    assert [each.text for each in found[1:]] == ["b2 joins b1", "b3 joins b2"]


def test_one_left_behind_is_outside_and_not_said_twice() -> None:
    found = judge_after(build_stands(*START[:3]), {"b1": (400, 300), "b2": (400, 340)})
    assert list_offences(found) == [("wm-03", Outcome.ILLEGAL, ("b3",))]
    assert found[0].margin_mm == pytest.approx(1 - 80)  # x 310 to 390
    assert found[0].text == (
        "the longest link of the chain, from b2 to b3, is 8 cm, more than 0.1 cm: the unit is not in formation"
    )


def test_two_pairs_are_no_group_unless_pairs_will_do() -> None:
    ends = {"b4": (400, 480), "b3": (400, 440), "b1": (400, 300), "b2": (400, 340)}
    assert list_offences(judge_after(build_stands(*START), ends)) == [
        ("wm-03", Outcome.ILLEGAL, ("b1", "b2", "b3", "b4"))
    ]
    apart = judge_after(build_stands(*START), ends, one_group=False)
    # Each stand touches another; but b1, placed third, touches neither of those placed before it.
    assert list_offences(apart) == [("wm-10", Outcome.ILLEGAL, ("b1",))]


def test_where_pairs_will_do_one_alone_will_not() -> None:
    found = judge_after(build_stands(*START[:3]), {"b3": (400, 500)}, one_group=False)
    assert list_offences(found) == [("wm-03", Outcome.ILLEGAL, ("b3",))]
    # From the corner (310, 360) to the corner (390, 480).
    assert found[0].text.startswith("b3 is 14.42 cm from b2, the nearest model of its unit, more than 0.1 cm")


def test_the_middle_placed_last_leaves_the_second_alone() -> None:
    found = judge_after(build_stands(*START[:3]), {"b1": (400, 300), "b3": (400, 380), "b2": (400, 340)})
    assert list_offences(found) == [("wm-10", Outcome.ILLEGAL, ("b3",))]
    third = found[1]
    assert (third.margin_mm, third.measured_mm) == pytest.approx((-39, 40))
    assert third.text == "b3 is placed 4 cm from b1, more than 0.1 cm: it joins none of those placed before it"
    assert min(third.witness_mm)[1] == pytest.approx(320)


def test_a_stand_that_stays_is_placed_from_the_start() -> None:
    found = judge_after(build_stands(*START[:3]), {"b1": (280, 330), "b3": (300, 380)})
    assert list_offences(found) == []
    assert [each.text for each in found if each.rule == "wm-10"] == ["b3 joins b2"]


def test_too_close_to_call() -> None:
    models = build_stands(*START[:3], sigma_mm=0.1)
    found = judge_after(models, {"b1": (400, 300), "b3": (400, 341.1), "b2": (379.6, 320.5)})
    assert list_offences(found) == [("wm-10", Outcome.TOO_CLOSE, ("b3",))]
    assert found[1].margin_mm == pytest.approx(-0.1)
    assert found[1].sigma_mm == pytest.approx(0.02**0.5)
    assert found[1].text == "b3 is placed 0.11 cm from b1, too near to 0.1 cm to call whether it joins it"
    wide = judge_after(build_stands(*START[:2], sigma_mm=0.1), {"b1": (400, 300), "b2": (400, 341.1)})
    assert list_offences(wide) == [("wm-03", Outcome.TOO_CLOSE, ("b1", "b2"))]


def test_overlap_is_touching() -> None:
    found = judge_after(build_stands(*START[:2]), {"b1": (400, 300), "b2": (400, 339.6)})
    assert list_offences(found) == []
    assert found[0].margin_mm == pytest.approx(1.4)
    assert found[0].text == "the longest link of the chain, from b1 to b2, is 0 cm, within 0.1 cm"


def test_one_stand_has_nobody_to_join() -> None:
    assert judge_after(build_stands((300, 300)), {"b1": (400, 300)}) == []
    assert build_coherency(build_question(build_unit(build_stands((300, 300), None)))) is None


def test_standing_units_are_asked_only_whether_they_touch() -> None:
    here = build_question(build_unit(build_stands((300, 300), (300, 343)), troop="infantry"))
    assert list_offences(list(judge_joining(here, here.scene))) == [("wm-03", Outcome.ILLEGAL, ("b1", "b2"))]
