import numpy as np

from assistant.features.light.controller import build_lookout_view
from calibration.spaces import CameraOverTable, Lens


def test_a_page_is_told_all_that_the_camera_makes_of_the_table() -> None:
    lens = Lens(
        image_size=(1920, 1080),
        parameters=np.array([1500.0, 1503, 955, 545, -0.1, 0.02, 1e-3, -2e-3, 0.004]),
        covariance=np.zeros((9, 9)),
    )
    camera = CameraOverTable(
        lens=lens, rotation=np.array([3.0, 0.1, 0.2]), translation_mm=np.array([-700.0, 500, 1500]),
        covariance=np.zeros((15, 15)), bleed_px=0, sigma_px=0,
    )  # fmt: skip
    shown = build_lookout_view(camera).lookout["lookout"]
    places = np.array([(0.0, 0, 0), (1524, 1118, 0), (800, 300, 120)])
    x, y, z = np.reshape(shown.camera_from_table, (3, 4)) @ np.column_stack([places, np.ones(3)]).T
    a, b = x / z, y / z
    k1, k2, p1, p2, k3 = shown.distortion
    r2 = a**2 + b**2
    swell = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    u = a * swell + 2 * p1 * a * b + p2 * (r2 + 2 * a**2)
    v = b * swell + p1 * (r2 + 2 * b**2) + 2 * p2 * a * b
    pixels = np.column_stack([u, v]) * shown.focal_px + shown.centre_px
    assert np.abs(pixels - camera.image_from_table(places)).max() < 1e-6
    assert build_lookout_view(None).lookout == {}
