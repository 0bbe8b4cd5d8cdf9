"""Small recordings to read, and a network camera on this machine."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

SIZE = (160, 120)


def make_picture(number: int) -> NDArray[np.uint8]:
    """A picture that tells its number by its brightness, 20 levels each."""
    image = np.full((SIZE[1], SIZE[0], 3), 20 + 20 * number, dtype=np.uint8)
    image[:40, :40] = (0, 0, 255)
    return image


def read_number(image: NDArray[np.uint8]) -> int:
    return round((float(image[60:, 60:].mean()) - 20) / 20)


def write_video(path: Path, *, frames: int, fps: float = 25.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, SIZE)
    assert writer.isOpened()
    for number in range(frames):
        writer.write(make_picture(number))
    writer.release()
    return path


def write_images(folder: Path, *, count: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        assert cv2.imwrite(str(folder / f"image_{number:02}.{'png' if number % 2 else 'jpg'}"), make_picture(number))
    return folder


class _StreamHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        number = 0
        while not getattr(self.server, "over", False):
            jpeg = cv2.imencode(".jpg", make_picture(number % 10))[1].tobytes()
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            try:
                self.wfile.write(head.encode() + jpeg + b"\r\n")
            except OSError:
                return
            number += 1
            time.sleep(0.02)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    over = False


@contextmanager
def serve_network_camera(port: int = 0) -> Iterator[int]:
    """An MJPEG camera on this machine for as long as the context lasts; yields its port."""
    server = _Server(("127.0.0.1", port), _StreamHandler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.over = True
        server.shutdown()
        server.server_close()
        thread.join()
