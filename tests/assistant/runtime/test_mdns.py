import queue
import random
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.runtime.mdns import (
    GROUP,
    LASTS_S,
    Message,
    NameClaim,
    Record,
    answer_by_name,
    build_answer,
    build_probe,
    parse_message,
)

NAMES = ("overtable.local", "overtable-2.local")
ONE, OTHER = socket.inet_aton("192.0.2.1"), socket.inet_aton("192.0.2.9")
QUESTION = struct.pack("!6H", 77, 0, 1, 0, 0, 0) + b"\x09overTable\x05local\0" + struct.pack("!2H", 1, 1)


def read(data: bytes) -> Message:
    message = parse_message(data)
    assert message is not None
    return message


def hold(claim: NameClaim, now_s: float = 0.0) -> float:
    """Let a claim go on until nothing more is to be sent; return when that is."""
    while True:
        _, due_s = claim.step(now_s)
        if due_s == float("inf"):
            return now_s
        now_s = due_s


def test_a_message_says_what_was_written_into_it() -> None:
    probe = read(build_probe("overtable.local", ONE))
    assert [asked.name for asked in probe.questions] == ["overtable.local"] * 2
    assert probe.claims == (Record("overtable.local", 1, LASTS_S, ONE),)
    assert not probe.is_response
    answer = read(build_answer("overtable.local", ONE))
    assert answer.answers == probe.claims
    assert answer.is_response
    assert not answer.questions
    plain = read(build_answer("overtable.local", ONE, to=read(QUESTION)))
    assert (plain.ident, plain.questions) == (77, read(QUESTION).questions)
    assert plain.questions[0].name == "overtable.local"  # whatever the case it was asked in


@given(st.binary(max_size=200))
def test_nothing_that_is_sent_stops_the_reading(data: bytes) -> None:
    parse_message(data)
    parse_message(struct.pack("!6H", 0, 0, 3, 0, 1, 0) + data)


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("!6H", 0, 0, 1, 0, 0, 0) + b"\xc0\x0c" + struct.pack("!2H", 1, 1),  # points at itself
        struct.pack("!6H", 0, 0, 1, 0, 0, 0) + b"\xc0\x0e\xc0\x0c" + struct.pack("!2H", 1, 1),  # at each other
        struct.pack("!6H", 0, 0, 60000, 0, 0, 0) + QUESTION[12:],
        struct.pack("!6H", 0, 0x2000, 1, 0, 0, 0) + QUESTION[12:],  # no question but an update
        build_answer("overtable.local", ONE)[:40],
        struct.pack("!6H", 0, 0, 1, 0, 0, 0) + b"\x01a" * 40 + b"\0" + struct.pack("!2H", 1, 1),
    ],
)
def test_what_makes_no_sense_is_none(data: bytes) -> None:
    assert parse_message(data) is None


def test_a_name_is_asked_for_three_times_and_then_announced_twice() -> None:
    claim, now_s, sent = NameClaim(NAMES, [ONE]), 0.0, []
    while now_s != float("inf"):
        action, now_s = claim.step(now_s)
        sent.append(action)
        assert claim.is_held is ("answer" in sent)
    assert sent == ["probe", "probe", "probe", "answer", "answer", ""]
    assert claim.name == "overtable.local"


def test_a_name_that_another_machine_has_is_left_to_it() -> None:
    claim = NameClaim(NAMES, [ONE])
    claim.step(0.0)
    assert not claim.hear(read(build_answer("overtable.local", OTHER)), 0.1)
    assert claim.name == "overtable-2.local"
    hold(claim, 0.1)
    assert claim.is_held
    # The last name that there is, and then none.
    claim.hear(read(build_answer("overtable-2.local", OTHER)), 9.0)
    assert (claim.name, claim.is_held) == ("overtable-2.local", False)  # the other may be gone: it is asked once more
    claim.hear(read(build_answer("overtable-2.local", OTHER)), 9.1)
    assert (claim.name, claim.is_held, claim.step(9.2)) == ("", False, ("", float("inf")))


@pytest.mark.parametrize(
    "told",
    [
        build_answer("overtable.local", ONE),  # its own, which comes back
        build_answer("overtable.local", OTHER, lasts_s=0),  # somebody's who leaves
        build_answer("somebody.local", OTHER),
    ],
)
def test_other_answers_are_no_objection(told: bytes) -> None:
    claim = NameClaim(NAMES, [ONE])
    claim.step(0.0)
    claim.hear(read(told), 0.1)
    assert claim.name == "overtable.local"
    hold(claim)
    claim.hear(read(told), 9.0)
    assert claim.is_held


