"""Shown calls: the call that somebody at the table shows to everybody else, and the judge whom somebody asks for."""

from collections.abc import Iterator

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles
from assistant.table.session import GameSession
from assistant.web.commands.game import CallJudge, ShowCall
from assistant.web.messages import View
from assistant.web.messages.move import ShownCallView, SummonsView


class ShownCalls(Feature):
    """Counts the calls that were shown.  Used from the thread of the table."""

    name = "shown-calls"

    def __init__(self) -> None:
        self._shown: ShownCallView | None = None
        self._summons: SummonsView | None = None

    @Handles(ShowCall)
    def show(self, command: ShowCall, asker: Asker) -> None:
        """Show the call of a finding; BadInput if it is to be of now and there is none such."""
        session, past = asker.session, asker.past
        at_ns = command.at_ns
        if at_ns is None:
            verdict = session.consult_referee().verdict
            about = (command.rule, tuple(command.subjects))
            if verdict is None or about not in {
                (finding.rule, tuple(finding.subjects)) for finding in verdict.findings
            }:
                raise BadInput("this call is over: the move was accepted, cancelled or judged anew")
            at_ns = max(0, session.now_ns - past.began_ns) if past else None
        elif past is None:
            raise BadInput("this game is not recorded, so no call of its past can be shown")
        self._shown = ShownCallView(
            number=self._shown.number + 1 if self._shown else 1,
            rule=command.rule,
            subjects=command.subjects,
            at_ns=at_ns,
            past=command.at_ns is not None,
        )

    @Handles(CallJudge)
    def summon(self, command: CallJudge, asker: Asker) -> None:
        """Ask for a judge, or no longer."""
        since_s = asker.session.now_ns // 10**9
        self._summons = SummonsView(about=command.about.strip(), since_s=since_s) if command.needed else None

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield the call that was shown last, and that a judge is asked for."""
        del session
        if self._shown is not None:
            yield View(shown_call={"call": self._shown})
        if self._summons is not None:
            yield View(summons={"judge": self._summons})
