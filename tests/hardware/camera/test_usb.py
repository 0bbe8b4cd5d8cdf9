"""USB cameras without one: OpenCV's capture and /dev are replaced."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera import Identity, LatestFrameReader, SourceState, open_source, usb
from hardware.camera.frame_source import Adjustable, CameraSettings, ControlRequest
from hardware.camera.usb import list_cameras
from hardware.clock import read_clock_ns
from hardware.errors import BadSource, SourceLost
from tests.hardware.camera.recordings import make_picture, read_number

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="devices have paths on Linux only")


class UsbBench:
    """A machine with sockets that cameras are plugged into."""

    def __init__(self, root: Path) -> None:
        self.devices = root / "dev"
        self.links = self.devices / "v4l"
        for kind in ("by-id", "by-path"):
            (self.links / kind).mkdir(parents=True)
        self.sysfs = root / "sys" / "class" / "video4linux"
        self.sysfs.mkdir(parents=True)
        self.opened: list[str] = []
        self.packed = False
        self.damaged = 0
        self.cut_short: set[int] = set()
        """Numbers of pictures of which the end is lost."""
        self.tint = 0
        """How red the pictures are; grey for 0."""
        self.controls: dict[int, float] = {}

    def plug(self, number: int, link: str = "usb-Maker_Camera_1234-video-index0") -> None:
        (self.devices / f"video{number}").touch()
        (self.links / "by-id" / link).unlink(missing_ok=True)  # of cameras alike the last one has it
        (self.links / "by-id" / link).symlink_to(self.devices / f"video{number}")

    def describe(self, number: int, **facts: str) -> None:
        """Describe a camera as Linux does: its USB device is the folder above that of the video interface."""
        camera = self.sysfs.parents[1] / "devices" / "usb1" / f"1-{number}"
        interface = camera / f"1-{number}:1.0"
        interface.mkdir(parents=True)
        for name, fact in facts.items():
            (camera / name).write_text(f"{fact}\n")
        entry = self.sysfs / f"video{number}"
        entry.mkdir()
        (entry / "name").write_text("Video Device: A\n")
        (entry / "device").symlink_to(interface)

    def unplug(self, number: int, link: str = "usb-Maker_Camera_1234-video-index0") -> None:
        (self.devices / f"video{number}").unlink()
        (self.links / "by-id" / link).unlink()

    def put_into_socket(self, socket: int, number: int) -> None:
        """Let the link of a socket lead to a camera."""
        link = self.links / "by-path" / f"pci-0000:00:14.0-usb-0:{socket}:1.0-video-index0"
        link.unlink(missing_ok=True)
        link.symlink_to(self.devices / f"video{number}")

    def open_capture(self, target: str, _backend: int, _settings: Sequence[int] = ()) -> "FakeCapture":
        self.opened.append(target)
        return FakeCapture(self, Path(target))


class FakeCapture:
    """As OpenCV's: reading an unplugged camera fails at once, though it still counts as open."""

    def __init__(self, bench: UsbBench, device: Path) -> None:
        self.bench, self.device = bench, device
        self.there = device.exists()
        self.settings: dict[int, float] = {}
        self.number = 0

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return self.there

    def set(self, setting: int, value: float) -> bool:
        self.settings[setting] = value
        return setting != cv2.CAP_PROP_CONVERT_RGB or self.bench.packed

    def get(self, setting: int) -> float:
        missing = -1.0 if setting in (cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTOFOCUS) else 0.0
        return (self.bench.controls | self.settings).get(setting, missing)

    def read(self) -> tuple[bool, NDArray[np.uint8] | None]:
        if not (self.there and self.device.exists()):
            return False, None
        image = make_picture(self.number % 10)
        if self.bench.tint:
            image = image.copy()
            image[..., 2] = self.bench.tint
        self.number += 1
        if not self.bench.packed:
            return True, image
        data = np.frombuffer(cv2.imencode(".jpg", image)[1].tobytes(), dtype=np.uint8)[None, :]
        if self.number <= self.bench.damaged:
            return True, data[:, 7:]
        return True, data[:, : data.shape[1] // 2] if self.number - 1 in self.bench.cut_short else data

    def release(self) -> None:
        self.there = False


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UsbBench:
    bench = UsbBench(tmp_path)
    monkeypatch.setattr(usb, "DEVICES", bench.devices)
    monkeypatch.setattr(usb, "LINKS", bench.links)
    monkeypatch.setattr(usb, "SYSFS", bench.sysfs)
    monkeypatch.setattr(usb, "_links", {})
    monkeypatch.setattr(cv2, "VideoCapture", bench.open_capture)
    return bench


def test_a_number_opens_that_device(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(2)
    frame = open_source("usb:2", folder=tmp_path).read()
    assert bench.opened == [str(bench.devices / "video2")]
    assert (frame.camera, frame.sequence, frame.image.ndim) == ("usb:2", 0, 2)


def test_large_pictures_are_asked_for(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    source = open_source(f"usb:{bench.devices}/video0", folder=tmp_path)
    assert isinstance(source, usb.UsbCamera)
    settings = source._capture.settings  # type: ignore[attr-defined]
    assert (settings[cv2.CAP_PROP_FRAME_WIDTH], settings[cv2.CAP_PROP_FRAME_HEIGHT]) == (3840, 2160)


@pytest.mark.parametrize(("age_s", "expected_s"), [(0.8, 0.8), (-0.2, 0.0), (3600.0, 0.0)])
def test_a_picture_has_the_drivers_time_where_that_can_be(
    bench: UsbBench, tmp_path: Path, age_s: float, expected_s: float
) -> None:
    bench.plug(0)
    source = open_source("usb:0", folder=tmp_path)
    before_ns = read_clock_ns()
    bench.controls[cv2.CAP_PROP_POS_MSEC] = 1e3 * (time.monotonic() - age_s)
    captured_ns = source.read().captured_ns + round(expected_s * 1e9)
    # The driver's clock and the frames' are read one after the other.
    assert before_ns - 1e6 < captured_ns < read_clock_ns() + 1e6


def test_compressed_pictures_are_decoded_to_grey_and_damaged_ones_passed_over(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    bench.packed, bench.damaged = True, 3
    source = open_source("usb:0", folder=tmp_path)
    frames = [source.read(), source.read()]
    assert [(frame.sequence, read_number(frame.image)) for frame in frames] == [(0, 3), (1, 4)]
    assert frames[0].image.shape == (120, 160)


def test_the_eyes_get_grey_and_people_the_same_picture_in_colour(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    bench.packed, bench.tint = True, 200
    frame = open_source("usb:0", folder=tmp_path, colour=True).read()
    assert frame.image.shape == (120, 160)
    assert frame.shown.shape == (120, 160, 3)
    assert frame.shown[..., 2].mean() == pytest.approx(200, abs=3)
    assert np.abs(cv2.cvtColor(frame.shown, cv2.COLOR_BGR2GRAY).astype(int) - frame.image).mean() < 2


def test_a_picture_that_is_cut_short_is_one_lost_picture(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    bench.packed, bench.cut_short = True, {1}
    source = open_source("usb:0", folder=tmp_path, colour=True)
    assert [read_number(source.read().image) for _ in range(3)] == [0, 2, 3]


def test_pictures_that_come_unpacked_are_shown_as_they_are(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    bench.tint = 200
    frame = open_source("usb:0", folder=tmp_path, colour=True).read()
    assert frame.packed is None
    assert np.array_equal(frame.shown, frame.image)
    assert frame.shown.shape == (120, 160, 3)


def test_a_camera_that_delivers_only_damage_is_lost(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    bench.packed, bench.damaged = True, 1000
    with pytest.raises(SourceLost, match="usb:0 delivers no pictures"):
        open_source("usb:0", folder=tmp_path).read()


def test_a_camera_that_comes_back_under_another_number_is_found(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    drain = LatestFrameReader(lambda: open_source("usb:0", folder=tmp_path), retry_s=(0.01, 0.02))
    first = drain.wait_for_frame(None, 10)
    assert first is not None
    assert drain.identity == Identity()
    bench.describe(3, idVendor="046d", idProduct="0825")
    bench.unplug(0)
    while drain.status.state is not SourceState.LOST:
        pass
    bench.plug(0, "usb-Another_Camera_99-video-index0")
    bench.plug(3)
    last = drain.wait_for_frame(None, 0)
    assert last is not None
    again = drain.wait_for_frame(last.sequence, 10)
    assert again is not None
    assert bench.opened[-1] == str(bench.devices / "video3")
    assert drain.identity.camera == "usb 046d:0825 (Video Device: A)"
    drain.close()


def test_a_camera_is_offered_by_its_name_whatever_its_number(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(0)
    bench.describe(0, idVendor="046d", idProduct="0825")
    [(source, name)] = list_cameras() or []
    assert (source, name) == (
        f"usb:{bench.links}/by-id/usb-Maker_Camera_1234-video-index0",
        "usb 046d:0825 (Video Device: A)",
    )
    bench.unplug(0)
    with pytest.raises(SourceLost, match="plug the camera in"):
        open_source(source, folder=tmp_path)
    bench.plug(5)
    open_source(source, folder=tmp_path)
    assert bench.opened == [str(bench.devices / "video5")]


def test_of_cameras_alike_each_is_offered_by_its_socket(bench: UsbBench, tmp_path: Path) -> None:
    for number in (0, 1):
        bench.plug(number)
        bench.describe(number, idVendor="1bcf", idProduct="2b8a", serial="SN0001")
        bench.put_into_socket(3 + number, number)
    bench.plug(2, "usb-Other_Camera-video-index0")
    bench.describe(2, idVendor="046d", idProduct="0825")
    sources = [source for source, _ in list_cameras() or []]
    sockets = [f"usb:{bench.links}/by-path/pci-0000:00:14.0-usb-0:{socket}:1.0-video-index0" for socket in (3, 4)]
    assert sources == [*sockets, f"usb:{bench.links}/by-id/usb-Other_Camera-video-index0"]
    for number in (0, 1):  # the machine starts anew, and numbers them the other way round
        bench.put_into_socket(4 - number, number)
    for source in sockets:
        open_source(source, folder=tmp_path)
    assert bench.opened == [str(bench.devices / "video1"), str(bench.devices / "video0")]


def test_of_cameras_alike_the_other_one_is_not_taken_for_one_that_was_unplugged(
    bench: UsbBench, tmp_path: Path
) -> None:
    for number in (1, 0):
        bench.plug(number)
        bench.describe(number, idVendor="1bcf", idProduct="2b8a", serial="SN0001")
        bench.put_into_socket(3 + number, number)
    open_source("usb:0", folder=tmp_path).close()
    bench.unplug(0)
    bench.plug(1)  # the link by the serial number leads to it now
    bench.put_into_socket(3, 0)
    with pytest.raises(SourceLost, match="usb:0 is not there"):
        open_source("usb:0", folder=tmp_path)


def test_no_camera_is_lost_and_those_there_are_named(bench: UsbBench, tmp_path: Path) -> None:
    bench.plug(4)
    with pytest.raises(SourceLost, match=r"usb:7 is not there: plug the camera in \(cameras there: .*video4\)"):
        open_source("usb:7", folder=tmp_path)


@pytest.mark.parametrize(
    ("facts", "camera"),
    [
        (
            {
                "idVendor": "046d",
                "idProduct": "0825",
                "serial": "1A2B",
                "manufacturer": "Maker",
                "product": "Eye\x1b 2",
            },
            "usb 046d:0825 serial 1A2B (Maker Eye 2)",
        ),
        ({"idVendor": "046d", "idProduct": "0825"}, "usb 046d:0825 (Video Device: A)"),
        ({}, "Video Device: A"),  # it hangs on no USB
    ],
)
def test_a_camera_is_told_by_what_linux_knows_of_it(
    bench: UsbBench, tmp_path: Path, facts: dict[str, str], camera: str
) -> None:
    bench.plug(2)
    bench.describe(2, **facts)
    assert open_source("usb:2", folder=tmp_path).identify() == Identity(camera=camera)


@pytest.mark.parametrize(
    ("automatic", "focus", "told"),
    [
        (0, 30, Identity(focus=30.0, autofocus=False)),
        (1, 30, Identity(focus=None, autofocus=True)),
        (-1, 30, Identity(focus=30.0, autofocus=False)),
        (-1, -1, Identity()),
    ],
)
def test_the_focus_is_told_where_it_is_set(
    bench: UsbBench, tmp_path: Path, automatic: float, focus: float, told: Identity
) -> None:
    bench.plug(0)
    bench.controls = {cv2.CAP_PROP_AUTOFOCUS: automatic, cv2.CAP_PROP_FOCUS: focus}
    assert open_source("usb:0", folder=tmp_path).identify() == told


@pytest.mark.parametrize("spec", ["usb:", "usb:front", "usb:-1", "usb:²"])
def test_what_is_no_device_is_refused(tmp_path: Path, spec: str) -> None:
    with pytest.raises(BadSource, match="expected a number or a device"):
        open_source(spec, folder=tmp_path)


def test_focus_and_exposure_are_held_and_let_go_as_linux_has_it(bench: UsbBench) -> None:
    bench.plug(0)
    bench.controls = {
        cv2.CAP_PROP_AUTOFOCUS: 1,
        cv2.CAP_PROP_FOCUS: 35,
        cv2.CAP_PROP_AUTO_EXPOSURE: 3,
        cv2.CAP_PROP_EXPOSURE: 157,
    }
    source = open_source("usb:0", folder=Path())
    assert isinstance(source, Adjustable)
    assert source.read_settings() == CameraSettings(focus=35, autofocus=True, exposure=157, autoexposure=True)
    held = source.adjust(ControlRequest(focus="hold", exposure=100))
    assert held == CameraSettings(focus=35, autofocus=False, exposure=100, autoexposure=False)
    assert held.locked
    assert source.identify().focus == 35
    assert source.adjust(ControlRequest(exposure="auto")) == CameraSettings(
        focus=35, autofocus=False, exposure=100, autoexposure=True
    )


def test_a_camera_without_controls_says_that_it_has_none(bench: UsbBench) -> None:
    bench.plug(0)
    source = open_source("usb:0", folder=Path())
    assert isinstance(source, Adjustable)
    assert not source.read_settings().is_adjustable
    assert not source.read_settings().locked
