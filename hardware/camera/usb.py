"""USB cameras as a frame source."""

import sys
import time
from pathlib import Path

import cv2

from hardware.camera.frame_source import (
    CameraSettings,
    ControlRequest,
    ControlValue,
    FrameSource,
    Identity,
    PlaybackPace,
)
from hardware.camera.jpeg import decode_jpeg_grey
from hardware.camera.video_capture import open_capture, read_image
from hardware.clock import read_clock_ns
from hardware.errors import BadSource, DeviceLost
from hardware.frame import Frame

PREFIXES = ("usb:",)

DEVICES = Path("/dev")
LINKS = DEVICES / "v4l"
"""Linux names every camera here: in ``by-id`` by maker and serial number, in ``by-path`` by its socket."""
SYSFS = Path("/sys/class/video4linux")
"""Linux describes every video device here."""

SIZE_PX = (3840, 2160)
"""What is asked of the camera; it answers with the nearest it has."""
FPS = 30
MJPEG = cv2.VideoWriter.fourcc(*"MJPG")
OLDEST_NS = 5_000_000_000
"""A picture that is said to be older has a time of another clock: some drivers count from elsewhere."""
MOST_BROKEN_FRAMES = 10
"""So many pictures may arrive damaged before the camera counts as lost."""

FOCUS = (cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS)
EXPOSURE = (cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE)
"""What turns the automatic on and off, and the value."""
AUTOMATIC = {FOCUS: (1.0,), EXPOSURE: (3.0, 0.75)}
MANUAL = {FOCUS: (0.0,), EXPOSURE: (1.0, 0.25)}
"""Linux passes the driver's own words for the exposure on (1 by hand, 3 by aperture); Windows has had quarters for
them.  What a back end does not know it leaves alone, so each is tried until the value holds."""

PARENT_FOLDERS = 6
"""A camera's USB device is a few folders above its video device."""

_links: dict[str, Path] = {}
# A camera that was unplugged comes back under another number, but under the same link.  Which camera a source meant
# when it was first opened is remembered for the life of the process.


