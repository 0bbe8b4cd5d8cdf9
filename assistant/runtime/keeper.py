"""The keeper: a process that does nothing but see whether the program lives, and begins it anew where it does not.

What a library does that holds Python's lock for good, or that breaks down, no thread of the same process can see, and
none can go on after.  So what serves a table is forked off before it has a thread, and beats in memory that both share
as long as any thread of Python gets its turn.  If it does not for five seconds, counted as `LineProgress` does, or if
the system ended it, its threads' stacks are logged and it is forked off again: everything is loaded already.  What was
recorded is gone on with; pages find the same address, and devices stay joined.

The keeper hands on who asks the program to end, ends with it and as it ended, and takes it along when it is killed.
"""

import ctypes
import faulthandler
import json
import logging
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from assistant.runtime.interrupts import END_SIGNALS
from assistant.runtime.repetition import repeat
from assistant.runtime.watchdog import LOOK_S, LineProgress

MOST_AT_ONCE, AT_ONCE_S = 3, 60.0
"""A program that lives no longer than this so often in a row is not begun anew."""
WAITING_S = 0.03
"""Of the processor, between two looks: threads that wait for Python's lock ask for it again and again."""
STACK_S, STACK_STEP_S = 2.0, 0.1
"""So long a program that stands still has to say where."""
BUG = 1
_NOTES_BYTES, _STAGE_AT, _STAGE_BYTES, _HALF_AT, _HALF_BYTES = 1 << 20, 16, 112, 128, (1 << 19) - 64
_SET_PARENTS_DEATH_SIGNAL = 1
_log = logging.getLogger(__name__)


