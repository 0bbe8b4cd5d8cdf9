"""Crash simulation of a video: films as fast as pictures are encoded, and kills that at a random moment.

It is killed with SIGKILL.

    python -m tests.assistant.recording.video.crash_simulation FOLDER SEED TIMES

For each time a line is printed: how many pictures had been handed to the film of ``FOLDER/<time>.overtable``.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

from assistant.recording.journal.row_types import EyesTold
from assistant.recording.journal.writer import Journal
from assistant.recording.video.recorder import VideoRecorder
from hardware.frame import Frame
from tests.assistant.recording.journal.crash_simulation import kill_repeatedly
from vision.markers import Markers

FRAME_NS = 33_333_333
LONGEST_S = 0.25
"""The killing falls within so long of the first picture, which is one or two hundred pictures."""
SIZE = (160, 120)


def _film(path: Path, seed: int, said: int) -> None:
    """Film for ever, with a byte for every picture that was handed in."""
    sheet = np.random.default_rng(seed).integers(0, 255, (SIZE[1], 3 * SIZE[0]), dtype=np.uint8)
    journal, filming = Journal(path, about={"title": "to be killed"}), VideoRecorder(path)
    told = EyesTold.from_markers(Markers(anchors=(), bases={}, lens=None), began=True)
    journal.append((0, told))
    number = 0
    while True:
        left = 4 * number % (2 * SIZE[0])
        image = sheet[:, left : left + SIZE[0]].copy()
        while filming.is_full:
            time.sleep(0.0002)
        filming.add(Frame(camera="sheet", sequence=number, captured_ns=number * FRAME_NS, image=image))
        number += 1
        os.write(said, b".")
        for kept in filming.take_kept_pieces():
            journal.append((number * FRAME_NS, kept))


if __name__ == "__main__":
    kill_repeatedly(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), work=_film, within_s=LONGEST_S)
