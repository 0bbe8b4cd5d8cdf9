"""What holds for all tests: the pages' come first, since their files take longest; logs go to a folder of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.runtime.logs import end_logs

PAGES = Path(__file__).parent / "pages"


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
def _keep_logs_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
