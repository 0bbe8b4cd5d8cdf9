"""What a recording comes to when its video is looked at again, beside what it had come to (`overtable.anew/1`).

Lengths are millimetres, angles degrees, times nanoseconds since the game's beginning.  ``before`` is what was recorded,
as this version judges it, ``now`` what the eyes make of the video.
"""

from typing import Literal

from assistant.files import Format


class Lacking(Format):
    """A time of which pictures are lacking in the video."""

    from_ns: int
    until_ns: int
    pictures: int | None
    """How many; null where the program was begun anew, so that nobody counted."""


class Where(Format):
    """A difference at its largest."""

    mm: float
    at_ns: int | None = None
    model: str | None = None
    x_mm: float
    y_mm: float


class ModelAnew(Format):
    """How differently a model was seen."""

    model: str
    tag: int
    compared: int
    """Pictures in which both tell where it is."""
    rms_mm: float
    rms_deg: float
    rms_sigmas: float
    """Of the distance, in units of the standard deviation of both together."""
    largest: Where | None
    largest_deg: float
    largest_sigmas: float
    only_before: int
    """Pictures in which its tag was seen then, and is not now."""
    only_now: int


class Rested(Format):
    """A model that came to rest in only one of the two."""

    model: str
    at_ns: int
    when: Literal["before", "now"]


class CallAnew(Format):
    """What the referee says, and what that rests on."""

    outcome: str
    rule: str | None = None
    margin_mm: float | None = None
    sigma_mm: float | None = None
    text: str = ""


class CallsAnew(Format):
    """A call that is another now."""

    at_ns: int
    about: str
    """The model that came to rest, or the unit whose move was accepted."""
    accepted: bool
    before: CallAnew | None
    """null: nothing could be judged."""
    now: CallAnew | None


class Unfit(Format):
    """What a person decided then, and what does not go with the game as it is seen now; it is left out of it."""

    at_ns: int
    kind: str
    why: str


class Anew(Format):
    """A recording, and what comes out otherwise."""

    format: Literal["overtable.anew/1"] = "overtable.anew/1"
    recording: str
    pictures: int
    length_ns: int
    lacking: tuple[Lacking, ...]
    calibration: Where | None
    """By how much what is seen at a place of the picture lies elsewhere on the table, at most; null where no camera was
    calibrated."""
    models: tuple[ModelAnew, ...]
    moves: int
    """Models that came to rest after a move, in both."""
    ends: Where | None
    """Where one of them ended most differently."""
    rested: tuple[Rested, ...]
    calls: int
    """Calls that were compared: whenever a model came to rest, and before a move was accepted."""
    otherwise: tuple[CallsAnew, ...]
    unfit: tuple[Unfit, ...]

    @property
    def same(self) -> bool:
        """Whether all is the same, to the last digit."""
        poses = all(each.largest is None or each.largest.mm == 0 for each in self.models)
        seen = not any(each.only_before or each.only_now or each.largest_deg for each in self.models)
        ends = self.ends is None or self.ends.mm == 0
        return poses and seen and ends and not (self.rested or self.otherwise or self.unfit)
