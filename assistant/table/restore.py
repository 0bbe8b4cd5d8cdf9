"""Restoring a table: where models stood at a moment, and how far each is from there now."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.game.state import FormerPlace, GameState, Pose, Restoring
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.overlay.shapes import Layer, OverlayShape, Points, trace_outline
from assistant.recording.poses import PoseEntry, pose_from_entry

BACK_MM = 0.5
"""A model this near to where it stood is back."""
BACK_RAD = math.radians(2.0)
LEVEL_MM = 3.0
"""A model is on another surface if its height differs by more."""
NEAR_MM = 40.0
"""A model this near is told which way it has to go, others where."""
NEAR_RAD = math.radians(45.0)
SIGMAS = 2.0
"""A model is back, too, where the camera cannot tell that it is not: within so many standard deviations."""
FRONT_MM = 9.0
"""The longest wedge that shows the front."""
CLEAR_MM = 9.0
"""An arrow keeps so far from its base, beyond what stays dark for the camera."""
ARROW_MM = 22.0
HEAD_MM = 8.0
ARC_RAD = math.radians(50.0)
LAST_ACCEPTED = "where everything was last accepted"

PlacementState = Literal["missing", "back", "near", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementDifference:
    """Where a model is to be put back, and how far it is from there."""

    model: str
    place: Pose
    state: PlacementState
    """``missing``: it is not seen; ``near``: almost there."""
    right_mm: float = 0.0
    """How far it has to go along the table's x."""
    away_mm: float = 0.0
    """And along its y, away from the near edge."""
    turn_rad: float = 0.0
    """By how much it has to turn, counter-clockwise."""
    text: str = ""
    """What has to be done, in a few words; empty if it is back or missing."""
    sigma_mm: float = 0.0
    """One standard deviation of the distance."""

    @property
    def is_coarse(self) -> bool:
        """Whether the camera cannot tell as finely as models are put back."""
        return SIGMAS * self.sigma_mm > BACK_MM


def list_targets(state: GameState) -> dict[str, FormerPlace]:
    """Return where every model stood in a state, by model id, as to be put back: its way so far included."""
    found = {
        model.id: FormerPlace(accepted=model.pose, track=state.tracks.get(model.id))
        for _, model in state.iterate_models()
    }
    return {model: stood for model, stood in found.items() if stood.place is not None}


def build_last_accepted(state: GameState) -> Restoring:
    """Return what is put back when everything goes to where it was last accepted."""
    places = {
        model.id: FormerPlace(accepted=model.pose) for _, model in state.iterate_models() if model.pose is not None
    }
    return Restoring(places=places, when=LAST_ACCEPTED)


def compare_placements(
    places: Mapping[str, FormerPlace], seen: Mapping[str, PoseEntry]
) -> tuple[PlacementDifference, ...]:
    """Return how far each model is from where it is to be put back.

    Args:
        places: where they are put back, by model id.
        seen: where those that are seen are, by model id.

    """
    return tuple(
        _compare_placement(model, place, seen.get(model))
        for model, stood in places.items()
        if (place := stood.place) is not None
    )


def _compare_placement(model: str, place: Pose, entry: PoseEntry | None) -> PlacementDifference:
    if entry is None:
        return PlacementDifference(model=model, place=place, state="missing")
    here = pose_from_entry(entry)
    right_mm, away_mm = place.x_mm - here.x_mm, place.y_mm - here.y_mm
    turn_rad = math.remainder(place.facing_rad - here.facing_rad, math.tau)
    sigma_mm = math.hypot(place.sigma_mm, here.sigma_mm)
    within_mm = max(BACK_MM, SIGMAS * sigma_mm)
    within_rad = max(BACK_RAD, SIGMAS * math.radians(entry.sigma_deg))
    far_mm, heights = math.hypot(right_mm, away_mm), (here.z_mm, *here.other_z_mm)
    level = min((place.z_mm - z_mm for z_mm in heights), key=abs)
    there = far_mm <= within_mm and abs(turn_rad) <= within_rad and abs(level) <= LEVEL_MM
    near = far_mm <= NEAR_MM and abs(turn_rad) <= NEAR_RAD and abs(level) <= LEVEL_MM
    steps = [
        _describe_step(right_mm, "right", "left") if abs(right_mm) > within_mm / 2 and far_mm > within_mm else "",
        _describe_step(away_mm, "up", "down") if abs(away_mm) > within_mm / 2 and far_mm > within_mm else "",
        f"turn {math.degrees(abs(turn_rad)):.0f}° {'left' if turn_rad > 0 else 'right'}"
        if abs(turn_rad) > within_rad
        else "",
        f"{abs(level):.0f} mm {'higher' if level > 0 else 'lower'}" if abs(level) > LEVEL_MM else "",
    ]
    return PlacementDifference(
        model=model,
        place=place,
        state="back" if there and not entry.moving else "near" if near else "off",
        right_mm=right_mm,
        away_mm=away_mm,
        turn_rad=turn_rad,
        text="" if there else ", ".join(step for step in steps if step),
        sigma_mm=sigma_mm,
    )


