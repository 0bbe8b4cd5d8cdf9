"""A tray of models on the demo's table: what lies there is read, proposed, corrected and kept at once."""

from pathlib import Path

import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP, Demo, glue_tag
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.enrolment.controller import EnrolmentController
from assistant.features.enrolment.laid_rings import LAID_SIGMA_MM, MIDDLE_SIGMA_MM
from assistant.features.enrolment.tray import TrayMarker, order_by_place
from assistant.features.feature import Asker
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import BaseSection, RingedBase, TaggedBase
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.setup import Enrol, EnrolGive, EnrolTray
from assistant.web.messages.setup import TrayView
from hardware.camera.frame_source import PlaybackPace
from hardware.camera.virtual import VirtualCamera
from tests.assistant.features.demo.tagged_demo import read_tagged_demo
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.types import TagDetection

DEMO: Demo = read_tagged_demo("warhammer-40k-10e")
MODELS = {model.id: model for _, model in DEMO.state.iterate_models()}
SCOUTS = tuple(model for model in MODELS if model.startswith("scouts"))
UNIT = next(unit.id for unit in DEMO.state.units if unit.models[0].id == SCOUTS[0])


class Tray:
    """A table on which bases lie that a set-up does not know yet, but for some."""

    def __init__(self, path: Path, laid: list[BaseSection], known: tuple[BaseSection, ...] = ()) -> None:
        path.write_text(SETUP.read_text())
        setup = DEMO.setup.model_copy(update={"bases": tuple(laid)})
        self.table = build_virtual_table(setup, DEMO.state)
        self.camera = VirtualCamera(self.table, fps=5.0, pace=PlaybackPace.FREE)
        pipeline = Pipeline(markers=Markers(anchors=setup.anchor_tags, bases={}, lens=None))
        given = setup.model_copy(update={"bases": known})
        self.enrolment = EnrolmentController(setup=given, path=path, pipeline=pipeline)
        self.asker = Asker(session=GameSession(DEMO.state, solve_zone=skip_zone))

    def begin(self, way: str, unit: str | None = UNIT, size_mm: float | None = None) -> None:
        order = {"type": "enrol-tray", "way": way, "unit": unit, "size_mm": size_mm}
        self.enrolment.begin_tray(EnrolTray.model_validate(order), self.asker)

    def read(self) -> TrayView:
        """Take pictures until the tray is read."""
        for _ in range(40):
            frame = self.camera.read()
            self.enrolment.pipeline.step(frame)
            self.enrolment.see(frame)
            shown = self.enrolment.build_view(DEMO.state).tray["tray"]
            if shown.read:
                return shown
        raise AssertionError(self.enrolment.tray)

    def give(self, marker: int, model: str | None) -> dict[str, str | None]:
        self.enrolment.give(EnrolGive(type="enrol-give", marker=marker, model=model))
        return get_given(self.enrolment.build_view(DEMO.state).tray["tray"])


def get_given(shown: TrayView) -> dict[str, str | None]:
    return {marker.name: marker.model for marker in shown.markers}


def glue(tag: int, model: str, size_mm: float | None = None) -> TaggedBase:
    usual = glue_tag(tag, MODELS[model])
    return usual if size_mm is None else glue_tag(tag, MODELS[model], size_mm)


