"""The wizard without a camera: what it keeps, what it says of each step, and which line it wants."""

import base64
import json
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from shapely import Point, Polygon

from assistant.errors import BadInput
from assistant.features.demo.catalogue import DEMOS, SETUP, read_demo
from assistant.features.demo.virtual_table import build_scene, build_virtual_table
from assistant.features.enrolment.laid_rings import LAID_SIGMA_MM, MIDDLE_SIGMA_MM
from assistant.features.feature import Asker, Moment
from assistant.features.wizard.chosen_game import read_game
from assistant.features.wizard.controller import Wizard, open_wizard
from assistant.features.wizard.markers import ROOF_MM, ROOF_SIGMA_MM
from assistant.features.wizard.sheets import make_sheet
from assistant.features.wizard.state import AnchorFit, LiveStatus, StepState, WizardFacts, judge_steps, list_hindrances
from assistant.game.situation_file import encode_situation
from assistant.hall.folder import make_hall
from assistant.recording.journal.writer import Journal
from assistant.setup.bases import RingedBase, TaggedBase, TagInBase
from assistant.setup.draft import SetupDraft, lay_out_anchors, read_draft_entries
from assistant.setup.editing import keep_enrolment, keep_hall
from assistant.setup.file import read_setup
from assistant.setup.hall_file import read_hall_file
from assistant.table.session import GameSession
from assistant.web.commands.setup import ArmiesEdit, ArmiesPaste, SetupGoOn, SetupHall, SetupLeaveHall
from hardware.camera.latest_frame_reader import SourceState
from hardware.frame import Frame
from tests.assistant.cli.command_runner import read_refusal, run_overtable

TABLE = {"width": "60", "depth": "44"}
GAME = {"game": "demo:warhammer-40k-10e"}
LIVE = LiveStatus(
    camera=SourceState.LIVE,
    in_view=6,
    fit=AnchorFit(id="c", off_mm=dict.fromkeys(range(580, 586), 0.1), rms_mm=0.1, centre_mm=0.1, worst_mm=0.2),
)


def read_states(wizard: Wizard) -> dict[str, StepState]:
    return {step.name: step.state for step in judge_steps(wizard.facts)}


def read_sentence(wizard: Wizard, name: str) -> str:
    return next(step.text for step in judge_steps(wizard.facts) if step.name == name)


def test_what_was_entered_is_there_again_and_a_set_up_as_soon_as_it_makes_one(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path / "club" / "table")
    wizard.enter({"source": "usb:0", "width": "6o"})
    assert read_states(wizard)["table"] == "bad"
    assert not wizard.path.exists()
    assert wizard.plan.kept_at is None
    again = open_wizard(wizard.folder)
    assert again.draft.entries == {"source": "usb:0", "width": "6o"}
    again.enter({**TABLE})
    assert read_states(again)["table"] == "good"
    assert read_setup(again.path).table.width_mm == 1524
    assert again.plan.kept_at == again.path


def test_another_line_is_wanted_just_when_it_would_be_another(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.note_started()
    for values, due in (
        ({"printed": "yes", "lens": "skip"}, False),
        ({"source": "virtual:"}, True),
        (TABLE, True),
        ({"projector": "none"}, False),
        (GAME, True),
        ({"x.580": "61"}, True),
    ):
        wizard.enter(values)
        assert wizard.due is due, values
        wizard.note_started()


def test_on_the_virtual_table_everything_lies_where_it_is_said_to(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE, **GAME, "lay.580": "near-left", "x.581": "1400"})
    plan = wizard.plan
    assert plan.on_table is not None
    scene = build_scene(plan.on_table, plan.state)
    assert [(a.tag, a.x_mm) for a in scene.anchors[:2]] == [(580, 25.0), (581, 1400.0)]
    assert len(scene.bases) == len(plan.setup.bases) == 25
    assert read_states(wizard)["check"] == "todo"  # a picture is to tell where the corner's anchor lies
    assert "told from a picture" in read_sentence(wizard, "check")
    assert [anchor.tag for anchor in plan.setup.anchors] == [581, 582, 583, 584, 585]


