"""The lens file: `overtable.lens/1`, and the answer of a comparison, `overtable.lens-comparison/1`.

The format is in OpenCV's model and pixel convention, so that files from other tools can be brought into it by hand.
A fisheye lens is `overtable.lens/2`, so that no program takes it for an ordinary one that knows of no other.
"""

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from calibration.camera_match import CameraMark, Pixels
from calibration.lens.odd_views import DroppedView
from calibration.lens.quality import LensAgreement, LensComparison, LensErrorMap, LensJudgement, Level
from calibration.lens.solve import BoardCoverage, LensFit
from calibration.spaces import LENS_PARAMETERS, Lens, LensModel

MOST_PX = 1e7
"""Pixels: a hundred times as many as any picture has."""
Coefficient = Annotated[float, Field(ge=-1e6, le=1e6)]
Covariance = Annotated[float, Field(ge=-1e12, le=1e12)]


class LensFilePart(BaseModel):
    """A part of a file that this project writes; what it does not know it leaves unread."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


class DroppedForm(LensFilePart):
    """A picture that the fit does without."""

    view: str
    reason: str

    @classmethod
    def from_dropped(cls, dropped: DroppedView) -> Self:
        """Return what is written of it."""
        return cls(view=dropped.view, reason=dropped.reason)


class CoverageForm(LensFilePart):
    """What the pictures of the fit reach."""

    counts: tuple[tuple[int, ...], ...]
    """How many show the board in each part of the picture: rows from the top, each from the left."""
    tilts_deg: tuple[float, float]
    """The least and the greatest tilt of the board."""
    distances_mm: tuple[float, float]
    """The least and the greatest distance of the board's middle."""

    @classmethod
    def from_coverage(cls, coverage: BoardCoverage) -> Self:
        """Return what is written of it."""
        return cls(counts=coverage.counts, tilts_deg=coverage.tilts_deg, distances_mm=coverage.distances_mm)


class MapPlaceForm(LensFilePart):
    """A place on the table."""

    x_mm: float
    y_mm: float
    error_mm: float
    """Expected (root mean square) distance from where a thing is to where it is measured, by the lens's fault."""


class MapForm(LensFilePart):
    """The error to expect of a lens on a table under a camera that looks straight down on its middle."""

    table_mm: tuple[float, float]
    """Width and depth."""
    height_mm: float
    """Of the camera above it."""
    typical_mm: float
    """Root mean square over the places."""
    worst_mm: float
    places: tuple[MapPlaceForm, ...]
    """Row by row from the near edge, each from the left."""

    @classmethod
    def from_map(cls, on_table: LensErrorMap) -> Self:
        """Return what is written of it."""
        places = zip(on_table.places_mm.reshape(-1, 2).tolist(), on_table.errors_mm.ravel().tolist(), strict=True)
        return cls(
            table_mm=on_table.stand.table_mm,
            height_mm=on_table.stand.height_mm,
            typical_mm=on_table.typical_mm,
            worst_mm=on_table.worst_mm,
            places=tuple(MapPlaceForm(x_mm=x, y_mm=y, error_mm=error) for (x, y), error in places),
        )


class LensReasonForm(LensFilePart):
    """One thing that speaks for or against a lens."""

    level: Level
    sentence: str


class JudgementForm(LensFilePart):
    """What to think of a lens: as much as of its weakest side, which comes first."""

    level: Level
    reasons: tuple[LensReasonForm, ...]

    @classmethod
    def from_judgement(cls, judgement: LensJudgement) -> Self:
        """Return what is written of it."""
        reasons = tuple(LensReasonForm(level=reason.level, sentence=reason.sentence) for reason in judgement.reasons)
        return cls(level=judgement.level, reasons=reasons)


class DifferenceForm(LensFilePart):
    """One parameter of two lenses."""

    parameter: str
    difference: float
    """The second's minus the first's."""
    sigma: float
    """Standard deviation of the difference."""


class PairForm(LensFilePart):
    """How two lenses differ."""

    one: str
    other: str
    outcome: LensAgreement
    """Whether both can be of one camera: ``agree``, ``disagree``, or ``open`` (two to three standard deviations)."""
    differences: tuple[DifferenceForm, ...]
    chi2: float
    """Of all nine differences together."""
    probability: float
    """That two calibrations of one camera lie further apart."""
    typical_px: float
    worst_px: float
    typical_mm: float
    """Root mean square distance on the table between where the two lenses see the same thing."""
    worst_mm: float
    expected_mm: float
    """What ``typical_mm`` would be for two calibrations of one camera, from their covariances."""

    @classmethod
    def from_comparison(cls, one: str, other: str, comparison: LensComparison) -> Self:
        """Return what is written of it."""
        rows = zip(LENS_PARAMETERS, comparison.differences.tolist(), comparison.sigmas.tolist(), strict=True)
        return cls(
            one=one,
            other=other,
            outcome=comparison.outcome,
            differences=tuple(DifferenceForm(parameter=p, difference=d, sigma=s) for p, d, s in rows),
            chi2=comparison.chi2,
            probability=comparison.probability,
            typical_px=comparison.typical_px,
            worst_px=comparison.worst_px,
            typical_mm=comparison.typical_mm,
            worst_mm=comparison.worst_mm,
            expected_mm=comparison.expected_mm,
        )


