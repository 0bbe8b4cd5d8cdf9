"""Played sessions: a session whose models a script pushes about, and what the referee says of it."""

from collections.abc import Iterable

from assistant.game.state import GameState
from assistant.recording.journal.writer import Journal
from assistant.rules.verdict import Outcome
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import SnapshotScript, build_crossing_game, build_game
from vision.types import TableSnapshot

AROUND = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0), "b1": (300.0, 420.0)}
BESIDE = {"s1": (600.0, 265.0), "s2": (640.0, 265.0), "w1": (600.0, 320.0)}
"""Both scouts are engaged with the walker."""


def show_snapshots(session: GameSession, snapshots: Iterable[TableSnapshot]) -> None:
    """Let a session see pictures."""
    for snapshot in snapshots:
        session.observe(snapshot)


def start_session(
    state: GameState | None = None, places: dict[str, tuple[float, float]] = AROUND, journal: Journal | None = None
) -> tuple[GameSession, SnapshotScript]:
    """Return a session that has seen its table once, and the script of its models; without a state, of the crossing."""
    session, script = GameSession(state or build_crossing_game(), journal), SnapshotScript(places=dict(places))
    show_snapshots(session, [script.take_snapshot()])
    return session, script


def put_down(session: GameSession, script: SnapshotScript, **models: tuple[float, float]) -> None:
    """Let models stand elsewhere from one picture to the next."""
    script.places.update(models)
    show_snapshots(session, [script.take_snapshot(), script.take_snapshot()])


def judge_outcome(session: GameSession) -> Outcome | None:
    """Return what the verdict comes to; None while nothing is judged."""
    verdict = session.consult_referee().verdict
    return verdict.outcome if verdict else None


def list_broken_rules(session: GameSession) -> set[str]:
    """Return the rules that what stands breaks."""
    verdict = session.consult_referee().verdict
    return {finding.rule for finding in verdict.findings if finding.outcome is Outcome.ILLEGAL} if verdict else set()


def list_effects(session: GameSession) -> dict[str, tuple[str, ...]]:
    """Return whom each of the verdict's effects is about."""
    verdict = session.consult_referee().verdict
    return {effect.effect: effect.subjects for effect in verdict.effects} if verdict else {}


def list_allowed(session: GameSession) -> set[str]:
    """Return the actions that the picked unit may choose."""
    return {option.action for option in session.consult_referee().options if option.allowed}


def move_model(session: GameSession, script: SnapshotScript, model: str, x_mm: float, y_mm: float) -> None:
    """Push a model along a straight line and let go."""
    show_snapshots(session, script.slide(model, x_mm, y_mm))


def start_duel() -> tuple[GameSession, SnapshotScript]:
    """Return a session of two scouts against a walker, and the script of its models."""
    return start_session(build_game(), SnapshotScript().places)
