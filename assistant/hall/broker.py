"""The broker of a hall: finding nats-server on this machine, writing its configuration, and running it.

Nothing of a broker is written here.  What a table may do is in its configuration: write its own rows and how it fares,
read what is addressed to it, and nothing else.
"""

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from assistant.files.documents import write_atomically
from assistant.hall.batches import MOST_MESSAGE_BYTES
from assistant.hall.messages import name_order_subject, name_rows_subject, name_state_subject
from assistant.setup.hall_file import name_user
from overtable_errors import OvertableError

PROGRAM = "nats-server"
HALL_USER = "hall"
CONFIGURATION, LOG, PID, STORE = "broker.conf", "broker.log", "broker.pid", "jetstream"
MOST_STORE_GB = 20
"""What waits for the hall's pages at most, of all tables together."""
STARTED_S, ENDED_S = 20.0, 10.0
_log = logging.getLogger(__name__)


class BrokerMissing(OvertableError, OSError):
    """No broker can be started here; the sentence says what to install, or what hinders it."""

    exit_status: ClassVar[int] = 3


def find_broker(named: Path | None = None) -> Path:
    """Return where nats-server is.

    Raises:
        BrokerMissing: it is not on the path, or what was named is none.

    """
    if named is not None:
        if not os.access(named, os.X_OK) or named.is_dir():
            raise BrokerMissing(f"--broker: {named}: this is no program that can be run")
        return named
    found = shutil.which(PROGRAM, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:/usr/local/bin")
    if found is None:
        raise BrokerMissing(
            f"{PROGRAM} is not on this machine: install it, as by 'sudo apt install {PROGRAM}', or name one by --broker"
        )
    return Path(found)


def build_inbox(user: str) -> str:
    """Return where answers to a user go, which nobody else may read."""
    return f"_INBOX-{user}"


def write_configuration(folder: Path, *, port: int, hall_password: str, tables: Mapping[str, str]) -> Path:
    """Write the broker's configuration, which nobody else may read, and return where it is.

    Args:
        folder: the hall's, with the certificate in `broker.pem`.
        port: where tables connect.
        hall_password: the hall's own.
        tables: the passwords by table.

    Raises:
        BadInput: it cannot be written there.

    """
    users = [{"user": HALL_USER, "password": hall_password}]
    users += [_describe_user(table, password) for table, password in tables.items()]  # type: ignore[misc]
    settings = {
        "listen": f"0.0.0.0:{port}",
        "server_name": "overtable-hall",
        "max_payload": MOST_MESSAGE_BYTES,
        "max_connections": 2000,
        "write_deadline": "10s",
        "logtime": True,
        "log_file": str(folder / LOG),
        "pid_file": str(folder / PID),
        "log_size_limit": 10_000_000,
        "jetstream": {
            "store_dir": str(folder / STORE),
            "max_memory_store": 64 * 2**20,
            "max_file_store": MOST_STORE_GB * 2**30,
        },
        "tls": {"cert_file": str(folder / "broker.pem"), "key_file": str(folder / "broker.pem"), "timeout": 5},
        "accounts": {"OVERTABLE": {"jetstream": "enabled", "users": users}},
    }
    path = folder / CONFIGURATION
    # JSON is a part of what the broker reads, in which no name can end a string that it stands in.
    write_atomically(path, json.dumps(settings, indent=1).encode(), private=True)
    return path


def _describe_user(table: str, password: str) -> dict[str, object]:
    user = name_user(table)
    return {
        "user": user,
        "password": password,
        "permissions": {
            "publish": {"allow": [name_rows_subject(table), name_state_subject(table)]},
            "subscribe": {"allow": [name_order_subject(table), f"{build_inbox(user)}.>"]},
        },
    }


class Broker:
    """A broker that runs as a process of its own, and is started again if it breaks down."""

    def __init__(self, program: Path, folder: Path, port: int) -> None:
        self._program, self._folder, self.port = program, folder, port
        self._running: subprocess.Popen[bytes] | None = None
        self._stop = threading.Event()
        self._keeper: threading.Thread | None = None

    @property
    def pid(self) -> int:
        """Of the process; 0 where none runs."""
        return self._running.pid if self._running else 0

    def start(self) -> None:
        """Start it; when this returns, tables can connect.

        Raises:
            BrokerMissing: it ended at once, as where the port is taken.

        """
        self._end_left_over()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                raise BrokerMissing(f"port {self.port} is taken already: end what serves there, or choose another port")
        self._launch()
        for _ in range(round(STARTED_S / 0.05)):
            assert self._running is not None
            if self._running.poll() is not None:
                raise BrokerMissing(f"the broker did not start: {self._read_log()}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            self._stop.wait(0.05)
        self._keeper = threading.Thread(target=self._keep, name="broker", daemon=True)
        self._keeper.start()

    def _end_left_over(self) -> None:
        """End the broker of this folder that a hall has left behind that was killed."""
        try:
            pid = int((self._folder / PID).read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if os.fsencode(self._folder / CONFIGURATION) not in command.split(b"\0"):
                return
            os.kill(pid, signal.SIGTERM)
        except (OSError, ValueError):
            return
        for _ in range(round(ENDED_S / 0.05)):
            if not Path(f"/proc/{pid}").exists():
                return
            self._stop.wait(0.05)

    def _launch(self) -> None:
        quiet = subprocess.DEVNULL
        command = [str(self._program), "-c", str(self._folder / CONFIGURATION)]
        # A session of its own: Ctrl-C in the terminal is for the hall, which then ends the broker in order.
        self._running = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)  # noqa: S603

    def _keep(self) -> None:
        """Start it again whenever it ends by itself."""
        while not self._stop.is_set():
            assert self._running is not None
            try:
                self._running.wait(0.5)
            except subprocess.TimeoutExpired:
                continue
            if not self._stop.wait(0.5):
                _log.warning("The broker ended by itself, and is started again.")
                self._launch()

    def _read_log(self) -> str:
        try:
            lines = (self._folder / LOG).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        wrong = [line.partition("] ")[2] for line in lines if "[FTL]" in line or "[ERR]" in line]
        return wrong[-1][-300:] if wrong else "it ended without a word"

    def reload(self) -> None:
        """Let it read its configuration again: whose credentials are no longer in it is cut off."""
        if self._running is not None and self._running.poll() is None:
            self._running.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """End it; nothing happens where it does not run."""
        self._stop.set()
        if self._keeper is not None:
            self._keeper.join()
        if self._running is None:
            return
        self._running.terminate()
        try:
            self._running.wait(ENDED_S)
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.wait()
