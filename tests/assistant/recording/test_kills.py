"""A game that is killed loses nothing that pages were shown, and goes on; `make trial-kills` kills ten thousand."""

import subprocess
import sys
from collections import Counter

SEEDS = 7
RUN = f"""
from tests.trials.kills import try_kills
for seed in range({SEEDS}):
    print(*try_kills(seed), sep="\\n")
"""
"""In a process without threads, for it forks."""


def test_a_game_that_is_killed_at_any_moment_loses_nothing_that_was_shown_and_goes_on() -> None:
    said = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True).stdout.splitlines()
    opened = ("opened in 100 ms", "opened later")
    assert Counter("opened" if each in opened else each for each in said) == {"killed": 3 * SEEDS, "opened": 3 * SEEDS}
