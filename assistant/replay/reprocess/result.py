"""The result of reprocessing: what a recording comes to when its video is looked at again, as data and in sentences.

The data are `overtable.anew/1`.  Lengths are millimetres, angles degrees, times nanoseconds since the game's beginning.
``before`` is what was recorded, as this version judges it, ``now`` what the vision pipeline makes of the video.
"""

from collections.abc import Iterator
from typing import Literal

from assistant.files.documents import Format
from assistant.recording.poses import MarkerEntry
from assistant.replay.formatting import OUTCOMES, SECOND_NS, format_clock


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


class ModelAnew(MarkerEntry):
    """How differently a model was seen."""

    model: str
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
    """Pictures in which its marker was seen then, and is not now."""
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
    def is_unchanged(self) -> bool:
        """Whether all is the same, to the last digit."""
        poses = all(each.largest is None or each.largest.mm == 0 for each in self.models)
        seen = not any(each.only_before or each.only_now or each.largest_deg for each in self.models)
        ends = self.ends is None or self.ends.mm == 0
        return poses and seen and ends and not (self.rested or self.otherwise or self.unfit)


MODELS_LISTED = 10
"""So many models are told of, the worst; data has them all."""


def describe_changes(result: Anew) -> Iterator[str]:
    """Yield what came out otherwise, a sentence or two a line."""
    yield f"{_format_picture_count(result.pictures)} in {format_clock(result.length_ns)} were looked at again."
    if result.lacking:
        yield _describe_missing_pictures(result)
    if result.is_unchanged:
        yield "All is as it was recorded, to the last digit: every pose, every move and every call."
        return
    if result.calibration is not None:
        where = result.calibration
        yield (
            "Calibration: what is seen at one place of the picture lies"
            f" {_format_mm(where.mm)} mm elsewhere on the table at most, {_describe_place(where)}."
            if where.mm
            else "Calibration: the same."
        )
    yield from _describe_poses(result.models)
    yield _describe_moves(result)
    for each in result.rested:
        when = "then, and does not now" if each.when == "before" else "now, and did not then"
        yield f"  {format_clock(each.at_ns)} {each.model} came to rest after a move {when}."
    if not result.otherwise:
        yield f"Calls: all {result.calls} are the same." if result.calls else "Calls: there were none."
    else:
        yield f"Calls: {len(result.otherwise)} of {result.calls} are others now."
    for call in result.otherwise:
        yield f"  {_describe_call(call)}"
    for left in result.unfit:
        kind = left.kind.lower()
        yield f"  {format_clock(left.at_ns)} What people decided then ({kind}) does not go with it now: {left.why}."


def _describe_missing_pictures(result: Anew) -> str:
    longest = max(result.lacking, key=lambda gap: gap.until_ns - gap.from_ns)
    count = sum(gap.pictures or 0 for gap in result.lacking)
    what = _format_picture_count(count) if count else "what happened between two times that it was filmed"
    seconds = (longest.until_ns - longest.from_ns) / SECOND_NS
    return f"The video lacks {what}; the longest gap is {seconds:.1f} s, from {format_clock(longest.from_ns)} on."


def _describe_poses(models: tuple[ModelAnew, ...]) -> Iterator[str]:
    compared = sum(each.compared for each in models)
    if not compared:
        yield "Poses: no model was seen then and now."
        return
    rms_mm = (sum(each.rms_mm**2 * each.compared for each in models) / compared) ** 0.5
    of = f"(root mean square of {compared} sightings of {len(models)} models)"
    yield f"Poses: {_format_mm(rms_mm)} mm apart as a rule {of}."
    for each in models[:MODELS_LISTED]:
        yield f"  {each.model}: {_describe_model(each)}"
    if len(models) > MODELS_LISTED:
        most = _format_mm(models[MODELS_LISTED].rms_mm)
        yield f"  {len(models) - MODELS_LISTED} others: no more than {most} mm as a rule."


def _describe_model(each: ModelAnew) -> str:
    parts = []
    if each.largest is not None:
        parts.append(
            f"{_format_mm(each.rms_mm)} mm ({each.rms_sigmas:.1f} sigma), {each.rms_deg:.2f} degrees;"
            f" at most {_format_mm(each.largest.mm)} mm ({each.largest_sigmas:.1f} sigma),"
            f" {_describe_place(each.largest)}"
        )
    for count, when in ((each.only_before, "then"), (each.only_now, "now")):
        if count:
            parts.append(f"seen only {when} in {_format_picture_count(count)}")
    return "; ".join(parts) or "not seen then and now"


def _describe_moves(result: Anew) -> str:
    if result.ends is None:
        return "Moves: none came to rest in both."
    return (
        f"Moves: {result.moves} came to rest in both; their ends lie {_format_mm(result.ends.mm)} mm apart at most:"
        f" {result.ends.model}, {_describe_place(result.ends)}."
    )


def _describe_call(call: CallsAnew) -> str:
    about = f"when the move of {call.about} was accepted" if call.accepted else f"when {call.about} came to rest"
    return (
        f"{format_clock(call.at_ns)} {about}: {_describe_outcome(call.before)} then, {_describe_outcome(call.now)} now."
    )


def _describe_outcome(call: CallAnew | None) -> str:
    if call is None:
        return OUTCOMES["unjudged"]
    has_margin = call.margin_mm is not None
    margin = f" (margin {call.margin_mm:.2f} mm, sigma {call.sigma_mm or 0:.2f} mm, {call.rule})" if has_margin else ""
    return f"{OUTCOMES[call.outcome]}{margin}"


def _describe_place(where: Where) -> str:
    at = "" if where.at_ns is None else f"{format_clock(where.at_ns)} "
    return f"{at}at {where.x_mm:.0f}, {where.y_mm:.0f} mm"


def _format_picture_count(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"


def _format_mm(value: float) -> str:
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"
