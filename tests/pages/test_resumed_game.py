"""A game goes on as a recording left it: the real command, on a virtual table, says where each model has to go."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from assistant.features.demo.catalogue import SETUP
from assistant.game.situation_file import encode_situation
from tests.assistant.replay.sample_recording import RecordedTable
from tests.assistant.snapshot_script import build_game
from tests.pages.program import RATE, run_overtable

BASES = {"s1": "round_mm = 32", "s2": "round_mm = 32", "w1": "rect_mm = [100, 60]"}


def test_the_models_are_laid_out_as_a_recording_ended(page: Page, tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "last-week.overtable")
    table.show(*table.script.slide("s2", 310, 350))
    table.do(table.session.accept)
    table.journal.close()
    bases = (
        f'[[bases]]\ntag = {tag}\nmodel = "{model}"\nbase = {{{base}}}\nsize_mm = 18\n'
        for tag, (model, base) in enumerate(BASES.items(), 1)
    )
    (tmp_path / "setup.toml").write_text(SETUP.read_text() + "\n".join(bases))
    (tmp_path / "game.json").write_text(json.dumps(encode_situation(build_game())))
    files = ("--setup", tmp_path / "setup.toml", "--situation", tmp_path / "game.json")
    restored = ("--restore", table.path, "--recording", tmp_path / "new.overtable")
    with run_overtable("run", "--fps", RATE, *files, *restored) as address:
        page.goto(f"{address}/tablet")
        expect(page.locator("#restoring")).to_contain_text("the end of last-week.overtable", timeout=30_000)
        expect(page.locator("#restoring")).to_contain_text("2 of 3", timeout=30_000)
        expect(page.locator("#restoring")).to_contain_text("s2")
        expect(page.locator("#restoring")).to_contain_text("mm right")
        page.locator("#restoring").get_by_role("button").first.click()
        expect(page.locator("#restoring")).to_be_empty()
