"""Foresight feature: pages are told ahead where a model may go, so that a touch draws it at once."""

import logging
import os
import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from assistant.features.feature import Feature, Moment
from assistant.game.state import GameState
from assistant.replay.second_process import stand_back
from assistant.table.declared_move import Pick
from assistant.table.foresight import Foreseen, foresee_all, list_likely_picks, select_standing
from assistant.table.session import GameSession
from assistant.web.messages import View
from assistant.web.messages.table import AheadView, ShapeView

_log = logging.getLogger(__name__)
STILL_S = 0.25
"""What is shown now is worked out first."""
BEGINS_S = 3.0
"""The process is begun once the table has been still for so long: to begin it takes a second of a core."""
AT_ONCE = 4
"""Models that are worked out before pages are told."""


def begin_process() -> Executor | None:
    """Return what works beside the program; None on a machine that has no core for it."""
    if (os.cpu_count() or 1) < 2:
        return None
    # A fork of a program with threads may stand still for ever.
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=stand_back)


class ForesightFeature(Feature):
    """Has what a touch will want worked out while the table is still; the table's thread uses it, and never waits."""

    name = "foresight"

    def __init__(self, begin: Callable[[], Executor | None] = begin_process) -> None:
        """Begin with nothing foreseen.

        Args:
            begin: begins what works it out; called once.

        """
        self._begin = begin
        self._executor: Executor | None = None
        self._begun = False
        self._state: GameState | None = None
        self._since_s = 0.0
        self._pickled = b""
        self._left: tuple[Pick, ...] = ()
        self._job: tuple[GameState, set[str], Future[dict[str, Foreseen]]] | None = None
        self._views = dict[str, AheadView]()

    def follow(self, moment: Moment) -> None:
        """Take in what was worked out, and ask for more."""
        self.look_ahead(moment.session.state, time.monotonic())

    def look_ahead(self, state: GameState, now_s: float) -> None:
        """Take in what was worked out of a state, and ask for more of it once it has lasted for a while."""
        self._take_answer()
        if state is not self._state:
            standing = select_standing(self._views, self._state, state) if self._state else set()
            if len(standing) < len(self._views):
                self._views = {model: view for model, view in self._views.items() if model in standing}
            self._state, self._since_s, self._pickled = state, now_s, b""
            self._left = tuple(sorted(list_likely_picks(state), key=lambda pick: pick.model in standing))
        still_s = now_s - self._since_s
        if self._left and self._job is None and still_s >= (STILL_S if self._begun else BEGINS_S):
            self._ask()

    def _ask(self) -> None:
        if not self._begun:
            self._executor, self._begun = self._begin(), True
        if self._executor is None:
            self._left = ()
            return
        assert self._state is not None
        self._pickled = self._pickled or pickle.dumps(self._state)
        picks, self._left = self._left[:AT_ONCE], self._left[AT_ONCE:]
        job = self._executor.submit(foresee_all, self._pickled, picks)
        self._job = self._state, {pick.model for pick in picks}, job

    def _take_answer(self) -> None:
        if self._job is None or not self._job[-1].done():
            return
        state, asked, job = self._job
        self._job = None
        try:
            foreseen = job.result()
        except BrokenProcessPool:
            _log.exception("Zones are not worked out ahead any more.")
            self._executor = None
        except Exception:
            _log.exception("Zones were not worked out ahead.")
            self._left = ()
        else:
            assert self._state is not None
            standing = select_standing(foreseen, state, self._state) if state is not self._state else set(foreseen)
            views = {model: _build_ahead_view(each) for model, each in foreseen.items() if model in standing}
            gone = asked - foreseen.keys() if state is self._state else set()
            if views or gone & self._views.keys():
                self._views = {model: view for model, view in (self._views | views).items() if model not in gone}

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what is foreseen of the game as it stands."""
        if session.state is self._state and self._views:
            yield View.model_construct(ahead=self._views, _fields_set={"ahead"})

    def close(self) -> None:
        """End the process, and with it what it works on: it stands back, so that may take it long."""
        if self._executor is not None:
            for process in list((getattr(self._executor, "_processes", None) or {}).values()):
                process.kill()  # Python 3.14 has kill_workers()
            self._executor.shutdown(cancel_futures=True)


def _build_ahead_view(foreseen: Foreseen) -> AheadView:
    shapes = [
        ShapeView.model_construct(
            layer=shape.layer.value,
            rings_mm=[list(ring) for ring in shape.rings_mm],
            closed=shape.closed,
            style=shape.style,
            label=shape.label,
            on=None,
        )
        for shape in foreseen.shapes
    ]
    return AheadView.model_construct(limit_mm=foreseen.limit_mm, shapes=shapes)
