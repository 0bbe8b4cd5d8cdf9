"""What must hold among the referee's answers to random situations: of each relation the first seeds, small ones.

`make trial-rules` runs thousands of each.  A failure names the trial and the seed: ``make trial-rules ONLY=turn SEED=7
COUNT=1 OUT=found`` writes that one's situation, as small as it could be made.
"""

import pytest

from tests.trials.situations import SMALL
from tests.trials.trial import Contradiction, load_trials

_TRIALS = load_trials()
_FIRST = SMALL // 2
_FEWER = {"zone-keep": 20, "zone-turn": 10, "zone-longer": 10, "zone-alone": 20, "zone-unit": 10, "zone-any": 2}
"""Zones take longest."""
_NAMES = [
    *("turn", "mirror", "shift", "rename", "reorder", "far", "longer", "unseen", "seen", "resample", "again"),
    *("options", *_FEWER),
]


@pytest.mark.parametrize("name", _NAMES)
def test_nothing_contradicts_itself(name: str) -> None:
    found = [
        f"seed {seed}: {each.kind}: {each.what}"
        for seed in range(_FEWER.get(name, _FIRST))
        for each in _TRIALS[name](seed)
        if isinstance(each, Contradiction)
    ]
    assert not found, "\n".join(found)
