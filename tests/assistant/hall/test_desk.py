"""The desk: which tables need a judge, who looks after them, and what is ruled, without a broker."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.state import Ruling
from assistant.hall.desk import Desk
from assistant.hall.folder import make_hall
from assistant.hall.gatherer import GatheredTable
from assistant.hall.messages import Summons, TableState
from assistant.recording.journal.mirror import read_chained_rows
from assistant.web.commands.game import Withdraw
from assistant.web.commands.hall import HallAnswer, HallClaim, HallExtend, HallResult, HallRound, HallRule
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages.message import Message
from tests.assistant.hall.running_hall import PlayedTable
from tests.assistant.replay.sample_recording import RecordedTable

NOW_NS = 1_800_000_000_000_000_000


class Sat:
    """A desk at which two judges sit, over tables whose letters and rows a test writes."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 1000.0
        self.tables = {name: GatheredTable(table=name) for name in ("1", "2", "3")}
        made = make_hall(folder, name="Cup", addresses=("192.0.2.7",), rounds=2, minutes=100)
        made.add(tables=self.tables)
        made.write()
        self.folder, self.hub, self.refused = made, Hub(), list[str]()
        self.desk = self.open()

    def open(self) -> Desk:
        return Desk(
            self.folder,
            lambda: self.tables,
            clock_ns=lambda: NOW_NS + int(self.now_s * 1e9),
            clock_s=lambda: self.now_s,
        )

    def hear(self, table: str, **state: object) -> None:
        kept = self.tables[table]
        kept.heard_s = self.now_s
        kept.state = TableState.model_validate({"clock_ns": 1, "camera": "live", **state})

    def gather(self, table: str, path: Path) -> None:
        self.desk.take_rows(table, path, list(read_chained_rows(path, 0, 10**9)))

    def ask(self, message: Message, person: str = "Ann") -> str:
        """Return why it was refused; empty if it was done."""
        self.refused.clear()
        self.hub.submit(PageCommand(message=message, refuse=self.refused.append, role="judge", person=person))
        self.desk.obey_all(self.hub)
        self.desk.build_view()
        return self.refused[0] if self.refused else ""


@pytest.fixture
def sat(tmp_path: Path) -> Sat:
    return Sat(tmp_path / "cup")


def test_tables_come_by_who_needs_a_judge(sat: Sat) -> None:
    sat.hear("2", summons=Summons(about="Is this in range?", since_s=77))
    sat.hear("3", camera="lost", camera_text="The camera is unplugged.")
    view = sat.desk.build_view()
    assert sorted(view.tiles, key=lambda name: view.tiles[name].rank) == ["2", "3", "1"]
    assert (view.tiles["1"].state, view.tiles["2"].state) == ("new", "connected")
    assert view.tiles["3"].camera == "The camera is unplugged."
    (call,) = view.calls.values()
    assert (call.table, call.kind, call.text, call.can_rule) == ("2", "summons", "Is this in range?", False)
    sat.now_s += 60
    view = sat.desk.build_view()
    assert (view.tiles["2"].state, view.tiles["2"].away_s) == ("away", 60)
    sat.tables["3"].clock_off_s = -60.4
    assert "Its clock is 60 s behind." in sat.desk.build_view().tiles["3"].trouble


def test_two_judges_never_go_to_one_table(sat: Sat) -> None:
    sat.hear("2", summons=Summons(about="", since_s=77))
    (name,) = sat.desk.build_view().calls
    claim = HallClaim(type="hall-claim", call=name, claimed=True)
    assert sat.ask(claim) == ""
    assert sat.ask(claim, "Ben") == "Ann is on the way to table 2 already."
    sat.now_s += 30
    orders = sat.desk.write_orders("2")
    assert (orders.coming, orders.coming_s) == ("Ann", 30)
    assert sat.desk.write_orders("1").coming == ""
    sat.desk = sat.open()  # the hall killed and begun anew
    assert sat.desk.build_view().calls[name].claimed == "Ann"
    assert sat.ask(HallClaim(type="hall-claim", call=name, claimed=False), "Ben") == ""
    assert sat.ask(claim, "Ben") == ""
    assert sat.desk.write_orders("2").answered_s == 0
    assert sat.ask(HallAnswer(type="hall-answer", call=name), "Ben") == ""
    assert sat.desk.write_orders("2").answered_s == 77
    assert sat.desk.build_view().calls == {}
    assert sat.desk.write_orders("2").coming == ""
    assert sat.ask(HallAnswer(type="hall-answer", call=name)).startswith("This call is over")


def play_doubtful(path: Path) -> RecordedTable:
    """Push a walker so near to its ten inches that nobody can tell."""
    table = RecordedTable(path)
    table.do(lambda: table.session.declare(unit="walker", action="normal"))
    table.show(*table.script.slide("w1", 600 + 254.05, 320))
    return table