def test_where_anchors_lie_is_told_from_the_picture(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    corners = dict(zip((580, 581, 582, 583), ("near-left", "near-right", "far-right", "far-left"), strict=True))
    wizard.enter({"source": "virtual:", **TABLE, **{f"lay.{tag}": corner for tag, corner in corners.items()}})
    with pytest.raises(BadInput, match="there is no picture of the anchors yet"):
        wizard.measure()
    assert wizard.plan.on_table is not None
    image = build_virtual_table(wizard.plan.on_table, wizard.plan.state).render()
    wizard._frame = Frame(camera="virtual:", sequence=0, captured_ns=0, image=image)
    wizard.measure()
    assert wizard.facts.unplaced == ""
    assert read_setup(wizard.path).camera.table == "table.json"
    assert len(wizard.plan.setup.anchors) == 6
    wizard._frame = Frame(camera="virtual:", sequence=1, captured_ns=1, image=np.zeros_like(image))
    with pytest.raises(BadInput, match="none of the anchors is seen"):
        wizard.measure()
    wizard.enter({"width": "61"})
    assert "have changed since" in wizard.facts.unplaced


def test_markers_are_given_out_taken_to_be_in_place_and_measured(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE, **GAME, "anchors": "1,580-583", "tag_height": "5", "ruler": "98"})
    rings = [base for base in wizard.facts.given if isinstance(base, RingedBase)]
    assert [base.ring for base in rings] == sorted({base.ring for base in rings})
    assert {base.model: base.tag for base in wizard.facts.given if isinstance(base, TaggedBase)} == {
        "carrier-1": 2,
        "crawler-1": 3,
    }
    assert wizard.facts.enrolled == frozenset()
    assert read_states(wizard)["enrol"] == "todo"
    carrier = next(base for base in wizard.facts.given if base.model == "carrier-1")
    keep_enrolment(wizard.path, carrier.model_copy(update={"tag": 9, "tag_in_base": TagInBase(x_mm=4, sigma_mm=0.1)}))
    wizard._settle()
    assert wizard.facts.enrolled == {"carrier-1"}
    wizard.assume_middle()
    bases = {base.model: base for base in read_setup(wizard.path).bases}
    assert len(bases) == 25
    measured, glued, laid = bases["carrier-1"], bases["crawler-1"], bases["scouts-1"]
    assert isinstance(measured, TaggedBase)
    assert isinstance(glued, TaggedBase)
    assert isinstance(laid, RingedBase)
    assert (measured.tag, measured.tag_in_base.x_mm) == (9, 4)
    assert (glued.tag_in_base.sigma_mm, glued.height_mm, glued.height_sigma_mm) == (
        MIDDLE_SIGMA_MM,
        ROOF_MM,
        ROOF_SIGMA_MM,
    )
    assert (laid.ring_in_base.sigma_mm, laid.height_mm) == (LAID_SIGMA_MM, 5)
    assert read_states(wizard)["enrol"] == "weak"
    assert "1 of 25 are only known" in read_sentence(wizard, "enrol")


def test_what_lies_on_terrain_is_given_to_no_model_and_stays_in_the_set_up(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE, **GAME, "anchors": "580-583", "tag_height": "5", "ruler": "98"})
    mark = '[[terrain]]\npiece = "hill"\ntag = 1\nsize_mm = 24\nheight_mm = 38\n'
    wizard.path.write_text(f"{wizard.path.read_text()}\n{mark}")
    wizard.enter({"tag_height": "6"})
    wizard.assume_middle()
    setup = read_setup(wizard.path)
    assert [(each.piece, each.tag) for each in setup.terrain] == [("hill", 1)]
    assert [base.tag for base in setup.tagged_bases] == [2, 3]


