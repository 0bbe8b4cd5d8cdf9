"""A film's picture of the table from above: where models are being put back to, and what units are called."""

from dataclasses import replace

import numpy as np
import pytest

from assistant.game.state import Table
from assistant.overlay.palette import PALETTE
from assistant.replay.exports import film
from assistant.replay.exports.film import StillRenderer
from assistant.replay.lettering import measure_width, write_text
from assistant.table.restore import build_last_accepted
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import SnapshotScript, build_game


def test_what_is_being_put_back_is_shown_where_it_goes() -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    session.observe(script.take_snapshot())
    for frame in script.slide("s1", 600, 600):
        session.observe(frame)
    still = StillRenderer(table=Table(width_mm=1524, depth_mm=1118), size=(480, 270), title="")
    session.begin_restoring(build_last_accepted(session.state))
    picture = still.draw(session, "", "")
    red, green, blue = bytes.fromhex(PALETTE["restore"].stroke.removeprefix("#"))
    left, top = still._build_warp()(np.array([[280.0, 320.0]]))[0].round().astype(int)
    right, bottom = still._build_warp()(np.array([[320.0, 280.0]]))[0].round().astype(int)
    away = np.abs(picture[top : bottom + 1, left : right + 1].astype(int) - (blue, green, red)).max(axis=2)
    assert away.min() < 40


def test_units_are_called_as_people_call_them(monkeypatch: pytest.MonkeyPatch) -> None:
    written = list[str]()
    monkeypatch.setattr(film, "write_text", lambda _, text, *__, **___: written.append(text))
    scouts, *others = build_game().units
    session = GameSession(replace(build_game(), units=(replace(scouts, name="Swift Scouts"), *others)))
    session.observe(SnapshotScript().take_snapshot())
    StillRenderer(table=Table(width_mm=1524, depth_mm=1118), size=(640, 360), title="").draw(session, "", "")
    assert "Swift Scouts" in written
    assert "scouts" not in written


@pytest.mark.parametrize(
    ("name", "other"), [("ёж", "еж"), ("兵", "军"), ("전사", "전시"), ("فرسان", "قرسان"), ("Ωμ", "??")]
)
def test_names_are_written_in_their_own_letters(name: str, other: str) -> None:
    pictures = [np.zeros((40, 200, 3), dtype=np.uint8) for _ in range(2)]
    for picture, text in zip(pictures, (name, other), strict=True):
        write_text(picture, text, (10.0, 30.0), 24.0, "#ffffff")
        inked = np.flatnonzero(picture.any(axis=(0, 2)))
        assert inked[0] >= 8
        assert inked[-1] <= 12 + measure_width(text, 24.0)
    assert (pictures[0] != pictures[1]).any()
