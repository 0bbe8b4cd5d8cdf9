"""Shared pictures with truth that lie beside the checkout; tests that need them are skipped where they are absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def find_shared_folder(part: str) -> Path:
    """Return a folder of shared pictures, or skip the test that asks for it."""
    folder = SHARED / part
    if not folder.exists():
        pytest.skip(f"needs ../shared/{part} beside the checkout")
    return folder