class ComparisonForm(LensFilePart):
    """What `overtable calibrate compare` answers."""

    format: Literal["overtable.lens-comparison/1"] = "overtable.lens-comparison/1"
    outcome: LensAgreement
    """Of the pair that agrees least."""
    table_mm: tuple[float, float]
    height_mm: float
    pairs: tuple[PairForm, ...]


Row = tuple[float, float, float]


class LensFile(BaseModel):
    """A lens as `overtable calibrate lens` writes it."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)

    format: Literal["overtable.lens/1", "overtable.lens/2"]
    model: Annotated[Literal["pinhole", "fisheye"] | None, Field(exclude_if=lambda model: model is None)] = None
    """What `distortion` distorts; only in the second format, the first is of pinhole cameras."""
    image_size: tuple[Pixels, Pixels]
    """Width and height."""
    camera: CameraMark | None = None
    """The camera that it was made with; files of other tools do not say."""
    matrix: tuple[Row, Row, Row]
    distortion: Annotated[tuple[Coefficient, ...], Field(min_length=4, max_length=5)]
    """k1, k2, p1, p2 and, where it is there, k3."""
    estimated: tuple[str, ...] | None = None
    """The parameters that the pictures told, ``f`` for both focal lengths in one; the others are as a lens has them."""
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
    covariance: tuple[tuple[Covariance, ...], ...] | None = None
    """(9, 9) of fx, fy, cx, cy, k1, k2, p1, p2, k3; without it an ordinary calibration's uncertainty is taken."""

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        if (self.format == "overtable.lens/2") != (self.model is not None):
            raise ValueError("expected a model in overtable.lens/2, and none in overtable.lens/1")
        (fx, skew, cx), (zero, fy, cy), last = self.matrix
        if not (fx > 0 and fy > 0 and skew == zero == 0 and last == (0, 0, 1)):
            raise ValueError("expected the matrix [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with positive focal lengths")
        if not (max(fx, fy, abs(cx), abs(cy)) <= MOST_PX and min(fx, fy) >= 1):
            raise ValueError(f"expected focal lengths of 1 to {MOST_PX:g} pixels, and a centre no further away")
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
        return Lens(
            image_size=self.image_size,
            parameters=parameters,
            covariance=covariance,
            model=LensModel(self.model or LensModel.PINHOLE),
        )

    @property
    def mark(self) -> CameraMark:
        """The camera that it was made with, as far as the file says."""
        return self.camera or CameraMark(image_size=self.image_size)

    @classmethod
    def from_fit(
        cls,
        fit: LensFit,
        camera: CameraMark | None = None,
        *,
        board: str | None = None,
        on_table: LensErrorMap | None = None,
        verdict: LensJudgement | None = None,
        same_camera: PairForm | None = None,
    ) -> Self:
        """Return the file that keeps a fit to pictures of a camera, and what is known of it beyond."""
        kept = cls.from_lens(fit.lens, camera)
        return cls(
            format=kept.format,
            model=kept.model,
            image_size=kept.image_size,
            camera=camera,
            matrix=kept.matrix,
            distortion=kept.distortion,
            estimated=fit.estimated,
            rms_px=fit.rms_px,
            held_out_px=fit.held_out_px,
            misfit_px=fit.misfit_px,
            inflation=fit.inflation,
            board=board,
            views=fit.views,
            dropped=tuple(map(DroppedForm.from_dropped, fit.dropped)),
            corners_dropped=fit.corners_dropped,
            coverage=CoverageForm.from_coverage(fit.coverage),
            map_mm=MapForm.from_map(on_table) if on_table else None,
            verdict=JudgementForm.from_judgement(verdict) if verdict else None,
            same_camera=same_camera,
            covariance=kept.covariance,
        )

    @classmethod
    def from_lens(cls, lens: Lens, camera: CameraMark | None, *, held_out_px: float | None = None) -> Self:
        """Return the file that keeps a lens, and nothing of how it came to be known."""
        rows = lens.matrix.tolist()
        is_ordinary = lens.model is LensModel.PINHOLE
        return cls(
            format="overtable.lens/1" if is_ordinary else "overtable.lens/2",
            model=None if is_ordinary else lens.model.value,
            image_size=lens.image_size,
            camera=camera,
            matrix=(tuple(rows[0]), tuple(rows[1]), tuple(rows[2])),
            distortion=tuple(lens.distortion.tolist()),
            held_out_px=held_out_px,
            covariance=tuple(tuple(row) for row in lens.covariance.tolist()),
        )


class OrdinaryLensFile(LensFile):
    """The file of an ordinary lens, as its JSON Schema describes it."""

    format: Literal["overtable.lens/1"]
    model: None = None
