"""The registry of exporters: every format is found by its name, and loads."""

from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.runtime.exporters import list_exporters, load_exporter


def test_every_format_loads_and_names_only_options_that_there_are() -> None:
    names = list(list_exporters())
    assert names == ["html", "mp4", "json", "mcap", "corrected", "moves", "situation"]
    exporters = [load_exporter(name) for name in names]
    assert all(isinstance(exporter, Exporter) for exporter in exporters)
    assert len({exporter.name for exporter in exporters}) == len(names)
    options = set(ExportOptions.__dataclass_fields__) - {"progress"}
    assert set().union(*(exporter.options for exporter in exporters)) == options