def test_what_somebody_chooses_marks_the_bases_and_is_taken_back(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE, **GAME})
    assert read_sentence(wizard, "mark") == "Print 23 halos and 2 tags, and cut them out."
    wizard.assume_middle()
    before = {base.model: base for base in read_setup(wizard.path).bases}
    wizard.enter({"marker.round:50": "tag", "marker.roof rect:110x70": "rim", "high.roof rect:100x60": "62"})
    assert read_sentence(wizard, "mark") == "Print 21 halos, 1 rim and 3 tags, and cut them out."
    assert wizard.facts.enrolled == before.keys() - {"captain-1", "warlord-1", "carrier-1"}
    wizard.enter({"marker.round:50": "", "marker.roof rect:110x70": "anything", "marked": "yes"})
    assert {base.model: base for base in read_setup(wizard.path).bases} == before
    assert read_states(wizard)["mark"] == "good"
    with pytest.raises(BadInput, match="no entry 'marker.'"):
        wizard.enter({"marker.": "tag"})


def test_a_roof_is_as_high_as_it_is_said_to_be(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE, **GAME, "ruler": "98", "high.roof rect:100x60": "62"})
    wizard.assume_middle()
    bases = {base.model: base for base in read_setup(wizard.path).bases}
    crawler = bases["crawler-1"]
    assert isinstance(crawler, TaggedBase)
    assert (crawler.height_mm, crawler.size_mm) == (62, round(0.98 * 24, 2))
    wizard.enter({"high.roof rect:100x60": "-3"})
    assert "from 0 to 1000 mm, not -3" in wizard.reading.wrong["high.roof rect:100x60"]


def test_a_finer_camera_is_remembered_and_a_little_finer_one_is_the_same(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE, "game": "demo:warmaster-revolution"})
    assert {entry.chosen for entry in wizard.facts.marked} == {"halo"}
    for width, height, kinds in ((1920, 1080, {"halo"}), (3840, 2160, {"halo", "rim"}), (3840, 2100, {"halo", "rim"})):
        wizard._frame = Frame(camera="usb:0", sequence=0, captured_ns=0, image=np.zeros((height, width), np.uint8))
        wizard._follow_sight()
        assert {entry.chosen for entry in wizard.facts.marked} == kinds
    assert open_wizard(tmp_path).facts.sight == wizard.facts.sight
    assert wizard.draft.rooms["sight"] == [1.643, 3840]
    wizard.enter({"source": "usb:1"})
    assert {entry.chosen for entry in wizard.facts.marked} == {"halo"}


def test_of_a_ring_that_is_not_read_it_is_said_why(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE, **GAME})
    wizard.assume_middle()
    wizard.note_started()
    wizard._seen = replace(
        LIVE, models=wizard.facts.enrolled - {"scouts-1", "scouts-2"}, unread_px={"scouts-1": 1.6, "scouts-2": 2.4}
    )
    wizard._settle()
    assert read_sentence(wizard, "enrol") == "21 of 23 rings are read; the list says what to do about the others."
    first, second, third = wizard.build_view().setup["setup"].markers[:3]
    assert (first.model, first.read) == ("scouts-1", False)
    assert first.advice.startswith("Ring 1 is not read: 1.6 px a cell, 2 are needed: use ")
    assert second.advice.startswith("Ring 2 is not read, though 2.4 px a cell are enough: set it on the table")
    assert (third.read, third.advice) == (True, "")


def test_enrolments_of_models_that_do_not_play_wait_for_them(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE, **GAME})
    wizard.assume_middle()
    wizard.enter({"game": "demo:warmaster-revolution"})
    assert wizard.facts.enrolled == frozenset()
    assert read_setup(wizard.path).bases == ()
    assert len(open_wizard(tmp_path).draft.shelved) == 25
    wizard.enter(GAME)
    assert len(wizard.facts.enrolled) == 25


def test_what_the_virtual_tables_tags_are_is_not_taken_for_a_real_ones(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE, **GAME})
    assert len(read_setup(wizard.path).bases) == 25
    wizard.enter({"source": "usb:0"})
    assert wizard.facts.enrolled == frozenset()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"game": "demo:chess"}, "There is no game 'chess'"),
        ({"game_file": "/nowhere/game.json"}, "/nowhere/game.json: there is no such file"),
        ({"game": "demo:warhammer-40k-10e", "width": "72"}, "This game is for a table of 1524 x 1118 mm, but yours"),
    ],
)
def test_a_game_that_cannot_be_played_is_said_and_the_entry_stays(
    tmp_path: Path, values: dict[str, str], said: str
) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE})
    wizard.enter(values)
    assert read_states(wizard)["armies"] == "bad"
    assert said in read_sentence(wizard, "armies")
    wizard.enter({"game_file": str(DEMOS / "warhammer-40k-10e" / "situation.json"), **TABLE})
    assert read_states(wizard)["armies"] == "good"
    assert read_game(tmp_path, (1524.0, 1117.6)).table.depth_mm == 1117.6


