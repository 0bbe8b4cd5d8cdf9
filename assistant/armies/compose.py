"""From armies to a game: an `overtable.situation/1` whose models wait to be set on the table, or stand in rows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistant.armies.army import Army
from assistant.armies.naming import Ids
from assistant.armies.rows import in_rows
from assistant.errors import BadInput
from assistant.game.situation import from_json, to_json
from assistant.game.state import GameState, Model, Pose, Setting, Table, Terrain, Unit
from assistant.rules.judge import judge

GAME = "the game"
"""What errors call the situation that armies come to."""


def compose(
    table: Table,
    rulebook: str,
    armies: Sequence[Army],
    terrain: Sequence[Terrain] = (),
    *,
    parameters: Mapping[str, Setting] | None = None,
    placed: bool = False,
    avoid_mm: Iterable[Sequence[tuple[float, float]]] = (),
) -> dict[str, Any]:
    """Return the situation that armies come to.

    Models have ids such as ``scouts-1``.  They have no place until the camera sees them, or stand in rows along their
    player's edge, so that they can be set up as they are shown.

    Args:
        table: the table.
        rulebook: its id.
        armies: at least one, each of a player of its own.
        terrain: what stands on the table.
        parameters: the rulebook's, where they are not the usual ones.
        placed: give the models places in rows.
        avoid_mm: outlines that models in rows keep clear of, beside the terrain, such as those of anchors.

    Raises:
        BadInput: a player has two armies, an army is of another rulebook, the rulebook does not take what is entered
            of a unit, or there is no room; the sentence names the player and the unit.

    """
    _check(rulebook, armies)
    ids = Ids()
    units, names = [], []
    for army in armies:
        for unit in army.units:
            unit_id, model_ids = ids.of(unit, army.player)
            names.append((army.player, unit.name, unit_id))
            units.append(
                Unit(
                    id=unit_id,
                    player=army.player,
                    keywords=frozenset(word.lower() for word in unit.keywords),
                    profile=dict(unit.profile),
                    status=unit.status,
                    models=tuple(Model(id=model, base=unit.base.shape, pose=None) for model in model_ids),
                )
            )
    state = GameState(
        rulebook=rulebook,
        table=table,
        units=tuple(units),
        terrain=tuple(terrain),
        parameters=dict(parameters or {}),
    )
    if placed:
        state = state.standing(places(state, avoid_mm))
    document = to_json(state)
    try:
        judge(from_json(document, GAME).state, None)
    except BadInput as error:
        raise BadInput(_in_its_words(str(error), names)) from None
    return document


def places(state: GameState, avoid_mm: Iterable[Sequence[tuple[float, float]]] = ()) -> dict[str, Pose | None]:
    """Return a place for every model, in rows along its player's edge; errors as in `compose`."""
    found = in_rows(state, tuple(avoid_mm))
    lacking = next((model.id for _, model in state.models() if model.id not in found), None)
    if lacking is not None:
        raise BadInput(f"there is no room on the table for {lacking}; take a larger table, or fewer models")
    return dict(found)


def _check(rulebook: str, armies: Sequence[Army]) -> None:
    if not armies:
        raise BadInput("there is no army yet; enter one unit at least")
    players = [army.player for army in armies]
    if twice := next((player for player in players if players.count(player) > 1), None):
        raise BadInput(f"player {twice!r} has two armies; put them in one, or give one of them another player")
    for army in armies:
        if army.rulebook not in (None, rulebook):
            raise BadInput(f"the army of {army.player!r} is for {army.rulebook}, but the game is {rulebook}")


def _in_its_words(text: str, names: Sequence[tuple[str, str, str]]) -> str:
    """Return an error of the referee with units called as they were entered."""
    text = text.removeprefix(f"{GAME}: ")

    def entered(place: re.Match[str]) -> str:
        player, name, _ = names[int(place[1])]
        return f"{player}, {name}: "

    text = re.sub(r"units\[(\d+)\]\.", entered, text)
    for player, name, unit_id in names:
        text = text.replace(f'unit "{unit_id}": ', f"{player}, {name}: ")
    return text
