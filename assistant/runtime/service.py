"""The service of a table: a unit of systemd by which it starts with the machine, without a keyboard or a screen.

It is the user's own, so that set-ups and recordings are the user's as well; lingering lets it start before anybody has
logged in.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from assistant.errors import BadInput
from assistant.files.documents import write_atomically

UNIT = "overtable.service"
RULE = 'SUBSYSTEM=="video4linux", GROUP="video", MODE="0660", TAG+="uaccess"'
"""For udev: cameras are the group's, also where nobody sits at the machine."""
RULE_FILE = "/etc/udev/rules.d/60-overtable.rules"
STARTED_S = 30
"""In which systemd answers."""

_TEXT = """\
[Unit]
Description=overtable, a camera over a gaming table that knows the rules
After=network-online.target

[Service]
ExecStart={command}
Environment=PYTHONUNBUFFERED=1
Restart=on-failure
RestartSec=2
# Interrupted as by Ctrl-C, and wrong input, which the next start would find as it is.
SuccessExitStatus=130
RestartPreventExitStatus=2
# In which a recording is closed.
TimeoutStopSec=20
# The keeper hands on what it is asked: who serves the table would be interrupted twice, and so while it closes things.
KillMode=mixed
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


def find_program() -> list[str]:
    """Return how this program is started by another."""
    beside = Path(sys.executable).with_name("overtable")
    return [str(beside)] if beside.is_file() else [sys.executable, "-m", "assistant.cli"]


def find_unit() -> Path:
    """Return where a user's own units are."""
    configured = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(configured).expanduser() / "systemd" / "user" / UNIT


def build_unit(program: Sequence[str], folder: Path, options: Sequence[str] = ()) -> str:
    """Return the unit of a table.

    Args:
        program: what starts the program.
        folder: where the table is kept, absolute.
        options: further ones of `overtable setup`.

    Raises:
        BadInput: a unit cannot name the folder.

    """
    words = [*program, "setup", str(folder), "--resume", "--no-open", *options]
    if any(not word.isprintable() for word in words):
        raise BadInput(f"{str(folder)!r}: a service cannot be of a folder with such a name")
    return _TEXT.format(command=" ".join(_quote(word) for word in words))


def _quote(word: str) -> str:
    """Return a word as systemd reads it: nothing in it stands for something else."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"'


def install_service(text: str, *, start: bool) -> list[str]:
    """Write the unit, and let it start now and with the machine.

    Args:
        text: the unit.
        start: False only writes it.

    Returns:
        sentences about what is there now, and what a person has to see to.

    Raises:
        BadInput: this system has no systemd, the unit cannot be written, or systemd does not take it.

    """
    _find_systemctl()
    path = find_unit()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{path.parent} cannot be made ({error.strerror})") from None
    write_atomically(path, text.encode())
    told = [f"Written: {path}"]
    if start:
        _ask_systemd("daemon-reload")
        _ask_systemd("enable", UNIT)
        _ask_systemd("restart", UNIT)
        told.append(f"The table runs, and starts with this machine. Its words: journalctl --user -u {UNIT}")
        if not _let_linger():
            told.append("So that it starts before anybody logs in: sudo loginctl enable-linger $USER")
    if not reads_cameras():
        told.append("This user may not read the cameras: sudo usermod -aG video $USER, then log in anew.")
        told.append(f"Where that is not enough: echo '{RULE}' | sudo tee {RULE_FILE}")
    return told


def remove_service() -> list[str]:
    """Stop the table, and let it start no more; what it recorded stays.

    Raises:
        BadInput: this system has no systemd, or it does not let go of the unit.

    """
    _find_systemctl()
    path = find_unit()
    if not path.exists():
        return ["There was no service."]
    _ask_systemd("disable", "--now", UNIT)
    path.unlink(missing_ok=True)
    _ask_systemd("daemon-reload")
    return [f"Removed: {path}"]


def reads_cameras(devices: Path = Path("/dev")) -> bool:
    """Whether this user may read every camera that is plugged in."""
    return all(os.access(each, os.R_OK | os.W_OK) for each in devices.glob("video*"))


def _find_systemctl() -> str:
    found = shutil.which("systemctl")
    if found is None:
        raise BadInput(
            "this system has no systemd: let its own service manager run `overtable setup --resume --no-open`"
        )
    return found


def _ask_systemd(*words: str) -> None:
    done = _run(_find_systemctl(), "--user", *words)
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
        raise BadInput(f"systemctl --user {' '.join(words)}: {said}")


def _let_linger() -> bool:
    loginctl = shutil.which("loginctl")
    return loginctl is not None and _run(loginctl, "enable-linger").returncode == 0


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=STARTED_S)  # noqa: S603 - ours
    except subprocess.TimeoutExpired:
        raise BadInput(f"{' '.join(command)} gave no answer in {STARTED_S} seconds") from None
