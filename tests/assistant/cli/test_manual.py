"""The manual page: every command is in it, and man takes it without a warning."""

import shutil
import subprocess

import click
import pytest

from assistant.cli import overtable
from assistant.cli.manual import STATUS, write_manual
from tests.assistant.cli.command_runner import run_overtable
from tests.docs.test_commands import walk_commands


@pytest.fixture(scope="module")
def page() -> str:
    run = run_overtable("manual")
    assert run.status == 0
    return run.out


def test_every_command_and_its_options_are_in_it(page: str) -> None:
    titles = [line for line in page.splitlines() if line.startswith(".SS ")]
    for name in walk_commands(overtable):
        assert any(title.startswith(f'.SS "{name} ') for title in titles), name
    assert r"\fB\-\-board TEXT\fR" in page
    assert all(f".TP\n{number}\n" in page for number in STATUS)


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man here")
def test_man_shows_it(page: str) -> None:
    shown = subprocess.run(
        ["man", "--warnings", "--local-file", "-"],
        input=page,
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "MANWIDTH": "100", "LC_ALL": "C.UTF-8"},
    )
    assert shown.stderr == ""
    assert "overtable - watch a gaming table through a camera, and know the rules" in shown.stdout
    assert "service install [OPTIONS] [FOLDER]" in shown.stdout


def test_what_would_be_a_macro_is_text() -> None:
    @click.command(help=".so /etc/passwd \\fB")
    def odd() -> None: ...

    text = "\n".join(write_manual(click.Context(odd, info_name="odd")))
    assert r"\- \&.so /etc/passwd \efb" in text
