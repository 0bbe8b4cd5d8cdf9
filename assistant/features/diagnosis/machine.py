"""Checks of the machine: cameras that are plugged in, disk, browser, port and network."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assistant.features.diagnosis.report import Check, report_bad, report_fair, report_good
from assistant.recording.poses import PoseEntry
from assistant.web.server import list_lan_addresses
from hardware.camera.usb import list_cameras

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "brave-browser",
    "chrome",
    "msedge",
    "firefox",
    "safari",
)
"""As they are called on the path, those that can be driven without a person first."""
UNDRIVEN = ("firefox", "safari")
"""Browsers that show the pages but are not driven by this program's tests."""
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Firefox.app/Contents/MacOS/firefox",
    "/Applications/Safari.app/Contents/MacOS/Safari",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    r"C:\Program Files\Mozilla Firefox\firefox.exe",
)
"""Where they are on systems that keep programs off the path."""
VERSION_S = 10
ROW_BYTES = 80
"""What the journal adds to an entry: its number, time and kind, and the database's pages."""
MOVING_HZ = 15
"""In a lively game one model or another moves in every picture."""
FEW_H, ENOUGH_H = 4.0, 40.0


def check_cameras() -> Check:
    """Say which cameras there are."""
    cameras = list_cameras()
    if cameras is None:
        return report_fair(
            "cameras", "this system does not tell which cameras there are", "try usb:0, then usb:1, in a set-up"
        )
    if not cameras:
        return report_fair(
            "cameras", "no USB camera is plugged in", "plug one in, or play on the virtual table: overtable demo"
        )
    return report_good("cameras", "; ".join(f"{spec}: {name}" for spec, name in cameras))


def check_disk(folder: Path) -> Check:
    """Say whether games can be recorded in a folder, and for how long."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not _is_writable(there):
        return report_bad(
            "disk", f"{there} cannot be written", "make it writable, or name a file elsewhere with --recording"
        )
    free = shutil.disk_usage(there).free
    hours = free / (3600 * MOVING_HZ * (_count_entry_bytes() + ROW_BYTES))
    room = f"{hours:.0f} hours" if hours < 100 else f"{hours / 24:.0f} days"
    fact = f"{free / 1e9:.1f} GB free for {folder}: room for some {room} of play"
    if hours < FEW_H:
        return report_bad("disk", fact, "free some disk space")
    return report_fair("disk", fact, "free some disk space") if hours < ENOUGH_H else report_good("disk", fact)


def check_browser() -> Check:
    """Say which browser there is; none is opened."""
    path = next((browser for name in BROWSERS if (browser := shutil.which(name))), None)
    path = path or next((place for place in APPLICATIONS if Path(place).exists()), None)
    if path is None:
        return report_bad("browser", "none was found here", "install Chromium, or open the pages on another device")
    name = _read_version(path) or Path(path).stem
    drawn = "" if sys.platform != "linux" or _has_screen() else "; this terminal has no screen to show it on"
    if any(undriven in Path(path).stem.lower() for undriven in UNDRIVEN):
        return report_good("browser", f"{name} ({path}): it shows the pages{drawn}")
    return report_good("browser", f"{name} ({path}): it shows the pages and can be driven{drawn}")


def check_network(host: str, port: int) -> Iterator[Check]:
    """Say whether the pages can be served, and where a tablet finds them."""
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        yield report_bad("port", f"{port} cannot be served ({error.strerror or error})", "give another one with --port")
    else:
        yield report_good("port", f"{port} is free")
    if addresses := list_lan_addresses():
        yield report_good("network", f"a tablet finds the pages at http://{addresses[0]}:{port}/tablet")
    else:
        yield report_fair(
            "network", "this machine is on no network", "join the tablet's Wi-Fi, so that it finds the pages"
        )


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made there; rights alone do not tell, as on a disk that is mounted for reading."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _count_entry_bytes() -> int:
    entry = PoseEntry(
        tag=580,
        model="a-model-1",
        x_mm=1234.567,
        y_mm=1234.567,
        facing_deg=-123.456,
        z_mm=0.0,
        sigma_mm=(0.1234, 0.1234),
        sigma_deg=0.1234,
        state="seen",
        moving=True,
        calibration="0123456789ab",
    )
    return len(entry.model_dump_json())


def _read_version(path: str) -> str:
    """Return what a browser calls itself; on Windows it would open a window instead."""
    if sys.platform == "win32" or "Safari" in path:
        return ""
    try:
        ended = subprocess.run(  # noqa: S603 - a path from a fixed list
            [path, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = ended.stdout.strip().splitlines()
    return lines[0].strip() if lines else ""


def _has_screen() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
