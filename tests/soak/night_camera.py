"""The night's camera: a virtual table with a hand that moves models, and all that happens to a camera in a long night.

Its time is the night's own: as fast as the line looks at pictures, or by the clock.  What happens is drawn by seed.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hardware.camera.frame_source import Identity
from hardware.errors import DeviceLost, SourceLost
from hardware.frame import Frame
from hardware.simulation.scene import Placement
from hardware.simulation.virtual_table import VirtualTable
from tests.soak.resources import TimedHub

NS = 1_000_000_000
BEGAN_NS = 1_800_000_000 * NS
"""When the night begins, by the clock of the table's machine."""
REACH_MM, SPEED_MM_S = 180.0, 120.0
EDGE_MM = 60.0
MOVE_EVERY_S = 6.0
SILENT_S = 2.6
"""Longer than a reader waits for a picture."""
MOST_AWAY = 4
"""So many attempts in a row to open the camera fail at most."""
HAND_S = 4.0
LOOK_S = 30.0
"""A line that looks at no picture for so long stands still."""


@dataclass(kw_only=True)
class Night:
    """The night's time, and where it is up to."""

    length_s: float
    fps: float
    by_clock: bool = False
    fault_every_s: float = 240.0
    """Something happens to the camera about that often."""
    pictures: int = 0
    shift_ns: int = 0
    """How far the machine's clock has jumped."""
    happened: Counter[str] = field(default_factory=Counter)

    @property
    def passed_s(self) -> float:
        """How long it has lasted, without the clock's jumps."""
        return self.pictures / self.fps

    @property
    def now_ns(self) -> int:
        """What the machine's clock says."""
        return BEGAN_NS + round(self.passed_s * NS) + self.shift_ns


@dataclass(kw_only=True)
class Hand:
    """Moves one model after another, at a hand's pace."""

    table: VirtualTable
    rng: random.Random
    _marker: int | None = None
    _way: tuple[Placement, Placement] | None = None
    _began_s: float = 0.0
    _rests_until_s: float = 0.0

    def act(self, now_s: float) -> None:
        """Bring the table to where the hand has it now."""
        if self._way is None:
            if now_s >= self._rests_until_s:
                self._take(now_s)
            return
        assert self._marker is not None
        start, end = self._way
        length_mm = math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm)
        share = min(1.0, (now_s - self._began_s) * SPEED_MM_S / max(length_mm, 1.0))
        between = replace(
            end,
            x_mm=start.x_mm + share * (end.x_mm - start.x_mm),
            y_mm=start.y_mm + share * (end.y_mm - start.y_mm),
        )
        self.table.move(self._marker, between)
        if share == 1.0:
            self._way = None
            self._rests_until_s = now_s + self.rng.expovariate(1 / MOVE_EVERY_S)

    def _take(self, now_s: float) -> None:
        placements = self.table.get_placements()
        marker = self.rng.choice(sorted(placements))
        start, scene = placements[marker], self.table.scene
        angle, length = self.rng.uniform(0, 2 * math.pi), self.rng.uniform(5, REACH_MM)
        end = replace(
            start,
            x_mm=min(max(start.x_mm + length * math.cos(angle), EDGE_MM), scene.width_mm - EDGE_MM),
            y_mm=min(max(start.y_mm + length * math.sin(angle), EDGE_MM), scene.depth_mm - EDGE_MM),
        )
        self._marker, self._way, self._began_s = marker, (start, end), now_s


