"""Where every model stands, followed row by row: what the rows of poses of a journal add up to.

Poses stay packed until somebody asks for them, so that a long game is followed fast.  A journal says now and then what
its rows came to until then (`Standing`), so that whoever looks into the middle of it need not begin at its beginning.
"""

import struct
from typing import Self

from pydantic import ValidationError

from assistant.errors import BadInput
from assistant.files import sentence_of
from assistant.poses import STATES, PoseEntry
from assistant.record.compact import (
    Misfit,
    Place,
    packed_with_its_own,
    places,
    pose_at,
    together,
    with_its_own,
)
from assistant.record.names import Names
from assistant.record.seen import PosesSeen, Standing

EVERY = 512
"""A journal says where everything stands after so many rows: that many are followed in a few milliseconds."""
_HEAD = struct.Struct("<qH")
"""The latest capture time, and how many models are hidden."""
_HIDDEN = struct.Struct("<Hq")
"""Which pose it is, and since when."""
_SEEN, _HELD = STATES.index("seen"), STATES.index("held")
_POSES = PosesSeen.__name__
_Shown = Place | PoseEntry
"""A pose, still packed or as a row has it that is JSON."""


class Stood:
    """How every model that was seen was last shown, and since when those that are held are hidden."""

    def __init__(self) -> None:
        self.latest_ns = 0
        """The latest capture time of any row."""
        self._shown: dict[str, _Shown] = {}
        self._hidden_ns: dict[str, int] = {}

    def copy(self) -> Self:
        """Return the same, to be followed by itself."""
        other = type(self)()
        other.latest_ns = self.latest_ns
        other._shown, other._hidden_ns = dict(self._shown), dict(self._hidden_ns)
        return other

    def follow(self, captured_ns: int, kind: str, body: bytes | str, names: Names) -> None:
        """Take in the next row.

        Raises:
            BadInput: it is of poses, and its body is none.

        """
        self.latest_ns = max(self.latest_ns, captured_ns)
        if kind != _POSES:
            return
        bases, shown, hidden = names.bases, self._shown, self._hidden_ns
        try:
            for each in places(body) if isinstance(body, bytes) else _read(body):
                model, state = (bases[each.base][1], each.state) if isinstance(each, Place) else (each.model, _of(each))
                if state != _HELD:
                    if hidden:
                        hidden.pop(model, None)
                elif (before := shown.get(model)) is not None and _of(before) == _SEEN:
                    hidden[model] = captured_ns
                shown[model] = each
        except IndexError:
            raise BadInput("it names what has no number; the file is damaged") from None

    def poses(self, names: Names) -> dict[str, PoseEntry]:
        """Return how every model was last shown, in the order in which they were first seen."""
        return {model: pose_at(each, names) if isinstance(each, Place) else each for model, each in self._shown.items()}

    @property
    def hidden_ns(self) -> dict[str, int]:
        """Since when each held model is hidden that was seen before."""
        return dict(self._hidden_ns)

    def written(self, names: Names) -> bytes | str:
        """Return the body of a row `Standing`."""
        try:
            poses = together(
                [
                    with_its_own(each) if isinstance(each, Place) else packed_with_its_own(each, names)
                    for each in self._shown.values()
                ]
            )
        except Misfit:
            poses_and_more = Standing(
                latest_ns=self.latest_ns, poses=tuple(self.poses(names).values()), hidden_ns=self._hidden_ns
            )
            return poses_and_more.model_dump_json()
        at = {model: number for number, model in enumerate(self._shown)} if self._hidden_ns else {}
        hidden = [_HIDDEN.pack(at[model], since_ns) for model, since_ns in self._hidden_ns.items()]
        return b"".join((_HEAD.pack(self.latest_ns, len(hidden)), *hidden, poses))

    @classmethod
    def of(cls, body: bytes | str, names: Names) -> Self:
        """Return what a row `Standing` says.

        Raises:
            BadInput: its body is none.

        """
        stood = cls()
        if isinstance(body, str):
            told = _summed(body)
            stood.latest_ns, stood._hidden_ns = told.latest_ns, dict(told.hidden_ns)
            stood._shown = {entry.model: entry for entry in told.poses}
            return stood
        try:
            stood.latest_ns, count = _HEAD.unpack_from(body)
            end = _HEAD.size + count * _HIDDEN.size
            poses = list(places(body[end:]))
            stood._shown = {names.bases[each.base][1]: each for each in poses}
            for number, since_ns in _HIDDEN.iter_unpack(body[_HEAD.size : end]):
                stood._hidden_ns[names.bases[poses[number].base][1]] = since_ns
        except (struct.error, IndexError):
            raise _not_said() from None
        return stood


def latest_in(body: bytes | str) -> int:
    """Return the latest capture time before a row `Standing`; BadInput if it is none."""
    if isinstance(body, str):
        return _summed(body).latest_ns
    try:
        latest_ns: int = _HEAD.unpack_from(body)[0]
    except struct.error:
        raise _not_said() from None
    return latest_ns


def _summed(body: str) -> Standing:
    try:
        return Standing.model_validate_json(body)
    except ValidationError:
        raise _not_said() from None


def _not_said() -> BadInput:
    return BadInput("it does not say where models stood; the file is damaged")


def _read(body: str) -> tuple[PoseEntry, ...]:
    try:
        return PosesSeen.model_validate_json(body).poses
    except ValidationError as error:
        raise BadInput(sentence_of(error)) from None


def _of(shown: _Shown) -> int:
    """Return the state of a pose, as `STATES` counts them."""
    return shown.state if isinstance(shown, Place) else STATES.index(shown.state)
