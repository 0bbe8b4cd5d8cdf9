"""Validation: whether a situation and a move are written in a rulebook's words; every error names the place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.errors import BadInput
from assistant.files.documents import shorten
from assistant.game.state import GameState, Move, Pose, Setting, Unit
from assistant.rules.context import RuleContext
from assistant.rules.rulebook import Action, Choice, Key, Lists, NameChoices, Number, Rulebook

_SAME_MM, _SAME_RAD = 1e-6, 1e-9


def check_state(book: Rulebook, state: GameState) -> dict[str, Setting]:
    """Return the rulebook's parameters with the defaults filled in.

    Raises:
        BadInput: a parameter, status or profile key that the rulebook does not have, or a value out of range.

    """
    _check_settings("parameters", "parameter", state.parameters, book.parameters)
    for key in book.parameters:
        if isinstance(key.values, Lists):
            _check_owners(f"parameters.{key.name}", state.parameters.get(key.name, {}), key.values, state)
    for index, unit in enumerate(state.units):
        _check_settings(f"units[{index}].profile", "profile key", unit.profile, book.profile)
        for place, status in enumerate(unit.status):
            _check_status(f"units[{index}].status[{place}]", status, book)
    if state.turn is not None and state.turn.step not in {step.id for step in book.steps}:
        known = ", ".join(step.id for step in book.steps)
        raise BadInput(f"turn.counted.step: there is no step {state.turn.step!r} in {book.id}; expected one of {known}")
    book.check(state)
    defaults = {key.name: key.default for key in book.parameters if key.default is not None}
    return {**defaults, **state.parameters}


def has_same_settings(state: GameState, before: GameState) -> bool:
    """Whether all that `check_state` may look at is as it was: everything but poses, and no turn breaks nothing."""
    step, known = ((each.turn.step if each.turn else None) for each in (state, before))
    return (
        step in {None, known}
        and (state.rulebook, state.table, state.parameters, state.terrain, len(state.units))
        == (before.rulebook, before.table, before.parameters, before.terrain, len(before.units))
        and all(
            now is then or _list_settings(now) == _list_settings(then)  # most stand where they stood
            for now, then in zip(state.units, before.units, strict=True)
        )
    )


def _list_settings(unit: Unit) -> tuple[object, ...]:
    bases = [(model.id, model.base) for model in unit.models]
    return unit.id, unit.player, unit.keywords, unit.profile, unit.status, bases


def find_action(book: Rulebook, action_id: str, place: str) -> Action:
    """Return an action; BadInput if the rulebook has none of this name."""
    try:
        return book.find_action(action_id)
    except KeyError:
        known = ", ".join(action.id for action in book.actions)
        raise BadInput(f"{place}: there is no action {action_id!r} in {book.id}; expected one of {known}") from None


def check_unit(state: GameState, unit_id: str, place: str) -> Unit:
    """Return a unit; BadInput if there is none."""
    try:
        return state.find_unit(unit_id)
    except KeyError:
        raise BadInput(f"{place}: there is no unit {unit_id!r} in this situation") from None


def check_rolls(action: Action, unit: Unit, rolls: Sequence[int], place: str) -> None:
    """Raise BadInput unless the dice are those that an action needs."""
    dice = action.dice.resolve(unit)
    if not dice.least <= len(rolls) <= dice.most:
        takes = {0: "no dice", 1: "1 die"}.get(dice.least, f"{dice.least} dice")
        raise BadInput(f"{place}: {action.id} takes {takes}, not {len(rolls)}")
    for index, roll in enumerate(rolls):
        if not 1 <= roll <= dice.sides:
            raise BadInput(f"{place}[{index}]: expected a whole number from 1 to {dice.sides}, not {roll}")


def check_intent(book: Rulebook, action: Action, asked: RuleContext, place: str) -> None:
    """Raise BadInput unless a move's fields are those that the action takes, and name only whom they may."""
    _check_settings(place, "field of a move", asked.intent, book.intent)
    for name in asked.intent:
        if name not in action.intent:
            takers = ", ".join(other.id for other in book.actions if name in other.intent)
            raise BadInput(f"{place}.{name}: {action.id} takes no {name}; expected it only with {takers}")
    for key in book.intent:
        if key.names is not None and key.name in asked.intent:
            _check_names(f"{place}.{key.name}", asked.intent[key.name], key.names, asked)


def apply_rulebook(book: Rulebook, state: GameState) -> GameState:
    """Return a situation as its rulebook sees it: without the models that are off the table, and its own ground."""
    now = remove_absent_units(book, state)
    terrain = book.ground(now.terrain)
    return now if terrain is now.terrain else replace(now, terrain=terrain)


