"""One writer a journal, on Windows as well: with a stand-in for what locks a file there."""

import fcntl
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from assistant.errors import BadInput
from assistant.recording.journal import write_lock as lock


class Msvcrt(ModuleType):
    """Locks a file as the module of that name does: another who has it open is refused, and nobody is waited for."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.asked: list[tuple[int, int]] = []

    def locking(self, file: int, mode: int, count: int) -> None:
        self.asked.append((mode, count))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(13, "Permission denied") from None


@pytest.fixture
def on_windows(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, Msvcrt]:
    """The module as it is loaded on Windows, and the stand-in."""
    stand_in = Msvcrt()
    monkeypatch.setitem(sys.modules, "msvcrt", stand_in)
    monkeypatch.setattr(sys, "platform", "win32")
    spec = spec_from_file_location("lock_on_windows", lock.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, stand_in


def test_a_second_writer_is_refused_until_the_first_has_ended(
    on_windows: tuple[ModuleType, Msvcrt], tmp_path: Path
) -> None:
    module, stand_in = on_windows
    journal = tmp_path / "game.overtable"
    first = module.WriteLock(journal)
    assert stand_in.asked == [(Msvcrt.LK_NBLCK, 1)]
    with pytest.raises(BadInput, match="another overtable is recording to this file"):
        module.WriteLock(journal)
    first.release()
    first.release()
    assert list(tmp_path.iterdir()) == []
    module.WriteLock(journal).release()


def test_what_is_left_of_a_lock_hinders_nobody_and_one_that_is_held_stays(
    on_windows: tuple[ModuleType, Msvcrt], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _ = on_windows
    left = tmp_path / "game.overtable.lock"
    left.touch()
    taken = module.WriteLock(tmp_path / "game.overtable")

    def held(*_: object, **__: object) -> None:  # there a file that somebody has open cannot be taken away
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", held)
        taken.release()
    assert left.exists()
    module.WriteLock(tmp_path / "game.overtable").release()
