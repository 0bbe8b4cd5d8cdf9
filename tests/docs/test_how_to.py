"""The tutorials: whoever follows one step by step sees what it shows."""

from pathlib import Path

import pytest

from tests.assistant.replay.sample_recording import play_sample_game
from tests.throwaway_environment import ROOT, make_environment
from tests.tutorials import FOLDER, CommandStep, FileStep, read_tutorial

ELSEWHERE = {"README", "page"}
"""The list of tutorials, and the one that `tests/pages` follows in a browser."""
TUTORIALS = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem not in ELSEWHERE)


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_shows_what_happens(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERTABLE", str(ROOT))
    steps = read_tutorial(name)
    assert {type(step) for step in steps} == {FileStep, CommandStep}
    environment, folder = make_environment(tmp_path / "environment"), tmp_path / "work"
    folder.mkdir()
    play_sample_game(folder / "evening.overtable")
    for step in steps:
        if isinstance(step, FileStep):
            step.apply(folder)
        else:
            printed = environment.run(step.command, folder)[1]
            assert step.matches(printed), f"$ {step.command}\n{printed}"


def test_what_a_tutorial_shows_is_compared_whole() -> None:
    step = CommandStep(command="x", output="a ... mm\nend\n")
    assert step.matches("a 5.3 mm\nend")
    assert not step.matches("a 5.3 mm\nend of it")
    assert not step.matches("a 5.3 cm\nend")