def test_a_game_begins_when_nothing_hinders_it_and_is_ended_before_the_set_up_changes(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE, **GAME})
    with pytest.raises(BadInput, match="Camera: The camera is starting"):
        wizard.begin()
    assert wizard.plan.recording is None
    wizard.note_started()
    wizard._seen = LIVE
    wizard._settle()
    assert list_hindrances(wizard.facts) == ()
    wizard.begin()
    assert wizard.due
    assert wizard.plan.recording == wizard.recording
    assert wizard.recording is not None
    assert wizard.recording.parent == tmp_path / "games"
    with pytest.raises(BadInput, match="a game is being played: end it"):
        wizard.enter({"width": "72"})
    wizard.end()
    wizard.enter({"title": "Round 2"})
    assert wizard.plan.title == "Round 2"


def send_in_pieces(wizard: Wizard, name: str, data: bytes, piece: int = 900) -> None:
    """Load a file on the set-up page."""
    for at in range(0, len(data), piece):
        part, more = base64.b64encode(data[at : at + piece]).decode(), at + piece < len(data)
        command = SetupHall(type="setup-hall", name=name, at=at, data=part, more=more)
        wizard.handle(command, Asker(session=GameSession(wizard.plan.state)))
    while wizard._sheet is not None:
        wait([wizard._sheet[1]])
        wizard.take_sheet()


def test_a_tables_sheet_lets_it_belong_to_a_tournament_until_it_leaves(tmp_path: Path) -> None:
    hall = make_hall(tmp_path / "cup", name="Autumn Cup", addresses=("192.0.2.7",))
    hall.add(tables=("7", "8"))
    hall.write()
    seven, eight = ((hall.path / "tables" / f"{name}.json").read_bytes() for name in "78")
    wizard = open_wizard(tmp_path / "table")
    with pytest.raises(BadInput, match="the camera and the table come first"):
        send_in_pieces(wizard, "7.json", seven)
    wizard.enter({"source": "virtual:", **TABLE, **GAME})
    wizard.note_started()
    send_in_pieces(wizard, "7.json", b"dear table")
    assert wizard.build_view().setup["setup"].wrong["hall"] == "7.json: this is no picture that can be read."
    assert (wizard.due, wizard.plan.setup.hall) == (False, None)
    for data, table in ((seven, "7"), (eight, "8")):
        send_in_pieces(wizard, f"{table}.json", data)
        assert wizard.due, "another line is wanted, which tells the hall"
        wizard.note_started()
        shown = wizard.build_view().setup["setup"].tournament
        assert shown is not None
        assert "hall" not in wizard.build_view().setup["setup"].wrong
        assert (shown.event, shown.table) == ("Autumn Cup", table)
    assert wizard.plan.setup.hall is not None
    told = read_hall_file(wizard.path.parent / wizard.plan.setup.hall.file)
    assert told == read_hall_file(hall.path / "tables" / "8.json")
    assert (wizard.folder / "hall.json").stat().st_mode & 0o077 == 0
    again = open_wizard(wizard.folder)
    again.enter({"width": "72"})
    assert again.plan.setup.hall == wizard.plan.setup.hall, "what is entered leaves it alone"
    again.handle(SetupLeaveHall(type="setup-leave-hall"), Asker(session=GameSession(again.plan.state)))
    assert again.plan.setup.hall is None
    assert again.build_view().setup["setup"].tournament is None
    assert not (wizard.folder / "hall.json").exists()


