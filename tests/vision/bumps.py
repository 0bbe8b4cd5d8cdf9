"""Cameras that are bumped: those of projection alone, and those over the virtual table."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.spaces import CameraOverTable
from hardware.virtual.optics import CameraModel
from tests.vision.synthetic import CAMERA

BUMP_RAD, BUMP_MM = (0.004, -0.0025, 0.0024), (3.0, -4.0, 1.0)
"""0.3 degrees and 5 mm."""


def moved(turn_rad: Sequence[float], shift_mm: Sequence[float]) -> CameraOverTable:
    """Return the synthetic camera after it was turned about its own axes and shifted over the table."""
    turn = np.asarray(cv2.Rodrigues(np.array(turn_rad))[0]) @ CAMERA.camera_from_table
    rotation = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64).ravel()
    return replace(CAMERA, rotation=rotation, translation_mm=-turn @ (CAMERA.eye_mm + shift_mm))


def knocked(camera: CameraModel, turn_rad: Sequence[float], shift_mm: Sequence[float]) -> CameraModel:
    """Return a camera over the virtual table after the same."""
    turn = np.asarray(cv2.Rodrigues(np.array(turn_rad))[0], dtype=np.float64) @ camera.rotation
    return replace(camera, rotation=turn, translation=-turn @ (camera.position_mm + shift_mm))
