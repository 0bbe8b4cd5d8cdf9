"""The table file: `overtable.table/1`, where the anchors lie and where the camera stood, as solved from pictures.

The places hold for any camera over the same table; a set-up that names the file takes from it where the anchors lie.
Lengths are millimetres, angles degrees counter-clockwise.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from calibration.camera_match import Pixels
from calibration.spaces import CameraOverTable, Floats, LensModel
from calibration.table.anchor_layout import Corner, StatedAnchor, TableSize
from calibration.table.bundle_adjustment import TableFit
from calibration.table.misplaced_anchors import AnchorExamination
from calibration.table.quality import HeldOutAnchor, map_sigma_mm, measure_residuals_mm

Row = tuple[float, float, float]


class _TableFilePart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


class MeasuredTable(_TableFilePart):
    """The table's measures as the set-up gave them, and as solved."""

    width_mm: float
    depth_mm: float
    sigma_mm: float
    solved_mm: tuple[float, float]
    """Width and depth; the same as given where no anchor lies in a corner that tells."""
    solved_sigma_mm: tuple[float, float]


class StatedAnchorForm(_TableFilePart):
    """What the set-up said of an anchor."""

    size_mm: float
    z_mm: float
    x_mm: float | None
    y_mm: float | None
    facing_deg: float | None
    corner: Corner | None
    sigma_mm: float
    sigma_deg: float

    @classmethod
    def from_anchor(cls, anchor: StatedAnchor) -> Self:
        """Return what a set-up says of an anchor, as the file keeps it."""
        return cls(
            size_mm=anchor.size_mm,
            z_mm=anchor.z_mm,
            x_mm=anchor.x_mm,
            y_mm=anchor.y_mm,
            facing_deg=None if anchor.turn_rad is None else round(math.degrees(anchor.turn_rad), 9),
            corner=anchor.corner,
            sigma_mm=anchor.sigma_mm,
            sigma_deg=round(math.degrees(anchor.sigma_rad), 9),
        )


class AnchorPlace(_TableFilePart):
    """Where an anchor lies."""

    tag: int
    x_mm: float
    y_mm: float
    facing_deg: float
    sigma_mm: tuple[float, float]
    """One standard deviation of x and of y."""
    sigma_deg: float
    residual_mm: float
    """Root mean square distance between its corners seen and predicted, on the table."""
    held_out_mm: float | None
    """How far from where it is said to lie the others put it; null where nothing is said, or they do not tell."""
    held_out_sigma_mm: float | None
    said: StatedAnchorForm


class SuspectEntry(_TableFilePart):
    """An anchor that is not as the set-up says; the places rest on the others."""

    tag: int
    kind: Literal["misplaced", "turned", "swapped", "other-size"]
    other: int | None
    """The anchor that it is swapped with."""
    off_mm: tuple[float, float]
    off_sigma_mm: float
    turn_deg: float
    turn_sigma_deg: float
    size_mm: float
    size_sigma_mm: float
    """The edge that it seems to have; 0 where that is not what is wrong."""
    text: str


class CameraPose(_TableFilePart):
    """Where the camera stood for one picture, and the lens that goes with it."""

    picture: str
    eye_mm: Row
    """In the table's frame."""
    height_sigma_mm: float
    rotation: Row
    """Rodrigues vector of camera_from_table, radians."""
    translation_mm: Row
    """The table's origin in the camera's frame."""
    image_size: tuple[Pixels, Pixels]
    matrix: tuple[Row, Row, Row]
    distortion: tuple[float, float, float, float, float]
    model: Annotated[Literal["fisheye"] | None, Field(exclude_if=lambda model: model is None)] = None
    """The lens's, where it is no pinhole camera's."""
    covariance: tuple[tuple[float, ...], ...]
    """(15, 15) of rotation, translation and fx, fy, cx, cy, k1, k2, p1, p2, k3."""
    sigma_map_mm: tuple[Row, ...]
    """x, y and the standard deviation that the calibration leaves there, at the table's middle and corners."""


