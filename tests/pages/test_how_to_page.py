"""The tutorial of a page: whoever follows it has a page more."""

import contextlib
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.program import RATE, run_overtable
from tests.throwaway_environment import ROOT
from tests.tutorials import list_files


def test_a_page_is_added_step_by_step(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "assistant", tmp_path / "assistant", ignore=shutil.ignore_patterns("__pycache__"))
    for step in list_files("page"):
        step.apply(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "bytecode"))
    with (
        contextlib.chdir(tmp_path),
        run_overtable("demo", "--fps", RATE, "--recording", tmp_path / "demo.overtable") as address,
    ):
        page.goto(f"{address}/scoreboard")
        expect(page.locator("#game")).not_to_have_text("Scoreboard")
        expect(page.locator("#verdict")).to_have_text("Legal")
