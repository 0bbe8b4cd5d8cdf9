"""Decisions: what people decide, as the events that it comes to; what cannot be decided is refused in a sentence."""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

from assistant.errors import BadInput, MissingField
from assistant.game.events import (
    Accepted,
    ParametersSet,
    Restored,
    RestoringBegan,
    Ruled,
    ScoreSet,
    StatusSet,
    StepBegan,
    Swapped,
    TerrainTaken,
    TurnBegan,
    Undone,
)
from assistant.game.state import (
    NO_RULEBOOK,
    Declaration,
    GameState,
    Restoring,
    Ruling,
    Score,
    Setting,
    Terrain,
    TerrainPlace,
)
from assistant.game.terrain_places import find_place, group_pieces
from assistant.recording.poses import PoseEntry
from assistant.rules.referee import Referee
from assistant.rules.sequence import build_acceptance, build_parameters_set, build_status_set, find_next_step
from assistant.rules.validation import check_intent
from assistant.rules.verdict import Verdict, apply_rulings, find_deciding_finding
from assistant.table.declared_move import build_move, describe_missing_dice, list_choices
from assistant.table.device_picks import has_begun
from assistant.table.referee_report import RefereeReport
from assistant.table.restore import PlacementDifference


def list_members(state: GameState, unit: str, required: Collection[str]) -> list[str]:
    """Return a unit's models; BadInput if there is no such unit, it has none left, or one that is named is not its."""
    try:
        members = [m.id for m in state.find_unit(unit).models]
    except KeyError:
        raise BadInput(f"there is no unit {unit!r} in this game") from None
    if not members:
        raise BadInput(f"{unit} has no model left")
    for model in required:
        if model not in members:
            raise BadInput(f"unit {unit} has no model {model!r}")
    return members


def check_declaration(state: GameState, declaration: Declaration) -> None:
    """Raise BadInput where there is no such action, or it does not take what is said of it."""
    referee = None if state.rulebook == NO_RULEBOOK else Referee(state)
    if referee is None or declaration.action not in {
        option.action for option in list_choices(referee, declaration.unit)
    }:
        raise BadInput(f"{state.rulebook} has no action {declaration.action!r}")
    context = referee.build_context(declaration.unit, intent=declaration.intent)
    check_intent(referee.book, referee.book.find_action(declaration.action), context, "move")


def decide_acceptance(state: GameState, report: RefereeReport) -> Accepted:
    """Return that what stands is accepted; BadInput if the announced move lacks something that its action needs.

    Args:
        state: the game; with nothing announced, every model that has moved is accepted where it stands, unjudged.
        report: what the referee says of it.

    """
    move, declared = build_move(state), state.declared
    if move is None or declared is None:
        return Accepted(models=tuple(state.tracks), outcome="unjudged")
    if missing := describe_missing_dice(state):
        raise BadInput(missing)
    if len(declared.lost) != report.costs:
        raise BadInput(report.note)
    verdict = report.verdict
    outcome = apply_rulings(verdict, state.rulings).value if verdict else "unjudged"
    try:
        referee = Referee(state)
        context = referee.build_context(move.unit, rolls=move.rolls, intent=move.intent)
        accepted = build_acceptance(referee.book, context, move, outcome, verdict.effects if verdict else ())
    except MissingField as lacking:
        raise BadInput(lacking.request) from lacking
    return replace(accepted, lost=(*accepted.lost, *declared.lost))


