"""The registry of exporters: every format that a recorded game can be exported to, by its name.

Other packages bring theirs by entry points of the group ``overtable.exporters``, each of which names an `Exporter`.
"""

from functools import cache
from importlib.metadata import EntryPoint

from assistant.files.plugins import add_entry_points, load_entry_point
from assistant.replay.exports.exporter import Exporter

GROUP = "overtable.exporters"
BUILT_IN = (
    EntryPoint(name="html", value="assistant.web.replay_page:EXPORTER", group=GROUP),
    EntryPoint(name="mp4", value="assistant.replay.exports.film:EXPORTER", group=GROUP),
    EntryPoint(name="webm", value="assistant.replay.exports.film:WEBM_EXPORTER", group=GROUP),
    EntryPoint(name="timelapse", value="assistant.replay.exports.timelapse:EXPORTER", group=GROUP),
    EntryPoint(name="json", value="assistant.replay.exports.json_lines:EXPORTER", group=GROUP),
    EntryPoint(name="mcap", value="assistant.replay.exports.mcap:EXPORTER", group=GROUP),
    EntryPoint(name="corrected", value="assistant.replay.exports.corrected_recording:EXPORTER", group=GROUP),
    EntryPoint(name="moves", value="assistant.replay.exports.move_list:EXPORTER", group=GROUP),
    EntryPoint(name="situation", value="assistant.replay.exports.situation:EXPORTER", group=GROUP),
    EntryPoint(name="tts", value="assistant.replay.exports.tabletop_simulator:EXPORTER", group=GROUP),
)
"""Where each is, in the words of an entry point: a format is loaded when it is asked for."""


@cache
def list_exporters() -> dict[str, EntryPoint]:
    """Return where each exporter is, by the format's name, in the order in which people are told of them."""
    return add_entry_points(BUILT_IN, GROUP, "exporter")


def load_exporter(name: str) -> Exporter:
    """Return the exporter of a format that `list_exporters` names.

    Raises:
        BadInput: the package that brings it has something wrong with it.

    """
    return load_entry_point(list_exporters()[name], "exporter", Exporter)
