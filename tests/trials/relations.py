"""Metamorphic relations: what must hold between the referee's answers to two situations that belong together.

Each is a trial by itself.  Its docstring says exactly what must hold, and why.
"""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise

from assistant.errors import BadInput
from assistant.game.situation_file import Situation
from assistant.game.state import GameState, Model, Move, Pose, Setting, Unit
from assistant.geometry.shapes.base_shapes import Round
from assistant.rules.books.warmaster_revolution.troops import MM as CM_MM
from assistant.rules.books.warmaster_revolution.troops import compute_paces
from assistant.rules.referee import Referee
from assistant.rules.verdict import EVERYTHING, Outcome, Verdict
from tests.trials.bounds import OutOfTime
from tests.trials.comparison import Difference, compare_verdicts, describe_verdict, rank
from tests.trials.situations import SMALL, make_document, read, write
from tests.trials.transformations import (
    apply_motion,
    apply_motion_to_move,
    build_mirror,
    build_quarter_turns,
    build_shift,
    build_turn,
    rename,
    reorder,
    widen,
)
from tests.trials.trial import Contradiction, Document, register

Said = Iterator[str | Difference]
"""A word for each thing that was asked or could not be, and differences that must not be."""
_STILL = frozenset({"hold", "remain-stationary", "set-up", "embark", "disembark", "emergency-disembark"})
"""Actions without an allowance."""
_NO_EDGE_MM = 1500.0
"""A margin as wide as that is to the edge of a table which has been made wide."""
Check = Callable[[GameState, Move, Verdict, random.Random], Said]
"""Is given what the referee says of the move, too, kept rules included."""


def relate(name: str) -> Callable[[Check], Check]:
    """Return a decorator that registers a relation, of a situation and a move, as a trial on random ones."""

    def add(check: Check) -> Check:
        def run(seed: int) -> Iterator[str | Contradiction]:
            document, (situation, said) = make_document(seed), _read_and_judge(seed)
            if said is None:
                yield "refused"
                return
            try:
                for each in _ask(situation, said, seed):
                    if isinstance(each, Difference):
                        look = partial(_look, seed=seed, kind=each.kind)
                        yield Contradiction(kind=each.kind, what=each.what, document=document, look=look)
                    else:
                        yield each
            except OutOfTime as error:
                kind = f"{situation.state.rulebook}: no answer"
                yield Contradiction(kind=kind, what=str(error), document=document, look=lambda _: None)

        def _ask(situation: Situation, said: Verdict, seed: int) -> Said:
            assert situation.move is not None
            book = f"{situation.state.rulebook}: "
            try:
                for each in check(situation.state, situation.move, said, random.Random(f"{name} {seed}")):
                    yield replace(each, kind=book + each.kind) if isinstance(each, Difference) else each
            except BadInput as error:
                yield Difference(kind=f"{book}taken for bad input", what=str(error))
            except Exception as error:
                yield Difference(kind=f"{book}{type(error).__name__}", what=str(error))

        def _look(document: Document, seed: int, kind: str) -> Contradiction | None:
            situation = read(document)
            assert situation.move is not None
            for each in _ask(situation, judge(situation.state, situation.move), seed):
                if isinstance(each, Difference) and each.kind == kind:
                    look = partial(_look, seed=seed, kind=kind)
                    return Contradiction(kind=kind, what=each.what, document=document, look=look)
            return None

        register(name)(run)
        return check

    return add


@lru_cache(maxsize=2 * SMALL)
def _read_and_judge(seed: int) -> tuple[Situation, Verdict | None]:
    """Return a situation by seed, and what the referee says of it; None where it takes it for bad input."""
    situation = read(make_document(seed))
    assert situation.move is not None
    try:
        return situation, judge(situation.state, situation.move)
    except BadInput:
        return situation, None


def judge(state: GameState, move: Move) -> Verdict:
    """Return all that the referee says of a move, kept rules included."""
    return Referee(state).judge(move, detail=EVERYTHING)


