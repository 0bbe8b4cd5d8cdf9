"""The demo of a hall against a real broker: its tables play, are gathered and stand on the desk, in one call."""

import threading
from pathlib import Path

import pytest

from assistant.hall import demo
from assistant.hall.broker import find_broker
from assistant.hall.desk import Desk
from assistant.recording.verification import verify
from tests.assistant.hall.running_hall import needs_broker
from tests.pages.waiting import wait_for


@needs_broker
def test_it_plays_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desks, stop = list[Desk](), threading.Event()
    begin = demo.begin_round

    def note(desk: Desk, folder: object) -> None:
        begin(desk, folder)  # type: ignore[arg-type]
        desks.append(desk)

    monkeypatch.setattr(demo, "begin_round", note)
    program = find_broker()
    thread = threading.Thread(target=demo.serve_demo, args=(tmp_path, program, stop), kwargs={"tables": 3})
    thread.start()
    try:
        desk = wait_for(lambda: desks[0] if desks else None)
        wait_for(lambda: all(tile.turn for tile in desk.build_view().tiles.values()))
        view = desk.build_view()
    finally:
        stop.set()
        thread.join()
    assert [tile.state for tile in view.tiles.values()] == ["connected"] * 3
    assert all(len(seat.players) == 2 for seat in view.seats.values())
    assert view.event["event"].round == 1
    for table in "123":
        (there,) = (tmp_path / "hall" / "recordings" / table).glob("*.overtable")
        assert verify(there).broken is None


def test_ports_that_are_free_are_found_apart() -> None:
    one, other = demo.find_free_ports()
    assert abs(one - other) >= 1
    assert demo.find_free_ports(taken={one, other}) != (one, other)
