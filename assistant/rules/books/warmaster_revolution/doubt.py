"""Answers that two sigma may leave open: yes, no, or None."""

from collections.abc import Iterable

from assistant.rules.ruling import outcome_of
from assistant.rules.verdict import Outcome

Answer = bool | None
_ANSWERS: dict[Outcome, Answer] = {Outcome.LEGAL: True, Outcome.TOO_CLOSE: None, Outcome.ILLEGAL: False}


def kept(margin_mm: float, sigma_mm: float) -> Answer:
    """Return whether a margin is kept; exactly at the limit it is."""
    return _ANSWERS[outcome_of(margin_mm, sigma_mm)]


def either(answers: Iterable[Answer]) -> Answer:
    """Return whether any of some answers is yes."""
    known = set(answers)
    return True if True in known else None if None in known else False


def every(answers: Iterable[Answer]) -> Answer:
    """Return whether all of some answers are yes."""
    return not_(either(map(not_, answers)))


def not_(answer: Answer) -> Answer:
    """Return the opposite; what is open stays open."""
    return None if answer is None else not answer
