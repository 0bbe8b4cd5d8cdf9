"""Troops and their stands: how far they go, and the edges and the frontage of a base."""

import math
from dataclasses import dataclass

from assistant.errors import BadInput
from assistant.game.state import GameState, Unit
from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.visibility.line_of_sight import ViewingEdge
from assistant.rules.rulebook import Choice, Key, build_number_key

MM = 10.0
"""A centimetre."""
_PACES_CM = {
    "infantry": (20.0, 10.0),
    "cavalry": (30.0, 15.0),
    "chariot": (30.0, 15.0),
    "artillery": (10.0, 5.0),
    "monster": (20.0, 10.0),
    "flyer": (100.0, 10.0),
    "character": (60.0, 60.0),
}
_FLYING_CHARACTER_CM = (100.0, 100.0)
TROOPS = (*_PACES_CM, "machine")

PROFILE = (
    Key(name="troop", values=Choice(words=TROOPS), statement="what the unit is; needed"),
    build_number_key("move_cm", "full pace, where it is not the troop's own; needed by a machine", 0.0, 1000.0),
    build_number_key("half_move_cm", "half pace, where it is not half of full pace", 0.0, 1000.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paces:
    """How far no part of a stand may go beyond."""

    full_mm: float
    half_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """The four edges of a rectangular stand in the table frame; what is outside lies to the right of each."""

    front: ViewingEdge
    left: ViewingEdge
    rear: ViewingEdge
    right: ViewingEdge


def check_troops(state: GameState) -> None:
    """Find that every unit says what it is and how far it goes.

    Raises:
        BadInput: ``troop`` is missing, a machine has no ``move_cm``, or half pace is more than full pace.

    """
    for unit in state.units:
        if "troop" not in unit.profile:
            raise BadInput(f'unit "{unit.id}": profile.troop is missing; expected one of {", ".join(TROOPS)}')
        if get_troop(unit) == "machine" and "move_cm" not in unit.profile:
            raise BadInput(f'unit "{unit.id}": profile.move_cm is missing; a machine has a full pace of its own')
        pace = compute_paces(unit)
        if pace.half_mm > pace.full_mm:
            raise BadInput(
                f'unit "{unit.id}": profile.half_move_cm is {pace.half_mm / MM:g}; '
                f"expected no more than full pace, which is {pace.full_mm / MM:g}"
            )


def get_troop(unit: Unit) -> str:
    """Return what a unit is, one of `TROOPS`."""
    return str(unit.profile["troop"])


def compute_paces(unit: Unit) -> Paces:
    """Return a unit's full and half pace, as its troop has them or as its profile says."""
    full_cm, half_cm = _look_up_chart_cm(unit)
    if "move_cm" in unit.profile:
        full_cm = _get_profile_cm(unit, "move_cm")
        # A flyer goes half pace on the ground, and a character has but one pace.
        half_cm = {"flyer": min(half_cm, full_cm), "character": full_cm}.get(get_troop(unit), full_cm / 2)
    if "half_move_cm" in unit.profile:
        half_cm = _get_profile_cm(unit, "half_move_cm")
    return Paces(full_mm=full_cm * MM, half_mm=half_cm * MM)


def compute_character_mm(unit: Unit) -> float:
    """Return how far a unit goes by the move that only characters have, whatever it is."""
    if get_troop(unit) == "character":
        return compute_paces(unit).full_mm
    return (_FLYING_CHARACTER_CM if "fly" in unit.keywords else _PACES_CM["character"])[0] * MM


def _look_up_chart_cm(unit: Unit) -> tuple[float, float]:
    if get_troop(unit) == "character" and "fly" in unit.keywords:
        return _FLYING_CHARACTER_CM
    return _PACES_CM.get(get_troop(unit), (0.0, 0.0))


def _get_profile_cm(unit: Unit, key: str) -> float:
    value = unit.profile[key]
    assert isinstance(value, int | float)
    return value


def measure_frontage_mm(base: Base) -> float:
    """Return how broad a base is across its facing; a round one's diameter."""
    match base:
        case Round(radius_mm=radius):
            return 2 * radius
        case Rect(width_mm=width) | Oval(width_mm=width):
            return width
        case Outline(points_mm=points):
            across = [y for _, y in points]
            return max(across) - min(across)


def build_edges(stand: PlacedShape) -> Edges | None:
    """Return the edges of a rectangular stand where it stands; None of a base of another shape, which has none."""
    if not isinstance(stand.shape, Rect):
        return None
    cos, sin = math.cos(stand.facing_rad), math.sin(stand.facing_rad)
    ahead, aside = stand.shape.length_mm / 2, stand.shape.width_mm / 2

    def corner(along: float, across: float) -> Point:
        x, y = along * ahead, across * aside
        return stand.x_mm + x * cos - y * sin, stand.y_mm + x * sin + y * cos

    front_right, front_left, rear_left, rear_right = corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)
    return Edges(
        front=ViewingEdge(first=front_right, last=front_left),
        left=ViewingEdge(first=front_left, last=rear_left),
        rear=ViewingEdge(first=rear_left, last=rear_right),
        right=ViewingEdge(first=rear_right, last=front_right),
    )