def judge_amid(state: GameState, move: Move) -> Verdict:
    """Return the verdict on a wide table, without how far away its edge is."""
    said = judge(state, move)
    return replace(said, findings=tuple(f for f in said.findings if (f.margin_mm or 0.0) < _NO_EDGE_MM))


# -- the same situation elsewhere, or by other names


@relate("turn")
def check_turn(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a verdict to it that it is the same when the whole table is turned.

    No rule knows a direction.  A table is a rectangle, so with its edge it is turned by right angles, exactly; by any
    other angle it is turned after it has been made so wide that nothing comes near its edge.
    """
    if rng.random() < 0.3:
        quarters = rng.randrange(1, 4)
        motion = build_quarter_turns(quarters, state.table)
        table = replace(state.table, width_mm=state.table.depth_mm, depth_mm=state.table.width_mm)
        turned = apply_motion(motion, state, table if quarters % 2 else state.table)
        after = judge(turned, apply_motion_to_move(motion, move))
        yield "quarter turns"
    else:
        state, move = widen(state, move)
        angle = rng.choice((rng.uniform(-math.pi, math.pi), math.radians(15 * rng.randrange(1, 24)), 1e-9))
        motion = build_turn(angle, state.table.width_mm / 2, state.table.depth_mm / 2)
        said = judge_amid(state, move)
        after = judge_amid(apply_motion(motion, state, state.table), apply_motion_to_move(motion, move))
        yield "turned on a wide table"
    yield said.outcome
    yield from compare_verdicts(said, after)


@relate("mirror")
def check_mirror(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a verdict to it that it is the same in a mirror: no rule tells left from right."""
    del rng
    motion = build_mirror(state.table)
    yield said.outcome
    yield from compare_verdicts(
        said, judge(apply_motion(motion, state, state.table), apply_motion_to_move(motion, move))
    )


@relate("shift")
def check_shift(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a verdict to it that it is the same elsewhere on a table so wide that nothing comes near its edge."""
    state, move = widen(state, move)
    far = rng.choice((1e-3, 1.0, 500.0))
    motion = build_shift(rng.uniform(-far, far), rng.uniform(-far, far))
    said = judge_amid(state, move)
    yield said.outcome
    yield from compare_verdicts(
        said, judge_amid(apply_motion(motion, state, state.table), apply_motion_to_move(motion, move))
    )


@relate("rename")
def check_rename(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a verdict to it that it is the same, by other names, when everybody has another name.

    Units, models, terrain and players are named by ids, and no rule reads one.
    """
    renamed, moved, names = rename(state, move, rng)
    yield said.outcome
    yield from compare_verdicts(said, judge(renamed, moved), names)


@relate("reorder")
def check_reorder(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a verdict to it that it is the same in whatever order a file lists units, models and terrain.

    The order of paths is that in which models move, and stays.  Of parties at the same distance another may be named,
    and what names several models may name them in another order.
    """
    yield said.outcome
    yield from compare_verdicts(said, judge(reorder(state, rng), move))


@relate("far")
def check_far_model(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a verdict to it that a model far from everything changes nothing.

    It is a unit of its own, more than two metres away: out of any range, reach and sight that a rule asks about.  An
    enemy it is only where there is one on the table already, for of a closest enemy there is one then anyway.
    """
    state, move = widen(state, move)
    own = state.find_unit(move.unit)
    foes = [u for u in state.units if u.player != own.player and any(model.pose is not None for model in u.models)]
    example = rng.choice([own, *foes])
    x_mm, y_mm = rng.choice(((60.0, 60.0), (state.table.width_mm - 60.0, 60.0), (60.0, state.table.depth_mm - 60.0)))
    stranger = Model(id="stranger", base=Round(radius_mm=16), pose=Pose(x_mm=x_mm, y_mm=y_mm))
    unit = Unit(id="far", player=example.player, profile=example.profile, models=(stranger,))
    said = judge_amid(state, move)
    yield said.outcome
    where = rng.randrange(len(state.units) + 1)
    after = judge_amid(replace(state, units=(*state.units[:where], unit, *state.units[where:])), move)
    yield from compare_verdicts(said, after)


# -- more allowed, less seen


@relate("longer")
def check_longer_allowance(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a verdict to it that it gets no worse when the unit may go further.

    An allowance is a maximum.  Left out are moves of which a rule asks that they go as far as they may
    (5e, ``toward_closest``), that they do what could be done (5e, a unit that began broken), or that something could
    not be reached (Warmaster, ``ignores``).
    """
    unit = state.find_unit(move.unit)
    if not may_lengthen(state, move):
        yield "not asked"
        return
    longer = replace(unit, profile=lengthen(state, unit, 1.0 + rng.choice((0.001, 0.05, 0.5))))
    after = judge(replace_unit(state, longer), move)
    yield said.outcome
    if rank(after.outcome) < rank(said.outcome):
        kind = f"{said.outcome} to {after.outcome} when it may go further"
        yield Difference(kind=kind, what=f"before: {describe_verdict(said)}; after: {describe_verdict(after)}")


def may_lengthen(state: GameState, move: Move) -> bool:
    """Return whether nothing but an allowance says how far a unit goes."""
    bound = move.intent.get("toward_closest") or "ignores" in move.intent
    return not bound and "broken" not in state.find_unit(move.unit).status and move.action not in _STILL


def lengthen(state: GameState, unit: Unit, factor: float) -> dict[str, Setting]:
    """Return a unit's profile with all that it may go times a factor."""
    if state.rulebook == "warmaster-revolution":
        pace = compute_paces(unit)
        paces = {"move_cm": pace.full_mm * factor / CM_MM, "half_move_cm": pace.half_mm * factor / CM_MM}
        return {**unit.profile, **paces}
    lengths = {
        key: value * factor
        for key, value in unit.profile.items()
        if key in {"move_in", "initiative_in"} and isinstance(value, int | float)
    }
    return {**unit.profile, **lengths}


def replace_unit(state: GameState, unit: Unit) -> GameState:
    """Return a state with another unit in the place of the one with its id."""
    return replace(state, units=tuple(unit if each.id == unit.id else each for each in state.units))


@relate("unseen")
def check_unseen(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold an unseen move to it that it is not illegal if there is a seen way to the same ends that is legal.

    Of an unseen move the shortest legal way is what counts, and the seen one is a legal way.  It may be unobserved,
    and too close where positions are unsure.
    """
    del rng
    seen = said if move.observed else judge(state, replace(move, observed=True))
    yield f"seen {seen.outcome}"
    if seen.outcome is Outcome.LEGAL and move.paths:
        yield from _compare_with_unseen(judge(state, _hide(move)))


@relate("seen")
def check_seen_ways(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold every seen way to it that it is not legal if the unseen move to the same ends is illegal.

    Else there is a legal way, and the shortest of those would have counted.  Some ways are tried: straight, and by
    places at random.
    """
    unseen = judge(state, _hide(move)) if move.observed else said
    yield f"unseen {unseen.outcome}"
    if unseen.outcome is not Outcome.ILLEGAL or not move.paths:
        return
    for _ in range(3):
        paths = {model: _wander(path, rng) for model, path in move.paths.items()}
        seen = judge(state, replace(move, paths=paths, observed=True))
        yield f"way {seen.outcome}"
        if seen.outcome is Outcome.LEGAL:
            yield from _compare_with_unseen(unseen)


def _hide(move: Move) -> Move:
    paths = {model: (path[0], path[-1]) if len(path) > 1 else path for model, path in move.paths.items()}
    return replace(move, paths=paths, observed=False)


def _compare_with_unseen(unseen: Verdict) -> Iterator[Difference]:
    """Yield that a move of which a seen way is legal is illegal unseen."""
    if unseen.outcome is Outcome.ILLEGAL:
        rules = sorted({f.rule for f in unseen.findings if f.outcome is Outcome.ILLEGAL})
        what = f"a seen way is legal, of the same move unseen: {describe_verdict(unseen)}"
        yield Difference(kind=f"seen legal, unseen {', '.join(rules)}", what=what)


def _wander(path: tuple[Pose, ...], rng: random.Random) -> tuple[Pose, ...]:
    """Return another way to the same end: straight, or by a place beside it."""
    start, end = path[0], path[-1]
    if rng.random() < 0.4 or len(path) == 1:
        return (start, end)
    share, far = rng.random(), rng.choice((5.0, 20.0, 60.0))
    turn = math.remainder(end.facing_rad - start.facing_rad, 2 * math.pi)
    by = replace(
        start,
        x_mm=start.x_mm + share * (end.x_mm - start.x_mm) + rng.uniform(-far, far),
        y_mm=start.y_mm + share * (end.y_mm - start.y_mm) + rng.uniform(-far, far),
        facing_rad=start.facing_rad + turn * rng.choice((0.0, share, 1.0)),
        z_mm=max(start.z_mm, end.z_mm),
    )
    return (start, by, end)


# -- the same asked in another way


@relate("resample")
def check_resampling(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold a seen move to it that it is judged the same when its ways have more poses.

    A judged way depends on the way, not on how many poses it was sampled at; between two poses everything changes
    evenly.  Positions are taken as exact: errors of different poses are independent, so more of them say something
    else.  The poses that are put in are rounded: what touches on the way may overlap by that.
    """
    if not move.observed or all(len(path) < 2 for path in move.paths.values()):
        yield "not asked"
        return
    exact = {model: tuple(replace(pose, sigma_mm=0.0) for pose in path) for model, path in move.paths.items()}
    poses = [model.pose for _, model in state.iterate_models()]
    if exact != move.paths or any(pose is not None and pose.sigma_mm > 0 for pose in poses):
        state, move = _be_exact(state), replace(move, paths=exact)
        said = judge(state, move)
    yield said.outcome
    paths = {model: sample_anew(path, rng) for model, path in move.paths.items()}
    yield from compare_verdicts(said, judge(state, replace(move, paths=paths)))


def sample_anew(path: tuple[Pose, ...], rng: random.Random) -> tuple[Pose, ...]:
    """Return the same way with more poses."""
    found = [path[0]]
    for one, two in pairwise(path):
        turn = math.remainder(two.facing_rad - one.facing_rad, 2 * math.pi)
        shares = sorted(rng.choice((0.5, 0.25, rng.random())) for _ in range(rng.randrange(1, 4)))
        found += [
            replace(
                one,
                x_mm=one.x_mm + share * (two.x_mm - one.x_mm),
                y_mm=one.y_mm + share * (two.y_mm - one.y_mm),
                z_mm=one.z_mm + share * (two.z_mm - one.z_mm),
                facing_rad=one.facing_rad + share * turn,
            )
            for share in dict.fromkeys(shares)
        ]
        found.append(two)
    return tuple(found)


def _be_exact(state: GameState) -> GameState:
    poses = {model.id: model.pose and replace(model.pose, sigma_mm=0.0) for _, model in state.iterate_models()}
    return state.place_models(poses)


@relate("again")
def check_again(state: GameState, move: Move, said: Verdict, rng: random.Random) -> Said:
    """Hold the referee to giving the very same answer again, to the last digit.

    Asked twice; after other questions; as what another situation has become; and read again from the file that it
    writes.
    """
    referee = Referee(state)
    yield said.outcome
    referee.judge(None)
    referee.list_options(move.unit)
    elsewhere = {
        m.id: m.pose and replace(m.pose, x_mm=m.pose.x_mm + rng.uniform(-3, 3)) for _, m in state.iterate_models()
    }
    document = read(write(state, move))
    assert document.move is not None
    others = {
        "asked again": referee.judge(move, detail=EVERYTHING),
        "followed": Referee(state.place_models(elsewhere)).follow(state).judge(move, detail=EVERYTHING),
        "read from a file": Referee(document.state).judge(document.move, detail=EVERYTHING),
    }
    for how, after in others.items():
        if after != said:
            what = f"before: {describe_verdict(said)}; {how}: {describe_verdict(after)}"
            yield Difference(kind=f"another answer when {how}", what=what)
