"""The diagnosis report: what was found of a set-up, as a document (`overtable.doctor/1`) and in words."""

from collections.abc import Sequence
from typing import Literal

from assistant.files.documents import Format
from calibration.design_prediction import RULE_SIGMA_MM, DesignChange, ErrorMap, Remedy

Level = Literal["good", "could-be-better", "bad"]
SPOKEN: dict[Level, str] = {"good": "good", "could-be-better": "could be better", "bad": "bad"}
FINE_MM = 0.5
"""The largest error of the calibration up to which it is good."""
WORTH = 0.9
"""A change is told if it leaves no larger share of the largest error."""


class Check(Format):
    """One thing that was looked at."""

    about: str
    """What it is, in a word."""
    level: Level
    fact: str
    advice: str = ""
    """What to do about it; empty where all is well."""


class ErrorForm(Format):
    """The error that the calibration leaves on the table, one standard deviation."""

    centre_mm: float
    worst_mm: float
    worst_at_mm: tuple[float, float]
    places_mm: tuple[tuple[tuple[float, float], ...], ...]
    """Rows of places, the near edge first."""
    map_mm: tuple[tuple[float, ...], ...]
    """The error at each of them."""

    @classmethod
    def from_map(cls, error_map: ErrorMap) -> "ErrorForm":
        """Return what is written of an error map."""
        return cls(
            centre_mm=round(error_map.centre_mm, 4),
            worst_mm=round(error_map.worst_mm, 4),
            worst_at_mm=error_map.worst_at_mm,
            places_mm=tuple(tuple((x, y) for x, y in row) for row in error_map.places_mm.tolist()),
            map_mm=tuple(tuple(round(sigma, 4) for sigma in row) for row in error_map.sigma_mm.tolist()),
        )


class RemedyForm(Format):
    """A change, and what is expected of it."""

    change: Literal["mend", "places", "lens", "uncover", "anchor", "larger-anchors", "finer-camera"]
    worst_mm: float
    """The largest error then."""
    at_mm: tuple[float, float] | None = None
    """Where another anchor would lie."""
    text: str


class Diagnosis(Format):
    """Everything that was found."""

    format: Literal["overtable.doctor/1"] = "overtable.doctor/1"
    setup: str | None
    """The set-up file; none where only the machine was looked at."""
    checks: tuple[Check, ...]
    error: ErrorForm | None = None
    """None where no calibration was possible."""
    improve: tuple[RemedyForm, ...] = ()
    """What would lessen the largest error, the most helpful change first, each by itself."""


def report_good(about: str, fact: str) -> Check:
    """Return a check that found nothing to do."""
    return Check(about=about, level="good", fact=fact)


def report_fair(about: str, fact: str, advice: str) -> Check:
    """Return a check of something that could be better."""
    return Check(about=about, level="could-be-better", fact=fact, advice=advice)


def report_bad(about: str, fact: str, advice: str) -> Check:
    """Return a check of something that does not work."""
    return Check(about=about, level="bad", fact=fact, advice=advice)


def build_remedy(remedy: Remedy, worst_now_mm: float, hidden: Sequence[int], wrong: Sequence[int]) -> RemedyForm:
    """Return what is said of a change, given the largest error now, and the anchors that are not seen or wrong."""
    worst_mm = worst_now_mm * remedy.gain
    match remedy.change:
        case DesignChange.MEND:
            text = f"measure the place and size of anchor {', '.join(map(str, wrong))} again"
        case DesignChange.PLACES:
            text = f"measure the anchors' places again, each to within {RULE_SIGMA_MM:g} mm"
        case DesignChange.LENS:
            text = (
                "calibrate the lens: overtable print board, then overtable calibrate lens IMAGES... --board printed"
                " --out lens.json"
            )
        case DesignChange.UNCOVER:
            text = f"bring the anchors that are not seen into view: {', '.join(map(str, hidden))}"
        case DesignChange.ANCHOR:
            assert remedy.at_mm is not None
            x_mm, y_mm = remedy.at_mm
            text = f"lay one more anchor at about x {x_mm:.0f} mm, y {y_mm:.0f} mm, and write down where exactly"
        case DesignChange.LARGER_ANCHORS:
            text = "print the anchors half as large again"
        case DesignChange.FINER_CAMERA:
            text = "use a 4K camera"
    return RemedyForm(change=remedy.change.value, worst_mm=round(worst_mm, 4), at_mm=remedy.at_mm, text=text)


def describe_diagnosis(diagnosis: Diagnosis) -> str:
    """Return what a person is told."""
    wide = max(len(check.about) for check in diagnosis.checks)
    lines = []
    for check in diagnosis.checks:
        lines.append(f"{check.about:<{wide}}  {SPOKEN[check.level]:<15}  {check.fact}")
        if check.advice:
            lines.append(f"{'':<{wide}}  {'':<15}  -> {check.advice}")
    if (error := diagnosis.error) is not None:
        x_mm, y_mm = error.worst_at_mm
        lines += [
            "",
            (
                f"The calibration leaves an error of {error.centre_mm:.2f} mm in the middle of the table and of"
                f" {error.worst_mm:.2f} mm at worst, at x {x_mm:.0f} mm, y {y_mm:.0f} mm (one standard deviation):"
            ),
            *("  " + " ".join(f"{sigma:6.2f}" for sigma in row) for row in reversed(error.map_mm)),
        ]
        lines += _describe_improvements(diagnosis.improve, error.worst_mm)
    return "\n".join(lines)


def _describe_improvements(improve: Sequence[RemedyForm], worst_mm: float) -> list[str]:
    worth = [remedy for remedy in improve if remedy.worst_mm <= WORTH * worst_mm]
    if not worth:
        return ["No single change would improve it much."]
    return [
        f"{'It is good; what' if worst_mm <= FINE_MM else 'What'} would improve it most, each by itself:",
        *(f"  {n}. {remedy.text}: {worst_mm:.2f} -> {remedy.worst_mm:.2f} mm" for n, remedy in enumerate(worth, 1)),
    ]
