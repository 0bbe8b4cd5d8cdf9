"""Questions of a fuzzer: whatever is asked, the answer is a value or one sentence, soon and in little memory.

An `OvertableError` with one sentence that names a place is an answer; any other exception, a warning, and a question
that takes too much time or memory are faults.
"""

import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from overtable_errors import OvertableError
from tests.trials.bounds import OutOfTime, limit_memory, limit_seconds
from tests.trials.trial import Contradiction, Document

T = TypeVar("T")
PATIENCE_S = 20.0
"""The longest that one question may take, of the processor."""
ROOM_BYTES = 2_000_000_000
"""The most memory that one question may take."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that is none."""

    kind: str
    what: str


def ask(
    title: str, question: Callable[[], T], *, patience_s: float = PATIENCE_S, room_bytes: int = ROOM_BYTES
) -> T | OvertableError | Fault:
    """Return the answer to a question, or what stands in its place."""
    with limit_seconds(patience_s) as limit:
        try:
            with warnings.catch_warnings(), limit_memory(room_bytes):
                warnings.simplefilter("error")
                return question()
        except OvertableError as error:
            wrong = describe_bad_sentence(str(error))
            return Fault(f"the sentence of {title}", f"{title}: {wrong}: {str(error)[:300]!r}") if wrong else error
        except OutOfTime as error:
            if error.limit is not limit:
                raise  # whoever asks has no more time for the whole of it
            return build_fault(title, error)
        except Exception as error:
            return build_fault(title, error)


def build_fault(title: str, error: BaseException) -> Fault:
    """Return an exception as an answer that is none."""
    where = _locate(error)
    return Fault(f"{type(error).__name__} {where}", f"{title}: {type(error).__name__}: {str(error)[:200]} at {where}")


def describe_bad_sentence(sentence: str) -> str:
    """Return what is wrong with a sentence that a person is to read; empty where nothing is."""
    if len(sentence) > 800 or len(sentence.splitlines()) != 1:
        return "no one sentence"
    try:
        sentence.encode()
    except UnicodeEncodeError:
        return "a sentence that cannot be written"
    return "" if ": " in sentence else "the sentence names no place"


def _locate(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/assistant/" in frame.filename]
    return f"{frames[-1].filename.split('/assistant/')[-1]} {frames[-1].name}" if frames else "nowhere of ours"


def look_for_faults(
    document: Document,
    find_fault: Callable[[Document], object],
    list_smaller: Callable[[Document], Iterator[Document]],
) -> Contradiction | None:
    """Return what the program does not answer as it should, to be made smaller in the same way; None if it does."""
    found = find_fault(document)
    if not isinstance(found, Fault):
        return None
    return Contradiction(
        kind=found.kind,
        what=found.what,
        document=document,
        look=lambda smaller: look_for_faults(smaller, find_fault, list_smaller),
        list_smaller=list_smaller,
    )
