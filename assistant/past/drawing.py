"""The table of a moment as lines and areas on white paper, in millimetres of the table."""

import math
from collections.abc import Iterable, Iterator

from assistant.files import Format
from assistant.game.state import GameState
from assistant.overlay.outline import outline_mm
from assistant.overlay.shapes import Layer, Points
from assistant.rules.verdict import Finding, Outcome
from assistant.session import Session

SHOWN = {Layer.GHOST, Layer.PATH, Layer.STOP}
"""Of the overlay; what was measured is drawn by itself."""
INKS = {
    "ground": ("#ffffff", "#5a5a5a", 0.3, ()),
    "terrain": ("#e4e0d6", "#8a8577", 0.2, ()),
    "side-0": ("#bcd9ee", "#0a5a8c", 0.3, ()),
    "side-1": ("#efd0e1", "#8a2f62", 0.3, ()),
    "side-2": ("#f7dfae", "#8a5c00", 0.3, ()),
    "side-3": ("#dddddd", "#444444", 0.3, ()),
    "ghost": ("", "#777777", 0.25, (1.2, 0.9)),
    "path": ("", "#555555", 0.3, ()),
    "path-unseen": ("", "#555555", 0.3, (0.3, 0.9)),
    "stop": ("", "#00795a", 0.3, (1.5, 0.7)),
    "measured": ("", "#c8420a", 0.7, ()),
}
"""Of each style: the fill, the line, its width and its dashes in millimetres of the paper.  Black and white tell them
apart, too."""
INSET_LEAST_MM = 160.0
INSET_ROUND_MM = 45.0
"""What is drawn around the measured segment."""
INSET_SHAPE = 1.36
"""Its width in its heights."""
BESIDE = 0.09, 0.035
"""From a measured line to the middle of the length beside it or above it, in widths of the inset."""


class Stroke(Format):
    """A line or an area."""

    style: str
    rings_mm: tuple[Points, ...]
    closed: bool
    fill: str
    """A colour, or empty."""
    line: str
    width_mm: float
    """Of the line, on paper."""
    dash_mm: tuple[float, ...]
    """On paper."""


class Name(Format):
    """A word on the drawing, centred."""

    text: str
    x_mm: float
    y_mm: float
    room_mm: float
    """How wide it may be."""
    inset: bool
    """It is written in the inset only."""


class Drawing(Format):
    """The table from above, x to the right, y up."""

    width_mm: float
    depth_mm: float
    strokes: tuple[Stroke, ...]
    """The lowest first."""
    names: tuple[Name, ...]
    inset_mm: tuple[float, float, float, float] | None
    """Left, bottom, right and top of the part that is drawn again, larger; None where nothing was measured."""


def drawn(session: Session, finding: Finding | None) -> Drawing:
    """Draw how the table stands, and what a finding measured."""
    state = session.state
    now = state.as_it_stands()
    width, depth = state.table.width_mm, state.table.depth_mm
    players = list(dict.fromkeys(unit.player for unit in state.units))
    strokes = [
        _stroke("ground", [((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))]),
        *(_stroke("terrain", [piece.outline_mm]) for piece in state.terrain),
        *(
            _stroke(f"side-{players.index(unit.player) % 4}", [outline_mm(model.placed())])
            for unit, model in now.models()
            if model.pose is not None
        ),
        *(
            _stroke(shape.style, shape.rings_mm, closed=shape.closed)
            for shape in session.answer().shapes
            if shape.layer in SHOWN
        ),
    ]
    measured = finding.witness_mm if finding else ()
    if len(measured) > 1:
        strokes.append(_stroke("measured", [measured], closed=False))
    around = _inset(now, finding)
    return Drawing(
        width_mm=width,
        depth_mm=depth,
        strokes=tuple(strokes),
        names=(*_units(now), *(_models(now, around) if around else ()), *_length(finding, around)),
        inset_mm=around,
    )


def _stroke(style: str, rings_mm: Iterable[Points], *, closed: bool = True) -> Stroke:
    fill, line, width_mm, dash_mm = INKS[style]
    return Stroke(
        style=style, rings_mm=tuple(rings_mm), closed=closed, fill=fill, line=line, width_mm=width_mm, dash_mm=dash_mm
    )


def _units(now: GameState) -> Iterator[Name]:
    """Name each unit above its models, where no other name is near."""
    taken: list[tuple[float, float]] = []
    for unit in now.units:
        rings = [outline_mm(model.placed()) for model in unit.models if model.pose is not None]
        if not rings:
            continue
        xs, ys = zip(*(point for ring in rings for point in ring), strict=True)
        x, y = (min(xs) + max(xs)) / 2, max(ys) + 18.0
        if all(abs(x - other_x) > 200 or abs(y - other_y) > 50 for other_x, other_y in taken):
            taken.append((x, y))
            yield Name(text=unit.id, x_mm=x, y_mm=y, room_mm=260.0, inset=False)


def _length(finding: Finding | None, around: tuple[float, float, float, float] | None) -> Iterator[Name]:
    """Write the measured length beside the middle of what was measured, to its right or above it."""
    if finding is None or around is None or finding.measured_mm is None or len(finding.witness_mm) < 2:
        return
    (x0, y0), (x1, y1) = finding.witness_mm[0], finding.witness_mm[-1]
    long_mm, wide_mm = math.hypot(x1 - x0, y1 - y0) or 1.0, around[2] - around[0]
    aside_x, aside_y = abs(y1 - y0) / long_mm, math.copysign(x1 - x0, (x0 - x1) * (y1 - y0) or 1.0) / long_mm
    x, y = (x0 + x1) / 2 + BESIDE[0] * wide_mm * aside_x, (y0 + y1) / 2 + BESIDE[1] * wide_mm * aside_y
    yield Name(text=f"{finding.measured_mm:.2f} mm", x_mm=x, y_mm=y, room_mm=wide_mm / 4, inset=True)


def _models(now: GameState, around: tuple[float, float, float, float]) -> Iterator[Name]:
    """Name each model in the inset, on its base."""
    left, bottom, right, top = around
    for _, model in now.models():
        pose = model.pose
        if pose is None or not (left < pose.x_mm < right and bottom < pose.y_mm < top):
            continue
        xs, ys = zip(*outline_mm(model.placed()), strict=True)
        y = pose.y_mm - 0.25 * (max(ys) - min(ys))  # what is measured often runs through its middle
        yield Name(text=model.id, x_mm=pose.x_mm, y_mm=y, room_mm=max(xs) - min(xs), inset=True)


def _inset(now: GameState, finding: Finding | None) -> tuple[float, float, float, float] | None:
    """Return the part of the table around what was measured, with the bases at fault."""
    if finding is None or finding.outcome is Outcome.NOTE:
        return None
    points = [
        *finding.witness_mm,
        *(
            point
            for _, model in now.models()
            if model.id in finding.subjects and model.pose is not None
            for point in outline_mm(model.placed())
        ),
    ]
    if not points:
        return None
    xs, ys = zip(*points, strict=True)
    high = max(INSET_LEAST_MM / INSET_SHAPE, max(ys) - min(ys) + 2 * INSET_ROUND_MM)
    wide = max(INSET_SHAPE * high, max(xs) - min(xs) + 2 * INSET_ROUND_MM)
    high = wide / INSET_SHAPE
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2
