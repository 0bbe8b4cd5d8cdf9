"""A throw-away Python environment, which has all that the tests' own has, and into which packages can be installed."""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowawayEnvironment:
    """Runs commands as in a shell in which the environment is active; nothing is fetched from anywhere."""

    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        """What the environment's programs find."""
        return {
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "PATH": os.pathsep.join((str(self.folder / "bin"), os.environ["PATH"])),
            "VIRTUAL_ENV": str(self.folder),
            "UV_CACHE_DIR": str(self.folder / "cache"),
            "UV_OFFLINE": "1",
            "UV_NO_INDEX": "1",
            "UV_NO_BUILD_ISOLATION": "1",
            "UV_NO_PROGRESS": "1",
        }

    def run(self, command: str, folder: Path) -> tuple[int, str]:
        """Run a command line in a folder; return its exit status, and all that it printed."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        return done.returncode, done.stdout


def make_environment(folder: Path) -> ThrowawayEnvironment:
    """Make an environment in a folder that is not there yet."""
    uv = shutil.which("uv") or str(ROOT / ".tools/bin/uv")
    subprocess.run([uv, "venv", "--quiet", "--offline", "--python", sys.executable, folder], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    (packages / "beside.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    for name, text in {
        "overtable": f"#!{folder}/bin/python\nfrom assistant.cli import main\nmain()\n",
        "pytest": f"#!{folder}/bin/python\nimport pytest\nraise SystemExit(pytest.main())\n",
    }.items():
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    (folder / "bin" / "uv").symlink_to(uv)
    return ThrowawayEnvironment(folder=folder)
