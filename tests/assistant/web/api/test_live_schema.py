"""The published schema of the live socket: it takes what is said there, and nothing else.

That it takes all that a demo and a replay say is tested where these are played (`tests/pages/test_played_tables.py`).
"""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from assistant.web.api.live_schema import build_live_schema
from assistant.web.commands import REGISTRY
from assistant.web.messages import Full, Refused, View
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.web.auth.test_roles import build_sample
from tests.assistant.web.view_deltas import build_delta, views

SCHEMA = build_live_schema()
SAID = jsonschema.Draft202012Validator(SCHEMA)
TAKEN = jsonschema.Draft202012Validator({"$ref": "#/$defs/FromProgram", "$defs": SCHEMA["$defs"]})


def test_it_is_a_schema_and_what_the_command_prints() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert run_overtable("schema", "live").document == SCHEMA


@given(views, views)
def test_a_view_and_any_step_from_it_are_taken(old: View, new: View) -> None:
    SAID.validate(json.loads(Full(seq=0, view=old).model_dump_json()))
    SAID.validate(build_delta(old, new))


def test_a_refusal_is_taken() -> None:
    SAID.validate(json.loads(Refused(text="No.").model_dump_json()))


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "delta", "seq": 1, "set": {"nothing": {}}, "gone": {}},
        {"type": "delta", "seq": 1, "set": {"models": {"s1": {"x_mm": "far"}}}, "gone": {}},
        {"type": "delta", "seq": 1, "set": {"models": {"s1": {"x_inches": 5}}}, "gone": {}},
        {"type": "delta", "seq": 1, "set": {}, "gone": {"nothing": ["s1"]}},
        {"type": "delta", "set": {}, "gone": {}},
        {"type": "full", "seq": 0, "view": {}},
        {"type": "shout", "text": "No."},
    ],
)
def test_what_is_never_said_is_not_taken(wrong: dict[str, Any]) -> None:
    assert not SAID.is_valid(wrong)


@pytest.mark.parametrize("command", REGISTRY, ids=lambda command: command.__name__)
def test_what_a_program_may_send_is_in_it(command: type[Any]) -> None:
    sample = build_sample(command)
    TAKEN.validate(sample)
    assert not TAKEN.is_valid({**sample, "type": "sing"})
    assert not TAKEN.is_valid({**sample, "loudly": True})
