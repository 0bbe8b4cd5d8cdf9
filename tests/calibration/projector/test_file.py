import json
import math

import numpy as np
import pytest
from pydantic import ValidationError

from assistant.errors import BadInput
from assistant.files.documents import check
from calibration.projector.file import LitTable, NudgeEntry, ProjectorFile
from calibration.projector.model import Nudge
from tests.calibration.projector.test_solve import BENT, EVERYWHERE, SIZE, TABLE_MM, solve_simulated

TABLE = LitTable(width_mm=TABLE_MM[0], depth_mm=TABLE_MM[1])


@pytest.fixture(scope="module")
def file() -> ProjectorFile:
    return ProjectorFile.from_fit(solve_simulated(BENT), TABLE, camera_sigma_mm=0.1, calibration="abc", made_ns=7)


def test_a_file_says_what_was_measured(file: ProjectorFile) -> None:
    back = check(json.loads(file.model_dump_json()), ProjectorFile, "projector.json")
    assert back == file
    fit = solve_simulated(BENT)
    assert back.measured.projector_from_table(EVERYWHERE) == pytest.approx(
        fit.projector.projector_from_table(EVERYWHERE), abs=1e-9
    )
    assert back.measured.covariance == pytest.approx(fit.projector.covariance)
    assert back.held_out is not None
    assert back.held_out.mean_mm == pytest.approx(fit.mean_mm, abs=1e-4)
    assert back.image_size == SIZE


def test_a_nudge_is_kept_apart_from_what_was_measured(file: ProjectorFile) -> None:
    nudge = Nudge(x_mm=1.5, y_mm=-0.25, turn_rad=math.radians(0.1), scale=1.001)
    moved = file.model_copy(update={"nudge": NudgeEntry.from_nudge(nudge)})
    assert (moved.measured.parameters == file.measured.parameters).all()
    landed = file.measured.table_from_projector(moved.projector.projector_from_table([TABLE.middle_mm]))
    assert landed[0] == pytest.approx((762 + 1.5, 559 - 0.25))
    assert moved.nudge.value.turn_rad == pytest.approx(nudge.turn_rad, abs=1e-6)
    with pytest.raises(ValidationError):
        NudgeEntry.from_nudge(Nudge(x_mm=2000))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"projector_from_table": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, "last number is 1"),
        ({"projector_from_table": [[1, 0, 0], [1, 0, 0], [0, 0, 1]]}, "invertible"),
        ({"projector_from_table": [[1, 0, 0], [0, 1e308, 0], [1, 6, 1]]}, "no number beyond 1e\\+09"),
        ({"covariance": [[1.0]]}, "14 rows of 14"),
        ({"image_size": [1920]}, "image_size"),
        ({"focus": 3}, "focus: this key is not known here"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(file: ProjectorFile, changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput, match=f"projector.json: .*{sentence}"):
        check({**json.loads(file.model_dump_json()), **changes}, ProjectorFile, "projector.json")


def test_a_file_without_a_covariance_is_read(file: ProjectorFile) -> None:
    bare = file.model_copy(update={"covariance": None})
    assert not np.any(bare.projector.covariance)
