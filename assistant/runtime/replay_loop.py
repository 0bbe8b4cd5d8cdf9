"""The replay loop: a recorded game played on the pages, as they ask for it."""

import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from assistant.features.feature import Asker, Feature, Handles
from assistant.features.notices import print_notice
from assistant.game.events import SourceChanged
from assistant.game.state import Setting
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import JournalEntry
from assistant.replay.formatting import SECOND_NS
from assistant.replay.playback import play_entry, read_first_state
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.verdict_diff import override_parameters
from assistant.replay.verification_notice import find_notice
from assistant.runtime.dispatch import ABSENT, FeatureSet
from assistant.runtime.live_loop import LatestFrame, freeze_collector
from assistant.runtime.page_server import ServingOptions, serve_pages
from assistant.runtime.supervision import Attempt, FaultNotices, log_failure
from assistant.table.background_worker import BackgroundWorker
from assistant.table.session import GameSession
from assistant.table.zone_query import ZoneSolver
from assistant.web.commands.game import Pause, Play, Seek, Speed, Step
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.message import Message
from assistant.web.messages.table import PlayingView
from assistant.web.replay_routes import Archive, build_recorded_source
from assistant.web.views.session import Source, build_view
from overtable_errors import OvertableError

LONGEST_WAIT_S = 2.0
"""Nothing happens for minutes while players think; a replay does not make its watchers wait for all of it."""
STEPS_AHEAD = 50
IDLE_S = 0.05
"""Pages are heard at least this often."""


