"""Situations that nobody would set up: whatever a file holds, the answer is a value or one sentence.

A valid situation is mutated by a seed and put through the functions that the command line calls.
"""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import shapely

from assistant.game.situation_file import Situation, parse_situation
from assistant.rules.answer_documents import encode_actions, encode_verdict, encode_zone
from assistant.rules.engine.end_region import Facing
from assistant.rules.referee import Referee
from assistant.rules.verdict import EVERYTHING
from overtable_errors import OvertableError
from tests.trials.mutations import Place, build_fuzzed, find_part, list_paths
from tests.trials.questions import Fault, ask
from tests.trials.trial import Contradiction, Document, register

NAME = "fuzzed.json"
Question = tuple[str, Callable[[Situation], Any]]


def list_questions(seed: int, situation: Situation) -> list[Question]:
    """Return what is asked of a situation; of each kind of zone one."""
    rng = random.Random(seed)
    state, move = situation.state, situation.move
    referee = Referee(state)
    asked: list[Question] = [
        ("judge", lambda _: encode_verdict(referee.judge(move))),
        ("judge --all", lambda _: encode_verdict(referee.judge(move, detail=EVERYTHING))),
        ("judge the position", lambda _: encode_verdict(referee.judge(None))),
        ("judge the position --all", lambda _: encode_verdict(referee.judge(None, detail=EVERYTHING))),
    ]
    if not state.units:
        return asked
    unit = state.find_unit(move.unit) if move and rng.random() < 0.8 else rng.choice(state.units)
    model = rng.choice(unit.models).id
    action = (
        move.action
        if move and rng.random() < 0.6
        else rng.choice(referee.book.actions).id
        if referee.book.actions
        else ""
    )
    rolls = move.rolls if move and move.action == action else tuple(rng.choices((1, 6), k=rng.choice((0, 1, 2))))
    intent = move.intent if move and move.action == action else {}
    facing: Facing = rng.choice(("any", "any", "keep"))
    alone = rng.random() < 0.4
    more: list[Question] = [
        ("actions", lambda _: encode_actions(unit.id, referee.list_options(unit.id))),
        ("fields", lambda _: [f.name for f in referee.list_fields(unit.id, action, intent=intent)]),
        ("links", lambda _: list(referee.find_coherency_links(unit.id).breaking)),
        ("arrangement", lambda _: str(referee.find_arrangement(unit.id))),
        ("ring", lambda _: referee.find_engagement_mm()),
        (
            f"zone --model {model} --action {action} --facing {facing}{' --alone' * alone} rolls {rolls}",
            lambda _: _encode_zone(
                referee.find_zone(model=model, action=action, rolls=rolls, facing=facing, alone=alone, intent=intent)
            ),
        ),
    ]
    if len(unit.models) <= 12 and rng.random() < 0.3:
        more.append(
            (
                f"zone --unit {unit.id} --action {action} --facing keep",
                lambda _: _encode_zone(
                    referee.find_unit_zone(unit=unit.id, action=action, rolls=rolls, facing="keep", intent=intent)
                ),
            )
        )
    return asked + more


def _encode_zone(zone: Any) -> Any:
    assert shapely.is_valid(zone.region), shapely.is_valid_reason(zone.region)
    return encode_zone(zone)


def find_fault(seed: int, document: Document, *, zones: bool = True) -> Fault | int:
    """Return the first answer about a situation that is none, or else how many answers were given.

    Args:
        seed: by which the questions are chosen.
        document: the situation.
        zones: ask for zones, too, which take longest.

    """
    situation = ask("read", lambda: parse_situation(document, NAME))
    if not isinstance(situation, Situation):
        return situation if isinstance(situation, Fault) else 0
    questions = ask("check", lambda: list_questions(seed, situation))
    if not isinstance(questions, list):
        return questions if isinstance(questions, Fault) else 0
    given = 0
    for title, question in questions:
        if title.startswith("zone") and not zones:
            continue
        answer = ask(title, partial(_write_answer, question, situation))
        if isinstance(answer, Fault):
            return answer
        given += not isinstance(answer, OvertableError)
    return given


@register("fuzz")
def fuzz(seed: int) -> Iterator[str | Contradiction]:
    """Ask everything of a situation that nobody would set up."""

    def look(document: Document) -> Contradiction | None:
        found = find_fault(seed, document)
        if not isinstance(found, Fault):
            return None
        return Contradiction(kind=found.kind, what=found.what, document=document, look=look, list_smaller=list_smaller)

    document = build_fuzzed(seed)
    found = find_fault(seed, document)
    yield (look(document) or "wavers") if isinstance(found, Fault) else "answered" if found else "refused"


def _write_answer(question: Callable[[Situation], Any], situation: Situation) -> str:
    return json.dumps(question(situation), allow_nan=False)


def list_smaller(document: Document) -> Iterator[Document]:
    """Yield a situation with something left out, the largest things first."""
    with suppress(RecursionError):
        size = Counter(path[:depth] for path in list_paths(document) for depth in range(len(path) + 1))
        parts = sorted(size, key=lambda path: -size[path])
        for path in parts:
            whole = find_part(document, path)
            if isinstance(whole, list) and len(whole) > 3:
                for share in (2, 4, 8):
                    chunk = math.ceil(len(whole) / share)
                    yield from (
                        _replace(document, path, whole[:at] + whole[at + chunk :]) for at in range(0, len(whole), chunk)
                    )
        for path in parts:
            whole = find_part(document, path)
            if isinstance(whole, list):
                yield from (_replace(document, path, whole[:at] + whole[at + 1 :]) for at in range(min(len(whole), 20)))
            elif isinstance(whole, dict):
                yield from (_replace(document, path, {k: v for k, v in whole.items() if k != key}) for key in whole)


def _replace(document: Document, path: Place, value: object) -> Document:
    """Return a document with something else at a place."""
    if not path:
        assert isinstance(value, dict)
        return value
    copied: Document = json.loads(json.dumps(document))
    find_part(copied, path[:-1])[path[-1]] = value
    return copied
