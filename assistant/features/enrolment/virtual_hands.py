"""Virtual hands for an enrolment: on a virtual table they lay the sheet, set the model in and turn it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import shapely

from assistant.features.demo.virtual_table import build_leaf
from assistant.features.enrolment.state import EnrolmentState, EnrolmentStep, EnrolmentWay
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.shapes import trace_outline
from assistant.setup.file import Setup
from hardware.simulation.scene import Placement, VirtualSheet
from hardware.simulation.virtual_table import VirtualTable

PAUSE_NS = 1_000_000_000
"""Between two things that a person does."""
PART_RAD = math.radians(20.0)
PART_NS = 200_000_000
"""A model is turned by so much in so long."""
ASIDE_SHARE = 0.3
"""The sheet lies so far from the middle of the table, as a share of its depth: the view of it leans."""
GRID_MM = 60.0
CROWD_MM = 60.0
"""Another model keeps this much from the middle of a sheet, beyond the sheet's own size."""
TURNED_ROUND_RAD = math.radians(361.0)


class EnrolmentHands:
    """A pair of hands over a virtual table."""

    def __init__(self, table: VirtualTable, setup: Setup) -> None:
        self._table, self._setup = table, setup
        self._tag: int | None = None
        """Of the model that the hands are busy with."""
        self._home: Placement | None = None
        self._deeds: Iterator[int] | None = None
        """What is still to be done; yields for how long to wait before the next."""
        self._until_ns = 0
        self._now: EnrolmentState | None = None

    def begin(self, state: EnrolmentState) -> None:
        """Begin with a model, from wherever it stands."""
        self.end()
        self._now = state
        self._tag = next((base.tag for base in self._setup.tagged_bases if base.model == state.model), None)
        if self._tag is not None:
            self._home = self._table.get_placements().get(self._tag)
            self._deeds = (
                self._set_in_ring(state, self._tag) if state.way is EnrolmentWay.SHEET else self._turn(self._tag)
            )

    def help(self, state: EnrolmentState, now_ns: int) -> None:
        """Go on with what the enrolment needs, at a moment."""
        self._now = state
        if self._deeds is None or now_ns < self._until_ns:
            return
        wait_ns = next(self._deeds, None)
        if wait_ns is None:
            self._deeds = None
        else:
            self._until_ns = now_ns + wait_ns

    def end(self) -> None:
        """Take the sheet away, and put the model back to where it stood."""
        self._deeds, self._until_ns = None, 0
        self._table.lay_sheet(None)
        if self._tag is not None:
            self._table.move(self._tag, self._home)
        self._tag = None

    def _set_in_ring(self, state: EnrolmentState, tag: int) -> Iterator[int]:
        leaf = build_leaf(trace_outline(PlacedShape(shape=state.base.shape, x_mm=0, y_mm=0)))
        at = self._find_spot(leaf, tag)
        self._table.move(tag, None)
        for turn_rad in (math.radians(25), math.radians(25) + math.pi):
            self._table.lay_sheet(leaf, replace(at, facing_rad=turn_rad))
            yield PAUSE_NS
            self._table.move(tag, replace(at, facing_rad=turn_rad))
            while self._now is not None and self._now.step is not EnrolmentStep.MEASURED:
                yield 0
            yield 2 * PAUSE_NS  # a person reads what was measured
            if self._now is None or self._now.result is None or not self._now.result.advice:
                return
            self._table.move(tag, None)
            yield PAUSE_NS // 2

    def _turn(self, tag: int) -> Iterator[int]:
        at = self._home
        if at is None or at.z_mm > 0:  # heights are measured from the table, so what stands on a block is brought down
            at = self._find_spot(build_leaf(((-30, -30), (30, -30), (30, 30), (-30, 30))), tag)
        self._table.move(tag, replace(at, facing_rad=math.pi / 2, z_mm=0.0))
        while self._now is not None and self._now.step is EnrolmentStep.FRONT:
            yield 0
        for part in np.arange(0.0, TURNED_ROUND_RAD, PART_RAD):
            self._table.move(tag, replace(at, facing_rad=math.pi / 2 + float(part), z_mm=0.0))
            yield PART_NS

    def _find_spot(self, leaf: VirtualSheet, tag: int) -> Placement:
        """Return a place where the sheet covers nothing, off the middle if there is room."""
        scene, standing = self._table.scene, self._table.get_placements()
        radius_mm = max(math.hypot(x, y) for x, y in leaf.outline_mm)
        middle = complex(scene.width_mm, scene.depth_mm) / 2
        aside_mm = ASIDE_SHARE * scene.depth_mm

        def worth(at: complex) -> tuple[bool, float]:
            free_mm = self._measure_free_mm(at, radius_mm, {t: p for t, p in standing.items() if t != tag})
            return free_mm >= 0, min(free_mm, 0.0) - abs(abs(at - middle) - aside_mm)

        xs = np.arange(radius_mm, scene.width_mm - radius_mm, GRID_MM)
        ys = np.arange(radius_mm, scene.depth_mm - radius_mm, GRID_MM)
        best = max((complex(x, y) for x in xs for y in ys), key=worth, default=middle)
        return Placement(x_mm=best.real, y_mm=best.imag)

    def _measure_free_mm(self, at: complex, radius_mm: float, standing: Mapping[int, Placement]) -> float:
        """Return how far a sheet there is from the nearest thing; negative where it would cover it."""
        scene, point = self._table.scene, shapely.Point(at.real, at.imag)
        models = [abs(at - complex(p.x_mm, p.y_mm)) - CROWD_MM for p in standing.values()]
        terrain = [float(shapely.Polygon(t.outline_mm).distance(point)) for t in scene.terrain]
        anchors = [abs(at - complex(a.x_mm, a.y_mm)) - a.size_mm for a in scene.anchors]
        return min([*models, *terrain, *anchors], default=math.inf) - radius_mm
