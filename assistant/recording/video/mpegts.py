"""MPEG-TS: an MPEG-2 transport stream with one film in it (ISO/IEC 13818-1), as players and FFmpeg read it.

It is made here and not by FFmpeg, whose muxer holds a quarter of a megabyte back and numbers pictures evenly: so every
picture is in the file once it is told to be, and carries the time at which it was taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

PACKET_BYTES = 188
TICKS_PER_S = 90_000
LEAD_TICKS = TICKS_PER_S // 2
"""A picture's data comes so long before it is shown, as players expect; none lies before the first."""
_SYNC, _FILL = b"\x47", b"\xff"
_PROGRAMS, _PROGRAM, _FILM = 0x0000, 0x1000, 0x0100
"""The numbers of packets: of the two tables, and of the film."""
_MPEG4 = 0x10
"""The kind of stream: MPEG-4 Part 2."""
_ROOM = PACKET_BYTES - 4
EMPTY = b"\x47\x1f\xff\x10" + bytes(_ROOM)
"""A packet with nothing in it, which readers pass over."""
_WRAP = 1 << 33


@dataclass(slots=True, kw_only=True)
class TransportStream:
    """Turns encoded pictures into packets; of one file, from its first picture on."""

    _counts: dict[int, int] = field(default_factory=dict)

    def build_tables(self) -> bytes:
        """Return what tells a reader where the film is; the file begins with it, and so does whatever is cut out."""
        programs = _build_section(0x00, b"\x00\x01" + _encode_packet_id(_PROGRAM))
        film = bytes([_MPEG4]) + _encode_packet_id(_FILM) + b"\xf0\x00"
        program = _build_section(0x02, _encode_packet_id(_FILM) + b"\xf0\x00" + film)
        return self._build_packet(_PROGRAMS, b"\x00" + programs) + self._build_packet(_PROGRAM, b"\x00" + program)

    def build_picture_packets(self, data: bytes, at_ns: int, *, key: bool) -> bytes:
        """Return the packets of a picture.

        Args:
            data: the picture as it was encoded.
            at_ns: when it was taken, since the file's first picture.
            key: it can be decoded without those before.

        """
        ticks = at_ns * TICKS_PER_S // 1_000_000_000
        head = b"\x00\x00\x01\xe0\x00\x00\x84\x80\x05" + _encode_timestamp(ticks + LEAD_TICKS)
        return b"".join(self._split_into_packets(head + data, _encode_clock_reference(ticks, key=key)))

    def _split_into_packets(self, data: bytes, clock: bytes) -> Iterator[bytes]:
        room = _ROOM - 1 - len(clock)
        yield self._build_packet(_FILM, _build_adaptation_field(data[:room], clock) + data[:room])
        for at in range(room, len(data), _ROOM):
            part = data[at : at + _ROOM]
            yield self._build_packet(
                _FILM, _build_adaptation_field(part) + part, begins=False, filled=len(part) < _ROOM
            )

    def _build_packet(self, whose: int, data: bytes, *, begins: bool = True, filled: bool | None = None) -> bytes:
        """Return a packet.

        Args:
            whose: its number.
            data: what is in it; behind a table it is filled up.
            begins: a table or a picture begins with it.
            filled: something stands before the data; None: before what begins a picture.

        """
        count = self._counts.get(whose, 0)
        self._counts[whose] = (count + 1) % 16
        before = whose == _FILM if filled is None else filled
        flags = ((0x4000 if begins else 0) | whose).to_bytes(2, "big")
        return (_SYNC + flags + bytes([(0x30 if before else 0x10) | count]) + data).ljust(PACKET_BYTES, _FILL)


def _build_adaptation_field(data: bytes, clock: bytes = b"") -> bytes:
    """Return what stands before a picture's data in a packet: its clock, and what the packet is filled up with."""
    spare = _ROOM - len(data)
    if spare < 2:
        return bytes(spare)
    return bytes([spare - 1]) + (clock or b"\x00").ljust(spare - 1, _FILL)


def _build_section(table: int, content: bytes) -> bytes:
    """Return a table with the number of its only program, its version and its check sum."""
    body = b"\x00\x01\xc1\x00\x00" + content
    head = bytes([table]) + (0xB000 | len(body) + 4).to_bytes(2, "big")
    return head + body + _crc(head + body).to_bytes(4, "big")


def _encode_packet_id(whose: int) -> bytes:
    return (0xE000 | whose).to_bytes(2, "big")


def _encode_timestamp(ticks: int) -> bytes:
    """Return when a picture is shown, in the five bytes of a packet's head."""
    ticks %= _WRAP
    high, middle, low = ticks >> 30, ticks >> 15 & 0x7FFF, ticks & 0x7FFF
    return bytes([0x21 | high << 1]) + (middle << 1 | 1).to_bytes(2, "big") + (low << 1 | 1).to_bytes(2, "big")


def _encode_clock_reference(ticks: int, *, key: bool) -> bytes:
    """Return the flags and the clock that stand before a picture."""
    return bytes([0x50 if key else 0x10]) + (ticks % _WRAP << 15 | 0x7E00).to_bytes(6, "big")


def _crc(data: bytes) -> int:
    """Return the check sum of a table: CRC-32 with its bits in their order, not inverted."""
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte << 24
        for _ in range(8):
            remainder = (remainder << 1 ^ (0x04C11DB7 if remainder & 0x80000000 else 0)) & 0xFFFFFFFF
    return remainder
