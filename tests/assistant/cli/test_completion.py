"""The list of commands and what a shell completes: quick, since neither loads a command that it only names."""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from assistant.cli import COMMANDS, overtable
from assistant.cli.completion import WHERE
from tests.assistant.cli.command_runner import read_refusal, run_overtable


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_it_says_itself(name: str) -> None:
    command = overtable.get_command(click.Context(overtable), name)
    assert command is not None
    assert command.help is not None
    assert " ".join(command.help.split("\n\n")[0].split()) == COMMANDS[name][1]
    assert name in {each.name for each in import_module(f"assistant.cli.{COMMANDS[name][0]}").commands}


def test_the_list_of_commands_loads_none() -> None:
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "assistant.cli", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(f"\n  {name} " in told.stdout for name in COMMANDS)
    loaded = {line.rsplit("|")[-1].strip() for line in told.stderr.splitlines()}
    assert "assistant.cli" in loaded
    assert loaded.isdisjoint(
        {"numpy", "pydantic", "cv2", "fastapi", *(f"assistant.cli.{it}" for it, _ in COMMANDS.values())}
    )


@pytest.mark.parametrize("shell", WHERE)
def test_a_shell_is_told_how_to_ask(shell: str) -> None:
    script = run_overtable("completion", shell)
    assert script.status == 0
    assert f"_OVERTABLE_COMPLETE={shell}_complete" in script.out


def test_another_shell_is_refused() -> None:
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in read_refusal(run_overtable("completion", "tcsh"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("line", "word", "found"),
    [
        ("overtable ca", 1, ["calibrate", "cases"]),
        ("overtable judge --a", 2, ["--all"]),
        ("overtable --v", 1, ["--version"]),
    ],
)
def test_bash_completes_commands_and_options(line: str, word: int, found: list[str], tmp_path: Path) -> None:
    program = tmp_path / "overtable"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m assistant.cli "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    words = " ".join(line.split())
    script = f"""source <({program} completion bash)
        COMP_WORDS=({words}) COMP_CWORD={word}
        _overtable_completion {program}
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    told = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.split() == found
