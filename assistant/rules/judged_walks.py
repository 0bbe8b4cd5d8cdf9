"""Judged walks: what is found of a move, model by model, and what of it still holds once the move has grown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.game.state import Move, Pose
from assistant.rules.constraints.base import ConstraintSet, Crossing, UnitMove
from assistant.rules.context import RuleContext
from assistant.rules.engine.observed_path import note_stop, straighten_walk
from assistant.rules.engine.situation_index import SituationIndex, is_same_ground
from assistant.rules.engine.walk import Walk
from assistant.rules.rulebook import Action, CompletedMove, Rulebook
from assistant.rules.sequence import check_announcement, check_turn_order
from assistant.rules.verdict import Finding, Outcome


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _JudgedWalk:
    """One model's way, and what was found of it."""

    path: tuple[Pose, ...]
    """As it was given."""
    walk: Walk
    refused: bool
    """The unit or the model may not act so at all."""
    crossings: tuple[Crossing, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedWalks:
    """The walks of a move, in order."""

    action: Action
    asked: RuleContext
    constraints: ConstraintSet
    start: SituationIndex
    """How everybody stood before the first."""
    walks: tuple[_JudgedWalk, ...] = ()

    def follow(self, before: "JudgedWalks | None") -> Sequence[_JudgedWalk]:
        """Return the walks of a move judged before on which the same would be found if they were these.

        A walk is made on the table as the walks before it left it, so that only the first ones can be meant.
        """
        if (
            before is None
            or before.action is not self.action
            or before.constraints != self.constraints
            or before.asked.parameters != self.asked.parameters
            or (before.asked.unit.id, before.asked.observed, before.asked.detail)
            != (self.asked.unit.id, self.asked.observed, self.asked.detail)
            or not is_same_ground(before.start.state, self.start.state)
            or before.start.state.units != self.start.state.units
        ):
            return ()
        return before.walks


def judge_move(
    book: Rulebook, action: Action, asked: RuleContext, move: Move, *, before: JudgedWalks | None = None
) -> tuple[list[Finding], CompletedMove, JudgedWalks]:
    """Return what is found of a move, what its effects depend on, and its walks.

    Args:
        book: the rulebook.
        action: its action.
        asked: what is asked about the move.
        move: the move.
        before: the walks of a move that was judged before: those that it has in common are not judged again.

    """
    refusals = [*check_turn_order(book, action, asked), *action.may(asked)]
    found = [*refusals, *check_announcement(book, action, asked)]
    constraints = ConstraintSet(action.constraints(asked))
    judged = JudgedWalks(action=action, asked=asked, constraints=constraints, start=asked.scene.drop_tracks())
    judged = replace(judged, walks=tuple(_judge_walks(judged, move, refusals, judged.follow(before))))
    crossed, doubtful = list[str](), list[str]()
    for each in judged.walks:
        found += each.findings
        crossed += [each.walk.model.id for crossing in each.crossings if crossing.surely]
        doubtful += [each.walk.model.id for crossing in each.crossings if crossing.surely is None]
    last = judged.walks[-1].walk if judged.walks else None
    scene = last.scene.move_model(last.model.id, last.end) if last else asked.scene
    found += _check_whole_unit(replace(asked, scene=scene), constraints, move)
    moved = CompletedMove(
        asked=asked,
        after=scene,
        walks=tuple(each.walk for each in judged.walks),
        models=tuple(move.paths),
        crossed=tuple(crossed),
        doubtful=tuple(doubtful),
    )
    return found, moved, judged


def _judge_walks(
    judged: JudgedWalks, move: Move, refusals: Sequence[Finding], known: Sequence[_JudgedWalk]
) -> Iterator[_JudgedWalk]:
    """Yield what is found of each walk of a move, taking over the first ones as far as they are known."""
    illegal = {finding.subjects[0] for finding in refusals if finding.outcome is Outcome.ILLEGAL}
    paths = [(model, path, not illegal.isdisjoint({model, move.unit})) for model, path in move.paths.items()]
    same = 0
    for each, (model, path, refused) in zip(known, paths, strict=False):
        if (each.walk.model.id, each.path, each.refused) != (model, path, refused):
            break
        same += 1
        yield each
    walks = list_walks(
        judged.action, judged.asked, judged.constraints, move, after=[each.walk for each in known[:same]]
    )
    for walk, (_, path, refused) in zip(walks, paths[same:], strict=True):
        crossings, found = list[Crossing](), list[Finding]()
        for constraint in judged.constraints:
            crossing = constraint.find_crossing(walk, judged.constraints)
            if crossing is not None:
                found.append(crossing.finding)
                crossings.append(crossing)
            found += constraint.check(walk, judged.constraints)
        if judged.action.stops and move.observed and not refused:
            found += note_stop(judged.action.stops, judged.constraints, walk, tuple(found))
        yield _JudgedWalk(path=path, walk=walk, refused=refused, crossings=tuple(crossings), findings=tuple(found))


def list_walks(
    action: Action, asked: RuleContext, constraints: ConstraintSet, move: Move, *, after: Sequence[Walk] = ()
) -> Iterator[Walk]:
    """Yield each model's way in turn, those before it standing where theirs ended.

    Args:
        action: what the unit does.
        asked: what is asked about it.
        constraints: what the action asks for.
        move: the move.
        after: its first walks, which are known.

    """
    moved = [walk.model.id for walk in after]
    scene = after[-1].scene.move_model(moved[-1], after[-1].end) if after else asked.scene.drop_tracks()
    for model_id, path in list(move.paths.items())[len(after) :]:
        poses = path[-1:] if action.sets_up else path
        observed = move.observed or action.sets_up
        walk = replace(asked, scene=scene).build_walk(asked.state.find_model(model_id), *poses, observed=observed)
        walk = replace(walk, moved=frozenset(moved))
        yield straighten_walk(constraints, walk) if action.straightened else walk
        scene = scene.move_model(model_id, path[-1])
        moved.append(model_id)


def _check_whole_unit(asked: RuleContext, constraints: ConstraintSet, move: Move) -> Iterator[Finding]:
    """Yield what binds the unit as a whole, and the models of it that do not move."""
    unit = asked.state.find_unit(move.unit)
    left = [model for model in unit.models if model.id not in move.paths]
    standing = [asked.build_walk(model, model.pose, observed=True) for model in left if model.pose is not None]
    moved = UnitMove(asked=asked, paths=move.paths, unit=unit, left=left, rules=constraints)
    for constraint in constraints:
        yield from constraint.check_unit(moved)
        for walk in standing:
            yield from constraint.check_unmoved(walk)
