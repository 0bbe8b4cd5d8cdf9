"""What has not changed between two views is the same object, and what has is made anew."""

import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assistant.game.state import NO_RULEBOOK
from assistant.table.session import GameSession
from assistant.web.messages.table import NoticeView
from assistant.web.views.differences import diff_views
from assistant.web.views.session import SectionCache, Source, build_view, forget_views
from tests.assistant.snapshot_script import SnapshotScript, build_crossing_game

SOURCE = Source(name="", title="", virtual=True, replay=False, state="live", text="", fps=0, latency_ms=0)


def build_notice(text: str) -> NoticeView:
    return NoticeView(text=text)


def build_notices(text: str) -> dict[str, NoticeView]:
    return {"a": build_notice(text)}


def test_a_value_made_of_equal_things_stays() -> None:
    kept = SectionCache()
    first = kept.build_values("notices", build_notice, {"a": ("one",), "b": ("two",)})
    same = kept.build_values("notices", build_notice, {"a": ("one",), "b": ("two",)})
    third = kept.build_values("notices", build_notice, {"a": ("one",), "b": ("three",)})
    assert same is first
    assert third["a"] is first["a"]
    assert third["b"].text == "three"


def test_keys_that_go_or_change_places_make_another_section() -> None:
    kept = SectionCache()
    first = kept.build_values("notices", build_notice, {"a": ("one",), "b": ("two",)})
    turned = kept.build_values("notices", build_notice, {"b": ("two",), "a": ("one",)})
    fewer = kept.build_values("notices", build_notice, {"b": ("two",)})
    assert list(first) == ["a", "b"]
    assert list(turned) == ["b", "a"]
    assert list(fewer) == ["b"]
    assert fewer["b"] is first["b"]


def test_a_section_made_of_the_same_objects_stays() -> None:
    kept, of = SectionCache(), "x" * 3
    first = kept.build_section("notices", build_notices, of)
    assert kept.build_section("notices", build_notices, of) is first
    assert kept.build_section("notices", build_notices, "another") is not first


def test_a_table_at_rest_makes_no_new_view() -> None:
    session = GameSession(build_crossing_game())
    session.declare(unit="scouts", action="normal")
    first, second = build_view(session, SOURCE), build_view(session, replace(SOURCE))
    for name in type(first).model_fields:
        if name != "notices":  # time alone changes these
            assert getattr(first, name) is getattr(second, name), name
    assert diff_views(first, second) == ({}, {})


def test_only_what_moved_is_made_anew() -> None:
    script = SnapshotScript()
    session = GameSession(build_crossing_game())
    session.observe(script.take_snapshot())
    first = build_view(session, SOURCE)
    for frame in script.slide("s1", 300.0, 270.0):
        session.observe(frame)
    second = build_view(session, SOURCE)
    assert second.models["s1"].y_mm == 270.0
    assert second.models["s2"] is first.models["s2"]
    assert second.terrain is first.terrain
    assert second.move["move"].moved == ["s1"]


def test_two_sessions_keep_their_own() -> None:
    one, other = GameSession(build_crossing_game()), GameSession(replace(build_crossing_game(), rulebook=NO_RULEBOOK))
    assert build_view(one, SOURCE).table["table"].rulebook == "warhammer-40k-10e"
    assert build_view(other, SOURCE).table["table"].rulebook == "watched, not judged"
    assert build_view(one, SOURCE).table["table"].rulebook == "warhammer-40k-10e"


def test_what_a_device_was_shown_is_held_until_it_is_gone() -> None:
    session = GameSession(build_crossing_game())
    session.declare(unit="walker", action=None, device="blue's")
    session.declare(unit="scouts", action=None, device="red's")
    assert session.list_own_picks() == ("blue's",)
    held = [*_show_to_device(session, "blue's")]
    for devices, count in ((("blue's", "red's"), len(held)), (("red's",), 0)):
        session.keep_devices(devices)
        forget_views(session, session.list_own_picks())
        gc.collect()
        assert sum(each() is not None for each in held) == count


def _show_to_device(session: GameSession, device: str) -> Iterator[weakref.ref[Any]]:
    """Yield the device's own of what is made of the game for its pages: whom its zone asks, and what is drawn."""
    report, all_drawn = session.consult_referee(device), build_view(session, SOURCE).shapes.values()
    assert report.zone_request is not None
    yield weakref.ref(report.zone_request.referee)
    drawn = build_view(session, SOURCE, device=device).shapes.values()
    yield from (weakref.ref(each) for each in drawn if not any(each is one for one in all_drawn))
