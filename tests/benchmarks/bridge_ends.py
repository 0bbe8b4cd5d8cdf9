"""Bridge ends: who is told of a table by every bridge at once, as a program of its own.

    python -m tests.benchmarks.bridge_ends FOXGLOVE_PORT

It prints the ports at which it listens as JSON, follows Foxglove's server once that answers, and ends with its input.
"""

import json
import socket
import sys
import threading
import time
from contextlib import suppress
from http.server import ThreadingHTTPServer

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.assistant.bridges.test_foxglove import hear, subscribe
from tests.assistant.bridges.test_obs import FakeObs
from tests.assistant.bridges.test_webhooks import Receiver


def main(foxglove_port: int) -> None:
    """Listen until the input ends; then say how much came."""
    counts = {"tuio": 0, "foxglove": 0}
    Receiver.taken, Receiver.answers = [], []
    obs = FakeObs()
    web = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))

    def take_datagrams() -> None:
        while True:
            datagrams.recv(65536)
            counts["tuio"] += 1

    def follow_foxglove() -> None:
        while True:
            with (
                suppress(OSError, ConnectionClosed, TimeoutError),
                connect(
                    f"ws://127.0.0.1:{foxglove_port}", proxy=None, subprotocols=[Subprotocol("foxglove.sdk.v1")]
                ) as app,
            ):
                subscribe(app)
                for _ in hear(app):
                    counts["foxglove"] += 1
            time.sleep(0.2)

    for work in (web.serve_forever, take_datagrams, follow_foxglove):
        threading.Thread(target=work, daemon=True).start()
    print(json.dumps({"obs": obs.port, "webhooks": web.server_port, "tuio": datagrams.getsockname()[1]}), flush=True)
    sys.stdin.read()
    print(json.dumps({**counts, "webhooks": len(Receiver.taken), "obs": len(obs.shown)}), flush=True)
    obs.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
