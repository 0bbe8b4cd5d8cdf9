"""Tabletop Simulator: a moment of a game as a save of that program, to play on from there or to look at in 3-D.

A save is JSON, as its publisher's knowledge base has it; one of its units is an inch.  It uses only what comes with
that program: the table and each model are blocks, laid into the base so that none sticks out of it, and a script of the
save draws the outlines themselves, which blocks are too coarse for.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import shapely

from assistant.game.state import GameState, Model
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round
from assistant.overlay.palette import PALETTE, parse_colour
from assistant.overlay.shapes import trace_outline
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.formatting import format_clock, parse_clock
from assistant.replay.recorded_game import RecordedGame

MM_PER_UNIT = 25.4
TOP = 1.0
"""How high the table's top lies, in units."""
BLOCK_MM = 4.0
"""How thick a model's block is."""
ABOVE_MM = 0.5
"""How high outlines lie above what they are on, that they are seen."""
LINE = 0.06
"""How wide they are, in units."""
FELT = (0.16, 0.27, 0.2)
MIDDLE = shapely.Point(0.0, 0.0)
LEAST_MM = 2.0
"""A side of a block, which may stick out of an outline that does not surround its own middle."""

Point = tuple[float, float]
Colour = tuple[float, float, float]


def build_save(state: GameState, name: str) -> dict[str, Any]:
    """Return a game as a save.

    Args:
        state: the game at a moment.
        name: what the save is called.

    """
    table = state.table
    slab_mm = (table.width_mm, table.depth_mm, MM_PER_UNIT)
    slab = _build_block("table", (table.width_mm / 2, table.depth_mm / 2, -MM_PER_UNIT), slab_mm, 0.0, state)
    objects = [slab | {"Nickname": "Table", "ColorDiffuse": _paint(FELT), "Locked": True}]
    lines: list[tuple[Sequence[Point], float, Colour]] = []
    for terrain in state.terrain:
        colour = _find_colour(f"terrain-{terrain.kind}")
        lines += [(terrain.outline_mm, z_mm, colour) for z_mm in sorted({0.0, terrain.height_mm})]
    for side, player in enumerate(dict.fromkeys(unit.player for unit in state.units)):
        colour = _find_colour(f"side-{side % 4}")
        for unit in state.units:
            standing = [model for model in unit.models if model.pose is not None] if unit.player == player else []
            for model in standing:
                objects.append(_build_model(model, f"{unit.name or unit.id}, {player}", colour, state))
                placed = model.place_base()
                lines.append((trace_outline(placed), placed.z_mm, colour))
    return {
        "SaveName": name,
        "GameMode": "overtable",
        "Table": "Table_None",
        "Note": "",
        "LuaScript": _write_script(lines, state),
        "ObjectStates": objects,
    }


def _build_model(model: Model, description: str, colour: Colour, state: GameState) -> dict[str, Any]:
    """Return a model's block; one that stands on something stays there, for what it stands on is only drawn."""
    at = model.pose
    assert at is not None
    length_mm, width_mm = _find_inner_sides(model.base)
    size_mm = (length_mm, width_mm, BLOCK_MM)
    block = _build_block(model.id, (at.x_mm, at.y_mm, at.z_mm), size_mm, at.facing_rad, state)
    told = {"Nickname": model.id, "Description": description, "ColorDiffuse": _paint(colour)}
    return block | told | {"Locked": at.z_mm > 0}


def _build_block(
    name: str,
    foot_mm: tuple[float, float, float],
    size_mm: tuple[float, float, float],
    turn_rad: float,
    state: GameState,
) -> dict[str, Any]:
    x, y, z = _place(foot_mm[0], foot_mm[1], foot_mm[2] + size_mm[2] / 2, state)
    length, width, height = (round(side / MM_PER_UNIT, 4) for side in size_mm)
    turn_deg = round(-math.degrees(turn_rad) % 360, 3)  # its axes are left-handed
    return {
        "GUID": hashlib.sha256(name.encode()).hexdigest()[:6],
        "Name": "BlockSquare",
        "Transform": {
            "posX": x,
            "posY": y,
            "posZ": z,
            "rotX": 0.0,
            "rotY": turn_deg,
            "rotZ": 0.0,
            "scaleX": length,
            "scaleY": height,
            "scaleZ": width,
        },
    }


def _place(x_mm: float, y_mm: float, z_mm: float, state: GameState) -> tuple[float, float, float]:
    """Return a place as x to the right, y up and z away, from the table's middle."""
    across, away = x_mm - state.table.width_mm / 2, y_mm - state.table.depth_mm / 2
    return round(across / MM_PER_UNIT, 4), round(TOP + z_mm / MM_PER_UNIT, 4), round(away / MM_PER_UNIT, 4)


def _find_inner_sides(base: Base) -> tuple[float, float]:
    """Return length and width of a block in the middle of a base that does not stick out of it, mm."""
    match base:
        case Round(radius_mm=radius_mm):
            return radius_mm * math.sqrt(2), radius_mm * math.sqrt(2)
        case Oval(length_mm=length_mm, width_mm=width_mm):
            return length_mm / math.sqrt(2), width_mm / math.sqrt(2)
        case Rect(length_mm=length_mm, width_mm=width_mm):
            return length_mm, width_mm
        case Outline(points_mm=points_mm):
            ring = shapely.LinearRing(points_mm)
            within_mm = ring.distance(MIDDLE) if shapely.Polygon(ring).contains_properly(MIDDLE) else 0.0
            side_mm = max(within_mm * math.sqrt(2), LEAST_MM)
            return side_mm, side_mm


def _find_colour(style: str) -> Colour:
    paint = PALETTE.get(style, PALETTE["terrain-plain"])
    red, green, blue, _ = parse_colour(paint.stroke)
    return red / 255, green / 255, blue / 255


def _paint(colour: Colour) -> dict[str, float]:
    return dict(zip("rgb", (round(part, 4) for part in colour), strict=True))


def _write_script(lines: Sequence[tuple[Sequence[Point], float, Colour]], state: GameState) -> str:
    """Return a script that draws closed lines when the save is loaded; it holds numbers, and no word of anybody."""
    drawn = []
    for corners, z_mm, colour in lines:
        places = (_place(x_mm, y_mm, z_mm + ABOVE_MM, state) for x_mm, y_mm in (*corners, corners[0]))
        points = ",".join(f"{{{x},{y},{z}}}" for x, y, z in places)
        red, green, blue = (round(part, 3) for part in colour)
        drawn.append(f"{{points={{{points}}},color={{{red},{green},{blue}}},thickness={LINE},rotation={{0,0,0}}}}")
    return "function onLoad()\nGlobal.setVectorLines({\n" + ",\n".join(drawn) + "\n})\nend\n"


def export_save(recording: Path, out: Path, options: ExportOptions) -> str:
    """Write a moment of a recorded game, or its end, as a save of Tabletop Simulator."""
    past = RecordedGame(recording)
    ended_ns = past.find_end_ns()
    at_ns = ended_ns if options.at is None else parse_clock(options.at, recording=recording, ended_ns=ended_ns)
    state = past.find_moment(at_ns).session.state
    save = build_save(state, f"{past.title}, {format_clock(at_ns)}")
    out.write_text(json.dumps(save, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return f"a save with {len(save['ObjectStates']) - 1} models"


EXPORTER = Exporter(
    name="save of Tabletop Simulator",
    export=export_save,
    suffix=".json",
    options=frozenset({"at"}),
    recognises=lambda head: b'"SaveName"' in head,
)
