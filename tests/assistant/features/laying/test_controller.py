"""Laying the table: begun, ticked and ended by pages, and shown to all of them."""

from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.features.feature import Asker
from assistant.features.laying.controller import LayingController
from assistant.table.session import GameSession
from assistant.web.commands.game import LayBegin, LayEnd, LayTick
from assistant.web.messages import View
from tests.assistant.features.laying.test_plan import make_box, make_game
from tests.assistant.snapshot_script import build_game


def show(laying: LayingController, session: GameSession) -> View | None:
    return next(laying.build_views(session), None)


def test_pieces_are_ticked_until_all_lie() -> None:
    laying, session = LayingController(), GameSession(make_game(make_box("ruin", 300, 100, 240)))
    asker = Asker(session=session)
    assert show(laying, session) is None
    laying.handle(LayBegin(type="lay-begin"), asker)
    view = show(laying, session)
    assert view is not None
    assert view is show(laying, session), "nothing is built anew while nothing changes"
    assert [(step.id, step.lies) for step in view.laying["laying"].steps] == [("ruin", False), ("objective A", False)]
    for step, lies in (("ruin", True), ("objective A", True), ("ruin", False)):
        laying.handle(LayTick(type="lay-tick", step=step, lies=lies), asker)
    view = show(laying, session)
    assert view is not None
    assert view.laying["laying"].following == "ruin"
    assert view.shapes["laying:objective A"].style == "laying-done"
    laying.handle(LayEnd(type="lay-end"), asker)
    assert show(laying, session) is None


def test_what_cannot_be_laid_is_said() -> None:
    laying, asker = LayingController(), Asker(session=GameSession(replace(build_game(), terrain=())))
    with pytest.raises(BadInput, match="no terrain and no objectives to lay"):
        laying.handle(LayBegin(type="lay-begin"), asker)
    with pytest.raises(BadInput, match="'ruin' is not among what is being laid"):
        laying.handle(LayTick(type="lay-tick", step="ruin", lies=True), asker)
