"""Packed poses: the compact binary body of a row `PosesSeen`, and the name table that its numbers refer to.

The layout is described in the README of `assistant/recording`.  A name table holds the numbers under which a journal
knows markers on models, and calibrations.  A picture that does not fit the layout without loss is kept as JSON in place
of it; none is such whose poses the program rounded when it made them.
"""

import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Self, get_args

from assistant.errors import BadInput
from assistant.recording.journal.row_types import CalibrationDoubt, Named, PosesSeen
from assistant.recording.poses import POSE_STATE_NAMES, PoseEntry, name_in_file
from vision.marker_numbers import get_ring, is_ring, number_ring


class NameTable:
    """The numbers under which a journal knows markers on models, and calibrations."""

    def __init__(self) -> None:
        self._bases: dict[tuple[int, str], int] = {}
        self._calibrations: dict[str, int] = {}
        self.bases: list[tuple[int, str]] = []
        self.calibrations: list[str] = []

    def add(self, named: Named) -> None:
        """Give the next numbers to some more."""
        for base in (*named.bases, *((number_ring(ring), model) for ring, model in named.rings)):
            self._bases[base] = len(self.bases)
            self.bases.append(base)
        for calibration in named.calibrations:
            self._calibrations[calibration] = len(self.calibrations)
            self.calibrations.append(calibration)

    def copy(self) -> Self:
        """Return the same names, to which others can be added."""
        other = type(self)()
        other._bases, other._calibrations = dict(self._bases), dict(self._calibrations)
        other.bases, other.calibrations = list(self.bases), list(self.calibrations)
        return other

    def find_missing(self, seen: PosesSeen) -> Named | None:
        """Return what a picture names that has no number yet; None where everything has."""
        bases = dict.fromkeys(base for p in seen.poses if (base := (p.marker, p.model)) not in self._bases)
        wanted = dict.fromkeys((seen.calibration, *(p.calibration for p in seen.poses)))
        calibrations = tuple(name for name in wanted if name not in self._calibrations)
        if not bases and not calibrations:
            return None
        return Named(
            bases=tuple(base for base in bases if not is_ring(base[0])),
            rings=tuple((get_ring(marker), model) for marker, model in bases if is_ring(marker)),
            calibrations=calibrations,
        )

    def find_model(self, base: int) -> str:
        """Return which model a number stands for; BadInput if it stands for none."""
        try:
            return self.bases[base][1]
        except IndexError:
            raise BadInput("it names what has no number; the file is damaged") from None

    def find_base_number(self, entry: PoseEntry) -> int:
        """Return the number of a marker on a model."""
        return self._bases[entry.marker, entry.model]

    def find_calibration_number(self, name: str) -> int:
        """Return the number of a calibration."""
        return self._calibrations[name]


LAYOUT = 1
_HEAD = struct.Struct("<BBBHH")
"""Layout, doubt and whether JSON follows, anchors seen, calibration, number of poses."""
HEAD_BYTES = _HEAD.size
"""Bytes before the poses."""
_POSE = struct.Struct("<HBiihHHH")
"""Base, flags, x, y, facing, and the three standard deviations."""
_BEGINNING = struct.Struct("<HB")
"""Base and flags."""
_FLAGS_AT = 2
_HEIGHT, _COUNT, _NUMBER = struct.Struct("<i"), struct.Struct("<B"), struct.Struct("<H")
POSE_BYTES, HEIGHT_BYTES, COUNT_BYTES, NUMBER_BYTES = _POSE.size, _HEIGHT.size, _COUNT.size, _NUMBER.size
"""Of a pose without what its flags tell of, and of what may follow: its height, a count of others, its calibration."""
_DOUBTS: tuple[CalibrationDoubt | None, ...] = (None, *get_args(CalibrationDoubt))
MORE = 4
"""Flag of the head: JSON follows the poses."""
_DOUBT = 3
"""These of its bits are the doubt."""
POSE_STATE, MOVING, RAISED, OTHERS, OTHER_CALIBRATION = 3, 4, 8, 16, 32
"""Flags of a pose: its state, that it is moving, and what follows it: its height, those of others, its calibration."""
_PLAIN = 7
"""Flags up to this one leave a pose as long as it always is."""
_REST = ("shown_twice", "rings_shown_twice", "wrong_anchors", "astray", "slipped_mm", "breath_percent", "shake_px")
"""What is seldom there, and is JSON."""
_POWERS = tuple(10.0**power for power in range(16))
_EXPONENTS, _LEAST = 16, 6
"""A sigma is three digits times a power of ten from -6 to 9."""


