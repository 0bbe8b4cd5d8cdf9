"""MP4 films are written by the machine's ffmpeg where it has one that writes H.264, and by OpenCV where not."""

import shutil
import stat
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.replay.exports.film_writer import find_h264_encoder, open_film_writer
from assistant.replay.lettering import BgrImage

SIZE = 320, 240
LISTED = (
    "Encoders:\n V....D libopenh264          OpenH264 H.264 (codec h264)\n V....D libx264              libx264 H.264\n"
)


def draw_pictures() -> list[BgrImage]:
    return [np.full((SIZE[1], SIZE[0], 3), 8 * at, np.uint8) for at in range(20)]


def put_ffmpeg(folder: Path, monkeypatch: pytest.MonkeyPatch, does: str, listed: str = LISTED) -> None:
    """Let the machine have no other ffmpeg than a script that lists encoders, or else does something."""
    program = folder / "ffmpeg"
    answer = f"if '-encoders' in sys.argv:\n    print({listed!r})\n    sys.exit()\n"
    program.write_text(f"#!{sys.executable}\nimport sys, pathlib\n{answer}{does}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


def test_ffmpeg_is_given_every_picture_whole_and_writes_what_everything_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_ffmpeg(
        tmp_path,
        monkeypatch,
        "pathlib.Path(sys.argv[-1]).write_bytes(sys.stdin.buffer.read())\n"
        f"pathlib.Path({str(tmp_path / 'asked')!r}).write_text(' '.join(sys.argv))",
    )
    out, pictures = tmp_path / "game.mp4", draw_pictures()
    write_film(out, pictures)
    assert out.read_bytes() == b"".join(picture.tobytes() for picture in pictures)
    asked = (tmp_path / "asked").read_text()
    for part in ("-s 320x240 -r 25 -i pipe:0", "-c:v libx264", "-pix_fmt yuv420p", "+faststart -f mp4"):
        assert part in asked


def write_film(out: Path, pictures: list[BgrImage]) -> None:
    with open_film_writer(out, SIZE, 25) as film:
        for picture in pictures:
            film.write(picture)


@pytest.mark.parametrize("reads", ["", "sys.stdin.buffer.read()\n"])
def test_what_ffmpeg_says_when_it_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: str) -> None:
    put_ffmpeg(tmp_path, monkeypatch, f"{reads}sys.exit('the disk is full')")
    pictures = draw_pictures() * 20  # more than a pipe holds
    with pytest.raises(BadInput, match="wrote no film .the disk is full.; export with --to webm"):
        write_film(tmp_path / "game.mp4", pictures)


def test_an_ffmpeg_is_ended_with_a_film_that_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_ffmpeg(tmp_path, monkeypatch, "import time\nsys.stdin.buffer.read(1)\ntime.sleep(600)")

    def break_off() -> None:
        with open_film_writer(tmp_path / "game.mp4", SIZE, 25):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()


@pytest.mark.parametrize("listed", ["Encoders:\n V....D mpeg4\n", "\xff"])
def test_an_ffmpeg_without_h264_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str) -> None:
    put_ffmpeg(tmp_path, monkeypatch, "sys.exit(1)", listed)
    assert find_h264_encoder() is None
    write_film(tmp_path / "game.mp4", draw_pictures())
    assert _count_pictures(tmp_path / "game.mp4") == 20


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="this machine has no ffmpeg")
def test_the_machines_own_ffmpeg_writes_h264(tmp_path: Path) -> None:
    if find_h264_encoder() is None:
        pytest.skip("this machine's ffmpeg writes no H.264")
    write_film(tmp_path / "game.mp4", draw_pictures())
    assert b"avc1" in (tmp_path / "game.mp4").read_bytes()
    assert _count_pictures(tmp_path / "game.mp4") == 20


def _count_pictures(path: Path) -> int:
    video, count = cv2.VideoCapture(str(path)), 0
    while video.read()[0]:
        count += 1
    video.release()
    return count
