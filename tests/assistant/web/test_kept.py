"""What has not changed between two views is the same object, and what has is made anew."""

from dataclasses import replace

from assistant.game.state import NO_RULEBOOK
from assistant.session import Session
from assistant.web.hub import diff
from assistant.web.kept import Kept
from assistant.web.messages.table import NoticeView
from assistant.web.view import Source, view_of
from tests.assistant.scripted import Script, crossing

SOURCE = Source(name="", title="", virtual=True, replay=False, state="live", text="", fps=0, latency_ms=0)


def notice(text: str) -> NoticeView:
    return NoticeView(text=text)


def section(text: str) -> dict[str, NoticeView]:
    return {"a": notice(text)}


def test_a_value_made_of_equal_things_stays() -> None:
    kept = Kept()
    first = kept.values("notices", notice, {"a": ("one",), "b": ("two",)})
    same = kept.values("notices", notice, {"a": ("one",), "b": ("two",)})
    third = kept.values("notices", notice, {"a": ("one",), "b": ("three",)})
    assert same is first
    assert third["a"] is first["a"]
    assert third["b"].text == "three"


def test_keys_that_go_or_change_places_make_another_section() -> None:
    kept = Kept()
    first = kept.values("notices", notice, {"a": ("one",), "b": ("two",)})
    turned = kept.values("notices", notice, {"b": ("two",), "a": ("one",)})
    fewer = kept.values("notices", notice, {"b": ("two",)})
    assert list(first) == ["a", "b"]
    assert list(turned) == ["b", "a"]
    assert list(fewer) == ["b"]
    assert fewer["b"] is first["b"]


def test_a_section_made_of_the_same_objects_stays() -> None:
    kept, of = Kept(), "x" * 3
    first = kept.section("notices", section, of)
    assert kept.section("notices", section, of) is first
    assert kept.section("notices", section, "another") is not first


def test_a_table_at_rest_makes_no_new_view() -> None:
    session = Session(crossing())
    session.declare(unit="scouts", action="normal")
    first, second = view_of(session, SOURCE), view_of(session, replace(SOURCE))
    for name in type(first).model_fields:
        if name != "notices":  # time alone changes these
            assert getattr(first, name) is getattr(second, name), name
    assert diff(first, second) == ({}, {})


def test_only_what_moved_is_made_anew() -> None:
    script = Script()
    session = Session(crossing())
    session.see(script.frame())
    first = view_of(session, SOURCE)
    for frame in script.slide("s1", 300.0, 270.0):
        session.see(frame)
    second = view_of(session, SOURCE)
    assert second.models["s1"].y_mm == 270.0
    assert second.models["s2"] is first.models["s2"]
    assert second.terrain is first.terrain
    assert second.move["move"].moved == ["s1"]


def test_two_sessions_keep_their_own() -> None:
    one, other = Session(crossing()), Session(replace(crossing(), rulebook=NO_RULEBOOK))
    assert view_of(one, SOURCE).table["table"].rulebook == "warhammer-40k-10e"
    assert view_of(other, SOURCE).table["table"].rulebook == "watched, not judged"
    assert view_of(one, SOURCE).table["table"].rulebook == "warhammer-40k-10e"
