"""`overtable token`: made once, listed without it, withdrawn at once, and refused in one sentence."""

from pathlib import Path

import platformdirs
import pytest

from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.pairings import FILE, LONGEST_NAME, MOST_PROGRAMS, Pairings
from tests.assistant.cli.command_runner import read_refusal, run_overtable


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return platformdirs.user_state_path("overtable")


def test_it_is_made_used_listed_and_withdrawn(state: Path) -> None:
    table = DeviceRegistry(state=state)
    made = run_overtable("token", "make", "Lamps", "--role", "judge", "--origin", "HTTPS://Club.example/").out.strip()
    found = table.find_program(made)
    assert (found.role, found.origins) == ("judge", ("https://club.example",))
    assert made not in (state / FILE).read_text()
    listed = run_overtable("token", "list", "--json").document["tokens"]
    assert [(each["name"], each["role"], each["origins"]) for each in listed] == [
        ("Lamps", "judge", ["https://club.example"])
    ]
    assert made not in run_overtable("token", "list").out
    assert "Lamps" in run_overtable("token", "list").out
    assert run_overtable("token", "withdraw", listed[0]["id"]).out == "It is withdrawn.\n"
    assert table.find_program(made).role is None
    assert run_overtable("token", "list").out == "No program has a token.\n"


def test_one_that_may_do_nothing_but_look_is_made_unless_more_is_asked_for(state: Path) -> None:
    made = run_overtable("token", "make", "Site", "--json").document
    assert (made["role"], made["origins"]) == ("viewer", [])
    assert DeviceRegistry(state=state).find_program(made["token"]).role == "viewer"


def test_it_is_no_device_and_a_device_no_program(state: Path) -> None:
    made = run_overtable("token", "make", "Site").out.strip()
    table = DeviceRegistry(state=state)
    assert table.find_visitor(made).role is None
    phone = table.join(table.get_code("player"), address="192.0.2.9", stays_as="A phone").visitor
    assert table.find_program(phone.token).role is None
    run_overtable("token", "withdraw", Pairings(state / FILE).list()[0].id)
    assert table.find_visitor(phone.token) == phone, "the command withdraws no devices"
    assert table.count_devices("viewer") == 0, "and a program is counted among none"


def test_neither_a_new_password_nor_sending_devices_away_withdraws_it(state: Path) -> None:
    made = run_overtable("token", "make", "Site", "--role", "host").out.strip()
    run_overtable("password", "remove")
    table = DeviceRegistry(state=state)
    table.dismiss_devices("host")
    assert table.find_program(made).role == "host"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("make", " "), "expected 1 to 60 letters"),
        (("make", "x" * (LONGEST_NAME + 1)), "expected 1 to 60 letters"),
        (("make", "Site", "--origin", "https://club.example/page"), "expected how a browser names a web site"),
        (("make", "Site", "--origin", "*"), "expected how a browser names a web site"),
        (("make", "Site", *(f"--origin=http://{n}.example" for n in range(9))), "expected at most 8"),
        (("withdraw", "0123456789ab"), "no program has the id '0123456789ab'"),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in read_refusal(run_overtable("token", *words))


def test_too_many_are_refused_and_the_earlier_ones_stay(state: Path) -> None:
    kept = Pairings(state / FILE)
    for number in range(MOST_PROGRAMS):
        kept.add_program(f"{number}", "viewer", f"{number}")
    assert "withdraw one" in read_refusal(run_overtable("token", "make", "One more"))
    assert kept.find("0") is not None


def test_one_that_cannot_be_kept_is_not_handed_out(state: Path) -> None:
    state.write_text("a file where the folder should be")
    assert "cannot be kept" in read_refusal(run_overtable("token", "make", "Site"))
