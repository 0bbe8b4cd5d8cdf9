"""Calibration files: `overtable.lens/1`.

The format is in OpenCV's model and pixel convention, so that files from other tools can be brought into it by hand.
"""

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from calibration.judgement import Judgement
from calibration.lens import LensFit
from calibration.lens_forms import CoverageForm, DroppedForm, JudgementForm, MapForm, PairForm
from calibration.lens_map import LensMap
from calibration.pairing import CameraMark, Pixels
from calibration.spaces import Lens

Row = tuple[float, float, float]


class LensFile(BaseModel):
    """A lens as `overtable calibrate lens` writes it."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)

    format: Literal["overtable.lens/1"]
    image_size: tuple[Pixels, Pixels]
    """Width and height."""
    camera: CameraMark | None = None
    """The camera that it was made with; files of other tools do not say."""
    matrix: tuple[Row, Row, Row]
    distortion: Annotated[tuple[float, ...], Field(min_length=4, max_length=5)]
    """k1, k2, p1, p2 and, where it is there, k3."""
    rms_px: float | None = None
    held_out_px: float | None = None
    misfit_px: float | None = None
    """What of that neighbouring corners share, so that no noise explains it."""
    inflation: float | None = None
    """How much greater the covariance is than corners independent of each other would make it."""
    board: str | None = None
    """As `--board` takes it, its lengths as they were measured."""
    views: tuple[str, ...] = ()
    """The pictures that the fit rests on."""
    dropped: tuple[DroppedForm, ...] = ()
    """The pictures that it does without, each with its reason."""
    corners_dropped: int | None = None
    """Single corners left out of pictures that were kept."""
    coverage: CoverageForm | None = None
    map_mm: MapForm | None = None
    """The error to expect on a table."""
    verdict: JudgementForm | None = None
    """``good``, ``usable`` or ``poor``, and why; a small `rms_px` alone makes no lens good."""
    same_camera: PairForm | None = None
    """Against another lens that is said to be of the same camera."""
    covariance: tuple[tuple[float, ...], ...] | None = None
    """(9, 9) of fx, fy, cx, cy, k1, k2, p1, p2, k3; without it an ordinary calibration's uncertainty is taken."""

    @model_validator(mode="after")
    def _sound(self) -> Self:
        (fx, skew, _), (zero, fy, _), last = self.matrix
        if not (fx > 0 and fy > 0 and skew == zero == 0 and last == (0, 0, 1)):
            raise ValueError("expected the matrix [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with positive focal lengths")
        if self.camera is not None and self.camera.image_size != self.image_size:
            raise ValueError("expected camera.image_size to be the same as image_size")
        if self.covariance is not None:
            spread = [row[i] for i, row in enumerate(self.covariance) if len(row) == 9]
            if len(spread) != 9 or min(np.linalg.eigvalsh(np.array(self.covariance))) <= 0:
                raise ValueError("expected a covariance of 9 rows of 9 numbers that is positive definite")
        return self

    @property
    def lens(self) -> Lens:
        """The lens as the solves take it."""
        (fx, _, cx), (_, fy, cy), _ = self.matrix
        parameters = np.array([fx, fy, cx, cy, *self.distortion, 0.0][:9])
        if self.covariance is not None:
            covariance = np.array(self.covariance)
        else:
            spread = np.array([2e-3 * fx, 2e-3 * fy, 2e-3 * fx, 2e-3 * fy, 0.01, 0.02, 5e-4, 5e-4, 0.02])
            covariance = np.diag(spread**2)
        return Lens(image_size=self.image_size, parameters=parameters, covariance=covariance)

    @property
    def mark(self) -> CameraMark:
        """The camera that it was made with, as far as the file says."""
        return self.camera or CameraMark(image_size=self.image_size)

    @classmethod
    def of(
        cls,
        fit: LensFit,
        camera: CameraMark | None = None,
        *,
        board: str | None = None,
        on_table: LensMap | None = None,
        verdict: Judgement | None = None,
        same_camera: PairForm | None = None,
    ) -> Self:
        """Return the file that keeps a fit to pictures of a camera, and what is known of it beyond."""
        rows = fit.lens.matrix.tolist()
        return cls(
            format="overtable.lens/1",
            image_size=fit.lens.image_size,
            camera=camera,
            matrix=(tuple(rows[0]), tuple(rows[1]), tuple(rows[2])),
            distortion=tuple(fit.lens.distortion.tolist()),
            rms_px=fit.rms_px,
            held_out_px=fit.held_out_px,
            misfit_px=fit.misfit_px,
            inflation=fit.inflation,
            board=board,
            views=fit.views,
            dropped=tuple(map(DroppedForm.of, fit.dropped)),
            corners_dropped=fit.corners_dropped,
            coverage=CoverageForm.of(fit.coverage),
            map_mm=MapForm.of(on_table) if on_table else None,
            verdict=JudgementForm.of(verdict) if verdict else None,
            same_camera=same_camera,
            covariance=tuple(tuple(row) for row in fit.lens.covariance.tolist()),
        )
