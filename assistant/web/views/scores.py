"""The view of scores: what players have, whose turn it is, and what the game's clock shows, in whole seconds."""

from collections.abc import Mapping

from assistant.game.events import TurnBegan
from assistant.game.state import NO_RULEBOOK, GameState, Score, Turn
from assistant.rules.books import find_rulebook
from assistant.rules.rulebook import ROUNDS, Rulebook
from assistant.rules.sequence import find_next_step, list_contenders
from assistant.table.session import GameSession
from assistant.web.messages.move import ClockView, ScoreView, TurnView

SECOND_NS = 10**9


def build_turn_section(state: GameState) -> dict[str, TurnView]:
    """Return whose turn it is."""
    turn = state.turn
    if turn is None or state.rulebook == NO_RULEBOOK:
        return {}
    book = find_rulebook(state.rulebook)
    labels = {step.id: step.label for step in book.steps}
    rounds = _find_rounds(state, book)
    turns = 1 if turn.order else max(1, len(list_players(state)))
    return {
        "turn": TurnView(
            number=turn.number,
            round=(turn.number - 1) // turns + 1,
            player=turn.player,
            step=labels[turn.step],
            following=_describe_following(state, turn, labels),
            rounds=rounds,
            last=rounds is not None and turn.number >= turns * rounds and turn.step == book.steps[-1].id,
            done=list(turn.done),
        )
    }


def _find_rounds(state: GameState, book: Rulebook) -> int | None:
    """Return in how many rounds a game is played; None while nobody has said it, and its rulebook does not."""
    usual = next((key.default for key in book.parameters if key.name == ROUNDS), None)
    rounds = state.parameters.get(ROUNDS, usual)
    return int(rounds) if isinstance(rounds, int | float) and rounds else None


def list_scores(state: GameState) -> dict[str, tuple[int, Score]]:
    """Return what every player's score is made of."""
    return {player: (side, state.scores.get(player, Score())) for side, player in enumerate(list_players(state))}


def build_score_view(side: int, score: Score) -> ScoreView:
    """Return a player's score."""
    return ScoreView(side=side, points=score.points, army=score.army)


def list_clock(session: GameSession) -> dict[str, tuple[int, int | None, dict[str, int]]]:
    """Return what the clock's view is made of; nothing before anything has happened."""
    clock, turn = session.timeline.clock, session.state.turn
    if clock.last_ns is None:
        return {}
    played_ns = clock.read(session.now_ns)
    begun = clock.turns.get(turn.number) if turn else None
    turns_s = {player: ns // SECOND_NS for player, ns in clock.sum_turns(session.now_ns).items()}
    return {"clock": (played_ns // SECOND_NS, (played_ns - begun[1]) // SECOND_NS if begun else None, turns_s)}


def build_clock_view(played_s: int, turn_s: int | None, turns_s: dict[str, int]) -> ClockView:
    """Return what the clock shows."""
    return ClockView(played_s=played_s, turn_s=turn_s, turns_s=turns_s)


def list_players(state: GameState) -> list[str]:
    """Return the players in the order in which the pages colour them."""
    return list(dict.fromkeys(unit.player for unit in state.units))


def _describe_following(state: GameState, turn: Turn, labels: Mapping[str, str]) -> str:
    """Return what follows in a turn, in words: another player, another step, or both."""
    if list_contenders(state):
        return ""
    following = find_next_step(state)
    player, step = following.player or turn.player, labels[following.step]
    if isinstance(following, TurnBegan):
        return f"{player}'s turn"
    return step if player == turn.player else f"{player}: {step}"
