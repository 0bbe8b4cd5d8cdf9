"""Pace: how far a unit may go, full or half pace, why, and what two sigma leave open."""

from dataclasses import dataclass

import numpy as np

from assistant.geometry.clearance.pairwise import measure_pairs
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.rules.books.warmaster_revolution.formation import find_formation
from assistant.rules.books.warmaster_revolution.troops import compute_character_mm, compute_paces, get_troop
from assistant.rules.context import RuleContext
from assistant.rules.engine.terrain import build_outline
from assistant.rules.rulebook import Arrangement
from assistant.rules.selectors import has_trait
from assistant.rules.verdict import Outcome, decide_outcome

_WHATEVER = {"charge": "it charges", "evade": "it evades"}
"""Why a move is made at full pace whatever the formation, by action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPace:
    """The most that any part of a stand may move."""

    sure_mm: float
    """Allowed beyond doubt."""
    most_mm: float
    """What may be allowed; the same where nothing is in doubt."""
    reason: str
    """Such as `full pace: a column of 3`."""
    doubt: str = ""
    """On what it depends, where it is in doubt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FortifiedStand:
    """A stand over a fortified place, or so near to one that it may be."""

    stand: str
    terrain: str
    sure: bool


def find_pace(asked: RuleContext, action: str) -> UnitPace:
    """Return how far a unit may move by an action other than ``hold``, from where it stands."""
    unit = asked.unit
    if action == "character":
        mm = compute_character_mm(unit)
        return UnitPace(sure_mm=mm, most_mm=mm, reason="a character's pace")
    own = compute_paces(unit)
    if action in _WHATEVER:
        return UnitPace(sure_mm=own.full_mm, most_mm=own.full_mm, reason=f"full pace: {_WHATEVER[action]}")
    if own.half_mm == own.full_mm:
        return UnitPace(sure_mm=own.full_mm, most_mm=own.full_mm, reason="its one pace")
    place, stands = find_fortified_stand(asked), find_formation(asked)
    if place is not None and place.sure:
        return UnitPace(
            sure_mm=own.half_mm, most_mm=own.half_mm, reason=f"half pace: {place.stand} is fortified by {place.terrain}"
        )
    if stands.sure and not stands.regular:
        return UnitPace(sure_mm=own.half_mm, most_mm=own.half_mm, reason=f"half pace: {stands.reason}")
    if stands.sure and place is None:
        return UnitPace(sure_mm=own.full_mm, most_mm=own.full_mm, reason=f"full pace: {stands.reason}")
    doubts = [] if place is None else [f"{place.stand} is too near to the edge of {place.terrain} to call it fortified"]
    doubts += [stands.doubt] if stands.doubt else []
    return UnitPace(
        sure_mm=own.half_mm,
        most_mm=own.full_mm,
        reason=f"half or full pace: {stands.reason}",
        doubt=", and ".join(doubts),
    )


def describe_arrangement(asked: RuleContext) -> Arrangement | None:
    """Return the formation of a unit as it is drawn; a character has none."""
    if get_troop(asked.unit) == "character":
        return None
    found, go = find_formation(asked), find_pace(asked, "order")
    outcome = Outcome.TOO_CLOSE if not found.sure else Outcome.LEGAL if found.regular else Outcome.ILLEGAL
    pace_words = asked.say(go.most_mm, 2)
    if go.sure_mm != go.most_mm:
        pace_words = f"{asked.say(go.sure_mm, 2)} or {pace_words}"
    return Arrangement(order=found.order, text=f"{found.kind}: {pace_words}", outcome=outcome)


def find_fortified_stand(asked: RuleContext) -> FortifiedStand | None:
    """Return a stand of a unit that is, or may be, over a fortified place, wholly or in part; None if none is."""
    stands = [model for model in asked.unit.models if model.pose is not None]
    places = list(filter(has_trait("fortified"), asked.state.terrain))
    if not stands or not places:
        return None
    first, second = np.divmod(np.arange(len(stands) * len(places)), len(places))
    standing = build_shape_arrays([*(model.place_base() for model in stands), *map(build_outline, places)])
    depths = measure_pairs(standing, first, second + len(stands)).mm.tolist()
    doubtful = None
    for mm, one, two in zip(depths, first.tolist(), second.tolist(), strict=True):
        pose = stands[one].pose
        outcome = decide_outcome(mm, 0.0 if pose is None else pose.sigma_mm)
        if outcome is not Outcome.LEGAL:
            found = FortifiedStand(stand=stands[one].id, terrain=places[two].id, sure=outcome is Outcome.ILLEGAL)
            if found.sure:
                return found
            doubtful = doubtful or found
    return doubtful
