"""Light settings: how the light on the table is set, and where the table is in the camera's picture."""

from assistant.setup.lighting import HideableLight, TableEdge
from assistant.web.messages.message import Message


class LightsView(Message):
    """How the light is set; the only key is ``lights``, which is missing where nobody can set it."""

    brightness: float
    """From 0.2 to 1: share of the projector's light."""
    line_width: float
    """From 0.5 to 3: times as wide as lines are drawn otherwise."""
    hidden: list[HideableLight]
    """What does not shine."""
    seats: dict[str, TableEdge]
    """At which edge of the table each player sits: what is written lies upright for whoever acts."""


class LookoutView(Message):
    """Where in the camera's picture the table is; the only key is ``lookout``, missing while nobody knows."""

    image_size: tuple[int, int]
    """Of the picture, px; the centre of its top left pixel is (0, 0)."""
    camera_from_table: list[float]
    """Twelve numbers, row by row: from (x_mm, y_mm, z_mm, 1) to the camera's frame."""
    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]
    """k1, k2, p1, p2, k3 of OpenCV's model."""
