"""The parts of a lens file beyond the lens itself, and what a comparison of two is written as."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from calibration.compare import Comparison, Outcome
from calibration.coverage import Coverage
from calibration.judgement import Judgement, Level
from calibration.lens_map import LensMap
from calibration.misfits import Dropped
from calibration.spaces import LENS_PARAMETERS


class Part(BaseModel):
    """A part of a file that this project writes; what it does not know it leaves unread."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


class DroppedForm(Part):
    """A picture that the fit does without."""

    view: str
    reason: str

    @classmethod
    def of(cls, dropped: Dropped) -> Self:
        """Return what is written of it."""
        return cls(view=dropped.view, reason=dropped.reason)


class CoverageForm(Part):
    """What the pictures of the fit reach."""

    counts: tuple[tuple[int, ...], ...]
    """How many show the board in each part of the picture: rows from the top, each from the left."""
    tilts_deg: tuple[float, float]
    """The least and the greatest tilt of the board."""
    distances_mm: tuple[float, float]
    """The least and the greatest distance of the board's middle."""

    @classmethod
    def of(cls, coverage: Coverage) -> Self:
        """Return what is written of it."""
        return cls(counts=coverage.counts, tilts_deg=coverage.tilts_deg, distances_mm=coverage.distances_mm)


class PlaceForm(Part):
    """A place on the table."""

    x_mm: float
    y_mm: float
    error_mm: float
    """Expected (root mean square) distance from where a thing is to where it is measured, by the lens's fault."""


class MapForm(Part):
    """The error to expect of a lens on a table under a camera that looks straight down on its middle."""

    table_mm: tuple[float, float]
    """Width and depth."""
    height_mm: float
    """Of the camera above it."""
    typical_mm: float
    """Root mean square over the places."""
    worst_mm: float
    places: tuple[PlaceForm, ...]
    """Row by row from the near edge, each from the left."""

    @classmethod
    def of(cls, on_table: LensMap) -> Self:
        """Return what is written of it."""
        places = zip(on_table.places_mm.reshape(-1, 2).tolist(), on_table.errors_mm.ravel().tolist(), strict=True)
        return cls(
            table_mm=on_table.stand.table_mm,
            height_mm=on_table.stand.height_mm,
            typical_mm=on_table.typical_mm,
            worst_mm=on_table.worst_mm,
            places=tuple(PlaceForm(x_mm=x, y_mm=y, error_mm=error) for (x, y), error in places),
        )


class ReasonForm(Part):
    """One thing that speaks for or against a lens."""

    level: Level
    sentence: str


class JudgementForm(Part):
    """What to think of a lens: as much as of its weakest side, which comes first."""

    level: Level
    reasons: tuple[ReasonForm, ...]

    @classmethod
    def of(cls, judgement: Judgement) -> Self:
        """Return what is written of it."""
        reasons = tuple(ReasonForm(level=reason.level, sentence=reason.sentence) for reason in judgement.reasons)
        return cls(level=judgement.level, reasons=reasons)


class DifferenceForm(Part):
    """One parameter of two lenses."""

    parameter: str
    difference: float
    """The second's minus the first's."""
    sigma: float
    """Standard deviation of the difference."""


class PairForm(Part):
    """How two lenses differ."""

    one: str
    other: str
    outcome: Outcome
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
    def of(cls, one: str, other: str, comparison: Comparison) -> Self:
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


class ComparisonForm(Part):
    """What `overtable calibrate compare` answers."""

    format: Literal["overtable.lens-comparison/1"] = "overtable.lens-comparison/1"
    outcome: Outcome
    """Of the pair that agrees least."""
    table_mm: tuple[float, float]
    height_mm: float
    pairs: tuple[PairForm, ...]
