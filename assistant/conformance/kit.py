"""The kit: cases and their runner in one file, which runs wherever Python does and needs no package."""

import io
import json
import zipfile
from pathlib import Path

import assistant
from assistant.conformance.case_file import CaseForm, list_case_files, read_case

_MODULES = ("__init__", "case", "comparison", "engine_command", "runner", "kit_command")
_MAIN = '"""Start the kit."""\n\nfrom assistant.conformance.kit_command import main\n\nmain()\n'
_SHEBANG = b"#!/usr/bin/env python3\n"
_DATE = (1980, 1, 1, 0, 0, 0)
"""The same cases make the same file, whenever they are packed."""


def is_packed(beginning: bytes) -> bool:
    """Return whether a file that begins so is what `pack_cases` returns."""
    return beginning.startswith(_SHEBANG + b"PK")


def pack_cases(folder: Path) -> bytes:
    """Return an archive that Python runs, with the cases of a folder, their JSON Schema, and the runner.

    Raises:
        BadInput: a case that cannot be read.

    """
    here = Path(__file__).parent
    files = {"__main__.py": _MAIN, "assistant/__init__.py": f'"""{assistant.__doc__}"""\n'}
    files |= {f"assistant/conformance/{name}.py": (here / f"{name}.py").read_text("utf-8") for name in _MODULES}
    files["case.schema.json"] = json.dumps(CaseForm.model_json_schema(), indent=1)
    for path in list_case_files(folder):
        read_case(path)
        files[f"cases/{path.relative_to(folder).as_posix()}"] = path.read_text("utf-8")
    packed = io.BytesIO(_SHEBANG)
    packed.seek(0, io.SEEK_END)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as kit:
        for name, text in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            kit.writestr(entry, text)
    return packed.getvalue()
