"""The open data of 40kdc: the bundle that the package `wh40kdc` brings, where somebody has installed it.

None of these data come with the program; whoever is shown some of them is shown `CREDIT`.
"""

import importlib.util
from pathlib import Path

PACKAGE = "wh40kdc"
CREDIT = "40kdc"
"""Whose data they are, as it is shown."""


def find_bundle() -> Path | None:
    """Return the bundle's file; None where the package is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    return Path(spec.origin).parent / "_bundle.json" if spec is not None and spec.origin is not None else None
