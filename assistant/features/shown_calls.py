"""Shown calls: the call that somebody at the table shows, for the pages that show it to everybody else."""

from collections.abc import Iterator

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles
from assistant.table.session import GameSession
from assistant.web.commands.game import ShowCall
from assistant.web.messages import View
from assistant.web.messages.move import ShownCallView


class ShownCalls(Feature):
    """Counts the calls that were shown.  Used from the thread of the table."""

    name = "shown-calls"

    def __init__(self) -> None:
        self._view: View | None = None
        self._count = 0

    @Handles(ShowCall)
    def show(self, command: ShowCall, asker: Asker) -> None:
        """Show the call of a finding that is being judged now; BadInput if there is none such."""
        verdict = asker.session.consult_referee().verdict
        about = (command.rule, tuple(command.subjects))
        if verdict is None or about not in {(finding.rule, tuple(finding.subjects)) for finding in verdict.findings}:
            raise BadInput("this call is over: the move was accepted, cancelled or judged anew")
        self._count += 1
        call = ShownCallView(number=self._count, rule=command.rule, subjects=command.subjects)
        self._view = View(shown_call={"call": call})

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield the call that was shown last."""
        del session
        if self._view is not None:
            yield self._view
