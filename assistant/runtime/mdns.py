"""The mDNS responder: other devices on the network find this machine by a name, such as `overtable.local` (RFC 6762).

A name is claimed before it is used: where another table has it, the next one is taken.  Only this machine's addresses
are told, and only to whoever asks for that very name.
"""

import logging
import math
import select
import selectors
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import NamedTuple

GROUP, PORT = "224.0.0.251", 5353
LARGEST_BYTES = 9000
"""Of a message."""
MOST_ENTRIES, MOST_LABELS = 64, 32
"""Of questions and records in a message, and of labels in a name: what has more is not looked at."""
LASTS_S = 120
"""So long an address may be remembered."""
PLAIN_S = 10
"""So long one that knows nothing of mDNS may remember it, for it does not hear when it changes."""
PROBES, PROBE_S = 3, 0.25
"""A name is asked for so often, so far apart, before it is used."""
ANNOUNCEMENTS, ANNOUNCED_S = 2, 1.0
"""Then it is announced so often, so far apart."""
LOOKED_S = 10.0
"""After so long the addresses of this machine are looked up again."""
LEAST_APART_S = 0.2
"""Answers are no closer together: who asked meanwhile has heard the last one, or asks again."""
_A, _NSEC, _ANY, _IN = 1, 47, 255, 1
_RESPONSE, _AUTHORITATIVE, _OPCODE = 0x8000, 0x0400, 0x7800
_TOP = 0x8000
"""Of a question's class: it may be answered to the asker alone; of a record's: what was known before is void."""
_MULTICAST_ALL = 49
"""Linux's option to hear of other sockets' groups; Python does not name it."""
_HEAD = struct.Struct("!6H")
_log = logging.getLogger(__name__)


class Question(NamedTuple):
    """What a message asks."""

    name: str
    kind: int


