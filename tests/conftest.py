"""Test order: the pages' tests first, since their files take longest."""

from pathlib import Path

import pytest

PAGES = Path(__file__).parent / "pages"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the pages: their files take longest, and at the end one core would wait for the last of them.

    It also lets each of several processes start the browser once, not anew for every file of pages in between.
    """
    items.sort(key=lambda item: not item.path.is_relative_to(PAGES))