class ReplayPlayer(Feature):
    """Where a replay is, and the game as it stood then.  Used from one thread."""

    name = "replay"

    def __init__(
        self,
        past: RecordedGame,
        *,
        speed: float,
        solve_zone: ZoneSolver | None = None,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to play at the beginning.

        Args:
            past: the recording.
            speed: 2 plays twice as fast.
            solve_zone: works out zones.
            clock_s: any clock that goes on evenly.

        Raises:
            BadInput: the recording cannot be read.

        """
        self.past, self.speed, self.playing = past, speed, True
        self._solve_zone = solve_zone
        self.clock_s = clock_s
        self._due_s = 0.0
        self._camera: SourceChanged | None = None
        """What was last told of it."""
        self.at_ns = 0
        self.session = GameSession(read_first_state(past.path, past.about), solve_zone=solve_zone)
        self._began_ns = past.began_ns
        self._entries = read_entries(past.path)
        self._next = next(self._entries, None)

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to play."""
        return self._next is None

    def handle(self, command: Message, asker: Asker) -> None:
        """Do what a page asks; what comes next is due by when it was asked."""
        super().handle(command, asker)
        self._schedule(self.clock_s())

    @Handles(Play)
    def play(self) -> None:
        """Go on playing; from the beginning once the end is reached."""
        if self.ended:
            self._go_to(0)
        self.playing = True

    @Handles(Pause)
    def pause(self) -> None:
        """Stay at this moment."""
        self.playing = False

    @Handles(Speed)
    def change_speed(self, command: Speed) -> None:
        """Play faster or slower."""
        self.speed = command.speed

    @Handles(Seek)
    def seek(self, command: Seek) -> None:
        """Show a moment, and go on as before from there."""
        self._go_to(command.at_ns)

    @Handles(Step)
    def step(self, command: Step) -> None:
        """Show the moment of the next move, or of the one before, and stay there."""
        self.playing = False
        moved_ns = self.past.list_move_times()
        at = bisect_left(moved_ns, self.at_ns) - 1 if command.back else bisect_right(moved_ns, self.at_ns)
        self._go_to(moved_ns[at] if 0 <= at < len(moved_ns) else 0 if command.back else self.past.find_end_ns())

    def play_due(self) -> float:
        """Play what is due; return for how many seconds nothing more is."""
        now_s = self.clock_s()
        while self.playing and self._next is not None and now_s >= self._due_s:
            at_ns = self._find_time(self._next)
            while self._next is not None and self._find_time(self._next) <= at_ns:
                self._camera = play_entry(self.session, self._next, self.past.path) or self._camera
                self._next = next(self._entries, None)
            self.at_ns = at_ns
            self._schedule(max(self._due_s, now_s - IDLE_S))  # what comes late is caught up with, within bounds
        if self._next is None:
            self.playing = False
        return min(max(self._due_s - now_s, 0.0), IDLE_S) if self.playing else IDLE_S

    def describe_source(self, notice: str) -> Source:
        """Return what the pages are told of the recording, and of the camera as it was then."""
        source = build_recorded_source(self.past, self._camera)
        ended = "The recording has ended." if self.ended else ""
        text = " ".join(filter(None, (ended, source.text, notice)))
        return replace(source, state="ended" if self.ended else source.state, text=text)

    def build_view(self, length_ns: int) -> View:
        """Return where the replay is as the pages are told."""
        playing = PlayingView(at_ns=self.at_ns, length_ns=length_ns, playing=self.playing, speed=self.speed)
        return View(playing={"playing": playing})

    def _go_to(self, at_ns: int) -> None:
        moment = self.past.find_moment(at_ns)
        self.session = moment.session.fork(solve_zone=self._solve_zone)
        self.at_ns, self._camera = moment.at_ns, moment.camera
        self._entries = read_entries(self.past.path, after=moment.entry)
        self._next = next(self._entries, None)

    def _schedule(self, from_s: float) -> None:
        """Set when the next entry is due: after the time that it took then, but no longer than anybody watches for."""
        if self._next is not None:
            passed_s = (self._find_time(self._next) - self.at_ns) / SECOND_NS
            self._due_s = from_s + min(max(passed_s, 0.0) / self.speed, LONGEST_WAIT_S)

    def _find_time(self, entry: JournalEntry) -> int:
        """Return when an entry happened; what was written late counts as when it was written."""
        return max(entry.captured_ns - self._began_ns, self.at_ns)


def play(past: RecordedGame, hub: Hub, stop: threading.Event, *, speed: float, notice: Future[str]) -> None:
    """Show a recording as the pages ask for it, until told to stop.

    Args:
        past: the recording.
        hub: where the pages are.
        stop: set when the program is asked to end.
        speed: 2 plays twice as fast.
        notice: what a person should know of the recording, once it is known; empty for nothing.

    Raises:
        BadInput: the recording cannot be read.

    """
    length_ns = past.find_end_ns()
    faults = FaultNotices()
    with (
        faults.listen(),
        BackgroundWorker() as worker,
        ThreadPoolExecutor(1, "ahead") as executor,
        freeze_collector(),
    ):
        ahead = executor.submit(_look_ahead, past, stop)
        ahead.add_done_callback(log_failure("What comes later in the recording was not looked up beforehand."))
        player = ReplayPlayer(past, speed=speed, solve_zone=worker)
        features = FeatureSet(
            player, absent=dict.fromkeys(ABSENT, "this is a recording: it can be watched, not changed")
        )
        while not stop.is_set():
            for command in hub.take():
                features.obey(command, Asker(session=player.session, role=command.role, past=past))
            wait_s = IDLE_S
            with Attempt("A moment of the recording was left out.", passing=(OvertableError,)):
                wait_s = player.play_due()
            with Attempt("The pages show what was before.") as attempt:
                source = player.describe_source(notice.result() if notice.done() and not notice.exception() else "")
                hub.game = player.session.state
                hub.publish(build_view(player.session, source, player.build_view(length_ns), *faults.build_views()))
            if attempt.failed:
                for told in faults.build_views():
                    hub.publish_notices(told.notices)
            stop.wait(wait_s)


def _look_ahead(past: RecordedGame, stop: threading.Event) -> None:
    """Look up how models were seen in a recording whose rows do not sum that up, before somebody asks for it."""
    for share in range(1, STEPS_AHEAD + 1):
        if not stop.is_set():
            past.find_moment(past.find_end_ns() * share // STEPS_AHEAD)


def serve_replay(recording: Path, changed: Mapping[str, Setting], speed: float, where: ServingOptions) -> None:
    """Play a recording on the pages until interrupted.

    Args:
        recording: the recording.
        changed: parameters of the rulebook in place of those then.
        speed: 2 plays twice as fast.
        where: where the pages are served.

    Raises:
        BadInput: it cannot be read or judged so, or the port is taken.

    """
    about = override_parameters(recording, read_about(recording), changed)
    past = RecordedGame(recording, about)
    hub, archive = Hub(), Archive(past)
    title = about.get("title", recording.stem)
    with (
        ThreadPoolExecutor(1, "verify") as executor,
        serve_pages(hub, LatestFrame(), where, title, archive=archive) as stop,
    ):
        notice = executor.submit(find_notice, recording)
        notice.add_done_callback(log_failure("It was not found out whether the recording is whole."))
        notice.add_done_callback(lambda done: None if done.exception() else print_notice(done.result()))
        play(past, hub, stop, speed=speed, notice=notice)
