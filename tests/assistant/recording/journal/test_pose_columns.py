"""Pose columns: whatever a journal holds, they tell what its rows tell one by one."""

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.recording.journal.journal_state import LastPoses
from assistant.recording.journal.packed_poses import POSE_STATE, NameTable, locate_poses, unpack_pose
from assistant.recording.journal.pose_columns import follow_packed_rows, read_batches, read_columns
from assistant.recording.journal.reader import open_journal
from assistant.recording.journal.row_types import Named
from assistant.recording.poses import POSE_STATE_NAMES
from tests.assistant.replay.random_recording import record_random_game


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_columns_tell_what_rows_tell(seed: int, tmp_path: Path) -> None:
    path, names, found = tmp_path / "game.overtable", NameTable(), 0
    record_random_game(path, random.Random(seed))
    with open_journal(path) as db:
        for batch in read_batches(db, names, path):
            poses = batch.poses
            for at, row in enumerate(poses.row.tolist()):
                body = batch.rows[row].body
                assert isinstance(body, bytes)
                places = list(locate_poses(body))
                place = places[at - int((poses.row < row).sum())]
                pose = unpack_pose(place, names)
                assert (place.begins, place.ends) == (poses.begins[at], poses.ends[at])
                assert pose.model == names.find_model(int(poses.base[at]))
                assert (pose.x_mm, pose.y_mm, pose.facing_deg) == (
                    poses.x_mm[at],
                    poses.y_mm[at],
                    poses.facing_deg[at],
                )
                assert pose.state == POSE_STATE_NAMES[int(poses.flags[at]) & POSE_STATE]
                found += 1
            packed = [row.body for row in batch.rows if row.kind == "PosesSeen" and isinstance(row.body, bytes)]
            assert sum(1 for body in packed for _ in locate_poses(body)) == len(poses.base)
    assert found > 20


def test_what_is_damaged_is_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    record_random_game(path, random.Random(5))
    with open_journal(path) as db:
        (batch, *_) = read_batches(db, NameTable(), path)
    whole = next(row.body for row in batch.rows if row.kind == "PosesSeen" and isinstance(row.body, bytes))
    assert isinstance(whole, bytes)
    assert read_columns([whole, whole]) is not None
    for damaged in (whole[:3], whole[:-1], whole + b"x", b"\x09" + whole[1:]):
        assert read_columns([whole, damaged]) is None
    nothing = read_columns([])
    assert nothing is not None
    assert len(nothing.base) == 0


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_rows_count_at_once_as_they_do_one_by_one(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, names, draw, at_once = tmp_path / "game.overtable", NameTable(), random.Random(seed), list[bool]()
    record_random_game(path, draw)
    with open_journal(path) as db:
        read = [row for batch in read_batches(db, names, path) for row in batch.rows if row.kind == "PosesSeen"]
    rows = [(row.captured_ns, row.body) for row in read if isinstance(row.body, bytes)]
    one_model = NameTable()  # whose markers are taken for those of one model
    one_model.add(Named(bases=tuple((tag, "m") for tag, _ in names.bases)))
    follow_all = LastPoses.follow_all

    def spy(self: LastPoses, *of: Any) -> bool:
        at_once.append(follow_all(self, *of))
        return at_once[-1]

    monkeypatch.setattr(LastPoses, "follow_all", spy)
    for known, damage in ((names, 0.0), (one_model, 0.0), (names, 0.2)):
        together, apart = LastPoses(), LastPoses()
        left = [(at_ns, body[:-1] if draw.random() < damage else body) for at_ns, body in rows]
        while left:
            some, left = left[: (size := draw.randrange(1, 9))], left[size:]
            follow_packed_rows(together, some, known)
            for at_ns, body in some:
                with suppress(BadInput):
                    apart.follow(at_ns, "PosesSeen", body, known)
            assert list(together._shown.items()) == list(apart._shown.items())
            assert (together.latest_ns, together.hidden_ns) == (apart.latest_ns, apart.hidden_ns)
    assert {*at_once} == {True, False}
