"""Comparison: what an engine answered to a case, held against what the case expects.

The kit carries this module to wherever another engine is: it needs nothing but Python.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from assistant.conformance.case import Case

TOLERANCE_MM = 0.01
"""How far a measure may lie from the expected one."""
_OUTCOMES_LEFT_OUT = ("legal",)
"""Findings with these outcomes may be given or not, if the case does not name them."""


def list_differences(case: Case, answer: Mapping[str, Any], tolerance_mm: float = TOLERANCE_MM) -> list[str]:
    """Return a sentence for each thing in which an answer is not what a case expects; none where it is right.

    Args:
        case: the case.
        answer: the JSON document of the verdict, the zone or the actions, as `docs/formats` describes them.
        tolerance_mm: how far margins, limits and stops may lie from the expected ones; for facings, degrees.

    """
    compare = {"judge": _compare_verdict, "zone": _compare_zone, "actions": _compare_actions}[case.ask["command"]]
    return list(compare(case.expect, answer, tolerance_mm))


def _compare_verdict(expect: Mapping[str, Any], verdict: Mapping[str, Any], tolerance_mm: float) -> Iterator[str]:
    if verdict["outcome"] != expect["outcome"]:
        yield f"the outcome is {verdict['outcome']}, not {expect['outcome']}"
    found = {_build_key(finding): finding for finding in verdict["findings"]}
    expected = {_build_key(finding): finding for finding in expect.get("findings", ())}
    for key, wanted in expected.items():
        if key not in found:
            yield f"there is no finding {_name(key)}"
            continue
        if "margin_mm" in wanted and not _is_close(found[key]["margin_mm"], wanted["margin_mm"], tolerance_mm):
            yield f"the margin of {_name(key)} is {found[key]['margin_mm']} mm, not {wanted['margin_mm']}"
        if "stops_at" in wanted:
            stop = found[key].get("stops_at") or {}
            if not all(_is_close(stop.get(part), value, tolerance_mm) for part, value in wanted["stops_at"].items()):
                yield f"{_name(key)} stops at {stop or 'no place'}, not at {wanted['stops_at']}"
    for key, finding in found.items():
        if key not in expected and finding["outcome"] not in _OUTCOMES_LEFT_OUT:
            yield f"there is a finding that is not expected, {_name(key)}: {finding.get('text', '')}"
    if "effects" in expect:
        effects, wanted_effects = (
            [(each["rule"], tuple(each["subjects"]), each["effect"]) for each in document["effects"]]
            for document in (verdict, expect)
        )
        if effects != wanted_effects:
            yield f"the effects are {effects}, not {wanted_effects}"


def _build_key(finding: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    return finding["rule"], finding["outcome"], tuple(finding["subjects"])


def _name(key: tuple[str, str, tuple[str, ...]]) -> str:
    rule, outcome, subjects = key
    return f"{rule} {outcome} of {', '.join(subjects) or 'nobody'}"


def _is_close(measured: float | None, expected: float | None, tolerance: float) -> bool:
    if measured is None or expected is None:
        return measured is expected
    return abs(measured - expected) <= tolerance


def _compare_zone(expect: Mapping[str, Any], zone: Mapping[str, Any], tolerance_mm: float) -> Iterator[str]:
    if "limit_mm" in expect and not _is_close(zone["limit_mm"], expect["limit_mm"], tolerance_mm):
        yield f"the limit is {zone['limit_mm']} mm, not {expect['limit_mm']}"
    for word, wanted in (("inside", True), ("outside", False)):
        for x, y in expect.get(word, ()):
            if _holds_place(zone["zone"]["coordinates"], x, y) != wanted:
                yield f"({x}, {y}) is not {word} of the zone"


def _holds_place(polygons: Sequence[Any], x: float, y: float) -> bool:
    """Return whether a place lies in polygons of rings; on an edge, either may be said."""
    inside = False
    for ring in (ring for polygon in polygons for ring in polygon):
        for (ax, ay), (bx, by) in pairwise(ring):
            if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
                inside = not inside
    return inside


def _compare_actions(expect: Mapping[str, Any], answer: Mapping[str, Any], _: float) -> Iterator[str]:
    because = {
        each["action"]: [] if each["allowed"] else [reason["rule"] for reason in each["because"]]
        for each in answer["actions"]
    }
    allowed = {each["action"] for each in answer["actions"] if each["allowed"]}
    for action in expect.get("allowed", ()):
        if action not in allowed:
            yield f"{action} is refused by {', '.join(because.get(action, ())) or 'no rule'}; it is allowed"
    for action, rules in expect.get("refused", {}).items():
        if action in allowed:
            yield f"{action} is allowed; it is refused by {', '.join(rules)}"
        elif not set(rules) <= set(because.get(action, ())):
            yield f"{action} is refused by {', '.join(because.get(action, ())) or 'no rule'}, not by {', '.join(rules)}"
