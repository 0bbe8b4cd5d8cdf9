"""Kills: a game at full rate is killed at a random moment, and gone on with, and killed again.

What pages were shown was acknowledged: of every row that was written by then the digest is told to who kills, and
stands in the recording afterwards, so that nothing before it is lost or changed.  Moves, decisions, pictures and video
are all written meanwhile.  There is one process to a live table, which is killed with SIGKILL; it is forked from this
one, so that a kill takes a fraction of a second.
"""

import contextlib
import json
import os
import random
import select
import signal
import struct
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assistant.errors import BadInput
from assistant.features.decisions import GameController
from assistant.features.feature import Asker
from assistant.game.situation_file import encode_situation
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.hash_chain import DIGEST_BYTES
from assistant.recording.journal.reader import read_head
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.replay.recorded_game import RecordedGame
from assistant.runtime.live_loop import SessionVideo
from assistant.table.evidence_pictures import EvidenceKeeper
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.game import Accept, Bumped, Declare, PutBack, Rule, SetScore, Undo, Withdraw
from assistant.web.hub import Hub
from assistant.web.messages.message import Message
from assistant.web.views.session import Source, build_view
from hardware.frame import Frame
from tests.assistant.snapshot_script import SnapshotScript, build_game
from tests.pages.played_game import encode_camera_picture
from tests.trials.trial import Contradiction, register
from vision.markers import Markers

LONGEST_S = 0.15
"""The killing falls within so long of the first view."""
SOON_S = 0.1
"""Of the processor: what opens afterwards opens within so long."""
IN_A_ROW = 3
"""So often one game is killed and gone on with."""
_ACKNOWLEDGED = struct.Struct(f"<q{DIGEST_BYTES}s")
_SOURCE = Source(
    name="trial", title="Trial", virtual=True, replay=False, state="live", text="", fps=0.0, latency_ms=0.0
)
_MODELS = ("s1", "s2", "w1")
_MARKERS = Markers(anchors=(), bases={}, lens=None)


def play_for_ever(path: Path, seed: int, said: int) -> None:
    """Play and record, and tell after each view how many rows there are and the digest of the last."""
    rng = random.Random(seed)
    journal, session = open_game(path)
    hub, features, evidence = Hub(), GameController(), EvidenceKeeper()
    video = SessionVideo(path) if seed % 3 == 0 else None
    script = SnapshotScript(now_ns=session.now_ns + 1_000_000_000)
    for _, model in session.state.apply_tracks().iterate_models():
        if model.pose is not None:
            script.places[model.id] = model.pose.x_mm, model.pose.y_mm
    sheet = np.random.default_rng(seed).integers(0, 255, (60, 240), dtype=np.uint8)
    while True:
        if rng.random() < 0.4:
            with contextlib.suppress(BadInput):  # most do not fit what was done before
                features.handle(_choose_command(rng), Asker(session=session, role="host"))
            frames = [script.take_snapshot()]
        else:
            place = rng.uniform(100, 1400), rng.uniform(100, 1000)
            frames = script.slide(rng.choice(_MODELS), *place, steps=rng.choice((3, 20)))
        for frame in frames:
            if video:
                left = frame.sequence % 160
                image = sheet[:, left : left + 80].copy()
                seen = Frame(camera="", sequence=frame.sequence, captured_ns=frame.captured_ns, image=image)
                video.see(seen, _MARKERS, session)
                video.write_down(session)
            session.observe(frame)
            hub.publish(build_view(session, _SOURCE))
            os.write(said, _ACKNOWLEDGED.pack(journal.rows, journal.head))
            session.record_call()
            evidence.keep_evidence(session, encode_camera_picture)


def open_game(path: Path) -> tuple[Journal, GameSession]:
    """Return a game that begins, or goes on where it was killed, as the program goes on with one."""
    game = build_game()
    journal = Journal(
        path, about={"title": "To be killed", "situation": json.dumps(encode_situation(game))}, go_on=True
    )
    if not journal.rows:
        return journal, GameSession(game, journal, solve_zone=skip_zone)
    past = RecordedGame(path)
    session = past.find_moment(past.find_end_ns()).session.fork(solve_zone=skip_zone)
    session.resume_recording(journal)
    return journal, session


def _choose_command(rng: random.Random) -> Message:
    unit = rng.choice(("scouts", "walker"))
    models = rng.sample(_MODELS, k=rng.choice((1, 2)))
    return rng.choice(
        (
            Declare(type="declare", unit=unit, action=rng.choice(("normal", "advance")), rolls=[3][: rng.randrange(2)]),
            Withdraw(type="withdraw"),
            Accept(type="accept"),
            Undo(type="undo"),
            Bumped(type="bumped", models=models),
            PutBack(type="put-back", models=models),
            Rule(type="rule", outcome=rng.choice(("legal", "illegal", "again")), by="players"),
            SetScore(type="score", player="red", points=rng.randrange(100), army="Moss"),
        )
    )


def kill(path: Path, seed: int) -> tuple[int, bytes]:
    """Let a game be played in a process of its own and kill that; return how much it had acknowledged."""
    heard, said = os.pipe()
    process = os.fork()
    if process == 0:
        with contextlib.suppress(BaseException):
            os.close(heard)
            play_for_ever(path, seed, said)
        os._exit(1)
    os.close(said)
    last, told = (0, b""), b""
    killed_s: float | None = None
    while True:
        wait_s = None if killed_s is None else max(0.0, killed_s - time.monotonic())
        if not select.select([heard], [], [], wait_s)[0]:
            os.kill(process, signal.SIGKILL)
            killed_s = time.monotonic() + 60.0
            continue
        part = os.read(heard, 1 << 16)
        if not part:
            break
        if killed_s is None:
            killed_s = time.monotonic() + random.Random(seed).uniform(0, LONGEST_S)
        told += part
        whole = len(told) // _ACKNOWLEDGED.size * _ACKNOWLEDGED.size
        if whole:
            last = _ACKNOWLEDGED.unpack(told[whole - _ACKNOWLEDGED.size : whole])
            told = told[whole:]
    os.close(heard)
    _, status = os.waitpid(process, 0)
    if not os.WIFSIGNALED(status):
        return -1, b""
    return last


def find_loss(path: Path, rows: int, head: bytes) -> str:
    """Return what of a game that was acknowledged is not in its recording; empty if nothing is lost."""
    if rows < 0:
        return "the game ended by itself"
    entries = len(list(read_entries(path)))
    found = read_head(path, rows)
    if found != head.hex():
        return f"of {rows} rows that were shown {entries} are there, and the last is another"
    result = verify(path)
    return "" if result.broken is None else f"the recording does not verify: {result.broken}"


@register("kills")
def try_kills(seed: int) -> Iterator[str | Contradiction]:
    """Kill a game, go on with it, and kill it again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "game.overtable")
        for number in range(IN_A_ROW):
            rows, head = kill(path, IN_A_ROW * seed + number)
            yield "killed"
            lost = find_loss(path, rows, head)
            if not lost:
                begun_s = time.process_time()
                try:
                    journal, session = open_game(path)
                except BadInput as error:
                    lost = f"it cannot be gone on with: {error}"
                else:
                    yield "opened in 100 ms" if time.process_time() - begun_s < SOON_S else "opened later"
                    session.close()
                    journal.close()
            if lost:
                what = f"kill {number + 1}: {lost}"
                yield Contradiction(kind="lost", what=what, document={}, look=lambda _: None)
                return
