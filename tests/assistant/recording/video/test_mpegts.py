"""The transport stream is one that FFmpeg reads, and the one of the standard."""

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from assistant.recording.video.codec import PieceEncoder, pack_piece
from assistant.recording.video.mpegts import PACKET_BYTES, TransportStream

TIMES_MS = (0, 40, 121, 160, 500, 533, 1000, 1101, 1102)
SIZE = (160, 120)


def test_the_table_of_programs_has_the_standard_s_check_sum() -> None:
    # What FFmpeg's own muxer writes for one program whose table has the number 0x1000.
    assert TransportStream().build_tables()[5:21] == bytes.fromhex(
        "00b00d0001c1000000 01f000 2ab104b2".replace(" ", "")
    )


def test_a_picture_fills_whole_packets_that_are_counted() -> None:
    stream = TransportStream()
    for length in range(150, 560):
        data = stream.build_picture_packets(bytes(length), 10**9, key=True)
        assert len(data) % PACKET_BYTES == 0
        assert {data[at] for at in range(0, len(data), PACKET_BYTES)} == {0x47}
    counts = [stream.build_picture_packets(bytes(10), 0, key=False)[3] & 15 for _ in range(17)]
    assert [(b - a) % 16 for a, b in pairwise(counts)] == [1] * 16


def test_every_picture_is_read_back_with_the_time_at_which_it_was_taken(tmp_path: Path) -> None:
    stream, data, levels = TransportStream(), b"", [20 + 25 * at for at in range(len(TIMES_MS))]
    for first, count in ((0, 4), (4, 1), (5, 4)):
        piece = PieceEncoder(size=SIZE)
        for level in levels[first : first + count]:
            piece.add(np.full((SIZE[1], SIZE[0]), level, np.uint8))
        data += pack_piece(stream, piece.finish(), [ms * 10**6 for ms in TIMES_MS[first : first + count]])
    path = tmp_path / "all.ts"
    path.write_bytes(data)
    capture, shown = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG), []
    while (read := capture.read())[0]:
        shown.append((round(capture.get(cv2.CAP_PROP_POS_MSEC)), float(np.asarray(read[1]).mean())))
    capture.release()
    assert [ms for ms, _ in shown] == list(TIMES_MS)
    np.testing.assert_allclose([level for _, level in shown], levels, atol=5)