class Record(NamedTuple):
    """What a message tells."""

    name: str
    kind: int
    lasts_s: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of mDNS, as far as it matters here."""

    is_response: bool
    ident: int = 0
    questions: tuple[Question, ...] = ()
    answers: tuple[Record, ...] = ()
    claims: tuple[Record, ...] = ()
    """What a probe wants to use."""


def parse_message(data: bytes) -> Message | None:
    """Return what a message says; None where it is none, or says more than anybody has to."""
    try:
        return _parse(data)
    except (struct.error, IndexError, ValueError):
        return None


def _parse(data: bytes) -> Message:
    ident, flags, *counts = _HEAD.unpack_from(data)
    if flags & _OPCODE or sum(counts) > MOST_ENTRIES:
        raise ValueError
    at, questions, sections = _HEAD.size, list[Question](), list[tuple[Record, ...]]()
    for _ in range(counts[0]):
        name, at = _read_name(data, at)
        kind, _ = struct.unpack_from("!2H", data, at)
        questions.append(Question(name, kind))
        at += 4
    for count in counts[1:3]:
        records = list[Record]()
        for _ in range(count):
            name, at = _read_name(data, at)
            kind, _, lasts_s, size = struct.unpack_from("!2HIH", data, at)
            at += 10
            if at + size > len(data):
                raise ValueError
            records.append(Record(name, kind, lasts_s, data[at : at + size]))
            at += size
        sections.append(tuple(records))
    return Message(
        is_response=bool(flags & _RESPONSE),
        ident=ident,
        questions=tuple(questions),
        answers=sections[0],
        claims=sections[1],
    )


def _read_name(data: bytes, at: int) -> tuple[str, int]:
    """Return a name in lower case, and where it ends; ValueError where it is none."""
    labels, end, first = list[str](), 0, at
    while size := data[at]:
        if size >= 0xC0:
            end = end or at + 2
            at = (size & 0x3F) << 8 | data[at + 1]
            if at >= first:  # it may only point back, so that it comes to an end
                raise ValueError
            first = at
            continue
        if size > 63 or len(labels) == MOST_LABELS or at + 1 + size > len(data):
            raise ValueError
        labels.append(data[at + 1 : at + 1 + size].decode("latin-1").lower())
        at += 1 + size
    return ".".join(labels), end or at + 1


def _write_name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split(".")) + b"\0"


def build_probe(name: str, address: bytes) -> bytes:
    """Return the question whether anybody has a name that is to be used for an address."""
    # Some responders answer to nobody who asks for every kind, although that is how it is to be asked.
    asked = b"".join(_write_name(name) + struct.pack("!2H", kind, _IN) for kind in (_ANY, _A))
    claim = _write_name(name) + struct.pack("!2HIH", _A, _IN, LASTS_S, len(address)) + address
    return _HEAD.pack(0, 0, 2, 0, 1, 0) + asked + claim


def build_answer(name: str, address: bytes, *, lasts_s: int = LASTS_S, to: Message | None = None) -> bytes:
    """Return what tells the address of a name, and that there is no other kind of address.

    Args:
        name: the name.
        address: the address, four bytes.
        lasts_s: how long it may be remembered; 0: it is void.
        to: the question of an asker that knows nothing of mDNS, and expects it to be repeated.

    """
    own = _write_name(name)
    bitmap = own + bytes([0, 1, 0x80 >> _A])  # of kinds that there are
    kind, lasts_s = (_IN | _TOP, lasts_s) if to is None else (_IN, min(lasts_s, PLAIN_S))
    asked = own + struct.pack("!2H", to.questions[0].kind, _IN) if to else b""
    head = _HEAD.pack(to.ident if to else 0, _RESPONSE | _AUTHORITATIVE, int(to is not None), 1, 0, 1)
    told = own + struct.pack("!2HIH", _A, kind, lasts_s, len(address)) + address
    return head + asked + told + own + struct.pack("!2HIH", _NSEC, kind, lasts_s, len(bitmap)) + bitmap


class NameClaim:
    """Which name is claimed and how far that has come; it neither sends nor waits."""

    def __init__(self, names: Sequence[str], own: Sequence[bytes]) -> None:
        """Begin with the first of some names, for this machine's own addresses."""
        self._names, self._own = names if own else (), frozenset(own)
        self._least = min(own, default=b"")
        self._at = 0
        self._probed = self._announced = 0
        self._due_s = 0.0

    @property
    def name(self) -> str:
        """The name that is claimed; empty where every one is another's."""
        return self._names[self._at] if self._at < len(self._names) else ""

    @property
    def is_held(self) -> bool:
        """Whether nobody objected."""
        return bool(self.name) and self._probed > PROBES

    def step(self, now_s: float) -> tuple[str, float]:
        """Return what is to be sent now (``probe``, ``answer`` or nothing), and when to ask again."""
        if not self.name or self._announced == ANNOUNCEMENTS:
            return "", math.inf
        if now_s < self._due_s:
            return "", self._due_s
        if self._probed < PROBES:
            self._probed, self._due_s = self._probed + 1, now_s + PROBE_S
            return "probe", self._due_s
        self._probed, self._announced, self._due_s = PROBES + 1, self._announced + 1, now_s + ANNOUNCED_S
        return "answer", self._due_s

    def hear(self, message: Message, now_s: float) -> bool:
        """Take in a message; return whether it asks for what is held and does not know it."""
        others = [record for record in message.answers if self._is_others(record)]
        if message.is_response:
            if others:
                self._lose(now_s)
            return False
        if not self.is_held:
            rivals = [record.data for record in message.claims if self._is_others(record)]
            if rivals and min(rivals) > self._least:  # both ask at once: of two addresses the later one wins
                self._lose(now_s)
            return False
        knows = any(
            record.name == self.name and record.data in self._own and record.lasts_s >= LASTS_S // 2
            for record in message.answers
        )
        return not knows and any(asked.name == self.name for asked in message.questions)

    def _is_others(self, record: Record) -> bool:
        return record.name == self.name and record.kind == _A and record.lasts_s > 0 and record.data not in self._own

    def _lose(self, now_s: float) -> None:
        """Go on with the next name; a name that was held is asked for once more, for its other holder may be gone."""
        self._at += not self.is_held
        self._probed = self._announced = 0
        self._due_s = now_s


