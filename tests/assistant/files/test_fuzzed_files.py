"""Whatever stands in a file, it is read or refused in one sentence; `make trial-security` reads a million."""

from collections import Counter

import pytest

from tests.assistant.armies.formats.test_battlescribe import XML
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


def test_a_list_of_a_thousand_leaders_is_read_as_soon_as_any() -> None:
    """It took two minutes: each leader looked through all units that others lead."""
    (loader,) = (each for each in LOADERS if each.name == "army.txt")
    toads = "Old Toad (80 pts)\n  • Long Tongue\n  • Leading: Moss Guard\n\n"
    guards = "Moss Guard (90 pts)\n  • 5x Guard\n\n"
    text = f"Moss (270 Points)\n\nCharacter:\n{toads * 1000}\nBattleline:\n{guards * 1000}"
    assert find_fault(loader.encode(text.encode())) == "read"


@pytest.mark.parametrize(
    "text",
    [
        XML.replace("UTF-8", "UTF" + "9" * 3000),
        XML.replace('"M">6"', '"M">' + "9" * 3000),
        XML.replace("20-30", "9" * 3000),
    ],
    ids=["an encoding", "a move", "a range"],
)
def test_what_is_long_in_a_roster_is_said_in_short(text: str) -> None:
    (loader,) = (each for each in LOADERS if each.name == "army.ros")
    assert find_fault(loader.encode(text.encode())) in ("read", "refused")
