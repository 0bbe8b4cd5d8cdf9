"""Replay moments: how a recorded game looked from moment to moment, and the verdicts on it, as a page is given them.

A long game is shown in two parts, the later one by a second process; together they come to what one would.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.recording.journal.row_types import ObservationRow, PosesSeen
from assistant.replay.moves import MoveCollector, RecordedMove
from assistant.replay.playback import PlaybackStep, play_downsampled, play_events
from assistant.replay.second_process import is_shared, work_beside
from assistant.rules.books import find_rulebook
from assistant.rules.verdict import Verdict
from assistant.table.declared_move import MoveJudgement, complete_verdict
from assistant.table.session import GameSession
from assistant.web.hub import diff_views
from assistant.web.messages import View
from assistant.web.views.session import Source, build_view, follow_poses

SHOWN = {"table", "palette", "palettes", "terrain", "units", "models", "move", "turn", "shapes"}
"""The sections of a view that are drawn."""
Verdicts = Mapping[int, Verdict | None]
"""By the entry after which the game first stood so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGame:
    """A game from moment to moment."""

    full: str
    """Its first view, as JSON."""
    moments: Sequence[str]
    """How it changed: each a JSON list of the time, the entry, and what was set and is gone."""
    verdicts: Verdicts
    """On every state."""
    moves: Sequence[RecordedMove]
    on_moves: Verdicts
    """With the rules that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """Which entries of a game are shown."""

    title: str
    judged: frozenset[int]
    """Those after which a move stood as it was judged."""
    last: Mapping[int, int]
    """The last of each time at which something happened: after it, the game stood so for any time."""

    def shows(self, step: PlaybackStep) -> bool:
        """Return whether a game stood as after a step for any time, or a move was judged so."""
        return step.entry.id in self.judged or self.last.get(step.at_ns, 0) <= step.entry.id


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What a stretch of a game comes to; as in `ShownGame`."""

    full: str
    moments: Sequence[str]
    last: int
    """The last entry that is shown."""
    verdicts: Verdicts
    on_moves: Verdicts


def show_game(path: Path, title: str, end_ns: int, progress: Callable[[float], None]) -> ShownGame:
    """Return how a game looked from moment to moment.

    Args:
        path: the recording.
        title: what the game is called.
        end_ns: when it ends.
        progress: is told the share of the work that is done.

    Raises:
        BadInput: the recording cannot be read.

    """
    selection, moves, middle = _select_steps(path, title)
    if middle is None or not is_shared(path):
        parts = [_show_part(path, selection, 0, None, lambda at_ns: progress(at_ns / max(1, end_ns)))]
    else:
        with work_beside(path, _show_part, selection, middle.entry, None) as find_rest:
            first = _show_part(path, selection, 0, middle.entry, lambda at_ns: progress(at_ns / max(1, middle.at_ns)))
            parts = [first, find_rest()]
    last = max(part.last for part in parts)
    moments = [moment for part in parts for moment in part.moments]
    return ShownGame(
        full=parts[0].full,
        moments=(*moments, f"[{end_ns},{last},{{}},{{}}]"),  # the last picture may have shown nothing new
        verdicts={entry: verdict for part in parts for entry, verdict in part.verdicts.items()},
        moves=moves,
        on_moves={entry: verdict for part in parts for entry, verdict in part.on_moves.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Middle:
    """Where a game is parted: something happened there that is shown."""

    entry: int
    at_ns: int


def _select_steps(path: Path, title: str) -> tuple[_Selection, list[RecordedMove], _Middle | None]:
    """Return which entries of a game are shown, its moves, and where it may be parted."""
    collector, last, happened = MoveCollector(), dict[int, int](), list[_Middle]()
    for step in play_events(path):
        collector.add_step(step)
        last[step.at_ns] = step.entry.id
        happened.append(_Middle(entry=step.entry.id, at_ns=step.at_ns))
    moves = collector.finish()
    selection = _Selection(title=title, judged=frozenset(each.entry for each in moves), last=last)
    shown = [each for each in happened if each.entry in selection.judged or last[each.at_ns] == each.entry]
    at = bisect_left(shown, happened[len(happened) // 2].entry, key=lambda each: each.entry) if happened else 0
    return selection, moves, shown[at] if at < len(shown) else None


def _show_part(
    path: Path,
    selection: _Selection,
    after: int,
    until: int | None,
    progress: Callable[[int], None] = lambda _: None,
) -> _Part:
    """Return what a game comes to after an entry, and until another.

    Args:
        path: the recording.
        selection: what is shown of it.
        after: an entry of something that is shown, or 0 for the whole game.
        until: the last entry; None for the game's last.
        progress: is told the time of each moment.

    """
    moments, full, before, last = list[str](), "", View(), 0
    judge = _Judge(selection.judged)
    for step, view in _iterate_views(path, selection, judge, after, until):
        if not full:
            full, before = view.model_dump_json(), view
            if after:
                continue
        changed, gone = diff_views(before, view)
        moments.append(f"[{step.at_ns},{step.entry.id},{to_json(changed).decode()},{to_json(gone).decode()}]")
        before, last = view, step.entry.id
        progress(step.at_ns)
    full = full or before.model_dump_json()
    return _Part(full=full, moments=moments, last=last, verdicts=judge.verdicts, on_moves=judge.on_moves)


class _Judge:
    """Judges a game step by step: what is shown of it then need not be judged again."""

    def __init__(self, moved: frozenset[int]) -> None:
        self._moved = moved
        self._state: GameState | None = None
        self._judged = MoveJudgement()
        self.verdicts = dict[int, Verdict | None]()
        self.on_moves = dict[int, Verdict | None]()

    def add_step(self, step: PlaybackStep) -> None:
        """Take in the next step."""
        if isinstance(step.entry.what, ObservationRow):
            return
        session = step.session
        if session.state is not self._state:
            self._state, self._judged = session.state, _judge_session(session)
            self.verdicts[step.entry.id] = self._judged.verdict if session.state.restoring is None else None
        if step.entry.id in self._moved:
            self.on_moves[step.entry.id] = complete_verdict(self._judged)


def _judge_session(session: GameSession) -> MoveJudgement:
    if session.state.rulebook == NO_RULEBOOK:
        return MoveJudgement()
    find_rulebook(session.state.rulebook)  # where there is none, that is said whatever stands on the table
    try:
        return session.judge()
    except BadInput:
        return MoveJudgement()


def _iterate_views(
    path: Path, selection: _Selection, judge: _Judge, after: int, until: int | None
) -> Iterator[tuple[PlaybackStep, View]]:
    """Yield what an eye sees of a game, step by step, from an entry to another."""
    source = Source(
        name=path.name, title=selection.title, virtual=False, replay=True, state="live", text="", fps=0, latency_ms=0
    )
    left_out: dict[str, Any] = {name: {} for name in View.model_fields if name not in SHOWN}
    view: View | None = None
    state, hidden = None, set[str]()
    for step in play_downsampled(path, after):
        if until is not None and step.entry.id > until:
            return
        if step.entry.id > after:
            judge.add_step(step)
        if not selection.shows(step):
            continue
        seen, session = step.entry.what, step.session
        was, view = view, None
        if was is not None and session.state is state and isinstance(seen, PosesSeen):
            view = follow_poses(
                was, session, {*(pose.model for pose in seen.poses), *session.observations.hidden_ns, *hidden}
            )
        view = view or build_view(session, source).model_copy(update=left_out)
        state, hidden = session.state, set(session.observations.hidden_ns)
        yield step, view
