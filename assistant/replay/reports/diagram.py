"""The diagram of a report: the table of a moment as lines and areas on white paper, in millimetres of the table."""

import math
from collections.abc import Iterable, Iterator

from assistant.files.documents import Format
from assistant.game.state import GameState, Terrain
from assistant.overlay.palette import PALETTE, put_on_paper
from assistant.overlay.shapes import Layer, Points, trace_outline
from assistant.overlay.terrain_kinds import find_kind, sort_for_drawing
from assistant.rules.verdict import Finding, Outcome
from assistant.table.session import GameSession

SHOWN = {Layer.GHOST, Layer.PATH, Layer.STOP}
"""Of the overlay; what was measured is drawn by itself."""
INKS = {
    "ground": ("#ffffff", "#5a5a5a", 0.3, ()),
    "side-0": ("#c4e2f7", "#0a5a8c", 0.3, ()),
    "side-1": ("#d98bb5", "#6e2049", 0.3, ()),
    "side-2": ("#fff6dc", "#8a5c00", 0.3, ()),
    "side-3": ("#8f9a86", "#2f3a26", 0.3, ()),
    "ghost": ("", "#777777", 0.25, (1.2, 0.9)),
    "path": ("", "#555555", 0.3, ()),
    **{f"path-{outcome}": ("", "#555555", 0.3, ()) for outcome in Outcome},
    "path-unseen": ("", "#555555", 0.3, (0.3, 0.9)),
    "stop": ("", "#00795a", 0.3, (1.5, 0.7)),
    "measured": ("", "#c8420a", 0.7, ()),
}
"""Of each style: the fill, the line, its width and its dashes in millimetres of the paper.  Black and white tell them
apart, too: the sides' fills differ in how dark they are."""
TERRAIN_LINE_MM = 0.2
"""On the paper; the palette says in which colour."""
SIDES = "light blue", "dark pink", "almost white", "dark green"
"""What the sides' fills are called, in the order of the players."""
LETTER_SHARE = 0.025
"""How high letters on the whole table are, as a share of its longer side."""
LETTER_SHAPE = 0.6
"""How wide a letter is, in its heights."""
NAME_LETTERS = 18
"""A longer name is shortened in its middle: what tells models of a unit apart stands at the end."""
INSET_LEAST_MM = 160.0
INSET_LETTER = 0.042
"""How high letters in the inset are, as a share of its height."""
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


def draw_table(session: GameSession, finding: Finding | None) -> Drawing:
    """Draw how the table stands, and what a finding measured."""
    state = session.state
    standing = state.apply_tracks()
    width, depth = state.table.width_mm, state.table.depth_mm
    players = list_sides(state)
    strokes = [
        _build_stroke("ground", [((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))]),
        *(_build_terrain_stroke(piece) for piece in sort_for_drawing(state.terrain)),
        *(
            _build_stroke(f"side-{players.index(unit.player) % 4}", [trace_outline(model.place_base())])
            for unit, model in standing.iterate_models()
            if model.pose is not None
        ),
        *(
            _build_stroke(shape.style, shape.rings_mm, closed=shape.closed)
            for shape in session.consult_referee().shapes
            if shape.layer in SHOWN
        ),
    ]
    measured = finding.witness_mm if finding else ()
    if len(measured) > 1:
        strokes.append(_build_stroke("measured", [measured], closed=False))
    around = _find_inset(standing, finding)
    length = tuple(_place_length(finding, around))
    return Drawing(
        width_mm=width,
        depth_mm=depth,
        strokes=tuple(strokes),
        names=(
            *_place_unit_names(standing),
            *(_place_model_names(standing, around, length) if around else ()),
            *length,
        ),
        inset_mm=around,
    )


def list_sides(state: GameState) -> list[str]:
    """Return the players in the order in which they are given the sides' fills."""
    return list(dict.fromkeys(unit.player for unit in state.units))


def _build_stroke(style: str, rings_mm: Iterable[Points], *, closed: bool = True) -> Stroke:
    fill, line, width_mm, dash_mm = INKS[style]
    return Stroke(
        style=style, rings_mm=tuple(rings_mm), closed=closed, fill=fill, line=line, width_mm=width_mm, dash_mm=dash_mm
    )


def _build_terrain_stroke(piece: Terrain) -> Stroke:
    paint = put_on_paper(PALETTE[f"terrain-{find_kind(piece)}"])
    return Stroke(
        style="terrain",
        rings_mm=(piece.outline_mm,),
        closed=True,
        fill=paint.fill,
        line=paint.stroke,
        width_mm=TERRAIN_LINE_MM,
        dash_mm=(),
    )


