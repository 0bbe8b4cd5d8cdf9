"""What recorded poses rest on: every calibration of a game, kept once, under the id by which poses name it."""

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from assistant.files import Format
from calibration.pairing import CameraMark
from calibration.spaces import CameraOverTable, Lens

Three = tuple[float, float, float]
Lenses = Annotated[tuple[float, ...], Field(min_length=9, max_length=9)]
Row = Annotated[tuple[float, ...], Field(min_length=15, max_length=15)]


class FileUsed(Format):
    """A calibration file as it was when the game began."""

    name: str
    sha256: str


class CalibrationSeen(Format):
    """A calibration as the anchors gave it; poses are measured with it from here on."""

    calibration: str
    """Its id."""
    camera: CameraMark | None
    """Which camera looked, as far as it could be told."""
    image_size: tuple[int, int]
    rotation: Three
    """Rodrigues vector of camera_from_table."""
    translation_mm: Three
    """The table's origin in the camera frame."""
    lens: Lenses
    """fx, fy, cx, cy, k1, k2, p1, p2, k3."""
    covariance: Annotated[tuple[Row, ...], Field(min_length=15, max_length=15)]
    """Of rotation, translation and lens, in this order."""
    bleed_px: float
    sigma_px: float
    """One standard deviation of a tag's corner."""
    anchors: tuple[int, ...]
    """The tags that it rests on."""
    files: tuple[FileUsed, ...] = ()
    """The calibration files that it began with."""

    @classmethod
    def of(
        cls,
        camera: CameraOverTable,
        *,
        anchors: tuple[int, ...],
        mark: CameraMark | None = None,
        files: tuple[FileUsed, ...] = (),
    ) -> Self:
        """Return what is kept of a solved camera."""
        return cls(
            calibration=camera.id,
            camera=mark,
            image_size=camera.lens.image_size,
            rotation=_three(camera.rotation.tolist()),
            translation_mm=_three(camera.translation_mm.tolist()),
            lens=tuple(camera.lens.parameters.tolist()),
            covariance=tuple(tuple(row) for row in camera.covariance.tolist()),
            bleed_px=camera.bleed_px,
            sigma_px=camera.sigma_px,
            anchors=anchors,
            files=files,
        )

    @property
    def solved(self) -> CameraOverTable:
        """The camera over the table, for asking anew what a pose rests on."""
        covariance = np.array(self.covariance)
        return CameraOverTable(
            lens=Lens(image_size=self.image_size, parameters=np.array(self.lens), covariance=covariance[6:, 6:].copy()),
            rotation=np.array(self.rotation),
            translation_mm=np.array(self.translation_mm),
            covariance=covariance,
            bleed_px=self.bleed_px,
            sigma_px=self.sigma_px,
        )


def _three(values: list[float]) -> Three:
    x, y, z = values
    return x, y, z
