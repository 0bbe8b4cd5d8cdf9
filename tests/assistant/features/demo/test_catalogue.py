"""Every demo of every rulebook: what its scenes show is what the referee says."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from assistant.features.demo.catalogue import DEMOS, RIM, Demo, list_demos, read_demo
from assistant.features.demo.virtual_table import build_scene
from assistant.geometry.shapes.base_shapes import Rect
from assistant.rules.books import list_rulebooks
from assistant.rules.verdict import Outcome
from assistant.setup.bases import RingedBase
from tests.assistant.runtime.demo_loop import SceneRuling, play_exactly, play_rendered
from vision.marker_numbers import number_ring


def check_expected(demo: Demo, ruled: list[SceneRuling]) -> None:
    """Hold what was ruled against what the script expects."""
    assert len(ruled) == len(demo.scenes)
    for scene, said in zip(demo.scenes, ruled, strict=True):
        assert said.outcome == scene.outcome, (scene.caption, said)
        assert scene.rule in said.rules, (scene.caption, said)


def test_every_demo_is_of_a_rulebook() -> None:
    assert set(list_demos()) <= {book.id for book in list_rulebooks()}
    assert len(list_demos()) > 0


@pytest.mark.parametrize("name", list_demos())
def test_a_demo_fits_its_table_and_shows_every_kind_of_ruling(name: str) -> None:
    demo = read_demo(name)
    assert demo.state.rulebook == name
    table = demo.state.table
    assert (table.width_mm, table.depth_mm) == (demo.setup.table.width_mm, demo.setup.table.depth_mm)
    assert {scene.outcome for scene in demo.scenes} >= {Outcome.LEGAL, Outcome.ILLEGAL, Outcome.TOO_CLOSE}
    assert {path.name for path in (DEMOS / name).iterdir()} == {"situation.json", "script.json"}


@pytest.mark.parametrize("name", list_demos())
def test_every_model_is_enrolled_with_a_marker_that_suits_its_base(name: str) -> None:
    demo = read_demo(name)
    drawn = build_scene(demo.setup, demo.state).bases
    for number, (base, (unit, model), shown) in enumerate(
        zip(demo.setup.bases, demo.state.iterate_models(), drawn, strict=True), 1
    ):
        assert (base.model, base.base.shape, base.marker) == (model.id, model.base, shown.marker)
        assert base.marker in {number, number_ring(number)}
        assert shown.figure is not None
        if isinstance(base, RingedBase):
            assert base.ring_kind == "halo"
            assert (shown.figure.x_mm, shown.figure.y_mm) == (0, 0), "it stands in the middle"
            continue
        assert isinstance(model.base, Rect)
        assert base.size_mm >= (10 if demo.in_4k else 16)  # what its camera reads
        assert base.height_mm > 10 or "vehicle" not in unit.keywords, "on its roof"
        half_mm = RIM * base.size_mm / 2
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half_mm + (base.tag_in_base.x_mm, 0)
        assert shapely.Polygon(shown.outline_mm).covers(shapely.Polygon(corners))


def test_small_cells_are_seen_by_a_4k_camera() -> None:
    assert {name for name in list_demos() if read_demo(name).in_4k} == {"warmaster-revolution"}


@pytest.mark.parametrize("name", list_demos())
def test_every_scene_of_a_demo_ends_as_its_script_says(name: str) -> None:
    demo = read_demo(name)
    check_expected(demo, play_exactly(demo))


def test_a_demo_seen_by_its_camera_ends_as_its_script_says() -> None:
    demo = read_demo("warhammer-40k-10e")
    beginning = replace(demo, scenes=demo.scenes[:3])
    assert {scene.outcome for scene in beginning.scenes} == {Outcome.LEGAL, Outcome.ILLEGAL, Outcome.TOO_CLOSE}
    check_expected(beginning, play_rendered(beginning))
