"""Happenings: what of two views of a table, one after the other, other programs want to be told."""

from dataclasses import dataclass
from typing import Literal

from assistant.web.messages import View

HappeningKind = Literal["verdict", "turn", "camera", "call"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A table in a few words: what a lamp, a scene or a message is about."""

    outcome: str = "none"
    """What the referee says of what stands now, as people have ruled; ``none`` while it says nothing."""
    text: str = ""
    """The finding that decides it, as a sentence; empty if none does."""
    rule: str = ""
    """Of that finding."""
    unit: str = ""
    """The unit whose move is announced."""
    camera: str = "starting"
    """``live``, ``lost``, ``ended`` or ``starting``."""
    round: int = 0
    """0 while nobody counts."""
    turn: int = 0
    player: str = ""
    """Whose turn it is; empty while nobody counts."""
    step: str = ""
    """Of the turn, in words."""
    called: bool = False
    """Somebody calls a judge."""


def describe_standing(view: View) -> Standing:
    """Return what a view says of its table."""
    move, camera, turn = view.move.get("move"), view.camera.get("camera"), view.turn.get("turn")
    outcome = (move and move.outcome) or "none"
    finding = next((each for each in view.findings.values() if each.outcome == outcome), None)
    return Standing(
        outcome=outcome,
        text=finding.text if finding else "",
        rule=finding.rule if finding else "",
        unit=(move and move.announced) or "",
        camera=camera.state if camera else "starting",
        round=turn.round if turn else 0,
        turn=turn.number if turn else 0,
        player=turn.player if turn else "",
        step=turn.step if turn else "",
        called=bool(view.summons),
    )


def list_happenings(before: Standing | None, now: Standing) -> tuple[HappeningKind, ...]:
    """Return of what kind the changes are from one standing to the next; of the first, nothing has changed."""
    if before is None:
        return ()
    same: dict[HappeningKind, bool] = {
        "verdict": (before.outcome, before.text) == (now.outcome, now.text),
        "turn": (before.round, before.turn, before.player, before.step) == (now.round, now.turn, now.player, now.step),
        "camera": before.camera == now.camera,
        "call": before.called == now.called,
    }
    return tuple(kind for kind, unchanged in same.items() if not unchanged)
