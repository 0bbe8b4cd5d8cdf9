"""Documents: files that are written anew keep what they were."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.files.documents import write_version


def test_every_version_of_a_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "lens.json"
    assert write_version(path, b"1") is None
    assert write_version(path, b"1") is None, "the same once more is no version"
    assert write_version(path, b"2") == tmp_path / "lens.before-1.json"
    assert write_version(path, b"3") == tmp_path / "lens.before-2.json"
    kept = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert kept == {"lens.json": b"3", "lens.before-1.json": b"1", "lens.before-2.json": b"2"}


def test_what_cannot_be_written_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lens.json"
    path.write_bytes(b"1")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(BadInput, match=r"lens\.json: cannot be written \(No space"):
        write_version(path, b"2")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(BadInput, match="cannot be kept under another name"):
        write_version(path, b"2")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"lens.json": b"1"}
