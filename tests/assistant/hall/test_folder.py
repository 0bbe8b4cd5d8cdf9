"""The organiser's folder: who is let in, by what, and who is no longer; its certificates, and the sheets it prints."""

import json
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.hall.folder import HallFolder, make_hall, parse_judges, parse_names
from assistant.setup.hall_file import read_hall_file
from assistant.web.auth.devices import DeviceRegistry


@pytest.fixture
def folder(tmp_path: Path) -> HallFolder:
    made = make_hall(tmp_path / "cup", name='The "Autumn" Cup', addresses=("192.0.2.7",))
    made.add(tables=("1", "stream"), judges=("Ann", "Ben"))
    made.write()
    return made


def test_each_table_may_write_its_own_and_read_what_is_addressed_to_it(folder: HallFolder) -> None:
    settings = json.loads((folder.path / "broker.conf").read_text())
    hall, one, _ = settings["accounts"]["OVERTABLE"]["users"]
    assert "permissions" not in hall
    assert one["permissions"] == {
        "publish": {"allow": ["overtable.rows.1", "overtable.state.1"]},
        "subscribe": {"allow": ["overtable.orders.1", "_INBOX-table-1.>"]},
    }
    assert one["password"] == read_hall_file(folder.path / "tables" / "1.json").password
    for file in ("broker.conf", "broker.pem", "authority.pem", "event.json", "tables/1.json", "pairings.json"):
        assert (folder.path / file).stat().st_mode & 0o077 == 0


def test_who_is_added_or_withdrawn_changes_nothing_for_the_others(folder: HallFolder) -> None:
    before = HallFolder.open(folder.path).event
    folder.add(tables=("1", "2"), judges=("Ann", "Cem"))
    assert folder.withdraw("stream") == "table"
    assert folder.withdraw("Ben") == "judge"
    folder.write()
    after = HallFolder.open(folder.path).event
    assert after.table_names == ("1", "2")
    assert after.tables[0] == before.tables[0]
    assert after.judges[0] == before.judges[0]
    assert sorted(file.name for file in (folder.path / "tables").iterdir()) == ["1.json", "2.json"]
    with pytest.raises(BadInput, match="there is no table or judge 'Dee'; there are 1, 2, Ann, Cem"):
        folder.withdraw("Dee")


def test_a_judge_is_let_in_by_their_own_code_and_known_by_name(folder: HallFolder) -> None:
    devices = DeviceRegistry(state=folder.path)
    ann, ben = folder.event.judges
    joined = devices.join(ann.code, address="192.0.2.9").visitor
    assert (joined.role, joined.person) == ("judge", "Ann")
    other = devices.join(ann.code, address="192.0.2.10", token=joined.token).visitor  # a phone and a laptop
    assert devices.is_current(joined)
    devices.join(devices.get_code("viewer"), address="192.0.2.9", token=other.token)
    assert devices.is_current(joined)  # a code of one's own outlives that
    folder.withdraw("Ann")
    folder.write()
    assert not devices.is_current(joined)
    assert devices.join(ben.code, address="192.0.2.9").visitor.person == "Ben"


def test_names_that_are_none_are_refused() -> None:
    assert parse_names("2") == ("1", "2")
    assert parse_judges(" Ann  Lee, Ben,") == ("Ann Lee", "Ben")
    for wrong in ("", "0", "a,a", "a b", "x" * 40, "999"):
        with pytest.raises(BadInput, match="--tables"):
            parse_names(wrong)
    with pytest.raises(BadInput, match="named twice"):
        parse_judges("Ann,Ann")
