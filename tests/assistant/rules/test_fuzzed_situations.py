"""Whatever a situation file holds, the answer is a value or one sentence; `make trial-rules` asks for zones, too."""

from collections import Counter

from tests.trials.fuzz import find_fault
from tests.trials.mutations import build_fuzzed
from tests.trials.questions import Fault

SEEDS = range(17, 60)


def test_what_nobody_would_set_up_is_answered_or_refused_in_one_sentence() -> None:
    found = {seed: find_fault(seed, build_fuzzed(seed), zones=False) for seed in SEEDS}
    assert not {seed: each.what for seed, each in found.items() if isinstance(each, Fault)}
    kinds = Counter(bool(each) for each in found.values())
    assert min(kinds[True], kinds[False]) > len(SEEDS) / 10, "some are answered and some refused"
