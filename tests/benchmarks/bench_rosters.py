"""What is read of lists that people shared, with the open data where they are installed, and how soon."""

import io
import os
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assistant.armies.published_units import find_published_units
from tests.assistant.armies.shared_rosters import GAME, ReadList, read_conformance_lists, read_list
from tests.shared_pictures import SHARED

FOLDER = Path(os.environ.get("OVERTABLE_ROSTERS", SHARED / "rosters"))
"""Where the lists are: `conformance` with what is expected of each, and `battlescribe`."""
UNITS = 30


def run() -> Iterator[str]:
    """Yield what is read of each kind of list, and how long one of thirty units takes."""
    before = time.perf_counter()
    published = find_published_units(GAME) is not None
    loaded_s = time.perf_counter() - before
    yield f"open data read in {1e3 * loaded_s:.0f} ms" if published else "the extra overtable[40k] is not installed"
    if (FOLDER / "conformance").exists():
        lists = list(read_conformance_lists(FOLDER / "conformance", published=published))
        yield _describe(f"conformance, {len(lists)} lists", lists)
    else:
        yield f"no lists: {FOLDER} is not there"
    for path in sorted((FOLDER / "battlescribe").glob("*.ros*")):
        yield _describe(path.name, [read_list(path, published=published)])
    yield f"{UNITS} units: {_time_roster(published=published):.1f} ms"


def _describe(name: str, lists: list[ReadList]) -> str:
    units = sum(len(one.expected or one.units) for one in lists)
    right, moving, based = (sum(getattr(one, what) for one in lists) for what in ("right", "moving", "based"))
    return f"{name}: {units} units; as expected {right}, moves {moving}, bases {based}"


def _time_roster(*, published: bool) -> float:
    """Return how long a packed roster of thirty units of five kinds takes, read and filled, milliseconds."""
    clubs = "".join(f'<selection name="Club {n}" type="upgrade" number="1"/>' for n in range(20))
    move = '<characteristics><characteristic name="M">6"</characteristic></characteristics>'
    profiles = f'<profiles><profile name="Guard" typeName="Unit">{move}</profile></profiles>'
    models = "".join(
        f'<selection name="Guard {n}" type="model" number="2">{profiles}<selections>{clubs}</selections></selection>'
        for n in range(5)
    )
    units = "".join(
        f'<selection name="Moss Guard {n}" type="unit" number="1"><selections>{models}</selections></selection>'
        for n in range(UNITS)
    )
    roster = f"<roster><forces><force><selections>{units}</selections></force></forces></roster>"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("moss.ros", roster)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "moss.rosz"
        path.write_bytes(packed.getvalue())
        times_ms = []
        for _ in range(7):
            before = time.perf_counter()
            read_list(path, published=published)
            times_ms.append(1e3 * (time.perf_counter() - before))
    return median(times_ms)
