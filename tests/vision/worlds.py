"""Worlds: the rooms and cameras in which the eyes are tried, by name, as data.

What each is set to is told in `docs/decisions/what-real-cameras-do.md`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from hardware.simulation.camera_faults import CameraFaults
from hardware.simulation.glare import GlareBlob
from hardware.simulation.scene import PrintDamage


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomFaults:
    """What is wrong in a room and with what is printed; by default nothing."""

    glare: float = 0.0
    """Share of the bases over which a lamp is mirrored."""
    glare_level: tuple[float, float] = (30.0, 170.0)
    """What it adds in its middle, grey levels, from and to."""
    painted: float = 0.0
    """Share of the bases whose paint reaches over the print."""
    smudged: float = 0.0
    creased: float = 0.0
    curled: float = 0.0
    """Share of the tags of which a corner stands up."""
    curl_mm: tuple[float, float] = (0.3, 1.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A kind of room and camera; whatever it does not say is drawn by the seed of a film."""

    name: str
    camera: CameraFaults | None = None
    """None: noise and shutter by lot."""
    room: RoomFaults = field(default_factory=RoomFaults)
    lots: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What is not left to chance of the conditions of a film, by name."""
    eye: tuple[float, float, float] | None = None
    """How high the camera hangs, mm, and by which angles from straight down it leans, to the side and to the front."""
    movers: int | None = None
    """So many bases slide to and fro without end; None for moves by lot: slides, turns, lifts, absences."""
    colour: bool = False
    """Pictures are rendered in colour."""


_CALM: Mapping[str, Any] = MappingProxyType(
    {"light": "none", "shaded": False, "twin": False, "blocks": False, "hand": False}
)
_FILM = CameraFaults(exposure_ms=8.0, readout_ms=16.0, noise=2.0, jpeg_quality=90)


def _list_worlds() -> tuple[World, ...]:
    oblique = (2000.0, math.radians(9), math.radians(7))
    low_light = World(
        name="low-light",
        camera=CameraFaults(exposure_ms=25.0, readout_ms=16.0, noise=8.0, jpeg_quality=60),
        lots={**_CALM, "size": "1080p", "brightness": 0.45, "blur_px": 0.7},
        movers=10,
    )
    return (
        World(name="plain"),
        low_light,
        replace(low_light, name="low-light-lifts", movers=None),
        World(
            name="glare",
            camera=_FILM,
            room=RoomFaults(glare=0.3, painted=0.4, smudged=0.35, creased=0.35, curled=0.35),
            lots={**_CALM, "size": "1080p", "brightness": 0.9, "hand": True},
            movers=10,
        ),
        World(
            name="oblique",
            camera=CameraFaults(
                exposure_ms=8.0, readout_ms=16.0, noise=2.5, jpeg_quality=85, breathing_share=6e-4, breathing_s=2.0
            ),
            lots={**_CALM, "brightness": 0.9},
            eye=oblique,
            movers=10,
        ),
        World(
            name="shaken",
            camera=CameraFaults(
                exposure_ms=8.0, readout_ms=16.0, noise=2.5, jpeg_quality=85, vibration_px=0.12,
                exposure_drift_share=0.12,
            ),
            lots={**_CALM, "brightness": 0.8, "hand": True},
            movers=10,
        ),
        World(
            name="crowd-4k",
            camera=_FILM,
            lots={**_CALM, "size": "4K", "count": 100, "brightness": 1.0},
            movers=60,
        ),
        World(
            name="crowd-1080p",
            camera=_FILM,
            lots={**_CALM, "size": "1080p", "count": 100, "brightness": 1.0},
            movers=60,
        ),
        World(
            name="flicker",
            camera=CameraFaults(exposure_ms=4.0, readout_ms=16.0, noise=2.5, jpeg_quality=85, flicker_share=0.08),
            lots={**_CALM, "size": "1080p", "brightness": 0.9, "hand": True},
            movers=10,
        ),
        World(
            name="cheap",
            camera=CameraFaults(
                exposure_ms=12.0, readout_ms=25.0, noise=3.5, jpeg_quality=75, aberration_share=8e-4, sharpening=0.8
            ),
            lots={**_CALM, "size": "1080p", "brightness": 0.85, "blur_px": 0.8},
            colour=True,
            movers=10,
        ),
    )  # fmt: skip


WORLDS: Mapping[str, World] = MappingProxyType({world.name: world for world in _list_worlds()})


def draw_damage(rng: np.random.Generator, room: RoomFaults, seed: int) -> PrintDamage | None:
    """Draw by lot what has happened to one print; None where it is as new."""
    paint, smudge, crease, curl = (
        float(rng.uniform(0.5, 1.0)) * bool(rng.uniform() < share)
        for share in (room.painted, room.smudged, room.creased, room.curled)
    )
    if not (paint or smudge or crease or curl):
        return None
    curl_mm = float(rng.uniform(*room.curl_mm)) if curl else 0.0
    return PrintDamage(seed=seed, paint=1.0 if paint else 0.0, smudge=smudge, crease=crease, curl_mm=curl_mm)


def draw_glare(
    rng: np.random.Generator, room: RoomFaults, spots_mm: list[tuple[float, float, float]]
) -> list[GlareBlob]:
    """Draw by lot the reflections about some of the markers that lie in places (x, y, z)."""
    blobs = []
    for x_mm, y_mm, z_mm in spots_mm:
        if rng.uniform() >= room.glare:
            continue
        blobs.append(
            GlareBlob(
                x_mm=x_mm + float(rng.normal(0, 5)),
                y_mm=y_mm + float(rng.normal(0, 5)),
                z_mm=z_mm,
                length_mm=float(rng.uniform(3.0, 9.0)),
                width_mm=float(rng.uniform(1.5, 4.0)),
                turn_rad=float(rng.uniform(-math.pi, math.pi)),
                level=float(rng.uniform(*room.glare_level)),
            )
        )
    return blobs
