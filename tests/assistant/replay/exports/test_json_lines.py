"""A game as JSON lines names a model's marker as pose documents do."""

import json
import random
from pathlib import Path

from assistant.replay.exports.json_lines import export_lines
from tests.assistant.replay.random_recording import MODELS, record_random_game
from vision.marker_numbers import name_marker


def test_poses_name_tags_and_rings_by_their_own_ids(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    record_random_game(path, random.Random(3))
    lines = [json.loads(json.dumps(line)) for line in export_lines(path, poses=True)]
    poses = [pose for line in lines if line["kind"] == "PosesSeen" for pose in line["event"]["poses"]]
    named = {f"{key} {pose[key]}" for pose in poses for key in ("tag", "ring") if key in pose}
    assert named == set(map(name_marker, MODELS.values()))
    assert all(("tag" in pose) != ("ring" in pose) for pose in poses)
