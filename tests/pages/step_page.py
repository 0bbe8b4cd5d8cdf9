"""One step of the set-up on a page of its own: its feature obeys, and what it then shows is published."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import Response

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.runtime.dispatch import FeatureSet
from assistant.table.session import GameSession
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.messages import View
from tests.pages.kept_windows import start_server
from tests.pages.played_game import encode_camera_picture

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A step</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/static/common/mark.svg"><link rel="stylesheet" href="/static/common/style.css">
<link rel="stylesheet" href="/static/setup/{module}.css"><script type="module" src="/step.js"></script></head>
<body><main id="place"></main><p id="toast" class="toast" role="alert" hidden></p></body></html>"""
SCRIPT = """import {{ live }} from "/static/common/live.js";
import {{ orSay, toast }} from "/static/common/toast.js";
import {{ {name} }} from "/static/setup/{module}.js";
let show = (view) => {{}};
const send = live({{ changed: (view) => show(view), refused: toast }});
show = {name}(document.getElementById("place"), orSay(send));
"""


@contextmanager
def serve_step(
    module: str,
    feature: Feature | FeatureSet,
    *,
    shown: Callable[[], View],
    more: Callable[[Any], None] = lambda _: None,
) -> Iterator[str]:
    """Serve a step while its feature obeys; yield the address.

    Args:
        module: the step's name: ``armies`` for ``armies.js`` with its ``armiesStep``.
        feature: takes each command, or several do; BadInput is refused to the page.
        shown: what to show, asked again and again.
        more: adds to the application.

    """
    hub, stop = Hub(), threading.Event()
    table = Table(width_mm=1524, depth_mm=1118)
    asker = Asker(session=GameSession(GameState(rulebook=NO_RULEBOOK, table=table, units=())))
    app = create_app(hub=hub, picture=encode_camera_picture, join_urls=[])
    script = SCRIPT.format(name=f"{module}Step", module=module)
    app.add_api_route("/step", lambda: Response(PAGE.format(module=module), media_type="text/html"))
    app.add_api_route("/step.js", lambda: Response(script, media_type="text/javascript"))
    more(app)

    def work() -> None:
        while not stop.wait(0.02):
            for order in hub.take():
                try:
                    feature.handle(order.message, asker)
                except BadInput as error:
                    order.refuse(str(error))
            hub.publish(shown())

    worker = threading.Thread(target=work)
    worker.start()
    server = start_server(app)
    try:
        yield f"http://127.0.0.1:{server.port}/step"
    finally:
        stop.set()
        worker.join()
        server.stop()
