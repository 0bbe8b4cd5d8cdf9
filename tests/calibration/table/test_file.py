"""The table file: what it keeps, and what is said of one that is wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.files.documents import read_json
from calibration.table.bundle_adjustment import solve_places
from calibration.table.file import TableFile
from calibration.table.misplaced_anchors import AnchorExamination, Suspect
from tests.calibration.table.simulated_tables import (
    TABLE,
    lay_anywhere,
    lay_in_corners,
    simulate_camera,
    simulate_places,
    simulate_sighting,
)


def make_table_file() -> TableFile:
    rng = np.random.default_rng(1)
    true, laid = simulate_camera(rng), (*lay_in_corners("near-left", "far-right"), *lay_anywhere(2))
    fit = solve_places(
        lens=true.lens, stated=laid, table=TABLE, pictures=[simulate_sighting(rng, true, simulate_places(rng, laid))]
    )
    examined = AnchorExamination(suspects=(Suspect(tag=7, kind="swapped", other=8),))
    return TableFile.from_fit(
        fit=fit,
        table=TABLE,
        pictures=["view"],
        examined=examined,
        held_out={},
        weak=["it is weak"],
    )


def test_a_table_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    file, path = make_table_file(), tmp_path / "table.json"
    path.write_text(file.model_dump_json())
    assert read_json(path, TableFile) == file
    assert [anchor.tag for anchor in file.anchors] == [570, 571, 560, 561]
    sigmas = np.sqrt(np.diag(file.placement)).reshape(-1, 3)
    np.testing.assert_allclose(sigmas[:, :2], [anchor.sigma_mm for anchor in file.anchors])
    np.testing.assert_allclose(np.degrees(sigmas[:, 2]), [anchor.sigma_deg for anchor in file.anchors])
    assert file.warnings == ("anchors 7 and 8 seem swapped: each lies where the other is said to lie", "it is weak")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "overtable.table/2"}, "expected 'overtable.table/1', not 'overtable.table/2'"),
        ({"covariance": [[1.0]]}, "expected a covariance of 12 rows of 12 numbers, three for each anchor"),
        ({"covariance": np.triu(np.ones((12, 12))).tolist()}, "expected a symmetric covariance"),
        ({"covariance": (2 - 3 * np.eye(12)).tolist()}, "without negative variances"),
        ({"covariance": (2 * np.ones((12, 12)) - np.eye(12)).tolist()}, "without negative variances"),
        ({"anchors": []}, "anchors: expected at least 1 in the list"),
    ],
)
def test_what_is_wrong_with_a_table_file_is_said(tmp_path: Path, change: dict[str, object], sentence: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(json.loads(make_table_file().model_dump_json()) | change))
    with pytest.raises(BadInput, match=r"table\.json: ") as refusal:
        read_json(path, TableFile)
    assert sentence in str(refusal.value)


def test_an_anchor_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    document = json.loads(make_table_file().model_dump_json())
    document["anchors"][1]["tag"] = 570
    (tmp_path / "table.json").write_text(json.dumps(document))
    with pytest.raises(BadInput, match="anchor 570 is there twice"):
        read_json(tmp_path / "table.json", TableFile)
