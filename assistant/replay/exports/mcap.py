"""A recording as MCAP, for robotics tools: a channel of JSON messages for each kind of thing that happened."""

import json
from collections import Counter
from importlib import import_module
from itertools import chain
from pathlib import Path

from assistant.errors import BadInput
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.exports.json_lines import LINE_FORMATS, export_lines
from assistant.replay.recorded_game import RecordedGame

MAGIC = b"\x89MCAP0\r\n"
"""How every such file begins."""


def export_mcap(recording: Path, out: Path, options: ExportOptions) -> str:
    """Write a recorded game's events, poses, calibrations and verdicts as messages."""
    try:
        mcap = import_module("mcap.writer")
    except ImportError:
        raise BadInput("--to mcap: the package that writes it is not installed; install overtable[mcap]") from None
    whole_ns = max(1, RecordedGame(recording).find_end_ns())
    counts = Counter[str]()
    with out.open("wb") as file:
        writer = mcap.Writer(file, compression=mcap.CompressionType.NONE)
        writer.start(library="overtable")
        channels = {
            kind: writer.register_channel(
                topic=f"/overtable/{kind}",
                message_encoding="json",
                schema_id=writer.register_schema(
                    name=f"overtable.{kind}", encoding="jsonschema", data=json.dumps(form.model_json_schema()).encode()
                ),
            )
            for kind, form in LINE_FORMATS.items()
        }
        lines = export_lines(recording, verdicts=True, poses=True)
        game, first = next(lines), next(lines, None)
        for line in chain([game], [first] if first else [], lines):
            # What the game began with is told at the time of the first thing that happened.
            captured_ns = (first or {}).get("captured_ns", 0) if line is game else line["captured_ns"]
            options.progress(line.get("at_ns", 0) / whole_ns)
            counts[line["kind"]] += 1
            writer.add_message(
                channel_id=channels[line["kind"]],
                sequence=counts[line["kind"]],
                log_time=captured_ns,
                publish_time=captured_ns,
                data=json.dumps(line, ensure_ascii=False).encode(),
            )
        writer.finish()
    return f"{counts.total()} messages"


EXPORTER = Exporter(
    name="MCAP file",
    export=export_mcap,
    suffix=".mcap",
    recognises=lambda head: head.startswith(MAGIC),
    activity="Writing",
)