class SharedNotes:
    """What the program and its keeper both see: its beats, the line's stage, and what the next one has to know."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._memory = mmap.mmap(-1, _NOTES_BYTES)

    @property
    def beats(self) -> int:
        """How often the program has beaten; 0 while it need not."""
        return int(struct.unpack_from("<Q", self._memory, 0)[0])

    @beats.setter
    def beats(self, count: int) -> None:
        struct.pack_into("<Q", self._memory, 0, count)

    @property
    def stage(self) -> str:
        """What the line does, in words that complete "it stood still while it"."""
        written = self._memory[_STAGE_AT : _STAGE_AT + _STAGE_BYTES]
        return written.rstrip(b"\0").decode(errors="replace")

    @stage.setter
    def stage(self, text: str) -> None:
        self._memory[_STAGE_AT : _STAGE_AT + _STAGE_BYTES] = text.encode()[:_STAGE_BYTES].ljust(_STAGE_BYTES, b"\0")

    @property
    def carried(self) -> dict[str, object]:
        """What was last written for the program that comes after this one."""
        at = _HALF_AT + self._memory[8] * _HALF_BYTES
        (length,) = struct.unpack_from("<I", self._memory, at)
        read: dict[str, object] = json.loads(self._memory[at + 4 : at + 4 + length] or b"{}")
        return read

    @carried.setter
    def carried(self, value: dict[str, object]) -> None:
        written, half = json.dumps(value).encode(), 1 - self._memory[8]
        if len(written) > _HALF_BYTES - 4:
            return  # there is more than any table has: the next program begins with what was written before
        at = _HALF_AT + half * _HALF_BYTES
        self._memory[at : at + 4 + len(written)] = struct.pack("<I", len(written)) + written
        self._memory[8] = half  # last: who is ended while it writes has written nothing


@dataclass(kw_only=True)
class Kept:
    """A program under a keeper, or by itself."""

    told: str = ""
    """Why it was begun anew, as a sentence for the pages; empty for the first."""
    is_watched: bool = False
    """Whether there is a keeper that begins it anew."""
    notes: SharedNotes = field(default_factory=SharedNotes)

    def recall(self, name: str) -> object:
        """Return what the program before carried over by a name; None where it carried nothing."""
        return self.notes.carried.get(name)

    def carry(self, name: str, value: object) -> None:
        """Write down what the program after this one has to know; it is never on a disk."""
        self.notes.carried = {**self.notes.carried, name: value}

    @contextmanager
    def beat(self) -> Iterator[None]:
        """Let the keeper see that threads get their turn meanwhile; before and after, anything may take its time."""

        def count() -> None:
            self.notes.beats += 1

        self.notes.beats = 1
        try:
            with repeat(count, every_s=LOOK_S, name="beat"):
                yield
        finally:
            self.notes.beats = 0

    def end_hard(self) -> None:
        """End this process at once, for its keeper to begin it anew; nothing that was recorded is lost."""
        os.kill(os.getpid(), signal.SIGKILL)


def keep(serve: Callable[[Kept], None]) -> None:
    """Serve in a process that is begun anew if it breaks down or stands still; by itself where that cannot be.

    Returns, or raises what `serve` does, in the process that serves; the keeper ends as that one does.
    """
    if sys.platform != "linux" or len(list(Path("/proc/self/task").iterdir())) > 1:
        serve(Kept())  # who has threads already cannot be forked
        return
    waited = {each for each in END_SIGNALS if signal.getsignal(each) != signal.SIG_IGN} | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    kept, stacks, at_once = Kept(is_watched=True), os.memfd_create("stacks"), 0
    while True:
        begun_s, keeper = time.monotonic(), os.getpid()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        process = os.fork()
        if process == 0:
            _end_with(keeper)
            _tell_stacks(stacks)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            with kept.beat():
                serve(kept)
            return
        watch = _Watch(process, kept.notes, stacks, waited)
        status, why = watch.run()
        at_once = at_once + 1 if time.monotonic() - begun_s < AT_ONCE_S else 1
        if not why or watch.is_asked_to_end or at_once > MOST_AT_ONCE:
            _leave(status)
        kept.told = f"{why}, and was started again."


class _Watch:
    """One program that is kept."""

    def __init__(self, process: int, notes: SharedNotes, stacks: int, waited: set[signal.Signals]) -> None:
        self._process, self._notes, self._stacks, self._waited = process, notes, stacks, waited
        self.is_asked_to_end = False
        self._stopped = self._lived = False

    def run(self) -> tuple[int, str]:
        """Wait until it has ended; return its status, and why it is to be begun anew: empty where it is not."""
        progress, beats = LineProgress(idle_s=WAITING_S), 0
        while True:
            self._hand_on(signal.sigtimedwait(self._waited, LOOK_S))
            if (status := self._read_status()) is not None:
                why = self._describe_end(status)
                return status, why
            now = self._notes.beats
            if now == 0:
                progress = LineProgress(idle_s=WAITING_S)
            elif now != beats:
                self._lived = True
                progress.enter("")
            beats = now
            if not self._stopped and progress.look(self._measure_work()) is not None:
                return self._end_still()

    def _hand_on(self, heard: signal.struct_siginfo | None) -> None:
        if heard is None or heard.si_signo == signal.SIGCHLD:
            return
        self.is_asked_to_end = True
        if heard.si_code <= 0:  # of a process; what the terminal sends, the program has heard as well
            os.kill(self._process, heard.si_signo)

    def _read_status(self) -> int | None:
        ended, status = os.waitpid(self._process, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
        if not ended:
            return None
        if os.WIFSTOPPED(status) or os.WIFCONTINUED(status):
            self._stopped = os.WIFSTOPPED(status)
            return None
        return status

    def _measure_work(self) -> float:
        with suppress(OSError):  # it has just ended
            return time.clock_gettime(~self._process << 3 | 2)  # as clock_getcpuclockid(3) makes it of a process
        return 0.0

    def _describe_end(self, status: int) -> str:
        """Say why a program ended that nobody asked to; empty where it ended by itself."""
        if not (os.WIFSIGNALED(status) and self._lived):
            return ""
        name = signal.Signals(os.WTERMSIG(status)).name
        why = f"The program was ended by the system ({name}) while it {self._notes.stage or 'began'}"
        _log.warning("%s:\n%s", why, self._read_stacks())
        return why

    def _end_still(self) -> tuple[int, str]:
        """Let it say where it stands still, and end it."""
        os.kill(self._process, signal.SIGUSR1)
        until_s = time.monotonic() + STACK_S
        size = 0
        while time.monotonic() < until_s:
            time.sleep(STACK_STEP_S)
            size, before = os.fstat(self._stacks).st_size, size
            if size and size == before:
                break
        why = f"The program stood still while it {self._notes.stage or 'began'}"
        _log.warning("%s:\n%s", why, self._read_stacks())
        os.kill(self._process, signal.SIGKILL)
        return os.waitpid(self._process, 0)[1], why

    def _read_stacks(self) -> str:
        read = os.pread(self._stacks, os.fstat(self._stacks).st_size, 0).decode(errors="replace")
        os.ftruncate(self._stacks, 0)
        return read or "it has not said where"


def _end_with(keeper: int) -> None:
    """Let the system kill this process when its keeper is."""
    ctypes.CDLL(None).prctl(_SET_PARENTS_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(BUG)


def _tell_stacks(stacks: int) -> None:
    """Let this process write its threads' stacks where the keeper reads them: asked to, or as it breaks down."""
    os.ftruncate(stacks, 0)
    told = os.open(f"/proc/self/fd/{stacks}", os.O_WRONLY | os.O_APPEND)
    faulthandler.register(signal.SIGUSR1, file=told, all_threads=True)
    faulthandler.enable(file=told, all_threads=True)


def _leave(status: int) -> None:
    """End the keeper as the program ended."""
    logging.shutdown()
    # What was to be done at the end was begun before the fork, and is done by who served.
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
