"""Plays a recorded game on the pages."""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

from assistant.past.replayed import first_state, play_entry
from assistant.record.journal import read_entries
from assistant.session import Session
from assistant.web.commands.projector import ProjectorPage
from assistant.web.hub import Hub
from assistant.web.view import Source, view_of

LONGEST_WAIT_S = 2.0
"""Nothing happens for minutes while players think; a replay does not make its watchers wait for all of it."""
IDLE_S = 0.1


def play(
    path: Path, about: Mapping[str, str], hub: Hub, stop: threading.Event, *, speed: float, notice: Future[str]
) -> None:
    """Show a recording in its own time, then its end until told to stop.

    Args:
        path: the recording.
        about: what `read_about` says of it.
        hub: where the pages are.
        stop: set when the program is asked to end.
        speed: 2 plays twice as fast.
        notice: what a person should know of the recording, once it is known; empty for nothing.

    Raises:
        BadInput: the recording cannot be read.

    """
    session = Session(first_state(path, about))
    title = about.get("title", path.stem)
    before_ns: int | None = None
    for entry in read_entries(path):
        if before_ns is not None and entry.captured_ns > before_ns:
            session.now_ns = entry.captured_ns  # what is shown is what stood until now
            _show(session, hub, title, path, notice, ended=False)
            _pause(min((entry.captured_ns - before_ns) / 1e9 / speed, LONGEST_WAIT_S), hub, stop)
        if stop.is_set():
            return
        before_ns = max(entry.captured_ns, before_ns or 0)
        play_entry(session, entry, path)
    while not stop.is_set():
        _show(session, hub, title, path, notice, ended=True)
        _pause(IDLE_S, hub, stop)


def _show(session: Session, hub: Hub, title: str, path: Path, notice: Future[str], *, ended: bool) -> None:
    texts = "The recording has ended." if ended else "", notice.result() if notice.done() else ""
    hub.publish(
        view_of(
            session,
            Source(
                name=path.name,
                title=title,
                virtual=False,
                replay=True,
                state="ended" if ended else "live",
                text=" ".join(filter(None, texts)),
                fps=0,
                latency_ms=0,
            ),
        )
    )


def _pause(seconds: float, hub: Hub, stop: threading.Event) -> None:
    stop.wait(seconds)
    for order in hub.take():
        if not isinstance(order.message, ProjectorPage):  # which only says how large it is
            order.refuse("this is a recording: it can be watched, not changed")
