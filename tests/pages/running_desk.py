"""A hall's desk in a browser: a real broker, what gathers, and the pages, without tables."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from playwright.sync_api import Page

from assistant.hall import desk
from assistant.hall.desk_app import create_desk_app
from assistant.hall.gatherer import gather
from assistant.hall.serving import LOOK_S, ServedHall
from assistant.web.auth.devices import DeviceRegistry
from tests.assistant.hall.running_hall import RunningHall, run_broker
from tests.pages.kept_windows import start_server


@contextmanager
def serve_desk(path: Path, tables: tuple[str, ...]) -> Iterator[tuple[RunningHall, str]]:
    """Run a hall in a folder, whose doubtful calls are in the queue at once; yield it and the address of its pages."""
    with run_broker(RunningHall(path, tables)) as running, patch.object(desk, "STANDS_S", 0.0):
        served, stop = ServedHall(running.folder, running.broker), threading.Event()
        app = create_desk_app(served.desk, served.hub, DeviceRegistry(state=running.folder.path), [], [])

        def work() -> None:
            while not stop.wait(LOOK_S):
                served.work(shown=True)

        thread = threading.Thread(target=work)
        server = start_server(app)
        thread.start()
        try:
            with gather(served.gatherer):
                yield running, f"http://127.0.0.1:{server.port}"
        finally:
            stop.set()
            thread.join()
            server.stop()


def enter(page: Page, hall: tuple[RunningHall, str], judge: int) -> Page:
    """Open the desk as a judge, by the code of their sheet."""
    running, address = hall
    entered = page.request.post(f"{address}/join", data=f'{{"code": "{running.folder.event.judges[judge].code}"}}')
    assert entered.ok
    page.goto(f"{address}/hall")
    return page
