from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import VirtualLamp, build_virtual_table
from assistant.features.feature import Asker
from assistant.features.light.controller import LightController, find_mat_colour
from assistant.overlay.palette import PALETTE
from assistant.runtime.dispatch import FeatureSet
from assistant.setup.lighting import TableLighting, read_lighting
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.calibration import LightSettings
from tests.vision.synthetic_camera import CAMERA

DEMO = read_demo("warhammer-40k-10e")


def set_light(light: LightController | None, **order: object) -> None:
    message = LightSettings.model_validate({"type": "light-settings", **order})
    FeatureSet(*([light] if light else [])).handle(message, Asker(session=GameSession(DEMO.state)))


def test_what_a_page_sets_is_shown_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    light = LightController(path=path)
    first, second = dict.fromkeys(unit.player for unit in DEMO.state.units)
    set_light(light, brightness=0.5, hidden=["labels"], seats={second: "right"})
    set_light(light, line_width=2)
    shown = light.build_view(DEMO.state).lights["lights"]
    assert (shown.brightness, shown.line_width, shown.hidden) == (0.5, 2, ["labels"])
    assert shown.seats == {first: "near", second: "right"}
    assert read_lighting(path) == light.lights


def test_what_a_finger_only_passes_is_not_kept(tmp_path: Path) -> None:
    light = LightController(path=tmp_path / "club.toml")
    set_light(light, brightness=0.5, keep=False)
    assert light.lights.brightness == 0.5
    assert list(tmp_path.iterdir()) == []


def test_it_is_said_where_it_cannot_be_set_or_kept(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no light"):
        set_light(None, brightness=0.5)
    light = LightController(path=tmp_path / "gone" / "club.toml")
    with pytest.raises(BadInput, match=r"club\.light\.json: cannot be written"):
        set_light(light, brightness=0.5)
    assert light.lights.brightness == 0.5  # it is set all the same


def test_the_virtual_projector_is_dimmed_too_and_leaves_out_what_shall_not_shine() -> None:
    table = build_virtual_table(DEMO.setup, DEMO.state)
    light, session = LightController(), GameSession(DEMO.state, solve_zone=skip_zone)
    session.declare(unit=DEMO.state.units[0].id, action=None)
    lamp = VirtualLamp(table, light=light)

    def thrown(lights: TableLighting) -> float:
        light.lights = lights
        shone: list[NDArray[np.uint8]] = []
        table.project_picture = shone.append  # type: ignore[method-assign,assignment]
        lamp.throw(session)
        return float(shone[-1].sum())

    bright = thrown(TableLighting(brightness=0.9))
    assert thrown(TableLighting(brightness=0.45)) == pytest.approx(bright / 2, rel=0.03)
    assert thrown(TableLighting(brightness=0.9, line_width=2)) > 1.3 * bright
    assert thrown(TableLighting(brightness=0.9, hidden=("engagement",))) < 0.9 * bright


def test_colours_are_chosen_by_the_mat_that_the_camera_sees(tmp_path: Path) -> None:
    light = LightController(path=tmp_path / "club.toml")
    picture = np.zeros((1080, 1920, 3), dtype=np.uint8)
    picture[:] = (0x45, 0x7A, 0x5A)
    for piece in DEMO.state.terrain:
        outline = CAMERA.image_from_table([(*corner, 0.0) for corner in piece.outline_mm])
        cv2.fillPoly(picture, [outline.round().astype(np.int32)], (255, 255, 255))
    assert find_mat_colour(CAMERA, picture, DEMO.state) == "#5a7a45"
    assert find_mat_colour(CAMERA, picture[..., 0], DEMO.state) == ""
    assert light.build_view(DEMO.state).lights["lights"].samples == []
    light.mat = "#5a7a45"
    shown = light.build_view(DEMO.state).lights["lights"]
    assert shown.paints["zone"].stroke != PALETTE["zone"].stroke
    assert {sample.label: sample.seen == sample.usual for sample in shown.samples}["Zone"] is False
    set_light(light, colours="usual")
    assert light.build_view(DEMO.state).lights["lights"].paints == {}
    assert light.paints == {}
    assert read_lighting(tmp_path / "club.toml").colours == "usual"
