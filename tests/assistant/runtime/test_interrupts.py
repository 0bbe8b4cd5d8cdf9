import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from assistant.runtime.interrupts import END_SIGNALS, catch_interrupts, interrupt_at_signals


@pytest.fixture(autouse=True)
def _usual_signals() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in END_SIGNALS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in END_SIGNALS[1:]:
        signal.signal(each, signal.SIG_DFL)
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def lose_an_interrupt(number: signal.Signals) -> None:
    stop = threading.Event()
    with catch_interrupts(stop):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(number)
        assert stop.is_set()


@pytest.mark.parametrize("number", END_SIGNALS)
def test_an_interrupt_ends_the_program_even_where_its_exception_is_lost(number: signal.Signals) -> None:
    with interrupt_at_signals():
        with pytest.raises(KeyboardInterrupt):
            lose_an_interrupt(number)
        assert signal.getsignal(number) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_what_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with interrupt_at_signals(), catch_interrupts(threading.Event()):
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


@pytest.mark.parametrize("number", END_SIGNALS)
def test_a_command_that_is_asked_to_end_says_that_it_was_interrupted(number: signal.Signals) -> None:
    ending = f"""
import signal
from assistant.cli import main, overtable
def wait(context):
    signal.raise_signal({int(number)})
overtable.invoke = wait
main()
"""
    ended = subprocess.run([sys.executable, "-c", ending, "judge"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.strip()) == (130, "")
