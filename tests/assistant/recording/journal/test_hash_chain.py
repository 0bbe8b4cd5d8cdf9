"""The digests are what the README says: whoever follows it with other tools comes to the same."""

from assistant.recording.journal.hash_chain import DIGEST_BYTES, compute_first_digest, compute_next_digest


def test_the_digests_are_those_that_sha256sum_gives() -> None:
    """Made with printf, xxd and sha256sum after the README, and cut to their first 16 bytes."""
    first = compute_first_digest({"title": "Grün & Rot", "format": "overtable.journal/2"})
    assert first.hex() == "c0a5a9984366b25cf0250a6a7516d228"
    assert compute_next_digest(first, 1, 1_000_000_000, "Withdrawn", "{}").hex() == "d7a89b2a4fd259c8b66da1a368c1f93d"
    assert (
        compute_next_digest(first, 1, 1_000_000_000, "PosesSeen", b"\x01\x00\xff").hex()
        == "75715d680674f2aa33924079e59e1445"
    )
    assert len(first) == DIGEST_BYTES == 16
