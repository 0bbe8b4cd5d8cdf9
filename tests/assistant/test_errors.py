import builtins
import importlib
import pkgutil
from collections.abc import Iterator

import assistant
import assistant.errors
import calibration
import hardware
import vision
from hardware.errors import SourceLost
from overtable_errors import OvertableError

SIGNALS = {"EndOfFrames", "PackingError", "UndecidedClimb", "NoAnswer"}


def iterate_exceptions() -> Iterator[type[Exception]]:
    for package in (hardware, calibration, vision, assistant):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.endswith("__main__"):
                continue
            for value in vars(importlib.import_module(found.name)).values():
                own = isinstance(value, type) and value.__module__ == found.name
                if own and issubclass(value, Exception) and not value.__name__.startswith("_"):
                    yield value


def test_every_error_has_one_root_and_its_place_in_the_tree() -> None:
    drawn = str(assistant.errors.__doc__)
    found = {error.__name__: error for error in iterate_exceptions()}
    assert found["BadSource"] is not None
    for name, error in found.items():
        assert name in drawn
        assert issubclass(error, OvertableError) is (name not in SIGNALS), name


def test_a_bug_is_none_of_ours() -> None:
    for name in ("ValueError", "KeyError", "RuntimeError", "OSError", "AssertionError"):
        assert not issubclass(getattr(builtins, name), OvertableError)


def test_errors_say_how_a_command_ends() -> None:
    assert OvertableError.exit_status == 2
    assert SourceLost.exit_status == 3
