"""The offer of a better lens on the tablet: a calm card between moves, that says what became of it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from playwright.sync_api import Page, expect

from assistant.features.demo.catalogue import SETUP
from assistant.features.refinement.controller import RefinementController
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game
from tests.calibration.table.random_games import draw_tags
from tests.calibration.table.random_tables import LensKnown, View, draw_table
from tests.pages.served_session import serve_session
from vision.anchors.resting_tags import RestingStand, RestingTags
from vision.pipeline import Pipeline

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}


def test_a_better_lens_is_offered_between_moves_and_used_on_a_touch(phone: Page, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SETUP.read_text())
    drawn = draw_table(0, LensKnown.NOT, View.LAID)
    stand = RestingStand(camera=drawn.solve(drawn.lens), place=drawn.solve, tags=tuple(draw_tags(drawn, 60)))
    eyes = SimpleNamespace(markers=SimpleNamespace(lens=None), camera=None, change_lens=[].append)
    with ThreadPoolExecutor(1) as executor:
        offers = RefinementController(
            setup=read_setup(path), path=path, pipeline=cast("Pipeline", eyes), executor=executor
        )
        offers._gathered = RestingTags(_fullest=stand)
        with serve_session(GameSession(build_game()), PLACES, more=(offers,)) as address:
            phone.goto(f"{address}/tablet")
            card = phone.get_by_role("group", name="A better lens")
            expect(card).to_contain_text("The table can be measured better. 60 tags that lay still tell more of")
            expect(card.get_by_role("button")).to_have_text(["Use it", "Not now"])
            card.get_by_role("button", name="Use it").tap()
            expect(card).to_have_text("The better lens is used from now on: table-lens.json, which table.toml names.")
            expect(card.get_by_role("button")).to_have_count(0)
    assert (tmp_path / "table-lens.json").is_file()
