"""Happenings: how a table stands in a few words, and of what kind a change is."""

from dataclasses import replace

import pytest

from assistant.bridges.happenings import Standing, describe_standing, list_happenings
from assistant.table.session import GameSession
from assistant.web.messages import View
from assistant.web.views.session import Source, build_view
from tests.assistant.snapshot_script import SnapshotScript, build_game

SOURCE = Source(name="s", title="t", virtual=False, replay=False, state="live", text="", fps=0, latency_ms=0)


def test_a_game_is_told_as_its_pages_show_it() -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    session.observe(script.take_snapshot())
    session.advance_turn()
    before = describe_standing(build_view(session, SOURCE))
    assert (before.camera, before.round, before.player, before.outcome) == ("live", 1, "red", "legal")
    session.declare(unit="scouts", action="normal")
    for frame in script.slide("s2", 300, 550):
        session.observe(frame)
    now = describe_standing(build_view(session, SOURCE))
    assert (now.outcome, now.unit) == ("illegal", "scouts")
    assert now.rule.startswith("10e-")
    assert now.text
    assert list_happenings(before, now) == ("verdict",)


def test_before_anything_is_known_nothing_is_said_of_it() -> None:
    assert describe_standing(View()) == Standing()
    assert list_happenings(None, Standing(outcome="illegal")) == ()


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ({}, ()),
        ({"outcome": "illegal"}, ("verdict",)),
        ({"text": "too far"}, ("verdict",)),
        ({"player": "blue", "turn": 2}, ("turn",)),
        ({"step": "Charge"}, ("turn",)),
        ({"camera": "lost", "called": True}, ("camera", "call")),
    ],
)
def test_each_change_is_of_its_kind(change: dict[str, object], kinds: tuple[str, ...]) -> None:
    assert list_happenings(Standing(), replace(Standing(), **change)) == kinds  # type: ignore[arg-type]
