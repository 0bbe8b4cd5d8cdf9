import sys
from dataclasses import replace
from pathlib import Path

from assistant.conformance.case import Case
from assistant.conformance.case_file import read_case
from assistant.conformance.engine_command import Answer, NoAnswer, build_command_engine, list_arguments
from assistant.conformance.referee_engine import ask_referee
from assistant.conformance.runner import describe_results, encode_results, run_case, run_cases
from tests.rulebook_cases import CASES

LEGAL, ILLEGAL = (read_case(CASES / "activation-skirmish" / f"act-03-{what}.json") for what in ("hold", "too-far"))


def answer_always_legal(case: Case) -> Answer:
    return {"outcome": "legal", "findings": [], "effects": list(case.expect.get("effects", ()))}


def test_results_stand_under_their_rules() -> None:
    together = replace(LEGAL, name="situation-x", rules=())
    results = run_cases([LEGAL, ILLEGAL, together], answer_always_legal)
    lines = list(describe_results(results))
    assert lines[:2] == ["activation-skirmish: 2 of 3", "  act-03       1 of 2"]
    assert lines[2].startswith(
        "    act-03-too-far: the outcome is legal, not illegal; there is no finding act-03 illegal"
    )
    assert lines[3:] == ["  several rules at once 1 of 1", "2 of 3 cases passed"]
    told = encode_results(results)
    assert (told["cases"], told["passed"]) == (3, 2)
    assert [failure["case"] for failure in told["failed"]] == ["act-03-too-far"]


def test_an_answer_of_another_format_is_a_difference() -> None:
    (said,) = run_case(ILLEGAL, lambda _: {"verdict": "fine"}).differences
    assert said == "its answer is not of the format: KeyError 'outcome'"


def test_an_engine_that_does_not_answer_fails_the_case() -> None:
    def refuse(case: Case) -> Answer:
        raise NoAnswer(f"{case.name} is beyond me")

    assert run_case(LEGAL, refuse).differences == ("act-03-hold is beyond me",)


def test_the_question_is_asked_by_the_options_of_its_command() -> None:
    ask = {
        "command": "zone",
        "model": "a1",
        "action": "charge",
        "rolls": [3, 4],
        "alone": True,
        "intent": {"toward": "e", "ordered": True, "ignores": ["f", "g"]},
    }
    assert list_arguments(replace(LEGAL, ask=ask), "S.json") == [
        *("zone", "S.json", "--json", "--model", "a1", "--action", "charge", "--roll", "3", "--roll", "4", "--alone"),
        *("--toward", "e", "--ordered", "--ignores", "f", "--ignores", "g"),
    ]
    assert list_arguments(LEGAL, "S.json") == ["judge", "S.json", "--json", "--all"]
    assert list_arguments(replace(LEGAL, ask={"command": "actions", "unit": "a"}), "S.json")[-2:] == ["--unit", "a"]


def test_what_a_command_does_instead_of_answering_is_told(tmp_path: Path) -> None:
    programs = {
        "import sys; sys.exit('no idea')": "it ended with status 1: no idea",
        "print('legal')": "what it printed is not JSON",
        "print('[]')": "what it printed is not a JSON object",
    }
    for program, said in programs.items():
        assert run_case(LEGAL, build_command_engine([sys.executable, "-c", program])).differences == (said,)
    (said,) = run_case(LEGAL, build_command_engine([str(tmp_path / "none")])).differences
    assert "cannot be started" in said


def test_zones_and_actions_are_asked_of_the_referee() -> None:
    asked = {"command": "zone", "model": "a1", "action": "normal"}
    zone = replace(ILLEGAL, ask=asked, expect={"inside": [[450, 300]], "outside": [[453, 300]], "limit_mm": 152.4})
    actions = replace(ILLEGAL, ask={"command": "actions", "unit": "a"}, expect={"allowed": ["hold", "normal", "run"]})
    assert [run_case(case, ask_referee).differences for case in (zone, actions)] == [(), ()]
    unknown = replace(zone, ask={**asked, "model": "nobody"})
    assert run_case(unknown, ask_referee).differences == ('model: there is no model "nobody" in this situation',)
