"""Judged moves of Warmaster units, and what the verdict says of them."""

from collections.abc import Iterable, Mapping, Sequence

from assistant.game.state import GameState, Move, Pose, Setting
from assistant.rules.referee import judge
from assistant.rules.verdict import EVERYTHING, Finding, Outcome, Verdict
from tests.assistant.rules.books.warmaster_revolution.stand_builders import Place, build_pose


def judge_move(
    state: GameState,
    action: str,
    ways: Mapping[str, Sequence[Place]],
    *,
    observed: bool = True,
    intent: Mapping[str, Setting] | None = None,
) -> Verdict:
    """Return the verdict on the unit `a` whose stands go from where they are by some places."""
    paths = dict[str, tuple[Pose, ...]]()
    for stand, way in ways.items():
        start = state.find_model(stand).pose
        assert start is not None
        paths[stand] = (start, *(build_pose(place, start.sigma_mm) for place in way))
    move = Move(unit="a", action=action, paths=paths, observed=observed, intent=intent or {})
    return judge(state, move, detail=EVERYTHING)


def select_findings(verdict: Verdict, rule: str) -> list[Finding]:
    """Return what a row says, where it says more than that it is kept."""
    return [each for each in verdict.findings if each.rule == rule and each.outcome is not Outcome.LEGAL]


def list_broken_rules(verdict: Verdict) -> set[str]:
    """Return the rows that are broken."""
    return {each.rule for each in verdict.findings if each.outcome is Outcome.ILLEGAL}


def list_margins(found: Iterable[Finding]) -> list[tuple[tuple[str, ...], float | None]]:
    """Return whom findings are about, and their margins to the nanometre."""
    return [(each.subjects, None if each.margin_mm is None else round(each.margin_mm, 6)) for each in found]
