"""Command dispatch: the features of a table, and which of them a page's command goes to.

A command of a feature that is not there is refused with the reason.
"""

from collections.abc import Iterator, Mapping

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Moment
from assistant.runtime.supervision import Attempt, describe_fault
from assistant.table.session import GameSession
from assistant.web.commands import REGISTRY
from assistant.web.hub import PageCommand
from assistant.web.messages import View
from assistant.web.messages.message import Message
from hardware.frame import Frame
from overtable_errors import OvertableError
from vision.types import TableSnapshot

ABSENT: Mapping[str, str] = {
    "game": "no game is played here",
    "demo": "no models can be pushed here",
    "enrolment": "no models can be enrolled here",
    "judge": "no game is judged here",
    "lens": "no lens can be calibrated here",
    "projector": "no projector can be calibrated here",
    "light": "no light can be set here",
    "tools": "nothing can be measured here",
    "laying": "no table is laid here",
    "shown-calls": "calls of a recorded game are shown on the page that shows them alone",
    "armies": "armies are entered while a table is set up: end this game, and run overtable setup",
    "layout-editor": "layouts are made while a table is set up: end this game, and run overtable setup",
    "camera": "there is no camera here that could be focused",
    "refinement": "no lens is refined here",
    "wizard": "this table is set up already; run overtable setup to set up another",
    "hall-desk": "this is for the desk of a tournament's hall",
    "replay": "this game is being played: its past is on the judge's page",
}
"""Why a command cannot be obeyed where its feature is not there."""


class FeatureSet:
    """The features of one table, asked one after another."""

    def __init__(self, *features: Feature, absent: Mapping[str, str] = ABSENT) -> None:
        """Take them in the order in which they are asked.

        Args:
            features: at most one of each name.
            absent: why a command is refused whose feature is not among them, by the feature's name.

        Raises:
            TypeError: two features have the same name.

        """
        self._features = features
        self._by_name = {feature.name: feature for feature in features}
        self._absent = absent
        if len(self._by_name) < len(features):
            raise TypeError("two features of a table have the same name")

    def handle(self, command: Message, asker: Asker) -> None:
        """Let the feature that it is for do what a page asks.

        Raises:
            BadInput: it cannot be done; the sentence says why.

        """
        entry = REGISTRY[type(command)]
        feature = self._by_name.get(entry.feature)
        if feature is None:
            if entry.is_optional:
                return
            raise BadInput(self._absent[entry.feature])
        if asker.session.state.restoring is not None and not entry.while_restoring:
            raise BadInput("the table is being put back: end that first, or undo it")
        feature.handle(command, asker)

    def obey(self, command: PageCommand, asker: Asker) -> None:
        """Do what a page asks, or tell that page why it is not done."""
        with Attempt("What a page asked for was not done.") as attempt:
            try:
                self.handle(command.message, asker)
            except OvertableError as error:
                command.refuse(str(error))
        if attempt.failed:
            command.refuse(describe_fault())

    def claim_frame(self, frame: Frame, session: GameSession) -> bool:
        """Return whether a frame shows something of a feature's, and no game."""
        return any(feature.claim_frame(frame, session) for feature in self._features)

    def see(self, frame: Frame, snapshot: TableSnapshot) -> TableSnapshot:
        """Let all look at a frame that shows the game; return what is to be taken for the game of what was seen."""
        for feature in self._features:
            with Attempt(f"A picture was left out ({feature.name})."):
                feature.see(frame)
                snapshot = feature.filter_poses(snapshot)
        return snapshot

    def follow(self, moment: Moment) -> None:
        """Let all take in how the live table fares."""
        for feature in self._features:
            with Attempt(f"What the table shows was not taken in ({feature.name})."):
                feature.follow(moment)

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show beside the game."""
        for feature in self._features:
            with Attempt(f"The pages do not show everything ({feature.name})."):
                yield from feature.build_views(session)

    def close(self) -> None:
        """Let all write down what is not written yet."""
        for feature in self._features:
            with Attempt(f"Not everything was written down at the end ({feature.name})."):
                feature.close()
