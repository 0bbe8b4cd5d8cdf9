"""What the line from the camera tells the set-up wizard: how the camera fares, and how good the calibration is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from assistant.cli.doctor.calibrated import residuals_mm
from assistant.cli.projectionist import Projectionist
from assistant.session import Session
from calibration.outlook import error_map
from hardware.camera.drain import SourceState, SourceStatus
from vision.pipeline import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well the anchors fit where they are said to lie."""

    id: str = ""
    """Of the calibration; empty for none."""
    off_mm: Mapping[int, float] = field(default_factory=dict)
    """How far each anchor that is seen lies from where it is said to, by tag."""
    wrong: tuple[str, ...] = ()
    """What is said of anchors that the others contradict."""
    rms_mm: float = 0.0
    """How far the others lie from where they are said to, in root mean square."""
    centre_mm: float = 0.0
    worst_mm: float = 0.0
    """The error that is left on the table: in its middle, and at worst; one standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is seen now; as it begins, nothing."""

    camera: SourceState = SourceState.STARTING
    text: str = ""
    """How the camera fares, in words."""
    trouble: str = ""
    """Why there is no calibration."""
    in_view: int = 0
    """Anchors."""
    fit: Fit = Fit()
    models: frozenset[str] = frozenset()
    """Those that the camera has found."""
    light_mm: float | None = None
    """How far the projector's light lands from where it belongs, on average; None where that is not known."""


def seen_by(
    before: Seen, status: SourceStatus, pipeline: Pipeline, session: Session, projectionist: Projectionist | None
) -> Seen:
    """Return what is seen; how well a calibration fits is worked out once for each."""
    found = pipeline.calibrated
    live = status.state is SourceState.LIVE
    light = projectionist.file.held_out if projectionist and projectionist.file else None
    return Seen(
        camera=status.state,
        text=status.text,
        trouble=found.trouble if live else "",
        in_view=session.seen.anchors_seen if live else 0,
        fit=before.fit if found.id == before.fit.id else _fit(pipeline, session),
        models=frozenset(entry.model for entry in session.poses.values() if entry.state in {"seen", "held"}),
        light_mm=None if light is None else light.mean_mm,
    )


def _fit(pipeline: Pipeline, session: Session) -> Fit:
    camera, found = pipeline.camera, pipeline.calibrated
    anchors = [anchor for anchor in pipeline.markers.anchors if anchor.tag in found.anchors_px]
    if camera is None or not anchors:
        return Fit(id=found.id)
    off = residuals_mm(anchors, camera, found.anchors_px)
    trusted = [anchor.tag not in found.examined.left_out for anchor in anchors]
    table = session.state.table
    errors = error_map(camera, width_mm=table.width_mm, depth_mm=table.depth_mm)
    return Fit(
        id=found.id,
        off_mm={a.tag: round(float(np.hypot(*mm)), 2) for a, mm in zip(anchors, off.mean(axis=1), strict=True)},
        wrong=found.examined.texts,
        rms_mm=float(np.sqrt((off[trusted] ** 2).sum(axis=2).mean())) if any(trusted) else 0.0,
        centre_mm=errors.centre_mm,
        worst_mm=errors.worst_mm,
    )
