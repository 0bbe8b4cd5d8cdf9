"""Restoring a table: where models stood at a moment, and how far each is from there now."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.game.state import FormerPlace, GameState, Pose, Restoring
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.overlay.composition import draw_step, draw_target, draw_turn
from assistant.overlay.shapes import OverlayShape
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
    places = {
        model.id: FormerPlace(accepted=model.pose, track=state.tracks.get(model.id))
        for _, model in state.iterate_models()
    }
    return {model: former for model, former in places.items() if former.place is not None}


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
        for model, former in places.items()
        if (place := former.place) is not None
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
    is_back = far_mm <= within_mm and abs(turn_rad) <= within_rad and abs(level) <= LEVEL_MM
    is_near = far_mm <= NEAR_MM and abs(turn_rad) <= NEAR_RAD and abs(level) <= LEVEL_MM
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
        state="back" if is_back and not entry.moving else "near" if is_near else "off",
        right_mm=right_mm,
        away_mm=away_mm,
        turn_rad=turn_rad,
        text="" if is_back else ", ".join(step for step in steps if step),
        sigma_mm=sigma_mm,
    )


def _describe_step(mm: float, forward: str, back: str) -> str:
    return f"{abs(mm):.1f} mm {forward if mm > 0 else back}"


def draw_restoring(state: GameState, differences: Sequence[PlacementDifference]) -> tuple[OverlayShape, ...]:
    """Return what shows people where each model goes."""
    return tuple(
        shape
        for difference in differences
        for shape in _draw_difference(state.find_model(difference.model).base, difference)
    )


def _draw_difference(base: Base, difference: PlacementDifference) -> Iterator[OverlayShape]:
    placed = PlacedShape(
        shape=base, x_mm=difference.place.x_mm, y_mm=difference.place.y_mm, facing_rad=difference.place.facing_rad
    )
    back, near = difference.state == "back", difference.state == "near"
    yield draw_target(
        difference.model, placed, back=back, label="" if back else difference.text if near else difference.model
    )
    if near and "mm" in difference.text:
        yield draw_step(difference.model, placed, math.atan2(difference.away_mm, difference.right_mm))
    elif near and difference.text:
        yield draw_turn(difference.model, placed, difference.turn_rad)
