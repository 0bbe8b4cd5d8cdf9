"""Poses in few bytes are the same poses again, and what does not fit is kept all the same."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.packed_poses import NameTable, PackingError, pack_poses, unpack_poses
from assistant.recording.journal.row_types import Named, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import POSE_STATE_NAMES, PoseEntry, entry_from_pose
from vision.marker_numbers import number_ring
from vision.types import BasePose, PoseState

SEEN = PosesSeen(
    anchors_seen=6,
    calibration="ab12",
    poses=(
        PoseEntry(
            tag=7,
            model="scouts-1",
            x_mm=300.25,
            y_mm=-1.5,
            facing_deg=-90.5,
            z_mm=0.0,
            sigma_mm=(0.0512, 0.1),
            sigma_deg=0.25,
            state="seen",
            moving=True,
            calibration="ab12",
        ),
        PoseEntry(
            tag=586,
            model="walker",
            x_mm=1.0,
            y_mm=2.0,
            facing_deg=180.0,
            z_mm=76.2,
            sigma_mm=(0.0, 12.3),
            sigma_deg=150.0,
            state="held",
            moving=False,
            other_z_mm=(0.0, 50.8),
            calibration="cd34",
        ),
    ),
    doubt="astray",
    astray=(581,),
    slipped_mm={583: 4.1},
)
BODY = (
    "0107" "06" "0000" "0200"
    "0000" "04" "49750000" "6aff" "ffff" "a6dc" "0220" "4306" "a30f"
    "0100" "39" "64000000" "c8000000" "5046" "0000" "b507" "6609"
    "c41d0000" "02" "00000000" "d8130000" "0100"
)  # fmt: skip


def build_names(seen: PosesSeen) -> NameTable:
    names = NameTable()
    if lacking := names.find_missing(seen):
        names.add(lacking)
    return names


def test_the_layout_is_the_documented_one() -> None:
    body = pack_poses(SEEN, build_names(SEEN))
    assert body.startswith(bytes.fromhex(BODY))
    assert body[len(BODY) // 2 :] == b'{"astray":[581],"slipped_mm":{"583":4.1}}'
    assert unpack_poses(body, build_names(SEEN)) == SEEN


def test_rings_are_numbered_with_the_tags() -> None:
    tagged, other = SEEN.poses
    ringed = PoseEntry.model_validate({**other.model_dump(exclude={"tag"}), "ring": 7})
    seen = SEEN.model_copy(update={"poses": (ringed, tagged), "rings_shown_twice": (7,)})
    lacking = NameTable().find_missing(seen)
    assert lacking == Named(bases=((7, "scouts-1"),), rings=((7, "walker"),), calibrations=("ab12", "cd34"))
    names = build_names(seen)
    assert names.copy().find_missing(seen) is None
    assert names.find_model(1) == "walker"
    again = unpack_poses(pack_poses(seen, names), names)
    assert again == seen
    assert again.markers_shown_twice == (number_ring(7),)
    assert (again.poses[0].marker, again.poses[1].marker) == (number_ring(7), 7)


def test_a_body_that_is_not_whole_is_refused() -> None:
    names = build_names(SEEN)
    body = pack_poses(SEEN.model_copy(update={"astray": (), "slipped_mm": {}}), names)
    for end in range(len(body)):
        with pytest.raises(BadInput, match="not whole"):
            unpack_poses(body[:end], names)
    with pytest.raises(BadInput, match="more of it"):
        unpack_poses(body + b"x", names)
    with pytest.raises(BadInput, match="layout 2, which this version does not know"):
        unpack_poses(b"\2" + body[1:], names)
    with pytest.raises(BadInput, match="not whole"):
        unpack_poses(body, NameTable())


PLACES = st.floats(-1e5, 1e5)


@given(
    place=st.tuples(PLACES, PLACES, st.floats(-50, 50), st.just(0.0) | st.floats(0, 500)),
    sigmas=st.tuples(*3 * (st.floats(0, 1e4),)),
    state=st.sampled_from(PoseState),
    marker=st.sampled_from((3, number_ring(3))),
    moving=st.booleans(),
    others=st.lists(st.floats(0, 500), max_size=3),
    calibration=st.sampled_from(("ab12", "cd34")),
)
def test_whatever_a_camera_measures_comes_back_as_it_was_shown(
    place: tuple[float, float, float, float],
    sigmas: tuple[float, float, float],
    state: PoseState,
    *,
    marker: int,
    moving: bool,
    others: list[float],
    calibration: str,
) -> None:
    x_mm, y_mm, facing_rad, z_mm = place
    entry = entry_from_pose(
        BasePose(
            marker=marker,
            model="a",
            x_mm=x_mm,
            y_mm=y_mm,
            facing_rad=facing_rad,
            z_mm=z_mm,
            covariance=np.diag(np.square(sigmas)),
            state=state,
            moving=moving,
            seen_ns=0,
            other_z_mm=tuple(others),
            calibration=calibration,
        )
    )
    seen = PosesSeen(anchors_seen=4, calibration="ab12", poses=(entry,))
    again = unpack_poses(pack_poses(seen, build_names(seen)), build_names(seen))
    assert again == seen
    assert again.model_dump_json() == seen.model_dump_json()
    assert abs(entry.x_mm - x_mm) <= 0.00501
    assert abs(math.remainder(entry.facing_deg - math.degrees(facing_rad), 360)) <= 0.00501
    assert entry.sigma_mm[0] == pytest.approx(sigmas[0], rel=0.006, abs=1e-6)
    assert entry.state in POSE_STATE_NAMES


@pytest.mark.parametrize(
    "finer",
    [{"x_mm": 0.001}, {"facing_deg": 400.0}, {"sigma_deg": 0.12345}, {"x_mm": 1e8}, {"other_z_mm": (1.0,) * 300}],
)
def test_what_does_not_fit_is_kept_as_json(tmp_path: Path, finer: dict[str, object]) -> None:
    odd = PosesSeen(anchors_seen=4, calibration="ab12", poses=(SEEN.poses[0].model_copy(update=finer),))
    with pytest.raises(PackingError):
        pack_poses(odd, build_names(odd))
    with Journal(tmp_path / "game.overtable", about={}) as journal:
        journal.append((1, SEEN), (2, odd), (3, SEEN))
    assert [entry.what for entry in read_entries(tmp_path / "game.overtable")] == [SEEN, odd, SEEN]


def test_poses_are_read_from_the_middle_on(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        for at in range(4):
            renamed = tuple(pose.model_copy(update={"tag": at, "calibration": f"{at}"}) for pose in SEEN.poses)
            journal.append((at, SEEN.model_copy(update={"poses": renamed})))
        entries = list(read_entries(path))
        for entry in entries:
            assert list(read_entries(path, after=entry.id)) == [e for e in entries if e.id > entry.id]
