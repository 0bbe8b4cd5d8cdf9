"""Decisions: what pages announce, decide and take back of the game, and what judges rule on its past.

Decisions are held to what the page showed: nobody decides about something that somebody else has changed meanwhile.
"""

import math
from dataclasses import replace

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles
from assistant.game.events import Ruled
from assistant.game.state import Ruling, Score
from assistant.replay.past_decisions import build_past_ruling, find_captured_ns, find_ruling, plan_restoring
from assistant.rules.rulebook import PREMEASURING, ROUNDS
from assistant.table.restore import build_last_accepted
from assistant.table.session import GameSession
from assistant.web.commands.game import (
    Accept,
    AgreeOnRounds,
    AllowMeasuring,
    Bumped,
    Declare,
    GoOn,
    MoveTerrain,
    PutBack,
    Remove,
    Restore,
    RestoreDone,
    Rule,
    RulePast,
    SetScore,
    SetStatus,
    Swapped,
    TakeTerrain,
    Undo,
    UnrulePast,
    Withdraw,
)
from assistant.web.commands.registry import DECIDE
from assistant.web.views.session import build_move_view


class GameController(Feature):
    """Takes decisions about the game to its session."""

    name = "game"

    @Handles(Declare)
    def declare(self, command: Declare, asker: Asker) -> None:
        """Announce an action, or pick a unit."""
        asker.session.declare(
            unit=command.unit,
            action=command.action,
            rolls=tuple(command.rolls),
            model=command.model,
            intent={k: tuple(value) if isinstance(value, list) else value for k, value in command.intent.items()},
            lost=tuple(command.lost),
            device=asker.device,
        )

    @Handles(Withdraw)
    def withdraw(self, _: Withdraw, asker: Asker) -> None:
        """Take the announcement back."""
        asker.session.withdraw(asker.device)

    @Handles(Accept)
    def accept(self, command: Accept, asker: Asker) -> None:
        """Accept what stands, if it is what the page showed."""
        session, shown = asker.session, command.shown
        if shown is not None:
            _require_unchanged(shown.decided, session)
            now = build_move_view(session, session.consult_referee())
            if (shown.outcome, set(shown.moved)) != (now.outcome, set(now.moved)):
                raise BadInput("the move changed while you tapped: look again")
        session.accept()

    @Handles(Rule)
    def rule(self, command: Rule, asker: Asker) -> None:
        """Decide what a call comes to."""
        asker.session.make_ruling(
            Ruling(
                by=command.by,
                outcome=command.outcome,
                note=command.note.strip(),
                rule=command.rule,
                subjects=tuple(command.subjects),
                agreed_mm=command.agreed_mm,
            )
        )

    @Handles(Bumped)
    def record_bump(self, command: Bumped, asker: Asker) -> None:
        """Take models' places for no move."""
        asker.session.record_bump(tuple(command.models))

    @Handles(PutBack)
    def put_back(self, command: PutBack, asker: Asker) -> None:
        """Take models to be on their way back."""
        asker.session.put_back(tuple(command.models))

    @Handles(TakeTerrain)
    def take_terrain(self, command: TakeTerrain, asker: Asker) -> None:
        """Take a piece of terrain as it lies."""
        asker.session.take_terrain(command.piece)

    @Handles(MoveTerrain)
    def move_terrain(self, command: MoveTerrain, asker: Asker) -> None:
        """Let a terrain feature lie elsewhere."""
        turn_rad = math.radians(command.turn_deg)
        asker.session.move_terrain(command.piece, command.dx_mm, command.dy_mm, turn_rad)

    @Handles(Swapped)
    def swap_markers(self, command: Swapped, asker: Asker) -> None:
        """Take two models to carry each other's markers."""
        one, two = command.models
        since_ns = None if command.since_ns is None else find_captured_ns(asker.past, command.since_ns)
        asker.session.swap_markers(one, two, since_ns)

    @Handles(Restore)
    def begin_restoring(self, command: Restore, asker: Asker) -> None:
        """Begin to put the table back."""
        session = asker.session
        if command.at_ns is None:
            session.begin_restoring(build_last_accepted(session.state))
        else:
            session.begin_restoring(plan_restoring(asker.past, command.at_ns, session.swaps))

    @Handles(RestoreDone)
    def finish_restoring(self, command: RestoreDone, asker: Asker) -> None:
        """End that, unless more is missing than the page showed."""
        session, missing = asker.session, command.missing
        if missing is not None and missing < sum(each.state != "back" for each in session.compare_placements()):
            raise BadInput("another model stands elsewhere than where it stood: look again")
        session.finish_restoring()

    @Handles(Remove)
    def remove_models(self, command: Remove, asker: Asker) -> None:
        """Take destroyed models out of the game."""
        asker.session.remove_models(tuple(command.models))

    @Handles(GoOn)
    def advance_turn(self, command: GoOn, asker: Asker) -> None:
        """Begin the next step of the turn."""
        _require_unchanged(command.decided, asker.session)
        asker.session.advance_turn(command.player)

    @Handles(SetStatus)
    def set_status(self, command: SetStatus, asker: Asker) -> None:
        """Say what a unit's status is."""
        asker.session.set_status(command.unit, tuple(command.status))

    @Handles(SetScore)
    def set_score(self, command: SetScore, asker: Asker) -> None:
        """Say what a player's score is."""
        asker.session.set_score(command.player, Score(points=command.points, army=command.army.strip()))

    @Handles(AgreeOnRounds)
    def agree_on_rounds(self, command: AgreeOnRounds, asker: Asker) -> None:
        """Take how many rounds the game has."""
        asker.session.agree_on_parameters({ROUNDS: command.rounds})

    @Handles(AllowMeasuring)
    def allow_measuring(self, command: AllowMeasuring, asker: Asker) -> None:
        """Take a house rule on measuring."""
        asker.session.agree_on_parameters({PREMEASURING.name: command.allowed})

    @Handles(Undo)
    def undo(self, command: Undo, asker: Asker) -> None:
        """Take the last decision back; a judge's ruling only for a judge."""
        session = asker.session
        _require_unchanged(command.decided, session)
        last = session.last_decision
        if isinstance(last, Ruled) and last.ruling.by == "judge" and asker.role not in DECIDE:
            raise BadInput("a judge has ruled on this: only a judge can take that back")
        session.undo()


class JudgeController(Feature):
    """Takes rulings on what is past to the game's session."""

    name = "judge"

    @Handles(RulePast)
    def rule_on_past(self, command: RulePast, asker: Asker) -> None:
        """Rule on a moment."""
        ruling = build_past_ruling(
            asker.past, at_ns=command.at_ns, number=command.found, outcome=command.outcome, note=command.note
        )
        asker.session.make_ruling(replace(ruling, judge=command.judge.strip()))

    @Handles(UnrulePast)
    def withdraw_ruling(self, command: UnrulePast, asker: Asker) -> None:
        """Take such a ruling back."""
        asker.session.withdraw_ruling(find_ruling(asker.past, command.ruling))


def _require_unchanged(decided: int | None, session: GameSession) -> None:
    """Refuse what was decided on a page before somebody else decided something, on another page or a moment ago."""
    if decided is not None and decided != session.timeline.decision_count:
        raise BadInput("the game went on while you tapped: look again")
