"""One table at work: a game in its course, and what people say of it."""

from assistant.calibrated import doubt_said
from assistant.course import Course
from assistant.decisions import (
    accepted,
    check_moved,
    gone_on,
    restored,
    restoring_began,
    ruled,
    status_told,
    swapped,
    unruled,
)
from assistant.errors import BadInput
from assistant.game.events import (
    Bumped,
    ModelPlaced,
    PutBack,
    Swapped,
    Undone,
)
from assistant.game.state import Restoring, Ruling
from assistant.poses import pose_of
from assistant.restoring import Compared, compared
from assistant.rules.judge import rulebook
from assistant.rules.sequence import removal


class Session(Course):
    """A game in its course, and what people decide in it."""

    def accept(self) -> None:
        """Let the declared unit's models start from where they stand now, whatever the verdict.

        With nothing declared this goes for every model that has moved, and no verdict is given on how it did.

        Raises:
            BadInput: the announced move lacks something that its action needs, or it is not known where models stand.

        """
        self._know_where()
        answer = self.answer()
        self.call()
        self.happen(accepted(self.state, answer))

    def rule(self, ruling: Ruling) -> None:
        """Decide what a call comes to: of the move that is being made, or of a past moment; errors as in `ruled`."""
        verdict = self.answer().verdict
        self.call()
        self.happen(ruled(ruling, self.state, verdict, self.now_ns))

    def go_on(self, player: str | None = None) -> None:
        """Begin the next step of the turn, the next player's part of it, or the next turn; errors as in `gone_on`."""
        self.happen(gone_on(self.state, player))

    def set_status(self, unit: str, status: tuple[str, ...]) -> None:
        """Say what the status of a unit is; BadInput if there is no such unit or status."""
        self.happen(status_told(self.state, unit, status))
        if not rulebook(self.state.rulebook).absent(self.state.unit(unit)):
            self._find(unit)

    def remove(self, models: tuple[str, ...]) -> None:
        """Say that models are destroyed.

        Raises:
            BadInput: there is no such model, or a unit must leave it first.

        """
        self.happen(removal(self.state, models))

    def bumped(self, models: tuple[str, ...]) -> None:
        """Say that models were pushed by mistake: they stand where they are, and have made no move.

        Raises:
            BadInput: one of them is not in the game, or has not moved.

        """
        check_moved(self.state, models)
        self.happen(Bumped(models=models))

    def put_back(self, models: tuple[str, ...]) -> None:
        """Say that models are put back where they were accepted: what moves them there is no move; errors as above."""
        check_moved(self.state, models)
        self.happen(PutBack(models=models))

    def swap(self, one: str, two: str, since_ns: int | None = None) -> None:
        """Say that two models carry each other's tags, and did since a captured time; errors as in `swapped`.

        Where they stand, and how they came there since they were last accepted, is exchanged with it.
        """
        said = swapped(self.state, self.poses, (one, two), since_ns=since_ns, now_ns=self.now_ns)
        carried = self.state.carried
        self.happen(said)
        self.sights.name_now(said.models, carried)
        self._see_exchanged(said.models)
        for model in said.models:
            if model in self.state.tracks:
                self._take_up(model)

    def restore(self, restoring: Restoring) -> None:
        """Begin to put the table back: until `restored`, what moves models is no move; another moment may take over.

        Raises:
            BadInput: no model of this game stood anywhere then.

        """
        self.happen(restoring_began(self.state, restoring))

    def restored(self) -> None:
        """End that: models that are back stand exactly where they stood, the others stay where they are.

        Raises:
            BadInput: nothing is being put back, or it is not known where models stand.

        """
        self._know_where()
        self.happen(restored(self.state, self.compared()))

    def compared(self) -> tuple[Compared, ...]:
        """Return how far each model is from where it is being put back; nothing while none is."""
        if self.state.restoring is None:
            return ()
        return compared(self.state.restoring.places, self.sights.in_view(self.now_ns))

    def undo(self) -> None:
        """Take back the last thing that a person did; what was seen since stays seen.

        Raises:
            BadInput: there is nothing to take back.

        """
        if not self.can_undo:
            raise BadInput("there is nothing to take back")
        last = self.last_decision
        self.happen(Undone())
        if isinstance(last, Swapped):
            self._see_exchanged(last.models)

    def unrule(self, ruling: Ruling) -> None:
        """Take back a ruling on what is past, whatever was decided since; BadInput if it does not hold any more."""
        self.happen(unruled(ruling, self.rulings))

    def _know_where(self) -> None:
        """Raise BadInput while it is not known where models stand."""
        if self.seen.doubt is not None:
            raise BadInput(doubt_said(self.seen.doubt, self.seen.astray))

    def _find(self, unit: str) -> None:
        """Let the models of a unit that is on the table again stand where they are seen."""
        for model in self.state.unit(unit).models:
            entry = self.poses.get(model.id)
            if model.pose is None and entry is not None and entry.state == "seen" and not entry.moving:
                self.happen(ModelPlaced(model=model.id, pose=pose_of(entry)))

    def _see_exchanged(self, models: tuple[str, str]) -> None:
        """Show, and record, each of two models as it was seen that is now known to be the other."""
        seen = self.sights.exchanged(models)
        self._write((self.now_ns, seen))
        self.show(seen)