class PackedPose(NamedTuple):
    """Where in a body a pose is."""

    base: int
    """The number of its marker and model."""
    state: int
    """As `POSE_STATE_NAMES` counts them."""
    body: bytes
    begins: int
    ends: int

    @property
    def moves(self) -> bool:
        """Whether the model is seen, and moves."""
        return self.body[self.begins + _FLAGS_AT] & (POSE_STATE | MOVING) == MOVING


class PackingError(ValueError):
    """It cannot be written so without loss."""


def pack_poses(seen: PosesSeen, names: NameTable) -> bytes:
    """Return the compact body of what a picture showed.

    Args:
        seen: what it showed.
        names: of everything that it names.

    Raises:
        Misfit: some of it is finer, larger or more than the layout holds.

    """
    rest = seen.model_dump_json(include=set(_REST), exclude_defaults=True) if any(_list_remainder(seen)) else ""
    calibration = names.find_calibration_number(seen.calibration)
    flags = _DOUBTS.index(seen.doubt) | (MORE if rest else 0)
    try:
        parts = [_HEAD.pack(LAYOUT, flags, seen.anchors_seen, calibration, len(seen.poses))]
        parts += [_pack_pose(entry, names, seen.calibration) for entry in seen.poses]
    except (struct.error, OverflowError) as error:
        raise PackingError(str(error)) from None
    return b"".join(parts) + rest.encode()


def unpack_poses(body: bytes, names: NameTable) -> PosesSeen:
    """Return what a picture showed, of its compact body.

    Raises:
        BadInput: it is of another layout, or not whole.
        pydantic.ValidationError: the JSON after it is none.

    """
    poses = tuple(unpack_pose(place, names) for place in locate_poses(body))
    _, flags, anchors, calibration, _ = _HEAD.unpack_from(body)
    try:
        measured_with, doubt = names.calibrations[calibration], _DOUBTS[flags & _DOUBT]
    except IndexError:
        raise _build_truncation_error() from None
    seen = PosesSeen(anchors_seen=anchors, calibration=measured_with, poses=poses, doubt=doubt)
    if not flags & MORE:
        return seen
    rest = _Remainder.model_validate_json(body[_find_poses_end(body) :])
    return seen.model_copy(update={name: getattr(rest, name) for name in _REST})


def locate_poses(body: bytes) -> Iterator[PackedPose]:
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
            end = at + long if flags <= _PLAIN else _find_pose_end(body, at + long, flags)
            if end > whole:
                raise _build_truncation_error()
            yield PackedPose(base, flags & 3, body, at, end)
            at = end
    except (struct.error, IndexError):
        raise _build_truncation_error() from None
    if not more & MORE and at != whole:
        raise BadInput("there is more of it than its poses; the file is damaged")


def _find_pose_end(body: bytes, at: int, flags: int) -> int:
    """Return where a pose ends, of which not only the plain part is there."""
    at += _HEIGHT.size if flags & RAISED else 0
    at += _COUNT.size + _HEIGHT.size * body[at] if flags & OTHERS else 0
    return at + (_NUMBER.size if flags & OTHER_CALIBRATION else 0)


def read_doubt(head: bytes) -> CalibrationDoubt | None:
    """Return the doubt of a picture by the head of its body; BadInput if it is none."""
    try:
        flags: int = _HEAD.unpack_from(head)[1]
        return _DOUBTS[flags & _DOUBT]
    except struct.error:
        raise _build_truncation_error() from None


def _find_poses_end(body: bytes) -> int:
    """Return where the poses of a body end."""
    end = _HEAD.size
    for place in locate_poses(body):
        end = place.ends
    return end


def _build_truncation_error() -> BadInput:
    return BadInput("its poses are not whole; the file is damaged")


class _Remainder(PosesSeen):
    """What follows the poses."""

    anchors_seen: int = 0
    calibration: str = ""
    poses: tuple[PoseEntry, ...] = ()


def _list_remainder(seen: PosesSeen) -> tuple[object, ...]:
    return tuple(getattr(seen, name) for name in _REST)


