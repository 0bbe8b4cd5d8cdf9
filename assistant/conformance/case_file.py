"""Case files, `overtable.case/1`: reading a folder of them, and saying what is wrong with one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from assistant.conformance.case import Case, build_case
from assistant.errors import BadInput
from assistant.files.documents import Format, Id, read_json
from assistant.game.situation_file import SituationForm, Value
from assistant.rules.answer_documents import EffectForm, OutcomeWord, PlaceForm, Point


class AskForm(Format):
    """What is asked of a situation: the options of the command of that name."""

    command: Literal["judge", "zone", "actions"]
    model: Id | None = None
    unit: Id | None = None
    action: Id | None = None
    rolls: tuple[int, ...] = ()
    facing: Literal["any", "keep"] = "any"
    alone: bool = False
    lost: tuple[Id, ...] = ()
    intent: dict[Id, Value] = Field(default={}, description="the rulebook's fields of the move")

    @model_validator(mode="after")
    def _check_whom(self) -> "AskForm":
        if self.command == "zone" and (self.action is None or (self.model is None) == (self.unit is None)):
            raise ValueError("of zone, ask has an action, and either a model or a unit")
        if self.command == "actions" and self.unit is None:
            raise ValueError("of actions, ask has a unit")
        return self


class ExpectedFindingForm(Format):
    """What a verdict must find."""

    rule: Id
    outcome: OutcomeWord
    subjects: tuple[Id, ...]
    margin_mm: float | None = None
    stops_at: PlaceForm | None = None


class ExpectForm(Format):
    """The answer that an engine must give; which keys it has depends on what is asked."""

    outcome: OutcomeWord | None = None
    findings: tuple[ExpectedFindingForm, ...] = Field(default=(), description="all that are not legal, and any others")
    effects: tuple[EffectForm, ...] = Field(default=(), description="all of them, if the key is there")
    inside: tuple[Point, ...] = Field(default=(), description="places that the zone holds")
    outside: tuple[Point, ...] = Field(default=(), description="places that it does not hold")
    limit_mm: float | None = None
    allowed: tuple[Id, ...] = Field(default=(), description="actions that may be chosen")
    refused: dict[Id, tuple[Id, ...]] = Field(default={}, description="actions that may not, and rules that say so")


_EXPECTED: Mapping[str, frozenset[str]] = {
    "judge": frozenset({"outcome", "findings", "effects"}),
    "zone": frozenset({"inside", "outside", "limit_mm"}),
    "actions": frozenset({"allowed", "refused"}),
}


class CaseForm(Format):
    """A situation worked out by hand, with a question and the answer that an engine must give."""

    format: Literal["overtable.case/1"]
    name: Id = Field(description="as the file is called")
    rules: tuple[Id, ...] = Field(description="of which it is an example; none if only of how they work together")
    why: str = Field(min_length=1, description="how the numbers come about")
    situation: SituationForm
    ask: AskForm = AskForm(command="judge")
    expect: ExpectForm

    @model_validator(mode="after")
    def _check_question(self) -> "CaseForm":
        known, given = _EXPECTED[self.ask.command], self.expect.model_fields_set
        if not given or not given <= known:
            raise ValueError(f"of {self.ask.command}, expect has {', '.join(sorted(known))}")
        if self.ask.command == "judge" and "outcome" not in given:
            raise ValueError("of judge, expect has an outcome")
        return self


def read_case(path: Path) -> Case:
    """Read a case file.

    Raises:
        BadInput: one sentence that names the file, the place in it and what was expected.

    """
    form = read_json(path, CaseForm)
    case = build_case(form.model_dump(mode="json", exclude_unset=True))
    if path.stem != case.name:
        raise BadInput(f'{path}: name: expected "{path.stem}", as the file is called, not "{case.name}"')
    return case


def list_case_files(folder: Path) -> list[Path]:
    """Return the case files in a folder and those below it, in order.

    Raises:
        BadInput: there is no such folder, or no case in it.

    """
    if not folder.is_dir():
        raise BadInput(f"{folder}: there is no such folder; expected one with case files")
    found = sorted(folder.rglob("*.json"))
    if not found:
        raise BadInput(f"{folder}: there is no case in this folder; expected files ending in .json")
    return found


def read_cases(folder: Path) -> list[Case]:
    """Read all cases in a folder and those below it, in the order of their files; errors as in `read_case`."""
    return [read_case(path) for path in list_case_files(folder)]
