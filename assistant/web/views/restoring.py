"""Restoring views: what the pages show of a table that is being put back."""

from collections.abc import Sequence

from assistant.table.restore import PlacementDifference
from assistant.web.messages.restoring import PlaceView, RestoringView


def build_restoring_view(when: str, found: Sequence[PlacementDifference]) -> RestoringView:
    """Return what tells how far it has come."""
    states = [each.state for each in found]
    coarse = [each for each in found if each.is_coarse]
    worst_mm = max((each.sigma_mm for each in coarse), default=0.0)
    which = "this model" if len(coarse) == 1 else f"{len(coarse)} models"
    return RestoringView(
        when=when,
        count=len(found),
        back=states.count("back"),
        near=states.count("near"),
        missing=states.count("missing"),
        note=f"Of {which} the camera tells no more than ±{2 * worst_mm:.1f} mm: back means within that."
        if coarse
        else "",
    )


def build_place_view(each: PlacementDifference) -> PlaceView:
    """Return what is told of one model."""
    return PlaceView(state=each.state, text=each.text)
