"""Whatever a page says, it is obeyed or refused in one sentence; `make trial-security` says far more."""

from collections import Counter

from tests.trials.messages import SAID_IN_A_ROW, build_chain, find_fault
from tests.trials.questions import Fault

SEEDS = range(20)


def test_what_no_page_says_is_obeyed_or_refused_in_one_sentence() -> None:
    kinds: Counter[str] = Counter()
    for seed in SEEDS:
        found = find_fault(build_chain(seed))
        assert not isinstance(found, Fault), f"seed {seed}: {found.what}"
        kinds.update(found)
    assert kinds.total() == len(SEEDS) * SAID_IN_A_ROW
    assert min(kinds["obeyed"], kinds["refused"]) > kinds.total() / 20, "some are obeyed and some refused"
