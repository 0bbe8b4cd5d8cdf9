"""Session plan: which game is played at which table, where it is recorded, and what the live table is built from."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from assistant.errors import BadInput
from assistant.features.camera.frame_sources import FPS
from assistant.features.demo.script import ScriptScene
from assistant.game.situation_file import read_situation
from assistant.game.state import NO_RULEBOOK, GameState, Model, Restoring, Table, Unit
from assistant.rules.referee import judge
from assistant.setup.file import Setup

RECORDED = ("file:", "images:")
"""Sources with a time of their own."""
WATCHED = "all models"
"""The unit that holds what is watched where no situation names the units."""


def build_game(setup: Setup, setup_path: Path, situation: Path | None) -> GameState:
    """Return the game on a table; without a situation the enrolled models are watched, and not judged.

    Raises:
        BadInput: the situation is of another table, lacks an enrolled model, or does not fit its rulebook.

    """
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    if situation is None:
        models = tuple(Model(id=base.model, base=base.base.shape, pose=None) for base in setup.bases)
        watched = Unit(id=WATCHED, player="table", models=models)
        return GameState(rulebook=NO_RULEBOOK, table=table, units=(watched,) if models else ())
    state = read_situation(situation).state
    if state.table != table:
        raise BadInput(
            f"{situation}: its table is {state.table.width_mm:g} x {state.table.depth_mm:g} mm, but that of"
            f" {setup_path} is {table.width_mm:g} x {table.depth_mm:g} mm; make them the same"
        )
    try:
        judge(state, None)  # what does not fit the rulebook is said before the game begins
    except BadInput as error:
        raise BadInput(f"{situation}: {error}") from None
    known = {model.id for _, model in state.iterate_models()}
    if lacking := [base.model for base in setup.bases if base.model not in known]:
        raise BadInput(f"{situation}: it has no model {lacking[0]!r}, which {setup_path} enrols")
    return state


def name_recording(title: str, folder: Path | None = None) -> Path:
    """Return a file of its own for a game that begins now, in a folder, or else in the user's data folder."""
    began = datetime.now(UTC).strftime("%Y-%m-%d-%H%M%S")
    name = "-".join("".join(c if c.isalnum() else " " for c in title).lower().split()) or "game"
    folder = folder or platformdirs.user_data_path("overtable") / "games"
    tries = (folder / f"{began}-{name}{suffix}.overtable" for suffix in ("", *(f"-{i}" for i in range(2, 1000))))
    return next(path for path in tries if not path.exists())


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """What a line is built from."""

    path: Path
    """The set-up file, from which other files are found."""
    kept_at: Path | None
    """The set-up file that calibrations are written to; None where they are forgotten with the program."""
    setup: Setup
    state: GameState
    title: str
    recording: Path | None
    """None: nothing is recorded."""
    video: bool = False
    """The camera's pictures are recorded as well."""
    go_on: bool = False
    """If the recording is there already, and of this game, it is gone on with."""
    lens: Path | None = None
    """A lens file in place of the one that the set-up names."""
    on_table: Setup | None = None
    """What lies on a virtual table where the set-up does not say it all; None for the set-up itself."""
    in_4k: bool = False
    fps: float = FPS
    restoring: Restoring | None = None
    """How the models are to be laid out before the game goes on; None: as they stand."""
    scenes: tuple[ScriptScene, ...] = ()
    hall: Path | None = None
    """A hall file in place of the one that the set-up names."""

    @property
    def is_recorded_film(self) -> bool:
        """Whether its pictures have a time of their own."""
        return self.setup.camera.source.startswith(RECORDED)
