"""How long the referee takes, beside what it may: a standing table, any move of a unit, zones of a model and a unit.

Every row says the median and the worst of random situations of `crowded_scenes`, in milliseconds of the processor: 200
of them, as far as they take no longer than half a minute; then as many as that, and the row says so. The environment
may ask for fewer or more situations, and seconds (`OVERTABLE_BENCH_SITUATIONS`, `OVERTABLE_BENCH_SECONDS`).
"""

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, cycle, islice

from assistant.game.state import GameState
from assistant.rules.books import list_rulebooks
from assistant.rules.engine.end_region import Facing
from assistant.rules.referee import Referee, judge
from tests.benchmarks.crowded_scenes import KINDS, QUESTIONS, Question, make_move, make_scene

SITUATIONS = int(os.environ.get("OVERTABLE_BENCH_SITUATIONS", "200"))
SECONDS = float(os.environ.get("OVERTABLE_BENCH_SECONDS", "30"))
_LEAST = 3
_BASES = {"round": "round bases", "oval": "ovals", "rectangle": "rectangles", "outline": "hulls", "mixed": "all kinds"}


@dataclass(frozen=True, slots=True)
class Took:
    """How long one question took."""

    ms: float
    name: str
    """Which situation it was."""
    error_mm: float | None = None


Asked = Iterator[tuple[str, Callable[[], object]]]
"""Situations by name, and what is asked about each."""


def run() -> Iterator[str]:
    """Yield one line a measurement, with the goal beside the figure."""
    list_rulebooks()  # loaded once a program, not once a question
    for models in (50, 200, 500):
        took = _measure(_list_standing(models))
        yield f"standing table of {models} models: {_format(took)}{' | goal 15' if models == 500 else ''}"
    for observed in (True, False):
        took = _measure(_list_moves(observed=observed))
        yield f"judge a unit's move, {'seen' if observed else 'unseen'}: {_format(took)} | goal 50, worst 500"
        for book in QUESTIONS:
            yield f"  of them {book}: {_format([one for one in took if one.name.startswith(book)])}"
    long = {book: questions[-1] for book, questions in QUESTIONS.items()}
    for what, book in (("climbs", "warhammer-40k-10e"), ("half speed", "priority-skirmish")):
        took = _measure(_list_unit_zones(long[book]))
        yield f"zones of a unit, facing kept, 12 inches, {what}: {_format(took)} | goal 100"
    for question in long.values():
        for kind in ("mixed",) if question.stands else ("oval", "rectangle", "outline"):
            took = _measure(_list_zones(question, kind))
            of = "stands" if question.stands else _BASES[kind]
            yield f"zone of a model, any facing, {of}, {question.rulebook}: {_format(took)} | goal 300, error 0.5"
    took = _measure(_list_dragged(long["warhammer-40k-10e"]))
    yield f"zones of a unit while a hand drags, 12 inches: {_format(took)} | goal 16"


def _list_standing(models: int) -> Asked:
    for seed, question in enumerate(cycle(questions[0] for questions in QUESTIONS.values())):
        state = make_scene(question, seed=seed, models=models)
        yield f"{question.rulebook} {seed}", partial(judge, state, None)


def _list_moves(*, observed: bool) -> Asked:
    """Yield moves of all rulebooks in turn, short and long, on all kinds of base."""
    rng = random.Random(1)
    for seed, book in enumerate(cycle(QUESTIONS)):
        question, kind = rng.choice(QUESTIONS[book]), rng.choice(KINDS)
        yield (
            f"{book} {question.action} {question.limit_mm:.0f} {kind} {seed}",
            _ask_move(question, kind, seed, observed=observed),
        )


def _ask_move(question: Question, kind: str, seed: int, *, observed: bool) -> Callable[[], object]:
    state = make_scene(question, seed=seed, kind=kind)
    move = make_move(state, question, seed=seed, observed=observed)
    return partial(judge, state, move)


def _list_unit_zones(question: Question) -> Asked:
    for seed, kind in enumerate(cycle(KINDS)):
        state = make_scene(question, seed=seed, kind=kind)
        yield f"{kind} {seed}", partial(_ask_all_zones, state, question)


def _ask_all_zones(state: GameState, question: Question) -> None:
    _ask_unit_zones(Referee(state), question)


def _ask_unit_zones(referee: Referee, question: Question) -> None:
    """Ask for the zone of each model of the unit, as it is turned."""
    for model in referee.state.find_unit("u").models:
        _ask_zone(referee, question, model.id, "keep")


def _ask_zone(referee: Referee, question: Question, model: str, facing: Facing) -> object:
    return referee.find_zone(model=model, action=question.action, rolls=question.rolls, facing=facing, alone=True)


def _list_zones(question: Question, kind: str) -> Asked:
    for seed in count():
        state = make_scene(question, seed=seed, kind=kind)
        yield f"{seed}", partial(_ask_model_zone, state, question)


def _ask_model_zone(state: GameState, question: Question) -> object:
    return _ask_zone(Referee(state), question, "u-0", "any")


def _list_dragged(question: Question) -> Asked:
    """Yield the zones of a unit of which a hand has moved one model by a little, after those before it were asked."""
    for seed, kind in enumerate(cycle(KINDS)):
        before = make_scene(question, seed=seed, kind=kind)
        referee = Referee(before)
        _ask_unit_zones(referee, question)
        yield f"{kind} {seed}", partial(_ask_dragged, referee, referee.follow(_drag(before)), question)


def _ask_dragged(before: Referee, now: Referee, question: Question) -> None:
    """Ask for the zone of the dragged model from where it started, as pages show it, and of its mates as it stands."""
    for model in now.state.find_unit("u").models:
        _ask_zone(before if model.id == "u-0" else now, question, model.id, "keep")


def _drag(state: GameState) -> GameState:
    pose = state.find_model("u-0").pose
    assert pose is not None
    return state.place_models({"u-0": replace(pose, x_mm=pose.x_mm + 2.0)})


def _measure(asked: Asked) -> list[Took]:
    """Return how long questions took, one by one: as many as are wanted, or as the time allows."""
    took = list[Took]()
    for name, ask in islice(asked, SITUATIONS):
        begun = time.process_time()
        answer = ask()
        ms = (time.process_time() - begun) * 1e3
        took.append(Took(ms=ms, name=name, error_mm=getattr(answer, "error_mm", None)))
        if len(took) >= _LEAST and sum(one.ms for one in took) > SECONDS * 1e3:
            break
    return took


def _format(took: list[Took]) -> str:
    worst = max(took, key=lambda one: one.ms)
    errors = [one.error_mm for one in took if one.error_mm is not None]
    said = f", error {max(errors):.2f} mm at most" if errors else ""
    median = statistics.median(one.ms for one in took)
    return f"median {median:.1f} ms, worst {worst.ms:.0f} ({worst.name}) of {len(took)}{said}"
