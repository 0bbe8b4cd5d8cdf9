"""The rule context: what a rulebook's functions are asked about."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assistant.game.state import GameState, Model, Pose, Setting, Unit
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.walk import Walk, join_straight_legs
from assistant.rules.lengths import LengthFormatter
from assistant.rules.verdict import EVERYTHING, Detail


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleContext:
    """What a rulebook's functions are asked about."""

    scene: SituationIndex
    unit: Unit
    parameters: Mapping[str, Setting]
    """All of the rulebook's, with the defaults filled in."""
    say: LengthFormatter
    """The rulebook's."""
    rolls: tuple[int, ...] = ()
    intent: Mapping[str, Setting] = field(default_factory=dict)
    paths: Mapping[str, tuple[Pose, ...]] | None = None
    """The move that is judged, by model id, in order; None where a unit's choices are asked for."""
    observed: bool = True
    """False when only the ends of the paths are known."""
    detail: Detail = EVERYTHING
    """How much of what is kept is asked after."""
    model: Model | None = None
    """Whose zone is asked for, if one is."""

    @property
    def state(self) -> GameState:
        """The situation."""
        return self.scene.state

    def build_walk(self, model: Model, *path: Pose, observed: bool = False) -> Walk:
        """Return a move of one of the unit's models, none having moved before; with a single pose it stands there.

        Of a path that was seen only what tells its way is kept, of one that was not only its ends.
        """
        way = join_straight_legs(model, path) if observed else path if len(path) < 3 else (path[0], path[-1])
        return Walk(
            scene=self.scene,
            unit=self.unit,
            model=model,
            path=way,
            observed=observed,
            say=self.say,
            detail=self.detail,
        )

    def drop_rolls(self) -> "RuleContext":
        """Return the same question before any dice."""
        return replace(self, rolls=())

    def read_number(self, parameter: str) -> float:
        """Return a parameter that is a number."""
        value = self.parameters[parameter]
        assert isinstance(value, int | float)
        return value
