"""Demo scripts (`overtable.script/1`): moves that a hand makes on the virtual table, and the performer that plays them.

A scene's move is written as in a situation, with what the referee says of it: its paths begin where the scenes before
it have left their models, and are walked in their order.  A model that is off the table is put down at the first pose
of its path.

The performer turns the time of a picture and what the session knows into what a page would send.  It neither waits
nor draws: whoever owns the live loop asks at every picture what to do now, and obeys it as a person's.  A hand slides
a model along its path, and comes up to its pace as a person's does.
"""

import math
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Format, Id, read_json
from assistant.game.situation_file import MoveForm, build_move
from assistant.game.state import GameState, Move, Pose
from assistant.replay.formatting import SECOND_NS
from assistant.rules.verdict import Outcome
from assistant.table.session import GameSession
from assistant.web.commands.game import Accept, Declare, Drag, Withdraw
from assistant.web.messages.message import Message
from assistant.web.messages.table import SceneView

PACE_MM_S = 180.0
"""About as fast as a person slides a model who wants to be followed."""


class ExpectForm(Format):
    """What the referee says of a scene's move."""

    outcome: Literal["legal", "illegal", "too-close", "unobserved"]
    rule: Id = Field(description="the row of the rule table that decides it, or that says what the move brings")


class SceneForm(Format):
    """One move, shown and then accepted or taken back."""

    caption: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="what is shown and why, as the pages say it"
    )
    move: MoveForm = Field(description="as in a situation; it is always observed")
    expect: ExpectForm
    then: Literal["accept", "take-back"] = Field(
        default="take-back", description="whether the next scene begins where this one ends, or where it began"
    )
    pace_mm_s: Annotated[float, Field(gt=0, le=2000)] = PACE_MM_S


