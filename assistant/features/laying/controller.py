"""Laying controller: which pieces lie, as people tick them, and what light and pages show meanwhile."""

from collections.abc import Iterator

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles
from assistant.features.laying.plan import LayingStep, draw_laying, find_next, plan_laying
from assistant.game.state import GameState
from assistant.table.session import GameSession
from assistant.web.commands.game import LayBegin, LayEnd, LayTick
from assistant.web.messages import View
from assistant.web.messages.table import LayingStepView, LayingView
from assistant.web.views.session import build_shape_views


class LayingController(Feature):
    """Leads through laying the table's terrain and objectives.  Used from the thread of the table."""

    name = "laying"

    def __init__(self) -> None:
        """Begin with nothing being laid."""
        self._of: GameState | None = None
        self._steps: tuple[LayingStep, ...] | None = None
        """None while nothing is being laid."""
        self._laid: set[str] = set()
        self._view: View | None = None

    @Handles(LayBegin)
    def begin(self, _: LayBegin, asker: Asker) -> None:
        """Begin, or begin again with nothing laid.

        Raises:
            BadInput: the game has neither terrain nor objectives.

        """
        steps = plan_laying(asker.session.state)
        if not steps:
            raise BadInput("this game has no terrain and no objectives to lay: choose a layout in the set-up first")
        self._of, self._steps, self._laid, self._view = asker.session.state, steps, set(), None

    @Handles(LayTick)
    def tick(self, command: LayTick) -> None:
        """Say that a piece lies, or does not.

        Raises:
            BadInput: nothing is being laid, or there is no such piece.

        """
        if command.step not in {step.id for step in self._steps or ()}:
            raise BadInput(f"{command.step!r} is not among what is being laid")
        (self._laid.add if command.lies else self._laid.discard)(command.step)
        self._view = None

    @Handles(LayEnd)
    def end(self) -> None:
        """End it; the light shows the game again."""
        self._steps = self._view = None

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what pages and light show."""
        if self._steps is None:
            return
        state = session.state
        if self._of is None or (state.terrain, state.objectives) != (self._of.terrain, self._of.objectives):
            self._of, self._steps, self._view = state, plan_laying(state), None
        if self._view is None:
            self._view = _build_view(self._steps, self._laid)
        yield self._view


def _build_view(steps: tuple[LayingStep, ...], laid: set[str]) -> View:
    views = [
        LayingStepView(id=step.id, number=step.number, outlines_mm=list(step.outlines_mm), lies=step.id in laid)
        for step in steps
    ]
    following = find_next(steps, laid)
    return View(
        laying={"laying": LayingView(steps=views, following=following)},
        shapes=build_shape_views(draw_laying(steps, laid)),
    )
