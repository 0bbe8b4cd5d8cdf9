"""The camera table: cameras that people may buy, with their published figures (`cameras.toml`)."""

import math
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from assistant.files.documents import Format, read_toml

FILE = Path(__file__).parent / "cameras.toml"
USUAL_PIXEL_UM = 1.45
"""A webcam's pixel where nobody has published it: 3840 of them are a sensor of 1/2.8 inch."""
USUAL_F_NUMBER = 2.2
"""A webcam's aperture where nobody has published it."""
Positive = Annotated[float, Field(gt=0)]
Price = Literal["low", "middle", "high"]


class CameraSpec(Format):
    """One camera in one way of using it; what is None has not been published."""

    name: str
    picture_px: tuple[int, int]
    fps: Positive
    across_deg: Positive | None = None
    diagonal_deg: Positive | None = None
    pixel_um: Positive | None = None
    sensor_px: int | None = None
    f_number: Positive | None = None
    readout_ms: Annotated[float, Field(ge=0)] | None = None
    price: Price
    sources: Annotated[tuple[str, ...], Field(min_length=1)]

    @property
    def half_view(self) -> tuple[float, float]:
        """The tangent of half the published angle of view, and how many pixels from the middle that is."""
        width, height = self.picture_px
        if self.across_deg is not None:
            return math.tan(math.radians(self.across_deg) / 2), width / 2
        assert self.diagonal_deg is not None, f"{self.name} has no angle of view"
        return math.tan(math.radians(self.diagonal_deg) / 2), math.hypot(width, height) / 2

    @property
    def frame_ms(self) -> float:
        """From one picture to the next."""
        return 1e3 / self.fps

    @property
    def longest_readout_ms(self) -> float:
        """The published readout, or the longest that the rate leaves room for."""
        return self.frame_ms if self.readout_ms is None else self.readout_ms

    @property
    def light_um(self) -> float:
        """Edge of what gathers light for one pixel of the picture."""
        joined = 1.0 if self.sensor_px is None else self.sensor_px / self.picture_px[0]
        return joined * (self.pixel_um or USUAL_PIXEL_UM)


class _CameraTable(Format):
    cameras: tuple[CameraSpec, ...]


@cache
def load_cameras() -> dict[str, CameraSpec]:
    """Return the cameras by name, in the order of the file."""
    return {camera.name: camera for camera in read_toml(FILE, _CameraTable).cameras}
