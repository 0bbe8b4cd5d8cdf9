"""The runner: all cases put to an engine, and what came of it by rule.

The kit carries this module to wherever another engine is: it needs nothing but Python.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.conformance.case import Case
from assistant.conformance.comparison import TOLERANCE_MM, list_differences
from assistant.conformance.engine_command import Engine, NoAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What an engine made of a case."""

    case: Case
    differences: tuple[str, ...]
    """A sentence for each thing that is not as the case expects; none if it passed."""


def run_case(case: Case, engine: Engine, tolerance_mm: float = TOLERANCE_MM) -> CaseResult:
    """Put one case to an engine; an answer that is not of its format is a difference like any other."""
    try:
        answer = engine(case)
    except NoAnswer as missing:
        return CaseResult(case=case, differences=(str(missing),))
    try:
        differences = list_differences(case, answer, tolerance_mm)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        differences = [f"its answer is not of the format: {type(error).__name__} {error}"]
    return CaseResult(case=case, differences=tuple(differences))


def run_cases(cases: Iterable[Case], engine: Engine, tolerance_mm: float = TOLERANCE_MM) -> list[CaseResult]:
    """Put cases to an engine, one after the other."""
    return [run_case(case, engine, tolerance_mm) for case in cases]


_TOGETHER = "several rules at once"
"""Where cases stand that are an example of no rule by itself."""


def group_by_rule(results: Iterable[CaseResult]) -> dict[tuple[str, str], list[CaseResult]]:
    """Return results by rulebook and rule, in the order of their names; a case of several rules stands under each."""
    groups: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        for rule in result.case.rules or (_TOGETHER,):
            groups.setdefault((result.case.rulebook, rule), []).append(result)
    return dict(sorted(groups.items()))


def describe_results(results: Sequence[CaseResult]) -> Iterator[str]:
    """Yield lines for a person: rule by rule how many cases passed, and what is wrong with those that did not."""
    book = ""
    for (rulebook, rule), group in group_by_rule(results).items():
        if rulebook != book:
            book = rulebook
            yield f"{book}: {_count_passed([each for each in results if each.case.rulebook == book])}"
        yield f"  {rule:<12} {_count_passed(group)}"
        for result in (each for each in group if each.differences):
            yield f"    {result.case.name}: {'; '.join(result.differences)}"
    yield f"{_count_passed(results)} cases passed"


def encode_results(results: Sequence[CaseResult]) -> dict[str, Any]:
    """Return results as a JSON document, ``overtable.case-results/1``."""
    return {
        "format": "overtable.case-results/1",
        "cases": len(results),
        "passed": sum(not each.differences for each in results),
        "rules": [
            {
                "rulebook": rulebook,
                "rule": rule,
                "cases": len(group),
                "passed": sum(not each.differences for each in group),
            }
            for (rulebook, rule), group in group_by_rule(results).items()
        ],
        "failed": [_encode_failure(each) for each in results if each.differences],
    }


def _encode_failure(result: CaseResult) -> Mapping[str, Any]:
    return {
        "case": result.case.name,
        "rulebook": result.case.rulebook,
        "rules": list(result.case.rules),
        "differences": list(result.differences),
    }


def _count_passed(results: Sequence[CaseResult]) -> str:
    return f"{sum(not each.differences for each in results)} of {len(results)}"
