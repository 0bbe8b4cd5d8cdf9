"""What holds for all tests: their order, their logs, and the examples that Hypothesis draws."""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling, Scheduling
from xdist.workermanage import WorkerController

from assistant.files import open_bundle
from assistant.runtime.logs import end_logs


@pytest.hookimpl(optionalhook=True)  # tests also run without xdist
def pytest_xdist_auto_num_workers() -> int:
    """Return three processes more than there are cores: tests of pages wait for half of their time."""
    return (os.cpu_count() or 1) + 3


class PagesApart(LoadFileScheduling):  # type: ignore[misc]  # it ships no types
    """Gives half of the processes the files of pages first, and the others everything else first.

    Tests of pages wait for half of their time.  Were all processes at them at once, the cores would wait, too; and each
    would have to start a browser.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        takes_pages = int(node.gateway.id.removeprefix("gw")) % 2 == 0
        rather = (scope for scope in self.workqueue if scope.startswith("tests/pages/") == takes_pages)
        if (scope := next(rather, None)) is not None:
            self.workqueue.move_to_end(scope, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Keep the tests of pages apart where whole files are handed out."""
    return PagesApart(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage in all that tests have loaded, which stays: every full look took an eighth of a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Let Hypothesis read no module: it mixes in their numbers, so that a test alone would have other examples."""
    patched = pytest.MonkeyPatch()
    patched.setattr(providers, "_get_local_constants", Constants)  # which it asks for when tests are collected
    config.add_cleanup(patched.undo)


LONG = ("tests/vision/", "tests/calibration/")
"""Folders of which a single file may take a minute."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files: at the end one core would wait for the last of them."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


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
