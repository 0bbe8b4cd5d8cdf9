"""Poses in few bytes: the body of a row `PosesSeen` (layout in this folder's README).

A picture that does not fit the layout without loss, which none does that `assistant.poses.entry_of` made, is kept as
JSON in place of it.
"""

import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, get_args

from assistant.errors import BadInput
from assistant.poses import STATES, PoseEntry
from assistant.record.names import Names
from assistant.record.seen import Doubt, PosesSeen

LAYOUT = 1
_HEAD = struct.Struct("<BBBHH")
"""Layout, doubt and whether JSON follows, anchors seen, calibration, number of poses."""
HEAD = _HEAD.size
"""Bytes before the poses."""
_POSE = struct.Struct("<HBiihHHH")
"""Base, flags, x, y, facing, and the three standard deviations."""
_BEGINNING = struct.Struct("<HB")
"""Base and flags."""
_SPOT = struct.Struct("<ii")
"""x and y, after that."""
_HEIGHT, _COUNT, _NUMBER = struct.Struct("<i"), struct.Struct("<B"), struct.Struct("<H")
_DOUBTS: tuple[Doubt | None, ...] = (None, *get_args(Doubt))
_MORE = 4
"""Flag of the head: JSON follows the poses."""
_DOUBT = 3
"""These of its bits are the doubt."""
_MOVING, _RAISED, _OTHERS, _OTHER_CALIBRATION = 4, 8, 16, 32
"""Flags of a pose, above the two bits of its state."""
_PLAIN = 7
"""Flags up to this one leave a pose as long as it always is."""
_REST = ("shown_twice", "wrong_anchors", "astray", "slipped_mm")
"""What is seldom there, and is JSON."""
_POWERS = tuple(10.0**power for power in range(16))
_EXPONENTS, _LEAST = 16, 6
"""A sigma is three digits times a power of ten from -6 to 9."""


class Place(NamedTuple):
    """Where in a body a pose is."""

    base: int
    """The number of its tag and model."""
    state: int
    """As `STATES` counts them."""
    body: bytes
    begins: int
    ends: int


class Misfit(ValueError):
    """It cannot be written so without loss."""


def packed(seen: PosesSeen, names: Names) -> bytes:
    """Return the compact body of what a picture showed.

    Args:
        seen: what it showed.
        names: of everything that it names.

    Raises:
        Misfit: some of it is finer, larger or more than the layout holds.

    """
    rest = seen.model_dump_json(include=set(_REST), exclude_defaults=True) if any(_rest(seen)) else ""
    calibration = names.calibration(seen.calibration)
    flags = _DOUBTS.index(seen.doubt) | (_MORE if rest else 0)
    try:
        parts = [_HEAD.pack(LAYOUT, flags, seen.anchors_seen, calibration, len(seen.poses))]
        parts += [_packed(entry, names, seen.calibration) for entry in seen.poses]
    except (struct.error, OverflowError) as error:
        raise Misfit(str(error)) from None
    return b"".join(parts) + rest.encode()


def unpacked(body: bytes, names: Names) -> PosesSeen:
    """Return what a picture showed, of its compact body.

    Raises:
        BadInput: it is of another layout, or not whole.
        pydantic.ValidationError: the JSON after it is none.

    """
    poses = tuple(pose_at(place, names) for place in places(body))
    _, flags, anchors, calibration, _ = _HEAD.unpack_from(body)
    try:
        measured_with, doubt = names.calibrations[calibration], _DOUBTS[flags & _DOUBT]
    except IndexError:
        raise _not_whole() from None
    seen = PosesSeen(anchors_seen=anchors, calibration=measured_with, poses=poses, doubt=doubt)
    if not flags & _MORE:
        return seen
    rest = _Rest.model_validate_json(body[_end(body) :])
    return seen.model_copy(update={name: getattr(rest, name) for name in _REST})


def places(body: bytes) -> Iterator[Place]:
    """Yield where each pose of a compact body is, without unpacking it, which takes ten times as long.

    Raises:
        BadInput: it is of another layout, or not whole.

    """
    try:
        layout, more, _, _, count = _HEAD.unpack_from(body)
        if layout != LAYOUT:
            raise BadInput(f"poses in the layout {layout}, which this version does not know; a newer one wrote it")
        at, long, whole, beginning = _HEAD.size, _POSE.size, len(body), _BEGINNING.unpack_from
        for _ in range(count):
            base, flags = beginning(body, at)
            end = at + long if flags <= _PLAIN else _longer(body, at + long, flags)
            if end > whole:
                raise _not_whole()
            yield Place(base, flags & 3, body, at, end)
            at = end
    except (struct.error, IndexError):
        raise _not_whole() from None
    if not more & _MORE and at != whole:
        raise BadInput("there is more of it than its poses; the file is damaged")


def moving_at(place: Place) -> bool:
    """Whether the pose at a place is that of a model that is seen to move."""
    return place.body[place.begins + 2] & (_MOVING | 3) == _MOVING


def spots(body: bytes) -> Iterator[tuple[int, int, float, float]]:
    """Yield of each pose the number of its base, its state, x and y in millimetres; errors as in `places`."""
    for base, state, _, begins, _ in places(body):
        x, y = _SPOT.unpack_from(body, begins + _BEGINNING.size)
        yield base, state, x / 100, y / 100


def _longer(body: bytes, at: int, flags: int) -> int:
    """Return where a pose ends, of which not only the plain part is there."""
    at += _HEIGHT.size if flags & _RAISED else 0
    at += _COUNT.size + _HEIGHT.size * body[at] if flags & _OTHERS else 0
    return at + (_NUMBER.size if flags & _OTHER_CALIBRATION else 0)


