"""The registry of exporters: every format is found by its name, and loads."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.runtime.exporters import BUILT_IN, list_exporters, load_exporter
from tests.brought_package import bring_package


@pytest.fixture(autouse=True)
def _look_anew() -> Iterator[None]:
    list_exporters.cache_clear()
    yield
    list_exporters.cache_clear()


def test_every_format_loads_and_names_only_options_that_there_are() -> None:
    names = [point.name for point in BUILT_IN]
    assert names == ["html", "mp4", "webm", "timelapse", "json", "mcap", "corrected", "moves", "situation", "tts"]
    exporters = [load_exporter(name) for name in names]
    assert all(isinstance(exporter, Exporter) for exporter in exporters)
    assert len({exporter.name for exporter in exporters}) == len(names)
    options = set(ExportOptions.__dataclass_fields__) - {"progress"}
    assert set().union(*(exporter.options for exporter in exporters)) == options


def test_an_exporter_of_another_package_is_known_by_its_entry_points_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = "from assistant.replay.exports.move_list import EXPORTER"
    points = {"overtable.exporters": "scroll = scroll_1:EXPORTER\nmoves = scroll_1:EXPORTER"}
    bring_package(tmp_path, monkeypatch, "overtable-scroll", points, scroll_1=text)
    assert list(list_exporters())[len(BUILT_IN) :] == ["scroll"]
    assert load_exporter("scroll").name == "list of moves"
    assert caplog.messages == ["overtable-scroll: its exporter 'moves' cannot be used: 'moves' is built in already"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("EXPORTER = print", "scroll_{}:EXPORTER is no Exporter"),
    ],
)
def test_an_exporter_that_cannot_be_used_is_told_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    number = len(text)
    point = {"overtable.exporters": f"scroll = scroll_{number}:EXPORTER"}
    bring_package(tmp_path, monkeypatch, "overtable-scroll", point, **{f"scroll_{number}": text})
    sentence = f"overtable-scroll: its exporter 'scroll' cannot be used: {why.format(number)}"
    with pytest.raises(BadInput, match=re.escape(sentence)):
        load_exporter("scroll")
    assert load_exporter("moves").name == "list of moves"