def _describe_step(mm: float, forward: str, back: str) -> str:
    return f"{abs(mm):.1f} mm {forward if mm > 0 else back}"


def draw_restoring(state: GameState, found: Sequence[PlacementDifference]) -> tuple[OverlayShape, ...]:
    """Return what shows people where each model goes: its outline with its front, dim once it is back."""
    return tuple(shape for each in found for shape in _draw_placement(state.find_model(each.model).base, each))


def _draw_placement(base: Base, each: PlacementDifference) -> Iterator[OverlayShape]:
    placed = PlacedShape(shape=base, x_mm=each.place.x_mm, y_mm=each.place.y_mm, facing_rad=each.place.facing_rad)
    back = each.state == "back"
    yield OverlayShape(
        key=f"restore:{each.model}",
        layer=Layer.RESTORE,
        rings_mm=(trace_outline(placed), _build_front_wedge(placed)),
        closed=True,
        style="restore-back" if back else "restore",
        label="" if back else each.text if each.state == "near" else each.model,
    )
    if each.state == "near" and each.text:
        yield OverlayShape(
            key=f"restore-way:{each.model}",
            layer=Layer.RESTORE,
            rings_mm=_build_arrow(placed, each),
            closed=False,
            style="restore-way",
        )


def _build_front_wedge(placed: PlacedShape) -> Points:
    """Return a wedge at the front of a base, inside it."""
    own = trace_outline(PlacedShape(shape=placed.shape, x_mm=0, y_mm=0))
    front_mm = max(x for x, _ in own)
    long_mm = min(FRONT_MM, front_mm / 2)
    return _place_points(
        placed, ((front_mm - 1, 0), (front_mm - 1 - long_mm, 0.6 * long_mm), (front_mm - 1 - long_mm, -0.6 * long_mm))
    )


def _build_arrow(placed: PlacedShape, each: PlacementDifference) -> tuple[Points, ...]:
    """Return an arrow beside a base that says which way it has to go; about its front if it only has to turn."""
    reach_mm = CLEAR_MM + max(
        math.hypot(x, y) for x, y in trace_outline(PlacedShape(shape=placed.shape, x_mm=0, y_mm=0))
    )
    if "mm" in each.text:
        way_rad = math.atan2(each.away_mm, each.right_mm)
        along = PlacedShape(shape=placed.shape, x_mm=placed.x_mm, y_mm=placed.y_mm, facing_rad=way_rad)
        tip = reach_mm + ARROW_MM
        return (
            _place_points(along, ((reach_mm, 0), (tip, 0))),
            _place_points(along, ((tip - HEAD_MM, HEAD_MM * 0.7), (tip, 0), (tip - HEAD_MM, -HEAD_MM * 0.7))),
        )
    sense = math.copysign(1.0, each.turn_rad)
    turns = [sense * ARC_RAD * (step / 8 - 0.5) for step in range(9)]
    arc = tuple((reach_mm * math.cos(turn), reach_mm * math.sin(turn)) for turn in turns)
    back_rad = turns[-1] - sense * HEAD_MM / reach_mm
    head = tuple(
        (radius_mm * math.cos(back_rad), radius_mm * math.sin(back_rad))
        for radius_mm in (reach_mm + 0.7 * HEAD_MM, reach_mm - 0.7 * HEAD_MM)
    )
    return (_place_points(placed, arc), _place_points(placed, (head[0], arc[-1], head[1])))


def _place_points(placed: PlacedShape, points: Points) -> Points:
    """Return points of a base's own frame on the table."""
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    return tuple(
        (round(placed.x_mm + cos * x - sin * y, 2), round(placed.y_mm + sin * x + cos * y, 2)) for x, y in points
    )
