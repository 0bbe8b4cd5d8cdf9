"""The host's password: kept as a hash, for this user alone, and never mistaken for another."""

import stat
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.web.auth import password as module
from assistant.web.auth.password import FILE, LONGEST, SHORTEST, HostPassword

RIGHT = "a table under a lamp"


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_COST", 2)


@pytest.fixture
def kept(tmp_path: Path, cheap: None) -> HostPassword:  # noqa: ARG001 - it comes first
    made = HostPassword(tmp_path / "state" / FILE)
    made.keep(RIGHT)
    return made


def test_at_its_full_cost_it_fits_and_others_do_not(tmp_path: Path) -> None:
    made = HostPassword(tmp_path / FILE)
    made.keep(RIGHT)
    assert made.fits(RIGHT)
    assert not made.fits(f"{RIGHT} ")


def test_it_is_nowhere_to_be_read(kept: HostPassword, tmp_path: Path) -> None:
    path = tmp_path / "state" / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_text()
    assert RIGHT not in before
    kept.keep(RIGHT)
    assert path.read_text() != before, "the same password of two machines is not seen to be the same"
    assert kept.fits(RIGHT)


@pytest.mark.parametrize("entered", ["", "x" * (SHORTEST - 1), "x" * (LONGEST + 1)])
def test_one_that_is_too_short_or_too_long_is_refused_and_the_old_one_stays(kept: HostPassword, entered: str) -> None:
    with pytest.raises(BadInput, match="a password has 10 to 200 letters, not"):
        kept.keep(entered)
    assert kept.fits(RIGHT)


def test_whatever_has_letters_can_be_one(kept: HostPassword) -> None:
    for entered in ("Ä" * SHORTEST, "\ud800" * SHORTEST, "$" * SHORTEST):
        kept.keep(entered)
        assert kept.fits(entered)
        assert not kept.fits(RIGHT)


def test_a_removed_one_lets_nobody_in(kept: HostPassword) -> None:
    kept.remove()
    assert not kept.is_set
    assert not kept.fits(RIGHT)
    kept.remove()  # and once more does no harm


@pytest.mark.parametrize(
    "held",
    ["", "scrypt", "scrypt$2$8$3$zz$00", "scrypt$2$8$3$00$", "md5$2$8$3$00$00", "scrypt$1073741824$8$3$00$00", "\xff"],
)
def test_a_damaged_file_lets_nobody_in(kept: HostPassword, tmp_path: Path, held: str) -> None:
    (tmp_path / "state" / FILE).write_text(held, encoding="latin-1")
    assert kept.is_set
    assert not kept.fits(RIGHT)
    assert not kept.fits("")


def test_where_nothing_is_kept_there_is_none_and_none_can_be_set() -> None:
    nowhere = HostPassword(None)
    assert not nowhere.is_set
    assert not nowhere.fits(RIGHT)
    nowhere.remove()
    with pytest.raises(BadInput, match="keeps no password"):
        nowhere.keep(RIGHT)
