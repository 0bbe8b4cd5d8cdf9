"""The background worker: zones, threats and ways, worked out beside the live loop, so that nothing waits for them."""

import logging
import threading
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

from assistant.errors import BadInput
from assistant.rules.movement_zone import MovementZone
from assistant.table.zone_query import ZoneRequest, refine_zone

_log = logging.getLogger(__name__)


class BackgroundQuestion(Protocol):
    """Something to work out; equal questions have equal answers."""

    def answers(self) -> Iterator[Any]:
        """Yield answers, each better than the one before; after each, None too, a newer question may be turned to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswer:
    """The best answer so far to a question."""

    question: BackgroundQuestion
    answer: Any


@dataclass(slots=True)
class _Job:
    question: BackgroundQuestion
    answers: Iterator[Any] | None
    known: KnownAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _ZoneQuestion:
    request: ZoneRequest

    def answers(self) -> Iterator[MovementZone]:
        """Yield what is known of the zone, at once and then more."""
        yield from refine_zone(self.request)


@dataclass
class BackgroundWorker:
    """Works out the questions asked last, one step at a time.

    A question that is asked anew under the same name takes the place of the one before.
    """

    first: Collection[Hashable] = ("zone",)
    """The names of the questions that others wait for; those that are not here come last, the oldest first."""
    on_answer: Callable[[], None] = lambda: None
    """Called in the worker's thread whenever more is known of something."""
    _change: threading.Condition = field(default_factory=threading.Condition)
    _jobs: dict[Hashable, _Job] = field(default_factory=dict)
    _ended: bool = False
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="reckoner", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._change:
            self._ended = True
            self._change.notify()
        if self._thread is not None:
            self._thread.join()

    def __call__(self, request: ZoneRequest, name: Hashable = "") -> MovementZone | None:
        """Return what is known of a zone so far."""
        question = _ZoneQuestion(request=request)
        known = self.ask("zone" if name == "" else name, question)
        return known.answer if known is not None and known.question == question else None

    def ask(self, name: Hashable, question: BackgroundQuestion) -> KnownAnswer | None:
        """Return what was last known under a name; it may be of the question before, as its own question tells."""
        with self._change:
            job = self._jobs.get(name)
            if job is None or (question is not job.question and question != job.question):
                job = self._jobs[name] = _Job(question, question.answers(), job.known if job else None)
                self._change.notify()
            return job.known

    def forget(self, name: Hashable) -> None:
        """Drop a question, and what is known of it."""
        with self._change:
            self._jobs.pop(name, None)

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._ended or self._find_next() is not None)
                if self._ended:
                    return
                name = self._find_next()
                job = self._jobs[name]
            self._step(name, job)

    def _find_next(self) -> Hashable | None:
        """Return the name of the question to go on with; None if all are answered."""
        names = (*self.first, *(name for name in self._jobs if name not in self.first))
        return next((name for name in names if (job := self._jobs.get(name)) and job.answers is not None), None)

    def _step(self, name: Hashable, job: _Job) -> None:
        assert job.answers is not None
        known_before = job.known
        try:
            answer = next(job.answers)
        except (StopIteration, BadInput):  # what is wrong with it the verdict says
            job.answers = None
            return
        except Exception:
            _log.exception("A zone, a threat or a way was not worked out.")
            job.answers = None  # it would fail again; the next question is worked out
            return
        if answer is not None:
            job.known = KnownAnswer(question=job.question, answer=answer)
            with self._change:
                current = self._jobs.get(name)
                if (
                    current is not None and current.known is known_before
                ):  # a newer question begins with the answer to the older
                    current.known = job.known
            self.on_answer()
