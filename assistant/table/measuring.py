"""Measuring: how far two things on the table are apart, edge to edge, and how surely that is known."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState, Model
from assistant.geometry.clearance.shape_clearance import Point, bound_leg_clearance, clearance
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.uncertainty import clearance_sigma_mm, pose_covariance
from assistant.rules.books import find_rulebook
from assistant.rules.engine.terrain import build_outline
from assistant.rules.lengths import LengthFormatter, format_inches
from assistant.rules.verdict import DECIDED_SIGMAS

LEVEL_MM = 1.0
"""Heights that differ by more than this are said to: what is measured is the way between bases from above."""
DECIMALS = 2
LEAST_MM = (0.1, 0.254)
"""A hundredth of a centimetre and of an inch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredThing:
    """Something on the table that is measured from or to."""

    kind: Literal["model", "unit", "terrain", "point"]
    id: str = ""
    """Of a model, a unit or a piece of terrain."""
    at_mm: Point = (0.0, 0.0)
    """Where a point is."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.id or "a point"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """How far two things are apart."""

    mm: float
    """Edge to edge, seen from above; the depth, negative, where they overlap."""
    sigma_mm: float
    """One standard deviation along the measured line, from those of both places; terrain and points are certain."""
    segment_mm: tuple[Point, Point]
    """From the first thing's nearest point to the second's, table frame."""
    horizontal: bool
    """They stand at different heights, of which the length tells nothing."""
    text: str
    """The length with two standard deviations, in the rulebook's unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPart:
    """A shape that a thing is made of: each of a unit's bases is one."""

    name: str
    placed: PlacedShape
    sigma_mm: float = 0.0
    stands: bool = False
    """It has a height that the other may differ in."""


def measure_distance(state: GameState, one: MeasuredThing, other: MeasuredThing) -> Measurement:
    """Return how far two things are apart: of units, the models that are nearest.

    Exact to 1e-6 mm, as `assistant.geometry.clearance.shape_clearance` is.

    Raises:
        BadInput: there is no such thing, or it is not on the table, or both are the same.

    """
    return measure_parts(list_parts(state, one), list_parts(state, other), choose_length_format(state))


def measure_parts(
    ones: tuple[MeasuredPart, ...], others: tuple[MeasuredPart, ...], say: LengthFormatter
) -> Measurement:
    """Return how far the nearest of some parts are apart; errors as for `measure_distance`."""
    pairs = [(a, b) for a, b in product(ones, others) if a.name != b.name or a.name == ""]
    if not pairs:
        raise BadInput("these are the same thing: choose another to measure to")
    # The discs around shapes tell which pairs are worth an exact look.
    floors = sorted((bound_leg_clearance(a.placed, a.placed, b.placed), at) for at, (a, b) in enumerate(pairs))
    shortest, nearest = clearance(pairs[floors[0][1]][0].placed, pairs[floors[0][1]][1].placed), pairs[floors[0][1]]
    for floor_mm, at in floors[1:]:
        if floor_mm > shortest.mm:
            break
        candidate = clearance(pairs[at][0].placed, pairs[at][1].placed)
        if candidate.mm < shortest.mm:
            shortest, nearest = candidate, pairs[at]
    a, b = nearest
    sigma_mm = clearance_sigma_mm(a.placed, b.placed, pose_covariance(a.sigma_mm), pose_covariance(b.sigma_mm))
    horizontal = a.stands and b.stands and abs(a.placed.z_mm - b.placed.z_mm) > LEVEL_MM
    return Measurement(
        mm=shortest.mm,
        sigma_mm=sigma_mm,
        segment_mm=(shortest.near, shortest.far),
        horizontal=horizontal,
        text=_describe_length(shortest.mm, sigma_mm, say) + (" horizontal" if horizontal else ""),
    )


def list_parts(state: GameState, thing: MeasuredThing) -> tuple[MeasuredPart, ...]:
    """Return the shapes that a thing is made of, where they are; BadInput as for `measure_distance`."""
    parts = tuple(_find_parts(state, thing))
    if not parts:
        raise BadInput(f"{thing.id} is not on the table, so nothing can be measured to it")
    return parts


def choose_length_format(state: GameState) -> LengthFormatter:
    """Return how lengths of a game are said."""
    return format_inches if state.rulebook == NO_RULEBOOK else find_rulebook(state.rulebook).say


def _find_parts(state: GameState, thing: MeasuredThing) -> Iterator[MeasuredPart]:
    try:
        match thing.kind:
            case "model":
                yield from _find_base(state.find_model(thing.id))
            case "unit":
                for model in state.find_unit(thing.id).models:
                    yield from _find_base(model)
            case "terrain":
                piece = {piece.id: piece for piece in state.terrain}[thing.id]
                yield MeasuredPart(name=f"terrain {piece.id}", placed=build_outline(piece))
            case "point":
                x_mm, y_mm = thing.at_mm
                yield MeasuredPart(name="", placed=PlacedShape(shape=Round(radius_mm=0.0), x_mm=x_mm, y_mm=y_mm))
    except KeyError:
        raise BadInput(f"there is no {thing.kind} {thing.id!r} in this game to measure to") from None


def _find_base(model: Model) -> Iterator[MeasuredPart]:
    if model.pose is not None:
        yield MeasuredPart(name=model.id, placed=model.place_base(), sigma_mm=model.pose.sigma_mm, stands=True)


def _describe_length(mm: float, sigma_mm: float, say: LengthFormatter) -> str:
    doubt_mm = DECIDED_SIGMAS * sigma_mm
    length = say(max(mm, 0.0), DECIMALS)
    doubt = f" ± {_describe_doubt(doubt_mm, say)}" if doubt_mm > 0 else ""
    deep = (
        f", overlapping by {say(-mm, DECIMALS)}" if mm < -doubt_mm and say(-mm, DECIMALS) != say(0.0, DECIMALS) else ""
    )
    return f"{length}{doubt}{deep}"


def _describe_doubt(mm: float, say: LengthFormatter) -> str:
    """Say a doubt; one that would be said to be none as the least that is said."""
    texts = (say(each, DECIMALS) for each in (mm, *LEAST_MM))
    return next(text for text in texts if text != say(0.0, DECIMALS))
