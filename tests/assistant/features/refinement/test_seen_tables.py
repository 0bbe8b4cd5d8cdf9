"""A better lens from play, in one piece: rendered pictures, the eyes, the offer, a yes, and bases in better places."""

from tests.assistant.features.refinement.seen_tables import build_seen_table


def test_a_lens_that_is_offered_and_taken_puts_what_the_eyes_see_in_better_places() -> None:
    seen = build_seen_table(113)
    seen.watch(16)
    before_mm, expected_mm = seen.measure()[0], seen.expected_mm
    assert seen.ask()
    seen.use()
    seen.watch(1)
    after_mm = seen.measure()[0]
    assert before_mm > 0.8
    assert after_mm < 0.4 * before_mm
    assert seen.expected_mm < 0.5 * expected_mm
    assert len(seen.watch(1).poses) > 40  # nobody is lost over it
