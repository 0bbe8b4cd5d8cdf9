"""The set-up page of a wizard whose camera sees what a test says that it sees."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.features.light.controller import build_lookout_view
from assistant.features.wizard.controller import Wizard, open_wizard
from assistant.features.wizard.state import AnchorFit, AnchorSight, LiveStatus
from assistant.runtime.dispatch import FeatureSet
from assistant.table.session import GameSession
from assistant.web.hub import Hub
from assistant.web.messages import View
from calibration.spaces import CameraOverTable
from hardware.camera.latest_frame_reader import SourceState
from tests.assistant.snapshot_script import build_game
from tests.pages.played_game import PlayedTable
from tests.pages.step_page import serve_step

ANCHORS = range(580, 586)


@dataclass
class WizardDesk:
    """A wizard under way at a real table."""

    wizard: Wizard
    session: GameSession = field(default_factory=lambda: GameSession(build_game()))
    camera: CameraOverTable | None = None
    """Whose place is known."""
    unread_px: dict[str, float] = field(default_factory=dict)
    """Pixels of a cell of rings that are not read, by model."""

    outlier: int | None = None
    """The anchor that the others contradict."""

    def build_sight(self, tag: int) -> AnchorSight:
        """Return where an anchor is seen: along the picture's middle, 3 % of the width beside where it should be."""
        x, y = 0.1 + 0.15 * (tag - ANCHORS[0]), 0.5
        corners = tuple((x + dx, y + dy) for dx, dy in ((-0.01, -0.02), (0.01, -0.02), (0.01, 0.02), (-0.01, 0.02)))
        is_outlier = tag == self.outlier
        return AnchorSight(corners=corners, expected=(x - 0.03 * is_outlier, y), left_out=is_outlier)

    def build_view(self) -> View:
        """Return what the pages show now."""
        wizard = self.wizard
        wizard.take_sheet()
        fit = AnchorFit(
            id="c",
            off_mm={tag: 0.1 if tag != self.outlier else 24.0 for tag in ANCHORS},
            sights={tag: self.build_sight(tag) for tag in ANCHORS},
            rms_mm=0.1,
            centre_mm=0.1,
            worst_mm=0.2,
        )
        unread = {model: px for model, px in self.unread_px.items() if model in wizard.facts.enrolled}
        seen = LiveStatus(
            camera=SourceState.LIVE,
            in_view=len(ANCHORS),
            fit=fit,
            models=wizard.facts.enrolled - unread.keys(),
            unread_px=unread,
        )
        wizard.facts, wizard._view = replace(wizard.facts, seen=seen), None
        shown = wizard.build_view()
        lookout = build_lookout_view(self.camera).lookout
        step = {"setup": shown.setup, "steps": shown.steps, "lookout": lookout}
        for edited in wizard.layouts.build_views(self.session):
            step["layout_editor"] = edited.layout_editor
        return PlayedTable(Hub()).build_view().model_copy(update=step)


@contextmanager
def serve_wizard(folder: Path, game: str) -> Iterator[tuple[WizardDesk, str]]:
    """Serve the set-up page of a table with a camera, on which a demo's game is to be played; yield its address."""
    wizard = open_wizard(folder)
    wizard.enter({"source": "usb:0", "width": "60", "depth": "44", "printed": "yes", "lens": "skip"})
    wizard.enter({"projector": "none", "game": f"demo:{game}"})
    desk = WizardDesk(wizard=wizard)
    with serve_step("armies", FeatureSet(wizard, wizard.armies, wizard.layouts), shown=desk.build_view) as address:
        yield desk, address.removesuffix("/step") + "/setup"
