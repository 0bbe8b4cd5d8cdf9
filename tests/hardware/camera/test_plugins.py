"""Cameras that other packages bring."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import hardware.camera
from hardware.camera import has_known_kind, open_source
from hardware.errors import BadSource
from tests.brought_package import bring_package

KIND = """
from hardware.camera.images import open_spec as open_images
PREFIXES = ({prefix!r},)
def open_spec(spec, **options):
    return open_images("images:" + spec.removeprefix({prefix!r}), **options)
"""


@pytest.fixture(autouse=True)
def _look_anew() -> Iterator[None]:
    hardware.camera._find_openers.cache_clear()
    yield
    hardware.camera._find_openers.cache_clear()


def test_a_camera_of_another_package_opens_the_sources_of_its_prefix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = {"overtable.cameras": "slides = slides_1"}
    bring_package(tmp_path, monkeypatch, "overtable-slides", point, slides_1=KIND.format(prefix="slides:"))
    assert has_known_kind("slides:holiday")
    with pytest.raises(BadSource, match="holiday: no such folder"):
        open_source("slides:holiday", folder=tmp_path)


@pytest.mark.parametrize(
    "bad",
    [
        ("slides_2", "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("slides_3", "PREFIXES = ('slides:',)", "AttributeError: module 'slides_3' has no attribute 'open_spec'"),
        ("slides_4", KIND.format(prefix="usb:"), "'usb:' is built in, or brought by another package, already"),
    ],
)
def test_a_camera_that_cannot_be_used_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, bad: tuple[str, str, str]
) -> None:
    module, text, why = bad
    built_in = dict(hardware.camera._find_openers())
    hardware.camera._find_openers.cache_clear()
    point = {"overtable.cameras": f"slides = {module}"}
    bring_package(tmp_path, monkeypatch, "overtable-slides", point, **{module: text})
    assert hardware.camera._find_openers() == built_in
    assert caplog.messages == [f"overtable-slides: its camera 'slides' cannot be used: {why}"]
    with pytest.raises(BadSource, match="'slides:x' is of no known kind"):
        open_source("slides:x", folder=tmp_path)