class TableFile(_TableFilePart):
    """A table as `overtable calibrate table` writes it."""

    format: Literal["overtable.table/1"]
    table: MeasuredTable
    anchors: Annotated[tuple[AnchorPlace, ...], Field(min_length=1)]
    covariance: tuple[tuple[float, ...], ...]
    """(3n, 3n) of x_mm, y_mm and facing_deg of the first anchor, of the second, ..."""
    residual_mm: float
    """Root mean square of all anchors' corners."""
    held_out_mm: float | None
    """Root mean square of how far each anchor lies from where the others put it."""
    sigma_px: float
    """Standard deviation of one coordinate of a corner in the pictures."""
    suspects: tuple[SuspectEntry, ...] = ()
    contradicting: tuple[int, ...] = ()
    """Anchors of which one or more must be wrong, without a way to tell which."""
    warnings: tuple[str, ...] = ()
    """What is wrong or weak, a sentence each."""
    cameras: tuple[CameraPose, ...]

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        count = 3 * len(self.anchors)
        if len(self.covariance) != count or any(len(row) != count for row in self.covariance):
            raise ValueError(f"expected a covariance of {count} rows of {count} numbers, three for each anchor")
        spread = np.array(self.covariance)
        scale = np.sqrt(np.maximum(np.diag(spread), 1e-30))
        if np.abs(spread - spread.T).max() > 1e-6 * scale.max() ** 2:
            raise ValueError("expected a symmetric covariance")
        if (np.diag(spread) < 0).any() or np.linalg.eigvalsh(spread / np.outer(scale, scale)).min() < -1e-6:
            raise ValueError("expected a covariance without negative variances")
        tags = [anchor.tag for anchor in self.anchors]
        if twice := next((tag for tag in tags if tags.count(tag) > 1), None):
            raise ValueError(f"anchor {twice} is there twice")
        return self

    @property
    def placement(self) -> Floats:
        """(3n, 3n) covariance of the places, in mm and radians."""
        to_rad = np.tile([1.0, 1.0, math.pi / 180], len(self.anchors))
        return np.array(self.covariance) * np.outer(to_rad, to_rad)

    @classmethod
    def from_fit(
        cls,
        *,
        fit: TableFit,
        table: TableSize,
        pictures: Sequence[str],
        examined: AnchorExamination,
        held_out: Mapping[int, HeldOutAnchor],
        weak: Sequence[str],
    ) -> Self:
        """Return the file that keeps a fit; ``pictures`` are the names of what its cameras saw."""
        left_over = measure_residuals_mm(fit)
        to_deg = np.tile([1.0, 1.0, 180 / math.pi], len(fit.stated))
        spread = fit.covariance * np.outer(to_deg, to_deg)
        sigmas = np.sqrt(np.diag(spread)).reshape(-1, 3)
        places = [
            AnchorPlace(
                tag=anchor.tag,
                x_mm=float(x_mm),
                y_mm=float(y_mm),
                facing_deg=math.degrees(math.remainder(float(turn_rad), math.tau)),
                sigma_mm=(float(sigma[0]), float(sigma[1])),
                sigma_deg=float(sigma[2]),
                residual_mm=left_over[anchor.tag],
                held_out_mm=held_out[anchor.tag].off_mm if anchor.tag in held_out else None,
                held_out_sigma_mm=held_out[anchor.tag].sigma_mm if anchor.tag in held_out else None,
                said=StatedAnchorForm.from_anchor(anchor),
            )
            for anchor, (x_mm, y_mm, turn_rad), sigma in zip(fit.stated, fit.places, sigmas, strict=True)
        ]
        off = [h.off_mm for h in held_out.values()]
        return cls(
            format="overtable.table/1",
            table=MeasuredTable(
                width_mm=table.width_mm,
                depth_mm=table.depth_mm,
                sigma_mm=table.sigma_mm,
                solved_mm=fit.size_mm,
                solved_sigma_mm=(float(fit.size_covariance[0, 0] ** 0.5), float(fit.size_covariance[1, 1] ** 0.5)),
            ),
            anchors=tuple(places),
            covariance=tuple(tuple(row) for row in ((spread + spread.T) / 2).tolist()),
            residual_mm=float(np.sqrt(np.mean(np.square(list(left_over.values()))))),
            held_out_mm=float(np.sqrt(np.mean(np.square(off)))) if off else None,
            sigma_px=max(camera.sigma_px for camera in fit.cameras),
            suspects=tuple(_list_suspects(examined)),
            contradicting=examined.undecided,
            warnings=(*examined.texts, *weak),
            cameras=tuple(_build_pose(camera, name, table) for camera, name in zip(fit.cameras, pictures, strict=True)),
        )


def _list_suspects(examined: AnchorExamination) -> list[SuspectEntry]:
    return [
        SuspectEntry(
            tag=s.tag,
            kind=s.kind,
            other=s.other,
            off_mm=s.off_mm,
            off_sigma_mm=s.off_sigma_mm,
            turn_deg=math.degrees(s.turn_rad),
            turn_sigma_deg=math.degrees(s.turn_sigma_rad),
            size_mm=s.size_mm,
            size_sigma_mm=s.size_sigma_mm,
            text=s.text,
        )
        for s in examined.suspects
    ]


def _build_pose(camera: CameraOverTable, picture: str, table: TableSize) -> CameraPose:
    rows = camera.lens.matrix.tolist()
    x_mm, y_mm, z_mm = camera.eye_mm.tolist()
    k1, k2, p1, p2, k3 = camera.lens.distortion.tolist()
    a, b, c = camera.rotation.tolist()
    tx_mm, ty_mm, tz_mm = camera.translation_mm.tolist()
    return CameraPose(
        picture=picture,
        eye_mm=(x_mm, y_mm, z_mm),
        height_sigma_mm=camera.height_sigma_mm,
        rotation=(a, b, c),
        translation_mm=(tx_mm, ty_mm, tz_mm),
        image_size=camera.lens.image_size,
        matrix=(tuple(rows[0]), tuple(rows[1]), tuple(rows[2])),
        distortion=(k1, k2, p1, p2, k3),
        model="fisheye" if camera.lens.model is LensModel.FISHEYE else None,
        covariance=tuple(tuple(row) for row in camera.covariance.tolist()),
        sigma_map_mm=tuple(map_sigma_mm(camera, table)),
    )
