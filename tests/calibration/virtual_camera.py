"""The simulation's camera as the calibration's camera over a table."""

import cv2
import numpy as np

from calibration.spaces import CameraOverTable, Lens
from hardware.simulation.optics import CameraModel


def camera_from_model(camera: CameraModel) -> CameraOverTable:
    """Return a virtual camera as if a solve had found it, almost exactly."""
    matrix = camera.matrix
    parameters = np.array([matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], *camera.distortion])
    return CameraOverTable(
        lens=Lens(image_size=camera.image_size, parameters=parameters, covariance=1e-12 * np.eye(9)),
        rotation=np.ravel(cv2.Rodrigues(camera.rotation)[0]).astype(np.float64),
        translation_mm=camera.translation,
        covariance=1e-12 * np.eye(15),
        bleed_px=0.0,
        sigma_px=0.01,
    )
