"""Script files (`overtable.script/1`): moves that a hand makes on the virtual table, and what the referee says of each.

A scene's move is written as in a situation: its paths begin where the scenes before it have left their models, and are
walked in their order.  A model that is off the table is put down at the first pose of its path.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from assistant.errors import BadInput
from assistant.files import Format, Id, read_json
from assistant.game.situation import move_of
from assistant.game.situation_form import MoveForm
from assistant.game.state import GameState, Move, Pose
from assistant.rules.verdict import Outcome

PACE_MM_S = 180.0
"""About as fast as a person slides a model who wants to be followed."""


class ExpectForm(Format):
    """What the referee says of a scene's move."""

    outcome: Literal["legal", "illegal", "too-close", "unobserved"]
    rule: Id = Field(description="the row of the rule table that decides it, or that says what the move brings")


class SceneForm(Format):
    """One move, shown and then accepted or taken back."""

    caption: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="what is shown and why, as the pages say it"
    )
    move: MoveForm = Field(description="as in a situation; it is always observed")
    expect: ExpectForm
    then: Literal["accept", "take-back"] = Field(
        default="take-back", description="whether the next scene begins where this one ends, or where it began"
    )
    pace_mm_s: Annotated[float, Field(gt=0, le=2000)] = PACE_MM_S


class ScriptForm(Format):
    """Scenes, in the order in which they are played."""

    name: ClassVar[str] = "overtable.script/1"

    format: Literal["overtable.script/1"]
    scenes: Annotated[tuple[SceneForm, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One move, shown and then accepted or taken back."""

    caption: str
    move: Move
    outcome: Outcome
    """What the referee is expected to say."""
    rule: str
    """The rule that decides it."""
    accepted: bool
    """Otherwise the models are slid back, and the announcement is withdrawn."""
    pace_mm_s: float


def read_script(path: Path, state: GameState) -> tuple[Scene, ...]:
    """Read the scenes of a script that begins with a game as it stands.

    Raises:
        BadInput: one sentence that names the file, the scene and what was expected.

    """
    form = read_json(path, ScriptForm)
    return tuple(_scenes(form, state, str(path)))


def _scenes(form: ScriptForm, state: GameState, name: str) -> Iterator[Scene]:
    stands = {model.id: model.pose for _, model in state.models()}
    for number, scene in enumerate(form.scenes):
        place = f"{name}: scenes[{number}]"
        move = move_of(scene.move, state, place)
        if not move.observed:
            raise BadInput(f"{place}.move.observed: a script's moves are all seen; leave this key out")
        for model, path in move.paths.items():
            _check_path(path, stands[model], f"{place}.move.paths.{model}", back=scene.then == "take-back")
        if scene.then == "accept":
            stands.update({model: path[-1] for model, path in move.paths.items()})
        yield Scene(
            caption=scene.caption,
            move=move,
            outcome=Outcome(scene.expect.outcome),
            rule=scene.expect.rule,
            accepted=scene.then == "accept",
            pace_mm_s=scene.pace_mm_s,
        )


def _check_path(path: tuple[Pose, ...], stands: Pose | None, place: str, *, back: bool) -> None:
    if stands is None:
        if back:
            raise BadInput(f'{place}: this model is off the table and cannot be slid back; expected "then": "accept"')
        return
    begins, expected = ((p.x_mm, p.y_mm, p.facing_rad) for p in (path[0], stands))
    if begins != expected:
        raise BadInput(
            f"{place}[0]: the path begins at ({path[0].x_mm:g}, {path[0].y_mm:g}), but the model then stands at"
            f" ({stands.x_mm:g}, {stands.y_mm:g}); expected that pose, its facing_deg too"
        )