class ScriptForm(Format):
    """Scenes, in the order in which they are played."""

    name: ClassVar[str] = "overtable.script/1"

    format: Literal["overtable.script/1"]
    scenes: Annotated[tuple[SceneForm, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptScene:
    """One move, shown and then accepted or taken back."""

    caption: str
    move: Move
    outcome: Outcome
    """What the referee is expected to say."""
    rule: str
    """The rule that decides it."""
    accepted: bool
    """Otherwise the models are slid back, and the announcement is withdrawn."""
    pace_mm_s: float


def read_script(path: Path, state: GameState) -> tuple[ScriptScene, ...]:
    """Read the scenes of a script that begins with a game as it stands.

    Raises:
        BadInput: one sentence that names the file, the scene and what was expected.

    """
    form = read_json(path, ScriptForm)
    return tuple(_build_scenes(form, state, str(path)))


def _build_scenes(form: ScriptForm, state: GameState, name: str) -> Iterator[ScriptScene]:
    stands = {model.id: model.pose for _, model in state.iterate_models()}
    for number, scene in enumerate(form.scenes):
        place = f"{name}: scenes[{number}]"
        move = build_move(scene.move, state, place)
        if not move.observed:
            raise BadInput(f"{place}.move.observed: a script's moves are all seen; leave this key out")
        for model, path in move.paths.items():
            _check_path(path, stands[model], f"{place}.move.paths.{model}", back=scene.then == "take-back")
        if scene.then == "accept":
            stands.update({model: path[-1] for model, path in move.paths.items()})
        yield ScriptScene(
            caption=scene.caption,
            move=move,
            outcome=Outcome(scene.expect.outcome),
            rule=scene.expect.rule,
            accepted=scene.then == "accept",
            pace_mm_s=scene.pace_mm_s,
        )


def _check_path(path: tuple[Pose, ...], stands: Pose | None, place: str, *, back: bool) -> None:
    if stands is None:
        if back:
            raise BadInput(f'{place}: this model is off the table and cannot be slid back; expected "then": "accept"')
        return
    begins, expected = ((p.x_mm, p.y_mm, p.facing_rad) for p in (path[0], stands))
    if begins != expected:
        raise BadInput(
            f"{place}[0]: the path begins at ({path[0].x_mm:g}, {path[0].y_mm:g}), but the model then stands at"
            f" ({stands.x_mm:g}, {stands.y_mm:g}); expected that pose, its facing_deg too"
        )


TURN_MM = 60.0
"""What a radian of turning on the spot takes of a hand's way."""

SETS_OFF_S = 0.6
"""A hand takes so long to come up to its pace: a leap from rest would be lost by a slow camera."""


def slide_distance_mm(seconds: float, pace_mm_s: float) -> float:
    """Return how far a hand has gone so long after it set off."""
    speeding_s = min(seconds, SETS_OFF_S)
    return pace_mm_s * (speeding_s**2 / (2 * SETS_OFF_S) + seconds - speeding_s)


def length_mm(path: tuple[Pose, ...]) -> float:
    """Return a path's length as a hand goes it, turns on the spot included."""
    return sum(_leg_length_mm(a, b) for a, b in pairwise(path))


def find_pose_along(path: tuple[Pose, ...], gone_mm: float) -> Pose:
    """Return the pose after so much of a path; beyond its end, the end itself."""
    for a, b in pairwise(path):
        leg_mm = _leg_length_mm(a, b)
        if gone_mm < leg_mm:
            share = gone_mm / leg_mm
            turn = math.remainder(b.facing_rad - a.facing_rad, math.tau)
            return Pose(
                x_mm=a.x_mm + share * (b.x_mm - a.x_mm),
                y_mm=a.y_mm + share * (b.y_mm - a.y_mm),
                facing_rad=a.facing_rad + share * turn,
            )
        gone_mm -= leg_mm
    return path[-1]


def _leg_length_mm(a: Pose, b: Pose) -> float:
    turn = math.remainder(b.facing_rad - a.facing_rad, math.tau)
    return max(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm), TURN_MM * abs(turn))


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

ScriptSteps = Generator[tuple[Message, ...], None, None]
SlidePaths = Mapping[str, tuple[Pose, ...]]


class ScriptPerformer:
    """Plays scenes on one session.  Used from the thread that owns the session."""

    def __init__(self, scenes: tuple[ScriptScene, ...], session: GameSession) -> None:
        self._session = session
        self._scenes = scenes
        self._play: ScriptSteps | None = self._play_all()
        self._shown: SceneView | None = None
        self._clock_ns = 0
        self._last_ns: int | None = None

    @property
    def playing(self) -> bool:
        """Whether there is more to come."""
        return self._play is not None

    def step(self, now_ns: int) -> tuple[Message, ...]:
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
            self._shown = self._build_scene_view(len(self._scenes), why, playing=False)

    def build_view(self) -> SceneView | None:
        """Return what the pages say of it now; None if nothing."""
        return self._shown

    def _play_all(self) -> ScriptSteps:
        yield from self._wait_until(self._are_all_found)
        for number, scene in enumerate(self._scenes, 1):
            yield from self._play_scene(number, scene)

    def _play_scene(self, number: int, scene: ScriptScene) -> ScriptSteps:
        self._shown = self._build_scene_view(number, scene.caption)
        yield from self._make_move(scene)
        if self._has_lost_sight(
            scene.move
        ):  # a busy machine looks too seldom; the ruling would be about something else
            yield from self._take_back(scene)
            yield from self._make_move(scene)
        self._shown = self._build_ruling_view(number, scene)
        yield from self._pause(SHOWN_S)
        if scene.accepted:
            yield (Accept(type="accept"),)
        else:
            yield from self._take_back(scene)

    def _make_move(self, scene: ScriptScene) -> ScriptSteps:
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
        yield from self._wait_for_rest({model: path[-1] for model, path in move.paths.items()})

    def _take_back(self, scene: ScriptScene) -> ScriptSteps:
        """Slide the models back and withdraw the announcement."""
        paths = scene.move.paths
        yield from self._slide({model: path[::-1] for model, path in paths.items()}, scene.pace_mm_s)
        yield from self._wait_for_rest({model: path[0] for model, path in paths.items()})
        # What stands is where it stood, so the way there and back is no part of the next move.
        yield (Withdraw(type="withdraw"), *((Accept(type="accept"),) if paths else ()))

    def _slide(self, paths: SlidePaths, pace_mm_s: float) -> ScriptSteps:
        """Slide models along their paths, all at once."""
        begun_ns = self._clock_ns
        done = False
        while not done:
            gone = slide_distance_mm((self._clock_ns - begun_ns) / SECOND_NS, pace_mm_s)
            done = all(gone >= length_mm(path) for path in paths.values())
            yield tuple(_build_drag(model, find_pose_along(path, gone), done=done) for model, path in paths.items())

    def _pause(self, seconds: float) -> ScriptSteps:
        end_ns = self._clock_ns + round(seconds * SECOND_NS)
        yield from self._wait_until(lambda: self._clock_ns >= end_ns)

    def _wait_until(self, holds: Callable[[], bool]) -> ScriptSteps:
        while not holds():
            yield ()

    def _wait_for_rest(self, ends: Mapping[str, Pose]) -> ScriptSteps:
        if not ends:
            return
        yield from self._pause(LET_GO_S)
        end_ns = self._clock_ns + round(PATIENCE_S * SECOND_NS)
        yield from self._wait_until(
            lambda: self._clock_ns >= end_ns or all(self._is_at_rest(model, at) for model, at in ends.items())
        )

    def _is_at_rest(self, model: str, at: Pose | None) -> bool:
        """Whether the camera sees a model at rest, and at a place if one is given."""
        pose = self._session.poses.get(model)
        if pose is None or pose.state != "seen" or pose.moving:
            return False
        return at is None or math.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm) < THERE_MM

    def _are_all_found(self) -> bool:
        return all(
            self._is_at_rest(model.id, None)
            for _, model in self._session.state.iterate_models()
            if model.pose is not None
        )

    def _has_lost_sight(self, move: Move) -> bool:
        """Whether a way along the table was not seen whole; a climb never is."""
        tracks = [self._session.state.tracks[model] for model in move.paths if model in self._session.state.tracks]
        return any(not track.observed and all(pose.z_mm == 0 for pose in track.poses) for track in tracks)

    def _build_scene_view(self, number: int, caption: str, *, playing: bool = True) -> SceneView:
        return SceneView(
            number=number, count=len(self._scenes), caption=caption, outcome=None, ruling="", playing=playing
        )

    def _build_ruling_view(self, number: int, scene: ScriptScene) -> SceneView:
        view, answer = self._build_scene_view(number, scene.caption), self._session.consult_referee()
        if answer.verdict is None:
            return view.model_copy(update={"ruling": answer.note})
        outcome = answer.verdict.outcome
        if outcome in {Outcome.LEGAL, Outcome.NOTE}:
            return view.model_copy(update={"outcome": Outcome.LEGAL.value})
        deciding = [finding for finding in answer.verdict.findings if finding.outcome is outcome]
        # Of several offences the one that the caption speaks of.
        decisive = next((finding for finding in deciding if finding.rule == scene.rule), deciding[0])
        return view.model_copy(update={"outcome": outcome.value, "ruling": f"{decisive.text} ({decisive.rule})"})


def _build_drag(model: str, at: Pose, *, done: bool) -> Drag:
    facing_deg = math.degrees(at.facing_rad)
    return Drag(type="drag", model=model, x_mm=at.x_mm, y_mm=at.y_mm, facing_deg=facing_deg, done=done)
