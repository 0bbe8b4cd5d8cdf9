"""What comes out otherwise, in sentences."""

from collections.abc import Iterator

from assistant.past.anew.form import Anew, CallAnew, CallsAnew, ModelAnew, Where
from assistant.past.incident import clock_said
from assistant.past.said import OUTCOMES

MODELS = 10
"""So many models are told of, the worst; data has them all."""


def said(found: Anew) -> Iterator[str]:
    """Yield what came out otherwise, a sentence or two a line."""
    yield f"{_pictures(found.pictures)} in {clock_said(found.length_ns)} were looked at again."
    if found.lacking:
        yield _lacking(found)
    if found.same:
        yield "All is as it was recorded, to the last digit: every pose, every move and every call."
        return
    if found.calibration is not None:
        where = found.calibration
        yield (
            "Calibration: what is seen at one place of the picture lies"
            f" {_mm(where.mm)} mm elsewhere on the table at most, {_placed(where)}."
            if where.mm
            else "Calibration: the same."
        )
    yield from _poses(found.models)
    yield _moves(found)
    for each in found.rested:
        when = "then, and does not now" if each.when == "before" else "now, and did not then"
        yield f"  {clock_said(each.at_ns)} {each.model} came to rest after a move {when}."
    if not found.otherwise:
        yield f"Calls: all {found.calls} are the same." if found.calls else "Calls: there were none."
    else:
        yield f"Calls: {len(found.otherwise)} of {found.calls} are others now."
    for call in found.otherwise:
        yield f"  {_call(call)}"
    for left in found.unfit:
        kind = left.kind.lower()
        yield f"  {clock_said(left.at_ns)} What people decided then ({kind}) does not go with it now: {left.why}."


def _lacking(found: Anew) -> str:
    longest = max(found.lacking, key=lambda gap: gap.until_ns - gap.from_ns)
    count = sum(gap.pictures or 0 for gap in found.lacking)
    what = _pictures(count) if count else "what happened between two times that it was filmed"
    seconds = (longest.until_ns - longest.from_ns) / 1e9
    return f"The video lacks {what}; the longest gap is {seconds:.1f} s, from {clock_said(longest.from_ns)} on."


def _poses(models: tuple[ModelAnew, ...]) -> Iterator[str]:
    compared = sum(each.compared for each in models)
    if not compared:
        yield "Poses: no model was seen then and now."
        return
    rms_mm = (sum(each.rms_mm**2 * each.compared for each in models) / compared) ** 0.5
    yield f"Poses: {_mm(rms_mm)} mm apart as a rule (root mean square of {compared} sightings of {len(models)} models)."
    for each in models[:MODELS]:
        yield f"  {each.model}: {_model(each)}"
    if len(models) > MODELS:
        yield f"  {len(models) - MODELS} others: no more than {_mm(models[MODELS].rms_mm)} mm as a rule."


def _model(each: ModelAnew) -> str:
    parts = []
    if each.largest is not None:
        parts.append(
            f"{_mm(each.rms_mm)} mm ({each.rms_sigmas:.1f} sigma), {each.rms_deg:.2f} degrees;"
            f" at most {_mm(each.largest.mm)} mm ({each.largest_sigmas:.1f} sigma), {_placed(each.largest)}"
        )
    for count, when in ((each.only_before, "then"), (each.only_now, "now")):
        if count:
            parts.append(f"seen only {when} in {_pictures(count)}")
    return "; ".join(parts) or "not seen then and now"


def _moves(found: Anew) -> str:
    if found.ends is None:
        return "Moves: none came to rest in both."
    return (
        f"Moves: {found.moves} came to rest in both; their ends lie {_mm(found.ends.mm)} mm apart at most:"
        f" {found.ends.model}, {_placed(found.ends)}."
    )


def _call(call: CallsAnew) -> str:
    about = f"when the move of {call.about} was accepted" if call.accepted else f"when {call.about} came to rest"
    return f"{clock_said(call.at_ns)} {about}: {_outcome(call.before)} then, {_outcome(call.now)} now."


def _outcome(call: CallAnew | None) -> str:
    if call is None:
        return "not judged"
    known = call.margin_mm is not None
    margin = f" (margin {call.margin_mm:.2f} mm, sigma {call.sigma_mm or 0:.2f} mm, {call.rule})" if known else ""
    return f"{OUTCOMES[call.outcome]}{margin}"


def _placed(where: Where) -> str:
    at = "" if where.at_ns is None else f"{clock_said(where.at_ns)} "
    return f"{at}at {where.x_mm:.0f}, {where.y_mm:.0f} mm"


def _pictures(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"


def _mm(value: float) -> str:
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"
