"""Bad files on the set-up page of the whole program: one sentence each, nothing lost, and little memory."""

import base64
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pages.conftest import note_errors
from tests.pages.program import RATE, RunningProgram, run_program
from tests.pages.waiting import PATIENCE_S

LIST = '# Alice’s Żółwie\n5 Scouts 32mm move 6"\nCaptain 40'
ROSTER = b'<roster><forces><force><selections><selection name="A" type="model"/></selections></force></forces></roster>'
MOST_GROWTH_MB = 200


def pack(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(f"{name}.ros", data)
    return packed.getvalue()


def lock(data: bytes) -> bytes:
    """Set the marks by which a zip says that its one file is encrypted."""
    locked = bytearray(data)
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    return bytes(locked)


def nest_entities() -> bytes:
    """Return a roster whose name is a thousand million letters, written in ten lines."""
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE r [<!ENTITY a0 "a">{entities}]><roster name="&a9;"><forces/></roster>'.encode()


RUBBISH = random.Random(23).randbytes(100_000)
BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "bomb.rosz": (lambda: pack(x=b"\0" * 300_000_000), "Bomb.rosz: it is larger than any army list"),
    "bomb in a bomb.rosz": (lambda: pack(x=pack(x=b"0" * 50_000_000)), "rosz: this is not a whole roster in XML"),
    "entities.ros": (nest_entities, "Entities.ros: it declares XML of its own (DOCTYPE)"),
    "outside.ros": (
        lambda: b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><roster name="&x;"/>',
        "Outside.ros: it declares XML of its own (DOCTYPE)",
    ),
    "large.txt": (lambda: b"5 Scouts 32mm\n" * 7_500_000, "Large.txt: it is larger than any army list"),
    "long.txt": (lambda: b"5 Scouts 32mm\n" * 300_000, "Long.txt: it is longer than any list"),
    "lines.txt": (lambda: b"5 Scouts 32\n" * 5_000, "5000 units are more than any army has"),
    "models.ros": (
        lambda: ROSTER.replace(b"</selections>", b'<selection name="B" type="model"/>' * 9_000 + b"</selections>"),
        "9001 units are more than any army has",
    ),
    "two.rosz": (lambda: pack(a=ROSTER, b=ROSTER), "Two.rosz: 2 rosters are packed in it; expected one"),
    "locked.rosz": (lambda: lock(pack(a=ROSTER)), "Locked.rosz: it is locked with a password"),
    "torn.rosz": (lambda: pack(a=ROSTER * 50)[:150], "Torn.rosz: it is no whole zip file"),
    "rubbish.rosz": (lambda: RUBBISH, "Rubbish.rosz: this is not a whole roster in XML"),
    "rubbish.json": (lambda: RUBBISH, "Rubbish.json: this is not a text file"),
    "rubbish": (lambda: RUBBISH, "Rubbish: this is not a text file"),
    "empty.txt": (lambda: b"", "Empty.txt: it is empty"),
    "saved.ros": (lambda: b"<!DOCTYPE html><html><title>My list</title></html>", "Saved.ros: this is a web page"),
    "printed.txt": (lambda: b"%PDF-1.7\n%\xe2\xe3" + RUBBISH, "Printed.txt: this is a PDF"),
    "deep.json": (lambda: b'{"forces": [' + b"[" * 90_000, "Deep.json: it is nested deeper than any roster"),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProgram]:
    with run_program("setup", "--fps", RATE, tmp_path_factory.mktemp("tables") / "table") as running:
        yield running


@pytest.fixture(scope="module")
def opened(browser: Browser, program: RunningProgram) -> Iterator[tuple[Page, list[str]]]:
    """The page, which stays open as each file leaves it as it was, and what its script complained of."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
    context.set_default_timeout(PATIENCE_S * 1000)
    page = context.new_page()
    errors = note_errors(page)
    page.route("**/picture.jpg*", lambda route: route.fulfill(status=204))
    page.goto(f"{program.address}/setup#armies")
    yield page, errors
    context.close()


@pytest.fixture
def armies(opened: tuple[Page, list[str]]) -> Iterator[Page]:
    """The page with a list pasted."""
    page, errors = opened
    page.get_by_label("Paste the list").first.fill(LIST)
    expect_list(page)
    yield page
    assert errors == []


def expect_list(page: Page) -> None:
    red = page.locator(".army").first
    expect(red.get_by_label("Player")).to_have_value("Alice’s Żółwie")
    expect(red.locator(".army-row")).to_have_count(2)
    expect(red.get_by_role("group", name="Scouts", exact=True).get_by_label("Move, in")).to_have_value('6"')


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_sentence_and_nothing_is_lost(
    armies: Page, program: RunningProgram, tmp_path: Path, name: str
) -> None:
    build, says = BAD[name]
    (tmp_path / name).write_bytes(build())
    before_mb = program.forget_peak()
    armies.locator("input[type=file]").first.set_input_files(tmp_path / name)
    alert = armies.get_by_role("alert")
    expect(alert).to_contain_text(says)
    sentence = alert.inner_text()
    assert len(sentence) < 150, sentence
    assert not re.search(r"\. |\n", sentence), "one sentence"
    expect_list(armies)
    armies.reload()
    expect_list(armies)
    assert program.measure_peak() - before_mb < MOST_GROWTH_MB


def drop(page: Page, name: str, data: bytes) -> None:
    """Drop a file on the first army, as a hand does that drags it from a folder."""
    script = """([name, data]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], name));
      return transfer;
    }"""
    transfer = page.evaluate_handle(script, [name, base64.b64encode(data).decode()])
    page.locator(".army").first.dispatch_event("drop", {"dataTransfer": transfer})


def test_after_a_bad_file_that_was_dropped_a_good_one_is_taken(armies: Page) -> None:
    drop(armies, "two.rosz", pack(a=ROSTER, b=ROSTER))
    expect(armies.get_by_role("alert")).to_contain_text("Two.rosz: 2 rosters are packed in it; expected one")
    expect_list(armies)
    drop(armies, "one.rosz", pack(a=ROSTER))
    expect(armies.locator(".army").first.locator(".army-row")).to_have_count(1)
    armies.get_by_role("button", name="Bring back what Alice’s Żółwie had before").tap()
    expect_list(armies)


def paste(page: Page, text: str) -> None:
    """Put a text in the first army's field, as the clipboard does."""
    script = "(field, text) => { field.value = text; field.dispatchEvent(new Event('input', { bubbles: true })); }"
    page.get_by_label("Paste the list").first.evaluate(script, text)


def test_a_long_text_is_taken_however_it_is_pasted_and_one_too_long_is_refused(armies: Page) -> None:
    paste(armies, "5 Scouts 32mm\n" * 20_000)
    expect(armies.get_by_role("alert")).to_contain_text("The pasted list: it is longer than any list")
    armies.reload()
    expect_list(armies)
    padding = [{"name": f"Club {number}", "type": "upgrade", "number": 1} for number in range(2_000)]
    toad = {"name": "Old Toad", "type": "model", "number": 1, "selections": padding}
    paste(armies, json.dumps({"roster": {"name": "Moss", "forces": [{"selections": [toad]}]}}))
    expect(armies.locator(".army").first.get_by_role("group", name="Old Toad", exact=True)).to_be_visible()
