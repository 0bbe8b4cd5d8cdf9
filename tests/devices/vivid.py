"""Vivid: the kernel's driver of a camera that is not there, plugged in, unplugged and made to fail as people do."""

import fcntl
import struct
import subprocess
from pathlib import Path
from typing import Self

from hardware.camera.usb import DEVICES, LINKS, describe_device
from tests.devices.guest import MODULES
from tests.pages.waiting import wait_for

DRIVER = Path("/sys/bus/platform/drivers/vivid")
LINK = str(LINKS / "by-id" / "platform-{}-video-index0")
"""As udev, which the guest has not, would name a camera: the same wherever its number goes."""
SET_CONTROL = 0xC008561C
"""VIDIOC_S_CTRL of the kernel's videodev2.h."""
CONTROLS = {"timestamp_source": 0xF0F018, "dropped_percent": 0xF0F040, "damaged": 0xF0F042, "failed": 0xF0F046}
"""Ids of vivid's own controls: the end (0) or the start (1) of an exposure, pictures that never come, of a hundred, one
that arrives damaged, and a stream that breaks off."""


class Vivid:
    """A camera, which is not plugged in at first, nor when a test has ended; of every plugging in it is a new one."""

    def __enter__(self) -> Self:
        """Load the driver, unless an earlier test did: it stays."""
        if not DRIVER.exists():
            self._load(0)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the camera unplugged, and the next one under its first number."""
        self.unplug()
        self._load(0)

    def plug(self, *numbers: int) -> Path:
        """Plug the camera in, as the video device of this number, or several on one cable; returns the first."""
        if numbers:
            self._load(*numbers)
        (DRIVER / "bind").write_text("vivid.0", encoding="ascii")
        for device in self._list_devices():
            link = Path(LINK.format(describe_device(device)))
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(device)
        return self._list_devices()[0]

    def unplug(self) -> None:
        """Pull the cable out."""
        for link in Path(LINK).parent.glob("*"):
            link.unlink()
        if self._list_devices():
            (DRIVER / "unbind").write_text("vivid.0", encoding="ascii")

    def _load(self, *numbers: int) -> None:
        """Load the driver anew, without its cameras, which are to have these numbers."""
        if DRIVER.exists():
            wait_for(lambda: run("rmmod", "vivid"))  # as long as a reader has not let go of it, it is in use
        nodes, wanted = ",".join("0x1" for _ in numbers), ",".join(map(str, numbers))
        loading = (
            "insmod",
            MODULES / "vivid.ko",
            f"n_devs={len(numbers)}",
            f"node_types={nodes}",
            f"vid_cap_nr={wanted}",
        )
        assert run(*loading)
        self.unplug()

    def control(self, name: str, value: int) -> None:
        """Set one of the driver's own controls."""
        (device,) = self._list_devices()
        with device.open("rb", buffering=0) as opened:
            fcntl.ioctl(opened, SET_CONTROL, struct.pack("Ii", CONTROLS[name], value))

    def _list_devices(self) -> list[Path]:
        return [DEVICES / entry.name for entry in sorted(DRIVER.glob("vivid.0/video4linux/video*"))]


def run(*command: str | Path) -> bool:
    """Run a command of the guest's busybox; returns whether it did its work."""
    return (
        subprocess.run([str(MODULES / "busybox"), *map(str, command)], check=False, capture_output=True).returncode == 0
    )
