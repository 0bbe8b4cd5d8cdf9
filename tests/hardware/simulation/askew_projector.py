"""Askew projector: one that hangs as a shelf at the near side holds it."""

import numpy as np

from hardware.simulation.lighting import Projector
from hardware.simulation.optics import build_camera_factory, look_at, sample_rim


def build_askew_projector(
    *,
    width_mm: float = 1524.0,
    depth_mm: float = 1118.0,
    image_size: tuple[int, int] = (1920, 1080),
    eye_mm: tuple[float, float, float] = (640.0, -150.0, 1750.0),
    aim_mm: tuple[float, float] = (730.0, 150.0),
    roll_rad: float = 0.02,
    shift: tuple[float, float] = (0.03, 0.3),
    margin_mm: float = 30.0,
    distortion: tuple[float, float, float, float, float] = (-0.06, 0.015, 0.0008, -0.0006, 0.0),
) -> Projector:
    """Hang a projector as a shelf at the near side holds one: tilted, turned, off its axis, through a cheap lens.

    It is aimed at `aim_mm`, its principal point is moved from the middle of its picture by `shift` of the picture's
    size, and it has the longest focal length that keeps the table and a margin in its light.
    """
    eye = np.array(eye_mm)
    rotation = look_at(eye, np.array([*aim_mm, 0.0]), roll_rad)
    size = np.array(image_size, dtype=np.float64)
    centre_px = (size - 1) / 2 + np.array(shift) * size

    with_focal = build_camera_factory(
        image_size=image_size, centre_px=centre_px, distortion=distortion, rotation=rotation, eye_mm=eye
    )
    # Distances from the principal point are in proportion to the focal length.
    away = with_focal(1.0).project(sample_rim(width_mm, depth_mm, margin_mm)) - centre_px
    room = np.array([centre_px / -away.min(axis=0), (size - 1 - centre_px) / away.max(axis=0)])
    return Projector(optics=with_focal(float(room[room > 0].min())))
