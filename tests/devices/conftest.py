"""Which machine the tests of devices run on: only the guest, whose cameras they plug in and out."""

import os
from collections.abc import Iterator

import pytest

from hardware.camera import usb
from tests.devices.guest import IN_GUEST
from tests.devices.loopback import DRIVER, Loopback
from tests.devices.vivid import Vivid

if IN_GUEST not in os.environ:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(autouse=True)
def _forget_cameras(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program remembers which camera its source meant at first; each test is to begin as one."""
    monkeypatch.setattr(usb, "_links", {})


@pytest.fixture
def vivid() -> Iterator[Vivid]:
    """The driver, with one camera plugged in."""
    with Vivid() as driver:
        driver.plug()
        yield driver


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """Two cameras of a make, which nobody feeds yet."""
    if not DRIVER.exists():
        pytest.skip("no compiler has made the driver v4l2loopback for the guest")
    with Loopback() as cameras:
        yield cameras
