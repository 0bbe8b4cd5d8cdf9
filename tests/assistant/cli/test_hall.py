"""`overtable hall` as it is typed: a folder that is made and added to, and what is said where it cannot be."""

from datetime import timedelta
from pathlib import Path

import pytest

from assistant.features.demo.catalogue import SETUP
from assistant.setup.hall_file import read_hall_file
from assistant.web import certificate
from tests.assistant.cli.command_runner import read_refusal, run_overtable


def test_a_hall_is_made_and_added_to(tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    made = run_overtable("hall", "init", cup, "--name", "Autumn Cup", "--tables", "2", "--address", "192.0.2.7")
    assert (made.status, made.err) == (0, "")
    assert "Autumn Cup: 2 tables, at 192.0.2.7, port 4222." in made.out
    first = read_hall_file(cup / "tables" / "1.json")
    assert (first.event, first.table, first.servers) == ("Autumn Cup", "1", ("192.0.2.7:4222",))
    assert (cup / "sheets.pdf").read_bytes().startswith(b"%PDF")
    run_overtable("hall", "withdraw", cup, "2")
    assert run_overtable("hall", "init", cup, "--tables", "3").status == 0
    assert read_hall_file(cup / "tables" / "1.json") == first
    assert sorted(file.stem for file in (cup / "tables").iterdir()) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("init", "full"), "this folder is not empty"),
        (("init", "new", "--tables", "a b"), "--tables: 'a b' is no name for a table"),
        (("init", "new", "--address", "http://x"), "--address: 'http://x'"),
        (("serve", "full"), "this is no hall's folder; make one with: overtable hall init"),
        (("withdraw", "full", "1"), "this is no hall's folder"),
    ],
)
def test_what_cannot_be_gets_its_sentence(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    assert sentence in read_refusal(run_overtable("hall", *arguments, folder=tmp_path))


def test_without_a_broker_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assistant.hall import broker

    run_overtable("hall", "init", tmp_path / "cup", "--address", "192.0.2.7")
    monkeypatch.setattr(broker, "PROGRAM", "no-such-server")
    missing = run_overtable("hall", "serve", tmp_path / "cup")
    assert (missing.status, missing.err.count("\n")) == (3, 1)
    assert "is not on this machine: install it, as by 'sudo apt install no-such-server'" in missing.err
    named = run_overtable("hall", "serve", tmp_path / "cup", "--broker", tmp_path / "nothing")
    assert (named.status, "this is no program that can be run" in named.err) == (3, True)


def test_a_table_is_not_begun_with_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "7.json").write_text("{}")
    refused = run_overtable("run", "--setup", SETUP, "--hall", tmp_path / "7.json", "--no-open", "--port", "0")
    assert "7.json: format: this key is missing" in read_refusal(refused)


def test_a_hall_whose_certificates_are_over_is_not_begun_and_makes_them_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = tmp_path / "cup"
    with monkeypatch.context() as patched:
        patched.setattr(certificate, "LASTS", timedelta(hours=-1))
        run_overtable("hall", "init", cup, "--tables", "2", "--address", "192.0.2.7")
    broker = tmp_path / "nats-server"
    broker.write_text("#!/bin/sh\n")
    broker.chmod(0o755)
    refused = read_refusal(run_overtable("hall", "serve", cup, "--broker", broker))
    assert "broker.pem: this certificate was valid until 20" in refused
    assert f"with: overtable hall init {cup}" in refused
    before = read_hall_file(cup / "tables" / "1.json")
    table = run_overtable("run", "--setup", SETUP, "--hall", cup / "tables" / "1.json", "--no-open", "--port", "0")
    assert "1.json: it is valid from" in read_refusal(table)
    made = run_overtable("hall", "init", cup)
    assert (made.status, "are new: give each table its new sheet" in made.out) == (0, True)
    after = read_hall_file(cup / "tables" / "1.json")
    after.check_date("1.json")
    assert (after.password, after.authority != before.authority) == (before.password, True)
    assert sorted(file.stem for file in (cup / "tables").iterdir()) == ["1", "2"], "nobody named any"
    assert "are new" not in run_overtable("hall", "init", cup).out
