"""Objective ranges: which models are within an objective's range, edge to edge, and how surely.

Nothing is said of whom the objective belongs to: what a model counts for is a matter of missions and of profiles that
no rulebook here has.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.game.state import GameState, Objective
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM


@dataclass(frozen=True, slots=True, kw_only=True)
class RangedModel:
    """A model that is within an objective's range, or so near to its edge that it may be."""

    model: str
    player: str
    margin_mm: float
    """How far it is within; negative outside."""
    sigma_mm: float

    @property
    def is_sure(self) -> bool:
        """Whether it is within beyond two sigma."""
        return self.margin_mm >= DECIDED_SIGMAS * self.sigma_mm - ROUNDING_MM


def find_models_in_range(state: GameState, objective: Objective) -> tuple[RangedModel, ...]:
    """Return the models within an objective's range, on whatever level, in the order of the situation.

    A marker without a range has nobody within it.
    """
    return tuple(_measure_models(state, objective)) if objective.range_mm is not None else ()


def _measure_models(state: GameState, objective: Objective) -> Iterator[RangedModel]:
    assert objective.range_mm is not None
    marker = PlacedShape(shape=Round(radius_mm=objective.radius_mm), x_mm=objective.x_mm, y_mm=objective.y_mm)
    reach_mm = objective.radius_mm + objective.range_mm
    for unit, model in state.iterate_models():
        pose = model.pose
        if pose is None:
            continue
        doubt_mm = DECIDED_SIGMAS * pose.sigma_mm
        away_mm = math.hypot(pose.x_mm - objective.x_mm, pose.y_mm - objective.y_mm)
        if away_mm > reach_mm + outer_radius_mm(model.base) + doubt_mm + ROUNDING_MM:
            continue
        margin_mm = objective.range_mm - clearance(model.place_base(), marker).mm
        if margin_mm > -doubt_mm - ROUNDING_MM:
            yield RangedModel(model=model.id, player=unit.player, margin_mm=margin_mm, sigma_mm=pose.sigma_mm)


def describe_control(state: GameState, objective: Objective) -> str:
    """Return how many models of each player are within an objective's range; empty where nobody is.

    Where it is too close to tell of some, it says from how many to how many: ``Anna 3, Ben 1-2``.
    """
    found = find_models_in_range(state, objective)
    parts = []
    for player in dict.fromkeys(unit.player for unit in state.units):
        mine = [one for one in found if one.player == player]
        sure = sum(one.is_sure for one in mine)
        if mine:
            parts.append(f"{player} {sure}" if sure == len(mine) else f"{player} {sure}-{len(mine)}")
    return ", ".join(parts)
