"""What a real camera does to a picture after the light has come through its lens: a switch for each fault.

Order is that of a camera: colours and scale by the lens, brightness by lamp and exposure, noise by the sensor,
sharpening and JPEG by its processor.  What happens while the shutter is open is in `shutter`.
"""

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.sprite import Image

NOISE_SLACK_PX = 64
"""The noise is one sheet this much larger than the picture, laid at another offset for each picture."""
SHARPENED_PX = 1.0
"""Sharpening goes by what a blur of this standard deviation takes away, as a processor's small kernels do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFaults:
    """What is wrong with a camera and its lamp; by default nothing."""

    exposure_ms: float = 0.0
    """Each row is open for so long."""
    readout_ms: float = 0.0
    """From the first row's moment to the last one's: a rolling shutter."""
    flicker_share: float = 0.0
    """The lamp's brightness swings by so much about its mean, as a sine."""
    flicker_hz: float = 100.0
    """Twice the frequency of the mains."""
    breathing_share: float = 0.0
    """The picture's scale swings by so much as the focus hunts."""
    breathing_s: float = 6.0
    vibration_px: float = 0.0
    """The picture's place swings by so much each way, at another phase in x and in y."""
    vibration_hz: float = 11.0
    exposure_drift_share: float = 0.0
    """The exposure swings by so much."""
    exposure_drift_s: float = 4.0
    aberration_share: float = 0.0
    """Red is so much larger than green, and blue as much smaller; of pictures in colour only."""
    noise: float = 0.0
    """One standard deviation of each pixel, grey levels."""
    sharpening: float = 0.0
    """So many times what a blur would take away is added: halos along edges."""
    jpeg_quality: int | None = None
    """Each picture is sent as a JPEG of its own, colours at half the resolution."""

    @property
    def shakes(self) -> bool:
        """Whether pictures are not all of one place and scale."""
        return self.breathing_share != 0 or self.vibration_px != 0

    def find_row_times(self, rows: NDArray[np.int_] | float, height: int) -> NDArray[np.float64]:
        """Return when rows are exposed, in the middle of it, s after the first row is."""
        return np.asarray(np.asarray(rows) / (height - 1) * self.readout_ms / 1e3)

    def find_row_gains(self, at_s: float, height: int) -> NDArray[np.float64]:
        """(height,) how bright each row is, 1 as usual, of a picture whose first row is exposed at a time."""
        times = at_s + self.find_row_times(np.arange(height), height)
        drift = 1 + self.exposure_drift_share * np.sin(math.tau * times / self.exposure_drift_s)
        # A shutter that is open for whole swings sees none of them.
        seen = self.flicker_share * np.sinc(self.flicker_hz * self.exposure_ms / 1e3)
        return np.asarray(drift * (1 + seen * np.sin(math.tau * self.flicker_hz * times)))

    def find_shift(self, at_s: NDArray[np.float64] | float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how far the picture is shaken in x and y at times, px."""
        turn = math.tau * self.vibration_hz * np.asarray(at_s)
        return self.vibration_px * np.sin(turn), self.vibration_px * np.sin(1.3 * turn + 1.0)

    def find_scale(self, at_s: float) -> float:
        """Return how much larger the picture is than usual."""
        return 1 + self.breathing_share * math.sin(math.tau * at_s / self.breathing_s)


class FaultyCamera:
    """Takes pictures of a faulty camera from those of a good one; the same calls in a row give the same pictures."""

    def __init__(
        self,
        faults: CameraFaults,
        image_size: tuple[int, int],
        *,
        seed: int,
        colour: bool = False,
        centre_px: tuple[float, float] | None = None,
    ) -> None:
        """Take the size of the pictures, and the point about which the focus scales them; by default the middle."""
        self.faults = faults
        self._size = image_size
        self._centre_px = centre_px or ((image_size[0] - 1) / 2, (image_size[1] - 1) / 2)
        self._offsets = np.random.default_rng([seed, 1])
        rng, channels = np.random.default_rng([seed, 2]), 3 if colour else 1
        self._noise = make_noise_sheet(rng, image_size, faults.noise, channels=channels) if faults.noise > 0 else None

    def take(self, picture: Image, at_s: float) -> Image:
        """Return what becomes of a picture, (height, width) grey or (height, width, 3) BGR, taken at a time.

        A picture in colour comes back grey.
        """
        faults = self.faults
        if faults.aberration_share and picture.ndim == 3:
            picture = self._spread_colours(picture)
        if faults.shakes:
            picture = self._shake(picture, at_s)
        gains = faults.find_row_gains(at_s, self._size[1])
        if not np.allclose(gains, 1.0, atol=1e-4):
            plane = np.repeat(gains.astype(np.float32)[:, None], picture[0].size, axis=1).reshape(picture.shape)
            picture = np.asarray(cv2.multiply(picture, plane, dtype=cv2.CV_8U), dtype=np.uint8)
        if self._noise is not None:
            picture = lay_noise(picture, self._noise, self._offsets)
        if faults.sharpening:
            soft = cv2.GaussianBlur(picture, (0, 0), SHARPENED_PX)
            added = cv2.addWeighted(picture, 1 + faults.sharpening, soft, -faults.sharpening, 0)
            picture = np.asarray(added, dtype=np.uint8)
        if faults.jpeg_quality is not None:
            _, sent = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, faults.jpeg_quality])
            return np.asarray(cv2.imdecode(sent, cv2.IMREAD_GRAYSCALE), dtype=np.uint8)
        return picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)

    def _spread_colours(self, picture: Image) -> Image:
        still, spread = np.zeros(1), self.faults.aberration_share
        blue, green, red = (np.asarray(plane, dtype=np.uint8) for plane in cv2.split(picture))
        planes = self._move(blue, 1 - spread, still, still), green, self._move(red, 1 + spread, still, still)
        return np.asarray(cv2.merge(planes), dtype=np.uint8)

    def _shake(self, picture: Image, at_s: float) -> Image:
        height = self._size[1]
        rolls = self.faults.vibration_px and self.faults.readout_ms
        times = at_s + (self.faults.find_row_times(np.arange(height), height) if rolls else np.zeros(1))
        return self._move(picture, self.faults.find_scale(at_s), *self.faults.find_shift(times))

    def _move(self, picture: Image, scale: float, xs_px: NDArray[np.float64], ys_px: NDArray[np.float64]) -> Image:
        """Scale a picture about the centre, then shift its rows, each by its own or all by one."""
        (x0, y0), (width, height) = self._centre_px, self._size
        rows = y0 + (np.arange(height) - y0 - ys_px) / scale
        columns = x0 + (np.arange(width) - x0 - xs_px[:, None]) / scale
        moved = _resample(_resample(picture, rows[:, None], axis=0), columns, axis=1)
        return np.asarray(cv2.convertScaleAbs(moved), dtype=np.uint8)


def _resample(picture: NDArray[Any], places: NDArray[np.float64], *, axis: int) -> NDArray[np.float32]:
    """Return a picture as it is at places along one axis, for each place along the other or for all alike.

    OpenCV's own resampling is up to 0.05 px off, which is more than eyes are.
    """
    whole = np.floor(places).astype(np.int64)
    f = (places - whole).astype(np.float32)
    weights = (
        ((-0.5 * f + 1) * f - 0.5) * f,
        (1.5 * f - 2.5) * f * f + 1,
        ((-1.5 * f + 2) * f + 0.5) * f,
        (f - 1) * f * f / 2,
    )
    total = np.zeros(picture.shape, dtype=np.float32)
    for step, weight in zip((-1, 0, 1, 2), weights, strict=True):
        there = np.clip(whole + step, 0, picture.shape[axis] - 1)
        alike = there.shape[1 - axis] == 1
        part = np.take(picture, there.ravel(), axis=axis) if alike else np.take_along_axis(picture, there, axis=axis)
        total += part * (weight if picture.ndim == 2 else weight[:, :, None])
    return total


def make_noise_sheet(rng: np.random.Generator, image_size: tuple[int, int], sigma: float, *, channels: int) -> Image:
    """Grey levels about 128."""
    width, height = image_size
    shape = (height + NOISE_SLACK_PX, width + NOISE_SLACK_PX, channels)
    sheet = rng.standard_normal(shape, dtype=np.float32) * np.float32(sigma) + np.float32(128)
    levels = np.clip(np.rint(sheet), 0, 255).astype(np.uint8)
    return np.asarray(levels if channels == 3 else levels[:, :, 0], dtype=np.uint8)


def lay_noise(picture: Image, sheet: Image, offsets: np.random.Generator) -> Image:
    """Return a picture with a part of a sheet of noise over it, the next that comes by lot."""
    left, top = (int(offset) for offset in offsets.integers(0, NOISE_SLACK_PX, 2))
    height, width = picture.shape[:2]
    noise = sheet[top : top + height, left : left + width]
    return np.asarray(cv2.addWeighted(picture, 1, noise, 1, -128), dtype=np.uint8)
