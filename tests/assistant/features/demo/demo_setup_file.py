"""A demo's set-up as a person would write it."""

from pathlib import Path
from typing import Any

import tomlkit

from assistant.features.demo.catalogue import SETUP, Demo
from assistant.setup.editing import fill_entry


def write_demo_setup(demo: Demo, path: Path, **camera: str) -> None:
    """Write a set-up with a section for every model of a demo.

    Args:
        demo: what is on the table.
        path: of the file.
        camera: what its section says otherwise than the demo's.

    """
    document: Any = tomlkit.parse(SETUP.read_text())
    document["camera"] |= camera
    sections = tomlkit.aot()
    for base in demo.setup.bases:
        sections.append(tomlkit.table())
        fill_entry(sections[-1], base)
    document["bases"] = sections
    path.write_text(tomlkit.dumps(document))
