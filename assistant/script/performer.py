"""The hand that plays a script: from the time of a picture and what the session knows to what a page would send.

Nothing here waits or draws.  Whoever owns the line asks at every picture what to do now, and obeys it as a person's.
"""

import math
from collections.abc import Callable, Generator, Mapping

from assistant.game.state import Move, Pose
from assistant.rules.verdict import Outcome
from assistant.script.form import Scene
from assistant.script.sliding import gone_mm, length_mm, reached
from assistant.session import Session
from assistant.web.commands import Command
from assistant.web.commands.demo import Drag
from assistant.web.commands.game import Accept, Declare, Withdraw
from assistant.web.messages.table import SceneView

SECOND_NS = 1_000_000_000
LONGEST_STEP_NS = SECOND_NS // 5
"""However late a picture comes, the hand goes no further than it would in this time: a leap would leave no path."""
READ_S = 3.0
"""From the caption to the first model that moves."""
LET_GO_S = 0.5
SHOWN_S = 6.0
"""How long the ruling stands."""
PATIENCE_S = 8.0
"""A model that is not seen to rest after so long is not waited for."""
FAREWELL_S = 12.0
THERE_MM = 3.0
OVER = "The demo is over. The table is yours: drag a model, or choose a unit."
STOPPED = "The demo has stopped. The table is yours: drag a model, or choose a unit."

Play = Generator[tuple[Command, ...], None, None]
Paths = Mapping[str, tuple[Pose, ...]]


