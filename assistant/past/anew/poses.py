"""How differently models are seen the second time."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from assistant.past.anew.form import ModelAnew, Where
from assistant.poses import PoseEntry
from calibration.spaces import CameraOverTable

GRID = 9
"""Calibrations are compared at so many places along each side of the table."""


@dataclass(slots=True, kw_only=True)
class _Model:
    name: str
    mm: list[float] = field(default_factory=list)
    deg: list[float] = field(default_factory=list)
    sigmas: list[float] = field(default_factory=list)
    largest: Where | None = None
    only_before: int = 0
    only_now: int = 0


@dataclass(kw_only=True)
class Sightings:
    """Takes in, picture by picture, how models were seen then and are seen now; by tag, whoever carries it."""

    _before: dict[int, PoseEntry] = field(default_factory=dict)
    """How each was last recorded: what does not change is not."""
    _models: dict[int, _Model] = field(default_factory=dict)
    _unknown: set[int] = field(default_factory=set)
    """Of which it is not known whether they were seen then."""

    def begin(self) -> None:
        """Let the program have begun anew: what it sees again as it was, it does not record."""
        self._unknown = set(self._before)

    def recorded(self, poses: Iterable[PoseEntry]) -> None:
        """Take in what was recorded of a picture that may be lacking in the video."""
        told = {entry.tag: entry for entry in poses}
        self._before.update(told)
        self._unknown -= told.keys()

    def picture(self, at_ns: int, before: Iterable[PoseEntry], now: Iterable[PoseEntry]) -> None:
        """Take in a picture.

        Args:
            at_ns: when it was taken.
            before: what was recorded of it.
            now: how all models are seen in it.

        """
        fresh = {entry.tag: entry for entry in before}
        self.recorded(fresh.values())
        here = {entry.tag: entry for entry in now}
        for tag in {**self._before, **here}:
            then, again = self._before.get(tag), here.get(tag)
            known = self._models.setdefault(tag, _Model(name=(again or self._before[tag]).model))
            was_seen, is_seen = (entry is not None and entry.state == "seen" for entry in (then, again))
            if tag not in self._unknown:
                known.only_before += was_seen and not is_seen
                known.only_now += is_seen and not was_seen
            if was_seen and is_seen and tag in fresh:
                _compare(known, at_ns, fresh[tag], here[tag])

    def found(self) -> tuple[ModelAnew, ...]:
        """Return how differently each model was seen, the worst first."""
        models = [
            ModelAnew(
                model=known.name,
                tag=tag,
                compared=len(known.mm),
                rms_mm=_rms(known.mm, 4),
                rms_deg=_rms(known.deg, 4),
                rms_sigmas=_rms(known.sigmas, 3),
                largest=known.largest,
                largest_deg=round(max(known.deg, default=0.0), 4),
                largest_sigmas=round(max(known.sigmas, default=0.0), 3),
                only_before=known.only_before,
                only_now=known.only_now,
            )
            for tag, known in self._models.items()
        ]
        return tuple(sorted(models, key=lambda each: (-each.rms_mm, each.tag)))


def _compare(known: _Model, at_ns: int, then: PoseEntry, now: PoseEntry) -> None:
    mm = math.hypot(now.x_mm - then.x_mm, now.y_mm - then.y_mm)
    known.mm.append(mm)
    known.deg.append(abs(math.remainder(now.facing_deg - then.facing_deg, 360)))
    sigma_mm = math.hypot(*then.sigma_mm, *now.sigma_mm)  # along both axes, as the distance is
    known.sigmas.append(mm / sigma_mm if sigma_mm else 0.0)
    if known.largest is None or mm > known.largest.mm:
        known.largest = Where(mm=round(mm, 4), at_ns=at_ns, model=known.name, x_mm=then.x_mm, y_mm=then.y_mm)


def _rms(values: list[float], digits: int) -> float:
    return round(math.sqrt(math.fsum(v * v for v in values) / len(values)), digits) if values else 0.0


def apart(before: CameraOverTable, now: CameraOverTable, *, width_mm: float, depth_mm: float) -> Where:
    """Return where on a table what is seen at one place of the picture is taken to lie farthest apart."""
    xs, ys = np.meshgrid(np.linspace(0, width_mm, GRID), np.linspace(0, depth_mm, GRID))
    places = np.column_stack([xs.ravel(), ys.ravel()])
    seen_px = before.image_from_table(np.column_stack([places, np.zeros(len(places))]))
    away = now.table_from_image(seen_px, 0.0) - before.table_from_image(seen_px, 0.0)
    far_mm = np.hypot(away[:, 0], away[:, 1])
    worst = int(np.argmax(far_mm))
    x_mm, y_mm = places[worst]
    return Where(mm=round(float(far_mm[worst]), 4), x_mm=round(float(x_mm), 1), y_mm=round(float(y_mm), 1))
