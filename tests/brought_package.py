"""Packages that bring plug-ins, as an installer leaves them: modules, and what they say of themselves."""

from collections.abc import Mapping
from pathlib import Path

import pytest


def bring_package(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, points: Mapping[str, str], **modules: str
) -> None:
    """Put a package on the path for one test.

    Args:
        folder: where, empty or with other packages in it.
        monkeypatch: the test's.
        name: the package's.
        points: its entry points, such as ``{"overtable.rulebooks": "chess = chess_book:BOOK"}``.
        modules: the text of its modules.

    """
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("".join(f"[{group}]\n{line}\n" for group, line in points.items()))
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