def test_a_doubtful_call_is_in_the_queue_with_its_figures_once_it_stands(sat: Sat, tmp_path: Path) -> None:
    table = play_doubtful(tmp_path / "game.overtable")
    sat.hear("1")
    sat.gather("1", table.path)
    assert sat.desk.build_view().calls == {}
    sat.now_s += 20
    (call,) = sat.desk.build_view().calls.values()
    assert (call.table, call.kind, call.can_rule) == ("1", "doubtful", True)
    assert call.margin_mm is not None
    assert abs(call.margin_mm) < 1
    tile = sat.desk.build_view().tiles["1"]
    assert (tile.rank, tile.outcome) == (1, "too-close")
    table.do(table.session.accept)
    sat.gather("1", table.path)
    assert sat.desk.build_view().calls == {}
    table.journal.close()


def test_a_ruling_from_the_desk_is_told_until_the_record_has_it_and_found_later(sat: Sat, tmp_path: Path) -> None:
    table = play_doubtful(tmp_path / "game.overtable")
    sat.gather("1", table.path)
    sat.ask(HallRound(type="hall-round", action="start"))
    sat.now_s += 20
    (name,) = sat.desk.build_view().calls
    ruled = HallRule(type="hall-rule", call=name, outcome="legal", note="The tape says so.")
    sat.ask(HallClaim(type="hall-claim", call=name, claimed=True), "Ben")
    assert sat.ask(ruled) == "Ben is on the way to table 1, and rules there."
    assert sat.ask(ruled.model_copy(update={"note": "  "}), "Ben") == "Say why, in a sentence."
    assert sat.ask(ruled, "Ben") == ""
    assert sat.desk.build_view().calls == {}
    (told,) = sat.desk.write_orders("1").rulings
    assert (told.judge, told.outcome, told.note) == ("Ben", "legal", "The tape says so.")
    at_ns = told.captured_ns
    table.do(
        lambda: table.session.make_ruling(
            Ruling(by="judge", outcome="legal", note="The tape says so.", at_ns=at_ns, judge="Ben")
        )
    )
    sat.gather("1", table.path)
    orders = sat.desk.write_orders("1")
    assert (orders.rulings, len(orders.recent)) == ((), 1)
    (found,) = sat.desk.find_rulings("Round 1 BEN tape")
    assert (found["table"], found["round"], found["judge"]) == ("1", 1, "Ben")
    assert sat.desk.find_rulings("round 2") == []
    table.journal.close()


def test_rounds_have_a_clock_that_tables_are_told(sat: Sat) -> None:
    assert sat.desk.write_orders("1").clock is None
    assert sat.ask(HallExtend(type="hall-extend", table="1", minutes=5)) == "No round has begun yet."
    assert sat.ask(HallRound(type="hall-round", action="start")) == ""
    sat.ask(HallExtend(type="hall-extend", table="1", minutes=5))
    sat.now_s += 85 * 60
    one, other = sat.desk.write_orders("1").clock, sat.desk.write_orders("2").clock
    assert one is not None
    assert other is not None
    assert (one.left_s, one.dice_down, other.left_s, other.dice_down) == (1200, False, 900, True)
    sat.ask(HallRound(type="hall-round", action="pause"))
    sat.now_s += 1000
    assert sat.desk.build_view().event["event"].left_s == 900
    assert sat.ask(HallRound(type="hall-round", action="start", round=3)) == "The event has 2 rounds."


def test_pairings_are_seated_and_results_written_down(sat: Sat) -> None:
    result = HallResult(type="hall-result", table="1", scores=[20, 3])
    assert sat.desk.pair("Table,Player 1,Player 2\n1,Cem,Dee\n", 1) == 1
    assert sat.desk.write_orders("1").players == ("Cem", "Dee")
    sat.ask(HallRound(type="hall-round", action="start"))
    assert sat.ask(result) == ""
    assert sat.ask(result.model_copy(update={"table": "2"})) == "Nobody is paired at table 2 in this round."
    assert sat.desk.build_view().seats["1"].scores == [20, 3]
    assert "1,1,Cem,20,Dee,3" in sat.desk.write_results()
    with pytest.raises(BadInput, match="line 2"):
        sat.desk.pair("Table,Player 1,Player 2\n9,Cem,Dee\n", 1)
    with pytest.raises(BadInput, match="the event has 2 rounds"):
        sat.desk.pair("Table,Player 1,Player 2\n1,Cem,Dee\n", 9)


def test_what_is_a_tables_is_refused(sat: Sat) -> None:
    assert sat.ask(Withdraw(type="withdraw")) == "This is for a table: it is done there."


def test_a_turn_that_is_taken_back_is_the_one_before_again(sat: Sat, tmp_path: Path) -> None:
    played = PlayedTable(tmp_path / "played.overtable")
    steps: list[Callable[[], None]] = [lambda: played.begin_turn("red"), lambda: played.begin_turn("blue")]
    for step in steps:
        step()
    sat.gather("3", played.path)
    assert sat.desk.build_view().tiles["3"].turn == 2
    played.undo()
    sat.gather("3", played.path)
    assert sat.desk.build_view().tiles["3"].turn == 1
    assert sat.desk.build_view().tiles["3"].clocks == {"red": 1, "blue": 1}
    played.journal.close()
