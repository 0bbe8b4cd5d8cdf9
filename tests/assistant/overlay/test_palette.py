import re
from itertools import combinations

import pytest

from assistant.overlay.palette import GROUND, PALETTE, PALETTES, STRONG, Paint, compute_contrast
from assistant.overlay.shapes import Layer
from assistant.rules.verdict import Outcome

COLOUR = re.compile(r"#[0-9a-f]{6}([0-9a-f]{2})?")


def split_channels(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def test_every_layer_and_outcome_has_a_paint() -> None:
    plain = {layer.value for layer in Layer} - {"witness", "way", "deployment", "laying"}
    ways = {f"way-{outcome}" for outcome in Outcome if outcome is not Outcome.NOTE}
    sides = {f"deployment-{side}" for side in range(4)} | {f"laying-{how}" for how in ("next", "to-come", "done")}
    assert plain | ways | sides | {f"witness-{outcome}" for outcome in Outcome} <= set(PALETTE)


@pytest.mark.parametrize("palette", PALETTES)
def test_colours_are_css_colours_that_stand_out_from_the_dark_ground(palette: str) -> None:
    least = STRONG if palette == "contrast" else 4.5
    assert PALETTES[palette].paints.keys() == PALETTE.keys()
    for name, paint in PALETTES[palette].paints.items():
        assert COLOUR.fullmatch(paint.stroke), name
        assert not paint.fill or COLOUR.fullmatch(paint.fill), name
        assert paint.width_mm > 0, name
        assert compute_contrast(paint.stroke, GROUND) >= least, name


def test_contrast_is_that_of_the_guidelines() -> None:
    assert compute_contrast("#000000", "#ffffff") == pytest.approx(21)
    assert compute_contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_without_colour_everything_still_differs_in_line_or_hatch() -> None:
    paints = PALETTES["patterns"].paints
    for paint in paints.values():
        red, green, blue = split_channels(paint.stroke)
        assert max(red, green, blue) - min(red, green, blue) < 12
    groups = [
        [paint for name, paint in paints.items() if name.startswith(prefix)] for prefix in ("witness-", "side-")
    ] + [[paints[name] for name in ("zone", "engagement", "ghost", "break", "named", "stop")]]
    for group in groups:
        for a, b in combinations(group, 2):
            assert (read_line_style(a), a.hatch) != (read_line_style(b), b.hatch)


def simulate_deuteranope(colour: str) -> tuple[float, float, float]:
    """How a colour looks without green cones (Viénot, Brettel and Mollon, 1999), in linear light."""
    r, g, b = (channel / 255 for channel in split_channels(colour))
    return 0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b


def read_line_style(paint: Paint) -> tuple[float, tuple[float, ...]]:
    return paint.width_mm, paint.dash_mm


def test_outcomes_differ_to_a_deuteranope_in_colour_or_in_line() -> None:
    kinds = [[paint for name, paint in PALETTE.items() if name.startswith(kind)] for kind in ("witness-", "way-")]
    for a, b in (pair for paints in kinds for pair in combinations(paints, 2)):
        apart = (
            sum(
                (x - y) ** 2
                for x, y in zip(simulate_deuteranope(a.stroke), simulate_deuteranope(b.stroke), strict=True)
            )
            ** 0.5
        )
        assert apart > 0.2 or read_line_style(a) != read_line_style(b)
