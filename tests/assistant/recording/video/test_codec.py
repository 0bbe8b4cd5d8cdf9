"""The codec leaves no files behind, whoever kills the program, and takes away those that were left nevertheless."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from assistant.recording.video.codec import LEFT_S, PieceEncoder, decode_piece, pack_piece, remove_left_folders
from assistant.recording.video.mpegts import TransportStream

SIZE = (96, 64)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that temporary files are made in."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="elsewhere what is open keeps its name")
def test_nothing_has_a_name_while_pictures_are_encoded_or_decoded(room: Path) -> None:
    piece = PieceEncoder(size=SIZE)
    for light in range(4):
        piece.add(np.full((64, 96), 50 * light, np.uint8))
        assert list(room.iterdir()) == []
    packed = pack_piece(TransportStream(), piece.finish(), [10**8 * number for number in range(4)])
    seen = list[float]()
    for image in decode_piece(packed, SIZE):
        assert list(room.iterdir()) == []
        seen.append(float(image.mean()))
    assert seen == pytest.approx([0, 50, 100, 150], abs=4)


def test_only_old_folders_of_the_codec_with_nothing_else_in_them_are_taken_away(room: Path) -> None:
    def leave(name: str, *files: str, old: bool = True) -> Path:
        folder = room / name
        folder.mkdir()
        for file in files:
            (folder / file).touch()
        if old:
            then_s = folder.stat().st_mtime - LEFT_S - 1
            os.utime(folder, (then_s, then_s))
        return folder

    gone = [
        leave("overtable-abcd_234", "piece.avi"),
        leave("overtable-abcd_235", "piece.ts"),
        leave("overtable-12345678"),
    ]
    kept = [
        leave("overtable-abcd_236", "piece.avi", old=False),
        leave("overtable-holidays", "sea.jpg"),
        leave("overtable-soak-abcd_234", "piece.avi"),
        leave("other-abcd_234", "piece.avi"),
    ]
    (room / "overtable-abcd_237").symlink_to(kept[2])
    remove_left_folders()
    assert not any(each.exists() for each in gone)
    assert all(each.is_dir() for each in (*kept, room / "overtable-abcd_237"))
    assert [path.name for each in kept for path in each.iterdir()] == ["piece.avi", "sea.jpg", "piece.avi", "piece.avi"]
