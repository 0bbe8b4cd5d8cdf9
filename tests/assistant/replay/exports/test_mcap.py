"""MCAP files, read by the library that others read them with."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from mcap.reader import make_reader

from assistant.cli import BAD_INPUT
from assistant.replay.exports.exporter import ExportOptions
from assistant.replay.exports.json_lines import LINE_FORMATS, EventsForm, export_lines
from assistant.replay.exports.mcap import EXPORTER
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.replay.sample_recording import play_sample_game


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "game.overtable"
    play_sample_game(path)
    return path


def test_a_recording_is_read_back_line_by_line(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "game.mcap"
    shares: list[float] = []
    description = EXPORTER.export(recording, out, ExportOptions(progress=shares.append))
    lines = list(export_lines(recording, verdicts=True, poses=True))
    with out.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        messages = list(reader.iter_messages(log_time_order=False))
        summary = reader.get_summary()
    assert summary is not None
    assert summary.statistics is not None
    assert description == f"{len(lines)} messages"
    assert (shares[0], shares[-1], shares) == (0, 1, sorted(shares))
    assert summary.statistics.message_count == len(messages) == len(lines)
    assert {channel.topic for channel in summary.channels.values()} == {f"/overtable/{kind}" for kind in LINE_FORMATS}
    counts = Counter[str]()
    for (schema, channel, message), line in zip(messages, lines, strict=True):
        kind = line["kind"]
        counts[kind] += 1
        EventsForm.model_validate_json(message.data)
        assert json.loads(message.data) == line
        assert (channel.topic, channel.message_encoding) == (f"/overtable/{kind}", "json")
        assert schema is not None
        assert (schema.name, schema.encoding) == (f"overtable.{kind}", "jsonschema")
        assert json.loads(schema.data) == LINE_FORMATS[kind].model_json_schema()
        assert message.log_time == message.publish_time == line.get("captured_ns", lines[1]["captured_ns"])
        assert message.sequence == counts[kind]


def test_without_the_package_it_is_said_what_to_install(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcap.writer", None)  # importing it fails
    run = run_overtable("export", recording, "--to", "mcap", "--out", tmp_path / "game.mcap")
    assert (run.status, run.out) == (BAD_INPUT, "")
    assert run.err == "overtable: --to mcap: the package that writes it is not installed; install overtable[mcap]\n"
    assert list(tmp_path.iterdir()) == []
