"""Plug-ins: what comes in, and what is told of what does not."""

from pathlib import Path

import pytest

from assistant.rules import books
from assistant.rules.rulebook import Rulebook
from tests.brought_package import bring_package

COPY = """
from dataclasses import replace
from assistant.rules.books.activation_skirmish import BOOK as MODEL
BOOK = replace(MODEL, id={id!r})
"""


def list_ids() -> list[str]:
    return [book.id for book in books.DOOR.find()]


def test_a_book_of_another_package_stands_beside_the_built_in_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = list_ids()
    bring_package(
        tmp_path, monkeypatch, "overtable-go", {"overtable.rulebooks": "go = go_1:BOOK"}, go_1=COPY.format(id="go")
    )
    assert list_ids() == [*before, "go"]
    assert isinstance(books.DOOR.find()[-1], Rulebook)
    assert caplog.messages == []


@pytest.mark.parametrize(
    "bad",
    [
        ("go = go_2:BOOK", "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("go = go_3:BOOK", "", "AttributeError: module 'go_3' has no attribute 'BOOK'"),
        ("go = go_4:BOOK", "BOOK = 'go'", "go_4:BOOK is no Rulebook"),
        ("go = go_5:BOOK", "raise SystemError('out of ink')", "SystemError: out of ink"),
        (
            "go = go_6:BOOK",
            COPY.format(id="warhammer-40k-5e"),
            "'warhammer-40k-5e' is built in already",
        ),
    ],
)
def test_a_package_that_cannot_be_used_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, bad: tuple[str, str, str]
) -> None:
    (line, text, why), before = bad, books.DOOR.find()
    module = line.split()[2].split(":", maxsplit=1)[0]
    bring_package(tmp_path / "bad", monkeypatch, "overtable-bad", {"overtable.rulebooks": line}, **{module: text})
    bring_package(
        tmp_path / "good",
        monkeypatch,
        "overtable-good",
        {"overtable.rulebooks": f"good = good_{module}:BOOK"},
        **{f"good_{module}": COPY.format(id="good")},
    )
    books_now = books.DOOR.find()
    assert books_now[:-1] == before
    assert books_now[-1].id == "good"
    assert caplog.messages == [f"overtable-bad: its rulebook 'go' cannot be used: {why}"]


def test_of_two_packages_with_a_book_of_one_id_the_first_by_name_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, module in (("overtable-b", "go_b"), ("overtable-a", "go_a")):
        point = {"overtable.rulebooks": f"go = {module}:BOOK"}
        bring_package(tmp_path / name, monkeypatch, name, point, **{module: COPY.format(id="go")})
    assert list_ids().count("go") == 1
    assert caplog.messages == ["overtable-b: its rulebook 'go' cannot be used: 'go' is brought by overtable-a already"]
