"""Every case file: a situation, and what the referee must say of it.

A case is a JSON object with a ``name``, a ``why`` that works out the numbers, a ``situation``, and what to ``expect``:
the verdict's ``outcome``, ``findings`` (rule, outcome, subjects, and optionally margin_mm and stops_at, to 0.01), and
optionally all ``effects``.  Findings that are neither legal nor expected are failures, too.
"""

import json
import math
from pathlib import Path

import pytest

from assistant.game.situation_file import parse_situation
from assistant.rules.books import list_rulebooks
from assistant.rules.referee import judge
from assistant.rules.verdict import Finding, Outcome
from tests.rulebook_cases import CASES, list_case_files, read_cases

FILES = list_case_files()


def test_every_rulebook_has_cases() -> None:
    for book in list_rulebooks():
        assert read_cases(book), f"no cases for {book.id}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_case_is_well_formed(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    assert case["name"].replace(" ", "-") == path.stem
    assert case["why"]
    assert case["situation"]["rulebook"] == path.parent.name or not path.is_relative_to(CASES)
    assert parse_situation(case["situation"], path.name).state.units
    assert case["expect"]["outcome"] in list(Outcome)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_case(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    if case["situation"]["rulebook"] not in {book.id for book in list_rulebooks()}:
        pytest.skip("its rulebook is not there yet")
    situation = parse_situation(case["situation"], path.name)
    verdict = judge(situation.state, situation.move, everything=True)
    expected = case["expect"]
    found = {_build_key(finding): finding for finding in verdict.findings}
    unexpected = [
        finding.text
        for key, finding in found.items()
        if finding.outcome is not Outcome.LEGAL and key not in {_build_expected_key(e) for e in expected["findings"]}
    ]
    assert not unexpected
    for entry in expected["findings"]:
        assert _build_expected_key(entry) in found, f"expected {entry}, found {[f.text for f in verdict.findings]}"
        if "margin_mm" in entry:
            assert found[_build_expected_key(entry)].margin_mm == pytest.approx(entry["margin_mm"], abs=1e-5)
        if "stops_at" in entry:
            stop = found[_build_expected_key(entry)].stops_at
            assert stop is not None
            assert (stop.x_mm, stop.y_mm, stop.z_mm, math.degrees(stop.facing_rad)) == pytest.approx(
                [entry["stops_at"][key] for key in ("x_mm", "y_mm", "z_mm", "facing_deg")], abs=0.01
            )
    assert verdict.outcome == expected["outcome"]
    if "effects" in expected:
        effects = [{"rule": e.rule, "subjects": list(e.subjects), "effect": e.effect} for e in verdict.effects]
        assert effects == expected["effects"]


def _build_key(finding: Finding) -> tuple[str, str, tuple[str, ...]]:
    return finding.rule, finding.outcome.value, finding.subjects


def _build_expected_key(entry: dict[str, object]) -> tuple[str, str, tuple[str, ...]]:
    subjects = entry["subjects"]
    assert isinstance(subjects, list)
    return str(entry["rule"]), str(entry["outcome"]), tuple(subjects)
