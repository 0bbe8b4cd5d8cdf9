"""Where the stream's page draws over the camera's picture: it projects as the eyes do."""

import math

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page

from assistant.features.light.controller import build_lookout_view
from calibration.spaces import CameraOverTable, Lens, LensModel

SIZE = (1920, 1080)
TABLE_MM = (1524, 1118)
WARPED = """async ([lookout, width, height, places]) => {
    const { warpOver } = await import("/static/stream/lookout.js");
    return places.map(([x, y, z]) => warpOver(lookout, width, height, z).pixel(x, y));
}"""
UPRIGHT = """async ([lookout, table]) => {
    const { uprightEdge, warpOver } = await import("/static/stream/lookout.js");
    return uprightEdge(warpOver(lookout, 1920, 1080), table);
}"""
LENSES = {
    LensModel.PINHOLE: (1050.0, 1046.0, 948.3, 551.2, -0.11, 0.06, 4e-4, -7e-4, -0.01),
    LensModel.FISHEYE: (620.0, 622.0, 951.7, 536.4, -0.021, 0.004, 0.0, 0.0, -3e-4),
}


def hang(model: LensModel, *, turned_rad: float = 0.0, height_mm: float = 1200.0) -> CameraOverTable:
    """A camera over the middle of the table, which leans a little."""
    cos, sin = math.cos(turned_rad), math.sin(turned_rad)
    lean = math.radians(6)
    down = np.diag([1.0, -1.0, -1.0])
    about = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    aside = np.array([[1, 0, 0], [0, math.cos(lean), -math.sin(lean)], [0, math.sin(lean), math.cos(lean)]])
    rotation = aside @ down @ about
    eye = np.array([TABLE_MM[0] / 2 + 40, TABLE_MM[1] / 2 - 25, height_mm])
    lens = Lens(image_size=SIZE, parameters=np.array(LENSES[model]), covariance=np.zeros((9, 9)), model=model)
    return CameraOverTable(
        lens=lens,
        rotation=cv2.Rodrigues(rotation)[0].ravel(),
        translation_mm=-rotation @ eye,
        covariance=np.zeros((15, 15)),
        bleed_px=0.0,
        sigma_px=0.0,
    )


@pytest.mark.parametrize("model", list(LensModel))
def test_a_place_is_drawn_where_the_camera_shows_it(page: Page, address: str, model: LensModel) -> None:
    camera = hang(model)
    across, up, high = np.meshgrid(np.linspace(0, TABLE_MM[0], 5), np.linspace(0, TABLE_MM[1], 5), [0.0, 60.0])
    places = np.stack([across, up, high], axis=-1).reshape(-1, 3)
    shown_px = camera.image_from_table(places)
    inside = np.all((shown_px > 0) & (shown_px < np.array(SIZE)), axis=1)
    assert inside.sum() > 20
    lookout = build_lookout_view(camera).lookout["lookout"].model_dump(mode="json")
    page.goto(address)
    # A canvas of another shape, into whose middle the picture is fitted: 960 x 540 of 960 x 700.
    drawn_px = np.array(page.evaluate(WARPED, [lookout, 960, 700, places[inside].tolist()]))
    expected_px = (shown_px[inside] + 0.5) / 2 + (0, 80)
    assert np.abs(drawn_px - expected_px).max() < 1e-6


@pytest.mark.parametrize("model", list(LensModel))
def test_far_outside_of_the_picture_nothing_comes_back_into_it(page: Page, address: str, model: LensModel) -> None:
    lookout = build_lookout_view(hang(model, height_mm=300.0)).lookout["lookout"].model_dump(mode="json")
    outwards = [[762 + 40 * step, 559, 0] for step in range(200)]
    page.goto(address)
    drawn_px = np.array(page.evaluate(WARPED, [lookout, *SIZE, outwards]))
    assert (np.diff(drawn_px[:, 0]) > 0).all()


@pytest.mark.parametrize(("quarters", "edge"), [(0, "near"), (1, "left"), (2, "far"), (3, "right")])
def test_words_are_upright_for_whoever_the_picture_is_upright_for(
    page: Page, address: str, quarters: int, edge: str
) -> None:
    camera = hang(LensModel.PINHOLE, turned_rad=quarters * math.pi / 2)
    lookout = build_lookout_view(camera).lookout["lookout"].model_dump(mode="json")
    page.goto(address)
    table = {"width_mm": TABLE_MM[0], "depth_mm": TABLE_MM[1]}
    # In a picture that is turned so, this edge is at the bottom.
    middles = {"near": (762, 0), "far": (762, 1118), "left": (0, 559), "right": (1524, 559)}
    lowest = max(middles, key=lambda name: float(camera.image_from_table(np.array([[*middles[name], 0.0]]))[0, 1]))
    assert page.evaluate(UPRIGHT, [lookout, table]) == lowest == edge
