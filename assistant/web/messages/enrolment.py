"""Enrolment: where models' tags are in their bases, and the enrolment under way."""

from typing import Literal

from assistant.game.base_spec import BaseSpec
from assistant.web.messages.message import Message


class TagView(Message):
    """Where a model's tag is in its base, and how surely that is known."""

    tag: int
    size_mm: float
    """Edge of its black square."""
    x_mm: float
    y_mm: float
    facing_deg: float
    """In the base's frame, whose x is the model's front."""
    sigma_mm: float
    """One standard deviation of its place; 0 where nobody measured it."""
    sigma_deg: float
    height_mm: float
    height_sigma_mm: float


class EnrolledView(Message):
    """A model that has a tag or may get one, by id."""

    base: BaseSpec
    tag: TagView | None
    """None: it is not enrolled."""


class EnrollingView(Message):
    """An enrolment under way; the only key is ``enrolling``, which is missing while there is none."""

    model: str
    base: BaseSpec
    base_name: str
    """As the sheet calls it."""
    way: Literal["ring", "turn"]
    step: Literal["sheet", "model", "hand", "front", "turning", "measured"]
    """What a person is to do next."""
    note: str
    """What is in the way, in a sentence; empty if nothing is."""
    places: int
    """How often the model was measured in the ring."""
    turned_deg: float
    """How much of a turn was seen."""
    found: TagView | None
    advice: str
    """What would make it surer."""
    kept: bool
    """What was found has been written to the set-up."""
