"""`overtable army`: what it says of files, and the game that it writes."""

import json
from pathlib import Path

import pytest

from assistant.features.demo.catalogue import SETUP
from tests.assistant.cli.command_runner import read_refusal, run_overtable

ODD = 'Captain 40 M6" (80 pts) with very much golden ornament'
ROSTER = f'# Red\n5 Scouts 32mm move 6", infantry\n{ODD}\n# Blue\n10 Guards 25\n'
ARMY = 'format = "overtable.army/1"\nplayer = "Green"\n[[units]]\nname = "Scouts"\ncount = 3\nbase = "60x35 oval"\n'


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "both.txt").write_text(ROSTER)
    (tmp_path / "green.toml").write_text(ARMY)
    return ["both.txt", "green.toml"]


def test_what_was_read_is_said_and_what_was_not_understood(tmp_path: Path, files: list[str]) -> None:
    run = run_overtable("army", "check", *files, folder=tmp_path)
    assert run.status == 0
    assert run.out.splitlines() == [
        "both.txt: Red, 2 units, 6 models",
        "    5 Scouts                   base 32, move 6; infantry",
        "    1 Captain                  base 40, move 6",
        "both.txt: Blue, 1 unit, 10 models",
        "   10 Guards                   base 25",
        f"  {ODD!r}: Not understood: 'with very much golden ornament'.",
        "green.toml: Green, 1 unit, 3 models",
        "    3 Scouts                   base 60x35 oval",
    ]
    document = run_overtable("army", "check", "--json", *files, folder=tmp_path).document
    assert [(army["player"], len(army["units"])) for army in document["armies"]] == [
        ("Red", 2),
        ("Blue", 1),
        ("Green", 1),
    ]


def test_a_game_is_composed_that_can_be_judged_and_is_not_lost(tmp_path: Path, files: list[str]) -> None:
    compose = ["army", "compose", "--setup", str(SETUP), "--rulebook", "warhammer-40k-10e", "--out", "game.json"]
    assert (
        run_overtable(*compose, *files, folder=tmp_path).out == "game.json: 3 players, 19 models by warhammer-40k-10e\n"
    )
    document = json.loads((tmp_path / "game.json").read_text())
    assert document["units"][0]["models"][0] == {"id": "scouts-1", "base": {"round_mm": 32.0}, "pose": None}
    again = run_overtable(*compose, "--placed", *files, folder=tmp_path)
    assert again.out.endswith("what was there is game.before-1.json now\n")
    assert run_overtable("judge", "game.json", folder=tmp_path).out == "legal\n"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("none.toml", None, "none.toml: there is no such file"),
        ("none.txt", None, "none.txt: there is no such file"),
        ("page.txt", "<!DOCTYPE html><p>5 Scouts", "page.txt: this is a web page; paste the list's text"),
        ("game.json", '{"format": "overtable.situation/1"}', "game.json: there is no army in it"),
        ("empty.txt", "\n", "empty.txt: it is empty; save the list anew"),
        ("bare.ros", "<roster>", "bare.ros: this is not a whole roster in XML"),
        ("bad.toml", ARMY.replace("3", "0"), "bad.toml: units[0].count: "),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    assert says in read_refusal(run_overtable("army", "check", name, folder=tmp_path))


def test_no_other_file_is_lost_and_errors_are_in_the_rosters_words(tmp_path: Path, files: list[str]) -> None:
    compose = ["army", "compose", "--setup", str(SETUP), "--rulebook"]
    out = read_refusal(run_overtable(*compose, "warhammer-40k-10e", "--out", "green.toml", *files, folder=tmp_path))
    assert "green.toml: what is there is no situation and would be lost" in out
    assert (tmp_path / "green.toml").read_text() == ARMY
    wrong = read_refusal(
        run_overtable(*compose, "warmaster-revolution", "--out", "game.json", "green.toml", folder=tmp_path)
    )
    assert "Green, Scouts: profile.troop is missing" in wrong
    assert not (tmp_path / "game.json").exists()


def test_a_game_is_composed_on_a_layout(tmp_path: Path, files: list[str]) -> None:
    compose = ["army", "compose", files[0], "--setup", str(SETUP), "--rulebook", "warhammer-40k-10e"]
    run = run_overtable(*compose, "--layout", "crossed-streets", "--placed", "--out", "game.json", folder=tmp_path)
    assert run.status == 0
    game = json.loads((tmp_path / "game.json").read_text())
    assert {"ruin-west-walls", "woods-twin"} <= {piece["id"] for piece in game["terrain"]}
    assert len(game["objectives"]) == 5
    assert [zone["player"] for zone in game["deployment"]] == ["Red", "Blue"]
    assert all(model["pose"]["y_mm"] < 254 for model in game["units"][0]["models"])
    wrong = run_overtable(*compose, "--layout", "supply-yard", "--out", "game.json", folder=tmp_path)
    assert "is for a table of 1118 x 762 mm, but yours is 1524 x 1118 mm" in read_refusal(wrong)


def test_a_unit_without_a_base_is_read_but_no_game_is_made_of_it(tmp_path: Path) -> None:
    (tmp_path / "bare.txt").write_text("5 Scouts")
    assert (
        "5 Scouts                   base not known" in run_overtable("army", "check", "bare.txt", folder=tmp_path).out
    )
    compose = ["army", "compose", "--setup", str(SETUP), "--rulebook", "warhammer-40k-10e", "--out", "game.json"]
    assert "bare, Scouts: it has no base yet" in read_refusal(run_overtable(*compose, "bare.txt", folder=tmp_path))


LIST = "Moss (90 Points)\n\nGuards (90 Points)\n  • 1x Chief\n    ◦ 1x Spear\n  • 4x Guard\n    ◦ 4x Club\n"


def test_a_shared_list_becomes_an_army_file_and_bases_that_were_said_once_are_known_after(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(LIST, encoding="utf-8")
    known = ["--bases", "bases.json"]
    take = ["army", "import", "list.txt", "--rulebook", "warhammer-40k-10e", *known]
    assert "4 Guard                    base not known; part of Guards" in run_overtable(*take, folder=tmp_path).out
    text = (tmp_path / "moss.toml").read_text(encoding="utf-8")
    assert "base" not in text
    for name, base in (("Chief", "40"), ("Guard", "60x35 oval")):
        text = text.replace(f'name = "{name}"', f'name = "{name}"\nbase = "{base}"')
    (tmp_path / "moss.toml").write_text(text, encoding="utf-8")
    kept = run_overtable("army", "bases", "moss.toml", *known, folder=tmp_path)
    assert kept.out == "bases.json: 2 bases are known\n"
    (tmp_path / "again").mkdir()
    again = run_overtable(*take, "--to", "again", folder=tmp_path)
    assert "4 Guard                    base 60x35 oval; part of Guards" in again.out
    read = run_overtable("army", "check", "again/moss.toml", folder=tmp_path).out
    assert "1 Chief                    base 40; part of Guards" in read
    document = run_overtable("army", "bases", *known, folder=tmp_path).document
    assert [one["model"] for one in document["bases"]] == ["Chief", "Guard"]
    elsewhere = run_overtable("army", "bases", "bases.json", "--bases", "other.json", folder=tmp_path)
    assert elsewhere.out == "other.json: 2 bases are known\n"
    wrong = run_overtable("army", "bases", "list.txt", *known, folder=tmp_path)
    assert "it names no rulebook" in read_refusal(wrong)
