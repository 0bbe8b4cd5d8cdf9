"""Clients without a screen for `bench_pages`: many sockets that listen and one that never reads, in their own process.

`python -m tests.benchmarks.pages_clients PORT COUNT SECONDS [deaf]` prints a line when all are connected, and at the
end as JSON when each heard each message, in nanoseconds of the day by number, and the first one's messages.
"""

import asyncio
import json
import socket
import sys
import time

from websockets.asyncio.client import connect

ASKS = 2000
"""How often a deaf one asks for the whole view: much more than the system's buffers hold."""


async def _listen(url: str, seconds: float, met: asyncio.Barrier) -> tuple[dict[int, int], list[str]]:
    heard: dict[int, int] = {}
    texts: list[str] = []
    async with connect(url, compression=None) as page:
        await page.recv()
        await met.wait()
        until_s = time.monotonic() + seconds
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                text = await asyncio.wait_for(page.recv(decode=True), left_s)
            except TimeoutError:
                break
            at_ns = time.time_ns()
            texts.append(text)
            head = text[:40]  # reading all of it twenty times would be this process's time, not the line's
            if '"delta"' in head:
                heard[int(head.split('"seq":')[1].split(",")[0])] = at_ns
    return heard, texts


def _open_deaf_socket(port: int) -> socket.socket:
    """Join as a page that asks again and again and reads nothing."""
    page = socket.socket()
    page.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    page.connect(("127.0.0.1", port))
    page.sendall(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return page


async def _keep_asking(page: socket.socket) -> None:
    text = b'{"type":"resync"}'
    page.setblocking(False)
    for _ in range(ASKS):
        frame = bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text  # masked by nothing
        try:
            await asyncio.wait_for(asyncio.get_running_loop().sock_sendall(page, frame), 0.1)
        except (TimeoutError, OSError):
            return  # the server no longer listens to it either
        await asyncio.sleep(0.002)


async def _main(port: int, count: int, seconds: float, *, deaf: bool) -> None:
    met = asyncio.Barrier(count + 1)
    pages = [asyncio.create_task(_listen(f"ws://127.0.0.1:{port}/ws", seconds, met)) for _ in range(count)]
    stalled = _open_deaf_socket(port) if deaf else None
    asking = asyncio.create_task(_keep_asking(stalled)) if stalled else None
    await met.wait()
    print("ready", flush=True)
    results = await asyncio.gather(*pages)
    if asking:
        asking.cancel()
    if stalled:
        stalled.close()
    print(json.dumps({"heard": [heard for heard, _ in results], "texts": results[0][1] if results else []}))


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), deaf="deaf" in sys.argv[4:]))
