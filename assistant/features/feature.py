"""The feature protocol: what the runtime asks of everything that works beside the game, and how a feature obeys pages.

A feature writes only the methods that it needs.  It has one handler for each command that the registry enters under
its name; a class that lacks one, or has one too many, is refused when it is defined.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, overload

from assistant.replay.recorded_game import RecordedGame
from assistant.table.session import GameSession
from assistant.web.commands import REGISTRY
from assistant.web.messages import View
from assistant.web.messages.message import Message, Role
from hardware.camera.latest_frame_reader import SourceStatus
from hardware.frame import Frame
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

F = TypeVar("F")
C = TypeVar("C", bound=Message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who gives a command, and of what game."""

    session: GameSession
    role: Role = "host"
    device: str = ""
    """Which device; empty where it is none."""
    past: RecordedGame | None = None
    """What was recorded so far; None where nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What the live table is like once commands were obeyed."""

    frame: Frame | None
    """None where no new one came."""
    status: SourceStatus
    pipeline: Pipeline
    session: GameSession


Handler = Callable[[Any, Any, Asker], None]


class Handles(Generic[C]):
    """Marks the method by which a feature obeys a command; it takes the command and who asks, or less."""

    def __init__(self, command: type[C]) -> None:
        self._command = command

    @overload
    def __call__(self, method: Callable[[F], None]) -> Callable[[F], None]: ...
    @overload
    def __call__(self, method: Callable[[F, C], None]) -> Callable[[F, C], None]: ...
    @overload
    def __call__(self, method: Callable[[F, C, Asker], None]) -> Callable[[F, C, Asker], None]: ...
    def __call__(self, method: Callable[..., None]) -> Callable[..., None]:
        """Mark it."""
        vars(method)["handles"] = self._command
        return method


class Feature:
    """Something that works beside the game; what it does not say, it does not do."""

    name: ClassVar[str]
    """As the command registry names it."""
    _handlers: ClassVar[Mapping[type[Message], Handler]]

    def __init_subclass__(cls) -> None:
        """Find the handlers.

        Raises:
            TypeError: a command has none, or two, or is not entered for this feature.

        """
        super().__init_subclass__()
        methods = [
            m for each in reversed(cls.__mro__) for m in vars(each).values() if "handles" in getattr(m, "__dict__", {})
        ]
        entered = {command for command, entry in REGISTRY.items() if entry.feature == cls.name}
        counts = Counter(vars(method)["handles"] for method in methods)
        wrong = {command.__name__ for command in entered ^ counts.keys()} | {
            c.__name__ for c, n in counts.items() if n > 1
        }
        if wrong:
            raise TypeError(f"{cls.__name__}: not exactly one handler for {', '.join(sorted(wrong))}")
        cls._handlers = {vars(method)["handles"]: _adapt(method) for method in methods}

    def handle(self, command: Message, asker: Asker) -> None:
        """Do what a page asks.

        Raises:
            BadInput: it cannot be done; the sentence says why.

        """
        self._handlers[type(command)](self, command, asker)

    def claim_frame(self, frame: Frame, session: GameSession) -> bool:
        """Return whether a frame shows something of this feature's, and no game."""
        del frame, session
        return False

    def see(self, frame: Frame) -> None:
        """Look at a frame that shows the game, once the pipeline has."""

    def filter_poses(self, snapshot: TableSnapshot) -> TableSnapshot:
        """Return what is to be taken for the game of what was seen."""
        return snapshot

    def follow(self, moment: Moment) -> None:
        """Take in how the live table fares, before the pages are told."""

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show of it; of two that set the same, the later is shown."""
        del session
        return iter(())

    def close(self) -> None:
        """Write down what is not written yet."""


def _adapt(method: Callable[..., None]) -> Handler:
    """Return a handler that gives a method as much as it takes."""
    count = len(inspect.signature(method).parameters)
    return lambda feature, command, asker: method(*(feature, command, asker)[:count])
