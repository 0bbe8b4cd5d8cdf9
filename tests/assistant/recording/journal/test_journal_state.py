"""What rows of poses add up to is said in few bytes, and is what whoever plays them comes to."""

import pytest

from assistant.errors import BadInput
from assistant.recording.journal.journal_state import LastPoses, read_latest_ns
from assistant.recording.journal.packed_poses import pack_poses
from assistant.recording.journal.row_types import PosesSeen, Standing
from tests.assistant.recording.journal.test_packed_poses import SEEN, build_names

HEAD = (
    "09000000 00000000" "0100"  # the latest capture time, and that one model is hidden:
    "0100" "0700000000000000"  # the second, since 7
    "01 00 00 0000 0200"
)  # fmt: skip
POSES = (
    "0000" "24" "49750000" "6aff" "ffff" "a6dc" "0220" "4306" "a30f" "0000"
    "0100" "39" "64000000" "c8000000" "5046" "0000" "b507" "6609" "c41d0000" "02" "00000000" "d8130000" "0100"
)  # fmt: skip
NAMES = build_names(SEEN)


def follow_pictures(*pictures: tuple[int, PosesSeen]) -> LastPoses:
    stood = LastPoses()
    for captured_ns, seen in pictures:
        stood.follow(captured_ns, "PosesSeen", pack_poses(seen, NAMES), NAMES)
    return stood


def build_walker_poses(**changes: object) -> PosesSeen:
    return SEEN.model_copy(update={"poses": (SEEN.poses[1].model_copy(update=changes),)})


def test_the_layout_is_the_documented_one() -> None:
    stood = follow_pictures(
        (5, build_walker_poses(state="seen")),
        (6, SEEN.model_copy(update={"poses": SEEN.poses[:1]})),
        (7, build_walker_poses()),
    )
    stood.follow(9, "Withdrawn", "{}", NAMES)
    assert stood.hidden_ns == {"walker": 7}
    assert list(stood.unpack(NAMES)) == ["walker", "scouts-1"]
    stood = follow_pictures((5, SEEN), (6, build_walker_poses(state="seen")), (7, build_walker_poses()))
    stood.follow(9, "Withdrawn", "{}", NAMES)
    body = stood.encode(NAMES)
    assert body == bytes.fromhex(HEAD + POSES)
    again = LastPoses.from_body(body, NAMES)
    assert (again.latest_ns, again.hidden_ns, again.unpack(NAMES)) == (9, {"walker": 7}, stood.unpack(NAMES))
    assert again.unpack(NAMES) == {"scouts-1": SEEN.poses[0], "walker": SEEN.poses[1]}
    assert (again.encode(NAMES), read_latest_ns(body)) == (body, 9)


def test_poses_that_do_not_fit_are_said_as_json() -> None:
    odd = build_walker_poses(x_mm=1.0001)
    stood = follow_pictures((5, SEEN))
    stood.follow(8, "PosesSeen", odd.model_dump_json(), NAMES)
    body = stood.encode(NAMES)
    assert isinstance(body, str)
    assert Standing.model_validate_json(body).poses == (SEEN.poses[0], odd.poses[0])
    assert LastPoses.from_body(body, NAMES).unpack(NAMES) == stood.unpack(NAMES)
    assert LastPoses.from_body(body, NAMES).encode(NAMES) == body


def test_one_that_is_held_without_having_been_seen_is_hidden_since_nobody_knows_when() -> None:
    assert follow_pictures((5, build_walker_poses())).hidden_ns == {}
    assert (
        follow_pictures(
            (5, build_walker_poses(state="seen")), (6, build_walker_poses()), (7, build_walker_poses(state="lifted"))
        ).hidden_ns
        == {}
    )


def test_a_body_that_is_not_whole_is_refused() -> None:
    body = bytes.fromhex(HEAD + POSES)
    for end in range(len(body)):
        with pytest.raises(BadInput, match=r"the file is damaged"):
            LastPoses.from_body(body[:end], NAMES)
    with pytest.raises(BadInput, match="names what has no number"):
        follow_pictures().follow(
            1, "PosesSeen", pack_poses(SEEN, NAMES), build_names(SEEN.model_copy(update={"poses": ()}))
        )
    with pytest.raises(BadInput, match="does not say where models stood"):
        read_latest_ns("{}")
