"""The projector file: `overtable.projector/1`."""

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from calibration.camera_match import Pixels
from calibration.projector.model import Nudge, ProjectorOverTable
from calibration.projector.solve import ProjectorFit

Row = tuple[float, float, float]
Shift = Annotated[float, Field(ge=-1000, le=1000)]


LARGEST = 1e9
"""Of a homography's numbers, whose last is 1: pixels, and pixels a millimetre."""


class _ProjectorFilePart(BaseModel):
    """Immutable, and closed to keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


class LitTable(_ProjectorFilePart):
    """The table that the light falls on."""

    width_mm: Annotated[float, Field(gt=0, le=1e5)]
    depth_mm: Annotated[float, Field(gt=0, le=1e5)]

    @property
    def middle_mm(self) -> tuple[float, float]:
        """What a nudge turns about."""
        return self.width_mm / 2, self.depth_mm / 2


class HeldOut(_ProjectorFilePart):
    """How far light that the fit had not seen is from where the fit foretells it."""

    mean_mm: float
    worst_mm: float
    worst_at_mm: tuple[float, float]
    tags: int
    """On so many tags that rests."""
    doubt_mm: float
    """Standard deviation of the fit where on the table it is largest: far from all tags."""
    doubt_at_mm: tuple[float, float]
    camera_sigma_mm: float
    """What the camera's own calibration adds: it moves the light and the bases alike, but not the anchors."""


class NudgeEntry(_ProjectorFilePart):
    """By how much a person has moved the light since, about the table's middle."""

    x_mm: Shift = 0.0
    y_mm: Shift = 0.0
    turn_deg: Annotated[float, Field(ge=-90, le=90)] = 0.0
    scale: Annotated[float, Field(ge=0.5, le=2)] = 1.0

    @property
    def value(self) -> Nudge:
        """The nudge as the mathematics takes it."""
        return Nudge(x_mm=self.x_mm, y_mm=self.y_mm, turn_rad=math.radians(self.turn_deg), scale=self.scale)

    @classmethod
    def from_nudge(cls, nudge: Nudge) -> Self:
        """Return the entry that keeps a nudge.  pydantic.ValidationError for one that moves the light off the table."""
        return cls(
            x_mm=round(nudge.x_mm, 3),
            y_mm=round(nudge.y_mm, 3),
            turn_deg=round(math.degrees(nudge.turn_rad), 4),
            scale=round(nudge.scale, 6),
        )


class ProjectorFile(_ProjectorFilePart):
    """A projector as `overtable calibrate projector` writes it; bound to a page of one size and to one table."""

    format: Literal["overtable.projector/1"]
    image_size: tuple[Pixels, Pixels]
    """Width and height of the projector page, in the screen's own pixels."""
    table: LitTable
    projector_from_table: tuple[Row, Row, Row]
    """Homography from (x_mm, y_mm, 1) to pixels, before the lens distorts; its last number is 1."""
    centre_px: tuple[float, float]
    """What the lens distorts about."""
    distortion: tuple[float, float, float, float]
    """k1, k2, p1, p2 in OpenCV's formulas, with distances from the centre counted in half diagonals of the picture."""
    lens: str
    """How much of a lens the tags bore out."""
    covariance: tuple[tuple[float, ...], ...] | None = None
    """(14, 14) of the homography's first eight numbers, row by row, the centre and the distortion."""
    held_out: HeldOut | None = None
    dropped: tuple[int, ...] = ()
    """Tags that did not belong to the others."""
    calibration: str = ""
    """Names the camera's calibration through which the tags were seen."""
    made_ns: int | None = None
    """When the last picture of them was taken."""
    nudge: NudgeEntry = NudgeEntry()

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        rows = np.array(self.projector_from_table)
        if np.abs(rows).max() > LARGEST:
            raise ValueError(f"expected no number beyond {LARGEST:g} in projector_from_table")
        if rows[2, 2] != 1 or abs(np.linalg.det(rows)) < 1e-12:
            raise ValueError("expected an invertible projector_from_table whose last number is 1")
        if self.covariance is not None and np.array([len(row) for row in self.covariance]).tolist() != [14] * 14:
            raise ValueError("expected a covariance of 14 rows of 14 numbers")
        return self

    @property
    def measured(self) -> ProjectorOverTable:
        """The projector as it was measured, without the nudge."""
        return ProjectorOverTable(
            image_size=self.image_size,
            parameters=np.concatenate(
                [np.ravel(self.projector_from_table)[:8], np.array(self.centre_px), np.array(self.distortion)]
            ),
            covariance=np.zeros((14, 14)) if self.covariance is None else np.array(self.covariance),
        )

    @property
    def projector(self) -> ProjectorOverTable:
        """The projector with the light moved as a person wants it."""
        return self.measured.apply_nudge(self.nudge.value, self.table.middle_mm)

    @classmethod
    def from_fit(
        cls, fit: ProjectorFit, table: LitTable, *, camera_sigma_mm: float, calibration: str, made_ns: int | None
    ) -> Self:
        """Return the file that keeps a fit."""
        projector = fit.projector
        rows = projector.homography.tolist()
        k1, k2, p1, p2 = projector.parameters[10:].tolist()
        x_mm, y_mm = fit.worst_at_mm
        return cls(
            format="overtable.projector/1",
            image_size=projector.image_size,
            table=table,
            projector_from_table=(tuple(rows[0]), tuple(rows[1]), tuple(rows[2])),
            centre_px=(float(projector.parameters[8]), float(projector.parameters[9])),
            distortion=(k1, k2, p1, p2),
            lens=fit.lens,
            covariance=tuple(tuple(row) for row in projector.covariance.tolist()),
            held_out=HeldOut(
                mean_mm=round(fit.mean_mm, 4),
                worst_mm=round(fit.worst_mm, 4),
                worst_at_mm=(round(x_mm, 1), round(y_mm, 1)),
                tags=len(fit.tags),
                doubt_mm=round(fit.doubt_mm, 4),
                doubt_at_mm=(round(fit.doubt_at_mm[0], 1), round(fit.doubt_at_mm[1], 1)),
                camera_sigma_mm=round(camera_sigma_mm, 4),
            ),
            dropped=fit.dropped,
            calibration=calibration,
            made_ns=made_ns,
        )
