"""A network camera by GStreamer's RTSP server, whose pictures show when they were made: run by Debian's own Python.

`python3 rtsp_server.py PORT CODEC WIDTHxHEIGHT [PASSWORD]` serves /one, and /sub at half the size.  It prints a line
when it is ready, and obeys lines: `stall` and `go on`; `lose` drops a tenth of what is encoded from then on.
"""

import sys
import threading
import time
from typing import Any

import gi  # type: ignore[import-not-found]

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # type: ignore[import-not-found]  # noqa: E402

FPS = 15
BITS = 32
ENCODERS = {
    "h264": "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! {loss} ! rtph264pay name=pay0 pt=96",
    "h265": "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! {loss} ! rtph265pay name=pay0 pt=96",
}
LIGHT, DARK, GREY = b"\xeb", b"\x10", b"\x80"
flows = threading.Event()
flows.set()
losses: list[Any] = []


class Camera(GstRtspServer.RTSPMediaFactory):  # type: ignore[misc]
    """One stream, which everybody shares."""

    def __init__(self, codec: str, width: int, height: int) -> None:
        super().__init__()
        self.codec, self.width, self.height = codec, width, height
        self.due_s, self.began_ns = 0.0, 0
        self.set_shared(True)

    def do_create_element(self, _url: Any) -> Any:
        """Build what pictures go through."""
        caps = f"video/x-raw,format=I420,width={self.width},height={self.height},framerate={FPS}/1"
        encoder = ENCODERS[self.codec].format(loss="identity name=loss")
        return Gst.parse_launch(f"( appsrc name=src is-live=true format=time caps={caps} ! {encoder} )")

    def do_configure(self, media: Any) -> None:
        """Begin to take pictures."""
        self.due_s, self.began_ns = time.time(), time.time_ns()
        element = media.get_element()
        losses.append(element.get_child_by_name("loss"))
        element.get_child_by_name("src").connect("need-data", self.take_picture)

    def take_picture(self, src: Any, _length: int) -> None:
        """Take the next picture when it is due; its columns are the bits of the milliseconds of the day."""
        flows.wait()
        self.due_s = max(self.due_s + 1 / FPS, time.time())
        time.sleep(max(0.0, self.due_s - time.time()))
        now_ms = int(time.time() * 1000)
        row = b"".join((LIGHT if now_ms >> bit & 1 else DARK) * (self.width // BITS) for bit in range(BITS))
        picture = Gst.Buffer.new_wrapped(row * self.height + GREY * (self.width * self.height // 2))
        picture.pts = now_ms * Gst.MSECOND - self.began_ns
        picture.duration = Gst.SECOND // FPS
        src.emit("push-buffer", picture)


def obey() -> None:
    """Do what is asked for, line by line."""
    for line in sys.stdin:
        match line.strip():
            case "stall":
                flows.clear()
            case "go on":
                flows.set()
            case "lose":
                for loss in losses:
                    loss.set_property("drop-probability", 0.1)


def main() -> None:
    """Serve until ended."""
    port, codec, size, *password = sys.argv[1:]
    width, height = map(int, size.split("x"))
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_service(port)
    one, sub = Camera(codec, width, height), Camera(codec, width // 2, height // 2)
    if password:
        auth = GstRtspServer.RTSPAuth()
        token = GstRtspServer.RTSPToken()
        token.set_string("media.factory.role", "user")
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic("me", password[0]), token)
        server.set_auth(auth)
        for camera in (one, sub):
            camera.add_role_from_structure(
                Gst.Structure.new_from_string("user,media.factory.access=true,media.factory.construct=true")
            )
    server.get_mount_points().add_factory("/one", one)
    server.get_mount_points().add_factory("/sub", sub)
    server.attach(None)
    threading.Thread(target=obey, daemon=True).start()
    print("ready", flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