def test_a_hall_that_cannot_be_used_is_said_and_the_table_plays(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE, **GAME})
    keep_hall(wizard.path, "lost.json")
    wizard._settle()
    assert wizard.plan.setup.hall is None
    assert "lost.json: there is no such file." in wizard.build_view().setup["setup"].wrong["hall"]
    wizard.recording = tmp_path / "game.overtable"
    with pytest.raises(BadInput, match="a game is being played: end it"):
        wizard.leave_hall()
    wizard.recording = None
    wizard.leave_hall()
    assert "hall" not in wizard.build_view().setup["setup"].wrong


def test_a_game_that_was_broken_off_is_gone_on_with(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE, **GAME})
    wizard.note_started()
    wizard._seen = LIVE
    wizard._settle()
    assert wizard.build_view().setup["setup"].earlier == []
    wizard.begin()
    path = wizard.recording
    assert path is not None
    situation = json.dumps(encode_situation(wizard.plan.state))
    with Journal(path, about={"title": "Sunday", "situation": situation}):
        pass
    with Journal(tmp_path / "games" / "other.overtable", about={"title": "another", "situation": "{}"}):
        pass
    (tmp_path / "games" / "broken.overtable").write_text("nothing")
    again = open_wizard(tmp_path)  # the program was killed, and is begun anew
    again.note_started()
    again._seen = LIVE
    again._settle()
    assert [game.title for game in again.build_view().setup["setup"].earlier] == ["Sunday"]
    with pytest.raises(BadInput, match=r"other\.overtable is no recording of the game that is chosen"):
        again.go_on(SetupGoOn(type="setup-go-on", recording="other.overtable"))
    again.go_on(SetupGoOn(type="setup-go-on", recording=path.name))
    assert again.due
    assert (again.plan.recording, again.plan.go_on) == (path, True)
    again.end()
    again.note_started()
    again._seen = LIVE
    again._settle()
    again.begin()
    assert again.plan.go_on is False
    assert again.plan.recording != path


