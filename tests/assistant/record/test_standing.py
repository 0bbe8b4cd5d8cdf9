"""What rows of poses add up to is said in few bytes, and is what whoever plays them comes to."""

import pytest

from assistant.errors import BadInput
from assistant.record.compact import packed
from assistant.record.seen import PosesSeen, Standing
from assistant.record.standing import Stood, latest_in
from tests.assistant.record.test_compact import SEEN, names_of

HEAD = (
    "09000000 00000000" "0100"  # the latest capture time, and that one model is hidden:
    "0100" "0700000000000000"  # the second, since 7
    "01 00 00 0000 0200"
)  # fmt: skip
POSES = (
    "0000" "24" "49750000" "6aff" "ffff" "a6dc" "0220" "4306" "a30f" "0000"
    "0100" "39" "64000000" "c8000000" "5046" "0000" "b507" "6609" "c41d0000" "02" "00000000" "d8130000" "0100"
)  # fmt: skip
NAMES = names_of(SEEN)


def followed(*pictures: tuple[int, PosesSeen]) -> Stood:
    stood = Stood()
    for captured_ns, seen in pictures:
        stood.follow(captured_ns, "PosesSeen", packed(seen, NAMES), NAMES)
    return stood


def walker(**changes: object) -> PosesSeen:
    return SEEN.model_copy(update={"poses": (SEEN.poses[1].model_copy(update=changes),)})


def test_the_layout_is_the_documented_one() -> None:
    stood = followed((5, walker(state="seen")), (6, SEEN.model_copy(update={"poses": SEEN.poses[:1]})), (7, walker()))
    stood.follow(9, "Withdrawn", "{}", NAMES)
    assert stood.hidden_ns == {"walker": 7}
    assert list(stood.poses(NAMES)) == ["walker", "scouts-1"]
    stood = followed((5, SEEN), (6, walker(state="seen")), (7, walker()))
    stood.follow(9, "Withdrawn", "{}", NAMES)
    body = stood.written(NAMES)
    assert body == bytes.fromhex(HEAD + POSES)
    again = Stood.of(body, NAMES)
    assert (again.latest_ns, again.hidden_ns, again.poses(NAMES)) == (9, {"walker": 7}, stood.poses(NAMES))
    assert again.poses(NAMES) == {"scouts-1": SEEN.poses[0], "walker": SEEN.poses[1]}
    assert (again.written(NAMES), latest_in(body)) == (body, 9)


def test_poses_that_do_not_fit_are_said_as_json() -> None:
    odd = walker(x_mm=1.0001)
    stood = followed((5, SEEN))
    stood.follow(8, "PosesSeen", odd.model_dump_json(), NAMES)
    body = stood.written(NAMES)
    assert isinstance(body, str)
    assert Standing.model_validate_json(body).poses == (SEEN.poses[0], odd.poses[0])
    assert Stood.of(body, NAMES).poses(NAMES) == stood.poses(NAMES)
    assert Stood.of(body, NAMES).written(NAMES) == body


def test_one_that_is_held_without_having_been_seen_is_hidden_since_nobody_knows_when() -> None:
    assert followed((5, walker())).hidden_ns == {}
    assert followed((5, walker(state="seen")), (6, walker()), (7, walker(state="lifted"))).hidden_ns == {}


def test_a_body_that_is_not_whole_is_refused() -> None:
    body = bytes.fromhex(HEAD + POSES)
    for end in range(len(body)):
        with pytest.raises(BadInput, match=r"the file is damaged"):
            Stood.of(body[:end], NAMES)
    with pytest.raises(BadInput, match="names what has no number"):
        followed().follow(1, "PosesSeen", packed(SEEN, NAMES), names_of(SEEN.model_copy(update={"poses": ()})))
    with pytest.raises(BadInput, match="does not say where models stood"):
        latest_in("{}")