class _Link:
    """One of this machine's addresses, and the socket by which it is heard and answered for."""

    def __init__(self, address: str, port: int) -> None:
        """Begin to listen; OSError where there is no multicast."""
        self.address = socket.inet_aton(address)
        self._port = port
        self._sent_s = {True: -LEAST_APART_S, False: -LEAST_APART_S}
        """When everybody was answered last, and one alone."""
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            for option in ("SO_REUSEADDR", "SO_REUSEPORT"):  # the system may have a responder of its own
                if hasattr(socket, option):
                    self.socket.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
            if sys.platform == "linux":
                self.socket.setsockopt(socket.IPPROTO_IP, _MULTICAST_ALL, 0)
            self.socket.bind(("", port))
            membership = socket.inet_aton(GROUP) + self.address
            self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
            self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, self.address)
            self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
            self.socket.setblocking(False)
        except OSError:
            self.socket.close()
            raise

    def send(self, data: bytes) -> None:
        """Tell everybody; what a network that has just gone does not take is left out."""
        with suppress(OSError):
            self.socket.sendto(data, (GROUP, self._port))

    def receive(self) -> tuple[Message | None, tuple[str, int]]:
        """Return what was heard, None where it made no sense, and who said it."""
        try:
            data, sender = self.socket.recvfrom(LARGEST_BYTES)
        except OSError:
            return None, ("", 0)
        return parse_message(data), sender

    def answer(self, name: str, asked: Message, asker: tuple[str, int], now_s: float) -> None:
        """Answer to a question, unless that was done a moment ago."""
        to_all = asker[1] == self._port
        if now_s - self._sent_s[to_all] < LEAST_APART_S:
            return
        self._sent_s[to_all] = now_s
        if to_all:
            self.send(build_answer(name, self.address))
        elif ip_address(asker[0]).is_private and len(asked.questions) == 1:  # it listens to nobody else
            with suppress(OSError):
                self.socket.sendto(build_answer(name, self.address, to=asked), asker)


@contextmanager
def answer_by_name(
    names: Sequence[str],
    list_addresses: Callable[[], Sequence[str]],
    tell: Callable[[str], None],
    *,
    port: int = PORT,
) -> Iterator[None]:
    """Let other devices find this machine by a name meanwhile; without multicast, there is none, and nobody is told.

    Args:
        names: the names, such as ``overtable.local``, the best first: one that another machine has is left to it.
        list_addresses: asks which addresses this machine has, IPv4; they may change.
        tell: is told, from another thread, the name each time that another is used.
        port: of mDNS.

    """
    ended, end = socket.socketpair()
    thread = threading.Thread(
        target=_respond, args=(names, list_addresses, tell, port, ended), name="mdns", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        end.close()  # which wakes it
        thread.join()
        ended.close()


def _respond(
    names: Sequence[str],
    list_addresses: Callable[[], Sequence[str]],
    tell: Callable[[str], None],
    port: int,
    ended: socket.socket,
) -> None:
    """Answer until the end, each time anew where this machine's addresses change."""
    told, goes_on = list[str](), True

    def tell_once(name: str) -> None:
        if told[-1:] != [name]:
            tell(name)
            told.append(name)

    while goes_on:
        addresses = tuple(list_addresses())
        try:
            with _open_links(addresses, port) as links:
                goes_on = _serve(links, names, tell_once, ended, partial(_has_changed, list_addresses, addresses))
        except Exception:
            _log.exception("The table has no name on the network for a moment.")
            goes_on = not select.select([ended], [], [], LOOKED_S)[0]


@contextmanager
def _open_links(addresses: Sequence[str], port: int) -> Iterator[Sequence[_Link]]:
    """Listen at addresses meanwhile, at those where there is multicast."""
    with ExitStack() as opened:
        links = list[_Link]()
        for address in addresses:
            try:
                links.append(_Link(address, port))
            except OSError as error:
                _log.info("There is no name for %s on the network: %s", address, error)
            else:
                opened.enter_context(links[-1].socket)
        yield links


def _has_changed(list_addresses: Callable[[], Sequence[str]], known: tuple[str, ...]) -> bool:
    return tuple(list_addresses()) != known


def _serve(
    links: Sequence[_Link],
    names: Sequence[str],
    tell: Callable[[str], None],
    ended: socket.socket,
    has_changed: Callable[[], bool],
) -> bool:
    """Answer until the end, or until the addresses have changed; return whether to go on with those."""
    claim = NameClaim(names, [link.address for link in links])
    looked_s = time.monotonic() + LOOKED_S
    with selectors.DefaultSelector() as selector:
        selector.register(ended, selectors.EVENT_READ)
        for link in links:
            selector.register(link.socket, selectors.EVENT_READ, link)
        while True:
            now_s = time.monotonic()
            action, due_s = claim.step(now_s)
            name = claim.name
            for link in links if action else ():
                link.send(build_probe(name, link.address) if action == "probe" else build_answer(name, link.address))
            if claim.is_held:
                tell(name)
            if now_s >= looked_s:
                if has_changed():
                    return True
                looked_s = now_s + LOOKED_S
            for key, _ in selector.select(min(due_s, looked_s) - now_s):
                if key.data is None:
                    for link in links if claim.is_held else ():
                        link.send(build_answer(name, link.address, lasts_s=0))
                    return False
                heard, asker = key.data.receive()
                if heard is not None and claim.hear(heard, now_s):
                    key.data.answer(name, heard, asker, now_s)
