"""The registry of exporters: every format that a recorded game can be exported to, by its name."""

from importlib.metadata import EntryPoint

from assistant.replay.exports.exporter import Exporter

GROUP = "overtable.exporters"
BUILT_IN = (
    EntryPoint(name="html", value="assistant.web.replay_page:EXPORTER", group=GROUP),
    EntryPoint(name="mp4", value="assistant.replay.exports.film:EXPORTER", group=GROUP),
    EntryPoint(name="json", value="assistant.replay.exports.json_lines:EXPORTER", group=GROUP),
    EntryPoint(name="mcap", value="assistant.replay.exports.mcap:EXPORTER", group=GROUP),
    EntryPoint(name="corrected", value="assistant.replay.exports.corrected_recording:EXPORTER", group=GROUP),
    EntryPoint(name="moves", value="assistant.replay.exports.move_list:EXPORTER", group=GROUP),
    EntryPoint(name="situation", value="assistant.replay.exports.situation:EXPORTER", group=GROUP),
)
"""Where each is, in the words of an entry point: a format is loaded when it is asked for."""


def list_exporters() -> dict[str, EntryPoint]:
    """Return where each exporter is, by the format's name, in the order in which people are told of them."""
    return {entry.name: entry for entry in BUILT_IN}


def load_exporter(name: str) -> Exporter:
    """Return the exporter of a format that `list_exporters` names."""
    exporter: Exporter = list_exporters()[name].load()
    return exporter
