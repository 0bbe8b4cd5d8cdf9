"""Differences of views: what a delta makes of the old one, and that it holds no more than it must."""

import json

from hypothesis import given

from assistant.web.messages import View
from assistant.web.views.differences import diff_views
from tests.assistant.web.view_deltas import apply_delta, build_delta, build_model_view, views


@given(views, views)
def test_a_delta_makes_the_old_view_the_new_one(old: View, new: View) -> None:
    assert apply_delta(json.loads(old.model_dump_json()), build_delta(old, new)) == json.loads(new.model_dump_json())


@given(views, views)
def test_a_delta_holds_nothing_but_changes(old: View, new: View) -> None:
    changed, gone = diff_views(old, new)
    for name, section in changed.items():
        assert section
        before, after = getattr(old, name), getattr(new, name)
        for key, value in section.items():
            if key not in before:
                assert value is after[key]
            else:
                differing = [field for field in value if getattr(before[key], field) != getattr(after[key], field)]
                assert list(value) == differing
                assert value
    assert all(keys and not set(keys) & set(getattr(new, name)) for name, keys in gone.items())


def test_of_a_model_that_moved_only_its_place_is_sent() -> None:
    before = View(models={"s1": build_model_view(1), "s2": build_model_view(5)})
    after = View(models={"s1": build_model_view(2), "s2": build_model_view(5)})
    assert build_delta(before, after) == {"type": "delta", "seq": 1, "set": {"models": {"s1": {"x_mm": 2}}}, "gone": {}}


def test_sections_without_a_change_are_left_out() -> None:
    delta = build_delta(View(), View(models={"s1": build_model_view(1)}))
    assert set(delta["set"]) == {"models"}
    assert delta["gone"] == {}
