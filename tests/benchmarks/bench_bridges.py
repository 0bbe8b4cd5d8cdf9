"""What bridges cost the line: the same film with no bridge and with all of them, by turns in one run.

Every other end is there and listens, in a process of its own: a program with TUIO, a broker for MQTT, OBS's protocol, a
receiver of webhooks, and Foxglove's app.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from assistant.bridges.bridge import PlannedBridge, plan_bridges
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from tests.assistant.bridges.test_mqtt import MOSQUITTO, Broker
from tests.assistant.bridges.test_obs import PASSWORD
from tests.assistant.bridges.test_tuio import find_free_port
from tests.assistant.bridges.test_webhooks import SECRET, list_texts
from tests.benchmarks.pages_scene import make_game, setup_from_state, shoot
from tests.benchmarks.timed_pipeline import run_timed_pipeline

TURNS, PLAYED_S, FPS = 3, 8.0, 30.0
WARM_SHARE = 0.2
"""Of the pictures that come first and do not count."""


def run() -> Iterator[str]:
    """Yield what was measured."""
    state = make_game()
    setup = setup_from_state(state)
    film = shoot(setup, state)
    tags = {model: number for number, model in enumerate(model.id for _, model in state.iterate_models())}
    took: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder, _meet_ends(Path(folder)) as (planned, told):
        for _ in range(TURNS):
            for bridged in took:
                with run_timed_pipeline(setup, state, film, FPS) as at_work:
                    notices = BridgeNotices()
                    with run_bridges(planned, at_work.hub, tags, notices) if bridged else nullcontext():
                        time.sleep(PLAYED_S)
                        if trouble := list_texts(notices):
                            raise RuntimeError("; ".join(trouble))
                ms = at_work.hub.took_ms
                took[bridged] += ms[int(WARM_SHARE * len(ms)) :]
    names = ", ".join(each.bridge.name for each in planned)
    yield f"1080p at {FPS:.0f} a second, from picture to message, {TURNS} turns of {PLAYED_S:.0f} s each"
    for bridged, what in ((False, "no bridge"), (True, names)):
        times = sorted(took[bridged])
        late = times[int(0.99 * len(times))]
        yield f"{what}: median {statistics.median(times):.1f} ms, 99 % {late:.1f} ms, {len(times)} pictures"
    yield f"with all to without: {statistics.median(took[True]) / statistics.median(took[False]):.3f}"
    yield f"what came: {', '.join(f'{count} by {name}' for name, count in told.items())}"
    if MOSQUITTO is None:
        yield "without MQTT, for mosquitto is not installed"


@contextmanager
def _meet_ends(folder: Path) -> Iterator[tuple[Sequence[PlannedBridge], dict[str, int]]]:
    """Yield all bridges with somebody at the other end of each, and how much came there, once that is known."""
    (folder / "obs.password").write_text(PASSWORD)
    (folder / "secret").write_text(SECRET)
    foxglove_port, told = find_free_port(), dict[str, int]()
    command = [sys.executable, "-m", "tests.benchmarks.bridge_ends", str(foxglove_port)]
    broker = Broker(folder) if MOSQUITTO else None
    if broker:
        broker.start()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as ends:
        assert ends.stdin is not None
        assert ends.stdout is not None
        ports = json.loads(ends.stdout.readline())
        asked = {
            "tuio": {"port": ports["tuio"]},
            "webhooks": {"url": f"http://127.0.0.1:{ports['webhooks']}/", "secret_file": "secret"},
            "obs": {"port": ports["obs"], "password_file": "obs.password", "scenes": {"waiting": "Table"}},
            "foxglove": {"port": foxglove_port},
            **({"mqtt": {"host": "127.0.0.1", "port": broker.port}} if broker else {}),
        }
        try:
            yield plan_bridges(asked, folder / "setup.toml"), told
        finally:
            ends.stdin.close()
            told |= json.loads(ends.stdout.readline())
            if broker:
                broker.stop()
