"""A part of the system that is missing is one sentence with what to install, and no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from assistant.cli import NOT_THERE, describe_missing

FAKES = {
    "cv2": 'raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")',
    "pupil_apriltags": 'raise ModuleNotFoundError("No module named \'pupil_apriltags\'", name="pupil_apriltags")',
}


@pytest.mark.parametrize(("module", "way"), [("cv2", "apt install libgl1"), ("pupil_apriltags", "needs cmake")])
def test_it_is_said_by_the_command_itself(tmp_path: Path, module: str, way: str) -> None:
    (tmp_path / f"{module}.py").write_text(FAKES[module])
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from assistant.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", start, "doctor"], capture_output=True, text=True, check=False)
    assert run.returncode == NOT_THERE, run.stderr
    assert run.stderr.count("\n") == 1
    assert way in run.stderr
    assert "Traceback" not in run.stderr + run.stdout


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ImportError("libfoo.so.7: cannot open shared object file: No such file"), "install the system's package"),
        (ImportError("libgthread-2.0.so.0: cannot open shared object file: No such file"), "libglib2.0-0"),
        (ImportError("cannot import name 'x'"), ""),
        (ModuleNotFoundError("No module named 'assistant.gone'", name="assistant.gone"), ""),
    ],
)
def test_what_else_is_wrong_is_no_missing_part(error: ImportError, says: str) -> None:
    said = describe_missing(error)
    assert says in said
    assert bool(said) is bool(says)
