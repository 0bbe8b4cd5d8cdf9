"""Lasting pairings: kept over restarts, shared by programs, withdrawn, forgotten, and nobody's to read."""

import stat
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest

from assistant.web.auth.pairings import (
    FILE,
    FORGOTTEN,
    LONGEST_NAME,
    MOST_PAIRINGS,
    Pairings,
    describe_device,
    hash_token,
)


@dataclass
class Calendar:
    """Days that pass when told to."""

    today: date = date(2030, 1, 1)

    def __call__(self) -> date:
        return self.today


def test_a_device_stays_over_a_restart_and_what_it_carries_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "state" / FILE
    Pairings(path).add("carried", "judge", "Firefox on Android")
    found = Pairings(path).find("carried")
    assert found is not None
    assert (found.role, found.name) == ("judge", "Firefox on Android")
    assert Pairings(path).find("other") is None
    assert "carried" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_one_program_withdraws_the_others_see_at_once(tmp_path: Path) -> None:
    one, other = Pairings(tmp_path / FILE), Pairings(tmp_path / FILE)
    one.add("phone", "player", "A phone")
    other.add("tablet", "player", "A tablet")
    assert {each.name for each in one.list()} == {"A phone", "A tablet"}
    assert other.withdraw(lambda each: each.name == "A phone") == {hash_token("phone")}
    assert one.find("phone") is None
    assert one.find("tablet") is not None
    (tmp_path / FILE).unlink()
    assert one.list() == ()


def test_whoever_is_unseen_for_long_is_forgotten_and_whoever_comes_is_not(tmp_path: Path) -> None:
    calendar = Calendar()
    kept = Pairings(tmp_path / FILE, calendar)
    kept.add("comes", "player", "Comes")
    kept.add("stays away", "player", "Stays away")
    calendar.today += timedelta(days=1)
    assert kept.find("comes") is not None
    calendar.today += FORGOTTEN
    after = Pairings(tmp_path / FILE, calendar)
    assert [(each.name, each.seen) for each in after.list()] == [("Comes", date(2030, 1, 2))]


def test_a_crowd_of_players_pushes_out_none_but_players(tmp_path: Path) -> None:
    calendar = Calendar()
    kept = Pairings(tmp_path / FILE, calendar)
    kept.add("host", "host", "The host's phone")
    for number in range(MOST_PAIRINGS - 1):
        calendar.today += timedelta(days=number == 1)
        kept.add(f"{number}", "player", f"{number}")
    kept.add("one more", "player", "One more")
    assert len(kept.list()) == MOST_PAIRINGS
    assert kept.find("host") is not None
    assert kept.find("0") is None, "who was unseen for longest goes"
    assert all(kept.find(f"{number}") for number in range(1, MOST_PAIRINGS - 1))
    assert len(Pairings(tmp_path / FILE, calendar).list()) == MOST_PAIRINGS, "as many as the file may hold"


def test_a_crowd_of_devices_pushes_out_no_program(tmp_path: Path) -> None:
    calendar = Calendar()
    kept = Pairings(tmp_path / FILE, calendar)
    kept.add_program("lamp", "viewer", "Lamp", ("https://club.example",))
    calendar.today += timedelta(days=1)
    for number in range(MOST_PAIRINGS + 5):
        kept.add(f"{number}", "viewer", "A phone")
    found = Pairings(tmp_path / FILE, calendar).find("lamp")
    assert found is not None
    assert (found.program, found.origins) == (True, ("https://club.example",))


@pytest.mark.parametrize(
    "held",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"format": "overtable.pairings/2"}',
        b'{"pairings": [{"digest": "0", "role": "host", "name": "", "since": "2030-01-01", "seen": "2030-01-01"}]}',
    ],
)
def test_a_damaged_file_lets_nobody_in_and_is_said(
    tmp_path: Path, held: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_bytes(held)
    kept = Pairings(tmp_path / FILE)
    assert kept.list() == ()
    assert "have to join again" in caplog.text
    kept.add("new", "player", "New")
    assert [each.name for each in Pairings(tmp_path / FILE).list()] == ["New"]


def test_what_cannot_be_kept_holds_until_the_program_ends(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    kept = Pairings(tmp_path / "state" / FILE)
    kept.add("carried", "player", "Phone")
    assert "could not be kept" in caplog.text


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; CPU OS 19_0 like Mac OS X) AppleWebKit/605 Version/19 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/150.0 Safari/537.36 Edg/150.0", "Edge on Windows"),
        ("", "A device"),
    ],
)  # fmt: skip
def test_a_browser_is_named_as_people_name_it(said: str, name: str) -> None:
    assert describe_device(said) == name
    assert len(name) <= LONGEST_NAME
