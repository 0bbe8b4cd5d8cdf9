"""What holds for all tests: their order, their logs, and the examples that Hypothesis draws."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from assistant.files import open_bundle
from assistant.runtime.logs import end_logs

PAGES = Path(__file__).parent / "pages"


@pytest.hookimpl(optionalhook=True)  # tests also run without xdist
def pytest_xdist_auto_num_workers() -> int:
    """Return two processes more than there are cores: tests of pages wait for half of their time."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the pages: their files take longest, and at the end one core would wait for the last of them.

    It also lets each of several processes start the browser once, not anew for every file of pages in between.
    """
    items.sort(key=lambda item: not item.path.is_relative_to(PAGES))


@pytest.fixture(autouse=True)
def _end_logs() -> Iterator[None]:
    yield
    end_logs()


@pytest.fixture(autouse=True, scope="session")
def _keep_the_users_folders_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        for kind in ("STATE", "DATA"):
            patched.setenv(f"XDG_{kind}_HOME", str(tmp_path_factory.mktemp(kind.lower())))
        yield


@pytest.fixture(autouse=True)
def _pass_over_installed_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests say the same whether the extra `overtable[40k]` is installed or not; those of its data ask for it."""
    monkeypatch.setattr(open_bundle, "PACKAGE", "no_such_package")


@pytest.fixture(autouse=True, scope="session")
def _draw_the_same_examples() -> Iterator[None]:
    """Hypothesis mixes in numbers out of whatever modules are loaded: a test alone would have other examples."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(providers, "_get_local_constants", Constants)
        yield