def doubt_in(head: bytes) -> Doubt | None:
    """Return the doubt of a picture by the head of its body; BadInput if it is none."""
    try:
        flags: int = _HEAD.unpack_from(head)[1]
        return _DOUBTS[flags & _DOUBT]
    except struct.error:
        raise _not_whole() from None


def _end(body: bytes) -> int:
    """Return where the poses of a body end."""
    end = _HEAD.size
    for place in places(body):
        end = place.ends
    return end


def _not_whole() -> BadInput:
    return BadInput("its poses are not whole; the file is damaged")


class _Rest(PosesSeen):
    """What follows the poses."""

    anchors_seen: int = 0
    calibration: str = ""
    poses: tuple[PoseEntry, ...] = ()


def _rest(seen: PosesSeen) -> tuple[object, ...]:
    return tuple(getattr(seen, name) for name in _REST)


def _packed(entry: PoseEntry, names: Names, measured_with: str | None) -> bytes:
    others, own = entry.other_z_mm, entry.calibration != measured_with
    flags = STATES.index(entry.state) | (_MOVING if entry.moving else 0)
    flags |= (_RAISED if entry.z_mm else 0) | (_OTHERS if others else 0) | (_OTHER_CALIBRATION if own else 0)
    sigma_x, sigma_y = entry.sigma_mm
    data = _POSE.pack(
        names.base(entry),
        flags,
        _hundredths(entry.x_mm),
        _hundredths(entry.y_mm),
        _hundredths(entry.facing_deg),
        _digits(sigma_x),
        _digits(sigma_y),
        _digits(entry.sigma_deg),
    )
    if not flags & ~(3 | _MOVING):
        return data
    data += _HEIGHT.pack(_hundredths(entry.z_mm)) if entry.z_mm else b""
    if others:
        data += _COUNT.pack(len(others)) + b"".join(_HEIGHT.pack(_hundredths(z_mm)) for z_mm in others)
    return data + (_NUMBER.pack(names.calibration(entry.calibration)) if own else b"")


def pose_at(place: Place, names: Names) -> PoseEntry:
    """Return the pose at a place; BadInput if it names what has no number."""
    body, at = place.body, place.begins
    base, flags, x, y, facing, sigma_x, sigma_y, sigma_turn = _POSE.unpack_from(body, at)
    at, z_mm, others, calibration = at + _POSE.size, 0.0, (), _HEAD.unpack_from(body)[3]
    if flags & _RAISED:
        z_mm, at = _HEIGHT.unpack_from(body, at)[0] / 100, at + _HEIGHT.size
    if flags & _OTHERS:
        found = struct.unpack_from(f"<{body[at]}i", body, at + 1)
        others, at = tuple(z / 100 for z in found), at + _COUNT.size + _HEIGHT.size * body[at]
    if flags & _OTHER_CALIBRATION:
        (calibration,) = _NUMBER.unpack_from(body, at)
    try:
        tag, model = names.bases[base]
        measured_with = names.calibrations[calibration]
    except IndexError:
        raise _not_whole() from None
    values: Mapping[str, Any] = {
        "tag": tag,
        "model": model,
        "x_mm": x / 100,
        "y_mm": y / 100,
        "facing_deg": facing / 100,
        "z_mm": z_mm,
        "sigma_mm": (_sigma(sigma_x), _sigma(sigma_y)),
        "sigma_deg": _sigma(sigma_turn),
        "state": STATES[flags & 3],
        "moving": bool(flags & _MOVING),
        "other_z_mm": others,
        "calibration": measured_with,
    }
    return PoseEntry.model_validate(values)


def with_its_own(place: Place) -> bytes:
    """Return the bytes of a pose so that they name its calibration themselves, whatever head they follow."""
    data = bytearray(place.body[place.begins : place.ends])
    if not data[2] & _OTHER_CALIBRATION:
        data[2] |= _OTHER_CALIBRATION
        data += _NUMBER.pack(_HEAD.unpack_from(place.body)[3])
    return bytes(data)


def packed_with_its_own(entry: PoseEntry, names: Names) -> bytes:
    """Return the same bytes of a pose; Misfit as in `packed`."""
    try:
        return _packed(entry, names, None)
    except (struct.error, OverflowError) as error:
        raise Misfit(str(error)) from None


def together(poses: list[bytes]) -> bytes:
    """Return a compact body of poses that name their calibrations themselves; Misfit if they are too many."""
    try:
        return _HEAD.pack(LAYOUT, 0, 0, 0, len(poses)) + b"".join(poses)
    except struct.error as error:
        raise Misfit(str(error)) from None


def _hundredths(value: float) -> int:
    number = round(value * 100)
    if number / 100 != value:
        raise Misfit(f"{value} is finer than a hundredth")
    return number


@lru_cache(4096)
def _digits(sigma: float) -> int:
    """Return three significant digits and their power of ten in 14 bits."""
    mantissa, _, power = f"{sigma:.2e}".partition("e")
    digits, exponent = int(mantissa.replace(".", "")), int(power) - 2 + _LEAST if sigma else 0
    while exponent < 0 and digits % 10 == 0:
        digits, exponent = digits // 10, exponent + 1
    number = digits * _EXPONENTS + exponent
    if sigma < 0 or not 0 <= exponent < _EXPONENTS or _sigma(number) != sigma:
        raise Misfit(f"{sigma} has more than three digits, or is out of range")
    return number


@lru_cache(4096)
def _sigma(number: int) -> float:
    digits, exponent = divmod(number, _EXPONENTS)
    return digits / _POWERS[_LEAST - exponent] if exponent < _LEAST else digits * _POWERS[exponent - _LEAST]
