"""What every rulebook must pass: the built-in ones, found by folder, and those that other packages bring.

Of a book of another package the cases lie in a folder ``cases`` beside its module.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.situation_file import parse_situation
from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Unit
from assistant.geometry.shapes.base_shapes import Round
from assistant.rules.answer_documents import encode_rulebook
from assistant.rules.books import find_rulebook, list_rulebooks
from assistant.rules.referee import Referee, judge
from assistant.rules.rulebook import Choice, Number, Rulebook, RuleCoverage, RuleEntry
from assistant.rules.verdict import EVERYTHING
from tests.rulebook_cases import CASES, find_case_folder, read_cases

books = pytest.mark.parametrize("book", list_rulebooks(), ids=lambda book: book.id)


def make_game(book: Rulebook) -> GameState:
    """Two models against one, far apart."""
    profile: dict[str, Setting] = {}
    for key in book.profile:
        match key.values:
            case Number(low=low, high=high):
                profile[key.name] = min(max(6, low), high)
            case Choice(words=words):
                profile[key.name] = words[0]

    def model(name: str, x: float) -> Model:
        return Model(id=name, base=Round(radius_mm=16), pose=Pose(x_mm=x, y_mm=300))

    return GameState(
        rulebook=book.id,
        table=Table(width_mm=1524, depth_mm=1118),
        units=(
            Unit(id="a", player="red", profile=profile, models=(model("a1", 300), model("a2", 332.5))),
            Unit(id="b", player="blue", profile=profile, models=(model("b1", 1200),)),
        ),
    )


@books
def test_it_is_known_by_its_id(book: Rulebook) -> None:
    assert find_rulebook(book.id) is book
    assert book.title


@books
def test_ids_are_used_once(book: Rulebook) -> None:
    for ids in ([rule.id for rule in book.rules], [action.id for action in book.actions]):
        assert len(ids) == len(set(ids)) > 0
    for keys in (book.parameters, book.profile, book.intent):
        assert len(keys) == len({key.name for key in keys})
    assert len(book.statuses) == len(set(book.statuses))


@books
def test_every_rule_says_what_becomes_of_it(book: Rulebook) -> None:
    for rule in book.rules:
        assert rule.statement
        assert set(rule.kind) <= set("GOESX/")
        assert bool(rule.reason) == (rule.coverage is RuleCoverage.NOT_COVERED), rule.id


@books
def test_defaults_fit_their_parameters(book: Rulebook) -> None:
    state = make_game(book)
    for key in book.parameters:
        assert key.default is not None
        judge(replace(state, parameters={key.name: key.default}), None)


@books
def test_every_allowed_action_can_be_judged_and_has_a_zone(book: Rulebook) -> None:
    state = make_game(book)
    known = {rule.id for rule in book.rules}
    choices = Referee(state).list_options("a")
    assert [option.action for option in choices] == [action.id for action in book.actions]
    assert any(option.allowed for option in choices)
    for option in choices:
        assert option.allowed == (not option.because)
        assert {rule for rule, _ in option.because} <= known
        if option.allowed:
            rolls = (1,) * option.dice
            verdict = judge(state, Move(unit="a", action=option.action, rolls=rolls), detail=EVERYTHING)
            assert {finding.rule for finding in verdict.findings} <= known
            assert {effect.rule for effect in verdict.effects} <= known
            answer = Referee(state).find_zone(model="a1", action=option.action, rolls=rolls)
            assert answer.error_mm <= 0.05
            with pytest.raises(BadInput):
                judge(state, Move(unit="a", action=option.action, rolls=(*rolls, 1)))


@books
def test_every_allowed_action_is_judged_from_every_place_in_the_rules(book: Rulebook) -> None:
    known, asked = {rule.id for rule in book.rules}, set[str]()
    for case in read_cases(book).values():
        situation = parse_situation(case["situation"], case["name"])
        state, move = situation.state, situation.move
        if move is None:
            continue
        for option in Referee(state).list_options(move.unit):
            assert option.allowed == (not option.because)
            assert {rule for rule, _ in option.because} <= known
        verdict = judge(state, move, detail=EVERYTHING)
        assert {finding.rule for finding in verdict.findings} | {effect.rule for effect in verdict.effects} <= known
        model = next(iter(move.paths), state.find_unit(move.unit).models[0].id)
        answer = Referee(state).find_zone(
            model=model, action=move.action, rolls=move.rolls, intent=move.intent, facing="keep", alone=True
        )
        assert answer.region.is_valid
        assert answer.error_mm <= 0.05
        asked.add(move.action)
    assert asked == {action.id for action in book.actions}


@books
def test_whoever_is_offered_for_a_field_may_be_named(book: Rulebook) -> None:
    keys = {key.name: key for key in book.intent}
    assert {name for action in book.actions for name in action.intent} == keys.keys()
    for case in read_cases(book).values():
        situation = parse_situation(case["situation"], case["name"])
        if situation.move is None:
            continue
        asked = Referee(situation.state).build_context(situation.move.unit)
        for action in book.actions:
            for option in Referee(situation.state).list_fields(asked.unit.id, action.id):
                names = keys[option.name].names
                assert option.value is None
                assert names is None or set(option.offered) <= set(names.among(asked)) - {asked.unit.id}


@books
def test_every_rule_that_is_decided_has_its_cases(book: Rulebook) -> None:
    known = read_cases(book)
    named = [rule for rule in book.rules if not rule.sum_of]
    missing = [
        f"{rule.id} has no {outcome} case"
        for rule in named
        for outcome in _list_due_outcomes(rule)
        - {c["expect"].get("outcome") for n, c in known.items() if _is_of(rule, n)}
        if outcome not in rule.never
    ]
    bare = [
        f"{rule.id} has no case"
        for rule in named
        if rule.coverage in {RuleCoverage.JUDGED, RuleCoverage.REPORTED}
        and not any(_is_of(rule, name) for name in known)
    ]
    assert not missing + bare


@books
def test_no_outcome_is_excused_that_has_a_case(book: Rulebook) -> None:
    for rule in book.rules:
        given = {case["expect"].get("outcome") for name, case in read_cases(book).items() if _is_of(rule, name)}
        for outcome, reason in rule.never.items():
            assert reason
            assert outcome in _list_due_outcomes(rule)
            assert outcome not in given, rule.id


@books
def test_no_rule_is_a_sum_that_has_a_case(book: Rulebook) -> None:
    for rule in book.rules:
        assert not rule.sum_of or not [name for name in read_cases(book) if _is_of(rule, name)], rule.id


def _is_of(rule: RuleEntry, name: str) -> bool:
    return name.startswith(f"{rule.id}-")


def _list_due_outcomes(rule: RuleEntry) -> set[str]:
    """Return the outcomes of which a rule that is measured must have cases."""
    measured = rule.coverage is RuleCoverage.JUDGED and "G" in rule.kind
    return {"legal", "illegal", "too-close"} if measured else set()


@books
def test_what_is_drawn_is_there_for_every_book(book: Rulebook) -> None:
    state = make_game(book)
    assert Referee(state).find_engagement_mm() >= 0
    links = Referee(state).find_coherency_links("a")
    asked = Referee(state).build_context("a")
    assert [link.models for link in links.links] == ([("a1", "a2")] if book.coherency(asked) else [])
    assert links.breaking == ()


@books
def test_all_of_it_is_json(book: Rulebook) -> None:
    listed = json.loads(json.dumps(encode_rulebook(book), allow_nan=False))
    assert listed["id"] == book.id
    assert len(listed["rules"]) == len(book.rules)


def test_every_file_in_the_folder_is_a_book() -> None:
    folder = Path(find_rulebook.__code__.co_filename).parent
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    built_in = [book for book in list_rulebooks() if find_case_folder(book).parent == CASES]
    assert len(built_in) == len(names - {"__init__", "__pycache__"}) > 0


def test_an_unknown_book_is_bad_input() -> None:
    with pytest.raises(BadInput, match="^rulebook: there is no rulebook 'chess'; expected one of "):
        find_rulebook("chess")
