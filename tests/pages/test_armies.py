"""The armies' step of the set-up: a list is pasted, corrected by hand, and nothing that was entered is lost."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assistant.armies.own_bases import read_own_bases
from assistant.features.armies.controller import ArmiesController
from assistant.game.state import Table
from assistant.web.messages import View
from tests.pages.step_page import serve_step

ROSTER = (
    '# Red\n5 Scouts 32mm move 6", infantry\nCaptain [80 pts] M6"\nCHARACTERS\nTank 100x60 with all the guns there are'
)


@pytest.fixture
def armies() -> ArmiesController:
    return ArmiesController()


@pytest.fixture
def step(armies: ArmiesController) -> Iterator[str]:
    with serve_step("armies", armies, shown=armies.build_view) as address:
        yield address


def test_a_list_is_pasted_and_corrected_until_it_is_a_game(page: Page, step: str, armies: ArmiesController) -> None:
    page.goto(step)
    red, blue = page.locator(".army").nth(0), page.locator(".army").nth(1)
    standing = page.locator(".standing")
    expect(standing).to_contain_text("Enter each player's units")
    red.get_by_label("Paste the list").fill(ROSTER)
    expect(red.get_by_label("Player")).to_have_value("Red")
    expect(red.locator(".army-row")).to_have_count(3)
    scouts, captain, tank = (red.get_by_role("group", name=name, exact=True) for name in ("Scouts", "Captain", "Tank"))
    expect(scouts.get_by_label("Move, in")).to_have_value('6"')
    expect(scouts).to_contain_text("scouts-1 to scouts-5")
    expect(captain).to_contain_text("Which base? Choose one")
    expect(captain.get_by_label("Base, mm")).to_have_attribute("aria-invalid", "true")
    expect(tank).to_contain_text("Not understood: 'with all the guns there are'.")
    expect(standing).to_contain_text("Red, Captain: Which base?")
    red.get_by_text("1 line is skipped").tap()
    expect(red.get_by_text("A heading, skipped.")).to_be_visible()

    question = red.get_by_role("group", name="The base of Captain")
    question.get_by_role("button", name="40", exact=True).tap()
    expect(question).to_have_count(0)
    expect(captain.get_by_label("Base, mm")).to_have_value("40")
    expect(captain.locator(".wrong")).to_have_count(0)
    tank.locator("summary").tap()
    tank.get_by_label("Move, in").fill("10 cm")
    expect(tank).to_contain_text("Move: expected in, not 'cm'.")
    tank.get_by_label("Move, in").fill("10")
    expect(standing).to_contain_text("there is no enemy yet")

    blue.get_by_role("button", name="Add a unit").tap()
    added = blue.get_by_role("group", name="A new unit")
    expect(added).to_contain_text("Give the unit a name.")
    for label, value in (("Unit", "Guards"), ("Count", "10"), ("Base, mm", "25"), ("Move, in", "6")):
        blue.locator(".army-row").get_by_label(label, exact=True).fill(value)
    expect(standing).to_have_text("2 players, 4 units, 17 models.")
    assert len(armies.compose_game(Table(width_mm=1524, depth_mm=1118))["units"]) == 4


def test_typing_is_not_disturbed_and_what_is_dropped_comes_back(
    page: Page, step: str, armies: ArmiesController
) -> None:
    page.goto(step)
    red = page.locator(".army").nth(0)
    roster = red.get_by_label("Paste the list")
    roster.press_sequentially("5 Scouts 32mm", delay=30)
    expect(red.locator(".army-row")).to_have_count(1)
    expect(roster).to_have_value("5 Scouts 32mm")
    expect(roster).to_be_focused()
    red.get_by_role("button", name="Drop this unit").tap()
    expect(red.locator(".army-row")).to_have_count(0)
    page.get_by_role("button", name="Bring back Scouts").tap()
    expect(roster).to_have_value("5 Scouts 32mm")
    page.reload()
    expect(red.get_by_label("Paste the list")).to_have_value("5 Scouts 32mm")
    assert armies.draft.forces[0].text == "5 Scouts 32mm"


def test_the_table_asks_what_the_rulebook_asks(page: Page, step: str) -> None:
    page.goto(step)
    page.get_by_label("Rulebook").select_option("warmaster-revolution")
    red = page.locator(".army").nth(0)
    red.get_by_label("Paste the list").fill("3 Knights 20x40")
    expect(red).to_contain_text("Troop is missing")
    red.get_by_role("group", name="Knights", exact=True).get_by_label("Troop").select_option("cavalry")
    expect(red.locator(".wrong")).to_have_count(0)


def test_armies_that_are_told_late_can_be_entered(page: Page, armies: ArmiesController) -> None:
    views = [View()]
    with serve_step("armies", armies, shown=lambda: views[-1]) as step:
        page.goto(step)
        expect(page.get_by_text("No armies are entered here.")).to_be_visible()
        views.append(armies.build_view())
        expect(page.get_by_label("Paste the list").first).to_be_visible()
        expect(page.get_by_text("No armies are entered here.")).to_be_hidden()


def test_files_are_taken_and_a_bad_one_is_refused_in_a_sentence(page: Page, step: str, tmp_path: Path) -> None:
    game = {
        "format": "overtable.situation/1",
        "rulebook": "warhammer-40k-10e",
        "table": {"width_mm": 1524, "depth_mm": 1118},
        "units": [{"id": "a", "player": "Red", "models": [{"id": "a1", "base": {"round_mm": 32}, "pose": None}]}],
    }
    (tmp_path / "game.json").write_text(json.dumps(game))
    (tmp_path / "bad.toml").write_text("format = 3")
    page.goto(step)
    page.locator("input[type=file]").nth(0).set_input_files(tmp_path / "bad.toml")
    expect(page.get_by_role("alert")).to_contain_text("Bad.toml: ")
    page.locator("input[type=file]").nth(0).set_input_files(tmp_path / "game.json")
    expect(page.locator(".standing")).to_contain_text("The game of game.json is played: 1 unit")
    expect(page.locator(".army")).to_have_count(2)
    expect(page.locator(".army").nth(0)).to_be_hidden()
    page.get_by_role("button", name="Enter armies instead").tap()
    expect(page.locator(".army").nth(0)).to_be_visible()


def test_a_packed_roster_is_taken_whole_and_asks_for_its_bases(page: Page, step: str, tmp_path: Path) -> None:
    roster = """<roster name="Żółw"><forces><force><selections>
    <selection name="Guard" type="unit" number="1"><selections>
    <selection name="Sergeant" type="model" number="1"/><selection name="Guard" type="model" number="9"/></selections>
    </selection></selections></force></forces></roster>"""
    with zipfile.ZipFile(tmp_path / "moss.rosz", "w") as packed:
        packed.writestr("moss.ros", f"{roster}{' ' * 100_000}")
    page.goto(step)
    page.locator("input[type=file]").nth(0).set_input_files(tmp_path / "moss.rosz")
    red = page.locator(".army").nth(0)
    expect(red.get_by_label("Player")).to_have_value("Żółw")
    expect(red.locator(".army-row")).to_have_count(2)
    sergeant = red.get_by_role("group", name="Sergeant", exact=True)
    expect(sergeant.get_by_label("Part of unit")).to_have_value("Guard")
    expect(sergeant).to_contain_text("Which base? Choose one")
    guards = red.get_by_role("group", name="The base of Guard")
    expect(red.locator(".base-question")).to_have_count(2)
    guards.get_by_text("Other sizes").tap()
    guards.get_by_role("button", name="60x35 oval").tap()
    guards.get_by_role("button", name="6", exact=True).tap()
    expect(red.locator(".base-question")).to_have_count(1)


def test_a_list_that_names_neither_bases_nor_moves_is_answered_in_one_place(
    page: Page, step: str, armies: ArmiesController
) -> None:
    page.goto(step)
    red = page.locator(".army").nth(0)
    red.get_by_label("Paste the list").fill("5 Scouts\n5 Scouts\nWagon")
    expect(red.locator(".base-question")).to_have_count(2)
    scouts = red.get_by_role("group", name="The base of Scouts")
    expect(scouts).to_contain_text("Scouts × 10")
    scouts.get_by_role("button", name="32", exact=True).tap()
    expect(scouts.get_by_role("group", name="Common bases, mm")).to_have_count(0)
    scouts.get_by_role("button", name="6", exact=True).tap()
    wagon = red.get_by_role("group", name="The base of Wagon")
    wagon.get_by_text("Other sizes").tap()
    wagon.get_by_label("Another base of Wagon, mm").fill("110x66 rect")
    move = wagon.get_by_label("Another move of Wagon, in")
    move.press_sequentially("1")
    # The base is answered meanwhile: what is being typed is neither lost nor taken by half.
    expect(red.locator(".army-row").nth(2)).to_contain_text("110x66 rect mm")
    move.press_sequentially("1")
    move.press("Enter")
    expect(red.locator(".base-question")).to_have_count(0)
    expect(red.locator(".army-row").nth(2)).to_contain_text('110x66 rect mm, move 11"')
    assert [unit.profile for unit in armies.list_armies()[0].units] == [{"move_in": n} for n in (6, 6, 11)]


def test_a_press_counts_though_an_answer_arrives_before_its_release(page: Page, step: str) -> None:
    page.goto(step)
    red = page.locator(".army").nth(0)
    roster = red.get_by_label("Paste the list")
    roster.fill('5 Scouts move 6"')
    red.get_by_role("group", name="The base of Scouts").get_by_role("button", name="32", exact=True).hover()
    page.mouse.down()
    roster.fill('5 Scouts move 6"\nWagon')
    expect(red.locator(".army-row")).to_have_count(2)
    page.mouse.up()
    expect(red.locator(".army-row").nth(0)).to_contain_text('32 mm, move 6"')
    expect(red.get_by_role("group", name="The base of Scouts")).to_have_count(0)
    expect(red.get_by_role("group", name="The base of Wagon")).to_be_visible()


def test_a_file_that_is_dropped_beside_the_armies_goes_to_the_first_that_is_empty(page: Page, step: str) -> None:
    page.goto(step)
    page.locator(".army").nth(0).get_by_label("Paste the list").fill("5 Scouts 32 M6")
    expect(page.locator(".army").nth(0).locator(".army-row")).to_have_count(1)
    script = """() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["# Blue\\n10 Guards 25 M6"], "blue.txt"));
      const place = document.querySelector(".standing");
      const over = new DragEvent("dragover", { dataTransfer: transfer, bubbles: true, cancelable: true });
      place.dispatchEvent(over);
      const marked = [...document.querySelectorAll(".army")].map((one) => one.classList.contains("over"));
      place.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      return [over.defaultPrevented, ...marked];
    }"""
    assert page.evaluate(script) == [True, False, True]
    expect(page.locator(".army").nth(1).get_by_role("group", name="Guards", exact=True)).to_be_visible()
    expect(page.locator(".army.over")).to_have_count(0)


def test_guesses_are_marked_until_somebody_agrees_and_answers_are_remembered(
    page: Page, step: str, armies: ArmiesController, tmp_path: Path
) -> None:
    known = [{"game": armies.draft.rulebook, "unit": "a unit", "model": name, "base": "40"} for name in ("Ann", "Ben")]
    armies.bases = tmp_path / "bases.json"
    armies.bases.write_text(json.dumps({"format": "overtable.bases/1", "bases": known}))
    page.goto(step)
    red = page.locator(".army").nth(0)
    red.get_by_label("Paste the list").fill('1 Ann, move 6"\n1 Ben, move 6"\n1 Cat 32, move 6"')
    expect(red.locator(".base-question")).to_have_count(2)
    expect(red.get_by_role("group", name="The base of Ann")).to_contain_text("a guess: your own, of another unit")
    expect(red.locator(".army-row").nth(0).get_by_label("Base, mm")).to_have_value("40")
    armies.learn_bases()
    assert [one.model for one in read_own_bases(armies.bases).bases] == ["Ann", "Ben", "Cat"]
    red.get_by_role("button", name="Agree with all 2").tap()
    expect(red.locator(".base-question")).to_have_count(0)
    armies.learn_bases()
    assert [(one.unit, one.model) for one in read_own_bases(armies.bases).bases][-3:] == [
        (name.lower(), name) for name in ("Ann", "Ben", "Cat")
    ]


def test_on_a_phone_nothing_overlaps(phone: Page, step: str) -> None:
    phone.goto(step)
    red = phone.locator(".army").nth(0)
    red.get_by_label("Paste the list").fill(f"{ROSTER}\n# Blue\n10 Guards 25")
    phone.get_by_role("button", name="Give Blue an army of their own").tap()
    expect(phone.locator(".army").nth(1).get_by_role("group", name="Guards", exact=True)).to_be_visible()
    red.locator(".army-row summary").nth(0).tap()
    boxes = [field.bounding_box() for field in red.locator(".army-row").nth(0).locator("input, select, button").all()]
    for n, one in enumerate(boxes):
        for other in boxes[n + 1 :]:
            assert one is not None
            assert other is not None
            apart_x = one["x"] + one["width"] <= other["x"] + 0.5 or other["x"] + other["width"] <= one["x"] + 0.5
            apart_y = one["y"] + one["height"] <= other["y"] + 0.5 or other["y"] + other["height"] <= one["y"] + 0.5
            assert apart_x or apart_y
