"""The live way to an enrolment, on the demo's table, where a helper does what a person does."""

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.enrolment.controller import EnrolmentController
from assistant.features.enrolment.laid_rings import LAID_SIGMA_MM
from assistant.features.enrolment.state import EnrolmentStep
from assistant.features.enrolment.virtual_hands import EnrolmentHands
from assistant.features.feature import Asker
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import RingedBase
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.setup import Enrol
from hardware.camera.frame_source import PlaybackPace
from hardware.camera.virtual import VirtualCamera
from hardware.simulation.virtual_table import VirtualTable
from tests.assistant.features.demo.tagged_demo import read_tagged_demo
from vision.markers import Markers
from vision.pipeline import Pipeline

DEMO = read_tagged_demo("warhammer-40k-10e")
MODEL = "captain-1"
SMALL = DEMO.setup.model_copy(update={"bases": tuple(b for b in DEMO.setup.bases if b.model in {MODEL, "scouts-1"})})
RATE = 5.0
LONGEST_S = 30


class EnrolmentPlay:
    """The demo's table, its camera, the line behind it, and its enrolment."""

    def __init__(self, table: VirtualTable, path: Path | None = None) -> None:
        self.table = table
        self.camera = VirtualCamera(table, fps=RATE, pace=PlaybackPace.FREE)
        pipeline = Pipeline(markers=Markers(anchors=SMALL.anchor_tags, bases=SMALL.enrolled_bases, lens=None))
        hands = EnrolmentHands(table, SMALL)
        self.enrolment = EnrolmentController(setup=SMALL, path=path, pipeline=pipeline, hands=hands)
        self.steps: list[EnrolmentStep] = []
        self.session = GameSession(DEMO.state, solve_zone=skip_zone)

    def take_frame(self) -> None:
        """Deal with one more picture."""
        frame = self.camera.read()
        snapshot = self.enrolment.pipeline.step(frame)
        self.enrolment.see(frame)
        self.session.observe(self.enrolment.filter_poses(snapshot))
        state = self.enrolment.state
        if state is not None and self.steps[-1:] != [state.step]:
            self.steps.append(state.step)

    def play(self, model: str, way: str) -> None:
        """Enrol a model until nothing would make it surer."""
        order = Enrol.model_validate(
            {"type": "enrol", "model": model, "way": way, "height_mm": 4 if way == "turn" else None}
        )
        self.enrolment.begin(order, Asker(session=self.session))
        for _ in range(round(LONGEST_S * RATE)):
            self.take_frame()
            if self.steps[-1] is EnrolmentStep.FRONT:
                with suppress(BadInput):  # it has not been seen at rest
                    self.enrolment.confirm_front()
            result = self.enrolment.state.result if self.enrolment.state else None
            if result is not None and not result.advice:
                return
        raise AssertionError(self.enrolment.state)


@pytest.fixture(scope="module")
def table() -> VirtualTable:
    return build_virtual_table(SMALL, DEMO.state)


def check(play: EnrolmentPlay) -> None:
    shown = play.enrolment.build_view(DEMO.state).enrolling["enrolling"]
    assert shown.found is not None
    truth = next(base for base in SMALL.tagged_bases if base.model == shown.model)
    assert shown.found.tag == truth.tag
    assert math.hypot(shown.found.x_mm - truth.tag_in_base.x_mm, shown.found.y_mm) < 0.3
    assert abs(shown.found.facing_deg) < 1
    assert abs(shown.found.height_mm - truth.height_mm) < 3 * shown.found.height_sigma_mm


