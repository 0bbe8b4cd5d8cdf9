"""Whatever stands in a file, it is read or refused in one sentence; `make trial-security` reads a million."""

from collections import Counter

from tests.trials.loaders import LOADERS, build_mutated, find_fault, list_seeds
from tests.trials.questions import Fault

SEEDS = range(1, 1761)


def test_what_no_program_wrote_is_read_or_refused_in_one_sentence() -> None:
    found = {seed: find_fault(build_mutated(seed)) for seed in SEEDS}
    assert not {seed: each.what for seed, each in found.items() if isinstance(each, Fault)}
    kinds = Counter(found.values())
    assert min(kinds["read"], kinds["refused"]) > len(SEEDS) / 10, "some are read and some refused"


def test_what_is_mutated_is_read_before() -> None:
    for loader in LOADERS:
        assert {find_fault(loader.encode(data)) for data in list_seeds(loader)} <= {"read", "refused"}, loader.name
        assert "read" in {find_fault(loader.encode(data)) for data in list_seeds(loader)}, loader.name
