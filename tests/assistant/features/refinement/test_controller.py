"""The offer of a better lens: made between moves where tags bear it out, written only on a yes, and replayed alike."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copy
from types import SimpleNamespace
from typing import cast

import pytest

from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP
from assistant.features.feature import Asker
from assistant.features.refinement.controller import RefinementController
from assistant.game.events import ModelPlaced
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import ObservationRow
from assistant.recording.journal.writer import Journal
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.web.commands.calibration import RefinementDecline, RefinementUse
from calibration.spaces import Lens
from tests.assistant.features.lens.test_controller import DeferredExecutor
from tests.assistant.features.refinement.seen_tables import work_out_offer
from tests.assistant.snapshot_script import SnapshotScript, build_game
from tests.calibration.table.random_games import draw_tags
from tests.calibration.table.random_tables import DrawnTable, LensKnown, View, draw_table
from vision.anchors.resting_tags import RestingStand, RestingTags
from vision.pipeline import Pipeline
from vision.types import CalibrationChange, ChangeKind


@dataclass
class LearningTable:
    """A table whose tags at rest tell of its lens."""

    offers: RefinementController
    session: GameSession
    script: SnapshotScript
    lenses: list[Lens]

    def follow(self) -> None:
        work_out_offer(self.offers, self.session)

    def use(self) -> None:
        self.offers.handle(RefinementUse(type="refinement-use"), Asker(session=self.session))

    def list_shown(self) -> list[tuple[str, bool]]:
        shown = [view.refinement["lens"] for view in self.offers.build_views(self.session)]
        return [(one.text, one.offered) for one in shown]


@pytest.fixture(scope="module")
def drawn() -> DrawnTable:
    """A table of which a game tells much: nothing was known of its lens."""
    return draw_table(0, LensKnown.NOT, View.LAID)


@pytest.fixture(scope="module")
def stand(drawn: DrawnTable) -> RestingStand:
    return RestingStand(camera=drawn.solve(drawn.lens), place=drawn.solve, tags=tuple(draw_tags(drawn, 60)))


def build_table(stand: RestingStand, path: Path | None, journal: Journal | None = None) -> LearningTable:
    lenses: list[Lens] = []
    eyes = SimpleNamespace(markers=SimpleNamespace(lens=None), camera=None, change_lens=lenses.append)
    session, script = GameSession(build_game(), journal), SnapshotScript()
    session.observe(script.take_snapshot())
    offers = RefinementController(
        setup=read_setup(path or SETUP), path=path, pipeline=cast("Pipeline", eyes), executor=DeferredExecutor()
    )
    offers._gathered = RestingTags(_fullest=stand)
    return LearningTable(offers=offers, session=session, script=script, lenses=lenses)


def slide(table: LearningTable, model: str, x_mm: float, y_mm: float) -> None:
    for snapshot in table.script.slide(model, x_mm, y_mm):
        table.session.observe(snapshot)


def test_a_better_lens_is_offered_in_millimetres_and_written_on_a_yes(stand: RestingStand, tmp_path: Path) -> None:
    path = Path(copy(SETUP, tmp_path / "table.toml"))
    table = build_table(stand, path)
    assert table.list_shown() == []
    table.follow()
    ((text, offered),) = table.list_shown()
    assert offered
    assert text.startswith("60 tags that lay still tell more of the lens: the largest error to expect on the table")
    assert "Tags that it was not made from fit within" in text
    assert list(tmp_path.iterdir()) == [path]
    table.use()
    written = tmp_path / "table-lens.json"
    assert json.loads(written.read_text())["matrix"][0][0] == table.lenses[0].parameters[0]
    assert read_setup(path).camera.lens == "table-lens.json"
    ((text, offered),) = table.list_shown()
    assert (text, offered) == (
        "The better lens is used from now on: table-lens.json, which table.toml names.",
        False,
    )
    with pytest.raises(BadInput, match="no better lens is offered"):
        table.use()


def test_nothing_is_offered_or_used_during_a_move(stand: RestingStand) -> None:
    table = build_table(stand, None)
    slide(table, "s1", 350, 320)
    table.follow()
    assert table.offers.offer is None
    table.session.accept()
    table.follow()
    assert table.list_shown()[0][1]
    table.session.declare(unit="scouts", action="normal")
    assert table.list_shown() == []
    with pytest.raises(BadInput, match="a move is under way"):
        table.use()
    assert table.lenses == []
    table.session.withdraw()
    table.use()
    assert len(table.lenses) == 1


def test_whoever_says_not_now_is_not_asked_again(stand: RestingStand) -> None:
    table = build_table(stand, None)
    table.follow()
    table.offers.handle(RefinementDecline(type="refinement-decline"), Asker(session=table.session))
    assert table.list_shown() == []
    table.offers._gathered = RestingTags(_fullest=replace(stand, tags=stand.tags * 2))
    table.follow()
    assert (table.list_shown(), table.lenses) == ([], [])


def test_models_get_their_places_anew_and_a_replay_says_the_same(stand: RestingStand, tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    changed = CalibrationChange(kind=ChangeKind.LENS_CHANGED, moved_mm=3.0, calibration_before="a", calibration="b")
    with Journal(path, about={}) as journal:
        table = build_table(stand, None, journal)
        slide(table, "s2", 320, 350)
        table.session.accept()
        slide(table, "w1", 900, 320)  # moved, and not accepted yet: that stays a move
        before = table.session.state
        # By the other lens all lie 0.3 mm elsewhere, which alone is no move.
        table.script.places = {model: (x + 0.3, y) for model, (x, y) in table.script.places.items()}
        table.session.observe(replace(table.script.take_snapshot(), changes=(changed,)))
        after = table.session.state
        assert after.tracks == before.tracks
        assert {model.id: model.pose.x_mm for _, model in after.iterate_models() if model.pose} == {
            model.id: model.pose.x_mm + (0.0 if model.id == "w1" else 0.3)
            for _, model in before.iterate_models()
            if model.pose
        }
        slide(table, "s1", 350, 320)
    whats = [entry.what for entry in read_entries(path)]
    placed = [what.model for what in whats if isinstance(what, ModelPlaced)]
    assert placed.count("s1") == 2
    assert placed.count("w1") == 1
    replayed = GameSession(build_game())
    for what in whats:
        replayed.apply_observation(what) if isinstance(what, ObservationRow) else replayed.record_event(what)
    assert replayed.state == table.session.state
    assert replayed.consult_referee().verdict == table.session.consult_referee().verdict