def _pack_pose(entry: PoseEntry, names: NameTable, measured_with: str | None) -> bytes:
    others, own = entry.other_z_mm, entry.calibration != measured_with
    flags = POSE_STATE_NAMES.index(entry.state) | (MOVING if entry.moving else 0)
    flags |= (RAISED if entry.z_mm else 0) | (OTHERS if others else 0) | (OTHER_CALIBRATION if own else 0)
    sigma_x, sigma_y = entry.sigma_mm
    data = _POSE.pack(
        names.find_base_number(entry),
        flags,
        _to_hundredths(entry.x_mm),
        _to_hundredths(entry.y_mm),
        _to_hundredths(entry.facing_deg),
        _encode_sigma(sigma_x),
        _encode_sigma(sigma_y),
        _encode_sigma(entry.sigma_deg),
    )
    if not flags & ~(3 | MOVING):
        return data
    data += _HEIGHT.pack(_to_hundredths(entry.z_mm)) if entry.z_mm else b""
    if others:
        data += _COUNT.pack(len(others)) + b"".join(_HEIGHT.pack(_to_hundredths(z_mm)) for z_mm in others)
    return data + (_NUMBER.pack(names.find_calibration_number(entry.calibration)) if own else b"")


def unpack_pose(place: PackedPose, names: NameTable) -> PoseEntry:
    """Return the pose at a place; BadInput if it names what has no number."""
    body, at = place.body, place.begins
    base, flags, x, y, facing, sigma_x, sigma_y, sigma_turn = _POSE.unpack_from(body, at)
    at, z_mm, others, calibration = at + _POSE.size, 0.0, (), _HEAD.unpack_from(body)[3]
    if flags & RAISED:
        z_mm, at = _HEIGHT.unpack_from(body, at)[0] / 100, at + _HEIGHT.size
    if flags & OTHERS:
        heights = struct.unpack_from(f"<{body[at]}i", body, at + 1)
        others, at = tuple(z / 100 for z in heights), at + _COUNT.size + _HEIGHT.size * body[at]
    if flags & OTHER_CALIBRATION:
        (calibration,) = _NUMBER.unpack_from(body, at)
    try:
        marker, model = names.bases[base]
        measured_with = names.calibrations[calibration]
    except IndexError:
        raise _build_truncation_error() from None
    values: Mapping[str, Any] = {
        **name_in_file(marker),
        "model": model,
        "x_mm": x / 100,
        "y_mm": y / 100,
        "facing_deg": facing / 100,
        "z_mm": z_mm,
        "sigma_mm": (_decode_sigma(sigma_x), _decode_sigma(sigma_y)),
        "sigma_deg": _decode_sigma(sigma_turn),
        "state": POSE_STATE_NAMES[flags & 3],
        "moving": bool(flags & MOVING),
        "other_z_mm": others,
        "calibration": measured_with,
    }
    return PoseEntry.model_validate(values)


def embed_calibration(place: PackedPose) -> bytes:
    """Return the bytes of a pose so that they name its calibration themselves, whatever head they follow."""
    data = bytearray(place.body[place.begins : place.ends])
    if not data[2] & OTHER_CALIBRATION:
        data[2] |= OTHER_CALIBRATION
        data += _NUMBER.pack(_HEAD.unpack_from(place.body)[3])
    return bytes(data)


def pack_with_calibration(entry: PoseEntry, names: NameTable) -> bytes:
    """Return the same bytes of a pose; Misfit as in `pack_poses`."""
    try:
        return _pack_pose(entry, names, None)
    except (struct.error, OverflowError) as error:
        raise PackingError(str(error)) from None


def join_poses(poses: list[bytes]) -> bytes:
    """Return a compact body of poses that name their calibrations themselves; Misfit if they are too many."""
    try:
        return _HEAD.pack(LAYOUT, 0, 0, 0, len(poses)) + b"".join(poses)
    except struct.error as error:
        raise PackingError(str(error)) from None


def _to_hundredths(value: float) -> int:
    number = round(value * 100)
    if number / 100 != value:
        raise PackingError(f"{value} is finer than a hundredth")
    return number


@lru_cache(4096)
def _encode_sigma(sigma: float) -> int:
    """Return three significant digits and their power of ten in 14 bits."""
    mantissa, _, power = f"{sigma:.2e}".partition("e")
    digits, exponent = int(mantissa.replace(".", "")), int(power) - 2 + _LEAST if sigma else 0
    while exponent < 0 and digits % 10 == 0:
        digits, exponent = digits // 10, exponent + 1
    number = digits * _EXPONENTS + exponent
    if sigma < 0 or not 0 <= exponent < _EXPONENTS or _decode_sigma(number) != sigma:
        raise PackingError(f"{sigma} has more than three digits, or is out of range")
    return number


@lru_cache(4096)
def _decode_sigma(number: int) -> float:
    digits, exponent = divmod(number, _EXPONENTS)
    return digits / _POWERS[_LEAST - exponent] if exponent < _LEAST else digits * _POWERS[exponent - _LEAST]
