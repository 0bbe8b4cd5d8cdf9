"""Journal state: what the rows so far add up to, which is how every model was last seen, and what the next row follows.

Poses stay packed until somebody asks for them, so that a long game is followed fast.  A journal says now and then what
its rows came to until then (a row `Standing`), so that whoever looks into the middle of it need not begin at its
beginning.  The tail knows the last row's digest, and which rows have to stand before the next.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pydantic import ValidationError

from assistant.errors import BadInput
from assistant.files.documents import describe_validation_error
from assistant.game.events import Event
from assistant.recording.journal.hash_chain import compute_next_digest
from assistant.recording.journal.packed_poses import (
    NameTable,
    PackedPose,
    PackingError,
    embed_calibration,
    join_poses,
    locate_poses,
    pack_with_calibration,
    unpack_pose,
)
from assistant.recording.journal.row_encoding import Body, encode_row
from assistant.recording.journal.row_types import BookkeepingRow, ObservationRow, PosesSeen, Standing
from assistant.recording.poses import POSE_STATE_NAMES, PoseEntry

ROWS_PER_SUMMARY = 512
"""A journal says where everything stands after so many rows: that many are followed in a few milliseconds."""
_HEAD = struct.Struct("<qH")
"""The latest capture time, and how many models are hidden."""
_HIDDEN = struct.Struct("<Hq")
"""Which pose it is, and since when."""
_SEEN, _HELD = POSE_STATE_NAMES.index("seen"), POSE_STATE_NAMES.index("held")
_POSES = PosesSeen.__name__
_LastPose = PackedPose | PoseEntry
"""A pose, still packed or as a row has it that is JSON."""


class LastPoses:
    """How every model that was seen was last shown, and since when those that are held are hidden."""

    def __init__(self) -> None:
        self.latest_ns = 0
        """The latest capture time of any row."""
        self._shown: dict[str, _LastPose] = {}
        self._hidden_ns: dict[str, int] = {}

    def copy(self) -> Self:
        """Return the same, to be followed by itself."""
        other = type(self)()
        other.latest_ns = self.latest_ns
        other._shown, other._hidden_ns = dict(self._shown), dict(self._hidden_ns)
        return other

    def follow(self, captured_ns: int, kind: str, body: bytes | str, names: NameTable) -> None:
        """Take in the next row.

        Raises:
            BadInput: it is of poses, and its body is none.

        """
        self.latest_ns = max(self.latest_ns, captured_ns)
        if kind != _POSES:
            return
        bases, shown, hidden = names.bases, self._shown, self._hidden_ns
        try:
            for each in locate_poses(body) if isinstance(body, bytes) else _read_poses(body):
                model, state = (
                    (bases[each.base][1], each.state)
                    if isinstance(each, PackedPose)
                    else (each.model, _find_state_number(each))
                )
                if state != _HELD:
                    if hidden:
                        hidden.pop(model, None)
                elif (before := shown.get(model)) is not None and _find_state_number(before) == _SEEN:
                    hidden[model] = captured_ns
                shown[model] = each
        except IndexError:
            raise BadInput("it names what has no number; the file is damaged") from None

    def follow_all(self, latest_ns: int, seen: Mapping[str, PackedPose]) -> bool:
        """Take in the next rows at once; return whether that can be, and do nothing where they count one by one.

        Args:
            latest_ns: the latest capture time of any of them.
            seen: how they show each model last; at no time is one held.

        """
        if self._hidden_ns or not seen.keys() <= self._shown.keys():  # the order of models is that of their first rows
            return False
        self.latest_ns = max(self.latest_ns, latest_ns)
        self._shown.update(seen)
        return True

    def unpack(self, names: NameTable) -> dict[str, PoseEntry]:
        """Return how every model was last shown, in the order in which they were first seen."""
        return {
            model: unpack_pose(each, names) if isinstance(each, PackedPose) else each
            for model, each in self._shown.items()
        }

    @property
    def hidden_ns(self) -> dict[str, int]:
        """Since when each held model is hidden that was seen before."""
        return dict(self._hidden_ns)

    def encode(self, names: NameTable) -> bytes | str:
        """Return the body of a row `Standing`."""
        try:
            poses = join_poses(
                [
                    embed_calibration(each) if isinstance(each, PackedPose) else pack_with_calibration(each, names)
                    for each in self._shown.values()
                ]
            )
        except PackingError:
            poses_and_more = Standing(
                latest_ns=self.latest_ns, poses=tuple(self.unpack(names).values()), hidden_ns=self._hidden_ns
            )
            return poses_and_more.model_dump_json()
        at = {model: number for number, model in enumerate(self._shown)} if self._hidden_ns else {}
        hidden = [_HIDDEN.pack(at[model], since_ns) for model, since_ns in self._hidden_ns.items()]
        return b"".join((_HEAD.pack(self.latest_ns, len(hidden)), *hidden, poses))

    @classmethod
    def from_body(cls, body: bytes | str, names: NameTable) -> Self:
        """Return what a row `Standing` says.

        Raises:
            BadInput: its body is none.

        """
        last_poses = cls()
        if isinstance(body, str):
            summary = _parse_summary(body)
            last_poses.latest_ns, last_poses._hidden_ns = summary.latest_ns, dict(summary.hidden_ns)
            last_poses._shown = {entry.model: entry for entry in summary.poses}
            return last_poses
        try:
            last_poses.latest_ns, count = _HEAD.unpack_from(body)
            end = _HEAD.size + count * _HIDDEN.size
            poses = list(locate_poses(body[end:]))
            last_poses._shown = {names.bases[each.base][1]: each for each in poses}
            for number, since_ns in _HIDDEN.iter_unpack(body[_HEAD.size : end]):
                last_poses._hidden_ns[names.bases[poses[number].base][1]] = since_ns
        except (struct.error, IndexError):
            raise _build_damage_error() from None
        return last_poses


def read_latest_ns(body: bytes | str) -> int:
    """Return the latest capture time before a row `Standing`; BadInput if it is none."""
    if isinstance(body, str):
        return _parse_summary(body).latest_ns
    try:
        latest_ns: int = _HEAD.unpack_from(body)[0]
    except struct.error:
        raise _build_damage_error() from None
    return latest_ns


def _parse_summary(body: str) -> Standing:
    try:
        return Standing.model_validate_json(body)
    except ValidationError:
        raise _build_damage_error() from None


def _build_damage_error() -> BadInput:
    return BadInput("it does not say where models stood; the file is damaged")


def _read_poses(body: str) -> tuple[PoseEntry, ...]:
    try:
        return PosesSeen.model_validate_json(body).poses
    except ValidationError as error:
        raise BadInput(describe_validation_error(error)) from None


def _find_state_number(pose: _LastPose) -> int:
    """Return the state of a pose, as `POSE_STATE_NAMES` counts them."""
    return pose.state if isinstance(pose, PackedPose) else POSE_STATE_NAMES.index(pose.state)


EncodedRow = tuple[int, int, str, Body, bytes]
"""A row: its id, capture time, kind, body and digest."""


@dataclass(kw_only=True, slots=True)
class Tail:
    """What is known after the last row; the rows that are made by it are not written yet."""

    head: bytes
    """The digest of the last row."""
    row: int = 0
    captured_ns: int = 0
    """Of the last row."""
    names: NameTable = field(default_factory=NameTable)
    last_poses: LastPoses = field(default_factory=LastPoses)
    """What all rows add up to."""
    summary_row: int = 0
    """The last row that said so."""

    def copy(self) -> Self:
        """Return the same, to which rows can be added that perhaps cannot be written."""
        return replace(self, last_poses=self.last_poses.copy())  # names are copied when there are new ones

    def add(self, captured_ns: int, what: Event | ObservationRow | BookkeepingRow) -> Iterator[EncodedRow]:
        """Yield the rows by which a journal says something."""
        # Between two rows that say where everything stands time only goes on, so that a moment is found between them.
        if self.row and (captured_ns < self.captured_ns or self.row - self.summary_row >= ROWS_PER_SUMMARY):
            self.summary_row = self.row + 1
            yield self._append_row(captured_ns, Standing.__name__, self.last_poses.encode(self.names))
        if isinstance(what, PosesSeen) and (lacking := self.names.find_missing(what)) is not None:
            self.names = self.names.copy()
            self.names.add(lacking)
            yield self._append_row(captured_ns, *encode_row(lacking, self.names))
        yield self._append_row(captured_ns, *encode_row(what, self.names))

    def _append_row(self, captured_ns: int, kind: str, body: Body) -> EncodedRow:
        self.row, self.captured_ns = self.row + 1, captured_ns
        self.head = compute_next_digest(self.head, self.row, captured_ns, kind, body)
        self.last_poses.follow(captured_ns, kind, body, self.names)
        return self.row, captured_ns, kind, body, self.head
