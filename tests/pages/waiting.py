"""Waiting until something is so: as long as a busy machine takes to it, and no longer."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 60
"""Before what does not come is a fault: two cores may share renderers, detectors and browsers among several tests."""
LOOK_EVERY_S = 0.02


def wait_for(look: Callable[[], T | None], *, otherwise: Callable[[], object] = lambda: "") -> T:
    """Return what `look` finds, once that is neither None nor False.

    Args:
        look: is asked again and again.
        otherwise: what to say when patience is at its end.

    """
    deadline = time.monotonic() + PATIENCE_S
    while (found := look()) is None or found is False:
        assert time.monotonic() < deadline, f"this was not so within {PATIENCE_S} seconds: {otherwise()}"
        time.sleep(LOOK_EVERY_S)
    return found
