"""The session's recorder: what of a game is written to its journal; without a journal it writes nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Self

from assistant.game.state import GameState
from assistant.recording.journal.row_encoding import TimedRow
from assistant.recording.journal.row_types import CalibrationSeen, Called, KeptPicture
from assistant.recording.journal.writer import Journal, Recorder
from assistant.rules.verdict import Verdict


class SessionRecorder:
    """Writes what happens in one session, and knows what need not be written again."""

    def __init__(self, journal: Journal | None = None) -> None:
        self._recorder = Recorder(journal) if journal else None
        self._called: GameState | None = None
        """The state of which it was recorded last what the referee says."""
        self.calibrations = set[str]()
        """The ids of which it is recorded what they stand for."""

    @property
    def trouble(self) -> str:
        """Why the game is not being recorded, and what to do about it; empty while it is."""
        return self._recorder.trouble if self._recorder else ""

    def resume(self, journal: Journal) -> None:
        """Write to a journal from here on."""
        self._recorder = Recorder(journal)

    def fork(self) -> Self:
        """Return a recorder that writes nothing, and knows what was recorded."""
        recorder = type(self)()
        recorder.calibrations.update(self.calibrations)
        return recorder

    def write(self, row: TimedRow | KeptPicture) -> None:
        """Write to the journal; when the disk is full the game goes on, and the pages say so."""
        if self._recorder:
            self._recorder.write(row)

    def write_together(self, now_ns: int) -> AbstractContextManager[None]:
        """Write what one picture brings at its end, all or none; what could not be written before is tried again."""
        if self._recorder is None:
            return nullcontext()
        self._recorder.retry_if_due(now_ns)
        return self._recorder.write_together()

    def record_calibration(self, seen: CalibrationSeen, captured_ns: int) -> None:
        """Record what poses rest on, before the first that names it."""
        self.write((captured_ns, seen))
        self.calibrations.add(seen.calibration)

    def record_call(self, state: GameState, now_ns: int, find_verdict: Callable[[], Verdict | None]) -> None:
        """Record what the referee says of a state, once; the verdict is only asked for if it is to be written."""
        if self._recorder is None or self._called is state:
            return
        self._called = state
        verdict = find_verdict()
        if verdict is not None:
            self.write((now_ns, Called.from_verdict(verdict)))

    def close(self, now_ns: int) -> None:
        """Write what could not be written before, if that is possible by now."""
        if self._recorder:
            self._recorder.catch_up(now_ns)
