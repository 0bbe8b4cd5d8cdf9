"""Light colours: how light looks on a mat of some colour, and which colours are told from it best.

Light does not cover what it falls on.  A mat throws back so much of each colour as it has itself: green light on green
flock is a little more green, and red light there stands out.  So a colour that would be lost on the mat is exchanged
for one that is not, and that is like none of the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.overlay.palette import GREEN, ORANGE, PALETTE, PURPLE, SKY, VERMILLION, YELLOW, Paint

STRENGTH = 2.0
"""A projector's full light on a table, times that of the room."""
SHADE = 0.4
"""What a lighter or purer shade of the mat's own colour counts beside another hue: a mat has such by itself."""
GREY = 8.0
"""A mat of less chroma has no colour of its own."""
ENOUGH = 16.0
"""A line that differs by this from what it lies on is seen from across a table."""
APART = 10.0
"""Two lines that differ by less look the same there."""
LEAST_MM = 4.0
"""A thinner line is a row or two of a projector's pixels, which the camera and tired eyes lose."""
CANDIDATES = ("#ff3df2", "#ff4040", "#ff9a1f", "#fff04d", "#ffffff", "#47e9ff", "#5c8cff", "#4dff7a")
MEANING = (GREEN, VERMILLION, YELLOW, ORANGE, SKY, PURPLE)
"""The colours that may be exchanged, those that matter most first; what is grey or pale says nothing by its colour."""
_GREENS, _REDS = frozenset({"#4dff7a", "#47e9ff"}), frozenset({"#ff4040", "#ff9a1f", "#ff3df2"})
_FROM_LINEAR = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.9505, 1.0, 1.089])


def fit_to_mat(mat: str, paints: Mapping[str, Paint] = PALETTE) -> dict[str, Paint]:
    """Return the paints of what is thrown on a mat of a CSS colour: wide enough, in colours that stand out there."""
    thrown = {name: paint for name, paint in paints.items() if not name.startswith(("terrain-", "side-"))}
    exchanged = _exchange_colours(MEANING, mat)
    return {name: _repaint(paint, exchanged.get(paint.stroke, paint.stroke)) for name, paint in thrown.items()}


def mix_with_mat(light: str, mat: str) -> str:
    """Return the CSS colour that light of one looks like on a mat, in a room as bright as light and mat allow."""
    seen = _linear(mat) * (1 + STRENGTH * _linear(light))
    seen = seen / max(1.0, float(seen.max()))
    coded = np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * np.maximum(seen, 1e-9) ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * part):02x}" for part in coded)


def compare_on_mat(one: str, other: str, mat: str) -> float:
    """Return how much two CSS colours differ on a mat: as in CIE 1976, but shades of the mat's own count less."""
    difference, own = _lab(one) - _lab(other), _lab(mat)[1:]
    chroma = float(np.linalg.norm(own))
    along = own / chroma * float(difference[1:] @ own) / chroma if chroma >= GREY else np.zeros(2)
    return float(
        np.hypot(np.linalg.norm(difference[1:] - along), SHADE * np.hypot(difference[0], np.linalg.norm(along)))
    )


def _exchange_colours(colours: Sequence[str], mat: str) -> dict[str, str]:
    """Return what colours become; those that stand out stay, and the others are chosen after them."""
    seen = {colour: mix_with_mat(colour, mat) for colour in (*colours, *CANDIDATES)}
    contrast = {colour: compare_on_mat(each, mat, mat) for colour, each in seen.items()}
    taken = [colour for colour in colours if contrast[colour] >= ENOUGH]
    exchanged: dict[str, str] = {}
    for colour in colours:
        if colour in taken:
            continue
        # What is not legal is never green, and what is legal never red.
        barred = _GREENS if colour in {VERMILLION, ORANGE} else _REDS if colour == GREEN else frozenset()
        free = [
            each
            for each in CANDIDATES
            if each not in barred and all(compare_on_mat(seen[each], seen[other], mat) >= APART for other in taken)
        ]
        bright = [each for each in free if contrast[each] >= ENOUGH]
        best = max(free, key=lambda each: contrast[each], default=colour)
        if bright:  # the one that is most like it
            best = min(bright, key=lambda each: float(np.linalg.norm(_lab(each) - _lab(colour))))
        if contrast[best] > contrast[colour]:
            exchanged[colour] = best
            taken.append(best)
    return exchanged


def _repaint(paint: Paint, stroke: str) -> Paint:
    fill = stroke + paint.fill[7:] if paint.fill and stroke != paint.stroke else paint.fill
    return replace(paint, stroke=stroke, fill=fill, width_mm=max(LEAST_MM, paint.width_mm))


def _linear(css: str) -> NDArray[np.float64]:
    parts = np.array([int(css[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _lab(css: str) -> NDArray[np.float64]:
    ratio = _FROM_LINEAR @ _linear(css) / _WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
