"""MCAP files, read by the library that others read them with."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest

from assistant.replay.exports.json_lines import EventsForm, export_lines
from assistant.replay.exports.mcap import McapWriter, write_mcap
from tests.assistant.replay.sample_recording import play_sample_game

reader = pytest.importorskip("mcap.reader", reason="mcap is among the development dependencies: make setup")


def test_a_recording_is_read_back_line_by_line(tmp_path: Path) -> None:
    play_sample_game(tmp_path / "game.overtable")
    out = tmp_path / "game.mcap"
    count = write_mcap(tmp_path / "game.overtable", out)
    told = list(export_lines(tmp_path / "game.overtable", verdicts=True, poses=True))
    with out.open("rb") as file:
        made = reader.make_reader(file, validate_crcs=True)
        found = [(schema, channel, message) for schema, channel, message in made.iter_messages(log_time_order=False)]
        summary = made.get_summary()
    assert summary is not None
    assert summary.statistics.message_count == count == len(found) == len(told)
    assert sorted(json.loads(message.data).get("entry", 0) for *_, message in found) == [
        line.get("entry", 0) for line in told
    ]
    for schema, channel, message in found:
        line = json.loads(message.data)
        EventsForm.model_validate_json(message.data)
        assert (channel.topic, channel.message_encoding) == (f"/overtable/{line['kind']}", "json")
        assert (schema.encoding, json.loads(schema.data)["type"]) == ("jsonschema", "object")
        assert message.log_time == line.get("captured_ns", told[1]["captured_ns"])


def test_a_time_is_found_in_a_file_of_many_chunks() -> None:
    file = io.BytesIO()
    writer = McapWriter(file)
    fast, slow = (writer.add_channel(topic=name, schema=name, form='{"type": "object"}') for name in ("/fast", "/slow"))
    for at in range(3000):
        writer.add_message(fast, 10 * at, b"x" * 1000)
        if at % 100 == 0:
            writer.add_message(slow, 10 * at, b"{}")
    assert writer.close() == 3030
    file.seek(0)
    made = reader.make_reader(file, validate_crcs=True)
    summary = made.get_summary()
    assert len(summary.chunk_indexes) > 2
    assert (summary.statistics.message_start_time, summary.statistics.message_end_time) == (0, 29990)
    part = [
        (channel.topic, message.log_time)
        for _, channel, message in made.iter_messages(starting_at=15000, ending_before=16000)
    ]
    assert Counter(topic for topic, _ in part) == {"/fast": 100, "/slow": 1}
    assert {time_ns for _, time_ns in part} == set(range(15000, 16000, 10))
