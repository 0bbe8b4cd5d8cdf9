"""Whether a calibrated lens is good enough to judge a game by, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from calibration.compare import Comparison
from calibration.lens import LensFit
from calibration.lens_map import LensMap

Level = Literal["good", "usable", "poor"]
LEVELS: tuple[Level, ...] = ("good", "usable", "poor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that speaks for or against a lens."""

    level: Level
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What to think of a lens: as much as of its weakest side."""

    level: Level
    reasons: tuple[Reason, ...]
    """The weakest first."""


def judge_lens(fit: LensFit, on_table: LensMap, same_camera: Comparison | None = None) -> Judgement:
    """Judge a lens by what it is off on the table, what it was tried on, and what it was measured from.

    How small the error in the pictures of the fit is does not count: a lens can fit its own pictures and be wrong.
    """
    reasons = sorted(_reasons(fit, on_table, same_camera), key=lambda reason: -LEVELS.index(reason.level))
    return Judgement(level=reasons[0].level, reasons=tuple(reasons))


def _reasons(fit: LensFit, on_table: LensMap, same_camera: Comparison | None) -> Iterator[Reason]:
    yield Reason(
        level=_up_to(on_table.worst_mm, good=0.5, usable=1.5),
        sentence=f"on the table it is expected to be off by {on_table.typical_mm:.2f} mm,"
        f" and by {on_table.worst_mm:.2f} mm where it is worst",
    )
    more = fit.held_out_px / max(fit.rms_px, 1e-6)
    yield Reason(
        level=_up_to(more, good=1.25, usable=1.6),
        sentence=f"in pictures held out of the fit its error is {more:.2f} times that in pictures of the fit"
        + (": more pictures are needed" if more > 1.25 else ""),
    )
    odd = len(fit.dropped_odd)
    if odd:
        seen = odd + len(fit.views)
        yield Reason(
            level=_up_to(odd / seen, good=0.15, usable=0.34),
            sentence=f"{odd} of the {seen} pictures that show the board did not fit the others and were dropped",
        )
    empty = fit.coverage.empty
    yield Reason(
        level=_up_to(len(empty), good=1, usable=4),
        sentence=f"no picture shows the board in these parts: {', '.join(empty)}"
        if empty
        else "the board was seen in every part of the picture",
    )
    least, most = fit.coverage.tilts_deg
    yield Reason(
        level=_up_to(-most, good=-25, usable=-12),
        sentence=f"the board was tilted by {least:.0f} to {most:.0f} degrees"
        + ("; tilt it by 30 and more in some pictures" if most < 25 else ""),
    )
    if fit.inflation > 9:
        yield Reason(
            level="usable",
            sentence=f"the pictures contradict each other: what they say of the lens lies"
            f" {fit.inflation**0.5:.1f} times as far apart as their corners let expect; the board was not flat,"
            " the pictures were not still, or the camera focused anew in between",
        )
    if same_camera is not None and same_camera.outcome != "agree":
        yield Reason(
            level="poor" if same_camera.outcome == "disagree" else "usable",
            sentence="it disagrees with the other lens of the same camera"
            if same_camera.outcome == "disagree"
            else "it is doubtful whether it agrees with the other lens of the same camera",
        )


def _up_to(value: float, *, good: float, usable: float) -> Level:
    return "good" if value <= good else "usable" if value <= usable else "poor"
