"""Which machine the tests of devices run on: only the guest, whose cameras they plug in and out."""

import os
from collections.abc import Iterator

import pytest

from tests.devices.guest import IN_GUEST
from tests.devices.vivid import Vivid

if IN_GUEST not in os.environ:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def vivid() -> Iterator[Vivid]:
    """The driver, with one camera plugged in."""
    with Vivid() as driver:
        driver.plug()
        yield driver