def test_of_two_that_ask_at_once_one_goes_on() -> None:
    one, other = NameClaim(NAMES, [ONE]), NameClaim(NAMES, [OTHER])
    for claim in (one, other):
        claim.step(0.0)
    for claim in (one, other):
        for address in (ONE, OTHER):  # each hears itself, too
            claim.hear(read(build_probe("overtable.local", address)), 0.1)
    assert (one.name, other.name) == ("overtable-2.local", "overtable.local")


def test_whoever_knows_the_address_is_not_answered() -> None:
    claim = NameClaim(NAMES, [ONE])
    assert not claim.hear(read(QUESTION), 0.0)  # the name is not held yet
    hold(claim)
    assert claim.hear(read(QUESTION), 9.0)
    assert claim.hear(read(build_probe("overtable.local", OTHER)), 9.0)
    assert not claim.hear(read(build_probe("somebody.local", OTHER)), 9.0)
    for lasts_s, is_answered in ((LASTS_S, False), (LASTS_S // 2 - 1, True)):
        known = build_answer("overtable.local", ONE, lasts_s=lasts_s)[12:]
        asked = struct.pack("!6H", 0, 0, 1, 1, 0, 0) + QUESTION[12:] + known
        assert claim.hear(read(asked), 9.0) is is_answered


@pytest.fixture
def port() -> int:
    """One of a network of its own, within this machine."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker,
    ):
        try:
            probe.bind(("", 0))
            probe.setsockopt(
                socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton("127.0.0.1")
            )
            probe.settimeout(1)
            asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
            asker.sendto(b"?", (GROUP, probe.getsockname()[1]))
            probe.recv(10)
        except OSError as error:
            pytest.skip(f"this machine has no multicast: {error}")
        return int(probe.getsockname()[1])


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    monkeypatch.setattr("assistant.runtime.mdns.PROBE_S", 0.05)
    with ExitStack() as machines:
        yield machines


def join(network: ExitStack, port: int, address: str) -> str:
    """Let a table come to the network; return its name."""
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    network.enter_context(answer_by_name(NAMES, lambda: [address], told.put, port=port))
    return told.get(timeout=60)


def ask(port: int, times: int = 1) -> list[Message]:
    """Ask for the first name as a system without mDNS does; return the answers until none comes for a while."""
    answers = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
        asker.settimeout(30)
        for _ in range(times):
            asker.sendto(QUESTION, (GROUP, port))
        try:
            while True:
                answers.append(read(asker.recv(9000)))
                asker.settimeout(0.5)
        except TimeoutError:
            return answers


def test_two_tables_in_one_network_have_names_of_their_own(network: ExitStack, port: int) -> None:
    assert join(network, port, "127.0.0.1") == "overtable.local"
    assert join(network, port, "127.0.0.2") == "overtable-2.local"
    (answer,) = ask(port)
    assert answer.ident == 77
    assert answer.answers[0].data == socket.inet_aton("127.0.0.1")


def test_noise_and_a_flood_are_answered_by_little(network: ExitStack, port: int) -> None:
    join(network, port, "127.0.0.1")
    draw = random.Random(1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
        for size in range(100):
            sender.sendto(draw.randbytes(size), (GROUP, port))
    time.sleep(0.3)  # an answer is no closer to the last one
    began_s = time.monotonic()
    answers = ask(port, times=300)
    assert 1 <= len(answers) <= 2 + (time.monotonic() - began_s) / 0.2


def test_whoever_ends_says_goodbye(network: ExitStack, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            listener.setsockopt(socket.SOL_SOCKET, option, 1)
        listener.bind(("", port))
        listener.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton("127.0.0.1")
        )
        listener.settimeout(30)
        join(network, port, "127.0.0.1")
        network.close()
        while (heard := read(listener.recv(9000))).answers == () or heard.answers[0].lasts_s:
            pass
        assert heard.answers[0][:2] == ("overtable.local", 1)


def test_a_table_that_comes_into_another_network_is_found_there(
    network: ExitStack, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.runtime.mdns.LOOKED_S", 0.2)
    addresses, told = list[str](), queue.SimpleQueue[str]()
    network.enter_context(answer_by_name(NAMES, lambda: list(addresses), told.put, port=port))
    time.sleep(0.5)
    assert told.empty()  # it is in none
    addresses.append("127.0.0.1")
    assert told.get(timeout=60) == "overtable.local"
    assert ask(port)


def test_a_fault_of_the_program_is_logged_and_the_name_comes_back(
    network: ExitStack, port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("assistant.runtime.mdns.LOOKED_S", 0.2)
    faults = iter([RuntimeError("a bug")])

    def tell(name: str) -> None:
        if fault := next(faults, None):
            raise fault
        told.put(name)

    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    network.enter_context(answer_by_name(NAMES, lambda: ["127.0.0.1"], tell, port=port))
    assert told.get(timeout=60) == "overtable.local"
    assert "a bug" in caplog.text
