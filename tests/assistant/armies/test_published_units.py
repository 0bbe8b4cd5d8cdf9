"""Published units: what open data say of bases and moves, whatever state they are in."""

import json
from pathlib import Path

import pytest

from assistant.armies import published_units
from assistant.armies.published_units import FLYING, HULL, STAND, PublishedUnits, find_published_units
from assistant.game.base_spec import BaseSpec
from tests.assistant.armies.published_bundle import BUNDLE

UNITS = PublishedUnits(BUNDLE)


@pytest.mark.parametrize(
    ("unit", "model", "base", "move", "note"),
    [
        ("Moss Guard", "Moss Guard", BaseSpec(round_mm=32), 6, ""),
        ("moss guards", "Guard", BaseSpec(round_mm=32), 6, ""),
        ("Lichen Watch", "Moss Sergeant", BaseSpec(oval_mm=(60, 35)), 7, ""),
        ("Heron's Eye Skiff [Legends]", "Skiff", BaseSpec(oval_mm=(90, 52)), 14, FLYING),
        ("Gnats", "Gnat", None, None, STAND),
        ("CRAWLER", "Crawler", None, None, HULL),
        ("Odd", "Odd", None, None, ""),
    ],
)
def test_a_unit_is_found_however_its_name_is_written(
    unit: str, model: str, base: BaseSpec | None, move: float | None, note: str
) -> None:
    found = UNITS.find(unit)
    assert found is not None
    stands = found.find_base(model)
    assert (stands.base, stands.note, found.find_move(model)) == (base, note, move)


def test_what_is_not_published_is_not_found() -> None:
    assert UNITS.find("Fern Riders") is None
    assert UNITS.find("") is None
    assert PublishedUnits({"units": None}).find("Moss Guard") is None


def test_the_data_serve_their_own_game_where_they_are_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "bundle.json"
    monkeypatch.setattr(published_units, "find_bundle", lambda: file)
    read = find_published_units.__wrapped__
    assert read("warhammer-40k-10e") is None  # of another version, which keeps them elsewhere
    file.write_text(json.dumps(BUNDLE))
    found = read("warhammer-40k-10e")
    assert found is not None
    assert found.find("Moss Guard") is not None
    assert read("warhammer-40k-5e") is None
    monkeypatch.setattr(published_units, "find_bundle", lambda: None)
    assert read("warhammer-40k-10e") is None
