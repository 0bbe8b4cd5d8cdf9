"""The layout file: what it says when it is read, and one clear sentence for what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.layouts.layout import encode_layout, parse_layout, read_layout, write_layout
from tests.assistant.layouts.sample_layouts import build_document


def refuse(**changes: Any) -> str:
    with pytest.raises(BadInput) as refused:
        parse_layout({**build_document(), **changes}, "a.json")
    (line,) = str(refused.value).splitlines()
    return line


def test_a_layout_is_written_and_read_again_as_it_was(tmp_path: Path) -> None:
    layout = parse_layout(build_document(), "a.json")
    assert write_layout(tmp_path / "new" / "a.json", layout) is None
    assert read_layout(tmp_path / "new" / "a.json") == layout
    assert encode_layout(layout) == json.loads((tmp_path / "new" / "a.json").read_text())


def test_what_was_there_before_is_kept_under_another_name(tmp_path: Path) -> None:
    layout = parse_layout(build_document(), "a.json")
    path = tmp_path / "a.json"
    write_layout(path, layout)
    before = write_layout(path, layout.model_copy(update={"title": "Another"}))
    assert before is not None
    assert read_layout(before).title == layout.title


def test_a_faulty_layout_is_refused_in_a_sentence_that_says_where() -> None:
    piece = {"id": "a", "template": "woods", "x_mm": 100, "y_mm": 100}
    square = [[0, 0], [10, 0], [10, 10], [0, 10]]
    assert refuse(features=[{**piece, "template": "castle"}]).startswith(
        "a.json: features[0]: there is no template 'castle'; expected one of ruin, "
    )
    assert "features[0]: a template stands somewhere" in refuse(features=[{"id": "a", "template": "woods"}])
    assert "either a template or an outline_mm" in refuse(features=[{"id": "a"}])
    assert "either a template or an outline_mm" in refuse(features=[{**piece, "outline_mm": square}])
    assert "brings its own parts" in refuse(features=[{**piece, "parts": [{"name": "w", "outline_mm": square}]}])
    assert "from 40 to 3000 mm each way, not 10" in refuse(features=[{**piece, "size_mm": [100, 10]}])
    assert "a template's" in refuse(features=[{"id": "a", "outline_mm": square, "size_mm": [100, 10]}])
    assert "deployment[0].side: expected 1, 2, 3 or 4, not '5'" in refuse(
        deployment=[{"id": "z", "side": 5, "outline_mm": square}]
    )
    assert "objectives[0].radius_mm: expected more than 0" in refuse(
        objectives=[{"id": "o", "x_mm": 1, "y_mm": 1, "radius_mm": 0}]
    )
    assert "features[1].id: the id 'a' is already used at features[0].id" in refuse(features=[piece, piece])
    crossed = [[0, 0], [10, 10], [10, 0], [0, 10]]
    assert "features[0]" in refuse(features=[{"id": "a", "outline_mm": crossed}])


def test_more_pieces_than_a_situation_takes_are_refused() -> None:
    ruins = [{"id": f"r{at}", "template": "ruin", "x_mm": 100, "y_mm": 100} for at in range(70)]
    assert "at most 250 pieces in all" in refuse(features=ruins)
