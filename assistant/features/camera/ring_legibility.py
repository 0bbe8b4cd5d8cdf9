"""Ring legibility: which rings a camera sees too small to read, what that is to a person, and what to do."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.errors import BadInput
from assistant.features.camera.marker_sizes import (
    LEAST_CELL_PX,
    TableSight,
    advise_on_cells,
    measure_cell_mm,
    measure_sight,
)
from assistant.features.feature import Feature, Moment
from assistant.features.notices import print_notice
from assistant.setup.bases import RingedBase
from assistant.setup.file import Setup
from assistant.table.session import GameSession
from assistant.web.messages import View
from assistant.web.messages.table import NoticeView
from calibration.spaces import CameraOverTable

HOPELESS_PX = 1.0
"""Cells that are no larger than a pixel are not told from each other, however still the picture is."""
NAMED = 3
"""So many models are named; of more it is said how many."""


def describe_illegible_rings(setup: Setup, camera: CameraOverTable) -> dict[str, str]:
    """Return a sentence for each kind of ring that a camera hardly reads, by what it is about.

    Of those that it reads only here and there the doctor tells.

    Raises:
        BadInput: it can read none of them, anywhere.

    """
    sight = measure_sight(camera, (setup.table.width_mm, setup.table.depth_mm))
    groups = [(bases, _find_cell_px(bases[0], setup, sight)) for bases in _group_rings(setup)]
    told = dict(_describe_group(bases, cell_px, setup, sight) for bases, cell_px in groups if cell_px < LEAST_CELL_PX)
    if groups and all(cell_px <= HOPELESS_PX for _, cell_px in groups):
        raise BadInput(next(iter(told.values())))
    return told


def _group_rings(setup: Setup) -> list[list[RingedBase]]:
    """Return bases whose rings are alike together."""
    groups: dict[object, list[RingedBase]] = {}
    for base in setup.ringed_bases:
        groups.setdefault((base.ring_kind, base.band_mm, base.base), []).append(base)
    return list(groups.values())


def _find_cell_px(base: RingedBase, setup: Setup, sight: TableSight) -> float:
    return measure_cell_mm(base.lay_ring(setup.rings.ring_list)) * sight.px_per_mm


def _describe_group(bases: list[RingedBase], cell_px: float, setup: Setup, sight: TableSight) -> tuple[str, str]:
    first, models = bases[0], [base.model for base in bases]
    more = f" and {len(models) - NAMED} more" if len(models) > NAMED else ""
    whose = ", ".join(models[:NAMED]) + more
    advice = advise_on_cells(first.base, setup.rings.ring_list, cell_px, sight)
    name = f"the {first.ring_kind} of {first.base.name} ({whose})"
    return name, f"{name} is too narrow: this camera sees {advice}"


@dataclass(kw_only=True)
class RingSight(Feature):
    """Tells during a game which rings the camera sees too small, as soon as it is known where it is."""

    name = "ring-sight"
    setup: Setup
    _camera: CameraOverTable | None = None
    _told: dict[str, str] = field(default_factory=dict)

    def follow(self, moment: Moment) -> None:
        """Look at the rings anew where the camera has been solved anew."""
        camera = moment.pipeline.camera
        if camera is None or camera is self._camera or not self.setup.ringed_bases:
            return
        self._camera = camera
        try:
            told = describe_illegible_rings(self.setup, camera)
        except BadInput as error:
            told = {"": str(error)}
        for name in told.keys() - self._told.keys():
            print_notice(told[name])
        self._told = told

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        del session
        yield View(
            notices={
                f"narrow-ring:{name}": NoticeView(text=f"{sentence[0].upper()}{sentence[1:]}.")
                for name, sentence in self._told.items()
            }
        )
