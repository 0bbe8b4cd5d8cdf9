from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.setup.lighting import TableLighting, find_lighting_file, read_lighting, write_lighting

PLAYERS = ("Anna", "Ben", "Cleo", "Dora", "Emil")


def test_players_sit_around_the_table_unless_they_say_otherwise() -> None:
    lights = TableLighting(seats={"Ben": "left"})
    assert [lights.find_seat(player, PLAYERS) for player in PLAYERS] == ["near", "left", "left", "right", "near"]


def test_nobody_sits_who_does_not_play() -> None:
    lights = TableLighting().seat_players({"Ben": "near"}, PLAYERS)
    assert lights.seats == {"Ben": "near"}
    with pytest.raises(BadInput, match="'Zoe'.*Anna, Ben"):
        lights.seat_players({"Zoe": "far"}, PLAYERS)


def test_the_light_is_as_it_was_the_next_time(tmp_path: Path) -> None:
    setup = tmp_path / "club.toml"
    assert read_lighting(setup) == TableLighting()
    lights = TableLighting(brightness=0.4, line_width=2.0, hidden=("zone", "labels"), seats={"Ben": "left"})
    write_lighting(setup, lights)
    assert read_lighting(setup) == lights
    assert [path.name for path in tmp_path.iterdir()] == ["club.light.json"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('{"format": "overtable.light/1", "brightness": 0.1}', "brightness"),
        ('{"format": "overtable.light/1", "seats": {"Ben": "north"}}', "seats.Ben.*'near'"),
        ('{"format": "overtable.light/2"}', "format"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_the_place(tmp_path: Path, text: str, wrong: str) -> None:
    setup = tmp_path / "club.toml"
    find_lighting_file(setup).write_text(text)
    with pytest.raises(BadInput, match=f"club.light.json: {wrong}"):
        read_lighting(setup)
