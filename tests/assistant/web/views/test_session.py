"""A session's view: what it says of a move, and why."""

from assistant.web.views.session import Source, build_view
from tests.assistant.table.session_play import move_model, start_session

SOURCE = Source(name="", title="", virtual=True, replay=False, state="live", text="", fps=0, latency_ms=0)


def test_what_a_move_costs_is_told_with_its_rules_words() -> None:
    session, script = start_session()
    session.declare(unit="scouts", action="advance", rolls=(4,))
    move_model(session, script, "s1", 340, 300)
    effects = build_view(session, SOURCE).effects.values()
    assert {(effect.rule, effect.rule_text) for effect in effects} == {
        ("10e-19", "after an Advance the unit neither shoots nor charges this turn")
    }
