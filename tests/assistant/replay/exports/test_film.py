"""A picture of the table from above shows where models are being put back to."""

import numpy as np

from assistant.game.state import Table
from assistant.overlay.palette import PALETTE
from assistant.replay.exports.film import StillRenderer
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
