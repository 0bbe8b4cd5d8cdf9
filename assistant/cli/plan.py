"""What a line from a camera to the pages is built from."""

from dataclasses import dataclass
from pathlib import Path

from assistant.cli.frames import FPS
from assistant.cli.games import RECORDED
from assistant.game.state import GameState, Restoring
from assistant.script.form import Scene
from assistant.setup import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
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
    scenes: tuple[Scene, ...] = ()

    @property
    def is_recorded_film(self) -> bool:
        """Whether its pictures have a time of their own."""
        return self.setup.camera.source.startswith(RECORDED)
