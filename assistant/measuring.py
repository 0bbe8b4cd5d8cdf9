"""How far two things on the table are apart, edge to edge, and how surely that is known."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState, Model
from assistant.geometry.clearance import Point, clearance, leg_floor
from assistant.geometry.shapes import Placed, Round
from assistant.geometry.uncertainty import clearance_sigma_mm, pose_covariance
from assistant.rules.judge import rulebook
from assistant.rules.ruling import DECIDED_SIGMAS
from assistant.rules.terrain import outline_of
from assistant.rules.words import Say, inches

LEVEL_MM = 1.0
"""Heights that differ by more than this are said to: what is measured is the way between bases from above."""
DECIMALS = 2
LEAST_MM = (0.1, 0.254)
"""A hundredth of a centimetre and of an inch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
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
class Measured:
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
class Part:
    """A shape that a thing is made of: each of a unit's bases is one."""

    name: str
    placed: Placed
    sigma_mm: float = 0.0
    stands: bool = False
    """It has a height that the other may differ in."""


def measured(state: GameState, one: Thing, other: Thing) -> Measured:
    """Return how far two things are apart: of units, the models that are nearest.

    Exact to 1e-6 mm, as `assistant.geometry.clearance` is.

    Raises:
        BadInput: there is no such thing, or it is not on the table, or both are the same.

    """
    return apart(parts(state, one), parts(state, other), length_in(state))


def apart(ones: tuple[Part, ...], others: tuple[Part, ...], say: Say) -> Measured:
    """Return how far the nearest of some parts are apart; errors as for `measured`."""
    pairs = [(a, b) for a, b in product(ones, others) if a.name != b.name or a.name == ""]
    if not pairs:
        raise BadInput("these are the same thing: choose another to measure to")
    # The discs around shapes tell which pairs are worth an exact look.
    floors = sorted((leg_floor(a.placed, a.placed, b.placed), at) for at, (a, b) in enumerate(pairs))
    best, nearest = clearance(pairs[floors[0][1]][0].placed, pairs[floors[0][1]][1].placed), pairs[floors[0][1]]
    for floor_mm, at in floors[1:]:
        if floor_mm > best.mm:
            break
        found = clearance(pairs[at][0].placed, pairs[at][1].placed)
        if found.mm < best.mm:
            best, nearest = found, pairs[at]
    a, b = nearest
    sigma_mm = clearance_sigma_mm(a.placed, b.placed, pose_covariance(a.sigma_mm), pose_covariance(b.sigma_mm))
    horizontal = a.stands and b.stands and abs(a.placed.z_mm - b.placed.z_mm) > LEVEL_MM
    return Measured(
        mm=best.mm,
        sigma_mm=sigma_mm,
        segment_mm=(best.near, best.far),
        horizontal=horizontal,
        text=_said(best.mm, sigma_mm, say) + (" horizontal" if horizontal else ""),
    )


def parts(state: GameState, thing: Thing) -> tuple[Part, ...]:
    """Return the shapes that a thing is made of, where they are; BadInput as for `measured`."""
    found = tuple(_parts(state, thing))
    if not found:
        raise BadInput(f"{thing.id} is not on the table, so nothing can be measured to it")
    return found


def length_in(state: GameState) -> Say:
    """Return how lengths of a game are said."""
    return inches if state.rulebook == NO_RULEBOOK else rulebook(state.rulebook).say


def _parts(state: GameState, thing: Thing) -> Iterator[Part]:
    try:
        match thing.kind:
            case "model":
                yield from _base(state.model(thing.id))
            case "unit":
                for model in state.unit(thing.id).models:
                    yield from _base(model)
            case "terrain":
                piece = {piece.id: piece for piece in state.terrain}[thing.id]
                yield Part(name=f"terrain {piece.id}", placed=outline_of(piece))
            case "point":
                x_mm, y_mm = thing.at_mm
                yield Part(name="", placed=Placed(shape=Round(radius_mm=0.0), x_mm=x_mm, y_mm=y_mm))
    except KeyError:
        raise BadInput(f"there is no {thing.kind} {thing.id!r} in this game to measure to") from None


def _base(model: Model) -> Iterator[Part]:
    if model.pose is not None:
        yield Part(name=model.id, placed=model.placed(), sigma_mm=model.pose.sigma_mm, stands=True)


def _said(mm: float, sigma_mm: float, say: Say) -> str:
    doubt_mm = DECIDED_SIGMAS * sigma_mm
    length = say(max(mm, 0.0), DECIMALS)
    doubt = f" ± {_least_said(doubt_mm, say)}" if doubt_mm > 0 else ""
    deep = (
        f", overlapping by {say(-mm, DECIMALS)}" if mm < -doubt_mm and say(-mm, DECIMALS) != say(0.0, DECIMALS) else ""
    )
    return f"{length}{doubt}{deep}"


def _least_said(mm: float, say: Say) -> str:
    """Say a doubt; one that would be said to be none as the least that is said."""
    words = (say(each, DECIMALS) for each in (mm, *LEAST_MM))
    return next(said for said in words if said != say(0.0, DECIMALS))