def test_tags_are_read_corrected_and_kept_at_once(tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    captain = glue(7, "captain-1")
    laid = [glue(20 + number, model) for number, model in enumerate(SCOUTS[:4])]
    tray = Tray(path, [captain, *laid], known=(captain,))
    tray.begin("tag", size_mm=laid[0].size_mm)
    shown = tray.read()
    assert shown.note == "tag 7 is that of captain-1 already: nothing changes there"
    assert len(shown.markers) == 4
    assert [marker.model for marker in shown.markers] == list(SCOUTS[:4])  # in the order in which they lie
    placed = tray.table.get_placements()
    lie = [TrayMarker(marker=b.tag, x_mm=placed[b.tag].x_mm, y_mm=placed[b.tag].y_mm, share=(0, 0)) for b in laid]
    assert [marker.marker for marker in shown.markers] == [marker.marker for marker in order_by_place(lie)]
    first, second, third, fourth = (marker.marker for marker in shown.markers)
    given = tray.give(first, SCOUTS[1])
    assert [given[f"tag {tag}"] for tag in (first, second)] == [SCOUTS[1], SCOUTS[0]]  # swapped
    assert tray.give(third, None)[f"tag {third}"] is None  # taken out
    assert tray.give(fourth, SCOUTS[2])[f"tag {fourth}"] == SCOUTS[2]
    with pytest.raises(BadInput, match="captain-1 is none of the models that lack a marker"):
        tray.give(first, "captain-1")
    with pytest.raises(BadInput, match="not on the tray"):
        tray.give(7, SCOUTS[0])
    tray.enrolment.keep()
    kept = {base.model: base for base in read_setup(path).tagged_bases if base.model in SCOUTS}
    assert {model: base.tag for model, base in kept.items()} == {
        SCOUTS[1]: first, SCOUTS[0]: second, SCOUTS[2]: fourth,
    }  # fmt: skip
    assert {base.tag_in_base.sigma_mm for base in kept.values()} == {MIDDLE_SIGMA_MM}
    assert {first, second, fourth} <= tray.enrolment.pipeline.markers.bases.keys()
    assert tray.enrolment.build_view(DEMO.state).tray["tray"].kept
    with pytest.raises(BadInput, match="no marker of the tray"):
        tray.enrolment.keep()
    tray.begin("tag", size_mm=16.0)
    tray.enrolment.begin(Enrol(type="enrol", model="captain-1", way="turn"), tray.asker)
    assert tray.enrolment.build_view(DEMO.state).tray == {}


def test_what_does_not_belong_there_is_said(tmp_path: Path) -> None:
    unit = next(unit for unit in DEMO.state.units if len(unit.models) == 1)
    only = unit.models[0].id
    others = [model for model in MODELS if model != only][:2]
    laid = [glue(20, only, 16.0), glue(21, others[0], 16.0), glue(22, others[1], 24.0)]
    tray = Tray(tmp_path / "setup.toml", list(laid))
    with pytest.raises(BadInput, match="say how large the tags are"):
        tray.begin("tag", unit=unit.id)
    tray.begin("tag", unit=unit.id, size_mm=16.0)
    with pytest.raises(BadInput, match="no marker of the tray"):
        tray.enrolment.keep()
    shown = tray.read()
    size, more = shown.note.split("; ")
    assert size == "tag 22 is 24 mm large, not 16 mm: enrol tags of another size by themselves"
    left = next(marker.name for marker in shown.markers if marker.model is None)
    assert more == f"there are more markers than models that lack one: nobody gets {left}"
    tray.enrolment.restart()
    assert not tray.enrolment.build_view(DEMO.state).tray["tray"].read
    tray.enrolment.stop()
    with pytest.raises(BadInput, match="no tray is being enrolled"):
        tray.give(20, None)
    tray.enrolment.setup = DEMO.setup
    with pytest.raises(BadInput, match=f"every model of {unit.id} has a marker already"):
        tray.begin("halo", unit=unit.id)


def test_rings_tell_their_bases(tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    sizes = {model.id: BaseSpec.from_shape(model.base) for model in MODELS.values()}
    chosen = [
        SCOUTS[0],
        SCOUTS[1],
        next(m for m, base in sizes.items() if base.round_mm not in {None, sizes[SCOUTS[0]].round_mm}),
    ]
    laid: list[BaseSection] = [
        RingedBase(ring=17 + 9 * number, ring_kind="halo", model=model, base=sizes[model], height_mm=4.0)
        for number, model in enumerate(chosen)
    ]
    rest = tuple(glue(100 + number, model) for number, model in enumerate(MODELS) if model not in chosen)
    tray = Tray(path, laid, known=rest)
    tray.begin("halo", unit=None)
    shown = tray.read()
    given = get_given(shown)
    assert given["ring 35"] == chosen[2]  # by its size, whatever the order
    assert {given["ring 17"], given["ring 26"]} == set(SCOUTS[:2])
    marker = next(marker for marker in shown.markers if marker.name == "ring 35")
    assert marker.choices == [chosen[2]]
    with pytest.raises(BadInput, match="ring 35 lies round another base than"):
        tray.give(marker.marker, SCOUTS[0])
    tray.enrolment.path = None
    tray.enrolment.keep()
    kept = [base for base in tray.enrolment.setup.ringed_bases if base.model in chosen]
    assert {(base.ring, base.ring_in_base.sigma_mm) for base in kept} == {
        (17, LAID_SIGMA_MM), (26, LAID_SIGMA_MM), (35, LAID_SIGMA_MM),
    }  # fmt: skip


def test_a_marker_that_lies_there_twice_is_nobodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def see(*_: object) -> list[TagDetection]:
        square = np.array([[0, 0], [11, 0], [11, -11], [0, -11]], dtype=np.float64)
        places = {(900, 500): 20, (960, 500): 20, (1000, 560): 21}
        return [TagDetection(tag=t, corners_px=square + at, hamming=0, margin=90.0) for at, t in places.items()]

    monkeypatch.setattr("assistant.features.enrolment.tray.detect_tags", see)
    tray = Tray(tmp_path / "setup.toml", [])
    tray.begin("tag", size_mm=12.0)
    shown = tray.read()
    assert get_given(shown) == {"tag 21": SCOUTS[0]}
    assert shown.note == "tag 20 lies there twice: take one of them away, and read again"


def test_places_are_read_row_by_row() -> None:
    places = [(0, 101), (40, 90), (80, 103), (2, 70), (41, 63), (200, 58), (90, 40)]
    markers = [TrayMarker(marker=n, x_mm=x, y_mm=y, share=(0, 0)) for n, (x, y) in enumerate(places)]
    assert [marker.marker for marker in order_by_place(markers[::-1])] == [0, 1, 2, 3, 4, 5, 6]
    assert list(order_by_place([])) == []