def remove_absent_units(book: Rulebook, state: GameState) -> GameState:
    """Return a situation in which the models of units that are off the table have no place."""
    away = {model.id: None for unit in state.units if book.absent(unit) for model in unit.models}
    return state.place_models(away) if away else state


def check_move(book: Rulebook, asked: RuleContext, move: Move) -> Action:
    """Return a move's action; ``asked`` is what is asked about the unit that moves.

    Raises:
        BadInput: the move does not fit the situation or the rulebook.

    """
    action = find_action(book, move.action, "move.action")
    check_rolls(action, asked.unit, move.rolls, "move.rolls")
    check_intent(book, action, asked, "move")
    if move.paths and not action.moves:
        raise BadInput(f"move.paths: {action.id} moves nobody; expected no paths")
    for model_id, path in move.paths.items():
        _check_path(asked.unit, model_id, path, f"move.paths.{model_id}", moves=not action.sets_up)
    return action


def _check_path(unit: Unit, model_id: str, path: Sequence[Pose], place: str, *, moves: bool) -> None:
    model = next((model for model in unit.models if model.id == model_id), None)
    if model is None:
        raise BadInput(f"{place}: there is no model {model_id!r} in unit {unit.id!r}")
    if not path:
        raise BadInput(f"{place}: expected at least one pose")
    if not moves:
        return
    if model.pose is None:
        raise BadInput(f"{place}: model {model_id!r} is not on the table")
    first, pose = path[0], model.pose
    gap = max(abs(first.x_mm - pose.x_mm), abs(first.y_mm - pose.y_mm), abs(first.z_mm - pose.z_mm))
    if gap > _SAME_MM or abs(first.facing_rad - pose.facing_rad) > _SAME_RAD:
        raise BadInput(f"{place}[0]: a path begins where its model stands; expected the pose of {model_id!r}")


def _check_settings(place: str, kind: str, given: Mapping[str, Setting], keys: tuple[Key, ...]) -> None:
    known = {key.name: key for key in keys}
    for name, value in given.items():
        if name not in known:
            expected = ", ".join(known) or "none"
            raise BadInput(f"{place}.{name}: this {kind} is not known; expected one of {expected}")
        _check_value(f"{place}.{name}", value, known[name])


def _check_value(place: str, value: Setting, key: Key) -> None:
    match key.values:
        case Number(low=low, high=high):
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise BadInput(f"{place}: expected a number from {low:g} to {high:g}, not {shorten(repr(value))}")
        case Choice(words=words):
            if value not in words:
                raise BadInput(f"{place}: expected one of {', '.join(words)}, not {shorten(repr(value))}")
        case Lists(word=word, words=words):
            if not isinstance(value, Mapping):
                raise BadInput(f"{place}: expected a list for each {word} id, not {shorten(repr(value))}")
            for owner, stray in ((owner, text) for owner, texts in value.items() for text in texts):
                if stray not in words:
                    raise BadInput(f"{place}.{owner}: expected some of {', '.join(words)}, not {shorten(repr(stray))}")
        case kind if kind is bool:
            if not isinstance(value, bool):
                raise BadInput(f"{place}: expected true or false, not {shorten(repr(value))}")
        case kind if kind is tuple:
            if not isinstance(value, tuple):
                raise BadInput(f"{place}: expected a list of ids, not {shorten(repr(value))}")
        case _:
            if not isinstance(value, str):
                raise BadInput(f"{place}: expected text, not {shorten(repr(value))}")


def _check_owners(place: str, value: Setting, lists: Lists, state: GameState) -> None:
    known = set(lists.among(state))
    for owner in value if isinstance(value, Mapping) else ():
        if owner not in known:
            raise BadInput(f"{place}.{owner}: there is no {lists.word} {owner!r} in this situation")


def _check_names(place: str, value: Setting, names: NameChoices, asked: RuleContext) -> None:
    among = set(names.among(asked))
    several = isinstance(value, tuple)
    for index, name in enumerate(value if isinstance(value, tuple) else (value,)):
        if name not in among:
            where = f"{place}[{index}]" if several else place
            known = {unit.id for unit in asked.state.units} | {model.id for _, model in asked.state.iterate_models()}
            if name in known:
                raise BadInput(f'{where}: "{name}" is no {names.word}; expected the id of one')
            raise BadInput(f'{where}: there is no {names.word} "{name}" in this situation')


def _check_status(place: str, status: str, book: Rulebook) -> None:
    known = any(
        len(status) > len(name) and status.startswith(name) if name.endswith(":") else status == name
        for name in book.statuses
    )
    if not known:
        expected = ", ".join(f"{name}<id>" if name.endswith(":") else name for name in book.statuses)
        raise BadInput(f"{place}: the status {status!r} is not known; expected one of {expected}")