def see(wizard: Wizard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the line begin, and the camera see all that is needed."""
    wizard.note_started()
    monkeypatch.setattr("assistant.features.wizard.controller.read_status", lambda *_: LIVE)
    wizard.follow(cast("Moment", SimpleNamespace(frame=None)))


@pytest.mark.parametrize("ended", [False, True])
def test_a_table_boots_into_the_game_that_nobody_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, ended: bool
) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE, **GAME})
    wizard.note_started()
    wizard._seen = LIVE
    wizard._settle()
    wizard.begin()
    path = wizard.recording
    assert path is not None
    with Journal(path, about={"title": "Sunday", "situation": json.dumps(encode_situation(wizard.plan.state))}):
        pass
    if ended:
        wizard.end()
    booted = open_wizard(tmp_path)
    booted.resume()
    assert booted.recording is None, "the camera sees nothing yet"
    see(booted, monkeypatch)
    assert booted.recording == (None if ended else path)
    assert booted.plan.go_on is not ended
    begun_anew = open_wizard(tmp_path)
    begun_anew.resume(at_once=True)
    assert begun_anew.recording == booted.recording, "what only broke off waits for nothing"
    quiet = open_wizard(tmp_path)
    see(quiet, monkeypatch)
    assert quiet.recording is None, "only where it is wanted"


def test_a_game_that_is_gone_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", **TABLE, **GAME})
    wizard.note_started()
    wizard._seen = LIVE
    wizard._settle()
    wizard.begin()  # and nothing was recorded
    booted = open_wizard(tmp_path)
    booted.resume()
    see(booted, monkeypatch)
    assert booted.recording is None
    assert "is not gone on with" in caplog.text
    see(booted, monkeypatch)
    assert caplog.text.count("is not gone on with") == 1


def test_a_lens_file_of_another_camera_is_left_aside_and_said(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "usb:0", **TABLE})
    wizard.path.write_text(wizard.path.read_text().replace('"usb:0"', '"usb:0"\nlens = "lens.json"'))
    (tmp_path / "lens.json").write_text("{}")
    wizard._settle()
    assert wizard.facts.lens == "lens.json"
    wizard.fail("lens.json was made with another camera", lens=True)
    assert wizard.due
    assert wizard.plan.setup.camera.lens is None
    assert (read_states(wizard)["lens"], wizard.facts.fault) == ("bad", "")
    wizard.enter({"source": "usb:1"})
    assert wizard.facts.lens == "lens.json"


@pytest.mark.parametrize(
    ("entries", "seen", "step", "state"),
    [
        ({"source": "usb:0"}, LiveStatus(), "camera", "todo"),
        ({"source": "usb:0"}, LiveStatus(camera=SourceState.LOST, text="it is not there"), "camera", "bad"),
        ({"source": "file:x"}, LiveStatus(camera=SourceState.ENDED), "camera", "weak"),
        ({"source": "usb:0"}, LIVE, "print", "todo"),
        ({"source": "usb:0", "printed": "yes"}, LIVE, "print", "good"),
        ({"source": "usb:0", "printed": "yes", "ruler": "98"}, LIVE, "print", "weak"),
        ({"source": "usb:0", "printed": "yes", "ruler": "90"}, LIVE, "print", "bad"),
        ({"source": "usb:0", **TABLE, "anchors": "580-582"}, LIVE, "table", "weak"),
        ({"source": "usb:0", **TABLE}, LIVE, "lens", "todo"),
        ({"source": "usb:0", **TABLE, "lens": "skip"}, LIVE, "lens", "good"),
        ({"source": "usb:0", "lens": "skip"}, LiveStatus(), "lens", "weak"),
        ({"source": "usb:0", **TABLE}, LIVE, "check", "good"),
        ({"source": "usb:0", **TABLE}, LiveStatus(camera=SourceState.LIVE, trouble="no anchor"), "check", "bad"),
        ({"source": "usb:0", **TABLE}, LiveStatus(camera=SourceState.LIVE, in_view=5, fit=LIVE.fit), "check", "weak"),
        ({"projector": "none"}, LIVE, "projector", "good"),
        ({"projector": "yes"}, LIVE, "projector", "weak"),
        ({}, LiveStatus(light_mm=0.4), "projector", "good"),
    ],
)
def test_each_step_says_how_far_it_is(entries: dict[str, str], seen: LiveStatus, step: str, state: StepState) -> None:
    facts = WizardFacts(draft=SetupDraft(entries=entries), reading=read_draft_entries(entries), seen=seen)
    found = next(found for found in judge_steps(facts) if found.name == step)
    assert found.state == state
    assert found.text.endswith((".", "…"))


def test_sheets_are_made_for_what_was_entered_and_kept(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    for name, lacking in (("anchors", "the table comes first"), ("tags", "the armies come first")):
        with pytest.raises(BadInput, match=lacking):
            make_sheet(wizard.facts, tmp_path, name, "a4")
    wizard.enter({"source": "usb:0", **TABLE, **GAME})
    for name in ("anchors", "board", "rings", "tags", "enrol"):
        assert make_sheet(wizard.facts, tmp_path, name, "letter") == (tmp_path / f"{name}-letter.pdf").read_bytes()
    with pytest.raises(BadInput, match="there is no paper 'a3'"):
        make_sheet(wizard.facts, tmp_path, "board", "a3")


def test_a_set_up_that_is_there_already_is_taken_up(tmp_path: Path) -> None:
    demo = read_demo("warhammer-40k-10e")
    text = SETUP.read_text().replace('"virtual:"', '"usb:0"')
    (tmp_path / "table.toml").write_text(text)
    keep_enrolment(tmp_path / "table.toml", demo.setup.bases[0])
    wizard = open_wizard(tmp_path)
    assert read_setup(tmp_path / "table.toml").anchors == demo.setup.anchors
    assert text.splitlines()[0] in (tmp_path / "table.toml").read_text()
    wizard.enter(GAME)
    assert wizard.facts.enrolled == {demo.setup.bases[0].model}


def test_a_folder_that_cannot_be_used_is_refused_before_any_page_opens(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "file: this folder cannot be made" in read_refusal(run_overtable("setup", tmp_path / "file", "--no-open"))
    (tmp_path / "draft.json").write_text(json.dumps({"format": "overtable.draft/2"}))
    line = read_refusal(run_overtable("setup", tmp_path, "--no-open"))
    assert "draft.json: format: expected 'overtable.draft/1'" in line
    assert "make one with: overtable setup" in read_refusal(run_overtable("run", "--no-open"))


def test_armies_that_were_entered_are_kept_and_played_with(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    with pytest.raises(BadInput, match="the table comes first"):
        wizard.compose()
    wizard.enter({"source": "virtual:", **TABLE})
    for force in wizard.armies.draft.forces:
        paste = ArmiesPaste(type="armies-paste", force=force.key, text='3 Scouts 32mm move 6"')
        wizard.armies.handle(paste, Asker(session=GameSession(wizard.plan.state)))
    again = open_wizard(tmp_path)
    assert again.armies.draft == wizard.armies.draft
    assert read_sentence(again, "armies").startswith("The armies are entered: choose a table below")
    again.compose()
    assert read_states(again)["armies"] == "good", read_sentence(again, "armies")
    more = ArmiesEdit(type="armies-edit", force="1", row=1, field="count", value="4")
    again.armies.handle(more, Asker(session=GameSession(again.plan.state)))
    assert read_sentence(again, "armies").startswith("The armies were changed: play with these armies anew")
    less = more.model_copy(update={"value": "3"})
    again.armies.handle(less, Asker(session=GameSession(again.plan.state)))
    assert read_states(again)["armies"] == "good"
    assert len(again.facts.enrolled) == 3 * len(again.armies.draft.forces)
    anchors = lay_out_anchors(again.reading.anchors, *again.reading.table_mm or (0, 0))
    tags = [anchor.square_mm[:, :2] for section in anchors if (anchor := section.placed_anchor) is not None]
    assert tags
    for _, model in again.plan.state.iterate_models():  # no model covers an anchor
        assert model.pose is not None
        base = Point(model.pose.x_mm, model.pose.y_mm).buffer(16)
        assert not any(base.intersects(Polygon(tag)) for tag in tags)


def test_armies_play_on_the_layout_that_was_chosen(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "virtual:", "width": "60", "depth": "44"})
    offered = {one.name for one in wizard.build_view().setup["setup"].layouts}
    assert {"crossed-streets", "old-ford"} <= offered
    assert "supply-yard" not in offered
    for force in wizard.armies.draft.forces:
        paste = ArmiesPaste(type="armies-paste", force=force.key, text='3 Scouts 32mm move 6"')
        wizard.armies.handle(paste, Asker(session=GameSession(wizard.plan.state)))
    wizard.enter({"layout": "crossed-streets"})
    wizard.compose()
    assert len(wizard.plan.state.objectives) == 5
    assert {zone.player for zone in wizard.plan.state.deployment} == {one.player for one in wizard.armies.draft.forces}
    wizard.enter({"layout": "old-ford"})  # the game follows at once
    assert "river-west" in {piece.id for piece in wizard.plan.state.terrain}
    wizard.enter({"layout": ""})
    assert wizard.plan.state.terrain == ()
    with pytest.raises(BadInput, match="is for a table of 1118 x 762 mm"):
        wizard.enter({"layout": "supply-yard"})
    with pytest.raises(BadInput, match="there is no layout"):
        wizard.enter({"layout": "../secret"})


def test_a_password_in_the_cameras_address_is_kept_and_shown_to_no_page(tmp_path: Path) -> None:
    wizard = open_wizard(tmp_path)
    wizard.enter({"source": "rtsp://me:hunter2@cam/one", **TABLE})
    told = wizard.build_view().model_dump_json()
    assert "hunter2" not in told
    assert wizard.build_view().setup["setup"].entries["source"] == "rtsp://me:***@cam/one"
    wizard.enter({"source": "rtsp://me:***@cam/one", "width": "72"})
    assert wizard.plan.setup.camera.source == "rtsp://me:hunter2@cam/one"
    assert read_setup(wizard.path).camera.source == "rtsp://me:hunter2@cam/one"
    wizard.facts = replace(wizard.facts, seen=LIVE)
    assert read_sentence(wizard, "camera") == "rtsp://me:***@cam/one sends pictures."
    with pytest.raises(BadInput, match="enter its address anew, with the password"):
        wizard.enter({"source": "rtsp://me:***@another/one"})
    assert wizard.plan.setup.camera.source == "rtsp://me:hunter2@cam/one"
