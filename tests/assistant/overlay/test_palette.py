import re
from itertools import combinations

from assistant.overlay.palette import PALETTE, Paint
from assistant.overlay.shapes import Layer
from assistant.rules.verdict import Outcome

GROUND = (20, 23, 26)
COLOUR = re.compile(r"#[0-9a-f]{6}([0-9a-f]{2})?")


def channels(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def luminance(rgb: tuple[float, ...]) -> float:
    """WCAG 2.2, relative luminance."""
    linear = [c / 255 / 12.92 if c <= 10.31 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_layer_and_outcome_has_a_paint() -> None:
    plain = {layer.value for layer in Layer} - {"witness", "way"}
    ways = {f"way-{outcome}" for outcome in Outcome if outcome is not Outcome.NOTE}
    assert plain | ways | {f"witness-{outcome}" for outcome in Outcome} <= set(PALETTE)


def test_colours_are_css_colours() -> None:
    for paint in PALETTE.values():
        assert COLOUR.fullmatch(paint.stroke)
        assert not paint.fill or COLOUR.fullmatch(paint.fill)
        assert paint.width_mm > 0


def test_every_line_stands_out_from_the_dark_ground() -> None:
    for name, paint in PALETTE.items():
        contrast = (luminance(channels(paint.stroke)) + 0.05) / (luminance(GROUND) + 0.05)
        assert contrast >= 4.5, name


def deuteranope(colour: str) -> tuple[float, float, float]:
    """How a colour looks without green cones (Viénot, Brettel and Mollon, 1999), in linear light."""
    r, g, b = (channel / 255 for channel in channels(colour))
    return 0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b


def lines(paint: Paint) -> tuple[float, tuple[float, ...]]:
    return paint.width_mm, paint.dash_mm


def test_outcomes_differ_to_a_deuteranope_in_colour_or_in_line() -> None:
    kinds = [[paint for name, paint in PALETTE.items() if name.startswith(kind)] for kind in ("witness-", "way-")]
    for a, b in (pair for paints in kinds for pair in combinations(paints, 2)):
        apart = sum((x - y) ** 2 for x, y in zip(deuteranope(a.stroke), deuteranope(b.stroke), strict=True)) ** 0.5
        assert apart > 0.2 or lines(a) != lines(b)
