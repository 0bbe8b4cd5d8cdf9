"""Simulated tables: games that play by themselves for the demo of a hall, without pictures and without eyes.

What the eyes would have seen is made up, and everything after that is what it is at a table: session, referee, journal,
publisher.  A dozen of them take a fraction of a core, where a dozen rendered tables would take ten.
"""

import json
import logging
import math
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from assistant.features.decisions import JudgeController
from assistant.features.demo.catalogue import read_demo
from assistant.features.feature import Asker
from assistant.game.events import SourceChanged
from assistant.game.situation_file import encode_situation
from assistant.game.state import GameState, Move, Pose, Unit
from assistant.hall.folder import HallFolder
from assistant.hall.publisher import HallLink, publish_to_hall
from assistant.recording.journal.writer import Journal
from assistant.replay.recorded_game import RecordedGame
from assistant.rules.referee import Referee
from assistant.rules.verdict import Outcome
from assistant.table.evidence_pictures import EvidenceKeeper
from assistant.table.session import GameSession
from assistant.web.commands.game import RulePast
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.move import SummonsView
from assistant.web.messages.table import CameraView, TableView
from hardware.clock import read_clock_ns
from overtable_errors import OvertableError
from vision.types import BasePose, PoseState, TableSnapshot

RULEBOOK = "warhammer-40k-10e"
TICK_S = 0.25
INCH_MM = 25.4
EDGE_MM = 60.0
PUSHED_TICKS, REST_TICKS, DOUBTED_TICKS = 3, 6, 120
"""How long a model is on its way, all lie still before players go on, and players look at what nobody can tell."""
SHARES = (0.5, 0.7, 0.8, 0.9, 1.0, 1.04)
"""Of a unit's move: the last but one is too close to call, the last too far."""
TRIES = 12
"""So many ways are thought of."""
ASKS = 0.3
"""The share of what is not legal for which a judge is asked."""
PICTURE_PX_PER_MM = 0.6
SIDES = ((230, 160, 90), (90, 120, 230), (110, 200, 120))
ABOUT = ("Is this unit in range?", "May it move through the ruin?", "We do not agree on the distance.")
NAMES = (
    "Ada",
    "Bo",
    "Cem",
    "Dee",
    "Eve",
    "Finn",
    "Gil",
    "Hana",
    "Ivo",
    "Jun",
    "Kim",
    "Lea",
    "Mio",
    "Nia",
    "Ole",
    "Pia",
)
_log = logging.getLogger(__name__)