class Performer:
    """Plays scenes on one session.  Used from the thread that owns the session."""

    def __init__(self, scenes: tuple[Scene, ...], session: Session) -> None:
        self._session = session
        self._scenes = scenes
        self._play: Play | None = self._all()
        self._shown: SceneView | None = None
        self._clock_ns = 0
        self._last_ns: int | None = None

    @property
    def playing(self) -> bool:
        """Whether there is more to come."""
        return self._play is not None

    def step(self, now_ns: int) -> tuple[Command, ...]:
        """Return what is to be done at the picture that was captured now."""
        self._clock_ns += 0 if self._last_ns is None else min(now_ns - self._last_ns, LONGEST_STEP_NS)
        self._last_ns = now_ns
        if self._play is None:
            if self._clock_ns > FAREWELL_S * SECOND_NS:
                self._shown = None
            return ()
        commands = next(self._play, None)
        if commands is None:
            self.stop(OVER)
        return commands or ()

    def stop(self, why: str = STOPPED) -> None:
        """Stop for good, and let the pages say why."""
        if self._play is not None:
            self._play, self._clock_ns = None, 0
            self._shown = self._said(len(self._scenes), why, playing=False)

    def shown(self) -> SceneView | None:
        """Return what the pages say of it now; None if nothing."""
        return self._shown

    def _all(self) -> Play:
        yield from self._until(self._all_found)
        for number, scene in enumerate(self._scenes, 1):
            yield from self._scene(number, scene)

    def _scene(self, number: int, scene: Scene) -> Play:
        self._shown = self._said(number, scene.caption)
        yield from self._make(scene)
        if self._lost_sight(scene.move):  # a busy machine looks too seldom; the ruling would be about something else
            yield from self._take_back(scene)
            yield from self._make(scene)
        self._shown = self._ruled(number, scene)
        yield from self._pause(SHOWN_S)
        if scene.accepted:
            yield (Accept(type="accept"),)
        else:
            yield from self._take_back(scene)

    def _make(self, scene: Scene) -> Play:
        """Announce a move, and make it model by model."""
        move = scene.move
        yield (
            Declare.model_validate(
                {
                    "type": "declare",
                    "unit": move.unit,
                    "action": move.action,
                    "rolls": list(move.rolls),
                    "model": next(iter(move.paths), None),
                    "intent": {key: list(v) if isinstance(v, tuple) else v for key, v in move.intent.items()},
                }
            ),
        )
        yield from self._pause(READ_S)
        for model, path in move.paths.items():
            yield from self._slide({model: path}, scene.pace_mm_s)
        yield from self._at_rest({model: path[-1] for model, path in move.paths.items()})

    def _take_back(self, scene: Scene) -> Play:
        """Slide the models back and withdraw the announcement."""
        paths = scene.move.paths
        yield from self._slide({model: path[::-1] for model, path in paths.items()}, scene.pace_mm_s)
        yield from self._at_rest({model: path[0] for model, path in paths.items()})
        # What stands is where it stood, so the way there and back is no part of the next move.
        yield (Withdraw(type="withdraw"), *((Accept(type="accept"),) if paths else ()))

    def _slide(self, paths: Paths, pace_mm_s: float) -> Play:
        """Slide models along their paths, all at once."""
        begun_ns = self._clock_ns
        done = False
        while not done:
            gone = gone_mm((self._clock_ns - begun_ns) / SECOND_NS, pace_mm_s)
            done = all(gone >= length_mm(path) for path in paths.values())
            yield tuple(_drag(model, reached(path, gone), done=done) for model, path in paths.items())

    def _pause(self, seconds: float) -> Play:
        end_ns = self._clock_ns + round(seconds * SECOND_NS)
        yield from self._until(lambda: self._clock_ns >= end_ns)

    def _until(self, holds: Callable[[], bool]) -> Play:
        while not holds():
            yield ()

    def _at_rest(self, ends: Mapping[str, Pose]) -> Play:
        if not ends:
            return
        yield from self._pause(LET_GO_S)
        end_ns = self._clock_ns + round(PATIENCE_S * SECOND_NS)
        yield from self._until(
            lambda: self._clock_ns >= end_ns or all(self._rests(model, at) for model, at in ends.items())
        )

    def _rests(self, model: str, at: Pose | None) -> bool:
        """Whether the camera sees a model at rest, and at a place if one is given."""
        seen = self._session.poses.get(model)
        if seen is None or seen.state != "seen" or seen.moving:
            return False
        return at is None or math.hypot(seen.x_mm - at.x_mm, seen.y_mm - at.y_mm) < THERE_MM

    def _all_found(self) -> bool:
        return all(self._rests(model.id, None) for _, model in self._session.state.models() if model.pose is not None)

    def _lost_sight(self, move: Move) -> bool:
        """Whether a way along the table was not seen whole; a climb never is."""
        tracks = [self._session.state.tracks[model] for model in move.paths if model in self._session.state.tracks]
        return any(not track.observed and all(pose.z_mm == 0 for pose in track.poses) for track in tracks)

    def _said(self, number: int, caption: str, *, playing: bool = True) -> SceneView:
        return SceneView(
            number=number, count=len(self._scenes), caption=caption, outcome=None, ruling="", playing=playing
        )

    def _ruled(self, number: int, scene: Scene) -> SceneView:
        said, answer = self._said(number, scene.caption), self._session.answer()
        if answer.verdict is None:
            return said.model_copy(update={"ruling": answer.note})
        outcome = answer.verdict.outcome
        if outcome in {Outcome.LEGAL, Outcome.NOTE}:
            return said.model_copy(update={"outcome": Outcome.LEGAL.value})
        deciding = [finding for finding in answer.verdict.findings if finding.outcome is outcome]
        # Of several offences the one that the caption speaks of.
        told = next((finding for finding in deciding if finding.rule == scene.rule), deciding[0])
        return said.model_copy(update={"outcome": outcome.value, "ruling": f"{told.text} ({told.rule})"})


def _drag(model: str, at: Pose, *, done: bool) -> Drag:
    facing_deg = math.degrees(at.facing_rad)
    return Drag(type="drag", model=model, x_mm=at.x_mm, y_mm=at.y_mm, facing_deg=facing_deg, done=done)