def decide_ruling(ruling: Ruling, state: GameState, verdict: Verdict | None, now_ns: int) -> Ruled:
    """Return that people decided what a call comes to; BadInput if there is no such call, or a judge does not say why.

    Args:
        ruling: of the present move, what the referee says and whose move it is are filled in here; of a moment that is
            past, whoever looks at it knows both.
        state: the game.
        verdict: on the present move; None while nothing can be judged.
        now_ns: the present moment.

    """
    if ruling.by == "judge" and not ruling.note.strip():
        raise BadInput("a judge's ruling is recorded with a sentence that says why: write one")
    if ruling.at_ns is not None:
        if ruling.at_ns > now_ns:
            raise BadInput("this moment has not come yet: choose one that is past, or rule on the move of now")
        return Ruled(ruling=ruling)
    declared = state.declared
    if declared is None or verdict is None:
        raise BadInput("no move is being judged that could be ruled on: announce an action and move first")
    finding = find_deciding_finding(verdict, ruling.rule, ruling.subjects)
    if ruling.rule is not None and finding is None:
        raise BadInput(f"the referee no longer says anything of {ruling.rule} and {', '.join(ruling.subjects)}")
    outcome = finding.outcome if finding is not None and ruling.rule is not None else verdict.outcome
    text = finding.text if finding is not None else ""
    return Ruled(ruling=replace(ruling, unit=declared.unit, action=declared.action, referee=outcome.value, text=text))


def decide_ruling_withdrawal(ruling: Ruling, rulings: Collection[Ruling]) -> Undone:
    """Return that a ruling on what is past is taken back; BadInput if it does not hold any more."""
    if ruling.at_ns is None or ruling not in rulings:
        raise BadInput("this ruling was taken back already, or is one that Undo takes back")
    return Undone(ruling=ruling)


def decide_advance(state: GameState, player: str | None) -> TurnBegan | StepBegan:
    """Return what begins next: a step of the turn, the next player's part of it, or a turn.

    Args:
        state: the game.
        player: who goes first in the turn that begins, where the rulebook leaves that to a roll.

    Raises:
        BadInput: the table is only watched, a unit has begun to move and is not finished, or the player is missing or
            not to be named.

    """
    if state.rulebook == NO_RULEBOOK or not state.units:
        raise BadInput("nothing is played on this table, so it has no turns")
    if state.declared and has_begun(state):
        raise BadInput(f"The move of {state.declared.unit} has begun: accept or cancel it first")
    return find_next_step(state, player)


def decide_status(state: GameState, unit: str, status: tuple[str, ...]) -> StatusSet:
    """Return that a unit's status is told; BadInput if there is no such unit or status."""
    if state.rulebook == NO_RULEBOOK:
        raise BadInput("nothing is played on this table, so its units have no status")
    return build_status_set(state, unit, status)


def decide_parameters(state: GameState, parameters: Mapping[str, Setting]) -> ParametersSet:
    """Return that players agreed on parameters; BadInput where their rulebook has no such parameter or value."""
    if state.rulebook == NO_RULEBOOK:
        raise BadInput("nothing is played on this table, so there are no rules to agree on")
    return build_parameters_set(state, parameters)


def decide_score(state: GameState, player: str, score: Score) -> ScoreSet:
    """Return that somebody said what a player's score is; BadInput where there is no such player, or nothing new."""
    players = list(dict.fromkeys(unit.player for unit in state.units))
    if player not in players:
        raise BadInput(f"{player} does not play here; the players are {', '.join(players) or 'nobody'}")
    if score == state.scores.get(player, Score()):
        raise BadInput(f"the score of {player} is {score.points} already")
    return ScoreSet(player=player, score=score)


def decide_terrain(state: GameState, piece: str) -> TerrainTaken:
    """Return that a piece of terrain, with its parts, is taken as it lies.

    Raises:
        BadInput: there is no such piece, it lies where the game has it, or it lies beside the table.

    """
    _find_terrain(state, piece)
    place = state.shifted.get(piece)
    if place is None:
        raise BadInput(f"{piece} lies where it belongs: there is nothing to take as it lies")
    return _take_terrain(state, piece, place)


def decide_terrain_move(state: GameState, piece: str, dx_mm: float, dy_mm: float, turn_rad: float) -> TerrainTaken:
    """Return that a piece of terrain, with its parts, lies elsewhere; errors as in `decide_terrain`."""
    at = find_place(_find_terrain(state, piece))
    facing_rad = math.remainder(at.facing_rad + turn_rad, math.tau)
    place = TerrainPlace(x_mm=at.x_mm + dx_mm, y_mm=at.y_mm + dy_mm, facing_rad=facing_rad)
    return _take_terrain(state, piece, place)


