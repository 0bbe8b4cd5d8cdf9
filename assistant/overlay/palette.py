"""The palette: how each style is drawn; the only place that knows colours.

The hues are those of Okabe and Ito (Color Universal Design, 2008), which people with any of the common colour
blindnesses tell apart, some lightened for a dark ground.  No colour carries a meaning alone: lines differ in width and
dash, and pages add a sign and a word.

Each page may take another palette: one of high contrast, or one of patterns for eyes and screens without colour.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

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
    hatch: Literal["", "rising", "falling", "cross"] = ""
    """Lines across an area, in the colour of the stroke."""


PALETTE: dict[str, Paint] = {
    "zone": Paint(stroke=GREEN, fill="#2bc79a30", width_mm=2.5),
    "band-0": Paint(stroke="#7fd9bd", width_mm=1.5, dash_mm=(12, 6)),
    "band-1": Paint(stroke="#b8e0a0", width_mm=1.5, dash_mm=(5, 5)),
    "band-2": Paint(stroke="#e5e28a", width_mm=1.5, dash_mm=(2, 5)),
    "threat": Paint(stroke=PURPLE, fill="#cc79a722", width_mm=2.0, dash_mm=(16, 5, 3, 5)),
    "engagement": Paint(stroke=VERMILLION, fill="#ff7a3314", width_mm=1.5, dash_mm=(9, 6)),
    "coherency": Paint(stroke=SKY, width_mm=2.0),
    "halo": Paint(stroke="#56b4e9a0", fill="#56b4e914", width_mm=1.2),
    "break": Paint(stroke=ORANGE, width_mm=4.5, dash_mm=(14, 7)),
    "named": Paint(stroke=WHITE, width_mm=3.5),
    "deployment-0": Paint(stroke="#7cc4f0", width_mm=2.0, dash_mm=(18, 8)),
    "deployment-1": Paint(stroke="#f0b3d2", width_mm=2.0, dash_mm=(6, 8)),
    "deployment-2": Paint(stroke="#ffd27a", width_mm=2.0, dash_mm=(18, 4, 3, 4)),
    "deployment-3": Paint(stroke=WHITE, width_mm=2.0, dash_mm=(3, 4)),
    "objective": Paint(stroke=YELLOW, width_mm=3.0),
    "objective-range": Paint(stroke=YELLOW, width_mm=1.5, dash_mm=(4, 6)),
    "laying-next": Paint(stroke="#ffffff", fill="#ffffff38", width_mm=6.0),
    "laying-to-come": Paint(stroke="#c9c6be", width_mm=2.0, dash_mm=(10, 6)),
    "laying-done": Paint(stroke="#20e070", fill="#20e07024", width_mm=4.0),
    "ghost": Paint(stroke="#b9b6ae", fill="#b9b6ae1c", width_mm=1.5, dash_mm=(5, 5)),
    "path": Paint(stroke="#b9b6ae", width_mm=2.0),
    "path-legal": Paint(stroke=GREEN, width_mm=2.5),
    "path-illegal": Paint(stroke=VERMILLION, width_mm=3.0),
    "path-too-close": Paint(stroke=YELLOW, width_mm=2.5, dash_mm=(12, 4)),
    "path-unobserved": Paint(stroke=SKY, width_mm=2.5, dash_mm=(3, 7)),
    "path-last": Paint(stroke="#b9b6ae70", width_mm=1.5),
    "path-unseen": Paint(stroke="#b9b6ae", width_mm=2.0, dash_mm=(2, 6)),
    "restore": Paint(stroke=SKY, fill="#56b4e924", width_mm=3.0),
    "restore-way": Paint(stroke=YELLOW, width_mm=3.5),
    "restore-back": Paint(stroke="#86938e", width_mm=1.0, dash_mm=(3, 4)),
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
    "terrain-ruin": Paint(stroke="#8f9188", fill="#42443f"),
    "terrain-wall": Paint(stroke="#d8d3c4", fill="#45433d"),
    "terrain-floor": Paint(stroke="#a9a699", fill="#494841"),
    "terrain-woods": Paint(stroke="#5fa36b", fill="#1f4a2c"),
    "terrain-crates": Paint(stroke="#c09a63", fill="#523f27"),
    "terrain-barricade": Paint(stroke="#d9b980", fill="#54452c"),
    "terrain-hill": Paint(stroke="#93a75f", fill="#3d4a26"),
    "terrain-river": Paint(stroke="#5a9fd0", fill="#1c4560"),
    "terrain-pond": Paint(stroke="#5a9fd0", fill="#1c4560"),
    "terrain-road": Paint(stroke="#94886f", fill="#3d382f"),
    "terrain-building": Paint(stroke="#c98f7c", fill="#54372f"),
    "terrain-crater": Paint(stroke="#93826d", fill="#2d2822"),
    "terrain-field": Paint(stroke="#b5a94e", fill="#4a4620"),
    "terrain-bridge": Paint(stroke="#cfa768", fill="#55442b"),
    "terrain-rocks": Paint(stroke="#9aa4ab", fill="#3f464b"),
    "terrain-plain": Paint(stroke="#868e88", fill="#3d4240"),
}


def parse_colour(css: str) -> tuple[int, int, int, float]:
    """Return red, green and blue of ``#rrggbb`` or ``#rrggbbaa``, from 0 to 255, and the opacity from 0 to 1."""
    red, green, blue, *alpha = bytes.fromhex(css.removeprefix("#"))
    return red, green, blue, alpha[0] / 255 if alpha else 1.0