class SimulatedTable:
    """A game that plays by itself, one tick after the other; used from one thread."""

    def __init__(self, path: Path, seed: int) -> None:
        """Begin a game that is recorded to a file."""
        state = read_demo(RULEBOOK).state
        self.path, self.hub = path, Hub()
        about = {"title": path.stem, "situation": json.dumps(encode_situation(state)), "source": "simulated:"}
        self.journal = Journal(path, about=about)
        self.session = GameSession(state, self.journal)
        self._lot = random.Random(seed)  # noqa: S311 - a game, not a secret
        self._evidence, self._judge = EvidenceKeeper(), JudgeController()
        self._places = {
            model.id: (model.pose.x_mm, model.pose.y_mm, model.pose.facing_rad)
            for _, model in state.iterate_models()
            if model.pose is not None
        }
        self._moving: frozenset[str] = frozenset()
        self._summons: SummonsView | None = None
        self._sequence = 0
        self._plays = self._play()

    def tick(self) -> None:
        """Play on by a quarter of a second, do what a judge ruled, and show how the table fares."""
        for command in self.hub.take():
            if isinstance(command.message, RulePast):
                past = RecordedGame(self.path)
                try:
                    self._judge.handle(command.message, Asker(session=self.session, role="judge", past=past))
                except OvertableError as error:
                    command.refuse(str(error))
        next(self._plays)
        self.session.record_call()
        self._evidence.keep_evidence(self.session, self._draw)
        self._show()

    def _play(self) -> Iterator[None]:
        """Play for ever, a tick at a time."""
        self.session.record_event(SourceChanged(state="live", text=""))
        for _ in range(3):
            self._see()
            yield
        while True:
            player = self._begin_turn()
            for unit in [each for each in self.session.state.units if each.player == player]:
                yield from self._move(unit)
            yield from self._wait(REST_TICKS)

    def _begin_turn(self) -> str:
        """Begin the next turn, through all steps of the one before; return whose it is."""
        before = self.session.state.turn
        while True:
            self.session.advance_turn()
            turn = self.session.state.turn
            assert turn is not None
            if before is None or turn.number != before.number:
                return turn.player

    def _move(self, unit: Unit) -> Iterator[None]:
        """Let a unit move by lot: legally, too close to call or too far; after a while it is accepted."""
        models = [model.id for model in unit.models if model.id in self._places]
        way = self._choose_way(unit.id, float(unit.profile.get("move_in", 0.0)) * INCH_MM, models)  # type: ignore[arg-type]
        if not models or way is None:
            return
        try:
            self.session.declare(unit=unit.id, action="normal")
        except OvertableError:
            return  # it may not: it is off the table
        verdict = self.session.consult_referee().verdict
        if verdict is not None and verdict.outcome is Outcome.ILLEGAL:
            self.session.withdraw()  # it is engaged
            return
        for model in self._sort_from_front(models, way):
            x, y, facing = self._places[model]
            self._moving = frozenset({model})
            for step in range(1, PUSHED_TICKS + 1):
                share = step / PUSHED_TICKS
                self._places[model] = (x + share * way[0], y + share * way[1], facing)
                self._see()
                yield
        self._moving = frozenset()
        yield from self._wait(REST_TICKS)
        verdict = self.session.consult_referee().verdict
        outcome = verdict.outcome if verdict else Outcome.LEGAL
        if outcome is not Outcome.LEGAL:
            yield from self._doubt(outcome, asks=self._lot.random() < ASKS)
        if self.session.state.declared is not None:
            self.session.accept()
        yield from self._wait(REST_TICKS * self._lot.randint(1, 4))

    def _doubt(self, outcome: Outcome, *, asks: bool) -> Iterator[None]:
        """Look at what is not legal for a while, perhaps asking for a judge."""
        if asks:
            self._summons = SummonsView(about=self._lot.choice(ABOUT), since_s=self.session.now_ns // 10**9)
        long = asks or outcome is Outcome.TOO_CLOSE
        yield from self._wait(self._lot.randint(DOUBTED_TICKS // 2, 2 * DOUBTED_TICKS) if long else 2 * REST_TICKS)
        self._summons = None

    def _wait(self, ticks: int) -> Iterator[None]:
        for _ in range(ticks):
            self._see()
            yield

    def _choose_way(self, unit: str, move_mm: float, models: Sequence[str]) -> tuple[float, float] | None:
        """Return by how much a unit is moved that may move so far; None where no way is found.

        But for its length it is legal: nobody ends on a wall, or is left behind.
        """
        referee = Referee(self.session.state)
        for _ in range(TRIES if move_mm else 0):
            far_mm, turn = move_mm * self._lot.choice(SHARES), self._lot.uniform(0, 2 * math.pi)
            way = far_mm * math.cos(turn), far_mm * math.sin(turn)
            if not self._stays_on_table(models, way):
                continue
            verdict = referee.judge(Move(unit=unit, action="normal", paths=self._plan_paths(models, way)))
            if all(f.way or f.outcome in {Outcome.LEGAL, Outcome.NOTE} for f in verdict.findings):
                return way
        return None

    def _plan_paths(self, models: Sequence[str], way: tuple[float, float]) -> dict[str, tuple[Pose, ...]]:
        poses = {model: self.session.state.find_model(model).pose for model in self._sort_from_front(models, way)}
        return {
            model: (pose, replace(pose, x_mm=pose.x_mm + way[0], y_mm=pose.y_mm + way[1]))
            for model, pose in poses.items()
            if pose is not None
        }

    def _sort_from_front(self, models: Sequence[str], way: tuple[float, float]) -> list[str]:
        """Return the models of a unit in the order in which they go, so that nobody has to pass through a friend."""
        return sorted(models, key=lambda each: -(self._places[each][0] * way[0] + self._places[each][1] * way[1]))

    def _stays_on_table(self, models: Sequence[str], way: tuple[float, float]) -> bool:
        table = self.session.state.table
        ends = [(self._places[model][0] + way[0], self._places[model][1] + way[1]) for model in models]
        return all(EDGE_MM < x < table.width_mm - EDGE_MM and EDGE_MM < y < table.depth_mm - EDGE_MM for x, y in ends)

    def _see(self) -> None:
        """Let the session see where everything stands now."""
        self._sequence += 1
        now_ns = read_clock_ns()
        poses = tuple(
            BasePose(
                marker=number,
                model=model,
                x_mm=x,
                y_mm=y,
                facing_rad=facing,
                z_mm=0.0,
                covariance=np.diag([0.01, 0.01, 1e-4]),
                state=PoseState.SEEN,
                seen_ns=now_ns,
                moving=model in self._moving,
            )
            for number, (model, (x, y, facing)) in enumerate(self._places.items(), start=1)
        )
        self.session.observe(
            TableSnapshot(
                captured_ns=now_ns, sequence=self._sequence, calibration="simulated", anchors_seen=6, poses=poses
            )
        )

    def _show(self) -> None:
        """Tell the hub what a judge is told of the table."""
        table = self.session.state.table
        self.hub.publish(
            View(
                table={
                    "table": TableView(
                        width_mm=table.width_mm,
                        depth_mm=table.depth_mm,
                        rulebook=RULEBOOK,
                        title=f"Simulated game {self.path.stem}",
                        virtual=True,
                        replay=False,
                    )
                },
                camera={
                    "camera": CameraView(
                        source="simulated:", state="live", text="", anchors_seen=6, fps=1 / TICK_S, latency_ms=0
                    )
                },
                summons={} if self._summons is None else {"judge": self._summons},
            )
        )

    def _draw(self) -> bytes:
        """Return a drawing of the table in place of a camera's picture."""
        return draw_game(self.session.state, self._places)

    def close(self) -> None:
        """End the game."""
        self.session.close()
        self.journal.close()


def draw_game(state: GameState, places: dict[str, tuple[float, float, float]]) -> bytes:
    """Return a game from above as a JPEG: terrain grey, bases in their players' colours."""
    scale, depth_mm = PICTURE_PX_PER_MM, state.table.depth_mm
    picture = np.full((round(depth_mm * scale), round(state.table.width_mm * scale), 3), 40, np.uint8)
    for piece in state.terrain:
        ring = np.array([[x * scale, (depth_mm - y) * scale] for x, y in piece.outline_mm]).round().astype(np.int32)
        cv2.fillPoly(picture, [ring], (80, 80, 80))
    players = list(dict.fromkeys(unit.player for unit in state.units))
    for unit, model in state.iterate_models():
        if (place := places.get(model.id)) is not None:
            colour = SIDES[players.index(unit.player) % len(SIDES)]
            centre = (round(place[0] * scale), round((depth_mm - place[1]) * scale))
            cv2.circle(picture, centre, 11, colour, cv2.FILLED, cv2.LINE_AA)
    return bytes(cv2.imencode(".jpg", picture)[1])


def pair_names(tables: Sequence[str]) -> str:
    """Return made-up pairings for tables, as CSV."""
    lines = ["Table,Player 1,Player 2"]
    for at, table in enumerate(tables):
        one, other = NAMES[2 * at % len(NAMES)], NAMES[(2 * at + 1) % len(NAMES)]
        number = 2 * at // len(NAMES) + 1
        lines.append(f"{table},{one} {number},{other} {number}")
    return "\n".join(lines)


@contextmanager
def play_tables(folder: HallFolder, recordings: Path) -> Iterator[None]:
    """Play simulated games at all tables of a hall meanwhile, each published as a table's own machine would."""
    stop = threading.Event()
    with ExitStack() as opened:
        tables = []
        for seed, entry in enumerate(folder.event.tables):
            table = SimulatedTable(recordings / f"{entry.table}.overtable", seed)
            opened.callback(table.close)
            link = HallLink(folder.build_hall_file(entry))
            opened.enter_context(publish_to_hall(table.path, table.hub, link))
            tables.append(table)
        thread = threading.Thread(target=_play_all, args=(tables, stop), name="simulated tables", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def _play_all(tables: Sequence[SimulatedTable], stop: threading.Event) -> None:
    """Tick all tables, one after the other within each quarter of a second; one that fails stays as it is."""
    playing = list(tables)
    while playing and not stop.is_set():
        for table in list(playing):
            if stop.wait(TICK_S / len(playing)):
                return
            try:
                table.tick()
            except Exception:
                _log.exception("A simulated game ended by a bug: %s.", table.path.stem)
                playing.remove(table)
