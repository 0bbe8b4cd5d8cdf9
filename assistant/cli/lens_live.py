"""The lens alone, live: the page that leads to it, without a game."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click

from assistant.cli.crew import Crew
from assistant.cli.frames import camera_of
from assistant.cli.games import game_of
from assistant.cli.lens_helper import LensHelper
from assistant.cli.lenser import Lenser
from assistant.cli.pairing import Pairing
from assistant.cli.serving import Serving, pages
from assistant.cli.virtual import virtual_table
from assistant.cli.watch import Latest, Meter, Watch
from assistant.errors import BadInput
from assistant.session import Session
from assistant.setup import read_setup
from assistant.web.commands.demo import Drag
from assistant.web.hub import Hub
from hardware.camera.drain import Drain
from vision.markers import Markers
from vision.pipeline import Pipeline


def calibrate_live(path: Path, board: str, where: Serving) -> None:
    """Serve the lens page for the camera of a set-up file, begun with a board, until interrupted.

    A lens that the set-up names is not looked through: it may be of another resolution, and is to be replaced.

    Raises:
        BadInput: the set-up or the board is not as it should be, or the port is taken.

    """
    setup = read_setup(path)
    state = game_of(setup, path, None)
    table = virtual_table(setup, state) if setup.camera.source.startswith("virtual:") else None

    open_camera = camera_of(setup, path, table)  # what is wrong with it is said before any page opens
    hub, latest = Hub(), Latest()
    pipeline = Pipeline(markers=Markers(anchors=setup.anchor_tags, bases=setup.enrolled, lens=None))
    with ThreadPoolExecutor(2, "lens") as aside:
        helper, pairing = LensHelper(table) if table else None, Pairing()
        lenser = Lenser(setup=setup, path=path, pipeline=pipeline, aside=aside, helper=helper, pairing=pairing)
        try:
            lenser.begin(board)
        except BadInput as error:
            raise BadInput(f"--board: {error}") from None
        with pages(hub, latest, where, "Lens", opened="/lens") as stop:
            drain = Drain(open_camera)
            watch = Watch(
                drain=drain,
                pipeline=pipeline,
                session=Session(state),
                hub=hub,
                name=setup.camera.source,
                title="Lens calibration",
                meter=Meter(live=True),
                latest=latest,
                hand=_refuse,
                virtual=False,
                after_frame=_Teller(lenser).tell,
                pairing=pairing,
                crew=Crew(lenser=lenser),
            )
            try:
                watch.run(stop)
            finally:
                drain.close()


@dataclass
class _Teller:
    """Says in the terminal what became of the lens, once."""

    lenser: Lenser
    said: str = ""

    def tell(self, _: Session) -> None:
        """Say it if there is anything new."""
        if self.lenser.kept != self.said:
            self.said = self.lenser.kept
            if self.said:
                click.echo(self.said)


def _refuse(_: Drag) -> None:
    raise BadInput("only the lens is calibrated here: models stay where they are")
