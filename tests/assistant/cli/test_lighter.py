from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.cli.crew import Crew
from assistant.cli.demos import read_demo
from assistant.cli.lighter import Lighter
from assistant.cli.obey import obey
from assistant.cli.virtual import Lamp, virtual_table
from assistant.errors import BadInput
from assistant.lights import Lights, read_lights
from assistant.session import Session
from assistant.web.commands.lights import LightSettings

DEMO = read_demo("warhammer-40k-10e")


def told(lighter: Lighter | None, **order: object) -> None:
    message = LightSettings.model_validate({"type": "light-settings", **order})
    obey(message, session=Session(DEMO.state), hand=lambda _: None, crew=Crew(lighter=lighter))


def test_what_a_page_sets_is_shown_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    lighter = Lighter(path=path)
    first, second = dict.fromkeys(unit.player for unit in DEMO.state.units)
    told(lighter, brightness=0.5, hidden=["labels"], seats={second: "right"})
    told(lighter, line_width=2)
    shown = lighter.shown(DEMO.state).lights["lights"]
    assert (shown.brightness, shown.line_width, shown.hidden) == (0.5, 2, ["labels"])
    assert shown.seats == {first: "near", second: "right"}
    assert read_lights(path) == lighter.lights


def test_what_a_finger_only_passes_is_not_kept(tmp_path: Path) -> None:
    lighter = Lighter(path=tmp_path / "club.toml")
    told(lighter, brightness=0.5, keep=False)
    assert lighter.lights.brightness == 0.5
    assert list(tmp_path.iterdir()) == []


def test_it_is_said_where_it_cannot_be_set_or_kept(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no light"):
        told(None, brightness=0.5)
    lighter = Lighter(path=tmp_path / "gone" / "club.toml")
    with pytest.raises(BadInput, match=r"club\.light\.json: cannot be written"):
        told(lighter, brightness=0.5)
    assert lighter.lights.brightness == 0.5  # it is set all the same


def test_the_virtual_projector_is_dimmed_too_and_leaves_out_what_shall_not_shine() -> None:
    table = virtual_table(DEMO.setup, DEMO.state)
    lighter, session = Lighter(), Session(DEMO.state, reach=lambda _: None)
    session.declare(unit=DEMO.state.units[0].id, action=None)
    lamp = Lamp(table, lighter=lighter)

    def thrown(lights: Lights) -> float:
        lighter.lights = lights
        shone: list[NDArray[np.uint8]] = []
        table.light = shone.append  # type: ignore[method-assign,assignment]
        lamp.throw(session)
        return float(shone[-1].sum())

    bright = thrown(Lights(brightness=0.9))
    assert thrown(Lights(brightness=0.45)) == pytest.approx(bright / 2, rel=0.03)
    assert thrown(Lights(brightness=0.9, line_width=2)) > 1.3 * bright
    assert thrown(Lights(brightness=0.9, hidden=("engagement",))) < 0.7 * bright