@dataclass(kw_only=True)
class NightCamera:
    """The camera of a night, which is opened again and again."""

    night: Night
    table: VirtualTable
    rng: random.Random
    hub: TimedHub
    beside: Callable[[float], None] = lambda _passed_s: None
    """Called before each picture with how long the night has lasted."""
    hand: Hand = field(init=False)
    _away: int = 0
    _hand_until_s: float | None = None
    _dark_until_s: float | None = None

    def __post_init__(self) -> None:
        self.hand = Hand(table=self.table, rng=random.Random(self.rng.random()))

    def open(self) -> "OpenedNightCamera":
        """Return the camera, opened.

        Raises:
            DeviceLost: it is not plugged in just now.

        """
        if self._away:
            self._away -= 1
            raise DeviceLost("the night's camera is not plugged in")
        return OpenedNightCamera(self)

    def take_picture(self) -> Frame:
        """Go on by one picture, and take it.

        Raises:
            DeviceLost: it was unplugged.
            SourceLost: the picture was lost on the way.

        """
        night = self.night
        night.pictures += 1
        now_s = night.passed_s
        self.beside(now_s)
        self.hand.act(now_s)
        self._end_what_passed(now_s)
        if self.rng.random() < 1 / (night.fault_every_s * night.fps):
            fault = self.rng.choice(FAULTS)
            name = fault.__name__.removeprefix("_").replace("_", " ")
            night.happened[name] += 1
            fault(self)
        return Frame(camera="night:", sequence=night.pictures, captured_ns=night.now_ns, image=self.table.render())

    def _end_what_passed(self, now_s: float) -> None:
        if self._hand_until_s is not None and now_s >= self._hand_until_s:
            self.table.hold_hand(None)
            self._hand_until_s = None
        if self._dark_until_s is not None and now_s >= self._dark_until_s:
            self.table.adjust_camera(defocus_px=0.0, gain=1.0)
            self._dark_until_s = None

    def _unplugged(self) -> None:
        self._away = self.rng.randint(0, MOST_AWAY)
        raise DeviceLost("the night's camera was unplugged")

    def _picture_lost(self) -> None:
        raise SourceLost("the night's camera sent half a picture")

    def _driver_failed(self) -> None:
        raise RuntimeError("the night's driver has a bug")

    def _silent(self) -> None:
        time.sleep(SILENT_S)

    def _covered(self) -> None:
        scene = self.table.scene
        x_mm, y_mm = self.rng.uniform(0, scene.width_mm), self.rng.uniform(0, scene.depth_mm)
        corners = ((-200, -120), (200, -120), (200, 120), (-200, 120))
        self.table.hold_hand(tuple((x_mm + dx, y_mm + dy) for dx, dy in corners), above_mm=80.0)
        self._hand_until_s = self.night.passed_s + HAND_S

    def _dark(self) -> None:
        self.table.adjust_camera(defocus_px=1.0, gain=0.2)
        self._dark_until_s = self.night.passed_s + HAND_S

    def _slept(self) -> None:
        self.night.shift_ns += round(self.rng.uniform(1, 3600) * NS)

    def _clock_set_back(self) -> None:
        self.night.shift_ns -= round(self.rng.uniform(1, 3600) * NS)


FAULTS = (
    NightCamera._unplugged,
    NightCamera._picture_lost,
    NightCamera._driver_failed,
    NightCamera._silent,
    NightCamera._covered,
    NightCamera._dark,
    NightCamera._slept,
    NightCamera._clock_set_back,
)


class OpenedNightCamera:
    """A frame source; it waits until the line has looked at its last picture, or by the clock until the next is due."""

    def __init__(self, camera: NightCamera) -> None:
        self._camera = camera
        self._number = 0
        self._due_s = time.monotonic()

    def read(self) -> Frame:
        """Take the next picture."""
        night = self._camera.night
        if night.by_clock:
            now_s = time.monotonic()
            self._due_s = max(self._due_s + 1 / night.fps, now_s)
            time.sleep(self._due_s - now_s)
        elif self._number:
            self._camera.hub.wait_until_shown(LOOK_S)
        frame = replace(self._camera.take_picture(), sequence=self._number)
        self._number += 1
        self._camera.hub.expect(frame)
        return frame

    def identify(self) -> Identity:
        """Return the name of every night's camera."""
        return Identity(camera="night", autofocus=False)

    def close(self) -> None:
        """Let go of nothing."""