def _place_unit_names(state: GameState) -> Iterator[Name]:
    """Name each unit above its models, below or beside them, wherever it covers no other name."""
    letter_mm = LETTER_SHARE * max(state.table.width_mm, state.table.depth_mm)
    taken: list[tuple[float, float, float]] = []
    for unit in state.units:
        rings = [trace_outline(model.place_base()) for model in unit.models if model.pose is not None]
        if not rings:
            continue
        xs, ys = zip(*(point for ring in rings for point in ring), strict=True)
        text = shorten_name(unit.id)
        wide = LETTER_SHAPE * len(text) * letter_mm
        x, y, off = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, 0.8 * letter_mm
        for at_x, at_y in (
            (x, max(ys) + off),
            (x, min(ys) - off),
            (max(xs) + wide / 2 + off, y),
            (min(xs) - wide / 2 - off, y),
        ):
            apart = (abs(at_x - x1) > (wide + w1) / 2 or abs(at_y - y1) > 1.2 * letter_mm for x1, y1, w1 in taken)
            within = wide / 2 <= at_x <= state.table.width_mm - wide / 2 and 0 <= at_y <= state.table.depth_mm
            if within and all(apart):
                taken.append((at_x, at_y, wide))
                yield Name(text=text, x_mm=at_x, y_mm=at_y, room_mm=1.1 * wide, inset=False)
                break


def shorten_name(name: str) -> str:
    """Return a name that is not too long for a drawing."""
    tail = (NAME_LETTERS - 1) // 3
    return name if len(name) <= NAME_LETTERS else f"{name[: NAME_LETTERS - 1 - tail].rstrip()}…{name[-tail:]}"


def _place_length(finding: Finding | None, around: tuple[float, float, float, float] | None) -> Iterator[Name]:
    """Write the measured length beside the middle of what was measured, to its right or above it."""
    if finding is None or around is None or finding.measured_mm is None or len(finding.witness_mm) < 2:
        return
    (x0, y0), (x1, y1) = finding.witness_mm[0], finding.witness_mm[-1]
    long_mm, wide_mm = math.hypot(x1 - x0, y1 - y0) or 1.0, around[2] - around[0]
    aside_x, aside_y = abs(y1 - y0) / long_mm, math.copysign(x1 - x0, (x0 - x1) * (y1 - y0) or 1.0) / long_mm
    x, y = (x0 + x1) / 2 + BESIDE[0] * wide_mm * aside_x, (y0 + y1) / 2 + BESIDE[1] * wide_mm * aside_y
    yield Name(text=f"{finding.measured_mm:.2f} mm", x_mm=x, y_mm=y, room_mm=wide_mm / 4, inset=True)


def _place_model_names(
    state: GameState, around: tuple[float, float, float, float], length: Iterable[Name]
) -> Iterator[Name]:
    """Name each model in the inset, on its base or beside it, wherever it covers no other name and not the length."""
    left, bottom, right, top = around
    high = INSET_LETTER * (top - bottom)
    taken = [(each.x_mm, each.y_mm, LETTER_SHAPE * len(each.text) * high) for each in length]
    for _, model in state.iterate_models():
        pose = model.pose
        if pose is None or not (left < pose.x_mm < right and bottom < pose.y_mm < top):
            continue
        xs, ys = zip(*trace_outline(model.place_base()), strict=True)
        text = shorten_name(model.id)
        wide = LETTER_SHAPE * len(text) * high
        if wide <= 0.9 * (max(xs) - min(xs)):
            # On its base, but not through its middle, where what is measured often runs.
            spots = [(pose.x_mm, pose.y_mm + share * (max(ys) - min(ys))) for share in (-0.25, 0.25)]
        else:
            aside = 0.55 * wide
            x = min(max(pose.x_mm, left + aside), right - aside)
            spots = [(x, min(ys) - 0.6 * high), (x, max(ys) + 0.6 * high)]
            spots += [(max(xs) + aside, pose.y_mm), (min(xs) - aside, pose.y_mm)]
        x, y = next((spot for spot in spots if _is_free(spot, wide, high, taken)), spots[0])
        taken.append((x, y, wide))
        yield Name(text=text, x_mm=x, y_mm=y, room_mm=1.1 * wide, inset=True)


def _is_free(spot: tuple[float, float], wide: float, high: float, taken: Iterable[tuple[float, float, float]]) -> bool:
    """Whether a word as wide and high as that covers none of those that are taken: their middles and widths."""
    x, y = spot
    return all(abs(x - x1) > (wide + w1) / 2 or abs(y - y1) > 1.1 * high for x1, y1, w1 in taken)


def _find_inset(state: GameState, finding: Finding | None) -> tuple[float, float, float, float] | None:
    """Return the part of the table around what was measured, with the bases at fault."""
    if finding is None or finding.outcome is Outcome.NOTE:
        return None
    points = [
        *finding.witness_mm,
        *(
            point
            for _, model in state.iterate_models()
            if model.id in finding.subjects and model.pose is not None
            for point in trace_outline(model.place_base())
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
