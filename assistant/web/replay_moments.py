"""Replay moments: how a recorded game looked from moment to moment, and the verdicts on it, as a page is given them.

A long game is shown in two parts, the later one by a second process; together they come to what one would.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState, Model, Unit
from assistant.recording.journal.row_types import ObservationRow, PosesSeen
from assistant.replay.game_log import are_seen_together
from assistant.replay.moves import MoveCollector, RecordedMove
from assistant.replay.playback import PlaybackStep, play_downsampled, play_events
from assistant.replay.second_process import begin_beside, is_shared
from assistant.rules.books import find_rulebook, list_rulebooks
from assistant.rules.verdict import Verdict
from assistant.table.declared_move import MoveJudgement, complete_verdict
from assistant.table.session import GameSession
from assistant.web.messages import Changes, View
from assistant.web.messages.table import ModelView
from assistant.web.views.differences import diff_views
from assistant.web.views.session import Source, build_drawn_view, follow_poses

FIRST_PART = 0.4
"""So much of a game is shown by the process that tells what happened in all of it, too."""
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
    """With how long their ways are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """Which entries of a game are shown."""

    title: str
    judged: frozenset[int]
    """Those after which a move stood as it was judged."""
    passing: frozenset[int]
    """Those after which more was seen in the same picture: how the game stood there is judged for no other reason."""
    last: Mapping[int, int]
    """The last of each time at which something happened: after it, the game stood so for any time."""

    def shows(self, step: PlaybackStep) -> bool:
        """Return whether a game stood as after a step for any time, or a move was judged so."""
        return step.entry.id in self.judged or self.last.get(step.at_ns, 0) <= step.entry.id

    def judges(self, step: PlaybackStep) -> bool:
        """Return whether it is judged how a game stood after a step."""
        return step.entry.id in self.judged or step.entry.id not in self.passing


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What a stretch of a game comes to; as in `ShownGame`."""

    full: str
    moments: Sequence[str]
    last: int
    """The last entry that is shown."""
    verdicts: Verdicts
    on_moves: Verdicts


def show_game(
    path: Path,
    title: str,
    end_ns: int,
    progress: Callable[[float], None],
    meanwhile: Callable[[int, Verdicts], None] = lambda *_: None,
) -> ShownGame:
    """Return how a game looked from moment to moment.

    Args:
        path: the recording.
        title: what the game is called.
        end_ns: when it ends.
        progress: is told the share of the work that is done.
        meanwhile: is given an entry, and what was found until then, while another process still shows what came later.

    Raises:
        BadInput: the recording cannot be read.

    """
    with begin_beside(path, list_rulebooks) as begin:  # at once, for that takes a while
        selection, moves, middle = _select_steps(path, title)
        if middle is None or not is_shared(path):
            parts = [_show_part(path, selection, 0, None, lambda at_ns: progress(at_ns / max(1, end_ns)))]
        else:
            find_rest = begin(_show_part, selection, middle.entry, None)
            first = _show_part(path, selection, 0, middle.entry, lambda at_ns: progress(at_ns / max(1, middle.at_ns)))
            meanwhile(middle.entry, first.verdicts)
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
    passing, before = set[int](), None
    for step in play_events(path):
        collector.add_step(step)
        if before is not None and are_seen_together(before, step.entry):
            passing.add(before.id)
        before = step.entry
        last[step.at_ns] = step.entry.id
        happened.append(_Middle(entry=step.entry.id, at_ns=step.at_ns))
    moves = collector.finish()
    judged = frozenset(each.entry for each in moves)
    selection = _Selection(title=title, judged=judged, passing=frozenset(passing), last=last)
    shown = [each for each in happened if each.entry in selection.judged or last[each.at_ns] == each.entry]
    part = int(FIRST_PART * len(happened))
    at = bisect_left(shown, happened[part].entry, key=lambda each: each.entry) if happened else 0
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
    moments, last, judge, onlooker = list[str](), 0, _Judge(selection), _Onlooker(path, selection.title)
    for step in play_downsampled(path, after):
        if until is not None and step.entry.id > until:
            break
        if step.entry.id > after:
            judge.add_step(step)
        else:
            judge.begin(step)
        if not selection.shows(step):
            continue
        changed, gone = onlooker.look(step)
        if step.entry.id > after:
            moments.append(f"[{step.at_ns},{step.entry.id},{to_json(changed).decode()},{to_json(gone).decode()}]")
            last = step.entry.id
            progress(step.at_ns)
    return _Part(full=onlooker.full, moments=moments, last=last, verdicts=judge.verdicts, on_moves=judge.on_moves)


class _Judge:
    """Judges a game step by step: what is shown of it then need not be judged again."""

    def __init__(self, selection: _Selection) -> None:
        self._selection = selection
        self._state: GameState | None = None
        self._judged = MoveJudgement()
        self._told: GameState | None = None
        """What another part tells of."""
        self.verdicts = dict[int, Verdict | None]()
        self.on_moves = dict[int, Verdict | None]()

    def begin(self, step: PlaybackStep) -> None:
        """Begin after a step, of which another part tells."""
        self._told = step.session.state

    def add_step(self, step: PlaybackStep) -> None:
        """Take in the next step."""
        if isinstance(step.entry.what, ObservationRow) or not self._selection.judges(step):
            return
        session = step.session
        if session.state is not self._state:
            self._state, self._judged = session.state, _judge_session(session)
            if session.state is not self._told:
                self.verdicts[step.entry.id] = self._judged.verdict if session.state.restoring is None else None
            self._told = None
        if step.entry.id in self._selection.judged:
            self.on_moves[step.entry.id] = complete_verdict(self._judged)


def _judge_session(session: GameSession) -> MoveJudgement:
    if session.state.rulebook == NO_RULEBOOK:
        return MoveJudgement()
    find_rulebook(session.state.rulebook)  # where there is none, that is said whatever stands on the table
    try:
        return session.judge()
    except BadInput:
        return MoveJudgement()


class _Onlooker:
    """Looks at a game step by step, and tells what an eye sees change."""

    def __init__(self, path: Path, title: str) -> None:
        self._source = Source(
            name=path.name, title=title, virtual=False, replay=True, state="live", text="", fps=0, latency_ms=0
        )
        self._full = ""
        self._view = View()
        """The last that was built whole."""
        self._models = dict[str, dict[str, Any]]()
        """How models are shown now, by the fields of their views."""
        self._members = dict[str, tuple[Unit, Model]]()
        """The models of the game, with their units."""
        self._state: GameState | None = None
        self._hidden = set[str]()

    @property
    def full(self) -> str:
        """What was seen first, as JSON."""
        return self._full or self._view.model_dump_json()

    def look(self, step: PlaybackStep) -> tuple[Changes, dict[str, list[str]]]:
        """Return what has changed since the step before, as `diff_views` does; nothing has for the first."""
        session, before, changed = step.session, self._hidden, None
        self._hidden = set(session.observations.hidden_ns)
        if session.state is self._state and isinstance(step.entry.what, PosesSeen):
            seen = {pose.model for pose in step.entry.what.poses}
            changed = follow_poses(self._models, session, self._members, {*seen, *self._hidden, *before})
        if changed is not None:
            return {"models": changed} if changed else {}, {}
        models = {
            model: known if (now := self._models[model]) is known.__dict__ else ModelView.model_construct(**now)
            for model, known in self._view.models.items()
        }
        old = self._view.model_copy(update={"models": models})
        self._state, self._view = session.state, build_drawn_view(session, self._source)
        self._models = {model: shown.__dict__ for model, shown in self._view.models.items()}
        self._members = {model.id: (unit, model) for unit, model in session.state.iterate_models()}
        if not self._full:
            self._full = self._view.model_dump_json()
            return {}, {}
        return diff_views(old, self._view)
