"""A package with a plug-in of each kind, and a broken one: installed, and used through the command line."""

from pathlib import Path

import pytest

from tests.assistant.replay.sample_recording import play_sample_game
from tests.throwaway_environment import ThrowawayEnvironment, make_environment
from tests.tutorials import list_files

PROJECT = """
[project]
name = "overtable-club"
version = "1.0"

[project.entry-points."overtable.rulebooks"]
broken = "club.broken:BOOK"
snails = "club.rulebook:BOOK"

[project.entry-points."overtable.cameras"]
zips = "club.camera"

[project.entry-points."overtable.army_formats"]
sheets = "club.army_format:FORMAT"

[project.entry-points."overtable.exporters"]
chronicle = "club.exporter:EXPORTER"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["club"]
"""
MODULES = {
    "rulebook": "overtable-snails/overtable_snails/__init__.py",
    "camera": "overtable-zips/overtable_zips.py",
    "army-format": "overtable-sheets/overtable_sheets.py",
    "exporter": "overtable-chronicle/overtable_chronicle.py",
}
"""The module of each tutorial that this package has, too."""


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> tuple[ThrowawayEnvironment, Path]:
    """An environment with the package, and a folder with what its plug-ins are tried on."""
    root = tmp_path_factory.mktemp("club")
    environment, work = make_environment(root / "environment"), root / "work"
    package = root / "overtable-club/club"
    package.mkdir(parents=True)
    work.mkdir()
    (package.parent / "pyproject.toml").write_text(PROJECT)
    (package / "__init__.py").write_text("")
    (package / "broken.py").write_text("import a_module_that_nobody_wrote\n")
    for tutorial, module in MODULES.items():
        for step in list_files(tutorial):
            if step.path == module:
                (package / f"{tutorial.replace('-', '_')}.py").write_text(step.text, encoding="utf-8")
            elif not step.path.startswith("overtable-"):
                step.apply(work)
    play_sample_game(work / "evening.overtable")
    status, said = environment.run(f"uv pip install --quiet --no-deps {package.parent}", work)
    assert (status, said) == (0, "")
    return environment, work


BROKEN = (
    "overtable: overtable-club: its rulebook 'broken' cannot be used: "
    "ModuleNotFoundError: No module named 'a_module_that_nobody_wrote'"
)


@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        ("overtable rulebooks", 0, "snail-race: The great snail race"),
        ("overtable rulebooks", 0, "warhammer-40k-10e: "),
        ("overtable judge race.json", 0, 'snail-01  turbo moved 3.15" of 3"'),
        ("python take_pictures.py && overtable locate --setup setup.toml zip:evening.zip", 0, "scouts-1     x   330.0"),
        ("overtable army check friday.csv", 0, "friday.csv: Ann, 2 units, 4 models"),
        (
            "overtable export evening.overtable --to chronicle --out a.md && cat a.md",
            0,
            "# The chronicle of Two scouts",
        ),
        ("overtable export evening.overtable --to moves --out a.txt", 0, "a.txt: 4 moves"),
        ("overtable export evening.overtable --to song --out a.txt", 2, "'chronicle'"),
    ],
)
def test_each_plug_in_is_used_through_the_command_line(
    club: tuple[ThrowawayEnvironment, Path], command: str, status: int, says: str
) -> None:
    environment, work = club
    ended, said = environment.run(command, work)
    assert ended == status, said
    assert says in said


def test_what_is_broken_is_told_once_and_the_rest_works(club: tuple[ThrowawayEnvironment, Path]) -> None:
    environment, work = club
    assert environment.run("overtable rulebooks 2>&1 >rulebooks.txt", work)[1].splitlines() == [BROKEN]
    assert "snail-race" in (work / "rulebooks.txt").read_text()
