"""`overtable layout`: what is listed, shown and taken in."""

import json
from pathlib import Path

from tests.assistant.cli.command_runner import read_refusal, run_overtable
from tests.assistant.layouts.sample_layouts import build_document


def test_layouts_are_listed_for_people_and_for_programs() -> None:
    assert "crossed-streets" in run_overtable("layout", "list").out
    listed = run_overtable("layout", "list", "--rulebook", "warmaster-revolution", "--json").document
    assert {one["rulebook"] for one in listed["layouts"]} == {"warmaster-revolution"}
    assert "river-crossing" in {one["name"] for one in listed["layouts"]}
    assert "nonsense" in read_refusal(run_overtable("layout", "list", "--rulebook", "nonsense"))


def test_a_layout_is_shown_with_its_picture_and_its_faults(tmp_path: Path) -> None:
    woods = {"id": "woods", "template": "woods", "x_mm": 260.0, "y_mm": 300.0}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(build_document(features=[*build_document()["features"], woods])))
    run = run_overtable("layout", "show", "mine.json", "--out", "mine.svg", folder=tmp_path)
    assert run.status == 0
    assert "ruin and woods overlap: move them apart." in run.out
    assert (tmp_path / "mine.svg").read_text().startswith("<svg")
    shown = run_overtable("layout", "show", path, "--rulebook", "priority-skirmish", "--json").document
    assert {"id": "woods", "traits": ["difficult"]}.items() <= next(
        {"id": one["id"], "traits": one["traits"]} for one in shown["terrain"] if one["id"] == "woods"
    ).items()
    (tmp_path / "mine.svg").write_text("my poem")
    assert "would be lost" in read_refusal(
        run_overtable("layout", "show", "mine.json", "--out", "mine.svg", folder=tmp_path)
    )


def test_layouts_are_taken_in_and_what_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Mine Own.json").write_text(json.dumps(build_document()))
    run = run_overtable("layout", "import", "Mine Own.json", "--to", "own", folder=tmp_path)
    assert run.status == 0
    assert "1 layout taken in" in run.out
    assert (tmp_path / "own" / "mine-own.json").exists()
    (tmp_path / "no.json").write_text('[{"some": "thing"}]')
    assert "no.json: this is no layout" in read_refusal(run_overtable("layout", "import", "no.json", folder=tmp_path))
