"""How each style is drawn: the only place that knows colours.

The hues are those of Okabe and Ito (Color Universal Design, 2008), which people with any of the common colour
blindnesses tell apart, some lightened for a dark ground.  No colour carries a meaning alone: lines differ in width and
dash, and pages add a sign and a word.
"""

from dataclasses import dataclass

ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#2bc79a", "#f0e442"
BLUE, VERMILLION, PURPLE, WHITE = "#0072b2", "#ff7a33", "#cc79a7", "#e8e6e1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """How a style is drawn on a dark ground."""

    stroke: str
    """A CSS colour."""
    fill: str = ""
    """A CSS colour, or empty."""
    width_mm: float = 2.0
    dash_mm: tuple[float, ...] = ()


PALETTE: dict[str, Paint] = {
    "zone": Paint(stroke=GREEN, fill="#2bc79a30", width_mm=2.5),
    "threat": Paint(stroke=PURPLE, fill="#cc79a714", width_mm=2.0, dash_mm=(16, 5, 3, 5)),
    "engagement": Paint(stroke=VERMILLION, fill="#ff7a3314", width_mm=1.5, dash_mm=(9, 6)),
    "coherency": Paint(stroke=SKY, width_mm=2.0),
    "break": Paint(stroke=ORANGE, width_mm=4.5, dash_mm=(14, 7)),
    "named": Paint(stroke=WHITE, width_mm=3.5),
    "ghost": Paint(stroke="#b9b6ae", fill="#b9b6ae1c", width_mm=1.5, dash_mm=(5, 5)),
    "path": Paint(stroke="#b9b6ae", width_mm=2.0),
    "path-unseen": Paint(stroke="#b9b6ae", width_mm=2.0, dash_mm=(2, 6)),
    "stop": Paint(stroke=GREEN, fill="#2bc79a30", width_mm=2.5, dash_mm=(8, 4)),
    "way-legal": Paint(stroke=GREEN, width_mm=1.5),
    "way-illegal": Paint(stroke=VERMILLION, width_mm=3.0),
    "way-too-close": Paint(stroke=YELLOW, width_mm=2.0, dash_mm=(6, 3)),
    "way-unobserved": Paint(stroke=SKY, width_mm=2.0, dash_mm=(2, 4)),
    "tape": Paint(stroke="#ffe9b8", width_mm=2.5),
    "witness-legal": Paint(stroke=GREEN, width_mm=3.0),
    "witness-illegal": Paint(stroke=VERMILLION, width_mm=5.0),
    "witness-too-close": Paint(stroke=YELLOW, width_mm=4.0, dash_mm=(12, 4)),
    "witness-unobserved": Paint(stroke=SKY, width_mm=4.0, dash_mm=(3, 7)),
    "witness-note": Paint(stroke=WHITE, width_mm=2.0),
    "side-0": Paint(stroke="#7cc4f0", fill=BLUE),
    "side-1": Paint(stroke="#f0b3d2", fill="#a34d7c"),
    "side-2": Paint(stroke="#ffd27a", fill="#a87000"),
    "side-3": Paint(stroke=WHITE, fill="#6b6b68"),
}
