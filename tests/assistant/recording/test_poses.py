"""Pose documents name a base by its tag or its ring, and never by both or by a number of the program's own."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assistant.recording.poses import Poses, build_poses_document, join_markers, split_markers
from vision.marker_numbers import number_ring
from vision.types import BasePose, PoseState, TableSnapshot


def make_pose(marker: int) -> BasePose:
    return BasePose(
        marker=marker,
        model=f"m{marker}",
        x_mm=1.0,
        y_mm=2.0,
        facing_rad=0.0,
        z_mm=0.0,
        covariance=np.eye(3),
        state=PoseState.SEEN,
        seen_ns=0,
        moving=False,
    )


def test_a_document_names_tags_and_rings_by_their_own_ids() -> None:
    snapshot = TableSnapshot(
        captured_ns=0,
        sequence=0,
        calibration="c",
        anchors_seen=4,
        shown_twice=(7, number_ring(17)),
        poses=(make_pose(7), make_pose(number_ring(7))),
    )
    document = build_poses_document(snapshot, source="a.jpg", frame=0, captured_ns=None, models={})
    written = json.loads(document.model_dump_json())
    assert [{key: base.get(key) for key in ("tag", "ring")} for base in written["bases"]] == [
        {"tag": 7, "ring": None},
        {"tag": None, "ring": 7},
    ]
    assert all(("tag" in base) != ("ring" in base) for base in written["bases"])
    assert (written["shown_twice"], written["rings_shown_twice"]) == ([7], [17])
    assert written["captured_ns"] is None
    assert Poses.model_validate_json(document.model_dump_json()) == document
    assert document.markers_shown_twice == snapshot.shown_twice


@pytest.mark.parametrize("markers", [{}, {"tag": 1, "ring": 1}])
def test_a_base_with_both_or_neither_is_refused(markers: dict[str, int]) -> None:
    entry = json.loads(
        build_poses_document(
            TableSnapshot(captured_ns=0, sequence=0, calibration="", anchors_seen=4, poses=(make_pose(1),)),
            source="a.jpg",
            frame=0,
            captured_ns=None,
            models={},
        ).model_dump_json()
    )
    del entry["bases"][0]["tag"]
    entry["bases"][0].update(markers)
    with pytest.raises(ValidationError, match="expected either tag or ring"):
        Poses.model_validate_json(json.dumps(entry))


@given(tags=st.lists(st.integers(0, 586)), rings=st.lists(st.integers(0, 999)))
def test_markers_are_split_and_joined(tags: list[int], rings: list[int]) -> None:
    assert split_markers(join_markers(tags, rings)) == (tuple(tags), tuple(rings))