GROUND = "#14171a"
"""What pages draw on."""
FELT = "#1c2623"
"""The table's own colour where its camera's picture is not shown."""
PAPER = "#ffffff"
"""What reports draw on."""
ON_PAPER = 4.5
"""The least contrast of a line to paper."""
TINT = 0.65
"""How much of paper's white is in the area that a line surrounds there."""
STRONG = 9.0
"""The least contrast of a line to the ground in the palette of high contrast, as WCAG 2.2 measures it."""
_HATCHES: Mapping[str, Literal["rising", "falling", "cross"]] = {
    "zone": "rising",
    "stop": "rising",
    "engagement": "falling",
    "threat": "cross",
    "side-1": "rising",
    "side-2": "cross",
    "side-3": "falling",
    "terrain-woods": "rising",
    "terrain-river": "falling",
    "terrain-pond": "falling",
    "terrain-building": "cross",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """A set of paints to choose from."""

    label: str
    paints: Mapping[str, Paint]


def compute_contrast(one: str, other: str) -> float:
    """Return the contrast of two CSS colours, from 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_compute_luminance(one), _compute_luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _strengthen(paint: Paint) -> Paint:
    """Return a paint in lines that are wider and lighter, over areas that are fuller."""
    fill = paint.fill[:7] + f"{min(255, 2 * int(paint.fill[7:], 16)):02x}" if len(paint.fill) == 9 else paint.fill
    stroke = next(each for each in _lighten(paint.stroke) if compute_contrast(each, GROUND) >= STRONG)
    return replace(paint, stroke=stroke, fill=fill, width_mm=paint.width_mm * 1.5)


def _remove_colour(name: str, paint: Paint) -> Paint:
    """Return a paint in greys, told from the others by its width, its dashes and its hatch."""
    if name.startswith("terrain-"):
        return replace(paint, stroke=_grey(paint.stroke), fill=_grey(paint.fill), hatch=_HATCHES.get(name, ""))
    fill = "#5a5a58" if name.startswith("side-") else paint.fill and "#ffffff" + paint.fill[7:]
    return replace(paint, stroke=paint.stroke if name == "ghost" else WHITE, fill=fill, hatch=_HATCHES.get(name, ""))


def _lighten(colour: str) -> tuple[str, ...]:
    """Return a colour and its mixtures with more and more white."""
    return tuple(_mix(colour, "#ffffff", share / 10) for share in range(11))


def _mix(one: str, other: str, share: float) -> str:
    """Return a colour with a share of another in it."""
    pairs = zip(bytes.fromhex(one[1:7]), bytes.fromhex(other[1:7]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _grey(colour: str) -> str:
    """Return the grey that is as light as a colour."""
    luminance = _compute_luminance(colour)
    share = 12.92 * luminance if luminance <= 0.0031308 else 1.055 * luminance ** (1 / 2.4) - 0.055
    return "#" + 3 * f"{round(255 * share):02x}"


def put_on_paper(paint: Paint) -> Paint:
    """Return a paint for white paper: a tint of its line's hue within a line that is dark enough for paper."""
    shades = (_mix(paint.stroke, "#000000", share / 10) for share in range(11))
    stroke = next(each for each in shades if compute_contrast(each, PAPER) >= ON_PAPER)
    return replace(paint, stroke=stroke, fill=_mix(paint.stroke, PAPER, TINT))


def _compute_luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


PALETTES: Mapping[str, Palette] = {
    "standard": Palette(label="Standard", paints=PALETTE),
    "contrast": Palette(label="High contrast", paints={name: _strengthen(paint) for name, paint in PALETTE.items()}),
    "patterns": Palette(
        label="Patterns without colour", paints={name: _remove_colour(name, paint) for name, paint in PALETTE.items()}
    ),
}
"""By name; the first is what a page shows that has chosen none."""
