"""Whether a situation and a move are written in a rulebook's words; every error names the place."""

from collections.abc import Mapping, Sequence

from assistant.errors import BadInput
from assistant.game.state import GameState, Move, Setting, Unit
from assistant.rules.rulebook import Action, Choice, Key, Number, Question, Rulebook

_SAME_MM, _SAME_RAD = 1e-6, 1e-9


def check_state(book: Rulebook, state: GameState) -> dict[str, Setting]:
    """Return the rulebook's parameters with the defaults filled in.

    Raises:
        BadInput: a parameter, status or profile key that the rulebook does not have, or a value out of range.

    """
    _check_settings("parameters", "parameter", state.parameters, book.parameters)
    for index, unit in enumerate(state.units):
        _check_settings(f"units[{index}].profile", "profile key", unit.profile, book.profile)
        for place, status in enumerate(unit.status):
            _check_status(f"units[{index}].status[{place}]", status, book)
    defaults = {key.name: key.default for key in book.parameters if key.default is not None}
    return {**defaults, **state.parameters}


def find_action(book: Rulebook, action_id: str, place: str) -> Action:
    """Return an action; BadInput if the rulebook has none of this name."""
    try:
        return book.action(action_id)
    except KeyError:
        known = ", ".join(action.id for action in book.actions)
        raise BadInput(f"{place}: there is no action {action_id!r} in {book.id}; expected one of {known}") from None


def check_action(book: Rulebook, action_id: str, place: str) -> Action:
    """Return an action that can be judged.

    Raises:
        BadInput: the rulebook has no such action, or it is not judged yet.

    """
    action = find_action(book, action_id, place)
    if action.not_judged:
        judged = ", ".join(action.id for action in book.actions if not action.not_judged)
        raise BadInput(f"{place}: {action_id!r} is not judged yet; expected one of {judged}")
    return action


def check_unit(state: GameState, unit_id: str, place: str) -> Unit:
    """Return a unit; BadInput if there is none."""
    try:
        return state.unit(unit_id)
    except KeyError:
        raise BadInput(f"{place}: there is no unit {unit_id!r} in this situation") from None


def check_rolls(action: Action, rolls: Sequence[int], place: str) -> None:
    """Raise BadInput unless the dice are those that an action needs."""
    count = action.dice.count if action.dice else 0
    if len(rolls) != count:
        dice = {0: "no dice", 1: "1 die"}.get(count, f"{count} dice")
        raise BadInput(f"{place}: {action.id} takes {dice}, not {len(rolls)}")
    for index, roll in enumerate(rolls):
        assert action.dice is not None
        if not 1 <= roll <= action.dice.sides:
            raise BadInput(f"{place}[{index}]: expected a whole number from 1 to {action.dice.sides}, not {roll}")


def check_intent(book: Rulebook, intent: Mapping[str, Setting], place: str) -> None:
    """Raise BadInput unless the fields of a move are those that the rulebook has."""
    _check_settings(place, "field of a move", intent, book.intent)


def check_move(book: Rulebook, state: GameState, move: Move) -> tuple[Action, Question]:
    """Return a move's action, and what the rulebook's functions are asked about it.

    Raises:
        BadInput: the move does not fit the situation or the rulebook.

    """
    parameters = check_state(book, state)
    unit = check_unit(state, move.unit, "move.unit")
    action = check_action(book, move.action, "move.action")
    check_rolls(action, move.rolls, "move.rolls")
    check_intent(book, move.intent, "move")
    for model_id, path in move.paths.items():
        _check_start(unit, model_id, path[0] if path else None)
    question = Question(state=state, unit=unit, parameters=parameters, rolls=move.rolls, intent=move.intent)
    return action, question


def _check_start(unit: Unit, model_id: str, first: object) -> None:
    place = f"move.paths.{model_id}"
    model = next((model for model in unit.models if model.id == model_id), None)
    if model is None:
        raise BadInput(f"{place}: there is no model {model_id!r} in unit {unit.id!r}")
    pose = model.pose
    if pose is None:
        raise BadInput(f"{place}: model {model_id!r} is not on the table")
    if not isinstance(first, type(pose)):
        raise BadInput(f"{place}: expected at least one pose")
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
                raise BadInput(f"{place}: expected a number from {low:g} to {high:g}, not {value!r}")
        case Choice(words=words):
            if value not in words:
                raise BadInput(f"{place}: expected one of {', '.join(words)}, not {value!r}")
        case _:
            if not isinstance(value, str):
                raise BadInput(f"{place}: expected text, not {value!r}")


def _check_status(place: str, status: str, book: Rulebook) -> None:
    known = any(
        len(status) > len(name) and status.startswith(name) if name.endswith(":") else status == name
        for name in book.statuses
    )
    if not known:
        expected = ", ".join(f"{name}<id>" if name.endswith(":") else name for name in book.statuses)
        raise BadInput(f"{place}: the status {status!r} is not known; expected one of {expected}")
