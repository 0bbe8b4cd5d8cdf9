"""Lists that people shared: units, counts, moves and bases; skipped where the lists or the open data are not there."""

import importlib.util
from collections.abc import Iterator

import pytest

from assistant.armies.published_units import find_published_units
from assistant.files import open_bundle
from tests.assistant.armies.shared_rosters import read_conformance_lists, read_list
from tests.shared_pictures import find_shared_folder

LEAST_BASED = 2 / 3
"""Of the units of a real roster."""


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The open data, where they are installed."""
    if importlib.util.find_spec("wh40kdc") is None:
        pytest.skip('needs the extra: pip install "overtable[40k]"')
    monkeypatch.setattr(open_bundle, "PACKAGE", "wh40kdc")
    find_published_units.cache_clear()
    yield
    find_published_units.cache_clear()


def test_every_unit_of_the_lists_that_people_shared_is_read_in_each_format() -> None:
    lists = list(read_conformance_lists(find_shared_folder("rosters/conformance"), published=False))
    assert {one.path.name: one.named for one in lists if one.named != one.expected} == {}
    assert len(lists) >= 7


@pytest.mark.usefixtures("published")
def test_bases_and_moves_of_every_unit_are_published() -> None:
    for one in read_conformance_lists(find_shared_folder("rosters/conformance"), published=True):
        assert (one.based, one.moving) == (len(one.units), len(one.units)), one.path


@pytest.mark.parametrize(
    ("name", "units", "models"),
    [
        ("ultramarines-10e.rosz", 10, 22),
        ("dark-angels-9e.rosz", 4, 17),
        ("mesbg-mordor.rosz", 13, 41),
        ("rockgrinder.ros", 1, 1),
    ],
)
def test_rosters_name_every_unit_and_how_far_it_moves(name: str, units: int, models: int) -> None:
    one = read_list(find_shared_folder("rosters/battlescribe") / name, published=False)
    assert (len(one.units), sum(count for _, count in one.named), one.moving) == (units, models, units)


@pytest.mark.usefixtures("published")
def test_most_bases_of_a_roster_are_published() -> None:
    one = read_list(find_shared_folder("rosters/battlescribe") / "ultramarines-10e.rosz", published=True)
    assert one.based >= LEAST_BASED * len(one.units)
