"""Repetition: something is done again and again for as long as a part of the program runs, and no longer."""

import threading

import pytest

from assistant.runtime.repetition import repeat
from tests.pages.waiting import wait_for


def test_it_is_done_again_and_again_and_no_more_once_its_part_has_ended() -> None:
    done: list[str] = []

    def work() -> None:
        done.append(threading.current_thread().name)

    def run_part() -> None:
        with repeat(work, every_s=0.001, name="again"):
            wait_for(lambda: len(done) > 2)
            raise KeyError

    with pytest.raises(KeyError):
        run_part()
    assert set(done) == {"again"}
    assert "again" not in {thread.name for thread in threading.enumerate()}
