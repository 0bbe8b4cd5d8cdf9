"""Formats: which one a file is of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.armies import formats
from assistant.armies.formats import find_army_format, list_army_formats, read_armies
from tests.brought_package import bring_package

CARDS = """
from assistant.armies.army import Army, ArmyUnit
from assistant.armies.formats.army_format import ArmyFormat, ArmyReading

def read(data, name, book):
    units = [ArmyUnit(name=card, base="32") for card in data.decode().split("|")[1:]]
    return ArmyReading(armies=(Army(player="Anna", units=tuple(units)),), remarks=("the joker: passed over",))

FORMAT = ArmyFormat(name={name!r}, read=read, suffixes={suffixes!r}, recognises=lambda data: data.startswith({start!r}))
"""


@pytest.fixture(autouse=True)
def _look_anew() -> Iterator[None]:
    list_army_formats.cache_clear()
    yield
    list_army_formats.cache_clear()


def test_what_no_format_claims_is_a_roster() -> None:
    assert [one.name for one in formats.DOOR.find()] == [
        "overtable.army/1",
        "battlescribe",
        "gw-app",
        "list-forge",
        "new-recruit-json",
        "new-recruit-simple",
        "roster",
        "rosterizer",
        "wtc-compact",
        "wtc-full",
    ]
    assert find_army_format("list.txt", b"5 Scouts 32") is None
    assert find_army_format("Red.TOML", b"") is not None


def test_a_format_of_another_package_has_its_files_by_ending_or_by_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = CARDS.format(name="cards", suffixes=(".cards", ".txt"), start=b"deck")
    bring_package(
        tmp_path, monkeypatch, "overtable-cards", {"overtable.army_formats": "x = cards_1:FORMAT"}, cards_1=text
    )
    for name, data in (("a.cards", b"|Queen"), ("a.toml", b"deck|Queen"), ("a.txt", b"|Queen")):
        path = tmp_path / name
        path.write_bytes(data)
        reading = read_armies(path, None)
        assert [unit.name for army in reading.armies for unit in army.units] == ["Queen"]
        assert reading.remarks == ("the joker: passed over",)


def test_of_two_formats_with_one_ending_the_one_that_recognises_the_content_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, start in (("hearts", b"H"), ("spades", b"S")):
        text = CARDS.format(name=name, suffixes=(".cards",), start=start)
        point = {"overtable.army_formats": f"x = {name}:FORMAT"}
        bring_package(tmp_path / name, monkeypatch, f"overtable-{name}", point, **{name: text})
    formats = [find_army_format("a.cards", data) for data in (b"H|Queen", b"S|Queen", b"|Queen")]
    assert [one.name for one in formats if one] == ["hearts", "spades", "hearts"]