def open_spec(spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:  # noqa: ARG001 (a device has neither)
    """Open ``usb:N`` or ``usb:/dev/...``."""
    return UsbCamera(spec, colour=colour)


class UsbCamera:
    """A camera on a cable."""

    def __init__(self, spec: str, *, colour: bool) -> None:
        target = _find_device(spec)
        capture = open_capture(target, cv2.CAP_V4L2 if isinstance(target, str) else cv2.CAP_ANY)
        if capture is None:
            raise DeviceLost(f"{spec} does not answer: plug the camera in again, or end the program that uses it")
        if isinstance(target, str) and (link := _find_link(Path(target))):
            _links[spec] = link
        self._name, self._capture, self._colour = spec, capture, colour
        self._camera = describe_device(Path(target)) if isinstance(target, str) else None
        # Back ends other than Linux's answer 0 for what they do not know, which is a focus like any other.
        self._least_focus = 0.0 if isinstance(target, str) else 1e-6
        self._tells_time = isinstance(target, str)
        self._sequence = 0
        # Compressed pictures are the only way to get large ones through the cable at full rate.
        for setting, value in (
            (cv2.CAP_PROP_FOURCC, MJPEG),
            (cv2.CAP_PROP_FRAME_WIDTH, SIZE_PX[0]),
            (cv2.CAP_PROP_FRAME_HEIGHT, SIZE_PX[1]),
            (cv2.CAP_PROP_FPS, FPS),
        ):
            capture.set(setting, value)
        # Left as they come, which Linux can be told, they can be decoded to grey at less than half the cost.
        self._packed = (
            isinstance(target, str)
            and capture.get(cv2.CAP_PROP_FOURCC) == MJPEG
            and capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
        )

    def read(self) -> Frame:
        """Read the next frame."""
        for _ in range(MOST_BROKEN_FRAMES):
            image = read_image(self._capture, colour=self._colour and not self._packed)
            captured_ns = self._read_capture_time_ns()
            if image is None:
                break
            packed = image.reshape(-1) if self._packed and min(image.shape[:2]) == 1 else None
            image = image if packed is None else decode_jpeg_grey(packed)
            if image is not None:
                self._sequence += 1
                return Frame(
                    camera=self._name,
                    sequence=self._sequence - 1,
                    captured_ns=captured_ns,
                    image=image,
                    packed=packed if self._colour else None,
                )
        raise DeviceLost(f"{self._name} delivers no pictures: plug the camera in again")

    def _read_capture_time_ns(self) -> int:
        """Return when the picture just read was taken: the driver's time, which Linux tells, else now.

        A picture that waited in a buffer, or took long to come through the cable, is older than the moment it is read.
        """
        now_ns = read_clock_ns()
        age_ns = time.monotonic_ns() - round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
        return now_ns - age_ns if self._tells_time and 0 <= age_ns < OLDEST_NS else now_ns

    def identify(self) -> Identity:
        """Return the camera's maker, product and serial number, which only Linux tells, and its focus."""
        automatic, focus = (self._capture.get(p) for p in (cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS))
        has_focus = focus >= self._least_focus
        return Identity(
            camera=self._camera,
            focus=float(focus) if has_focus and automatic <= 0 else None,
            autofocus=bool(automatic > 0) if has_focus else None,
        )

    def read_settings(self) -> CameraSettings:
        """Return what the camera says of its focus and exposure; only Linux tells it surely."""
        identity = self.identify()
        automatic, exposure = (self._capture.get(p) for p in EXPOSURE)
        # Exposures are negative powers of two on Windows; 0 and -1 stand for what is not known.
        has_exposure = exposure > 0 or exposure < -1
        focus = self._capture.get(cv2.CAP_PROP_FOCUS)
        return CameraSettings(
            focus=float(focus) if focus >= self._least_focus else None,
            autofocus=identity.autofocus,
            exposure=float(exposure) if has_exposure else None,
            autoexposure=automatic not in (*MANUAL[EXPOSURE], 0.0) if has_exposure else None,
        )

    def adjust(self, request: ControlRequest) -> CameraSettings:
        """Set focus and exposure, as far as the driver lets them be set, and return what it then says."""
        for pair, turn in ((FOCUS, request.focus), (EXPOSURE, request.exposure)):
            if turn is not None:
                self._set_control(pair, turn)
        return self.read_settings()

    def _set_control(self, pair: tuple[int, int], turn: ControlValue) -> None:
        automatic, value = pair
        if turn == "auto":
            for word in AUTOMATIC[pair]:
                if self._capture.set(automatic, word) and self._capture.get(automatic) == word:
                    return
            return
        target = self._capture.get(value) if turn == "hold" else float(turn)
        for word in MANUAL[pair]:
            self._capture.set(automatic, word)
            if self._capture.set(value, target) and self._capture.get(automatic) == word:
                return

    def close(self) -> None:
        """Let other programs have the camera."""
        self._capture.release()


def _find_device(spec: str) -> str | int:
    """Find what to open: a device's path on Linux, its number elsewhere."""
    name = spec.removeprefix("usb:")
    is_path = name.startswith("/")
    if not (is_path or (name.isascii() and name.isdigit())):
        raise BadSource(f"camera source '{spec}': expected a number or a device, such as usb:0 or usb:/dev/video0")
    if not is_path and sys.platform != "linux":
        return int(name)
    device = _links.get(spec) or (Path(name) if is_path else DEVICES / f"video{name}")
    if not device.exists():
        there = ", ".join(str(other) for other in sorted(DEVICES.glob("video*"))) or "none"
        raise DeviceLost(f"{spec} is not there: plug the camera in (cameras there: {there})")
    return str(device.resolve())


def _find_link(device: Path) -> Path | None:
    """Return the link that leads to a camera whatever its number is; None where the system has none.

    That is its maker and serial number, in whichever socket it is.  Where others are there that answer to the same, for
    cheap cameras have no serial number or all one, it is its socket.
    """
    about = describe_device(device)
    alike = sum(describe_device(DEVICES / f"video{number}") == about for number in _list_numbers())
    return next(
        (link for link in sorted(LINKS.glob("by-path/*" if alike > 1 else "by-id/*")) if link.resolve() == device), None
    )


def describe_device(device: Path) -> str | None:
    """Return maker, product, serial number and name of a video device as Linux knows them; None where it does not.

    Two cameras of one make without serial numbers cannot be told apart by it.
    """
    about = SYSFS / device.name
    name = _read_line(about / "name")
    hardware = (about / "device").resolve() if (about / "device").exists() else None
    for folder in [] if hardware is None else [hardware, *hardware.parents][:PARENT_FOLDERS]:
        if (vendor := _read_line(folder / "idVendor")) and (product := _read_line(folder / "idProduct")):
            serial = _read_line(folder / "serial")
            named = (
                " ".join(filter(None, (_read_line(folder / "manufacturer"), _read_line(folder / "product")))) or name
            )
            return (
                f"usb {vendor}:{product}" + (f" serial {serial}" if serial else "") + (f" ({named})" if named else "")
            )
    return name or None


def _read_line(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())[:100]


def list_cameras() -> list[tuple[str, str]] | None:
    """Return the sources and descriptions of the cameras that are plugged in; None where the system does not tell.

    A source names the same camera after a restart, when numbers may have been given otherwise.
    """
    if sys.platform != "linux":
        return None
    cameras = []
    for number in _list_numbers():
        device = DEVICES / f"video{number}"
        link = _find_link(device)
        cameras.append((f"usb:{link or number}", describe_device(device) or "a video device"))
    return cameras


def _list_numbers() -> list[int]:
    """Return the numbers of the cameras that are plugged in.

    A camera has a second device for what describes its pictures; the first has index 0.
    """
    names = [entry.name for entry in SYSFS.glob("video*") if _read_line(entry / "index") in ("", "0")]
    return sorted(int(number) for name in names if (number := name.removeprefix("video")).isdecimal())