def _find_terrain(state: GameState, piece: str) -> Terrain:
    found = next((each for each in state.terrain if each.id == piece), None)
    if found is None:
        raise BadInput(f"there is no terrain {piece!r} in this game")
    return found


def _take_terrain(state: GameState, piece: str, place: TerrainPlace) -> TerrainTaken:
    if not (0 <= place.x_mm <= state.table.width_mm and 0 <= place.y_mm <= state.table.depth_mm):
        raise BadInput(f"{piece} lies beside the table: put it where it is to lie first")
    parts = (each.id for each in group_pieces(state.terrain).get(piece, ()) if each.id != piece)
    return TerrainTaken(pieces=(piece, *parts), place=place)


def check_moved(state: GameState, models: Collection[str]) -> None:
    """Raise BadInput unless these models stand elsewhere than where they were accepted."""
    known = {model.id for _, model in state.iterate_models()}
    for model in models:
        if model not in known:
            raise BadInput(f"there is no model {model!r} in this game")
        if model not in state.tracks:
            raise BadInput(f"{model} stands where it was last accepted: there is nothing to correct")
        if state.find_model(model).pose is None:
            raise BadInput(f"{model} was not on the table before: cancel the move, or accept it")


def decide_swap(
    state: GameState,
    seen: Mapping[str, PoseEntry],
    models: tuple[str, str],
    *,
    since_ns: int | None,
    now_ns: int,
) -> Swapped:
    """Return that two models carry each other's markers.

    Args:
        state: the game.
        seen: how every model that has been seen was last shown, by model id; one of them may be no model of the game,
            whose marker was taken for one of its models.
        models: the two.
        since_ns: captured time from which it was so; None for from now on.
        now_ns: the present moment.

    Raises:
        BadInput: there are no such two models, the camera has seen neither, or the moment has not come yet.

    """
    known = {model.id for _, model in state.iterate_models()}
    for model in models:
        if model not in known and model not in seen:
            raise BadInput(f"there is no model {model!r} in this game")
    if models[0] == models[1] or not known & {*models}:
        raise BadInput("name two models, of which one at least is in this game: they carry each other's markers")
    if not seen.keys() & {*models}:
        raise BadInput(f"the camera has seen neither {models[0]} nor {models[1]}, so their markers are not known yet")
    if since_ns is not None and since_ns > now_ns:
        raise BadInput("this moment has not come yet: choose one that is past, or say it from now on")
    one, two = models
    now_on = [(seen[model], other) for model, other in ((one, two), (two, one)) if model in seen]
    return Swapped(
        models=models,
        tags={entry.tag: other for entry, other in now_on if entry.tag is not None},
        since_ns=since_ns,
        rings={entry.ring: other for entry, other in now_on if entry.ring is not None},
    )


def decide_restoring_start(state: GameState, restoring: Restoring) -> RestoringBegan:
    """Return that the table is being put back; BadInput if no model of this game stood anywhere then."""
    here = {model.id for _, model in state.iterate_models()}
    places = {model: stood for model, stood in restoring.places.items() if model in here}
    if not places:
        raise BadInput("no model of this game stood on the table then: choose another moment")
    return RestoringBegan(restoring=replace(restoring, places=places))


def decide_restoring_end(state: GameState, differences: Collection[PlacementDifference]) -> Restored:
    """Return that putting back is over: who is back stands as then; BadInput if nothing is being put back."""
    if state.restoring is None:
        raise BadInput("nothing is being put back: choose a moment to put the table back to first")
    back = tuple(each.model for each in differences if each.state == "back")
    return Restored(back=back, stay=tuple(each.model for each in differences if each.state != "back"))
