"""Three-valued logic: answers that two sigma may leave open are yes, no or None."""

from collections.abc import Iterable

from assistant.rules.verdict import Outcome, decide_outcome

Answer = bool | None
_ANSWERS: dict[Outcome, Answer] = {Outcome.LEGAL: True, Outcome.TOO_CLOSE: None, Outcome.ILLEGAL: False}


def is_margin_kept(margin_mm: float, sigma_mm: float) -> Answer:
    """Return whether a margin is kept; exactly at the limit it is."""
    return _ANSWERS[decide_outcome(margin_mm, sigma_mm)]


def is_any(answers: Iterable[Answer]) -> Answer:
    """Return whether any of some answers is yes."""
    known = set(answers)
    return True if True in known else None if None in known else False


def is_every(answers: Iterable[Answer]) -> Answer:
    """Return whether all of some answers are yes."""
    return negate(is_any(map(negate, answers)))


def negate(answer: Answer) -> Answer:
    """Return the opposite; what is open stays open."""
    return None if answer is None else not answer