def test_a_model_is_led_through_the_ring_and_kept(table: VirtualTable, tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    path.write_text(SETUP.read_text())
    play = EnrolmentPlay(table, path)
    before = table.get_placements()
    play.play(MODEL, "sheet")
    check(play)
    assert [s for s in play.steps if s is not EnrolmentStep.SHEET][:3] == [
        EnrolmentStep.MODEL,
        EnrolmentStep.HAND,
        EnrolmentStep.MEASURED,
    ]
    assert play.steps.count(EnrolmentStep.MEASURED) == 2
    state = play.enrolment.state
    assert state is not None
    assert len(state.places) == 2
    play.enrolment.keep()
    (kept,) = [base for base in read_setup(path).tagged_bases if base.model == MODEL]
    assert kept.tag_in_base.sigma_mm > 0
    assert play.enrolment.pipeline.markers.bases[kept.tag].offset_sigma_mm == kept.tag_in_base.sigma_mm
    assert table.get_placements() == before
    view = play.enrolment.build_view(DEMO.state)
    assert view.enrolling["enrolling"].kept
    tag = view.enrolled[MODEL].tag
    assert tag is not None
    assert tag.sigma_mm == kept.tag_in_base.sigma_mm
    play.enrolment.stop()
    for _ in range(44):  # what was put back is found within a second, and vouched for soon after
        play.take_frame()
    assert play.session.poses[MODEL].state == "seen"
    assert play.session.state.tracks == {}  # the game has seen nothing of all this


def test_a_model_is_led_through_a_turn(table: VirtualTable) -> None:
    play = EnrolmentPlay(table)
    before = table.get_placements()
    play.play(MODEL, "turn")
    check(play)
    assert play.steps == [EnrolmentStep.FRONT, EnrolmentStep.TURNING, EnrolmentStep.MEASURED]
    play.enrolment.restart()
    assert play.enrolment.state is not None
    assert play.enrolment.state.result is None
    play.enrolment.stop()
    assert table.get_placements() == before
    assert play.enrolment.build_view(DEMO.state).enrolling == {}


def test_a_ring_is_taken_by_showing_it(tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    path.write_text(SETUP.read_text())
    models = [model for _, model in DEMO.state.iterate_models() if model.id in {MODEL, "warlord-1"}]
    given = [
        RingedBase(ring=ring, ring_kind="halo", model=model.id, base=BaseSpec.from_shape(model.base), height_mm=4.0)
        for ring, model in zip((17, 40), models, strict=True)
    ]
    laid = SMALL.model_copy(update={"bases": tuple(given)})
    play = EnrolmentPlay(build_virtual_table(laid, DEMO.state), path)
    enrolment, asker = play.enrolment, Asker(session=play.session)
    enrolment.hands = None
    enrolment.setup = read_setup(path)
    enrolment.begin(Enrol(type="enrol", model=MODEL, way="halo"), asker)
    for _ in range(7):
        play.take_frame()
    assert enrolment.state is not None
    assert enrolment.state.note == "ring 17 and ring 40 are both in view and nobody's yet: leave one of them"
    with pytest.raises(BadInput, match="captain-1 is not measured yet"):
        enrolment.keep()
    enrolment.setup = laid.model_copy(update={"bases": (given[1],)})
    for _ in range(7):
        play.take_frame()
    shown = enrolment.build_view(DEMO.state).enrolling["enrolling"]
    assert (shown.step, shown.ring and shown.ring.ring, shown.found) == ("measured", 17, None)
    assert "needs no measuring" in shown.advice
    enrolment.keep()
    (kept,) = read_setup(path).bases
    assert isinstance(kept, RingedBase)
    assert (kept.ring, kept.ring_kind, kept.ring_in_base.sigma_mm) == (17, "halo", LAID_SIGMA_MM)
    assert enrolment.pipeline.markers.bases[kept.marker].offset_sigma_mm == LAID_SIGMA_MM
    ring = enrolment.build_view(DEMO.state).enrolled[MODEL].ring
    assert ring is not None
    assert ring.ring == 17
    with pytest.raises(BadInput, match="nobody: .* has no room"):
        enrolment.begin(Enrol(type="enrol", model="nobody", way="rim", base="round:4"), asker)


def test_what_is_not_known_is_asked_for(table: VirtualTable) -> None:
    play = EnrolmentPlay(table)
    enrolment, asker = play.enrolment, Asker(session=play.session)
    with pytest.raises(BadInput, match="no model is being enrolled"):
        enrolment.keep()
    with pytest.raises(BadInput, match="say what base nobody has"):
        enrolment.begin(Enrol(type="enrol", model="nobody", way="sheet"), asker)
    with pytest.raises(BadInput, match="base 'x': expected round:DIAMETER"):
        enrolment.begin(Enrol(type="enrol", model="nobody", way="sheet", base="x"), asker)
    enrolment.begin(Enrol(type="enrol", model="nobody", way="sheet", base="rect:25x50"), asker)
    assert enrolment.state is not None
    assert enrolment.state.base.rect_mm == (25, 50)
    with pytest.raises(BadInput, match="there is no model to be turned now"):
        enrolment.confirm_front()
    with pytest.raises(BadInput, match="nobody is not measured yet"):
        enrolment.keep()
    enrolment.setup = enrolment.setup.model_copy(update={"bases": ()})
    with pytest.raises(BadInput, match="say how large the tag of captain-1 is"):
        enrolment.begin(Enrol(type="enrol", model=MODEL, way="sheet"), asker)


def test_another_models_tag_in_the_ring_is_said(table: VirtualTable) -> None:
    play = EnrolmentPlay(table)
    enrolment, asker = play.enrolment, Asker(session=play.session)
    enrolment.begin(Enrol(type="enrol", model=MODEL, way="sheet"), asker)
    assert enrolment.state is not None
    enrolment.state = replace(enrolment.state, model="scouts-1")
    for _ in range(60):
        play.take_frame()
        if enrolment.state.note:
            break
    assert enrolment.state.note == "tag 7 on the sheet is that of captain-1"
    assert enrolment.state.result is None
    enrolment.stop()
