from itertools import product

import pytest

from assistant.rules.books.warmaster_revolution.three_valued_logic import (
    Answer,
    is_any,
    is_every,
    is_margin_kept,
    negate,
)


@pytest.mark.parametrize(
    ("margin_mm", "sigma_mm", "answer"),
    [(0.0, 0.0, True), (-0.1, 0.0, False), (0.1, 0.1, None), (-0.2, 0.1, None), (0.3, 0.1, True), (-0.3, 0.1, False)],
)
def test_a_margin(margin_mm: float, sigma_mm: float, answer: Answer) -> None:
    assert is_margin_kept(margin_mm, sigma_mm) is answer


def test_what_is_open_is_so_only_where_it_decides() -> None:
    for answers in product((True, None, False), repeat=3):
        settled = [[one if one is not None else guess for one in answers] for guess in (True, False)]
        for combined, plain in ((is_any, any), (is_every, all)):
            outcomes = {plain(one) for one in settled}
            assert combined(answers) is (outcomes.pop() if len(outcomes) == 1 else None)
    assert is_any([]) is False
    assert is_every([]) is True
    assert [negate(answer) for answer in (True, None, False)] == [False, None, True]
