"""Output paths: where results may be written."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.files.output_path import check_target, is_json_of, is_pdf

LENS = is_json_of("overtable.lens")


def read_refusal(path: Path) -> str:
    with pytest.raises(BadInput) as refusal:
        check_target(path, "lens file", replaces=LENS)
    return str(refusal.value)


def test_only_a_file_of_the_same_kind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "lens.json"
    check_target(path, "lens file", replaces=LENS)
    for same in ("", '{"format": "overtable.lens/1"}', '\ufeff\n{\n "format":\n  "overtable.lens/2"}'):
        path.write_text(same, encoding="utf-8")
        check_target(path, "lens file", replaces=LENS)
    for other in ('{"format": "overtable.table/1"}', 'format = "overtable.lens/1"', "\xff\xd8\xff", "[1]"):
        path.write_text(other, encoding="latin-1")
        assert read_refusal(path) == (
            f"{path}: what is there is no lens file and would be lost; choose another name, or move it away"
        )
    assert is_pdf(b"%PDF-1.7\n")
    assert not is_pdf(b'format = "overtable.setup/1"')


def test_what_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    assert "this is a folder; expected the name of the lens file to write" in read_refusal(tmp_path)
    assert "there is no folder" in read_refusal(tmp_path / "gone" / "lens.json")
    path = tmp_path / "lens.json"
    path.write_text('{"format": "overtable.lens/1"}')
    path.chmod(0o444)
    assert "it is protected; choose another name" in read_refusal(path)
