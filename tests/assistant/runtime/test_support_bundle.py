import json
import logging
import zipfile
from pathlib import Path

import pytest

from assistant.features.demo.catalogue import SETUP
from assistant.runtime.logs import configure_logs
from assistant.runtime.support_bundle import clean_text
from tests.assistant.cli.command_runner import read_refusal, run_overtable

SECRET = "hunter2"


def read_bundle(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as bundle:
        assert bundle.testzip() is None
        return {name: bundle.read(name).decode(errors="replace") for name in bundle.namelist()}


def test_a_bundle_holds_what_a_bug_report_needs_and_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "club"
    folder.mkdir()
    source = "http://me:hunter2@127.0.0.1:1/video?token=hunter2"
    setup = folder / "setup.toml"
    setup.write_text(SETUP.read_text().replace('"virtual:"', f'"{source}"\nlens = "lens.json"'))
    (folder / "lens.json").write_text("{}")
    configure_logs("info")
    logging.getLogger("assistant.test").warning("the camera %s at %s", source, folder)
    run = run_overtable("doctor", "--setup", setup, "--bundle", folder / "b.zip", "--with-pictures", "--json")
    packed = read_bundle(folder / "b.zip")
    assert {"about.txt", "doctor.txt", "versions.json", "setup/setup.toml", "setup/lens.json"} <= packed.keys()
    assert any("the camera http://me:***@127.0.0.1:1" in text for name, text in packed.items() if "log/" in name)
    assert 'source = "http://me:***@127.0.0.1:1/video?token=***' in packed["setup/setup.toml"]
    assert "does not answer" in packed["picture.txt"] + packed["doctor.txt"]
    assert json.loads(packed["versions.json"])["overtable"]
    for name, text in packed.items():
        assert SECRET not in text, name
        assert str(tmp_path) not in text, name
    assert SECRET not in run.out + run.err


def test_pictures_are_packed_only_where_they_are_asked_for(tmp_path: Path) -> None:
    run_overtable("doctor", "--setup", SETUP, "--bundle", tmp_path / "without.zip")
    assert not [name for name in read_bundle(tmp_path / "without.zip") if "picture" in name]
    run_overtable("doctor", "--setup", SETUP, "--bundle", tmp_path / "with.zip", "--with-pictures")
    assert "picture.jpg" in read_bundle(tmp_path / "with.zip")
    assert "--bundle" in read_refusal(run_overtable("doctor", "--with-pictures"))


def test_a_bundle_is_packed_even_where_the_set_up_cannot_be_read(tmp_path: Path) -> None:
    setup = tmp_path / "setup.toml"
    setup.write_text('[camera]\nsource = "rtsp://me:hun ter2@cam/one" # me@home\nnonsense')
    read_refusal(run_overtable("doctor", "--setup", setup, "--bundle", tmp_path / "b.zip"))
    packed = read_bundle(tmp_path / "b.zip")
    assert "ter2" not in packed["setup/setup.toml"]
    assert "nonsense" in packed["setup/setup.toml"]
    assert "Nothing could be examined: BadInput" in packed["doctor.txt"]


def test_sources_are_cleaned_in_every_spelling() -> None:
    for text in ('camera = {source = "rtsp://me:hunter2@cam"}', '{"source": "rtsp://me:hun\\"ter2@cam"}'):
        assert "ter2" not in clean_text(text)
